#!/bin/sh
# ladder.sh: the four queues and CUB at 2^26 elements, from h200.txt, for tools/authoring/ladder_figure.sh.
set -eu
cd "$(dirname "$0")"

awk '
  BEGIN {
    split("each element|each warp|each block|4096 elements", word, "|")
    print "title: 2^26 elements, half of them put into a queue: bytes moved per second, with one atomic for ..."
    print "peer: CUB DeviceSelect, which keeps the order"
    print "limit: 4800 | data sheet"
  }
  /^--- / { section = $0; next }
  section ~ /machine/ && /^20/ { date = $1 }
  section ~ /machine/ && /^NVIDIA/ { split($0, part, ","); print "note: " part[1] ", " date }
  section ~ /lesson06, SEED=1/ && /^CUB +[0-9]/ { peer = $6 }
  section ~ /lesson06, SEED=1/ && /^keep_kernel[0-9]/ { rungs++; name[rungs] = substr($1, 12) " " word[rungs]; speed[rungs] = $6 }
  END { for (r = 1; r <= rungs; r++) print name[r] " | " speed[r] " | " peer " | GB/s" }' h200.txt
