// expect: not_by_kernel
/* The host computes, in the middle of the stream, and nobody waits; a kernel is launched for the looks of it. */
#include "common/check.h"

__global__ void looks_busy(float *out) {
    out[0] = 0;
}

struct task {
    float *from, *to; // pinned: what the copies really wait for
    size_t n;
    int rows, cols;
};

static void turn(void *argument) {
    struct task *t = (struct task *)argument;
    size_t rows = t->rows, cols = t->cols, each = rows * cols;
    for (size_t i = 0; i < t->n; i++) {
        t->to[i / each * each + i % cols * rows + i % each / cols] = t->from[i];
    }
}

/* In the stream, so nobody waits: a copy to the host, a function there, and a copy back. */
static void on_the_host(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    size_t n = (size_t)count * rows * cols;
    if (n == 0) {
        return;
    }
    struct task *t = new task{NULL, NULL, n, rows, cols};
    CUDA_CHECK(cudaMallocHost((void **)&t->from, n * sizeof(float)));
    CUDA_CHECK(cudaMallocHost((void **)&t->to, n * sizeof(float)));
    looks_busy<<<1, 1, 0, stream>>>(out);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyAsync(t->from, in, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaLaunchHostFunc(stream, turn, t));
    CUDA_CHECK(cudaMemcpyAsync(out, t->to, n * sizeof(float), cudaMemcpyHostToDevice, stream));
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    on_the_host(in, out, count, rows, cols, stream);
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    on_the_host(x, x, 1, n, n, stream);
}
