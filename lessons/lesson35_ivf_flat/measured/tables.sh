#!/bin/sh
# tables.sh: prints the rows of the page's table of a GPU, made from h200.txt (which record.sh printed): who, fp32 or fp16, nprobe, the share that is
# read, recall, and microseconds of a query. tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  section ~ /race, SEED=1/ && $2 ~ /^float(16|32)$/ && $NF == "us" {
    printf "| %s | %s | %s | | %s | %s | %s |\n", $1, $2, $3 ? $3 : "all", $4, $6, $7
  }' h200.txt
