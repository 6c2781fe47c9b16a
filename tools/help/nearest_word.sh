#!/bin/sh
# nearest_word.sh WORD KNOWN...: prints " Did you mean KNOWN?" for the known word that takes the fewest changes of a
# letter, or nothing if all are far. A part of a lesson's name (relu) means that lesson. A number that no lesson has is told as such.
word=$1
shift
numbered=$(printf '%s\n' "$word" | sed -n 's/^\(lesson\|exercise\|hint\)0*\([0-9]\{1,2\}\)$/\1 \2/p')
if [ -n "$numbered" ]; then
  kind=${numbered% *}
  wanted=$(printf '%s%02d' "$kind" "${numbered#* }")
  known=$(printf '%s\n' "$@" | sed -n "s/^$kind\([0-9][0-9]\)\$/\1/p" | sort)
  if printf '%s\n' "$@" | grep -qx "$wanted"; then
    echo " Did you mean $wanted?"
  else
    echo " There are ${kind}s" $known "so far; README.md says what is planned."
  fi
  exit
fi
printf '%s\n' "$@" | awk -v word="$word" '
function minimum(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
function changes(a, b,    i, j, row, last, kept) { # the edit distance
    for (j = 0; j <= length(b); j++) row[j] = j
    for (i = 1; i <= length(a); i++) {
        last = row[0]; row[0] = i
        for (j = 1; j <= length(b); j++) {
            kept = row[j]
            row[j] = minimum(row[j] + 1, row[j - 1] + 1, last + (substr(a, i, 1) != substr(b, j, 1)))
            last = kept
        }
    }
    return row[length(b)]
}
BEGIN { least = 1000; lower = tolower(word) }
{
    candidate = $0
    distance = changes(lower, tolower(candidate))
    if (candidate ~ /_/ && candidate ~ /^lesson/) { # a folder: its parts count as well
        name = candidate
        sub(/^[^_]*_/, "", name)
        if (index(name, lower) && length(lower) > 2) distance = 0
        else { d = changes(lower, name); if (d < distance) distance = d }
        sub(/_.*/, "", candidate)
    }
    if (distance < least) { least = distance; best = candidate }
}
END { if (least <= (length(word) < 5 ? 1 : 2) + (length(word) > 8)) print " Did you mean " best "?" }'
