#!/bin/sh
# The mistakes that the workbook is about are shown as it promises: a lesson without its bounds guard, a wrong kernel, a
# device pointer followed on the host.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
source=$(ls lessons/lesson03_*/lesson03.cu)

build_and_run() { # FILE: built outside the project, but with its headers
  capture sh tools/compile/build.sh "$1" "$scratch/program" -I"$(dirname "$source")"
  [ "$status" = 0 ] || return 0
  capture env TIMEOUT=60 sh tools/actions/run.sh "$scratch/program"
}

# The guard of kernel 1: the first `if (… < n)` behind its name. Its line must be in the report.
awk '/__global__.*relu_kernel1\(/ { inside = 1 }
     inside && sub(/if \([a-z]+ < n\)/, "if (true)") { inside = 0; print NR >"/dev/stderr" }
     { print }' "$source" >"$scratch/guardless.cu" 2>"$scratch/line"
if [ -s "$scratch/line" ]; then
  build_and_run "$scratch/guardless.cu"
  expect "lesson03 without its guard reports out of bounds" error '^========= Invalid __global__ (read|write) of size 4'
  expect "the report names kernel and file" error '^========= +at relu_kernel1.* in .*guardless\.cu:[0-9]+'
else
  no "lesson03 without its guard reports out of bounds" "found no guard in relu_kernel1"
fi

sed 's/return x <= 0\.0f ?/return x <= 0.5f ?/' "$source" >"$scratch/wrong.cu"
if ! cmp -s "$source" "$scratch/wrong.cu"; then
  build_and_run "$scratch/wrong.cu"
  expect "lesson03 with a wrong kernel ends with FAIL" error '^FAIL'
else
  no "lesson03 with a wrong kernel ends with FAIL" "found no comparison with 0.0f to spoil"
fi

cat >"$scratch/host.cu" <<'END'
#include <cstdio>
#include "common/check.h"
int main() {
    int *x;
    CUDA_CHECK(cudaMalloc(&x, 4));
    printf("%d\n", *x);
    return 0;
}
END
build_and_run "$scratch/host.cu"
expect "a device pointer followed on the host is explained" error 'device (memory|pointer|address)'
