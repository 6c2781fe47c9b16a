// expect: misaligned
/* A float4 at an address that is no multiple of 16, all of which is used. */
#include "agreement.h"

__global__ void kernel(const float *x, float *y) {
    int i = threadIdx.x;
    float4 v = *reinterpret_cast<const float4 *>(x + i);
    y[i] = v.x + v.y * v.z - v.w;
}

int main() {
    float *x = device<float>(4 * BLOCK), *y = device<float>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
