// expect: access_limit
// says: launch one kernel per chunk
/* The kernel reads and writes pinned memory itself: right, and without chunks. */
#include "common/check.h"

enum { BLOCK = 256 };  // threads in a block
enum { CHUNK = 4096 }; // elements that are copied at once; the last chunk may have fewer
enum { SLOTS = 3 };    // chunks that are under way at the same time

/* x, y: n ints in device memory; y may be x. Grid: n threads or more. Nothing is missing here. */
__global__ void mix_kernel(const int *x, int *y, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = x[i];
        for (int r = 0; r < rounds; r++) {
            bits = (bits ^ bits >> 16) * 0x7feb352du;
            bits = (bits ^ bits >> 15) * 0x846ca68bu;
        }
        y[i] = bits;
    }
}

void mix_all(const int *x, int *y, int n, int rounds, cudaStream_t stream) {
    if (n > 0) {
        mix_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n, rounds);
        CUDA_CHECK_LAUNCH();
    }
}
