#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt: as many GPUs as were raced there, the first version of
# each size.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $3 == "256 KiB" && NF == 13 { gpus = $2; split($11, small, " / ") }
  $3 == "1 GiB" && NF == 13 { split($11, large, " / ") }
  END {
    printf "all-reduce on %d GPUs: %s times as fast as NCCL (multicast off) at 256 KiB, %s in a graph; %s times at 1 GiB\n", gpus, small[1],
      small[2], large[1]
  }'
