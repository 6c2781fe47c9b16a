/* measure.h - what lesson 21 does with its versions: verify them, say how much they have under way, count them on the emulator, and time
 * them on a GPU with more and with fewer blocks resident.
 *
 *     verify_versions(&chosen, n, seed);
 *     print_in_flight(&chosen, &device);                          arithmetic: bytes or FMAs under way
 *     measure_versions(&chosen, &device, size, flops, seed);
 */
#ifndef LESSONS_LESSON21_OCCUPANCY_MEASURE_H
#define LESSONS_LESSON21_OCCUPANCY_MEASURE_H

#include "../../common/bench.h"
#include "../../common/turns.h"
#include "fits.h"

// ---------------------------------------------------------------- a problem

struct problem {
    int n;
    float *input, *expected, *found; // host
    float *x, *y;                    // device
};

static inline struct problem problem_create(int n, uint64_t seed) {
    size_t bytes = (size_t)n * sizeof(float);
    struct problem p = {n};
    p.input = (float *)verify_host_alloc(bytes);
    p.expected = (float *)verify_host_alloc(bytes);
    p.found = (float *)verify_host_alloc(bytes);
    verify_random(p.input, n, -1.0f, 1.0f, seed);
    p.x = (float *)verify_alloc(bytes);
    p.y = (float *)verify_alloc(bytes);
    CUDA_CHECK(cudaMemcpy(p.x, p.input, bytes, cudaMemcpyHostToDevice));
    return p;
}

static inline void problem_free(struct problem *p) {
    size_t bytes = (size_t)p->n * sizeof(float);
    verify_free("x", p->x, bytes);
    verify_free("y", p->y, bytes);
    free(p->input);
    free(p->expected);
    free(p->found);
}

static inline void launch(const struct version *v, const struct problem *p, int dynamic, cudaStream_t stream) {
    if (p->n > 0) {
        v->launch(p->x, p->y, p->n, dynamic, stream);
    }
}

static inline void verify_part(const struct version *v, const struct problem *p, int first, int count) {
    v->cpu(p->input + first, p->expected, count);
    verify_floats_exact(v->name, p->found + first, p->expected, count);
}

/* Some columns of a matrix, as if they were a matrix of their own. */
static inline void verify_columns(const struct version *v, const struct problem *p, int first, int count) {
    int rows = v->parallel, columns = p->n / rows;
    float *in = (float *)verify_host_alloc(2 * sizeof(float) * rows * count), *found = in + rows * count;
    for (int i = 0; i < rows * count; i++) {
        size_t at = (size_t)(i / count) * columns + first + i % count;
        in[i] = p->input[at];
        found[i] = p->found[at];
    }
    v->cpu(in, p->expected, rows * count);
    verify_floats_exact(v->name, found, p->expected, rows * count);
    free(in);
}

/* Of a large array the CPU does the first and the last part only: it would need long for all of it. */
static inline void verify_result(const struct version *v, const struct problem *p) {
    enum { PART = 1 << 14, LARGE = 1 << 20, COLUMNS = 512 };
    int last = (p->n - PART) / PART * PART;
    if (p->n < LARGE) {
        verify_part(v, p, 0, p->n);
    } else if (v->kind == REGISTERS) {
        verify_columns(v, p, 0, COLUMNS);
        verify_columns(v, p, p->n / v->parallel - COLUMNS, COLUMNS);
    } else {
        verify_part(v, p, 0, PART);
        verify_part(v, p, last, p->n - last);
    }
}

static inline void verify_version(const struct version *v, struct problem *p, int dynamic) {
    size_t bytes = (size_t)p->n * sizeof(float);
    verify_poison_device(p->y, bytes);
    launch(v, p, dynamic, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(p->found, p->y, bytes, cudaMemcpyDeviceToHost));
    verify_result(v, p);
}

static inline void verify_versions(const struct selection *s, int n, uint64_t seed) {
    struct problem p = problem_create(n, seed);
    for (int r = 0; r < s->rows; r++) {
        verify_version(&s->row[r], &p, 0);
    }
    problem_free(&p);
}

// ---------------------------------------------------------------- occupancy turned down

enum { TURNS = 5 };
static const int RESIDENT[TURNS] = {1, 2, 4, 8, 16};

/* Bytes of dynamic shared memory with which no more than so many blocks fit. Registers may allow even fewer. */
static inline int throttle_version(const struct version *v, const struct limits *m, int blocks) {
    int statically = (int)attributes_of(v).sharedSizeBytes, bytes = throttle(m, blocks);
    return bytes < statically ? 0 : bytes - statically;
}

/* Under way on one multiprocessor, with so many blocks: what all threads of them have asked for at once. */
static inline void print_in_flight(const struct selection *s, const struct limits *m) {
    bool headed = false;
    for (int r = 0; r < s->rows; r++) {
        const struct version *v = &s->row[r];
        if (v->kind != MEMORY && v->kind != ARITHMETIC) {
            continue;
        }
        if (!headed) {
            printf("\nunder way on a multiprocessor of %s, at most: bytes of loads, or FMAs of a thread\n%-16s  %6s",
                   m->name, "with resident", "");
            for (int blocks : RESIDENT) {
                printf("  %2d blocks", blocks);
            }
            printf("\n");
            headed = true;
        }
        printf("%-16s  %6s", v->name, v->kind == MEMORY ? "bytes" : "FMAs");
        for (int blocks : RESIDENT) {
            int resident = cuda_blocks(v, v->threads, throttle_version(v, m, blocks));
            printf("  %9d", resident * v->threads * v->parallel * (v->kind == MEMORY ? (int)sizeof(float) : 1));
        }
        printf("\n");
    }
}

// ---------------------------------------------------------------- counts and times

/* A version on a problem, with so much shared memory that nobody uses. */
struct job {
    const struct version *version;
    struct problem *problem;
    int dynamic, warps;
};

static inline void count_launch(void *a_job, cudaStream_t stream) {
    const struct job *job = (const struct job *)a_job;
    launch(job->version, job->problem, job->dynamic, stream);
}

static inline void count_versions(const struct selection *s, struct problem *p) {
    struct bench bench = bench_start(0);
    for (int r = 0; r < s->rows; r++) {
        struct job job = {&s->row[r], p, 0, 0};
        bench_run(&bench, s->row[r].name, count_launch, &job, p->n, 0, 0);
        verify_version(&s->row[r], p, 0);
    }
    printf("\nn = %d", p->n);
    bench_finish(&bench);
}

static inline void print_race(const struct version *v, const struct turns *turns, const struct job *jobs, int count,
                              const struct limits *m) {
    double copy = turns->row[0].bytes / turns->row[0].median;
    printf("\n%s: %d threads in a block, %d under way in each; a copy kernel %.0f GB/s\n", v->name, v->threads,
           v->parallel, copy / 1e6);
    printf("%-16s  %5s  %7s  %10s  %21s  %8s  %8s  %7s\n", "version", "warps", "occup.%", "ms", "shortest .. longest",
           "GB/s", "GFLOP/s", "% copy");
    for (int j = 0; j < count; j++) {
        const struct turns_row *row = &turns->row[j + 1];
        printf("%-16s  %5d  %7.2f  %10.4f  %9.4f .. %8.4f  %8.0f  %8.0f  %7.1f\n", v->name, jobs[j].warps,
               100.0 * jobs[j].warps / m->warps, row->median, row->shortest, row->longest,
               row->bytes / row->median / 1e6, row->flops / row->median / 1e6, 100 * row->bytes / row->median / copy);
    }
}

/* The same table as rows of data, one for each number of resident warps. */
static inline void record_race(const struct version *v, const struct turns *turns, const struct job *jobs, int count) {
    double copy = turns->row[0].bytes / turns->row[0].median;
    char name[32];
    record_part("%s", v->name);
    record_row("copy kernel", "GB/s", copy / 1e6, "GB/s");
    for (int j = 0; j < count; j++) {
        const struct turns_row *row = &turns->row[j + 1];
        snprintf(name, sizeof name, "%d warps", jobs[j].warps);
        record_row(name, "warps", jobs[j].warps, "");
        turns_record_times(row, name);
        record_row(name, "GB/s", row->bytes / row->median / 1e6, "GB/s");
        if (row->flops > 0) {
            record_row(name, "GFLOP/s", row->flops / row->median / 1e6, "GFLOP/s");
        }
        record_row(name, "% of copy", 100 * row->bytes / row->median / copy, "%");
    }
}

/* One version with 1, 2, 4, 8 and 16 blocks resident, in turns, and without anybody kept out; a copy kernel among them. The carve-out stays
 * the same for all, so that no row has more of an L1 cache than another. */
static inline void race_version(const struct version *v, const struct limits *m, struct problem *p, double flops) {
    struct job jobs[TURNS + 1];
    struct turns turns = turns_start();
    struct bench_copy copy = {(float4 *)p->x, (float4 *)p->y, (size_t)p->n / 4};
    double bytes = 2.0 * sizeof(float) * p->n;
    int count = 0, before = 0;
    allow_all_shared(v, m, (int)attributes_of(v).sharedSizeBytes);
    CUDA_CHECK(cudaFuncSetAttribute(v->kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared));
    bench_launch launch_copy = copy.n ? bench_launch_copy : turns_launch_nothing; // three elements are no float4
    turns_add(&turns, "copy kernel", launch_copy, &copy, 2.0 * copy.n * sizeof(float4), 0);
    for (int t = 0; t <= TURNS; t++) {
        int dynamic = t < TURNS ? throttle_version(v, m, RESIDENT[t]) : 0;
        int warps = cuda_blocks(v, v->threads, dynamic) * warps_of(v->threads);
        if (warps > before) {
            before = warps;
            jobs[count] = {v, p, dynamic, warps};
            turns_add(&turns, v->name, count_launch, &jobs[count], bytes, v->kind == ARITHMETIC ? flops * p->n : 0);
            count++;
        }
    }
    turns_run(&turns);
    print_race(v, &turns, jobs, count, m);
    record_race(v, &turns, jobs, count);
    turns_end(&turns);
    for (int j = 0; j < count; j++) {
        verify_version(v, p, jobs[j].dynamic);
    }
}

static inline void measure_versions(const struct selection *s, const struct limits *m, long long size, double flops,
                                    uint64_t seed) {
    if (device_is_emulator()) {
        struct problem p = problem_create(size >= 0 ? (int)size : 1 << 15, seed);
        count_versions(s, &p);
        problem_free(&p);
        return;
    }
    for (int r = 0; r < s->rows; r++) {
        int n = size >= 0 ? (int)size : s->row[r].kind == ARITHMETIC ? 1 << 24 : 1 << 25;
        struct problem p = problem_create(n, seed);
        race_version(&s->row[r], m, &p, flops);
        problem_free(&p);
    }
    printf("\n");
}

#endif
