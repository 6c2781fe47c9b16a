// expect: none
/* A shuffle, a vote and a match whose masks name lanes that have left the kernel: those need not come. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i >= 16)
        return;
    v += __shfl_xor_sync(0xffffffffu, v, 8);
    v += __all_sync(0xffffffffu, v == 0);
    v += __popc(__ballot_sync(0xffffffffu, v));
    v += __match_any_sync(0xffffffffu, v);
    v += __reduce_add_sync(0xffffffffu, v);
    y[i] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
