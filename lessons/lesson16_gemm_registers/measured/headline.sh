#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk -F ' *\| *' -v size="$(sh "$folder/../../../tools/authoring/size_of.sh" "$folder/h200.txt")" '
  $2 == "sgemm_kernel9" && !last { last = $5 }
  /^~ Version 9 is at/ { of = $0; sub(/^~ Version 9 is at /, "", of) }
  /^~ On average over all/ { mean = $0; sub(/^~ On average over all /, "", mean); split(mean, part, " ") }
  END { printf "%s: %s TFLOP/s, %s; on average over %s sizes %s %%\n", size, last, of, part[1], part[3] }'
