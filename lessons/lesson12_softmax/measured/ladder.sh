#!/bin/sh
# ladder.sh: prints the rungs of figures/ladder.svg from h200.txt: sh ladder.sh | sh tools/authoring/ladder_figure.sh > figures/ladder.svg
set -eu
cd "$(dirname "$0")"
[ -f h200.txt ] || exit 0

awk '
  /^--- machine/ { machine = 1 }
  machine && /^20[0-9][0-9]-/ { date = $1; machine = 0 }
  /^--- / { section = $0 }
  /^[0-9]+ x [0-9]+(, .*)?$/ { shape = $0 }
  shape != "32768 x 8192" { next }
  section ~ /SEED=1/ && $1 == "copy" { copy = $7 }
  section ~ /SEED=1/ && $1 ~ /^softmax_kernel[1-5]$/ { rung[++rungs] = $1 " | " $6 }
  section ~ /PyTorch/ && $1 == "torch" { torch = $6 }
  END {
    print "title: The softmax of 32768 rows of 8192 floats"
    print "peer: a copy kernel"
    print "note: NVIDIA H200, " date
    print "PyTorch | " torch " | " copy " | GB/s"
    for (r = 1; r <= rungs; r++) print rung[r] " | " copy " | GB/s"
  }' h200.txt
