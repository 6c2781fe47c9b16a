#!/bin/sh
# recall_rows.sh: prints the rows of the page's table of recall, and words of its text ("~ "), made from recall.txt (which recall.py printed).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { kind = $2; sub(/,/, "", kind); seed = $4; if (seed == 1) order[++kinds] = kind }
  /^local dimension/ && seed == 1 { printf "~ %s: the local dimension is %s\n", kind, $NF }
  $1 == "ours" { read[seed, kind, $2] = $3; found[seed, kind, $2] = $4 }
  $1 == "faiss" && seed == 1 { peer[kind, $2] = $3 " | " $4 }
  END {
    count = split("1 8 32 64 96 128 256 512", probes, " ")
    for (k = 1; k <= kinds; k++) for (p = 1; p <= count; p++) {
      at = order[k] SUBSEP probes[p]
      printf "| %s | %d | %s | %s | %s |\n", order[k], probes[p], read[1, order[k], probes[p]], found[1, order[k], probes[p]], peer[at]
    }
    printf "~ %s of the nearest are found, and %s of other vectors from another seed\n", found[1, "clustered", 64], found[2, "clustered", 64]
    printf "~ flatter: %s at %s %%\n", found[1, "flatter", 64], read[1, "flatter", 64]
  }' recall.txt
