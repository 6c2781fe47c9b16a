/* sweep SIZE LIST [RUNS]: times each kernel of the files named in LIST in turns with cuBLAS, and compares the results.
 * A file's name says how its kernel is launched: BM_BN_BK_WM_WN_TM_TN_STAGES_... Each run uses other matrices than the
 * one before. With RECORD=FILE the times are appended to that file as rows of data (common/record.h). */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <algorithm>
#include <vector>
#include <string>
#include "../../../../common/record.h"
#define CK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e = (x);                                                                                           \
        if (e) {                                                                                                       \
            printf("%s:%d %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e));                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
__global__ void fill(float *x, size_t n, unsigned seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u + seed * 40503u;
        h ^= h >> 16;
        h *= 0x85ebca6b;
        h ^= h >> 13;
        h *= 0xc2b2ae35;
        h ^= h >> 16;
        x[i] = (h >> 8) * (2.0f / 16777216.0f) - 1.0f;
    }
}
__global__ void worst(const float *a, const float *b, size_t n, float *out) {
    float w = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float d = fabsf(a[i] - b[i]);
        if (!(d <= w))
            w = isnan(d) ? 1e30f : d;
    }
    atomicMax((int *)out, __float_as_int(w));
}
typedef int (*create_t)(void **);
typedef int (*sgemm_t)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                       const float *, float *, int);
static void *handle;
static sgemm_t sgemm;
static int n;
static float *A[3], *B[3], *C[3], *R[3], *W;
static const float one = 1, zero = 0;
static void cublas(int s) {
    if (sgemm(handle, 0, 0, n, n, n, &one, B[s], n, A[s], n, &zero, R[s], n)) {
        printf("cublas failed\n");
        exit(1);
    }
}
static cudaEvent_t e0, e1;
template <class F> static float ms(F f) {
    float t;
    CK(cudaEventRecord(e0));
    f();
    CK(cudaEventRecord(e1));
    CK(cudaEventSynchronize(e1));
    CK(cudaEventElapsedTime(&t, e0, e1));
    return t;
}
static float med(std::vector<float> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}
int main(int argc, char **argv) {
    n = atoi(argv[1]);
    int runs = argc > 3 ? atoi(argv[3]) : 7;
    size_t count = (size_t)n * n;
    void *lib = dlopen("libcublas.so.13", RTLD_NOW);
    if (!lib)
        lib = dlopen("libcublas.so.12", RTLD_NOW);
    if (!lib) {
        printf("no cublas: %s\n", dlerror());
        return 1;
    }
    ((create_t)dlsym(lib, "cublasCreate_v2"))(&handle);
    sgemm = (sgemm_t)dlsym(lib, "cublasSgemm_v2");
    for (int s = 0; s < 3; s++) {
        CK(cudaMalloc(&A[s], count * 4));
        CK(cudaMalloc(&B[s], count * 4));
        CK(cudaMalloc(&C[s], count * 4));
        CK(cudaMalloc(&R[s], count * 4));
        fill<<<1024, 256>>>(A[s], count, 2 * s + 1);
        fill<<<1024, 256>>>(B[s], count, 2 * s + 2);
    }
    CK(cudaMalloc(&W, 4));
    CK(cudaEventCreate(&e0));
    CK(cudaEventCreate(&e1));
    for (int i = 0; i < 30; i++)
        cublas(i % 3);
    CK(cudaDeviceSynchronize());
    FILE *f = fopen(argv[2], "r");
    char line[512];
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        int bm, bn, bk, wm, wn, tm, tn, st;
        const char *base = strrchr(line, '/') ? strrchr(line, '/') + 1 : line;
        if (sscanf(base, "%d_%d_%d_%d_%d_%d_%d_%d", &bm, &bn, &bk, &wm, &wn, &tm, &tn, &st) != 8)
            continue;
        cudaLibrary_t library;
        cudaKernel_t kernels[1];
        if (cudaLibraryLoadFromFile(&library, line, NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess) {
            printf("%s: cannot load\n", line);
            cudaGetLastError();
            continue;
        }
        CK(cudaLibraryEnumerateKernels(kernels, 1, library));
        int threads = bm / wm * (bn / wn) * 32;
        size_t smem = (size_t)st * bk * (bm + 4 + bn) * 4;
        if (cudaFuncSetAttribute((void *)kernels[0], cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem) !=
            cudaSuccess) {
            printf("%s: smem %zu\n", line, smem);
            cudaGetLastError();
            continue;
        }
        int blocks = 0;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)kernels[0], threads, smem);
        auto ours = [&](int s) {
            float al = 1, be = 0;
            void *args[] = {&n, &n, &n, &al, &A[s], &B[s], &be, &C[s]};
            CK(cudaLaunchKernel((void *)kernels[0], dim3((n / bm) * (n / bn)), dim3(threads), args, smem, 0));
        };
        CK(cudaMemset(C[0], 0xff, count * 4));
        ours(0);
        cublas(0);
        CK(cudaMemset(W, 0, 4));
        worst<<<1024, 256>>>(C[0], R[0], count, W);
        float w;
        CK(cudaMemcpy(&w, W, 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 2; i++)
            ours(i);
        std::vector<float> mine, theirs;
        for (int r = 0; r < runs; r++) {
            mine.push_back(ms([&] { ours(r % 3); }));
            if (r % 2 == 0)
                theirs.push_back(ms([&] { cublas((r + 1) % 3); }));
        }
        double fl = 2.0 * n * n * n / 1e9;
        printf("%6.2f TF  ratio %.4f  cublas %6.2f  occ %d  err %.1e  %s\n", fl / med(mine), med(theirs) / med(mine),
               fl / med(theirs), blocks, w, base);
        fflush(stdout);
        std::string row(base, strcspn(base, "."));
        record_row(row.c_str(), "TFLOP/s", fl / med(mine), "TFLOP/s");
        record_row(row.c_str(), "cuBLAS", fl / med(theirs), "TFLOP/s");
        record_row(row.c_str(), "blocks", blocks, "");
        record_row(row.c_str(), "difference", w, "");
        cudaLibraryUnload(library);
    }
    // sustained: cuBLAS alone, 100 runs
    float t = ms([&] {
        for (int i = 0; i < 100; i++)
            cublas(i % 3);
    });
    record_print("cublas 100 in a row: %.2f TF\n", "cuBLAS, 100 in a row", "TFLOP/s", "TFLOP/s",
                 2.0 * n * n * n / 1e9 / (t / 100));
    return 0;
}
