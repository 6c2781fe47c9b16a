/* Another way: no cp.async. The next tiles wait in registers while the present ones are multiplied; a thread has 8 x 4
 * elements, and tiles are 16 long. */
#include "common/check.h"

enum { BM = 64, BN = 64, BK = 16, R = 8, S = 4, THREADS = 128, EACH = BM * BK / THREADS };

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    __shared__ __align__(16) float a_tile[2][BK][BM + 1], b_tile[2][BK][BN];
    int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN, t = threadIdx.x;
    int row = t / 16 * R, col = t % 16 * S;
    float sum[R][S] = {}, a_next[EACH], b_next[EACH];
    for (int start = -BK, buffer = 1; start < K; start += BK, buffer ^= 1) {
        int next = start + BK;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int e = t + i * THREADS;
            int m = m0 + e / BK, ka = next + e % BK, kb = next + e / BN, n = n0 + e % BN;
            a_next[i] = m < M && ka < K ? A[(size_t)m * K + ka] : 0.0f;
            b_next[i] = kb < K && n < N ? B[(size_t)kb * N + n] : 0.0f;
        }
        for (int k = 0; k < BK && start >= 0; k++) {
            float4 b = *(const float4 *)&b_tile[buffer][k][col];
#pragma unroll
            for (int i = 0; i < R; i++) {
                float a = a_tile[buffer][k][row + i];
                sum[i][0] += a * b.x, sum[i][1] += a * b.y, sum[i][2] += a * b.z, sum[i][3] += a * b.w;
            }
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int e = t + i * THREADS;
            a_tile[buffer ^ 1][e % BK][e / BK] = a_next[i];
            b_tile[buffer ^ 1][e / BN][e % BN] = b_next[i];
        }
        __syncthreads();
    }
    for (int e = 0; e < R * S; e++) {
        int r = m0 + row + e / S, s = n0 + col + e % S;
        if (r >= M || s >= N) {
            continue;
        }
        float result = alpha * sum[e / S][e % S];
        if (beta != 0.0f) {
            result += beta * C[(size_t)r * N + s];
        }
        C[(size_t)r * N + s] = result;
    }
}

void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C, cudaStream_t stream) {
    dim3 grid((M + BM - 1) / BM, (N + BN - 1) / BN);
    if (grid.x && grid.y) {
        product<<<grid, THREADS, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
        CUDA_CHECK_LAUNCH();
    }
}
