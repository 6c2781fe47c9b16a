#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 ~ /^gelu_kernel[12]$/ { share[substr($2, 12)] = $6 }
  $2 == "launch" { time[$3] = $5 }
  END { printf "GELU with numbers of Python: %d %% of a copy kernel, with float32: %d %%; a launch: %.1f us, through ctypes %.1f\n", share[1] + 0.5, share[2] + 0.5, time["Numba"], time["ctypes"] }'
