// expect: race
/* The maker refills the slot without waiting until it has been emptied. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int slot[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        slot[lane] = x[lane];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        slot[lane] = x[32 + lane] + lane;
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[lane] = slot[31 - lane];
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
