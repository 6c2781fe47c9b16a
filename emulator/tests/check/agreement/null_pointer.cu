// expect: out_of_bounds
/* The kernel gets a null pointer. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    y[i] = x[i];
}

int main() {
    int *x = nullptr, *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
