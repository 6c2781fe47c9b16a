#!/bin/sh
# tables.sh: prints the rows of the page's table of a GPU, made from h200.txt (which record.sh printed): milliseconds, speed, and the share of the
# first row, a copy or cuBLAS. tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  section ~ /race, SEED=1/ && / ms / {
    what = substr($0, 1, 12)
    name = substr($0, 13, 16)
    sub(/ +$/, "", what)
    gsub(/^ +| +$/, "", name)
    $0 = substr($0, 29)
    printf "| %s | %s | | %s | %s | %s |\n", what, name, $1, $3, $5
  }' h200.txt
