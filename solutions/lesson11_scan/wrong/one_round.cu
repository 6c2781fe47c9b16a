// expect: wrong_result
/* The second launch scans the first 256 sums, and leaves the others as they are. */
#include "common/check.h"

#include "right.h"

__global__ void one_round_kernel(int *sums, int tiles) {
    int b = threadIdx.x, mine = b < tiles ? sums[b] : 0, total, scanned = warp_scan(mine);
    int inside = before_warp(__shfl_sync(ALL_LANES, scanned, WARP - 1), &total) + scanned - mine;
    if (b < tiles) {
        sums[b] = inside;
    }
    if (threadIdx.x == 0) {
        sums[tiles] = total;
    }
}

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    int tiles = (n + TILE - 1) / TILE;
    if (tiles > 0) {
        count_kernel<<<tiles, BLOCK, 0, stream>>>(x, n, bit, sums);
        CUDA_CHECK_LAUNCH();
        one_round_kernel<<<1, BLOCK, 0, stream>>>(sums, tiles);
        CUDA_CHECK_LAUNCH();
        places_kernel<<<tiles, BLOCK, 0, stream>>>(x, y, n, bit, sums, tiles);
        CUDA_CHECK_LAUNCH();
    }
}
