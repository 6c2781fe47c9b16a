#!/bin/sh
# tables.sh: prints the rows of the page's table of a GPU, made from h200.txt (which record.sh printed): microseconds of a call, and how many
# times that is what C takes. tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  section ~ /calls, SEED=1/ && match($0, /^(nothing|1 KB|64 MB) /) {
    name = substr($0, 1, RLENGTH - 1)
    split(substr($0, RLENGTH + 1), word, " ")
    if (word[1] == "C") c[name] = word[2]
    printf "| %s | %s | | %.2f | %.2f |\n", name, word[1], word[2], word[2] / c[name]
  }' h200.txt
