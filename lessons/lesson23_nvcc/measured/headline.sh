#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 ~ /^silu_kernel[125]$/ && NF == 8 && $3 == "" { share[substr($2, 12)] = $6 }
  / across files, / { split($0, part, " "); alone = part[2]; across = part[8]; linked = part[11] }
  END {
    printf "SiLU, a float for a thread: %s %% of a copy kernel with doubles, %s %% with floats, %s %% with tanh.approx; ", share[1], share[2], share[5]
    printf "a call across files: %.2f times the time, with -dlto %.2f\n", across / alone, linked / alone
  }'
