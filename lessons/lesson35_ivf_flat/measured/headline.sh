#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt: the fewest probes with a recall of 0.95.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $2 == "tiles2" && $3 == "float32" { all = $8 }
  $2 == "batches5" && $3 == "float32" && $7 >= 0.95 && !found { found = $8; read = $6; recall = $7 }
  $2 == "faiss-cpu" && $7 >= 0.95 && !peer { peer = $8 }
  END {
    printf "a million vectors: recall %.3f with %.1f %% read, %.1f us for a query, %.0f times as fast as all of them", recall, read, found, all / found
    if (peer) printf ", %.0f times faiss-cpu", peer / found
    print ""
  }'
