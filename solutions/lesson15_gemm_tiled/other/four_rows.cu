// Tiles of 32 x 32 with 256 threads: each computes four elements of a column of C, and reads tile_B once for all four.
#include "common/check.h"

enum { TILE = 32, ROWS = 8, EACH = TILE / ROWS };

__global__ void sgemm_nt_kernel(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                float *C) {
    __shared__ float tile_A[TILE][TILE], tile_B[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sum[EACH] = {};
    for (int start = 0; start < K; start += TILE) {
        for (int i = y; i < TILE; i += ROWS) {
            tile_A[i][x] = top + i < M && start + x < K ? A[(top + i) * K + start + x] : 0.0f;
            tile_B[i][x] = left + i < N && start + x < K ? B[(left + i) * K + start + x] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            float b = tile_B[x][k];
            for (int e = 0; e < EACH; e++) {
                sum[e] += tile_A[y + e * ROWS][k] * b;
            }
        }
        __syncthreads();
    }
    for (int e = 0; e < EACH; e++) {
        int row = top + y + e * ROWS, col = left + x;
        if (row < M && col < N) {
            float *c = &C[row * N + col];
            *c = beta == 0.0f ? alpha * sum[e] : alpha * sum[e] + beta * *c;
        }
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(TILE, ROWS), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    sgemm_nt_kernel<<<grid, block, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
    CUDA_CHECK_LAUNCH();
}
