// Two pairs of tiles take turns: while one is read the other one is filled, so one barrier for each step is enough.
#include "common/check.h"

enum { TILE = 16 };

__device__ float element(const float *matrix, int row, int rows, int k, int K) {
    return row < rows && k < K ? matrix[row * K + k] : 0.0f;
}

__global__ void sgemm_nt_kernel(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                float *C) {
    __shared__ float tile_A[2][TILE][TILE + 1], tile_B[2][TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, now = 0;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x, row_B = blockIdx.x * TILE + y;
    float sum = 0.0f;
    tile_A[now][y][x] = element(A, row, M, x, K);
    tile_B[now][y][x] = element(B, row_B, N, x, K);
    for (int start = 0; start < K; start += TILE) {
        __syncthreads();
        int next = start + TILE;
        if (next < K) {
            tile_A[!now][y][x] = element(A, row, M, next + x, K);
            tile_B[!now][y][x] = element(B, row_B, N, next + x, K);
        }
        for (int k = 0; k < TILE; k++) {
            sum = fmaf(tile_A[now][y][k], tile_B[now][x][k], sum);
        }
        now = !now;
    }
    if (row < M && col < N) {
        float result = alpha * sum;
        if (beta != 0.0f) {
            result += beta * C[row * N + col];
        }
        C[row * N + col] = result;
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    sgemm_nt_kernel<<<grid, block, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
    CUDA_CHECK_LAUNCH();
}
