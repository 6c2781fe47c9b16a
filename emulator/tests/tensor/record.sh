#!/bin/sh
# Records the expected results on a machine with an H200 and the toolkit: record.sh [FOLDER]
# Writes FOLDER/h200.bin.gz (default: this folder).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
"${NVCC:-nvcc}" -O1 -std=c++17 -gencode arch=compute_90,code=sm_90 -o "$work/tensor" "$here/tensor.cu"
"$work/tensor" record "$work/h200.bin"
gzip -9 -n -c "$work/h200.bin" >"$out/h200.bin.gz"
ls -l "$out/h200.bin.gz"
