#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk '
  /with another seed/ { printf "bf16, 8192 x 8192: %s TFLOP/s, %s %% of cuBLAS", $5, $7 }
  /On average over/ { printf "; on average over %s shapes %s %% of cublasLt", $6, $(NF - 3) }
  END { print "" }'
