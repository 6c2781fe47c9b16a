/* bench.h - how good is each version? One aligned table, measured on a GPU, counted on the emulator.
 *
 *     struct bench bench = bench_start(2.0 * n * sizeof(float));          bytes that the job moves: read n, write n
 *     bench_run(&bench, "relu_kernel1", launch, &job, n, bytes, flops);   once per version
 *     bench_finish(&bench);                                               prints the table
 *
 * `launch` is a function of the lesson, called as launch(&job, stream): it launches one version and does not wait.
 *
 * On a GPU a row is the median of 21 runs, each between two events, after 3 runs that warm up. Before each run the
 * L2 cache is filled with other data, read and not written, so that no run finds its input there or pays for
 * writing back someone else's. GB/s and GFLOP/s come from the bytes and operations that the job needs, not from those that a
 * version spends. The first rows are a plain copy kernel and cudaMemcpy, of as many bytes, measured in
 * the same run: no kernel that moves this much data can beat a good copy by much, so "% of copy" says how much is left.
 *
 * The emulator has no clock that means anything for a GPU. There a version runs once and the table shows what it asked
 * for: thread instructions (PTX) per element, 32-byte sectors per request of a warp for global loads and stores,
 * wavefronts per request for shared memory, and branches at which a warp split. No time, no speed.
 *
 * After bench_run the caller verifies the output once more: a version that is fast and wrong must not pass.
 */
#ifndef COMMON_BENCH_H
#define COMMON_BENCH_H

#include <string.h>

#include "check.h"
#include "device.h"
#include "record.h"

enum { BENCH_ROWS = 24, BENCH_WARMUP = 3, BENCH_RUNS = 21, BENCH_BLOCK = 256 };

typedef void (*bench_launch)(void *job, cudaStream_t stream);

struct bench_row {
    const char *name;
    double elements, bytes, flops;
    float milliseconds;               /* on a GPU */
    struct emulatorCounters counters; /* on the emulator */
};

struct bench {
    int rows;
    struct bench_row row[BENCH_ROWS];
    float *flush; /* a buffer twice as large as the L2 cache; NULL on the emulator */
    size_t flush_bytes;
};

static __global__ void bench_copy_kernel(const float4 *__restrict__ from, float4 *__restrict__ to, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i];
    }
}

/* Reads everything; the store, which keeps the loads alive, never happens: the buffer holds zeros. */
static __global__ void bench_flush_kernel(float *x, size_t n) {
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        sum += x[i];
    }
    if (sum != 0) {
        x[0] = sum;
    }
}

static inline void bench_flush(const struct bench *bench, cudaStream_t stream) {
    bench_flush_kernel<<<1024, BENCH_BLOCK, 0, stream>>>(bench->flush, bench->flush_bytes / sizeof(float));
    CUDA_CHECK_LAUNCH();
}

static inline int bench_order(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static inline float bench_time(const struct bench *bench, bench_launch launch, void *job) {
    float milliseconds[BENCH_RUNS];
    cudaStream_t stream;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int run = -BENCH_WARMUP; run < BENCH_RUNS; run++) {
        bench_flush(bench, stream);
        CUDA_CHECK(cudaEventRecord(start, stream));
        launch(job, stream);
        CUDA_CHECK(cudaEventRecord(stop, stream));
        CUDA_CHECK(cudaEventSynchronize(stop));
        if (run >= 0) {
            CUDA_CHECK(cudaEventElapsedTime(&milliseconds[run], start, stop));
        }
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaStreamDestroy(stream));
    qsort(milliseconds, BENCH_RUNS, sizeof milliseconds[0], bench_order);
    return milliseconds[BENCH_RUNS / 2];
}

static inline void bench_count(struct emulatorCounters *counters, bench_launch launch, void *job) {
    void (*start)(void) = (void (*)(void))device_emulator_function("emulatorCountersStart");
    void (*stop)(struct emulatorCounters *, size_t) =
        (void (*)(struct emulatorCounters *, size_t))device_emulator_function("emulatorCountersStop");
    memset(counters, 0, sizeof *counters);
    start();
    launch(job, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    stop(counters, sizeof *counters);
}

/* Measures (on the emulator: counts) one version. `bytes` and `flops` are what the job needs; 0 leaves the column empty. */
static inline void bench_run(struct bench *bench, const char *name, bench_launch launch, void *job, double elements,
                             double bytes, double flops) {
    if (bench->rows == BENCH_ROWS) {
        fprintf(stderr, "bench.h: more than %d rows: raise BENCH_ROWS\n", BENCH_ROWS);
        exit(CHECK_EXIT_FAIL);
    }
    struct bench_row *row = &bench->row[bench->rows++];
    memset(row, 0, sizeof *row);
    row->name = name;
    row->elements = elements;
    row->bytes = bytes;
    row->flops = flops;
    if (device_is_emulator()) {
        bench_count(&row->counters, launch, job);
    } else {
        row->milliseconds = bench_time(bench, launch, job);
    }
}

struct bench_copy {
    float4 *from, *to;
    size_t n;
};

static inline void bench_launch_copy(void *job, cudaStream_t stream) {
    const struct bench_copy *copy = (const struct bench_copy *)job;
    unsigned blocks = (unsigned)((copy->n + BENCH_BLOCK - 1) / BENCH_BLOCK);
    bench_copy_kernel<<<blocks, BENCH_BLOCK, 0, stream>>>(copy->from, copy->to, copy->n);
    CUDA_CHECK_LAUNCH();
}

static inline void bench_launch_memcpy(void *job, cudaStream_t stream) {
    const struct bench_copy *copy = (const struct bench_copy *)job;
    CUDA_CHECK(cudaMemcpyAsync(copy->to, copy->from, copy->n * sizeof(float4), cudaMemcpyDeviceToDevice, stream));
}

/* Starts a table. On a GPU its first rows are copies that move `bytes` in all: half of them read, half written. */
static inline struct bench bench_start(double bytes) {
    struct bench bench = {};
    if (device_is_emulator()) {
        return bench;
    }
    int device = 0, l2 = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    bench.flush_bytes = 2 * (size_t)l2 + (1 << 20);
    CUDA_CHECK(cudaMalloc((void **)&bench.flush, bench.flush_bytes));
    CUDA_CHECK(cudaMemset(bench.flush, 0, bench.flush_bytes));

    struct bench_copy copy = {NULL, NULL, (size_t)(bytes / 2 / sizeof(float4)) + 1};
    double moved = 2.0 * (double)copy.n * sizeof(float4);
    CUDA_CHECK(cudaMalloc((void **)&copy.from, copy.n * sizeof(float4)));
    CUDA_CHECK(cudaMalloc((void **)&copy.to, copy.n * sizeof(float4)));
    CUDA_CHECK(cudaMemset(copy.from, 0, copy.n * sizeof(float4)));
    bench_run(&bench, "copy kernel", bench_launch_copy, &copy, 0, moved, 0);
    bench_run(&bench, "cudaMemcpy", bench_launch_memcpy, &copy, 0, moved, 0);
    CUDA_CHECK(cudaFree(copy.from));
    CUDA_CHECK(cudaFree(copy.to));
    return bench;
}

/* One cell, 12 wide: value / per, or a dash where there is nothing to divide by. */
static inline void bench_cell(double value, double per) {
    if (per > 0) {
        printf("  %12.2f", value / per);
    } else {
        printf("  %12s", "-");
    }
}

static inline void bench_print_times(const struct bench *bench) {
    double copy = bench->row[0].bytes / bench->row[0].milliseconds;
    printf("%-16s  %12s  %12s  %12s  %12s\n", "version", "ms", "GB/s", "GFLOP/s", "% of copy");
    for (int r = 0; r < bench->rows; r++) {
        const struct bench_row *row = &bench->row[r];
        printf("%-16s  %12.4f", row->name, row->milliseconds);
        bench_cell(row->bytes / 1e6, row->bytes > 0 ? row->milliseconds : 0);
        bench_cell(row->flops / 1e6, row->flops > 0 ? row->milliseconds : 0);
        bench_cell(100 * row->bytes / row->milliseconds, row->bytes > 0 ? copy : 0);
        printf("\n");
    }
}

/* The same table as rows of data (record.h), with the number of elements, which the table leaves to the lesson. */
static inline void bench_record(const struct bench *bench) {
    double copy = bench->row[0].bytes / bench->row[0].milliseconds;
    for (int r = 0; r < bench->rows; r++) {
        const struct bench_row *row = &bench->row[r];
        record_row(row->name, "ms", row->milliseconds, "ms");
        if (row->elements > 0) {
            record_row(row->name, "elements", row->elements, "");
        }
        if (row->bytes > 0) {
            record_row(row->name, "GB/s", row->bytes / 1e6 / row->milliseconds, "GB/s");
        }
        if (row->flops > 0) {
            record_row(row->name, "GFLOP/s", row->flops / 1e6 / row->milliseconds, "GFLOP/s");
        }
        if (row->bytes > 0 && copy > 0) {
            record_row(row->name, "% of copy", 100 * row->bytes / row->milliseconds / copy, "%");
        }
    }
}

static inline void bench_print_counts(const struct bench *bench) {
    printf("%-16s  %12s  %12s  %12s  %12s  %12s\n", "", "instructions", "sectors", "sectors", "wavefronts",
           "divergent");
    printf("%-16s  %12s  %12s  %12s  %12s  %12s\n", "version", "per element", "per load", "per store", "per shared",
           "branches");
    for (int r = 0; r < bench->rows; r++) {
        const struct bench_row *row = &bench->row[r];
        const struct emulatorCounters *c = &row->counters;
        printf("%-16s", row->name);
        bench_cell((double)c->thread_instructions, row->elements);
        bench_cell((double)c->global_load_sectors, (double)c->global_load_requests);
        bench_cell((double)c->global_store_sectors, (double)c->global_store_requests);
        bench_cell((double)(c->shared_load_wavefronts + c->shared_store_wavefronts),
                   (double)(c->shared_load_requests + c->shared_store_requests));
        printf("  %12llu\n", (unsigned long long)c->divergent_branches);
    }
}

static inline void bench_finish(struct bench *bench) {
    printf("\n");
    if (device_is_emulator()) {
        bench_print_counts(bench);
    } else {
        bench_print_times(bench);
        bench_record(bench);
        CUDA_CHECK(cudaFree(bench->flush));
    }
    printf("\n");
}

#endif
