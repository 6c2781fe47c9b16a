/* What the programs of this folder share. Each has one planted mistake, or none; its first line says which verdict is right. */
#ifndef AGREEMENT_H
#define AGREEMENT_H

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define BLOCK 64

inline void check_call(cudaError_t error, const char *call) {
    if (error != cudaSuccess)
        printf("%s: %s\n", call, cudaGetErrorName(error));
}
#define CUDA(call) check_call(call, #call)

static void *buffers[16];
static int buffer_count;

/* Device memory that nobody has written; finish() frees it. */
template <typename T> static T *device_raw(size_t n) {
    T *p = nullptr;
    CUDA(cudaMalloc(&p, n * sizeof(T)));
    buffers[buffer_count++] = p;
    return p;
}

/* The same, with zeros in it. */
template <typename T> static T *device(size_t n) {
    T *p = device_raw<T>(n);
    CUDA(cudaMemset(p, 0, n * sizeof(T)));
    CUDA(cudaDeviceSynchronize());
    return p;
}

/* Waits for the kernels and frees the buffers. */
static int finish() {
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < buffer_count; i++)
        cudaFree(buffers[i]);
    return 0;
}

#endif
