// expect: race
// says: a copy reads x in a stream that does not wait
/* A stream for each kind of work. Those of the kernels and of the copies out wait for the caller's; the copies in begin at once. */
#include "common/check.h"

enum { BLOCK = 256 };  // threads in a block
enum { CHUNK = 4096 }; // elements that are copied at once; the last chunk may have fewer
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
    int *in[SLOTS], *out[SLOTS];
    cudaStream_t worker[SLOTS];
    cudaEvent_t event;
    cudaEvent_t arrived[SLOTS], computed[SLOTS], sent[SLOTS];
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaMallocAsync((void **)&in[s], CHUNK * sizeof(int), stream));
        CUDA_CHECK(cudaMallocAsync((void **)&out[s], CHUNK * sizeof(int), stream));
        CUDA_CHECK(cudaStreamCreateWithFlags(&worker[s], cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&arrived[s], cudaEventDisableTiming));
        CUDA_CHECK(cudaEventCreateWithFlags(&computed[s], cudaEventDisableTiming));
        CUDA_CHECK(cudaEventCreateWithFlags(&sent[s], cudaEventDisableTiming));
    }
    CUDA_CHECK(cudaEventRecord(event, stream));
    for (int s = 1; s < SLOTS; s++) {
        CUDA_CHECK(cudaStreamWaitEvent(worker[s], event, 0));
    }

    cudaStream_t to_device = worker[0], compute = worker[1], to_host = worker[2];
    for (int c = 0; c * CHUNK < n; c++) {
        int s = c % SLOTS, first = c * CHUNK, count = min(CHUNK, n - first);
        CUDA_CHECK(cudaStreamWaitEvent(to_device, computed[s], 0)); // not yet recorded: no wait
        CUDA_CHECK(cudaMemcpyAsync(in[s], x + first, count * sizeof(int), cudaMemcpyHostToDevice, to_device));
        CUDA_CHECK(cudaEventRecord(arrived[s], to_device));

        CUDA_CHECK(cudaStreamWaitEvent(compute, arrived[s], 0));
        CUDA_CHECK(cudaStreamWaitEvent(compute, sent[s], 0));
        mix_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, compute>>>(in[s], out[s], count, rounds);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaEventRecord(computed[s], compute));

        CUDA_CHECK(cudaStreamWaitEvent(to_host, computed[s], 0));
        CUDA_CHECK(cudaMemcpyAsync(y + first, out[s], count * sizeof(int), cudaMemcpyDeviceToHost, to_host));
        CUDA_CHECK(cudaEventRecord(sent[s], to_host));
    }

    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaEventRecord(event, worker[s]));
        CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0));
        CUDA_CHECK(cudaStreamDestroy(worker[s]));
        CUDA_CHECK(cudaEventDestroy(arrived[s]));
        CUDA_CHECK(cudaEventDestroy(computed[s]));
        CUDA_CHECK(cudaEventDestroy(sent[s]));
    }
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaFreeAsync(in[s], stream));
        CUDA_CHECK(cudaFreeAsync(out[s], stream));
    }
    CUDA_CHECK(cudaEventDestroy(event));
}
