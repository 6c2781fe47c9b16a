#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk -F ' *\| *' -v size="$(sh "$folder/../../../tools/authoring/size_of.sh" "$folder/h200.txt")" '
  $2 == "vecadd_kernel1" { one = $4 }
  $2 == "vecadd_kernel3" { printf "%s elements: one thread adds at %s GB/s, a full grid at %s\n", size, one, $4 }'
