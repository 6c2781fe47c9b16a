// Blocks share a tile of C: each adds the products of a part of K by atomics, after a kernel has multiplied C by beta.
#include "common/check.h"

enum { TILE = 16, PART = 64, THREADS = 256 }; // PART: of K, for a block

__global__ void scale(float *C, size_t n, float beta) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        C[i] = beta == 0.0f ? 0.0f : beta * C[i];
    }
}

__global__ void add_products(int M, int N, int K, float alpha, const float *A, const float *B, float *C) {
    __shared__ float tile_A[TILE][TILE + 1], tile_B[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, left = blockIdx.x * TILE;
    int end = min(K, (int)(blockIdx.z + 1) * PART);
    float sum = 0.0f;
    for (int start = blockIdx.z * PART; start < end; start += TILE) {
        bool inside = start + x < end;
        tile_A[y][x] = inside && row < M ? A[row * K + start + x] : 0.0f;
        tile_B[y][x] = inside && left + y < N ? B[(left + y) * K + start + x] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += tile_A[y][k] * tile_B[x][k];
        }
        __syncthreads();
    }
    if (row < M && left + x < N) {
        atomicAdd(&C[row * N + left + x], alpha * sum);
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    size_t n = (size_t)M * N;
    if (n == 0) {
        return;
    }
    dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, max(1, (K + PART - 1) / PART));
    scale<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0, stream>>>(C, n, beta);
    CUDA_CHECK_LAUNCH();
    add_products<<<grid, block, 0, stream>>>(M, N, K, alpha, A, B, C);
    CUDA_CHECK_LAUNCH();
}
