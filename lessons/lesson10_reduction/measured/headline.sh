#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\| *' '
  $2 == "sum_kernel11" && NF == 7 && !large { large = $6 }
  /^~ In short: / { small = $0; sub(/^~ In short: /, "", small); sub(/ times as fast with cold.*/, "", small) }
  END { printf "%.2f times CUB at 2^28, %s times at 2^20\n", large / 100, small }'
