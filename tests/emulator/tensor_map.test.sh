#!/bin/sh
# Copies by tensor maps against what an H200 answered (tests/emulator/tensor_map/README.md), in the plain emulator, with all checks, and with ASan
# and UBSan.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
. tests/emulator/build_emulator.sh
. tools/messages.sh

here=tests/emulator/tensor_map
make_scratch
gzip -dc "$here/h200.bin.gz" >"$scratch/h200.bin"
find_toolkit_headers

run_check() { # STEP, SUFFIX, VARIABLES...: each STEPth case
  step=$1 suffix=$2
  shift 2
  capture env "$@" EMULATOR_QUIET=1 timeout 300 "$scratch/tensor_map" check "$scratch/h200.bin" "$step"
  right=$(printf '%s\n' "$output" | grep -c '^ok ' || true) cases=$(awk -v step="$step" '$1 % step == 0' "$scratch/list" | wc -l)
  cases=$((cases - $(printf '%s\n' "$output" | grep -c '^skip ' || true)))
  name="$cases copies by tensor maps give what an H200 gives$suffix"
  if [ "$status" = 0 ] && [ "$right" = "$cases" ] && ! printf '%s\n' "$output" | grep -Eq ' reported|Uninitialized|runtime error'; then
    pass "$name"
  else
    no "$name" "it ended with status $status, $right are right"
    printf '%s\n' "$output" | grep -E '^not ok| reported|Uninitialized|runtime error' | head -n 20 | sed 's/^/    | /'
  fi
}

capture build_emulator "$plain_emulator"
[ "$status" != 0 ] || capture gcc -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -Wno-unused-function -I"$toolkit_headers" \
  -o "$scratch/tensor_map" "$here/tensor_map.c" "$here/cases.c" "$here/kernel.c" "$here/arguments.c" "$plain_emulator/libcuda.so.1"
if [ "$status" != 0 ]; then
  no "tensor_map" "it does not compile"
  show_output
  exit 0
fi
LD_LIBRARY_PATH=$PWD/$plain_emulator "$scratch/tensor_map" list >"$scratch/list"
run_check 1 '' LD_LIBRARY_PATH="$PWD/$plain_emulator"
run_check 7 ', with all checks' LD_LIBRARY_PATH="$PWD/$plain_emulator" EMULATOR_CHECK=all,strict

LD_LIBRARY_PATH=$PWD/$plain_emulator EMULATOR_QUIET=1 "$scratch/tensor_map" arguments >"$scratch/arguments" 2>"$scratch/err"
name="$(wc -l <"$here/arguments.txt") arguments of the driver's functions are answered as NVIDIA's driver does"
if grep -vxF -f "$scratch/arguments" "$here/arguments.txt" >"$scratch/different"; then
  no "$name" "$(wc -l <"$scratch/different") are not, of which these are recorded"
  head -n 20 "$scratch/different" | sed 's/^/    | /'
else
  pass "$name"
fi
LD_LIBRARY_PATH=$PWD/$plain_emulator "$scratch/tensor_map" arguments >"$scratch/out" 2>&1
name="a refused map comes with the reason"
if grep -q 'a row of the box is longer than the span that is swizzled' "$scratch/out"; then pass "$name"; else no "$name" "it is not said"; fi

capture env LD_LIBRARY_PATH="$PWD/$plain_emulator" "$scratch/tensor_map" wrong gather
expect "tile::gather4 is an error that names it" 0 "'.tile::gather4' needs compute capability 10.0"
capture env LD_LIBRARY_PATH="$PWD/$plain_emulator" "$scratch/tensor_map" wrong replace
expect "a field of what is no tensor map is an error" 0 'tensormap.replace finds neither a tensor map nor 128 zeros at its address'

sanitizer=$("${CC:-gcc}" -print-file-name=libasan.so)
capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "the emulator builds (sanitized)" "its compiler reports errors"
elif [ "${sanitizer#/}" = "$sanitizer" ]; then
  skip "tensor_map (sanitized)" "this compiler has no libasan.so"
else
  run_check 5 ' (sanitized)' LD_LIBRARY_PATH="$PWD/$sanitized_emulator" LD_PRELOAD="$sanitizer" ASAN_OPTIONS=detect_leaks=0
fi
