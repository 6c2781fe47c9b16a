#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt: 4 GPUs, in graphs, the best version of each size.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == 4 && $3 == "256 KiB" && $4 != "NCCL" && $10 > small { small = $10 }
  $2 == 4 && $3 == "1024 MiB" && $4 != "NCCL" && $10 > large { large = $10 }
  END { printf "all-reduce on 4 GPUs: %.2f times as fast as NCCL at 256 KiB, %.2f times at 1 GiB\n", small, large }'
