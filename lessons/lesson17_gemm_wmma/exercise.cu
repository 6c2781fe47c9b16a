/* Exercise 17: a linear layer on tensor cores, for any shape.
 *
 * y = x * W^T + bias, as in lesson 15's exercise, with x and W in fp16 and all sums in fp32. A block of four warps computes 64 x 64
 * elements of y, in steps of 32 along the inputs. A warp has 32 x 32 of them, 2 x 2 fragments.
 *
 * W has a row for each output, as in PyTorch: W[output][input]. The product needs its transpose. No data has to be moved for
 * that: a fragment of B that is declared col_major takes the rows of W as its columns.
 *
 * The grader (make exercise17) calls, from the host:
 *
 *     void linear(const half *x, const half *W, const float *bias, float *y, int rows, int inputs, int outputs,
 *                 cudaStream_t stream);
 *
 *   - y[r][o] = x[r][0] * W[o][0] + x[r][1] * W[o][1] + ... + bias[o]. x is rows x inputs, W outputs x inputs, y rows x outputs,
 *     all row-major without gaps; bias has `outputs` elements;
 *   - each of the three sizes is any number from 0 to 2^20, no matrix has more than 2^31 - 1 elements. With no inputs, y = bias;
 *   - the arrays are aligned to their type only, and do not overlap;
 *   - sums are fp32: the error of an element is at most (inputs + 8) * 2^-24 times the largest sum on the way to it;
 *   - nothing but y is written, each element by a kernel, and nothing outside the arrays is read. The function frees the memory that it
 *     allocates;
 *   - the work is queued in `stream`, and the function returns without waiting for it. A launch that fails is reported (CUDA_CHECK_LAUNCH);
 *   - on the emulator, in every call: for each product of 16 x 16 x 16, 4096 multiply-adds, at most 10 wavefronts of shared memory and 200
 *     instructions of a warp. A tile of y of 64 x 64 may take one additional step of 32 along the inputs, and then 1600 wavefronts and
 *     12000 instructions to store it, enough to divide the inputs among four blocks; partial tiles and steps count in full. The
 *     solution needs 8 and 131, and 384 and 2850; without padding it has 20 wavefronts, and a kernel without tensor cores over 700
 *     instructions;
 *   - and of x, W and bias at most 2 sectors are read for each that holds a block's tiles of x and W, including one additional step (3 where
 *     their rows may begin in the middle of a sector). Fragments are loaded from shared memory. From 32768 elements of y on, at least 256
 *     threads write it, and no block does more than half.
 * The file is compiled for compute capabilities 7.5, 8.0 and 9.0 where there is a GPU, and for 9.0 without one: put code that needs more than
 * 7.5 into #if __CUDA_ARCH__ >= 800.
 *
 * When all checks pass, tensor cores compute a linear layer of any shape, with sums in fp32.
 * First step: TODO 6, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include <cuda_fp16.h>
#include <mma.h>

#include "common/check.h"

#pragma nv_diag_suppress 550 // as given, some variables still wait for their TODO

using namespace nvcuda; // wmma::...

enum { WARP = 32, T = 16 };                           // a fragment's tile of y has T x T elements
enum { BM = 64, BN = 64, BK = 32, WM = 32, WN = 32 }; // a block's tile of y, a step, a warp's tile
enum { R = WM / T, S = WN / T, WARPS = 4, THREADS = WARPS * WARP };
enum { PAD = 8 }; // unused halves: they keep the loads of fragments free of bank conflicts

__global__ void linear_kernel(const half *x, const half *W, const float *bias, float *y, int rows, int inputs,
                              int outputs) {
    __shared__ __align__(32) half tile_x[BM][BK + PAD], tile_W[BN][BK + PAD];
    __shared__ __align__(32) float patch[WARPS][T][T];
    int first_row = blockIdx.y * BM, first_output = blockIdx.x * BN; // of the block's tile of y
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

    // TODO 1: which WM x WN elements of the block's tile are this warp's? Two warps share a row; `row` and `col` are the
    // first row and column inside the tile.
    int row = 0, col = 0;

    wmma::fragment<wmma::matrix_a, T, T, T, half, wmma::row_major> a[R];
    wmma::fragment<wmma::matrix_b, T, T, T, half, wmma::col_major> b[S];
    wmma::fragment<wmma::accumulator, T, T, T, float> sum[R][S];
#pragma unroll
    for (int i = 0; i < R * S; i++) {
        wmma::fill_fragment(sum[i / S][i % S], 0.0f);
    }

    for (int start = 0; start < inputs; start += BK) {
        // TODO 2: fill both tiles: tile_x[m][k] is x[first_row + m][start + k], and tile_W[n][k] is W[first_output + n][start + k].
        // Outside of the matrices, in either direction, the tiles get zeros: __float2half(0.0f). Neighbouring threads load
        // neighbours.
        (void)x, (void)W, (void)rows, (void)outputs, (void)tile_x, (void)tile_W;
        __syncthreads();

        // TODO 3: multiply. For k = 0 and k = T: load R fragments of x and S of W (wmma::load_matrix_sync; the last argument is the distance
        // between rows of the tile, in halves), and compute R * S products (wmma::mma_sync). sum, a and b have to be
        // registers: unroll all loops.
        (void)a, (void)b, (void)row, (void)col;

        // TODO 4: what has to happen before the next step overwrites the tiles?
    }

    for (int i = 0; i < R * S; i++) {
        int r = first_row + row + i / S * T,
            o = first_output + col + i % S * T; // where this fragment's tile of y begins
        // TODO 5: write it. Which lane holds which element is not known, but each column has its own bias, and only a part of the tile may
        // be inside y. So store the fragment to this warp's patch (wmma::store_matrix_sync with wmma::mem_row_major), let the lanes
        // wait for each other, and then let each lane write some elements of the patch, those inside y, with their bias. Before
        // the next fragment is stored to the patch, all lanes must have read it.
        (void)r, (void)o, (void)lane, (void)patch, (void)bias, (void)y, (void)sum;
    }
}

void linear(const half *x, const half *W, const float *bias, float *y, int rows, int inputs, int outputs,
            cudaStream_t stream) {
    // TODO 6: launch linear_kernel in `stream`: a block for each tile of y, outputs along x, rows along y. Check the launch.
    (void)x, (void)W, (void)bias, (void)y, (void)rows, (void)inputs, (void)outputs, (void)stream;
}
