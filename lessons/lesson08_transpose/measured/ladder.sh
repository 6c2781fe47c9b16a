#!/bin/sh
# ladder.sh: prints the rungs of figures/ladder.svg from h200.txt: sh ladder.sh | sh tools/authoring/ladder_figure.sh > figures/ladder.svg
set -eu
cd "$(dirname "$0")"

awk '
  /^--- machine/ { machine = 1 }
  machine && /^20[0-9][0-9]-/ { date = $1; machine = 0 }
  /^--- / { section = $0 }
  section !~ /SEED=1/ { next }
  /^[0-9]+ x [0-9]+$/ { shape = $0 }
  shape != "16384 x 16384" { next }
  $1 == "copy" { copy = $7 }
  $1 == "cuBLAS" || $1 ~ /_kernel/ { rung[++rungs] = $1 " | " $6 " | " copy " | GB/s" }
  END {
    print "title: The transpose of 16384 x 16384 floats"
    print "peer: a copy kernel"
    print "note: NVIDIA H200, " date
    for (r = 1; r <= rungs; r++) print rung[r]
  }' h200.txt
