// expect: lost_lane
/* A shuffle names all lanes, and half of them wait elsewhere. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i < 16)
        v += __shfl_xor_sync(0xffffffffu, v, 1);
    __syncwarp();
    y[i] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
