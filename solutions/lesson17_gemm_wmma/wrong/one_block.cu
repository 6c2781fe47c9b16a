// expect: access_limit
// says: Assign a tile of y to each block
/* A single block computes one tile of y after the other. */
#include <cuda_fp16.h>
#include <mma.h>

#include "common/check.h"

using namespace nvcuda; // wmma::...

enum { WARP = 32, T = 16 };                           // a fragment's tile of y has T x T elements
enum { BM = 64, BN = 64, BK = 32, WM = 32, WN = 32 }; // a block's tile of y, a step, a warp's tile
enum { R = WM / T, S = WN / T, WARPS = 4, THREADS = WARPS * WARP };
enum { PAD = 8 }; // halves that nobody uses: they keep the loads of fragments free of bank conflicts

__global__ void linear_kernel(const half *x, const half *W, const float *bias, float *y, int rows, int inputs,
                              int outputs) {
    __shared__ __align__(32) half tile_x[BM][BK + PAD], tile_W[BN][BK + PAD];
    __shared__ __align__(32) float patch[WARPS][T][T];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

    int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;

    int across = (outputs + BN - 1) / BN, tiles = across * ((rows + BM - 1) / BM);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int first_row = tile / across * BM, first_output = tile % across * BN; // of the tile of y

        wmma::fragment<wmma::matrix_a, T, T, T, half, wmma::row_major> a[R];
        wmma::fragment<wmma::matrix_b, T, T, T, half, wmma::col_major> b[S];
        wmma::fragment<wmma::accumulator, T, T, T, float> sum[R][S];
#pragma unroll
        for (int i = 0; i < R * S; i++) {
            wmma::fill_fragment(sum[i / S][i % S], 0.0f);
        }

        for (int start = 0; start < inputs; start += BK) {
            for (int e = threadIdx.x; e < BM * BK; e += THREADS) {
                int m = e / BK, k = e % BK;
                bool inside = first_row + m < rows && start + k < inputs;
                tile_x[m][k] = inside ? x[(size_t)(first_row + m) * inputs + start + k] : __float2half(0.0f);
            }
            for (int e = threadIdx.x; e < BN * BK; e += THREADS) {
                int n = e / BK, k = e % BK;
                bool inside = first_output + n < outputs && start + k < inputs;
                tile_W[n][k] = inside ? W[(size_t)(first_output + n) * inputs + start + k] : __float2half(0.0f);
            }
            __syncthreads();

#pragma unroll
            for (int k = 0; k < BK; k += T) {
#pragma unroll
                for (int i = 0; i < R; i++) {
                    wmma::load_matrix_sync(a[i], &tile_x[row + i * T][k], BK + PAD);
                }
#pragma unroll
                for (int j = 0; j < S; j++) {
                    wmma::load_matrix_sync(b[j], &tile_W[col + j * T][k], BK + PAD);
                }
#pragma unroll
                for (int i = 0; i < R * S; i++) {
                    wmma::mma_sync(sum[i / S][i % S], a[i / S], b[i % S], sum[i / S][i % S]);
                }
            }

            __syncthreads();
        }

        for (int i = 0; i < R * S; i++) {
            int r = first_row + row + i / S * T,
                o = first_output + col + i % S * T; // where this fragment's tile of y begins
            wmma::store_matrix_sync(&patch[warp][0][0], sum[i / S][i % S], T, wmma::mem_row_major);
            __syncwarp();
            for (int e = lane; e < T * T; e += WARP) {
                int m = e / T, n = e % T;
                if (r + m < rows && o + n < outputs) {
                    y[(size_t)(r + m) * outputs + o + n] = patch[warp][m][n] + bias[o + n];
                }
            }
            __syncwarp();
        }
    }
}

void linear(const half *x, const half *W, const float *bias, float *y, int rows, int inputs, int outputs,
            cudaStream_t stream) {
    if (rows == 0 || outputs == 0) {
        return;
    }
    linear_kernel<<<1, THREADS, 0, stream>>>(x, W, bias, y, rows, inputs, outputs);
    CUDA_CHECK_LAUNCH();
}
