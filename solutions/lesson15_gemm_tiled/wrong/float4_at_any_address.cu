// expect: misaligned
// says: arrays that are not 16-byte aligned
// Four floats of A at once where K is a multiple of 4: A itself may begin at any float.
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
        if (K % 4) {
            tile_A[y][x] = row < M && start + x < K ? A[row * K + start + x] : 0.0f;
        } else if (x % 4 == 0) { // four floats at once
            float4 four = row < M && start + x < K ? *(const float4 *)&A[row * K + start + x] : make_float4(0, 0, 0, 0);
            tile_A[y][x] = four.x, tile_A[y][x + 1] = four.y, tile_A[y][x + 2] = four.z, tile_A[y][x + 3] = four.w;
        }
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
    CUDA_CHECK_LAUNCH();
}
