#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "copy_kernel1" { all = $8 }
  $2 == "copy_kernel2<16>" { few = $4 }
  END { printf "16 loads in a thread at 6 %% occupancy: %.0f %% of a copy kernel; one load at 100 %%: %.0f %%\n", few, all }'
