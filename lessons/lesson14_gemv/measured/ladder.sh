#!/bin/sh
# ladder.sh: prints the rungs of figures/ladder.svg from h200.txt: sh ladder.sh | sh tools/authoring/ladder_figure.sh > figures/ladder.svg
set -eu
cd "$(dirname "$0")"

awk '
  BEGIN {
    split("thread per row|warp per row|16 bytes, 4 loads|two rows per warp|two rows per block|split", word, "|")
    print "title: 8192 x 8192 floats times a vector"
    print "peer: a copy kernel"
  }
  /^--- / { section = $0 }
  section ~ /machine/ && /^20[0-9][0-9]-/ { print "note: NVIDIA H200, " $1 }
  /^[0-9]+ x [0-9]+, / { shape = $0 }
  section !~ /lesson14, SEED=1/ || shape != "8192 x 8192, fp32" { next }
  $1 == "copy" { copy = $7 }
  $1 == "cuBLAS" && / \.\. / { print "cuBLAS | " $6 " | " copy " | GB/s" }
  $1 ~ /^gemv_kernel/ && / \.\. / { version = substr($1, 12); print version " " word[version] " | " $6 " | " copy " | GB/s" }' h200.txt
