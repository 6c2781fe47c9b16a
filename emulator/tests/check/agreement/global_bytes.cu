// expect: none
/* Neighbouring bytes belong to different blocks. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    unsigned char *bytes = (unsigned char *)y;
    int i = threadIdx.x * 2 + blockIdx.x;
    bytes[i] = (unsigned char)(x[i] + i);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
