// expect: access_limit
// says: nothing was copied by cp.async
/* A thread for each element, as in lesson 15: right, and without anything that the exercise is about. */
#include <cuda_bf16.h>

#include "common/check.h"

typedef __nv_bfloat16 bf16;

__global__ void matmul_kernel(int M, int N, int K, const bf16 *A, const bf16 *B, bf16 *C) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K && row < M && col < N; k++) {
        sum += __bfloat162float(A[(size_t)row * K + k]) * __bfloat162float(B[(size_t)k * N + col]);
    }
    if (row < M && col < N) {
        C[(size_t)row * N + col] = __float2bfloat16(sum);
    }
}

void matmul(int M, int N, int K, const bf16 *A, const bf16 *B, bf16 *C, cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
    matmul_kernel<<<grid, block, 0, stream>>>(M, N, K, A, B, C);
    CUDA_CHECK_LAUNCH();
}
