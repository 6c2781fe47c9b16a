#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk -F ' *\| *' -v size="$(sh "$folder/../../../tools/authoring/size_of.sh" "$folder/h200.txt")" '
  $2 == "sgemm_kernel1" && !first { first = $5 }
  $2 == "sgemm_kernel3<32>" && !last { last = $5; of = $6 }
  END { printf "%s: from %.1f to %.1f TFLOP/s, %.0f %% of cuBLAS\n", size, first, last, of }'
