/* turns.h - versions and the library that they are compared with, timed in turns. For a GPU only.
 *
 *     struct turns turns = turns_start();
 *     turns_add(&turns, "CUB", launch, &job0, bytes, flops);            the first row: the others are compared with it
 *     turns_add(&turns, "sum_kernel1", launch, &job1, bytes, flops);    launch(&job, stream) must not wait
 *     turns_run(&turns);                                                 fills in the medians
 *     turns_print(&turns, "% of CUB");
 *     turns_end(&turns);
 *
 * bench.h times one version after the other; when a GPU gets warm and slow meanwhile, the last one pays. Here each of
 * 21 rounds runs every row once, after 3 rounds that warm up, so that all rows see the same machine. Each round has
 * another order, so that no row always runs behind the same one. As in bench.h the L2 cache is filled with other data
 * before each run, a time is what passes between two events, and a row's result is the median. The lowest and the
 * highest of its 21 times are kept as well: a difference smaller than that spread is noise.
 *
 * With `turns.warm = true` each timed run comes right behind one of the same row that is not timed: its data, as far as
 * they fit, and its code are in the caches.
 *
 * Afterwards the caller verifies what was timed: each row has an output of its own.
 */
#ifndef COMMON_TURNS_H
#define COMMON_TURNS_H

#include "bench.h"
#include "verify.h"

struct turns_row {
    const char *name;
    bench_launch launch;
    void *job;
    double bytes, flops;             /* that the job needs; 0 leaves the column empty */
    float milliseconds[BENCH_RUNS];  /* sorted */
    float median, shortest, longest; /* of them */
};

struct turns {
    int rows;
    struct turns_row row[BENCH_ROWS];
    struct bench_copy copy; /* turns_add_copy's */
    bool warm;              /* set it to time runs that find their data and code in the caches */
    struct bench flush;     /* for its buffer */
    cudaStream_t stream;
    cudaEvent_t start, stop;
};

static inline struct turns turns_start(void) {
    struct turns turns = {};
    int device = 0, l2 = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    turns.flush.flush_bytes = 2 * (size_t)l2 + (1 << 20);
    CUDA_CHECK(cudaMalloc((void **)&turns.flush.flush, turns.flush.flush_bytes));
    CUDA_CHECK(cudaMemset(turns.flush.flush, 0, turns.flush.flush_bytes));
    CUDA_CHECK(cudaStreamCreate(&turns.stream));
    CUDA_CHECK(cudaEventCreate(&turns.start));
    CUDA_CHECK(cudaEventCreate(&turns.stop));
    CUDA_CHECK(cudaDeviceSynchronize()); /* what the caller has queued so far is not timed */
    return turns;
}

static inline void turns_add(struct turns *turns, const char *name, bench_launch launch, void *job, double bytes,
                             double flops) {
    if (turns->rows == BENCH_ROWS) {
        fprintf(stderr, "turns.h: more than %d rows: raise BENCH_ROWS\n", BENCH_ROWS);
        exit(CHECK_EXIT_FAIL);
    }
    struct turns_row *row = &turns->row[turns->rows++];
    row->name = name;
    row->launch = launch;
    row->job = job;
    row->bytes = bytes;
    row->flops = flops;
}

/* A row that copies n floats, or up to four more: what no kernel that reads and writes as much can beat by far. */
static inline void turns_add_copy(struct turns *turns, size_t n) {
    struct bench_copy *copy = &turns->copy;
    copy->n = n / 4 + 1;
    CUDA_CHECK(cudaMalloc((void **)&copy->from, copy->n * sizeof(float4)));
    CUDA_CHECK(cudaMalloc((void **)&copy->to, copy->n * sizeof(float4)));
    CUDA_CHECK(cudaMemset(copy->from, 0, copy->n * sizeof(float4)));
    turns_add(turns, "copy kernel", bench_launch_copy, copy, 2.0 * copy->n * sizeof(float4), 0);
}

/* A row that does nothing: what a launch costs by itself, so what no kernel can beat. */
static __global__ void turns_empty_kernel(void) {}

static inline void turns_launch_nothing(void *, cudaStream_t stream) {
    turns_empty_kernel<<<1, 1, 0, stream>>>();
    CUDA_CHECK_LAUNCH();
}

static inline float turns_once(const struct turns *turns, const struct turns_row *row) {
    float milliseconds = 0;
    bench_flush(&turns->flush, turns->stream); /* also warm: while it runs, the CPU queues what follows */
    if (turns->warm) {
        row->launch(row->job, turns->stream);
    }
    CUDA_CHECK(cudaEventRecord(turns->start, turns->stream));
    row->launch(row->job, turns->stream);
    CUDA_CHECK(cudaEventRecord(turns->stop, turns->stream));
    CUDA_CHECK(cudaEventSynchronize(turns->stop));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, turns->start, turns->stop));
    return milliseconds;
}

/* Puts the rows into another order, by chance. */
static inline void turns_shuffle(int *order, int rows, uint64_t *state) {
    for (int r = rows - 1; r > 0; r--) {
        int other = (int)((verify_next(state) >> 33) % (r + 1)), row = order[r];
        order[r] = order[other];
        order[other] = row;
    }
}

static inline void turns_run(struct turns *turns) {
    int order[BENCH_ROWS];
    uint64_t state = 1;
    for (int r = 0; r < turns->rows; r++) {
        order[r] = r;
    }
    for (int run = -BENCH_WARMUP; run < BENCH_RUNS; run++) {
        turns_shuffle(order, turns->rows, &state);
        for (int r = 0; r < turns->rows; r++) {
            struct turns_row *row = &turns->row[order[r]];
            float milliseconds = turns_once(turns, row);
            if (run >= 0) {
                row->milliseconds[run] = milliseconds;
            }
        }
    }
    for (int r = 0; r < turns->rows; r++) {
        struct turns_row *row = &turns->row[r];
        qsort(row->milliseconds, BENCH_RUNS, sizeof row->milliseconds[0], bench_order);
        row->median = row->milliseconds[BENCH_RUNS / 2];
        row->shortest = row->milliseconds[0];
        row->longest = row->milliseconds[BENCH_RUNS - 1];
    }
}

/* The times of a row as rows of data (record.h), under the name that the record has for it. */
static inline void turns_record_times(const struct turns_row *row, const char *name) {
    record_row(name, "ms", row->median, "ms");
    record_row(name, "shortest", row->shortest, "ms");
    record_row(name, "longest", row->longest, "ms");
}

/* The same table as rows of data. */
static inline void turns_record(const struct turns *turns, const char *versus) {
    for (int r = 0; r < turns->rows; r++) {
        const struct turns_row *row = &turns->row[r];
        turns_record_times(row, row->name);
        if (row->bytes > 0) {
            record_row(row->name, "GB/s", row->bytes / 1e6 / row->median, "GB/s");
        }
        if (row->flops > 0) {
            record_row(row->name, "GFLOP/s", row->flops / 1e6 / row->median, "GFLOP/s");
        }
        if (versus && (row->bytes > 0 || row->flops > 0)) {
            record_row(row->name, versus, 100 * turns->row[0].median / row->median, "%");
        }
    }
}

/* The table. `versus` heads the last column: the first row's time divided by this row's, in percent; NULL leaves it
 * out. */
static inline void turns_print(const struct turns *turns, const char *versus) {
    printf("\n%-16s  %12s  %21s  %12s  %12s  %12s\n", "version", "ms", "shortest .. longest", "GB/s", "GFLOP/s",
           versus ? versus : "");
    for (int r = 0; r < turns->rows; r++) {
        const struct turns_row *row = &turns->row[r];
        printf("%-16s  %12.4f  %9.4f .. %8.4f", row->name, row->median, row->shortest, row->longest);
        bench_cell(row->bytes / 1e6, row->bytes > 0 ? row->median : 0);
        bench_cell(row->flops / 1e6, row->flops > 0 ? row->median : 0);
        if (versus) {
            bench_cell(100 * turns->row[0].median, row->bytes > 0 || row->flops > 0 ? row->median : 0);
        }
        printf("\n");
    }
    printf("\n");
    turns_record(turns, versus);
}

/* Another table, where rows move different numbers of bytes: it compares their GB/s with those of the first row, a copy. `times`
 * heads a last column, the time of row `peer` divided by this row's (a dash where peer is -1); NULL leaves it out. */
static inline void turns_print_beside_copy(const struct turns *turns, const char *times, int peer) {
    double copy = turns->row[0].bytes / turns->row[0].median;
    printf("\n%-16s  %10s  %21s  %10s  %10s", "version", "ms", "shortest .. longest", "GB/s", "% of copy");
    if (times) {
        printf("  %12s", times);
    }
    printf("\n");
    for (int r = 0; r < turns->rows; r++) {
        const struct turns_row *row = &turns->row[r];
        double speed = row->bytes / row->median;
        printf("%-16s", row->name);
        record_print("  %10.4f", row->name, "ms", "ms", row->median);
        record_print("  %9.4f", row->name, "shortest", "ms", row->shortest);
        record_print(" .. %8.4f", row->name, "longest", "ms", row->longest);
        record_print("  %10.0f", row->name, "GB/s", "GB/s", speed / 1e6);
        record_print("  %10.1f", row->name, "% of copy", "%", 100 * speed / copy);
        if (times && peer >= 0) {
            record_print("  %12.2f", row->name, times, "", (double)turns->row[peer].median / row->median);
        } else if (times) {
            printf("  %12s", "-");
        }
        printf("\n");
    }
    printf("\n");
}

static inline void turns_end(struct turns *turns) {
    CUDA_CHECK(cudaFree(turns->flush.flush));
    CUDA_CHECK(cudaFree(turns->copy.from));
    CUDA_CHECK(cudaFree(turns->copy.to));
    CUDA_CHECK(cudaEventDestroy(turns->start));
    CUDA_CHECK(cudaEventDestroy(turns->stop));
    CUDA_CHECK(cudaStreamDestroy(turns->stream));
}

#endif
