#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\| *' '
  $2 == "sgemm_kernel1" && !first { first = $5 }
  $2 == "sgemm_kernel3<32>" && !last { last = $5; of = $6 }
  END { printf "at 4096: from %.1f to %.1f TFLOP/s, %.0f %% of cuBLAS\n", first, last, of }'
