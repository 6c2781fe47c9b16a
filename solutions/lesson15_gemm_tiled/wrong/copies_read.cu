// expect: access_limit
// says: sectors of 32 bytes were read from global memory
// A and B are copied once, and the copies are read again and again.
#include "common/check.h"

enum { TILE = 16 }; // a block has TILE x TILE threads and computes a tile of C

__global__ void naive_kernel(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f, *c = &C[row * N + col];
        for (int k = 0; k < K; k++) {
            sum += A[row * K + k] * B[col * K + k];
        }
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    float *own = NULL, *own_B = NULL;
    size_t count_A = (size_t)M * K, count_B = (size_t)N * K;
    CUDA_CHECK(cudaMallocAsync((void **)&own, (count_A + count_B + 1) * sizeof(float), stream));
    own_B = own + count_A;
    CUDA_CHECK(cudaMemcpyAsync(own, A, count_A * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(own_B, B, count_B * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    naive_kernel<<<grid, block, 0, stream>>>(M, N, K, alpha, own, own_B, beta, C);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaFreeAsync(own, stream));
}
