#!/bin/sh
# tables.sh: prints the rows of the page's table of a GPU, made from h200.txt (which record.sh printed): microseconds of a call, and how many
# times that is what the last way of its group takes, PyTorch's own or a lambda. tests/lessons/tables.test.sh looks whether the page has them, as
# soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk -F ' *\\| *' '
  /^--- / { section = $0; next }
  section ~ /calls, SEED=1/ && NF == 3 && / us \(/ {
    # bfloat16 is like half, and of small sizes one is enough.
    if ($1 ~ /bfloat16| 16384$|half (256|1048576|16777216)$/) next
    split($3, word, " ")
    n++
    name[n] = $1
    way[n] = $2
    time[n] = word[1]
    last[$1] = word[1]
  }
  END { for (i = 1; i <= n; i++) printf "| %s | %s | | %.2f | %.2f |\n", name[i], way[i], time[i], time[i] / last[name[i]] }' h200.txt
