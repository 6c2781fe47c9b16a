// expect: access_limit
// says: bytes of x or y were copied in one call
/* As much device memory as is allowed, and chunks of twice the size. */
#include "common/check.h"

enum { BLOCK = 256 };  // threads in a block
enum { CHUNK = 8192 }; // elements that are copied at once; the last chunk may have fewer
enum { SLOTS = 3 };    // chunks that are under way at the same time

/* x, y: n ints in device memory. Grid: n threads or more. */
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
    int *slot[SLOTS];
    cudaStream_t worker[SLOTS];
    cudaEvent_t event;
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaStreamCreate(&worker[s]));
    }
    CUDA_CHECK(cudaEventRecord(event, stream));
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaStreamWaitEvent(worker[s], event, 0));
        CUDA_CHECK(cudaMallocAsync((void **)&slot[s], CHUNK * sizeof(int), worker[s]));
    }

    for (int c = 0; c * CHUNK < n; c++) {
        int s = c % SLOTS, first = c * CHUNK, count = min(CHUNK, n - first);
        CUDA_CHECK(cudaMemcpyAsync(slot[s], x + first, count * sizeof(int), cudaMemcpyHostToDevice, worker[s]));
        mix_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, worker[s]>>>(slot[s], slot[s], count, rounds);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaMemcpyAsync(y + first, slot[s], count * sizeof(int), cudaMemcpyDeviceToHost, worker[s]));
    }

    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaFreeAsync(slot[s], worker[s]));
        CUDA_CHECK(cudaEventRecord(event, worker[s]));
        CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0));
        CUDA_CHECK(cudaStreamDestroy(worker[s]));
    }
    CUDA_CHECK(cudaEventDestroy(event));
}
