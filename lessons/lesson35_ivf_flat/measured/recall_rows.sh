#!/bin/sh
# recall_rows.sh: prints the rows of the page's table of recall, and words of its text ("~ "), made from recall.txt (which recall.py printed).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { kind = $2; order[++kinds] = kind }
  /^local dimension/ { printf "~ %s: the local dimension is %s\n", kind, $NF }
  $1 == "ours" { read[kind, $2] = $3; found[kind, $2] = $4 }
  $1 == "faiss" { peer[kind, $2] = $3 " | " $4 }
  END {
    count = split("1 8 32 64 96 128 256 512", probes, " ")
    for (k = 1; k <= kinds; k++) for (p = 1; p <= count; p++) {
      at = order[k] SUBSEP probes[p]
      printf "| %s | %d | %s | %s | %s |\n", order[k], probes[p], read[at], found[at], peer[at]
    }
  }' recall.txt
