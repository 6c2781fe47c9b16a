#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk -F ' *\| *' -v size="$(sh "$folder/../../../tools/authoring/size_of.sh" "$folder/h200.txt")" '
  $2 == "shape_kernel1" && !first { first = $4 }
  $2 == "shape_kernel5" && !last { last = $4 }
  END { printf "%s samples: the same results %.1f times as fast\n", size, first / last }'
