/* Kernels read x and write y in pinned memory themselves, chunk by chunk. */
#include "common/check.h"

enum { BLOCK = 256 };  // threads in a block
enum { CHUNK = 4096 }; // elements that are copied at once; the last chunk may have fewer
enum { SLOTS = 3 };    // chunks that are under way at the same time

/* x, y: n ints in device memory. Grid: n threads or more. Nothing is missing here. */
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
    cudaStream_t worker[SLOTS];
    cudaEvent_t event;
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault));
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&worker[s], cudaStreamNonBlocking));
        CUDA_CHECK(cudaStreamWaitEvent(worker[s], event, 0));
    }
    for (int c = 0; c * CHUNK < n; c++) {
        int first = c * CHUNK, count = min(CHUNK, n - first);
        mix_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, worker[c % SLOTS]>>>(x + first, y + first, count, rounds);
        CUDA_CHECK_LAUNCH();
    }
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaEventRecord(event, worker[s]));
        CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0));
        CUDA_CHECK(cudaStreamDestroy(worker[s]));
    }
    CUDA_CHECK(cudaEventDestroy(event));
}
