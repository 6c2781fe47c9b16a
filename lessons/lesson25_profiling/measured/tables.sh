#!/bin/sh
# tables.sh: prints the rows of the page's table of an H200, made from h200.txt (which record.sh printed). tests/lessons/tables.test.sh looks
# whether the page has them, as soon as there is a record. The table of both reports has a script of its own, side_by_side.sh.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  section !~ /lesson25, SEED=1/ { next }
  /^copy kernel / {
    printf "| version | predict: %% of copy | ms (%s, %s) | GB/s | %% of copy |\n", machine, date
    printf "| copy kernel | 100 | %.3f | %.0f | 100.0 |\n", $3, $7
  }
  $1 ~ /^pipeline[0-9]$/ && NF == 8 { printf "| %s | | %.3f | %.0f | %.1f |\n", $1, $2, $6, $8 }' h200.txt
