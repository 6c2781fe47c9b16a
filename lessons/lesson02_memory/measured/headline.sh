#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\| *' '
  $2 == "scale1 pageable" { pageable = $4 }
  $2 == "scale2 pinned" { printf "pageable memory %s GB/s, pinned %s\n", pageable, $4 }'
