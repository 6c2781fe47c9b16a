#!/bin/sh
# Records the expected results on a machine with an H200 and the toolkit's headers: record.sh [FOLDER]
# Writes FOLDER/h200.bin.gz (default: this folder).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
gcc -std=c11 -O1 -I"${CUDA_HOME:-/usr/local/cuda}/include" -o "$work/wgmma" "$here/wgmma.c" "$here/cases.c" -l:libcuda.so.1
"$work/wgmma" record "$work/h200.bin"
gzip -9 -n -c "$work/h200.bin" >"$out/h200.bin.gz"
ls -l "$out/h200.bin.gz"
