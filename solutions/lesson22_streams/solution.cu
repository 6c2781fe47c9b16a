/* Exercise 22: a pipeline that never waits.
 *
 * The grader (make exercise22) calls, from the host:
 *
 *     void mix_all(const int *x, int *y, int n, int rounds, cudaStream_t stream);
 *
 *   - x and y are arrays of n ints in pinned host memory; every element of y becomes the mixed element of x (mix_kernel computes
 *     it), and nothing else is written;
 *   - n is 0, 1, 33, CHUNK - 1, CHUNK, CHUNK + 1, 100003 and others, rounds is 1 or more;
 *   - x is valid when all earlier work in `stream` is complete, not before: until then it has other contents. Later work in `stream`
 *     must see y complete. `stream` does not wait for the default stream. The function is called again before the work of the first
 *     call is complete;
 *   - device memory belongs to the stream that it was allocated in: other streams wait for the allocation before they use it;
 *   - the function returns without waiting for anything;
 *   - it uses at most 2 * SLOTS chunks of device memory at a time. No copy and no launch processes more than one chunk, and no copy
 *     uses pageable memory;
 *   - chunks overlap: with c chunks, no chain of copies and kernels that have to wait for each other is longer than c + 4;
 *   - all memory, streams and events that it creates are released;
 *   - no error is ignored: CUDA_CHECK(...) and CUDA_CHECK_LAUNCH() report a call that fails, and end the program.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { BLOCK = 256 };  // threads in a block
enum { CHUNK = 4096 }; // elements that are copied at once; the last chunk may have fewer
enum { SLOTS = 3 };    // chunks that are in flight at the same time

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

    //> TODO 1: for each slot, take memory for a chunk in and a chunk out from the pool, and make a stream that does not wait for
    //>         the default stream. Then let all these streams wait until what `stream` holds is done.
    //| (void)x, (void)y, (void)n, (void)rounds, (void)stream, (void)in, (void)out, (void)worker;
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaMallocAsync((void **)&in[s], CHUNK * sizeof(int), stream));
        CUDA_CHECK(cudaMallocAsync((void **)&out[s], CHUNK * sizeof(int), stream));
        CUDA_CHECK(cudaStreamCreateWithFlags(&worker[s], cudaStreamNonBlocking));
    }
    CUDA_CHECK(cudaEventRecord(event, stream));
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaStreamWaitEvent(worker[s], event, 0));
    }
    //<

    //> TODO 2: for each chunk, three operations: copy it in, launch mix_kernel, copy the result out. Which slot, which stream?
    //>         How many elements has the last chunk?
    for (int c = 0; c * CHUNK < n; c++) {
        int s = c % SLOTS, first = c * CHUNK, count = min(CHUNK, n - first);
        CUDA_CHECK(cudaMemcpyAsync(in[s], x + first, count * sizeof(int), cudaMemcpyHostToDevice, worker[s]));
        mix_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, worker[s]>>>(in[s], out[s], count, rounds);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaMemcpyAsync(y + first, out[s], count * sizeof(int), cudaMemcpyDeviceToHost, worker[s]));
    }
    //<

    //> TODO 3: let `stream` wait for all the workers, and give everything back, without waiting.
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaEventRecord(event, worker[s])); // the wait takes what the event stands for now
        CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0));
        CUDA_CHECK(cudaStreamDestroy(worker[s])); // its work is still done
    }
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaFreeAsync(in[s], stream));
        CUDA_CHECK(cudaFreeAsync(out[s], stream));
    }
    //<
    CUDA_CHECK(cudaEventDestroy(event));
}
