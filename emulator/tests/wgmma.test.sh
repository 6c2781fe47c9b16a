#!/bin/sh
# wgmma against what an H200 answered (tests/wgmma/README.md), in the plain emulator, with all checks, and with ASan and UBSan.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

here=tests/wgmma
make_scratch
gzip -dc "$here/h200.bin.gz" >"$scratch/h200.bin"

run_check() { # STEP, SUFFIX, VARIABLES...: each STEPth case
  step=$1 suffix=$2
  shift 2
  capture env "$@" EMULATOR_QUIET=1 timeout 300 "$scratch/wgmma" check "$scratch/h200.bin" "$step"
  right=$(printf '%s\n' "$output" | grep -c '^ok ' || true) cases=$(awk -v step="$step" '$1 % step == 0' "$scratch/list" | wc -l)
  name="$cases cases of wgmma give an H200's bits$suffix"
  if [ "$status" = 0 ] && [ "$right" = "$cases" ] && ! printf '%s\n' "$output" | grep '^=========' | grep -qv 'ERROR SUMMARY: 0 errors'; then
    pass "$name"
  else
    no "$name" "it ended with status $status, $right are right"
    printf '%s\n' "$output" | grep -v '^ok ' | head -n 20 | sed 's/^/    | /'
  fi
}

capture build_emulator "$plain_emulator"
[ "$status" != 0 ] || capture gcc -std=c11 -O1 -Wall -Wextra -Werror -Wno-unused-function -I"$toolkit_headers" -o "$scratch/wgmma" \
  "$here/wgmma.c" "$here/cases.c" "$plain_emulator/libcuda.so.1"
if [ "$status" != 0 ]; then
  no "wgmma" "it does not compile"
  show_output
  exit 0
fi
LD_LIBRARY_PATH=$PWD/$plain_emulator "$scratch/wgmma" list >"$scratch/list"
run_check 1 '' LD_LIBRARY_PATH="$PWD/$plain_emulator"
run_check 7 ', with all checks' LD_LIBRARY_PATH="$PWD/$plain_emulator" EMULATOR_CHECK=all

capture env LD_LIBRARY_PATH="$PWD/$plain_emulator" "$scratch/wgmma" beyond
expect "a descriptor that leads beyond shared memory is an error" 0 'wgmma reads 16 bytes at shared address 0x[0-9a-f]*; the block has'
capture env LD_LIBRARY_PATH="$PWD/$plain_emulator" "$scratch/wgmma" offset
expect "a descriptor with a base offset is an error that names it" 0 'wgmma.s descriptor has a base offset, which is not supported'
capture env LD_LIBRARY_PATH="$PWD/$plain_emulator" EMULATOR_CHECK=racecheck "$scratch/wgmma" race
expect "operands that other warps have just written, without a barrier, are a race" 0 'Race reported'
capture env LD_LIBRARY_PATH="$PWD/$plain_emulator" EMULATOR_CHECK=initcheck "$scratch/wgmma" unwritten
expect "operands that nobody has written are reported" 0 'Uninitialized'
expect "and that a descriptor may lead beyond its tile" 0 'memory beyond its tile'

sanitizer=$("${CC:-gcc}" -print-file-name=libasan.so)
capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "the emulator builds (sanitized)" "its compiler reports errors"
elif [ "${sanitizer#/}" = "$sanitizer" ]; then
  skip "wgmma (sanitized)" "this compiler has no libasan.so"
else
  run_check 5 ' (sanitized)' LD_LIBRARY_PATH="$PWD/$sanitized_emulator" LD_PRELOAD="$sanitizer" ASAN_OPTIONS=detect_leaks=0
fi
