#!/bin/sh
# ladder.sh: the versions and cuBLAS at 4096 x 4096 x 4096, from h200.txt, for tools/authoring/ladder_figure.sh.
set -eu
cd "$(dirname "$0")"

awk '
  BEGIN {
    split("shared tiles|8 x 1 per thread|8 x 8 per thread|float4|no conflicts|warp tiles|double buffers|cp.async|tuned", word, "|")
    print "title: A product of 4096 x 4096 matrices in fp32, in nine versions"
    print "peer: cuBLAS"
  }
  /^--- / { section = $0; next }
  section ~ /machine/ && /^20/ { date = $1 }
  section ~ /machine/ && /^NVIDIA/ { split($0, part, ","); print "note: " part[1] ", " date }
  section ~ /SEED=1/ && /^fp32 peak/ { print "limit: " $3 " | every lane busy" }
  section ~ /SEED=1/ && /^sgemm_kernel[0-9]+ .* \.\. / { count++; speed[count] = $6 }
  section ~ /SEED=1/ && /^cuBLAS +[0-9.]+ +[0-9.]+ \.\./ { peer = $6 }
  END { for (i = 1; i <= count; i++) print i " " word[i] " | " speed[i] " | " peer " | TFLOP/s" }' h200.txt
