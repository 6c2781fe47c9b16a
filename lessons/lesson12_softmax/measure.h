/* measure.h - what lesson 12 does with its versions: verify each on many shapes, count what it asks for on the emulator, and time it on a GPU in
 * turns with a copy.
 *
 *     frame lesson = frame_of("softmax", versions, VERSIONS);      for lesson.h
 *
 * The reference is computed in double on the CPU. Where that would take too long, it is computed for some rows only, and
 * all rows of every version are compared with those of the first one on the device.
 */
#ifndef LESSONS_LESSON12_SOFTMAX_MEASURE_H
#define LESSONS_LESSON12_SOFTMAX_MEASURE_H

#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <math.h>
#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

enum { ROWS_MAX = 16 };              // of a table
enum { CHUNK = (1 << 24) - 3 };      // random numbers of an input
enum { CPU_ELEMENTS = 1 << 21 };     // that the reference is computed for, about
enum { SPAN = 8, SPECIAL_ROWS = 8 }; // x from -8 to 8; what rows there are

/* What version 9 may use besides x and y; 0 between two calls. */
struct scratch {
    unsigned long long *words; // words_for(rows, cols) of them
    unsigned *number;
};

/* x[rows][cols] -> y[rows][cols], queued in `stream`. */
struct version {
    const char *name;
    void (*launch)(const float *x, float *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream);
    void (*launch_bf16)(const __nv_bfloat16 *x, __nv_bfloat16 *y, int rows, int cols, struct scratch *scratch,
                        cudaStream_t stream);
    bool masked; // of row r only columns 0 ... r % cols take part
};

struct shape {
    int rows, cols;
};

static void softmax_cpu(const float *x, float *y, int cols, int length); // the lesson's
static size_t words_for(int rows, int cols);                             // the lesson's

// ---------------------------------------------------------------- which shapes

struct shapes {
    int small, large;
    struct shape verified[20], measured[6];
};

enum { MASKED_MAX = 16384 }; // columns that version 10 takes, in whole vectors

/* The program's own, or with SIZE=n those with about n columns. `masked`: for version 10 alone. */
static struct shapes shapes_of(const struct options *options, bool masked) {
    if (masked && options->size > 0 && (options->size % 4 || options->size > MASKED_MAX)) {
        fprintf(stderr, "SIZE=%lld: version 10 takes a multiple of 4 columns, %d at most\n", options->size, MASKED_MAX);
        exit(CHECK_EXIT_USAGE);
    }
    if (options->size > 1 << 20) {
        fprintf(stderr, "SIZE=%lld: 1048576 columns at most, please\n", options->size);
        exit(CHECK_EXIT_USAGE);
    }
    if (options->size >= 0) {
        int n = (int)options->size, rows = n > 4096 ? 9 : 100;
        int many = getenv("ROWS") ? atoi(getenv("ROWS")) : rows; // for measured/record.list
        return {3, n > 0, {{rows, n}, {3, n + 4}, {9, n / 2 + 1}}, {{many, n}}};
    }
    struct shapes all = {15, 4, {}, {}};
    const struct shape verified[] = {{0, 7},     {3, 0},    {1, 1},    {17, 3},    {33, 31},
                                     {40, 64},   {70, 16},  {9, 100},  {9, 1000},  {8, 1025},
                                     {10, 1024}, {8, 2052}, {8, 5000}, {8, 16500}, {4, 40001}};
    const struct shape on_emulator[] = {{512, 512}, {1000, 64}, {100, 1001}, {3, 32768}};
    const struct shape on_gpu[] = {{32768, 8192},  {524288, 256},  {1000000, 64},
                                   {10000, 50257}, {4096, 131072}, {32, 131072}};
    memcpy(all.verified, verified, sizeof verified);
    if (device_is_emulator()) {
        memcpy(all.measured, on_emulator, sizeof on_emulator);
    } else {
        memcpy(all.measured, on_gpu, sizeof on_gpu);
        all.large = 6;
    }
    return all;
}

// ---------------------------------------------------------------- a problem

/* Device arrays start `offset` elements into their allocations. */
struct problem {
    int rows, cols, offset;
    bool bf16;
    size_t count;
    float *input, *found, *expected; // host; input as it is in x, rounded to bfloat16 if x is
    void *x;                         // device
    struct scratch scratch;
};

static size_t element_size(const struct problem *p) {
    return p->bf16 ? sizeof(__nv_bfloat16) : sizeof(float);
}

/* What a softmax has to live with. A row of each kind, then again. */
static void make_special(float *row, int cols, int kind) {
    for (int c = 0; c < cols; c++) {
        switch (kind) {
        case 1:
            row[c] += 10000.0f; // exp(x) would be infinite
            break;
        case 2:
            row[c] = 50 * row[c] - 10000.0f; // and here 0; nearly all are 0 in the end
            break;
        case 3:
            row[c] = c % 5 == 2 ? row[c] : -INFINITY;
            break;
        case 4:
            row[c] = -INFINITY; // nothing to divide: 0 / 0
            break;
        case 5:
            row[c] = c == cols / 2 ? NAN : row[c];
            break;
        case 6:
            row[c] = c == cols / 3 ? INFINITY : row[c];
            break;
        }
    }
}

/* A large input repeats itself after CHUNK elements, which is no multiple of a row's length. */
static void problem_fill(struct problem *p, bool special, uint64_t seed) {
    size_t chunk = p->count < CHUNK ? p->count : CHUNK;
    __nv_bfloat16 *rounded = (__nv_bfloat16 *)p->found; // has room for them
    verify_random(p->input, chunk, -SPAN, SPAN, seed);
    for (int r = 0; r < p->rows && special; r++) {
        make_special(p->input + (size_t)r * p->cols, p->cols, r % SPECIAL_ROWS);
    }
    for (size_t i = 0; i < chunk && p->bf16; i++) {
        rounded[i] = __float2bfloat16(p->input[i]);
        p->input[i] = __bfloat162float(rounded[i]);
    }
    for (size_t from = 0; from < p->count; from += chunk) {
        size_t n = p->count - from < chunk ? p->count - from : chunk, size = element_size(p);
        if (from > 0) {
            memcpy(p->input + from, p->input, n * sizeof(float));
        }
        CUDA_CHECK(cudaMemcpy((char *)p->x + from * size, p->bf16 ? (void *)rounded : p->input, n * size,
                              cudaMemcpyHostToDevice));
    }
}

static struct problem problem_create(struct shape shape, int offset, bool bf16, bool special, uint64_t seed) {
    struct problem p = {shape.rows, shape.cols, offset, bf16, (size_t)shape.rows * shape.cols};
    size_t words = words_for(shape.rows, shape.cols) * sizeof(unsigned long long);
    p.input = (float *)verify_host_alloc(p.count * sizeof(float));
    p.found = (float *)verify_host_alloc(p.count * sizeof(float));
    p.expected = (float *)verify_host_alloc(shape.cols * sizeof(float));
    CUDA_CHECK(cudaMalloc(&p.x, (p.count + offset) * element_size(&p)));
    p.x = (char *)p.x + offset * element_size(&p);
    problem_fill(&p, special, seed);
    CUDA_CHECK(cudaMalloc((void **)&p.scratch.words, words));
    CUDA_CHECK(cudaMemset(p.scratch.words, 0, words));
    CUDA_CHECK(cudaMalloc((void **)&p.scratch.number, sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(p.scratch.number, 0, sizeof(unsigned)));
    return p;
}

static void problem_free(struct problem *p) {
    CUDA_CHECK(cudaFree((char *)p->x - p->offset * element_size(p)));
    CUDA_CHECK(cudaFree(p->scratch.words));
    CUDA_CHECK(cudaFree(p->scratch.number));
    free(p->input);
    free(p->found);
    free(p->expected);
}

// ---------------------------------------------------------------- a version on a problem

/* With an output of its own, so that several can take turns. Without a version it is the copy. */
struct job {
    struct problem *problem;
    const struct version *version;
    void *y; // device
};

static const char *job_name(const struct job *job) {
    return job->version ? job->version->name : "copy kernel";
}

static struct job job_create(struct problem *p, const struct version *version) {
    struct job job = {p, version, NULL};
    size_t size = element_size(p);
    CUDA_CHECK(cudaMalloc(&job.y, (p->count + p->offset) * size));
    job.y = (char *)job.y + p->offset * size;
    verify_poison_device(job.y, p->count * size);
    return job;
}

static void job_free(struct job *job) {
    CUDA_CHECK(cudaFree((char *)job->y - job->problem->offset * element_size(job->problem)));
}

static void job_launch(void *a_job, cudaStream_t stream) {
    const struct job *job = (const struct job *)a_job;
    struct problem *p = job->problem;
    struct bench_copy copy = {(float4 *)p->x, (float4 *)job->y, p->count * element_size(p) / sizeof(float4)};
    if (!job->version) {
        bench_launch_copy(&copy, stream);
    } else if (p->bf16) {
        job->version->launch_bf16((__nv_bfloat16 *)p->x, (__nv_bfloat16 *)job->y, p->rows, p->cols, &p->scratch,
                                  stream);
    } else {
        job->version->launch((float *)p->x, (float *)job->y, p->rows, p->cols, &p->scratch, stream);
    }
}

/* Rounded to bfloat16 a result may be off by 2^-8 of its size, and the sum of a long row by what its additions round; these
 * errors have no common sign, so they stay far below their bound of 2^-24 for each element. */
static double tolerance(const struct problem *p) {
    return (p->bf16 ? ldexp(1.0, -8) : 0.0) + 1e-5 + ldexp(p->cols, -27);
}

static void fetch_rows(const struct job *job, int first, int rows) {
    const struct problem *p = job->problem;
    size_t from = (size_t)first * p->cols, count = (size_t)rows * p->cols, size = element_size(p);
    verify_poison_host(p->found, count * sizeof(float));
    CUDA_CHECK(cudaMemcpy(p->found, (char *)job->y + from * size, count * size, cudaMemcpyDeviceToHost));
    const __nv_bfloat16 *small = (const __nv_bfloat16 *)p->found;
    for (size_t i = count; i > 0 && p->bf16; i--) { // from behind, since each becomes longer
        uint16_t bits;
        memcpy(&bits, &small[i - 1], sizeof bits);
        uint32_t whole = (uint32_t)bits << 16;
        memcpy(&p->found[i - 1], &whole, sizeof whole);
    }
}

/* Some rows, from `first` on, as one comparison. */
static bool verify_rows(const struct job *job, int first, int rows) {
    const struct problem *p = job->problem;
    size_t cols = p->cols;
    fetch_rows(job, first, rows);
    for (int r = 0; r < rows; r++) {
        const float *x = p->input + (first + r) * cols;
        softmax_cpu(x, p->expected, p->cols, job->version->masked ? (first + r) % p->cols + 1 : p->cols);
        for (size_t c = 0; c < cols; c++) {
            if (!verify_close(p->found[r * cols + c], p->expected[c], 1e-37, tolerance(p))) {
                printf("%s, %d x %d%s: row %d\n", job_name(job), p->rows, p->cols, p->bf16 ? ", bfloat16" : "",
                       first + r);
                return verify_floats(job_name(job), p->found + r * cols, p->expected, cols, 1e-37, tolerance(p));
            }
        }
    }
    verify_tally()->comparisons++;
    return true;
}

static __global__ void differ_kernel(const float *y, const float *other, size_t n, float rtol,
                                     unsigned long long *bad) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        if (!(fabsf(y[i] - other[i]) <= rtol * other[i])) {
            atomicAdd(bad, 1ull);
        }
    }
}

/* All elements, which are no NaN, on the device. */
static void verify_alike(const struct job *job, const struct job *other) {
    unsigned long long *bad, found = 0;
    CUDA_CHECK(cudaMalloc((void **)&bad, sizeof *bad));
    CUDA_CHECK(cudaMemset(bad, 0, sizeof *bad));
    differ_kernel<<<1024, 256>>>((float *)job->y, (float *)other->y, job->problem->count,
                                 2e-5f + 2 * (float)tolerance(job->problem), bad);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&found, bad, sizeof found, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(bad));
    if (found) {
        printf("%s: %llu elements differ from those of %s\n", job_name(job), found, job_name(other));
    }
    verify_tally()->comparisons++;
    verify_tally()->failures += found != 0;
}

/* The first rows, the last ones, and some between. */
static void verify_job(const struct job *job) {
    const struct problem *p = job->problem;
    int some = p->cols ? (int)(CPU_ELEMENTS / 4 / p->cols) + 1 : p->rows;
    if (p->rows <= 4 * some) {
        verify_rows(job, 0, p->rows);
        return;
    }
    for (int k = 0; k < 4; k++) {
        int first = (int)((long long)(p->rows - some) * k / 3);
        if (!verify_rows(job, first, some)) {
            return;
        }
    }
}

/* Version 10 is for rows of whole vectors at aligned addresses, and version 1 takes too long where there are few rows. */
static bool is_for(const struct version *version, const struct problem *p) {
    if (p->bf16 != (version->launch_bf16 != NULL)) {
        return false;
    }
    return !version->masked || (p->offset == 0 && p->cols > 0 && p->cols % 4 == 0 && p->cols <= MASKED_MAX);
}

// ---------------------------------------------------------------- the tables

/* What only the emulator counts. 32 floats are 4 sectors, read and written. */
static void count_on_emulator(struct job *jobs, int count, const struct problem *p) {
    struct bench bench = bench_start(0);
    for (int j = 0; j < count; j++) {
        bench_run(&bench, job_name(&jobs[j]), job_launch, &jobs[j], (double)p->count, 0, 0);
    }
    printf("\n%-16s  %14s  %14s  %18s\n%-16s  %14s  %14s  %18s\n", "for 32 elements", "sectors", "sectors",
           "barriers of warps", "version", "loaded", "stored", "per 1000 elements");
    for (int r = 0; r < bench.rows; r++) {
        const struct emulatorCounters *c = &bench.row[r].counters;
        double groups = bench.row[r].elements / 32;
        printf("%-16s  %14.2f  %14.2f  %18.2f\n", bench.row[r].name, c->global_load_sectors / groups,
               c->global_store_sectors / groups, 1000.0 * c->barriers / bench.row[r].elements);
    }
    bench_finish(&bench);
}

static void time_on_gpu(struct job *jobs, int count, const struct problem *p) {
    struct turns turns = turns_start();
    double bytes = 2.0 * p->count * element_size(p);
    for (int j = 0; j < count; j++) {
        turns_add(&turns, job_name(&jobs[j]), job_launch, &jobs[j], bytes, 0);
    }
    turns_run(&turns);
    record_part("%d x %d%s", p->rows, p->cols, p->bf16 ? " bfloat16" : "");
    turns_print(&turns, "% of copy");
    turns_end(&turns);
}

/* An output for each row of the table, and the input. */
static bool fits_into_memory(const struct problem *p, int jobs) {
    size_t available = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&available, &total));
    return (jobs + 1) * p->count * element_size(p) < available - available / 8;
}

static void measure_type(const struct version *versions, int first, int last, struct shape shape, bool bf16,
                         uint64_t seed) {
    struct problem p = problem_create(shape, 0, bf16, false, seed);
    struct job jobs[ROWS_MAX];
    int count = 0;
    printf("%d x %d%s\n", shape.rows, shape.cols, bf16 ? ", bfloat16" : "");
    if (!fits_into_memory(&p, last - first + 2)) {
        printf("left out: this device has not enough memory for one such matrix for each version\n\n");
        problem_free(&p);
        return;
    }
    if (!device_is_emulator()) {
        jobs[count++] = job_create(&p, NULL);
    }
    for (int v = first; v <= last; v++) {
        bool slow = v == 0 && !device_is_emulator() && shape.cols > 4 * (long long)shape.rows;
        if (is_for(&versions[v], &p) && !slow) {
            jobs[count++] = job_create(&p, &versions[v]);
        }
    }
    if (device_is_emulator()) {
        count_on_emulator(jobs, count, &p);
    } else {
        time_on_gpu(jobs, count, &p);
    }
    const struct job *plain = NULL;
    for (int j = 0; j < count; j++) { // what was timed must be right as well
        if (jobs[j].version) {
            verify_job(&jobs[j]);
            if (plain && !jobs[j].version->masked) {
                verify_alike(&jobs[j], plain);
            }
            plain = plain || bf16 || jobs[j].version->masked ? plain : &jobs[j];
        }
    }
    for (int j = 0; j < count; j++) {
        job_free(&jobs[j]);
    }
    problem_free(&p);
}

static void measure_versions(const struct version *versions, int first, int last, struct shape shape, uint64_t seed) {
    bool floats = false, bf16 = false;
    for (int v = first; v <= last; v++) {
        floats = floats || versions[v].launch;
        bf16 = bf16 || versions[v].launch_bf16;
    }
    if (floats) {
        measure_type(versions, first, last, shape, false, seed);
    }
    if (bf16) {
        measure_type(versions, first, last, shape, true, seed);
    }
}

// ---------------------------------------------------------------- for lesson.h

typedef struct lesson<struct shape, struct problem, struct version, struct job> frame;

static frame frame_of(const char *what, const struct version *versions, int count) {
    frame lesson = {what, versions, count};
    lesson.kinds = 4; // aligned addresses and others, float and bfloat16; with infinities and NaN
    lesson.create = [](struct shape shape, int kind, uint64_t seed) {
        return problem_create(shape, kind % 2, kind >= 2, true, seed);
    };
    lesson.free = problem_free, lesson.is_for = is_for;
    lesson.begin = job_create, lesson.launch = job_launch, lesson.end = job_free;
    lesson.verify = [](struct job *job) { verify_job(job); };
    lesson.measure_size = measure_versions;
    return lesson;
}

#endif
