#!/bin/sh
# needs.sh: which lesson needs which, from what their pages say ("*About 90 minutes ... You need lessons 01 to 03 and 05.*"), as lines
# `03 relu 90 01 02`: number, name, minutes, and what it needs.
set -eu
cd "$(dirname "$0")/../.."
. tools/folders.sh

# The paragraph may have several lines.
for folder in $(lesson_folders); do
  awk -v name="${folder#lessons/lesson}" '
    /^\*About [0-9]+ minutes/ { inside = 1 }
    inside { text = text " " $0 }
    inside && /\*$/ {
      split(text, words, " ")
      sub(/.*You need /, "", text)
      print name, words[2], text
      exit
    }' "$folder/README.md"
done | awk '
  {
    number = substr($1, 1, 2); name = substr($1, 4); minutes = $2
    printf "%s %s %s", number, name, minutes
    words = $0
    sub(/^[^ ]+ [0-9]+ /, "", words)
    while (match(words, /[0-9][0-9]( to [0-9][0-9])?/)) {
      first = substr(words, RSTART, 2) + 0
      last = RLENGTH > 2 ? substr(words, RSTART + RLENGTH - 2, 2) + 0 : first
      for (n = first; n <= last; n++) printf " %02d", n
      words = substr(words, RSTART + RLENGTH)
    }
    print ""
  }'
