#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt. For a small sum it depends on the run and on what is
# compared: the least and the most of both seeds, by the medians and by the best runs.
set -eu
awk '
  function seen(ratio) {
    if (!least || ratio < least) least = ratio
    if (ratio > most) most = ratio
  }
  /^--- / { wanted = /SEED/ }
  /^n = / { n = $3 }
  wanted && $1 == "CUB" && $4 == ".." { cub = $3 }
  wanted && $1 == "sum_kernel11" && $4 == ".." && n == 2 ^ 20 { seen($NF / 100); seen(cub / $3) }
  wanted && $1 == "sum_kernel11" && $4 == ".." && n == 2 ^ 28 && !large { large = $NF / 100 }
  END { printf "%.2f times CUB at 2^28, %.1f to %.1f times at 2^20\n", large, least, most }' "$(dirname "$0")/h200.txt"
