#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
[ -f "$(dirname "$0")/h200.txt" ] || exit 0
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "gemv_kernel1" && $3 == "" { first = $6 }
  $2 == "gemv_kernel5" && $3 == "" { last = $6 }
  /^~ On average/ { match($0, /is [0-9.]+/); fp32 = substr($0, RSTART + 3, RLENGTH - 3); match($0, /version 8 [0-9.]+/); fp16 = substr($0, RSTART + 10, RLENGTH - 10) }
  /^~ In these graphs int4 is/ { int4 = $0; sub(/.*int4 is /, "", int4); sub(/ .*/, "", int4) }
  END { printf "8192 x 8192: from %.0f %% to %.1f %% of a copy kernel; %s and %s times cuBLAS on average (fp32, fp16); int4 %s times fp16\n", first, last, fp32, fp16, int4 }'
