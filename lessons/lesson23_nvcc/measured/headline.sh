#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "silu_kernel1" { first = $6 }
  $2 == "silu_kernel2" { printf "SiLU: from %.0f %% of a copy kernel with doubles to %.1f %% without\n", first, $6 }'
