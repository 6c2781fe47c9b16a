#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk -F ' *\| *' -v size="$(sh "$folder/../../../tools/size_of.sh" "$folder/h200.txt")" '
  $2 == "sgemm_kernel9" && !last { last = $5; of = $7 }
  $2 == "1024" { small = $5 }
  END { printf "%s: %s TFLOP/s, %s %% of cuBLAS; with 1024, %s %%\n", size, last, of, small }'
