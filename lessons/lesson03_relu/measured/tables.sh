#!/bin/sh
# tables.sh: prints the lines of the page's H200 tables, made from h200.txt (which record.sh printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }

  # Rows of a table of times: the name has one word or two.
  NF >= 5 && NF <= 6 && $NF ~ /^[0-9.]+$/ && $(NF - 1) == "-" {
    name = NF == 6 ? $1 " " $2 : $1
    milliseconds = $(NF - 3)
    bandwidth = $(NF - 2)
    percent = sprintf("%.1f", $NF)
    if (section ~ /SEED=1/) {
      if (name == "copy kernel") printf "| version | predict: %% of copy | ms (%s, %s) | GB/s | %% of copy |\n", machine, date
      printf "| %s |%s | %s | %.0f | %s |\n", name, name == "copy kernel" ? " 100" : "", milliseconds, bandwidth, percent
      of_copy[name] = percent
    }
    if (section ~ /in_flight/) variant[name] = percent
  }
  $1 ~ /^watched_kernel[14]:$/ { lives[substr($1, 15, 1)] = $5 }
  $2 == "sm__warps_active.avg.per_cycle_active" { warps[substr($1, 12)] = $3 }

  END {
    print ""
    printf "| relu_kernel1, relu_kernel2 | 2048 × 1 × 4 | 8 KiB | %s, %s |\n", of_copy["relu_kernel1"], of_copy["relu_kernel2"]
    printf "| relu_kernel3 without `__restrict__` | 2048 × 1 × 4 | 8 KiB | %s |\n", variant["no_promise"]
    printf "| relu_kernel3 | 2048 × 4 × 4 | 32 KiB | %s |\n", of_copy["relu_kernel3"]
    printf "| relu_kernel4, relu_kernel5 | 2048 × 1 × 16 | 32 KiB | %s, %s |\n", of_copy["relu_kernel4"], of_copy["relu_kernel5"]
    print ""
    printf "| loop, 8 blocks per multiprocessor, as in version 3 | %s |\n", variant["loop8"]
    printf "| loop, 16 blocks | %s |\n| loop, 64 blocks | %s |\n", variant["loop16"], variant["loop64"]
    printf "| no loop: a block for every 256 vectors, as in version 4 | %s |\n", variant["relu_kernel4"]
  }' h200.txt
