#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "nothing" && $3 == "nanobind" { empty = $5; ratio = $6 }
  END { printf "an empty call: %.3f us, %.2f times what it takes through pybind11\n", empty, ratio }'
