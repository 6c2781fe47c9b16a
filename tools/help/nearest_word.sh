#!/bin/sh
# nearest_word.sh WORD KNOWN...: prints " Did you mean KNOWN?" for the known word that takes the fewest changes of a
# letter or an exchange of two, or nothing if all are far. ptx03 is lesson03 ptx. A part of a lesson's name (relu) means that lesson. A number that no lesson has is told as such.
word=$1
shift
numbered=$(printf '%s\n' "$word" | sed -n 's/^\(lesson\|exercise\|hint\)0*\([0-9]\{1,2\}\)\([a-z]\{0,1\}\)$/\1 \2 \3/p')
if [ -n "$numbered" ]; then
  kind=${numbered%% *} letter=${numbered##* } number=${numbered#* }
  number=$(printf '%02d' "${number% *}")$letter
  known=$(printf '%s\n' "$@" | sed -n "s/^$kind\([0-9][0-9][a-z]\{0,1\}\)\$/\1/p" | sort)
  if printf '%s\n' "$@" | grep -qx "$kind$number"; then
    echo " Did you mean $kind$number?"
  elif [ -n "$letter" ] && printf '%s\n' "$@" | grep -qx "exercise$number"; then
    echo " $number is an exercise without a program of its own. Did you mean exercise$number?"
  else
    echo " There are ${kind}s" $known "so far; README.md says what is planned."
  fi
  exit
fi
pair=$(printf '%s\n' "$word" |
  sed -n -e 's/^\(run\|test\|sanitize\|profile\|view\|ptx\|sass\)\([0-9][0-9][a-z]\{0,1\}\)$/lesson\2 \1/p' -e 's/^\(solution\|reset\|watch\|grade\)\([0-9][0-9][a-z]\{0,1\}\)$/exercise\2 \1/p')
if [ -n "$pair" ]; then
  if ! printf '%s\n' "$@" | grep -qx "${pair% *}"; then pair=exercise${pair#lesson}; fi
  if printf '%s\n' "$@" | grep -qx "${pair% *}"; then
    echo " Did you mean $pair?"
    exit
  fi
fi
printf '%s\n' "$@" | awk -v word="$word" '
function minimum(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
function changes(a, b,    i, j, row, before, older, last, kept) { # the edit distance; two letters exchanged are one change
    for (j = 0; j <= length(b); j++) row[j] = j
    for (i = 1; i <= length(a); i++) {
        last = row[0]; row[0] = i
        for (j = 1; j <= length(b); j++) {
            kept = row[j]
            row[j] = minimum(row[j] + 1, row[j - 1] + 1, last + (substr(a, i, 1) != substr(b, j, 1)))
            if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1) && older[j - 2] + 1 < row[j]) row[j] = older[j - 2] + 1
            last = kept
            before[j] = kept
        }
        older[0] = i - 1
        for (j = 1; j <= length(b); j++) older[j] = before[j]
    }
    return row[length(b)]
}
BEGIN { least = 1000; lower = tolower(word) }
{
    known[$0]
    candidate = $0
    distance = changes(lower, tolower(candidate))
    if (candidate ~ /_/ && candidate ~ /^lesson/) { # a folder: its parts count as well
        name = candidate
        sub(/^[^_]*_/, "", name)
        if (index(name, lower) && length(lower) > 2) distance = 0
        else { d = changes(lower, name); if (d < distance) distance = d }
        sub(/_.*/, "", candidate)
        if (!(candidate in known)) sub(/^lesson/, "exercise", candidate) # it has no program
    }
    if (distance < least) { least = distance; best = candidate }
}
END { if (least <= (length(word) < 5 ? 1 : 2) + (length(word) > 8)) print " Did you mean " best "?" }'
