// expect: access_limit
/* Right, but a thread computes one element: two numbers read from shared memory for each multiply-add. */
#include "common/check.h"

enum { TILE = 32 };

__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    __shared__ float tile_A[TILE][TILE], tile_B[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int start = 0; start < K; start += TILE) {
        tile_A[y][x] = row < M && start + x < K ? A[(size_t)row * K + start + x] : 0.0f;
        tile_B[y][x] = start + y < K && col < N ? B[(size_t)(start + y) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += tile_A[y][k] * tile_B[k][x];
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * N + col];
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}

void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C, cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(M, N, K, alpha, A, B, beta, C);
    CUDA_CHECK_LAUNCH();
}
