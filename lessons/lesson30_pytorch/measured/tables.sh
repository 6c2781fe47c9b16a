#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, and words of its text ("~ "), made from h200.txt (which
# record.sh printed). tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  section !~ /SEED=1/ { next }
  $1 == "cudaMemcpy" { printf "| version | predict: %% of copy | ms (%s, %s) | GB/s | %% of copy |\n", machine, date }
  ($1 == "cudaMemcpy" || $1 == "pytorch") && NF == 4 { printf "| %s | | %s | %.0f | %.1f |\n", $1, $2, $3, $4 }' h200.txt
