#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "pipeline1" { first = $6 }
  $2 == "pipeline6" { repaired = $6 }
  $2 == "pipeline7" { printf "2^27 samples: from %.1f %% to %.0f %% of a copy kernel, in one kernel %.0f %%\n", first, repaired, $6 }'
