#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt: the fewest probes with a recall of 0.95, and beside
# that brute force, ours and PyTorch's, and faiss-cpu's index at the same recall, with what it ran on.
set -eu
sh "$(dirname "$0")/tables.sh" | awk -F ' *\\| *' '
  $3 == "float32" && $2 == "tiles2" { all = $8 }
  $3 == "float32" && $2 == "PyTorch" { product = $8 }
  $3 == "float32" && $2 == "batches5" && $7 >= 0.95 && !found { found = $8; read = $6; recall = $7 }
  $2 ~ /^faiss-cpu/ && $7 >= 0.95 && !peer { peer = $8; where = $2; sub(/, /, " on ", where) }
  END {
    printf "a million vectors: recall %.3f with %.1f %% read, %.1f us for a query; all of them: %.1f, PyTorch %.1f", recall, read, found, all, product
    printf " (%s, an index like ours: %.0f)\n", where, peer
  }'
