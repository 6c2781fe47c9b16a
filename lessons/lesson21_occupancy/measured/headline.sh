#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "copy_kernel1" && NF == 9 { one = $8 }
  $2 == "copy_kernel2<4>" && NF == 9 { four = $6 }
  $2 == "sort_kernel7" { fits = $6 }
  $2 == "sort_kernel9" { spills = $6 }
  END {
    printf "a copy: one load in a thread at 100 %% occupancy reaches %.0f %% of a copy kernel, four at 25 %% reach %.0f %%; ", one, four
    printf "a sort: %.0f %% at 62.5 %%, and with spills at 100 %% %.0f %%\n", fits, spills
  }'
