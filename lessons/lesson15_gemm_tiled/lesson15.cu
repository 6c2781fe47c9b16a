/* Lesson 15: a matrix product, and where its data comes from.
 *
 *     make lesson15 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson15 run V=5 SIZE=250        one version, matrices of 250 x 250
 *
 * You will learn what a product of matrices costs in operations and in bytes, how to tell from the two numbers how fast it
 * can be (the roofline), and how a tile in shared memory lets 32 threads use what one of them has loaded.
 *
 *     sgemm_kernel1       a thread for each element of C; neighbouring threads in a column
 *     sgemm_kernel2       neighbouring threads in a row
 *     sgemm_kernel3<8>    a block loads tiles of A and B into shared memory, 8 x 8 at a time
 *     sgemm_kernel3<16>   the same with tiles of 16 x 16
 *     sgemm_kernel3<32>   the same with tiles of 32 x 32
 *
 * C = alpha * A * B + beta * C, as the BLAS libraries define it: float, A is M x K, B is K x N, C is M x N. All three are
 * row-major: A[i * K + k] is in row i and column k. With beta = 0, C is only written; what is in it before may be NaN.
 */
// sizes: 0 1 31 33 100
#include <math.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/gemm.h"
#include "../../common/verify.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 }; // versions 1 and 2: the threads of a block

// ---------------------------------------------------------------- the reference

/* Rows 0, step, 2 * step, ... of C = alpha * A * B + beta * C, summed in double. The loops run over i, k, j and not i, j, k:
 * so the inner one walks along a row of B and a row of sums, which a CPU likes as much as a GPU does. */
static void sgemm_cpu(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                      int step) {
    double *sum = (double *)verify_host_alloc(N * sizeof(double));
    for (size_t i = 0; i < (size_t)M; i += step) {
        for (int j = 0; j < N; j++) {
            sum[j] = 0.0;
        }
        for (int k = 0; k < K; k++) {
            double a = A[i * K + k];
            for (int j = 0; j < N; j++) {
                sum[j] += a * B[(size_t)k * N + j];
            }
        }
        for (int j = 0; j < N; j++) {
            float *c = &C[i * N + j];
            *c = (float)(beta == 0.0f ? alpha * sum[j] : alpha * sum[j] + beta * (double)*c);
        }
    }
    free(sum);
}

// ---------------------------------------------------------------- the versions

/* A[M][K], B[K][N], C[M][N]: every version has these shapes, and every one computes each element of C with K fused
 * multiply-adds, in the order of k. M * N, M * K and K * N must fit into an int. */

/* Version 1: a thread for each element. threadIdx.x counts along the rows: the 32 lanes of a warp have 32 different rows
 * and one column. For one k they load 32 elements of A, K floats apart, and the same element of B. */
static __global__ void sgemm_kernel1(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                     float *C) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) {
            sum += A[row * K + k] * B[k * N + col];
        }
        float *c = &C[row * N + col];
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}

/* Version 2: threadIdx.x counts along the columns. Now the 32 lanes have one row and 32 neighbouring columns: for one k
 * they load the same element of A and 32 neighbours of B, and they write 32 neighbours of C. Two lines differ. */
static __global__ void sgemm_kernel2(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                     float *C) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) {
            sum += A[row * K + k] * B[k * N + col];
        }
        float *c = &C[row * N + col];
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}

/* Version 3: the threads of a block need the same rows of A and the same columns of B, so they load them together. The
 * block has TILE x TILE threads and computes a tile of C. It walks along k in steps of TILE: each thread loads one element
 * of A's tile and one of B's, and then uses TILE of each, 2 * TILE reads of shared memory for 2 loads from global memory.
 *
 * Nobody may leave early: a thread without an element of C still loads for the others, and waits with them. Outside the
 * matrices it puts 0 into the tile, which adds nothing to any sum. So the shapes need not be multiples of TILE. */
template <int TILE>
static __global__ void sgemm_kernel3(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                     float *C) {
    __shared__ float tile_A[TILE][TILE], tile_B[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int start = 0; start < K; start += TILE) {
        tile_A[y][x] = row < M && start + x < K ? A[row * K + start + x] : 0.0f;
        tile_B[y][x] = start + y < K && col < N ? B[(start + y) * N + col] : 0.0f;
        __syncthreads(); // both tiles are complete before anyone reads them
        for (int k = 0; k < TILE; k++) {
            sum += tile_A[y][k] * tile_B[k][x];
        }
        __syncthreads(); // everyone has read them before anyone loads the next ones
    }
    if (row < M && col < N) {
        float *c = &C[row * N + col];
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}

// ---------------------------------------------------------------- the launchers

/* As in lesson 03: queued in `stream`, no waiting. M and N may be 0; with K = 0, C = beta * C. */

static void sgemm1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                   cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(BLOCK_X, BLOCK_Y), grid(ceil_div(M, BLOCK_X), ceil_div(N, BLOCK_Y));
    sgemm_kernel1<<<grid, block, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
    CUDA_CHECK_LAUNCH();
}

static void sgemm2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                   cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(BLOCK_X, BLOCK_Y), grid(ceil_div(N, BLOCK_X), ceil_div(M, BLOCK_Y));
    sgemm_kernel2<<<grid, block, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
    CUDA_CHECK_LAUNCH();
}

template <int TILE>
static void sgemm3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                   cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 block(TILE, TILE), grid(ceil_div(N, TILE), ceil_div(M, TILE));
    sgemm_kernel3<TILE><<<grid, block, 0, stream>>>(M, N, K, alpha, A, B, beta, C);
    CUDA_CHECK_LAUNCH();
}

static const struct gemm_version versions[] = {
    {"sgemm_kernel1", sgemm1},         {"sgemm_kernel2", sgemm2},         {"sgemm_kernel3<8>", sgemm3<8>},
    {"sgemm_kernel3<16>", sgemm3<16>}, {"sgemm_kernel3<32>", sgemm3<32>},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

/* Shapes that are no multiples of anything, long and flat ones, and those where one of the three is 0. */
static const int shapes[][3] = {{1, 1, 1},     {31, 31, 31},  {33, 33, 33},  {64, 32, 96},  {0, 5, 7},
                                {5, 0, 7},     {5, 7, 0},     {1, 1000, 33}, {1000, 1, 33}, {33, 31, 1025},
                                {257, 7, 129}, {7, 1025, 31}, {130, 70, 100}};

int main(int argc, char **argv) {
    return gemm_main<sgemm_cpu>(versions, VERSIONS, shapes, 1, argc, argv);
}
