/* sweep.cu: how fast is each way to scan in a single pass? Inclusive, TYPE float or int, every candidate verified; a copy and CUB in the
 * same run, and again in turns with the best.
 *
 *     sweep [N ...]         default: 2^28 and 2^24 + 12345
 *     RECORD=FILE sweep     appends the candidates' rows to that file, as data: family, threads, K, window, stages, flags, blocks
 *
 * Floats are verified twice: small whole numbers, whose sums are exact in any order, and random numbers, held to a bound that grows with
 * the root of the number of additions.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../common/record.h"

#include <cub/device/device_scan.cuh>

#include "sweep.h"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#ifdef FEW
void family9(struct candidates *all);
#else
void family0(struct candidates *all);
void family1(struct candidates *all);
void family2(struct candidates *all);
void family3(struct candidates *all);
void family4(struct candidates *all);
void family5(struct candidates *all);
void family6(struct candidates *all);
#endif

enum { BEST = 12, RUNS = 5, TURNS = 21 };
static const bool is_float = (TYPE)0.5 != (TYPE)0;

// ---------------------------------------------------------------- input and verification, on the GPU

static __device__ unsigned mix(unsigned long long i) {
    unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return (unsigned)(z >> 32);
}

/* whole: -3 to 3, otherwise random. */
static __global__ void fill(TYPE *x, long long n, bool whole, unsigned long long seed) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (long long)blockDim.x) {
        unsigned r = mix(i + seed * 1000003);
        x[i] = whole ? (TYPE)((int)(r % 7) - 3) : (TYPE)0.5 != (TYPE)0 ? (TYPE)(r / 4294967296.0) : (TYPE)r;
    }
}

/* Counts elements that differ by more than tolerance * (the exact value + 1), and keeps the largest such ratio. */
static __global__ void compare(const TYPE *y, const double *exact, const int *exact_int, long long n, double tolerance,
                               unsigned long long *wrong, unsigned long long *worst) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (long long)blockDim.x) {
        double error = exact ? fabs((double)y[i] - exact[i]) / (fabs(exact[i]) + 1) : y[i] != (TYPE)exact_int[i];
        if (!(error <= tolerance)) {
            atomicAdd(wrong, 1ull);
        }
        if (error * 1e15 > (double)*worst) {
            atomicMax(worst, (unsigned long long)(error * 1e15));
        }
    }
}

static __global__ void copy(const float4 *x, float4 *y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}

struct problem {
    long long n;
    TYPE *x[2], *y; // random, whole
    double *exact[2];
    int *exact_int[2];
    void *temporary, *scratch; // CUB's; ticket and words
    size_t temporary_bytes, scratch_bytes;
    unsigned long long *counts;
};

static void reference(struct problem *p, int which) {
    TYPE *x = (TYPE *)malloc(p->n * sizeof(TYPE) + 1);
    CHECK(cudaMemcpy(x, p->x[which], p->n * sizeof(TYPE), cudaMemcpyDeviceToHost));
    if (is_float) {
        double *sums = (double *)malloc(p->n * sizeof(double) + 1), sum = 0;
        for (long long i = 0; i < p->n; i++) {
            sums[i] = sum += x[i];
        }
        CHECK(cudaMalloc((void **)&p->exact[which], p->n * sizeof(double) + 1));
        CHECK(cudaMemcpy(p->exact[which], sums, p->n * sizeof(double), cudaMemcpyHostToDevice));
        free(sums);
    } else {
        unsigned sum = 0, *sums = (unsigned *)malloc(p->n * sizeof(unsigned) + 1);
        for (long long i = 0; i < p->n; i++) {
            sums[i] = sum += (unsigned)x[i];
        }
        CHECK(cudaMalloc((void **)&p->exact_int[which], p->n * sizeof(int) + 1));
        CHECK(cudaMemcpy(p->exact_int[which], sums, p->n * sizeof(int), cudaMemcpyHostToDevice));
        free(sums);
    }
    free(x);
}

static struct problem create(long long n) {
    struct problem p = {};
    p.n = n;
    CHECK(cudaMalloc((void **)&p.y, n * sizeof(TYPE) + 16));
    CHECK(cudaMalloc((void **)&p.counts, 16));
    for (int which = 0; which < 2; which++) {
        CHECK(cudaMalloc((void **)&p.x[which], n * sizeof(TYPE) + 16));
        fill<<<1024, 256>>>(p.x[which], n, which == 1, 1);
        reference(&p, which);
    }
    CHECK(cub::DeviceScan::InclusiveSum(NULL, p.temporary_bytes, p.x[0], p.y, n));
    CHECK(cudaMalloc(&p.temporary, p.temporary_bytes));
    p.scratch_bytes = 1024 + n / 256;
    CHECK(cudaMalloc(&p.scratch, p.scratch_bytes));
    return p;
}

static void destroy(struct problem *p) {
    for (int which = 0; which < 2; which++) {
        CHECK(cudaFree(p->x[which]));
        CHECK(cudaFree(p->exact[which]));
        CHECK(cudaFree(p->exact_int[which]));
    }
    CHECK(cudaFree(p->y));
    CHECK(cudaFree(p->temporary));
    CHECK(cudaFree(p->scratch));
    CHECK(cudaFree(p->counts));
}

// ---------------------------------------------------------------- what is timed

struct row {
    const struct candidate *candidate; // NULL: a copy, CUB
    bool cub, memcpy;
    int blocks_per_sm, registers;
    double ms, worst;
    unsigned long long wrong;
};

static int multiprocessors, l2_bytes;
static float *flush_buffer;

static void launch(const struct problem *p, const struct row *row, const TYPE *x) {
    if (row->cub) {
        size_t bytes = p->temporary_bytes;
        CHECK(cub::DeviceScan::InclusiveSum(p->temporary, bytes, x, p->y, p->n));
        return;
    }
    if (row->memcpy) {
        CHECK(cudaMemcpyAsync(p->y, x, p->n * sizeof(TYPE), cudaMemcpyDeviceToDevice));
        return;
    }
    const struct candidate *c = row->candidate;
    if (!c) {
        long long n4 = p->n / 4;
        copy<<<(unsigned)((n4 + 255) / 256), 256>>>((const float4 *)x, (float4 *)p->y, n4);
        return;
    }
    long long tile = (long long)c->threads * c->rows * 4, tiles = (p->n + tile - 1) / tile;
    long long blocks = c->persistent ? (long long)multiprocessors * row->blocks_per_sm : tiles;
    if (blocks > tiles) {
        blocks = tiles;
    }
    unsigned *ticket = (unsigned *)p->scratch;
    unsigned long long *words = (unsigned long long *)p->scratch + 16;
    CHECK(cudaMemsetAsync(p->scratch, 0, 128 + tiles * 8));
    c->kernel<<<(unsigned)blocks, c->threads, c->shared>>>(x, p->y, p->n, words, ticket);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        printf("launch: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static double time_once(const struct problem *p, const struct row *row, bool flush) {
    static cudaEvent_t start, stop;
    if (!start) {
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&stop));
    }
    float ms = 0;
    if (flush) {
        CHECK(cudaMemsetAsync(flush_buffer, 0, 2 * (size_t)l2_bytes));
    }
    CHECK(cudaEventRecord(start));
    launch(p, row, p->x[0]);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, int count) {
    qsort(ms, count, sizeof *ms, by_value);
    return ms[count / 2];
}

static void verify(const struct problem *p, struct row *row) {
    unsigned long long counts[2] = {0, 0};
    if (!row->candidate && !row->cub) {
        return;
    }
    row->wrong = 0;
    for (int which = 0; which < 2; which++) {
        double tolerance = !is_float || which == 1 ? 0 : 6e-8 * sqrt((double)p->n);
        CHECK(cudaMemset(p->y, 0xff, p->n * sizeof(TYPE)));
        CHECK(cudaMemset(p->counts, 0, 16));
        launch(p, row, p->x[which]);
        compare<<<1024, 256>>>(p->y, p->exact[which], p->exact_int[which], p->n, tolerance, p->counts, p->counts + 1);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(counts, p->counts, 16, cudaMemcpyDeviceToHost));
        row->wrong += counts[0];
        row->worst = which == 0 ? counts[1] * 1e-15 : row->worst;
    }
}

static void print_head(void) {
    printf("%-13s %7s %4s %6s %6s %5s %3s %4s  %s\n", "kernel", "threads", "K", "window", "stages", "flags", "per",
           "regs", "      ms     GB/s  %copy  x CUB  verified");
}

static void print_row(const struct problem *p, const struct row *row, double copy_ms, double cub_ms) {
    const struct candidate *c = row->candidate;
    if (c) {
        printf("%-13s %7d %4d %6d %6d %5d %3d %4d ", c->family, c->threads, c->rows, c->window, c->stages, c->flags,
               row->blocks_per_sm, row->registers);
    } else {
        printf("%-54s ", row->cub ? "CUB" : row->memcpy ? "cudaMemcpy" : "copy");
    }
    double speed = 2.0 * p->n * sizeof(TYPE) / row->ms / 1e6;
    printf(" %8.4f %8.1f %6.2f %6.3f  ", row->ms, speed, 100 * copy_ms / row->ms, cub_ms / row->ms);
    if (c) {
        char name[128];
        snprintf(name, sizeof name, "%s %d %d %d %d %d %d", c->family, c->threads, c->rows, c->window, c->stages,
                 c->flags, row->blocks_per_sm);
        record_row(name, "ms", row->ms, "ms");
        record_row(name, "GB/s", speed, "GB/s");
        record_row(name, "% of copy", 100 * copy_ms / row->ms, "%");
    }
    if (row->wrong) {
        printf("%llu WRONG\n", row->wrong);
    } else {
        printf("ok %.1e\n", row->worst);
    }
}

static int by_time(const void *a, const void *b) {
    double x = ((const struct row *)a)->ms, y = ((const struct row *)b)->ms;
    return (x > y) - (x < y);
}

static void measure(const struct problem *p, struct row *row) {
    double ms[RUNS];
    time_once(p, row, false);
    for (int r = 0; r < RUNS; r++) {
        ms[r] = time_once(p, row, false);
    }
    row->ms = median(ms, RUNS);
    verify(p, row);
}

/* All of them, one after the other. Returns how many rows there are. */
static int sweep(const struct problem *p, const struct candidates *all, struct row *rows) {
    struct row peer[3] = {};
    int count = 0;
    peer[1].cub = true;
    peer[2].memcpy = true;
    for (int k = 0; k < 3; k++) {
        measure(p, &peer[k]);
    }
    print_head();
    for (int k = 0; k < 3; k++) {
        print_row(p, &peer[k], peer[0].ms, peer[1].ms);
    }
    for (int c = 0; c < all->count; c++) {
        const struct candidate *one = &all->list[c];
        int fit = 0, before = 0;
        struct cudaFuncAttributes attributes;
        CHECK(cudaFuncGetAttributes(&attributes, (const void *)one->kernel));
        if (one->shared > 48 * 1024) {
            if (cudaFuncSetAttribute((const void *)one->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)one->shared) != cudaSuccess) {
                cudaGetLastError();
                continue;
            }
        }
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, one->kernel, one->threads, one->shared));
        const int tries[] = {1, 2, 3, 4, fit};
        for (int k = one->persistent ? 0 : 4; k < 5; k++) {
            int per = tries[k];
            if (per > fit || per <= before || per * one->threads > 2048) {
                continue;
            }
            before = per;
            struct row row = {one, false, false, per, attributes.numRegs, 0, 0, 0};
            measure(p, &row);
            print_row(p, &row, peer[0].ms, peer[1].ms);
            fflush(stdout);
            rows[count++] = row;
        }
    }
    return count;
}

/* The best ones in turns with the peers, each run after the L2 was filled with other data. */
static void turns(const struct problem *p, struct row *rows, int count) {
    struct row best[BEST + 3] = {};
    static double ms[BEST + 3][TURNS];
    best[1].cub = true;
    best[2].memcpy = true;
    qsort(rows, count, sizeof *rows, by_time);
    int total = 3;
    for (int r = 0; r < count && total < BEST + 3; r++) {
        if (!rows[r].wrong) {
            best[total++] = rows[r];
        }
    }
    for (int run = -2; run < TURNS; run++) {
        for (int k = 0; k < total; k++) {
            int b = (k * 7 + run + 2) % total; // total is 15: each order is another one
            double once = time_once(p, &best[b], true);
            if (run >= 0) {
                ms[b][run] = once;
            }
        }
    }
    printf("\nthe best, in turns\n");
    record_part("tuning %s n=%lld in turns", is_float ? "float" : "int", p->n);
    print_head();
    for (int b = 0; b < total; b++) {
        best[b].ms = median(ms[b], TURNS);
        verify(p, &best[b]);
    }
    for (int b = 0; b < total; b++) {
        print_row(p, &best[b], best[0].ms, best[1].ms);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    static struct candidates all;
    static struct row rows[5 * CANDIDATES_MAX];
    const long long sizes[] = {1ll << 28, (1 << 24) + 12345};
#ifdef FEW
    family9(&all);
#else
    family0(&all);
    family1(&all);
    family2(&all);
    family3(&all);
    family4(&all);
    family5(&all);
    family6(&all);
#endif
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
    CHECK(cudaMalloc((void **)&flush_buffer, 2 * (size_t)l2_bytes + 16));
    for (int s = 0; s < (argc > 1 ? argc - 1 : 2); s++) {
        struct problem p = create(argc > 1 ? atoll(argv[s + 1]) : sizes[s]);
        printf("n = %lld, %s; flags: 1 ticket, 2 plain loads, 4 plain stores, 8 no L1, 16 sleep, 32 bulk, 64 delay, "
               "128 first out, 256 no chain; window 0: rounds\n",
               p.n, is_float ? "float" : "int");
        record_part("tuning %s n=%lld", is_float ? "float" : "int", p.n);
        int count = sweep(&p, &all, rows);
        turns(&p, rows, count);
        destroy(&p);
    }
    return 0;
}
