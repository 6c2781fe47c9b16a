#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "1 x 16384, full" { printf "16384 keys: %s TFLOP/s, %s %% of cuDNN; ", $7, $11 }
  $2 == "1 x 16384, causal" { printf "causal %s, %s %%; ", $7, $11 }
  $2 ~ /^decode, 1 x 131072, pages of 16$/ { printf "decode of one sequence of 131072 keys at %.0f %% of a copy\n", $5 }'
