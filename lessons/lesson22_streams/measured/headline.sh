#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "pipeline4" { hidden = $5 }
  $2 == "launches" { plain = $4 }
  $2 == "graph" { graph = $4 }
  $2 == "PDL" { early = $4 }
  $2 == "graph of PDL" { both = $4 }
  END { printf "three streams hide %.0f %% of the copies; a kernel that does nothing takes the GPU %.1f us launched, %.1f in a graph, %.1f with PDL, %.1f with both\n", hidden, plain, graph, early, both }'
