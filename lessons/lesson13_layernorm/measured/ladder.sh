#!/bin/sh
# ladder.sh: prints the rungs of figures/ladder.svg from h200.txt: sh ladder.sh | sh tools/authoring/ladder_figure.sh > figures/ladder.svg
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0 }
  /^20[0-9][0-9]-/ && !date { date = $1 }
  / to move$/ { wanted = section ~ /SEED=1/ && /float, 32768 x 8192:/ }
  !wanted { next }
  /^copy kernel .*\.\./ { copy = $7 }
  /^[a-z]+_kernel[0-9]+ .*\.\./ { rung[++rungs] = $1 " | " $6 " | " copy " | GB/s" }
  END {
    print "title: LayerNorm of 32768 x 8192 floats: the bytes that must be moved, per second"
    print "peer: a copy that moves as many bytes"
    print "note: NVIDIA H200, " date
    for (r = 1; r <= rungs; r++) print rung[r]
  }' h200.txt
