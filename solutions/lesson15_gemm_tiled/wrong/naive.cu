// expect: access_limit
// A thread for each element, and no tile: right, and each element is loaded again and again.
#include "common/check.h"

__global__ void sgemm_nt_kernel(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                float *C) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) {
            sum += A[row * K + k] * B[col * K + k];
        }
        float *c = &C[row * N + col];
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
    sgemm_nt_kernel<<<grid, block, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
    CUDA_CHECK_LAUNCH();
}
