// expect: access_limit
// says: a single block of in_turns_kernel
/* Right, but a single block does all elements, in turns. */
#include <stdint.h>

#include "common/check.h"
#include "right.h"

__global__ void in_turns_kernel(const float4 *x, float4 *y, int n) {
    for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
        float4 v = x[i];
        y[i] = make_float4(gelu_of(v.x, true), gelu_of(v.y, true), gelu_of(v.z, true), gelu_of(v.w, true));
    }
    int rest = n / 4 * 4 + threadIdx.x;
    if (rest < n) {
        ((float *)y)[rest] = gelu_of(((const float *)x)[rest], true);
    }
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    if (((uintptr_t)x | (uintptr_t)y) % 16 == 0) {
        in_turns_kernel<<<1, 1024, 0, stream>>>((const float4 *)x, (float4 *)y, n);
        CUDA_CHECK_LAUNCH();
    } else {
        right_gelu(x, y, n, true, stream);
    }
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    right_gelu(x, y, n, false, stream);
}
