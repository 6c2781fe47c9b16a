#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  { share[$2 ":" $3] = $7 }
  END {
    printf "in %% of a copy kernel (PyTorch): GELU %.0f (%.0f), softmax of 65536 x 1000 %.0f (%.0f); ", share["gelu:Triton"], share["gelu:PyTorch"], share["softmax 1000:4 warps"], share["softmax 1000:PyTorch"]
    printf "a product of 4096 in fp16: %.0f %% of cuBLAS\n", share["matmul 4096:Triton"]
  }'
