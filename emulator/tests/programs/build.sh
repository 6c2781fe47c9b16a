#!/bin/sh
# build.sh SOURCE PROGRAM OPTIONS...: compiles one of the programs here with $NVCC. The source says what it needs besides:
#
#   // arch: sm_80                     the architecture, which the caller turns into options
#   // flags: --extended-lambda        options of nvcc
#   // with: parts/separate_device.cu  files that are compiled and linked with it
set -eu
source=$1 program=$2
shift 2
here=$(dirname "$source")
flags=$(sed -n 's|^// flags: *||p' "$source" | head -n 1)
with=$(sed -n 's|^// with: *||p' "$source" | head -n 1)
unset NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
rm -f "$program"
set -- "$@" -std=c++17 -cudart shared $flags -o "$program" "$source"
for part in $with; do
  set -- "$@" "$here/$part"
done
exec "$NVCC" "$@"
