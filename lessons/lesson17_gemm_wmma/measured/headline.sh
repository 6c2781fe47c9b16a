#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk -F ' *\\| *' -v size="$(sh "$folder/../../../tools/authoring/size_of.sh" "$folder/h200.txt")" '
  $3 == "" && $2 == "gemm_kernel1" { first = $5 }
  $3 == "" && $2 == "gemm_kernel8" { last = $5; share = $7 }
  END { printf "%s, fp16: from %s to %.0f TFLOP/s, %.0f %% of cuBLAS, which has `wgmma`\n", size, first, last, share }'
