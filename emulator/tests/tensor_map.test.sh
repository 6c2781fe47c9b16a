#!/bin/sh
# Copies by tensor maps against what an H200 answered (tests/tensor_map/README.md), in the plain emulator, with all checks, and with ASan
# and UBSan; and a program that uses them.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

here=tests/tensor_map
make_scratch
gzip -dc "$here/h200.bin.gz" >"$scratch/h200.bin"

# What the checks say about the cases in $output. Where a load does not tell its mbarrier, the kernel reads shared memory without having waited:
# that it is told so is right.
findings() {
  printf '%s\n' "$output" | awk '/ reported|Uninitialized|runtime error/ { said[n++] = $0 }
    /^(ok|not ok|skip) / {
      for (i = 0; i < n; i++) if (said[i] !~ /Unfinished bulk copy/ || $0 !~ /the mbarrier is not told$/) print said[i]
      n = 0
    }
    END { for (i = 0; i < n; i++) print said[i] }'
}

run_check() { # STEP, SUFFIX, VARIABLES...: each STEPth case
  step=$1 suffix=$2
  shift 2
  capture env "$@" EMULATOR_QUIET=1 timeout 300 "$scratch/tensor_map" check "$scratch/h200.bin" "$step"
  right=$(printf '%s\n' "$output" | grep -c '^ok ' || true) cases=$(awk -v step="$step" '$1 % step == 0' "$scratch/list" | wc -l)
  cases=$((cases - $(printf '%s\n' "$output" | grep -c '^skip ' || true)))
  name="$cases copies by tensor maps give what an H200 gives$suffix"
  if [ "$status" = 0 ] && [ "$right" = "$cases" ] && [ -z "$(findings)" ]; then
    pass "$name"
  else
    no "$name" "it ended with status $status, $right are right"
    { printf '%s\n' "$output" | grep '^not ok' || true; findings; } | head -n 20 | sed 's/^/    | /'
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
# None of these expects a wrong number of bytes, which is a copy that nobody waits for.
for step in 12 37; do
  run_check "$step" ', with all checks' LD_LIBRARY_PATH="$PWD/$plain_emulator" EMULATOR_CHECK=all,strict
done

LD_LIBRARY_PATH=$PWD/$plain_emulator EMULATOR_QUIET=1 "$scratch/tensor_map" arguments >"$scratch/arguments" 2>"$scratch/err"
name="$(wc -l <"$here/arguments.txt") arguments of the driver's functions are answered as NVIDIA's driver does"
if cmp -s "$here/arguments.txt" "$scratch/arguments"; then
  pass "$name"
else
  no "$name" "$(diff "$here/arguments.txt" "$scratch/arguments" | grep -c '^>' || true) differ"
  diff "$here/arguments.txt" "$scratch/arguments" | head -n 20 | sed 's/^/    | /'
fi
LD_LIBRARY_PATH=$PWD/$plain_emulator "$scratch/tensor_map" arguments >"$scratch/out" 2>&1
name="a refused map comes with the reason"
if grep -q 'a row of the box is longer than the swizzle span' "$scratch/out"; then pass "$name"; else no "$name" "it is not said"; fi

capture env LD_LIBRARY_PATH="$PWD/$plain_emulator" "$scratch/tensor_map" wrong gather
expect "tile::gather4 is an error that names it" 0 "'.tile::gather4' needs compute capability 10.0"
capture env LD_LIBRARY_PATH="$PWD/$plain_emulator" "$scratch/tensor_map" wrong replace
expect "a field of what is no tensor map is an error" 0 'tensormap.replace expects a tensor map or 128 zeros at its address, and found neither'

# As programs use them, from C++: the results are those of the CPU, and no check finds anything.
capture env NVCC="$NVCC" sh tests/programs/build.sh "$here/program.cu" "$scratch/program" ${HOST_COMPILER:+-ccbin "$HOST_COMPILER"} -O1 -lineinfo \
  -gencode arch=compute_90a,code=compute_90a
if [ "$status" != 0 ]; then
  no "program.cu" "it does not compile"
  show_output
else
  for checks in '' memcheck,racecheck,synccheck,initcheck,strict; do
    status=0
    LD_LIBRARY_PATH=$PWD/$plain_emulator EMULATOR_CHECK=$checks timeout 120 "$scratch/program" >"$scratch/out" 2>"$scratch/err" || status=$?
    grep -E '^(ok|not ok) ' "$scratch/out" | sed "s/\$/${checks:+, with checks}/"
    name="program${checks:+, with checks}"
    if [ "$status" != 0 ]; then no "$name" "ended with status $status: $(head -n 1 "$scratch/err")"; fi
    if [ -n "$checks" ] && ! grep -q 'ERROR SUMMARY: 0 errors' "$scratch/err"; then no "$name" "$(head -n 1 "$scratch/err")"; fi
  done
fi

sanitizer=$("${CC:-gcc}" -print-file-name=libasan.so)
capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "the emulator builds (sanitized)" "its compiler reports errors"
elif [ "${sanitizer#/}" = "$sanitizer" ]; then
  skip "tensor_map (sanitized)" "this compiler has no libasan.so"
else
  run_check 5 ' (sanitized)' LD_LIBRARY_PATH="$PWD/$sanitized_emulator" LD_PRELOAD="$sanitizer" ASAN_OPTIONS=detect_leaks=0
fi
