// expect: access_limit
// says: more than half
/* All tiles are counted by a grid, and one block writes them, tile after tile. */
#include "common/check.h"
#include "right.h"

/* No tile waits: the block has all zeros before in a register. */
__global__ void all_tiles_kernel(const unsigned *x, unsigned *y, int n, int bit, const unsigned *all_zeros) {
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
                y[zero[r] >> lane & 1 ? here : (int)*all_zeros + i - here] = v[r];
            }
            mine += __popc(zero[r]);
        }
    }
}

void split(const unsigned *x, unsigned *y, int n, int bit, unsigned long long *words, cudaStream_t stream) {
    unsigned *all_zeros = (unsigned *)words;
    if (n > 0) {
        CUDA_CHECK(cudaMemsetAsync(words, 0, sizeof *words, stream));
        count_kernel<<<(n + TILE - 1) / TILE, BLOCK, 0, stream>>>(x, n, bit, all_zeros);
        CUDA_CHECK_LAUNCH();
        all_tiles_kernel<<<1, BLOCK, 0, stream>>>(x, y, n, bit, all_zeros);
        CUDA_CHECK_LAUNCH();
    }
}
