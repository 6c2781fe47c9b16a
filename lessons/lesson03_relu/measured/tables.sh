#!/bin/sh
# tables.sh: prints the lines of the page's H200 tables and words of its text ("~ "), made from h200.txt and strides.txt (which record.sh printed on
# that machine).
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
      speed[name] = bandwidth
    }
    if (section ~ /in_flight/) variant[name] = percent
  }
  $1 ~ /^watched_kernel[14]:$/ { lives[substr($1, 15, 1)] = $5 }
  $1 == "watched_kernel3:" { first = $8; last = $13; empty = $15 }
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
    print ""
    needed = speed["copy kernel"] / 2 * lives[1] * 1000 # bytes
    there = warps[1] / 64 * 8192
    printf "~ a thread of version 1 lives %s µs\n", lives[1]
    printf "~ The copy loads %.0f GB/s (the other half of its %.0f are stores).\n", speed["copy kernel"] / 2, speed["copy kernel"]
    printf "~ %.0f GB/s × %s µs = %.1f MB\n", speed["copy kernel"] / 2, lives[1], needed / 1e6
    printf "~ which is %.1f KiB for each of the 132\n", needed / 132 / 1024
    printf "~ On average %.0f of 64 warps are there, with %.1f KiB: %.0f %% of %.1f KiB\n", warps[1], there / 1024, 100 * there / (needed / 132), needed / 132 / 1024
    printf "~ %s %% of the copy with 512 threads, %s %% with 1024\n", variant["block512"], variant["block1024"]
    printf "~ which brings %s %%\n", variant["no_promise"]
    printf "~ two and four `float4` per thread give %.0f %% and %.0f %%\n", variant["vectors2"], variant["vectors4"]
    printf "~ in version 4 a thread already lives %.1f µs\n", lives[4]
    printf "~ Of the %s µs of version 3, the first threads are done after %s\n", last, first
    printf "~ on average %.0f %% of the places are empty\n", empty
  }' h200.txt

awk '
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  /^n = / {
    printf "~ What it costs on an H200</summary> n = %d:\n", $3
    printf "| elements from one thread\047s to the next one\047s | ms (%s, %s) | %% of copy |\n", machine, date
  }
  /^stride[0-9]/ { printf "| %d | %s | %.1f |\n", substr($1, 7), $2, $5 }' strides.txt
