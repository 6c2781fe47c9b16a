#!/bin/sh
# map.sh: makes the map again when a lesson has come, or says that it needs others or other minutes: lessons/map.svg, and the term's table in
# MAP.md. The paths of a day and of a week are written by hand.
set -eu
cd "$(dirname "$0")/../.."

python3 tools/workbook lesson_map

sh tools/authoring/needs.sh | awk '
  function link(i,    words) {
    words = name[i]
    gsub(/_/, " ", words)
    return "[" number[i] " " words "](lessons/lesson" number[i] "_" name[i] "/README.md)"
  }
  FILENAME == "-" { count++; number[count] = $1; name[count] = $2; minutes[count] = $3; sum += $3; next }
  /^## / { term = $0 == "## A term" }
  term && /^\| week/ { next }
  { if (term && /^In all /) $3 = sum; print }
  term && /^\|---/ { # the first two lessons are a week together
    print "| week 1 | " link(1) ", " link(2) " | " minutes[1] + minutes[2] " |"
    for (i = 3; i <= count; i++) print "| week " i - 1 " | " link(i) " | " minutes[i] " |"
  }' - MAP.md >"MAP.md.$$"
mv "MAP.md.$$" MAP.md
