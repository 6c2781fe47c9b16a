#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\| *' '
  $2 == "layernorm_kernel5" && NF == 11 { forward = $5 }
  $2 == "backward_kernel13" && NF == 11 { backward = $5 }
  /^\| 32768 x 8192, float / && NF == 11 { torch_forward = $3; torch_backward = $9 }
  END { printf "32768 x 8192: forward %.0f %% of a copy that moves as much (PyTorch %.0f), backward %.0f %% (%.0f)\n", forward, torch_forward, backward, torch_backward }'
