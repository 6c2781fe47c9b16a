// expect: none
/* Half of the block makes, half takes, with two named barriers. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int slot[32];
    int lane = threadIdx.x % 32;
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x < 32) {
            if (k)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            slot[lane] = x[k * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            y[k * 32 + lane] = slot[31 - lane];
            if (k < 3)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
