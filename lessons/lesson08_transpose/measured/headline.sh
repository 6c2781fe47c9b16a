#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
[ -f "$(dirname "$0")/h200.txt" ] || exit 0
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "transpose_kernel1" && !first { first = $5 }
  $2 == "transpose_kernel8" && !last { last = $5 }
  $2 == "16384 x 16384" && NF == 5 && !torch { torch = $3 }
  END { printf "16384 x 16384: from %.0f %% to %.1f %% of a copy kernel; PyTorch %.0f %%\n", first, last, torch }'
