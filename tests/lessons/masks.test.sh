#!/bin/sh
# What lesson 06's page says of masks: nvcc refuses the functions without one, with the words that are quoted, and the code that makes a mask
# before a branch is right, so that sanitize finds nothing in it.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
page=lessons/lesson06_shuffles/README.md

cat >"$scratch/old.cu" <<'END'
__global__ void kernel(int *y) { y[threadIdx.x] = __shfl_up(y[threadIdx.x], 1); }
int main() { return 0; }
END
capture sh tools/compile/build.sh "$scratch/old.cu" "$scratch/old"
quoted=$(sed -n 's/.*`\(identifier "__shfl_up" is undefined\)`.*/\1/p' "$page")
expect "nvcc refuses a shuffle without a mask, as lesson06's page says" error "${quoted:-the page does not quote it}"

# The block of code with `unsigned some` in it.
awk '/^```/ { if (open && block ~ /unsigned some/) print block; open = !open; block = ""; next } open { block = block $0 "\n" }' "$page" >"$scratch/block"
cat >"$scratch/some.cu" <<END
#include <stdio.h>

#include "common/check.h"
#define ALL_LANES 0xffffffffu

__global__ void kernel(int *y, int n) {
    int i = threadIdx.x, value = i < n ? y[i] : 0, before = 0;
$(cat "$scratch/block")
    if (i < n) {
        y[i] = before;
    }
}

int main() {
    int *y, found[8], given[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    CUDA_CHECK(cudaMalloc((void **)&y, sizeof given));
    CUDA_CHECK(cudaMemcpy(y, given, sizeof given, cudaMemcpyHostToDevice));
    kernel<<<1, 32>>>(y, 8);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(found, y, sizeof found, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(y));
    for (int i = 0; i < 8; i++) {
        printf("%d ", found[i]);
    }
    printf("\n");
}
END
sh tools/compile/build.sh "$scratch/some.cu" "$scratch/some"
capture sh tools/actions/sanitize.sh "$scratch/some"
expect "a mask made before the branch is right, as lesson06's page says" 0 '^3 3 1 4 1 5 9 2 $'
expect "sanitize finds nothing in it" 0 'ERROR SUMMARY: 0 errors$'
