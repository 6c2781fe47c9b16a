#!/bin/sh
# tables.sh: prints the rows of the page's table of a GPU, made from h200.txt (which record.sh printed): microseconds of a call, and how many
# times that is what ctypes takes, in the second run: in the first one the CPU was slower, in all rows alike. tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  section ~ /built/ && $1 == "pip" && $5 == "done" { printf "~ `%s` takes %s s\n", $1 " " $2, $3 }
  section ~ /built/ && $1 == "bytes" && $3 ~ /whl$/ { printf "~ the wheel has %d KB\n", $2 / 1000 + 0.5 }
  section ~ /calls, SEED=2/ && match($0, /^(nothing|1 KB|64 MB) /) {
    name = substr($0, 1, RLENGTH - 1)
    split(substr($0, RLENGTH + 1), word, " ")
    way[name, ++rows[name]] = word[1]; time[name, word[1]] = word[2]
    if (rows[name] == 1) order[++names] = name
  }
  END {
    for (i = 1; i <= names; i++) for (k = 1; k <= rows[order[i]]; k++) {
      name = order[i]; one = way[name, k]
      printf "| %s | %s | | %.*f | %.3f |\n", name, one, time[name, one] < 1 ? 3 : 1, time[name, one], time[name, one] / time[name, "ctypes"]
    }
  }' h200.txt
