#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
[ -f "$(dirname "$0")/h200.txt" ] || exit 0
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "scan_kernel1" && NF == 8 && !first { first = $6 }
  $2 == "scan_kernel10" && NF == 8 && !last { last = $6; ours = $7 }
  $2 == "CUB" && NF == 8 && !cub { cub = $6 }
  END { printf "2^28 floats: from %.0f %% to %.0f %% of a copy kernel, %.2f times CUB (%.0f %%)\n", first, last, ours, cub }'
