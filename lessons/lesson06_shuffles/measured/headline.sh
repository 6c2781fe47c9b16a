#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\| *' '
  NF == 7 && $2 == "keep_kernel9" && !first { first = $6 }
  NF == 7 && $2 == "keep_kernel12" && !last { last = $6 }
  NF == 7 && $2 == "CUB" && !cub { cub = $6 }
  END { printf "places in a queue for 2^26 elements: from %.1f %% to %.1f %% of a copy kernel (CUB, in order: %.1f %%)\n", first, last, cub }'
