// expect: access_limit
// says: warps accessed x
/* float4 only where n is a multiple of 4, so that nothing is left over. */
#include <stdint.h>

#include "common/check.h"
#include "right.h"

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    if (n % 4 == 0) {
        right_gelu(x, y, n, true, stream);
    } else {
        gelu_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n, true);
        CUDA_CHECK_LAUNCH();
    }
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    right_gelu(x, y, n, false, stream);
}
