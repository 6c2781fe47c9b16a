#!/bin/sh
# ladder.sh: the versions and CUB at 2^28 elements, from h200.txt, for tools/authoring/ladder_figure.sh.
set -eu
cd "$(dirname "$0")"

awk '
  BEGIN {
    split("every 2nd thread|first threads|neighbours|two per thread|last warp|shuffles|grid-stride loop|many float4|atomics|last block|sum and mark", word, "|")
    print "title: The sum of 2^28 floats, in eleven versions: bytes read per second"
    print "peer: CUB DeviceReduce"
    print "limit: 4800 | data sheet"
  }
  /^--- / { section = $0; next }
  section ~ /machine/ && /^20/ { date = $1 }
  section ~ /machine/ && /^NVIDIA/ { split($0, part, ","); print "note: " part[1] ", " date }
  /^n = / { n = $3 }
  section ~ /SEED=1/ && n == 2 ^ 28 && /^CUB +[0-9.]+ +[0-9.]+ \.\./ { peer = $6 }
  section ~ /SEED=1/ && n == 2 ^ 28 && /^sum_kernel[0-9]+ +[0-9.]+ +[0-9.]+ \.\./ {
    version = substr($1, 11)
    print version " " word[version] " | " $6 " | " peer " | GB/s"
  }' h200.txt
