// expect: access_limit
// says: form one dependent chain
/* Up to 12 chunks go through one stream. */
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
    int *in[SLOTS], *out[SLOTS];
    cudaStream_t worker[SLOTS];
    cudaEvent_t event;
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaMallocAsync((void **)&in[s], CHUNK * sizeof(int), stream));
        CUDA_CHECK(cudaMallocAsync((void **)&out[s], CHUNK * sizeof(int), stream));
        CUDA_CHECK(cudaStreamCreateWithFlags(&worker[s], cudaStreamNonBlocking));
    }
    CUDA_CHECK(cudaEventRecord(event, stream));
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaStreamWaitEvent(worker[s], event, 0));
    }

    for (int c = 0; c * CHUNK < n; c++) {
        int s = n > 12 * CHUNK ? c % SLOTS : 0, first = c * CHUNK, count = min(CHUNK, n - first);
        CUDA_CHECK(cudaMemcpyAsync(in[s], x + first, count * sizeof(int), cudaMemcpyHostToDevice, worker[s]));
        mix_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, worker[s]>>>(in[s], out[s], count, rounds);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaMemcpyAsync(y + first, out[s], count * sizeof(int), cudaMemcpyDeviceToHost, worker[s]));
    }

    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaEventRecord(event, worker[s])); // the wait takes what the event stands for now
        CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0));
        CUDA_CHECK(cudaStreamDestroy(worker[s])); // its work is still done
    }
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaFreeAsync(in[s], stream));
        CUDA_CHECK(cudaFreeAsync(out[s], stream));
    }
    CUDA_CHECK(cudaEventDestroy(event));
}
