#!/bin/sh
# A lesson's program compiles where it is: `nvcc lesson03.cu && ./a.out` in its folder, with no option and nothing sourced.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch

# Every header of a program, and every header's, is found beside the file that includes it.
in_place() { # FILE...
  grep -HE '^[ \t]*#[ \t]*include[ \t]*"' "$@" | while IFS= read -r line; do
    file=${line%%:*} header=${line#*\"}
    header=${header%%\"*}
    [ -f "${file%/*}/$header" ] || echo "$file: $header"
  done
}
programs=$(ls lessons/lesson[0-9][0-9]*_*/lesson[0-9][0-9]*.cu)
# shellcheck disable=SC2086
missing=$(in_place $programs lessons/*/*.h common/*.h)
if [ "$(echo "$programs" | wc -l)" -ge 20 ] && [ -z "$missing" ]; then
  pass "every program finds its headers with a bare nvcc"
else
  no "every program finds its headers with a bare nvcc" "$missing"
fi

if [ -n "$HOST_COMPILER" ]; then
  skip "a bare nvcc builds lesson 03 in its folder" "nvcc refuses this machine's C++ compiler"
else
  folder=$(ls -d lessons/lesson03_*)
  capture env -i PATH="$(cd "$(dirname "$NVCC")" && pwd):/usr/bin:/bin" sh -c 'cd "$1" && nvcc lesson03.cu -o "$2/a.out"' sh "$folder" "$scratch"
  expect "a bare nvcc builds lesson 03 in its folder" 0 ''
  capture env SIZE=1000 "$scratch/a.out"
  if [ -n "$GPU_NAME" ]; then
    expect "and it passes" 0 '^PASS: relu'
  else
    expect "and the program asks for a GPU" 1 'try: .*start the program through make, which finds the emulator'
  fi
fi

# common/ depends on nobody but emulator.h.
outside=$(grep -HE '^[ \t]*#[ \t]*include[ \t]*"[^"]*/' common/*.h | grep -v '"../emulator/emulator.h"' || true)
if [ -z "$outside" ]; then pass "common/ includes nothing of tools/ or lessons/"; else no "common/ includes nothing of tools/ or lessons/" "$outside"; fi
