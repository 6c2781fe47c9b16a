#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk -F ' *\| *' -v size="$(sh "$folder/../../../tools/authoring/size_of.sh" "$folder/h200.txt")" '
  $2 == "gemm_hopper_kernel1" { first = $6 }
  $2 == "gemm_hopper_kernel2" { printf "%s elements: from %.0f %% to %.0f %% of a copy kernel\n", size, first, $6 }'
