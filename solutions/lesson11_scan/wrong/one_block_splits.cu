// expect: access_limit
// says: more than half
/* All tiles are counted by a grid, and one block writes them, tile after tile. */
#include "common/check.h"
#include "right.h"

/* No tile waits: the block has all zeros before in a register. */
__global__ void all_tiles_kernel(const unsigned *x, unsigned *y, int n, int bit, const int *sums, int tiles) {
    __shared__ int numbers[WARPS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, before = 0;
    for (int tile = 0; tile * TILE < n; tile++) {
        unsigned v[ROWS], zero[ROWS];
        int first = first_element(tile), zeros = load_rows(x, n, first, bit, v, zero), mine = before;
        __syncthreads();
        if (lane == 0) {
            numbers[warp] = zeros;
        }
        __syncthreads();
        for (int w = 0; w < WARPS; w++) {
            mine += w < warp ? numbers[w] : 0;
            before += numbers[w];
        }
        for (int r = 0; r < ROWS; r++) {
            int i = first + r * WARP + lane, here = mine + __popc(zero[r] & ((1u << lane) - 1));
            if (i < n) {
                y[zero[r] >> lane & 1 ? here : sums[tiles] + i - here] = v[r];
            }
            mine += __popc(zero[r]);
        }
    }
}

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    int tiles = (n + TILE - 1) / TILE;
    if (tiles > 0) {
        count_kernel<<<tiles, BLOCK, 0, stream>>>(x, n, bit, sums);
        CUDA_CHECK_LAUNCH();
        starts_kernel<<<1, BLOCK, 0, stream>>>(sums, tiles);
        CUDA_CHECK_LAUNCH();
        all_tiles_kernel<<<1, BLOCK, 0, stream>>>(x, y, n, bit, sums, tiles);
        CUDA_CHECK_LAUNCH();
    }
}
