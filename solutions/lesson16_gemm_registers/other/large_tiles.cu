/* Another way: tiles of 128 x 128, two float4 of each side for 8 x 8 elements of a thread; as many blocks as there are multiprocessors take the tiles in
 * turns, and C leaves by way of shared memory, so that a warp writes a row. */
#include "common/check.h"

enum { EDGE = 128, STEP = 8, R = 8, THREADS = 256, EACH = EDGE * STEP / THREADS, PITCH = EDGE + 4, ROWS = 16 };

struct tiles {
    float A[2][STEP][PITCH], B[2][STEP][PITCH];
    float C[ROWS][PITCH];
};

static __device__ void fetch(float (&next)[2][EACH], int M, int N, int K, const float *A, const float *B, int top,
                             int left, int start) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int e = threadIdx.x + i * THREADS, m = top + e / STEP, k = start + e % STEP;
        int kb = start + e / EDGE, n = left + e % EDGE;
        next[0][i] = m < M && k < K ? A[(size_t)m * K + k] : 0.0f;
        next[1][i] = kb < K && n < N ? B[(size_t)kb * N + n] : 0.0f;
    }
}

static __device__ void keep(struct tiles &s, const float (&next)[2][EACH], int buffer) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int e = threadIdx.x + i * THREADS;
        s.A[buffer][e % STEP][e / STEP] = next[0][i];
        s.B[buffer][e / EDGE][e % EDGE] = next[1][i];
    }
}

/* A thread has rows 4 * y ... and 64 + 4 * y ..., columns alike. */
static __device__ void multiply(const struct tiles &s, int buffer, float (&sum)[R][R]) {
    int y = threadIdx.x / 16 * 4, x = threadIdx.x % 16 * 4;
#pragma unroll
    for (int k = 0; k < STEP; k++) {
        float a[R], b[R];
        *(float4 *)a = *(const float4 *)&s.A[buffer][k][y],
                 *(float4 *)(a + 4) = *(const float4 *)&s.A[buffer][k][64 + y];
        *(float4 *)b = *(const float4 *)&s.B[buffer][k][x],
                 *(float4 *)(b + 4) = *(const float4 *)&s.B[buffer][k][64 + x];
#pragma unroll
        for (int e = 0; e < R * R; e++) {
            sum[e / R][e % R] += a[e / R] * b[e % R];
        }
    }
}

/* 16 rows at a time: row i of each thread's upper, or lower, half. */
static __device__ void store(struct tiles &s, const float (&sum)[R][R], int M, int N, float alpha, float beta, float *C,
                             int top, int left) {
    int y = threadIdx.x / 16, x = threadIdx.x % 16 * 4;
#pragma unroll
    for (int i = 0; i < R; i++) {
        *(float4 *)&s.C[y][x] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        *(float4 *)&s.C[y][64 + x] = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
        __syncwarp();
        for (int e = threadIdx.x % 32; e < 2 * EDGE; e += 32) { // the two rows that this warp has written
            int own = threadIdx.x / 32 * 2 + e / EDGE, row = top + i / 4 * 64 + own * 4 + i % 4, col = left + e % EDGE;
            if (row < M && col < N) {
                float *c = C + (size_t)row * N + col, result = alpha * s.C[own][e % EDGE];
                *c = beta == 0.0f ? result : result + beta * *c;
            }
        }
        __syncwarp();
    }
}

__global__ __launch_bounds__(THREADS) void product(int M, int N, int K, float alpha, const float *A, const float *B,
                                                   float beta, float *C) {
    __shared__ __align__(16) struct tiles s;
    int across = (N + EDGE - 1) / EDGE, count = across * ((M + EDGE - 1) / EDGE);
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
        int top = tile / across * EDGE, left = tile % across * EDGE, buffer = 0;
        float sum[R][R] = {}, next[2][EACH];
        fetch(next, M, N, K, A, B, top, left, 0);
        keep(s, next, buffer);
        __syncthreads();
        for (int start = 0; start < K; start += STEP, buffer ^= 1) {
            fetch(next, M, N, K, A, B, top, left, start + STEP);
            multiply(s, buffer, sum);
            keep(s, next, buffer ^ 1);
            __syncthreads();
        }
        store(s, sum, M, N, alpha, beta, C, top, left);
    }
}

void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C, cudaStream_t stream) {
    long long tiles = (long long)((M + EDGE - 1) / EDGE) * ((N + EDGE - 1) / EDGE);
    int device = 0, most = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMultiProcessorCount, device));
    if (tiles > 0) {
        product<<<(unsigned)(tiles < most ? tiles : most), THREADS, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
        CUDA_CHECK_LAUNCH();
    }
}
