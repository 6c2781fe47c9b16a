#!/bin/sh
# libtorch.sh: what libtorch/try.sh prints with the PyTorch of this machine, for the record.
set -eu
. build/configuration
python=$(sh tools/python/environment.sh 28)
CUDACXX=$NVCC JOBS=$(nproc) sh lessons/lesson28_pybind11/libtorch/try.sh "$python" "$FOLDER/libtorch" >"$FOLDER/libtorch.said"
cat "$FOLDER/libtorch.said"
row() { sh tools/authoring/record_row.sh "$RECORD_SECTION" "$@"; }
row PyTorch version "$(sed -n 's/^PyTorch \([^,]*\),.*/\1/p' "$FOLDER/libtorch.said")"
sed -n 's/^\(linked with libtorch_python, tensors of [a-z]*\): \(.*\)/\1|\2/p' "$FOLDER/libtorch.said" | while IFS='|' read -r what result; do
  row "$what" result "$result"
done
