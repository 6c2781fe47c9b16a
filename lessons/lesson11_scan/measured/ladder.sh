#!/bin/sh
# ladder.sh: all versions at 2^28 floats, from h200.txt, for tools/authoring/ladder_figure.sh.
set -eu
cd "$(dirname "$0")"

awk '
  BEGIN {
    split("two arrays|a tree, twice|shuffles|32 elements each|reduce, then scan|a chain|look-back|by a warp|blocks that stay|in rounds|9, exclusive", word, "|")
    print "title: an inclusive scan of 2^28 floats: bytes moved per second that the job needs"
    print "peer: CUB DeviceScan"
    print "limit: 4800 | data sheet"
  }
  /^--- / { section = $0; next }
  /^n = / { n = $3 + 0 }
  section ~ /machine/ && /^20/ { date = $1 }
  section ~ /machine/ && /^NVIDIA/ { split($0, part, ","); print "note: " part[1] ", " date }
  section ~ /lesson11, SEED=1/ && n == 268435456 && NF == 8 && /^CUB +[0-9]/ { peer = $6 }
  section ~ /lesson11, SEED=1/ && n == 268435456 && NF == 8 && /^scan_kernel[0-9]/ { rungs++; name[rungs] = substr($1, 12) " " word[rungs]; speed[rungs] = $6 }
  END { for (r = 1; r <= rungs; r++) print name[r] " | " speed[r] " | " peer " | GB/s" }' h200.txt
