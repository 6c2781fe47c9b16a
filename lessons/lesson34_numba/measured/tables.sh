#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, made from h200.txt (which record.sh printed): the kernels in % of a copy; and
# microseconds of a call, and how many times that is what the first way takes. tests/lessons/tables.test.sh looks whether the page has them,
# as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  section ~ /lesson34, SEED=1/ && $1 ~ /^(cudaMemcpy|gelu_kernel[12]|gelu_backward|sum_kernel[12])$/ && NF == 4 {
    printf "| %s | | %s | %s | %s |\n", $1, $2, $3, $4
  }
  section ~ /calls, SEED=1/ && match($0, /^(launch|1 KB|64 MB|compiled) +/) {
    name = substr($0, 1, RLENGTH)
    sub(/ +$/, "", name)
    rest = substr($0, RLENGTH + 1)
    way = rest
    sub(/  .*/, "", way)
    sub(/^.*  +/, "", rest)
    match($0, / [0-9.]+ us /)
    time = substr($0, RSTART + 1, RLENGTH - 5)
    if (name != before) first = time
    before = name
    printf "| %s | %s | | %.2f | %.2f |\n", name, way, time, time / first
  }' h200.txt
