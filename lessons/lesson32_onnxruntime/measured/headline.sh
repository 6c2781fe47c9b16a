#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "1 KB" || $2 == "64 MB" { us[$2 ":" $3] = $5 }
  END {
    printf "a run of one operator: %.1f us with 1 KB (ONNX Runtime itself %.1f)", us["1 KB:CustomGelu, CPU, run"], us["1 KB:Gelu, CPU, run"]
    if ("64 MB:CustomGelu, CUDA, bound" in us) printf "; 64 MB that stay on the device: %.1f", us["64 MB:CustomGelu, CUDA, bound"]
    print ""
  }'
