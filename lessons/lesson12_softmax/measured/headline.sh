#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
[ -f "$(dirname "$0")/h200.txt" ] || exit 0
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  NF == 9 && $2 ~ / x / { ours[$2] = $5; theirs[$2] = $3 }
  END {
    printf "in %% of a copy kernel (PyTorch): 32768 x 8192: %s (%s); 1000000 x 64: %s (%s); 4096 x 131072: %s (%s)\n", ours["32768 x 8192"],
      theirs["32768 x 8192"], ours["1000000 x 64"], theirs["1000000 x 64"], ours["4096 x 131072"], theirs["4096 x 131072"]
  }'
