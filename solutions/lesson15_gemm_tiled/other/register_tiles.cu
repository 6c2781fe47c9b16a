// 4 x 4 elements of C for each thread; tiles are loaded, and read from shared memory, four floats at a time where rows allow that.
#include <stdint.h>

#include "common/check.h"

enum { TILE = 64, STEP = 16, R = 4, THREADS = (TILE / R) * (TILE / R), PITCH = TILE + 4 };

__device__ void load_by_four(float (&tile)[STEP][PITCH], const float *matrix, int first, int rows, int start, int K) {
    int r = threadIdx.x / 4, k = threadIdx.x % 4 * 4;
    bool inside = first + r < rows && start + k < K;
    float4 v = inside ? *(const float4 *)(matrix + (size_t)(first + r) * K + start + k) : make_float4(0, 0, 0, 0);
    tile[k][r] = v.x, tile[k + 1][r] = v.y, tile[k + 2][r] = v.z, tile[k + 3][r] = v.w;
}

__device__ void load(float (&tile)[STEP][PITCH], const float *matrix, int first, int rows, int start, int K) {
    if (K % 4 == 0 && (uintptr_t)matrix % 16 == 0) {
        load_by_four(tile, matrix, first, rows, start, K);
        return;
    }
    for (int e = threadIdx.x; e < TILE * STEP; e += THREADS) {
        int r = e / STEP, k = e % STEP;
        tile[k][r] = first + r < rows && start + k < K ? matrix[(size_t)(first + r) * K + start + k] : 0.0f;
    }
}

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    __shared__ __align__(16) float tile_A[STEP][PITCH], tile_B[STEP][PITCH];
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int row = threadIdx.x / (TILE / R) * R, col = threadIdx.x % (TILE / R) * R;
    float sum[R][R] = {};
    for (int start = 0; start < K; start += STEP) {
        load(tile_A, A, top, M, start, K);
        load(tile_B, B, left, N, start, K);
        __syncthreads();
        for (int k = 0; k < STEP; k++) {
            float4 a = *(const float4 *)&tile_A[k][row], b = *(const float4 *)&tile_B[k][col];
            float of_A[R] = {a.x, a.y, a.z, a.w}, of_B[R] = {b.x, b.y, b.z, b.w};
            for (int e = 0; e < R * R; e++) {
                sum[e / R][e % R] += of_A[e / R] * of_B[e % R];
            }
        }
        __syncthreads();
    }
    for (int e = 0; e < R * R; e++) {
        int r = top + row + e / R, c = left + col + e % R;
        if (r < M && c < N) {
            float *to = &C[(size_t)r * N + c];
            *to = beta == 0.0f ? alpha * sum[e / R][e % R] : alpha * sum[e / R][e % R] + beta * *to;
        }
    }
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    multiply<<<grid, THREADS, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
    CUDA_CHECK_LAUNCH();
}
