#!/bin/sh
# Every tensor core instruction against what an H200 answered (tests/tensor/README.md), in the plain emulator
# and in the one with ASan and UBSan.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

here=tests/tensor
program=$build_root/tests/tensor/tensor
make_scratch
mkdir -p "${program%/*}"
gzip -dc "$here/h200.bin.gz" >"$scratch/h200.bin"

run_check() { # FOLDER OF THE EMULATOR, SUFFIX, VARIABLES...
  folder=$1 suffix=$2
  shift 2
  capture env "$@" LD_LIBRARY_PATH="$folder" timeout 300 "$program" check "$scratch/h200.bin"
  printf '%s\n' "$output" | sed -n "s/^\(ok\|not ok\) [^: ]*/&$suffix/p"
  if [ "$status" != 0 ] && ! printf '%s\n' "$output" | grep -q '^not ok'; then
    no "tensor$suffix" "it ended with status $status"
    printf '%s\n' "$output" | grep -v '^ok ' | head -n 20 | sed 's/^/    | /'
  fi
}

unset NVCC_APPEND_FLAGS
capture "$NVCC" -O1 -std=c++17 -cudart shared -gencode arch=compute_90,code=compute_90 -o "$program" "$here/tensor.cu"
if [ "$status" != 0 ]; then
  no "tensor" "does not compile"
  show_output
  exit 0
fi
for build in "$plain_emulator" "$sanitized_emulator"; do
  suffix='' settings='' preload=TENSOR=1
  if [ "$build" = "$sanitized_emulator" ]; then
    suffix=' (sanitized)' settings=SANITIZE=1
    preload="LD_PRELOAD=$("${CC:-gcc}" -print-file-name=libasan.so):$("${CC:-gcc}" -print-file-name=libubsan.so)"
  fi
  capture build_emulator "$build" $settings
  if [ "$status" = 0 ]; then
    run_check "$build" "$suffix" "$preload" ASAN_OPTIONS=detect_leaks=0
  else
    no "tensor$suffix" "the emulator does not build"
    show_output
  fi
done
