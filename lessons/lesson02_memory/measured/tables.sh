#!/bin/sh
# tables.sh: prints the page's H200 table and words of its text ("~ "), made from h200.txt (which record.sh printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has its lines.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  section ~ /SEED=2/ && /^scale1/ { printf "~ (%.1f GB/s in the run that followed\n", $4 }
  section !~ /SEED=1/ { next }
  /^copy kernel/ {
    printf "| version | predict: GB/s | GB/s (%s, %s) | %% of copy |\n", machine, date
    printf "| copy kernel (within the device) | | %.0f | 100 |\n", $4
  }
  $1 ~ /^scale[1-5]$/ && NF == 6 { printf "| %s %s | | %.1f | %s |\n", $1, $2, $4, $6 }' h200.txt
