// expect: misaligned
/* An int at an odd address. */
#include "agreement.h"

__global__ void kernel(const char *x, int *y) {
    int i = threadIdx.x;
    y[i] = *reinterpret_cast<const int *>(x + i);
}

int main() {
    char *x = device<char>(4 * BLOCK);
    int *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
