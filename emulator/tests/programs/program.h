/* What every self-checking program here uses: CUDA calls that must succeed, and one line per check. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t cuda_error = (call);                                                                               \
        if (cuda_error != cudaSuccess) {                                                                               \
            printf("not ok %s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(cuda_error));                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* After a launch: both the launch and the kernel must have succeeded. */
#define FINISH()                                                                                                       \
    do {                                                                                                               \
        CUDA(cudaGetLastError());                                                                                      \
        CUDA(cudaDeviceSynchronize());                                                                                 \
    } while (0)

static int program_failures;

static inline void check(const char *name, bool right) {
    printf(right ? "ok %s\n" : "not ok %s: wrong result\n", name);
    program_failures += !right;
}

/* The first element that differs is shown. */
template <typename T> static void check_equal(const char *name, const T *expected, const T *found, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&expected[i], &found[i], sizeof(T)) != 0) {
            printf("not ok %s: [%zu] expected %.17g, found %.17g\n", name, i, (double)expected[i], (double)found[i]);
            program_failures++;
            return;
        }
    }
    printf("ok %s\n", name);
}

template <typename T>
static void check_close(const char *name, const T *expected, const T *found, size_t count, double tolerance) {
    for (size_t i = 0; i < count; i++) {
        if (!(fabs((double)found[i] - (double)expected[i]) <= tolerance * (1 + fabs((double)expected[i])))) {
            printf("not ok %s: [%zu] expected %.17g, found %.17g\n", name, i, (double)expected[i], (double)found[i]);
            program_failures++;
            return;
        }
    }
    printf("ok %s\n", name);
}

/* Device memory with a copy of the host's, and back. */
template <typename T> static T *to_device(const T *host, size_t count) {
    T *device;
    CUDA(cudaMalloc(&device, count * sizeof(T)));
    CUDA(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}
template <typename T> static T *device_zeros(size_t count) {
    T *device;
    CUDA(cudaMalloc(&device, count * sizeof(T)));
    CUDA(cudaMemset(device, 0, count * sizeof(T)));
    CUDA(cudaStreamSynchronize(0)); /* no kernel in a stream of its own may come before it */
    return device;
}
template <typename T> static void from_device(T *host, T *device, size_t count) {
    CUDA(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost));
}

/* Results that any GPU prints alike: tests compare them with what an H200 printed. */
static inline void show(const char *name, long long value) {
    printf("%s = %lld\n", name, value);
}
/* All the bits of an array in one number (FNV-1a). */
template <typename T> static void show_bits(const char *name, const T *x, size_t count) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count * sizeof(T); i++)
        hash = (hash ^ ((const unsigned char *)x)[i]) * 0x100000001b3u;
    printf("%s = %016llx\n", name, (unsigned long long)hash);
}

static inline uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#endif
