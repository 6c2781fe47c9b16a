#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "nvrtc" { compiled = $4; disk = $5; queued = $7 }
  $2 == "nvcc" { nvcc = $4 }
  END { printf "a first call: %.0f ms with NVRTC, %.0f with nvcc, %.1f from disk; every other one %.1f us\n", compiled, nvcc, disk, queued }'
