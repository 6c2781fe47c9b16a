// expect: divergent_barrier
/* Threads go around a loop with a barrier unequally often. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, sum = 0;
    for (int k = 0; k <= i / 40; k++) {
        sum += x[k];
        __syncthreads();
    }
    y[i] = sum;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
