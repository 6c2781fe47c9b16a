#!/bin/sh
# find_tool.sh NAME NVCC TOOLKIT_LIB: prints where nvdisasm or compute-sanitizer is: on the PATH, with nvcc, or where
# pip has put it for the workbook alone. Nothing, where it is nowhere.
set -eu
name=$1 nvcc=$2 library=${3:-/nowhere/lib}

for candidate in "$(command -v "$name" || true)" "$(dirname "$(readlink -f "$nvcc")")/$name" "${library%/*}/bin/$name" \
  .toolchain/"$name"/nvidia/*/bin/"$name"; do
  if [ -n "$candidate" ] && [ -x "$candidate" ]; then
    echo "$candidate"
    exit
  fi
done
