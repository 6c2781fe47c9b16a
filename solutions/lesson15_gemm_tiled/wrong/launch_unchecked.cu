// expect: api_error
// says: did not report it
// The launch is not checked.
#include "common/check.h"

enum { TILE = 16 }; // a block has TILE x TILE threads and computes a tile of C

__global__ void sgemm_nt_kernel(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                float *C) {
    __shared__ float tile_A[TILE][TILE];
    __shared__ float tile_B[TILE][TILE + 1]; // a column of it must not lie in one or two banks
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (int start = 0; start < K; start += TILE) {
        tile_A[y][x] = row < M && start + x < K ? A[row * K + start + x] : 0.0f;
        int row_B = blockIdx.x * TILE + y;
        tile_B[y][x] = row_B < N && start + x < K ? B[row_B * K + start + x] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += tile_A[y][k] * tile_B[x][k];
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[row * N + col];
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    sgemm_nt_kernel<<<grid, block, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
}
