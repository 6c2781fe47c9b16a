#!/bin/sh
# build.sh: what it takes to build the package from nothing and to install it, and how large it is; for the record.
set -eu
. build/configuration
python=$(sh tools/python/environment.sh 28)
built=$FOLDER/package
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
PATH=$(dirname "$python"):$PATH CUDACXX=$NVCC CUDAARCHS="$capability-real;75-virtual" CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
SKBUILD_BUILD_DIR=$built/cmake SKBUILD_CMAKE_DEFINE=SHOW_ERRORS=ON
export PATH CUDACXX CUDAARCHS CMAKE_BUILD_PARALLEL_LEVEL SKBUILD_BUILD_DIR SKBUILD_CMAKE_DEFINE

row() { sh tools/authoring/record_row.sh "$RECORD_SECTION" "$@"; }
timed() { # NAME COMMAND...
  name=$1 start=$(date +%s.%N)
  shift
  "$@"
  row "$name" s "$(echo "$(date +%s.%N) $start" | awk '{ printf "%.1f", $1 - $2 }')" s
}

rm -rf "$built"
timed "pip wheel" "$python" -m pip wheel --no-build-isolation --no-deps --no-index -w "$built/wheel" ./lessons/lesson28_pybind11/package
timed "pip install" "$python" -m pip install --quiet --no-deps --no-index --target "$built/installed" "$built"/wheel/*.whl
row wheel bytes "$(wc -c <"$(find "$built/wheel" -name '*.whl')" | tr -d ' ')" byte
row module bytes "$(wc -c <"$(find "$built/installed" -name '_gelu*.so')" | tr -d ' ')" byte
