#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "nothing" && $3 == "C++" { empty = $5 }
  $2 == "gelu float 256" && $3 == "gelu, Python" { slow = $5 }
  $2 == "gelu float 256" && $3 == "gelu_torch, C++" { quick = $5 }
  $2 == "gelu float 67108864" && $3 == "gelu_torch, C++" { large = $6 }
  END { printf "an empty operator: %.2f us; GELU of 1 KB %.1f us from C++, %.1f from Python; 2^26 floats: %.2f times what PyTorch takes\n", empty, quick, slow, large }'
