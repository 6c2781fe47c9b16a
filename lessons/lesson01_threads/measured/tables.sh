#!/bin/sh
# tables.sh: prints the page's H200 table and two orders of blocks, and words of its text ("~ "), made from h200.txt (which record.sh printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has its lines.
set -eu
cd "$(dirname "$0")"

awk '
  function figures(x) { return sprintf(x < 0.1 ? "%.1g" : x < 1 ? "%.2g" : x < 100 ? "%.1f" : "%.0f", x) }
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  section !~ /SEED=1/ { next }
  /^block_order/ { orders = 2 }
  orders && NF == 40 { sub(/^ +/, ""); print; orders-- }
  /^copy kernel/ {
    copy = $4
    copy_ms = $3
    printf "| version | predict: GB/s | GB/s (%s, %s) | %% of copy |\n", machine, date
    printf "| copy kernel | | %s | 100 |\n", figures(copy)
  }
  $1 ~ /^vecadd_kernel/ && NF == 5 {
    ms[substr($1, 14)] = $2
    printf "| %s | | %s | %s |\n", $1, $3 < 1 ? $3 : figures($3), figures(100 * $3 / copy)
  }
  END { printf "~ differ by a factor of more than %d000.\n", ms[1] * 1024 / ms[3] / 1000 }' h200.txt
