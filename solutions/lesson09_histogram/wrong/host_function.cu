// expect: not_by_kernel
/* The host counts, in the middle of the stream, and nobody waits; a kernel is launched for the looks of it. */
#include <string.h>

#include "common/check.h"

struct task {
    unsigned char *x; // pinned: what the copies really wait for
    unsigned *counts;
    int n;
};

__global__ void looks_busy(unsigned *counts) {
    counts[0] = 0;
}

static void CUDART_CB count(void *argument) {
    struct task *task = (struct task *)argument;
    memset(task->counts, 0, 256 * sizeof(unsigned));
    for (int i = 0; i < task->n; i++) {
        task->counts[task->x[i]]++;
    }
}

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    struct task *task = new struct task;
    task->n = n;
    CUDA_CHECK(cudaMallocHost((void **)&task->x, n + 1));
    CUDA_CHECK(cudaMallocHost((void **)&task->counts, 256 * sizeof(unsigned)));
    looks_busy<<<1, 1, 0, stream>>>(counts);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyAsync(task->x, x, n, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaLaunchHostFunc(stream, count, task));
    CUDA_CHECK(cudaMemcpyAsync(counts, task->counts, 256 * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    (void)x, (void)n, (void)low, (void)scale, (void)bins, (void)counts, (void)stream;
}
