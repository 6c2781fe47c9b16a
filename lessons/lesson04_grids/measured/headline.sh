#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
sh "$folder/tables.sh" | awk -F ' *\\| *' -v size="$(sed -n 's/^n = .* (\([0-9]* x [0-9]*\) pixels.*/\1/p' "$folder/h200.txt" | head -n 1)" '
  $2 ~ /^blur_kernel[0-9]$/ && NF == 7 && !($2 in percent) { percent[$2] = $6 }
  END {
    printf "%s pixels: from %.0f %% to %.0f %% of a copy kernel; with x and y swapped %.0f %%\n", size, percent["blur_kernel1"],
      percent["blur_kernel6"], percent["blur_kernel3"]
  }'
