#!/bin/sh
# find_tool.sh NAME NVCC TOOLKIT_LIB: prints where ptxas, nvdisasm or compute-sanitizer is: with nvcc, since it is to be of the same toolkit,
# on the PATH, or where pip has put it for the workbook alone. Nothing, where it is nowhere.
set -eu
name=$1 nvcc=$2 library=${3:-/nowhere/lib}

for candidate in "$(dirname "$(readlink -f "$nvcc")")/$name" "${library%/*}/bin/$name" "$(command -v "$name" || true)" \
  .toolchain/"$name"/nvidia/*/bin/"$name"; do
  if [ -n "$candidate" ] && [ -x "$candidate" ]; then
    echo "$candidate"
    exit
  fi
done
