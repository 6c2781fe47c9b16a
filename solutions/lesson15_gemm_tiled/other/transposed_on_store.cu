// The tile of B is turned when it is stored, so that the reads need no padding; blocks are numbered in one dimension.
#include "common/check.h"

enum { TILE = 16, THREADS = TILE * TILE };

__global__ void layer(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    __shared__ float rows[TILE][TILE], columns[TILE][TILE];
    int across = (N + TILE - 1) / TILE;
    int top = blockIdx.x / across * TILE, left = blockIdx.x % across * TILE;
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    double sum = 0;
    for (int start = 0; start < K; start += TILE) {
        bool inside = start + x < K;
        rows[y][x] = inside && top + y < M ? A[(size_t)(top + y) * K + start + x] : 0;
        columns[x][y] = inside && left + y < N ? B[(size_t)(left + y) * K + start + x] : 0;
        __syncthreads();
        for (int k = 0; k < TILE && start + k < K; k++) {
            sum += (double)rows[y][k] * columns[k][x];
        }
        __syncthreads();
    }
    if (top + y >= M || left + x >= N) {
        return;
    }
    float *c = C + (size_t)(top + y) * N + left + x;
    if (beta == 0) {
        *c = (float)(alpha * sum);
    } else {
        *c = (float)(alpha * sum + (double)beta * *c);
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    int blocks = (M + TILE - 1) / TILE * ((N + TILE - 1) / TILE);
    if (blocks > 0) {
        layer<<<blocks, THREADS, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
        CUDA_CHECK_LAUNCH();
    }
}
