#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, made from h200.txt (the records of 2 and of 4 GPUs, one behind the other).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

# devices bytes version blocks microseconds in_a_graph GB/s ratio ratio_in_graph
awk '
  /^--- / { off = /multicast off/; next }
  off && NF == 9 && $3 ~ /^(NCCL|oneshot_kernel[456]|twoshot_kernel7)$/ {
    size = $2 >= 1048576 ? $2 / 1048576 " MiB" : $2 / 1024 " KiB"
    printf "| %s | %s | %s | | %s | %s | %s | %s | %s |\n", $1, size, $3, $5, $6, $7, $8, $9
  }' h200.txt
