// B is transposed into memory of the function's own; what follows is an ordinary product.
#include "common/check.h"

enum { TILE = 32, ROWS = 8 };

__global__ void turn(int N, int K, const float *B, float *turned) {
    __shared__ float tile[TILE][TILE + 1];
    int left = blockIdx.y * TILE, top = blockIdx.x * TILE, x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        if (top + y < N && left + x < K) {
            tile[y][x] = B[(size_t)(top + y) * K + left + x];
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        if (left + y < K && top + x < N) {
            turned[(size_t)(left + y) * N + top + x] = tile[x][y];
        }
    }
}

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *turned, float beta, float *C) {
    __shared__ float tile_A[TILE][TILE], tile_B[TILE][TILE];
    int x = threadIdx.x, top = blockIdx.y * TILE, col = blockIdx.x * TILE + x;
    float sum[TILE / ROWS] = {};
    for (int start = 0; start < K; start += TILE) {
        for (int y = threadIdx.y; y < TILE; y += ROWS) {
            tile_A[y][x] = top + y < M && start + x < K ? A[(size_t)(top + y) * K + start + x] : 0.0f;
            tile_B[y][x] = start + y < K && col < N ? turned[(size_t)(start + y) * N + col] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            for (int i = 0; i < TILE / ROWS; i++) {
                sum[i] += tile_A[threadIdx.y + i * ROWS][k] * tile_B[k][x];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TILE / ROWS; i++) {
        int row = top + threadIdx.y + i * ROWS;
        if (row < M && col < N) {
            float *c = &C[(size_t)row * N + col];
            *c = beta == 0.0f ? alpha * sum[i] : alpha * sum[i] + beta * *c;
        }
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    int across = (N + TILE - 1) / TILE, down = (M + TILE - 1) / TILE, deep = (K + TILE - 1) / TILE;
    float *turned = NULL;
    CUDA_CHECK(cudaMallocAsync((void **)&turned, ((size_t)N * K + 1) * sizeof(float), stream));
    if (K > 0) {
        turn<<<dim3(across, deep), dim3(TILE, ROWS), 0, stream>>>(N, K, B, turned);
        CUDA_CHECK_LAUNCH();
    }
    multiply<<<dim3(across, down), dim3(TILE, ROWS), 0, stream>>>(M, N, K, alpha, A, turned, beta, C);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaFreeAsync(turned, stream));
}
