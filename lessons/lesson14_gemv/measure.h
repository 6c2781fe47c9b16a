/* measure.h - what lesson 14 does with its versions: make weights in each format, verify each version on many shapes, count what it asks
 * for on the emulator, and time it on a GPU in turns with a copy, with a kernel that only reads, and with cuBLAS.
 *
 *     lesson.verify_size = verify_versions;      whole numbers: the result must be exact
 *     lesson.measure_size = measure_versions;    random weights, quantised; times or counts
 *
 * Whole numbers: as long as no sum reaches 2^24 (in fp16: 2048), nothing is ever rounded, so every order of the additions
 * gives the same bits. No weight and no x is 0, so none can be forgotten or counted twice without being missed.
 *
 * The weights of a table are larger than the L2 cache or not; in either case the cache is filled with other data before each
 * run (common/turns.h), so that all weights come from the device's memory, as in a model that is much larger than the cache.
 */
#ifndef LESSONS_LESSON14_GEMV_MEASURE_H
#define LESSONS_LESSON14_GEMV_MEASURE_H

#include <cuda_fp16.h>
#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/cublas.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

enum { GROUP = 128 };     // weights that share a scale
enum { BATCH_MAX = 16 };  // vectors
enum { PARTS_MAX = 256 }; // into which a sum may be split over blocks
enum { ROWS_MAX = 16 };   // of a table

enum format { FP32, FP32_TRANSPOSED, FP16, INT8, INT4, BATCH }; // BATCH: fp16 with several vectors

/* What a launcher is given; all of it lies on the device. */
struct gemv {
    int M, N, batch;
    void *W, *x;    // in the version's format; x is float or __half
    __half *scales; // [M][N / GROUP], for INT8 and INT4
    float *y;       // [batch][M]; transposed: [N]
    float *partial; // room for PARTS_MAX times y
    unsigned *done; // as many as y has elements, 0 between two calls
};

struct version {
    const char *name;
    enum format format;
    void (*launch)(const struct gemv *gemv, cudaStream_t stream);
};

struct shape {
    int M, N;
    enum { EVERYTHING, ONE_VECTOR, FP32_ONLY } what; // is measured
};

static void gemv_cpu(const float *w, const float *x, double *y, int M, int N, int batch); // the lesson's
static void gemv_transposed_cpu(const float *w, const float *x, double *y, int M, int N);

// ---------------------------------------------------------------- which shapes

struct shapes {
    int small, large;
    struct shape verified[16], measured[4];
};

/* The program's own, or with SIZE=n those around n x n. */
static struct shapes shapes_of(const struct options *options) {
    if (options->size > 32768) {
        fprintf(stderr, "SIZE=%lld: a matrix of 32768 x 32768 at most, please\n", options->size);
        exit(CHECK_EXIT_USAGE);
    }
    if (options->size >= 0) {
        int n = (int)options->size;
        return {n > 4096 ? 1 : 3, n > 0, {{n, n}, {n / 3 + 1, n}, {n, n / 2 + 3}}, {{n, n}}};
    }
    struct shapes all = {12, 1, {}, {}};
    const struct shape verified[] = {{0, 7},    {7, 0},     {1, 1},     {1, 128},   {31, 33},   {33, 260},
                                     {5, 4096}, {130, 136}, {67, 1152}, {2, 40000}, {100, 100}, {257, 64}};
    const struct shape on_emulator[] = {{2048, 2048}};
    const struct shape on_gpu[] = {{8192, 8192},
                                   {28672, 4096, shape::ONE_VECTOR},
                                   {28672, 8192, shape::ONE_VECTOR},
                                   {64, 131072, shape::FP32_ONLY}};
    memcpy(all.verified, verified, sizeof verified);
    if (device_is_emulator()) {
        memcpy(all.measured, on_emulator, sizeof on_emulator);
    } else {
        memcpy(all.measured, on_gpu, sizeof on_gpu);
        all.large = 4;
    }
    return all;
}

// ---------------------------------------------------------------- a problem: weights in a format, vectors, the result

struct problem {
    enum format format;
    int M, N, batch;
    size_t outputs;
    float *w, *x; // host: the values that the device's arrays have
    double *y;    // what must come out
    double size;  // terms of a sum
    double loss;  // how far y is from that of the weights before they were quantised, relative, mean square
    double bytes; // that a kernel has to read and write
    bool exact;
    void *W, *device_x;
    __half *scales;
};

static bool is_quantised(enum format format) {
    return format == INT8 || format == INT4;
}

static bool has_half_x(enum format format) {
    return format != FP32 && format != FP32_TRANSPOSED;
}

static __global__ void to_half_kernel(const float *from, __half *to, size_t n) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        to[i] = __float2half_rn(from[i]);
    }
}

/* A copy on the device of n floats, in fp16 where asked for. */
static void *upload(const float *from, size_t n, bool half) {
    float *to = NULL;
    CUDA_CHECK(cudaMalloc((void **)&to, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyHostToDevice));
    if (!half) {
        return to;
    }
    __half *halves = NULL;
    CUDA_CHECK(cudaMalloc((void **)&halves, n * sizeof(__half)));
    to_half_kernel<<<256, 256>>>(to, halves, n);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaFree(to));
    return halves;
}

/* -3, -1, 1 or 3, or what has at most 10 binary places: in both cases fp16 holds it. */
static void fill(float *x, size_t n, bool whole, uint64_t seed) {
    verify_random(x, n, -1.0f, 1.0f, seed);
    for (size_t i = 0; i < n; i++) {
        x[i] = whole ? 2.0f * floorf(2.0f * x[i]) + 1.0f : floorf(x[i] * 1024.0f) * (1.0f / 1024.0f);
    }
}

/* One group: replaces its numbers by whole multiples of a scale, and returns that. The multiples are at most `most`. For
 * whole numbers, which need no rounding, the scale is a power of two that changes from group to group. */
static float quantise(float *w, signed char *q, int most, bool whole, size_t group) {
    static const float powers[] = {1.0f, 0.5f, 2.0f, 0.25f};
    float largest = 0.0f;
    for (int i = 0; i < GROUP; i++) {
        largest = fmaxf(largest, fabsf(w[i]));
    }
    float scale = whole ? powers[group % 4] : __half2float(__float2half_rn(fmaxf(largest / most, 1e-4f)));
    for (int i = 0; i < GROUP; i++) {
        float multiple = whole ? w[i] : floorf(w[i] / scale + 0.5f);
        q[i] = (signed char)fmaxf(-(float)most, fminf((float)most, multiple));
        w[i] = q[i] * scale;
    }
    return scale;
}

/* Eight weights from -8 to 7, each with 8 added, in a word: number 2k in bits 4k to 4k + 3, number 2k + 1 16 bits higher. */
static uint32_t pack(const signed char *q) {
    uint32_t word = 0;
    for (int k = 0; k < 4; k++) {
        word |= (uint32_t)(q[2 * k] + 8) << 4 * k | (uint32_t)(q[2 * k + 1] + 8) << (4 * k + 16);
    }
    return word;
}

/* Quantises p->w and puts the result on the device. */
static void quantise_all(struct problem *p) {
    size_t groups = (size_t)p->M * p->N / GROUP, bytes = p->format == INT8 ? GROUP : GROUP / 2;
    char *packed = (char *)verify_host_alloc(groups * bytes);
    __half *scales = (__half *)verify_host_alloc(groups * sizeof(__half));
    for (size_t g = 0; g < groups; g++) {
        signed char q[GROUP];
        scales[g] = __float2half_rn(quantise(p->w + g * GROUP, q, p->format == INT8 ? 127 : 7, p->exact, g));
        for (int k = 0; k < GROUP / 8 && p->format == INT4; k++) {
            ((uint32_t *)(packed + g * bytes))[k] = pack(q + 8 * k);
        }
        if (p->format == INT8) {
            memcpy(packed + g * bytes, q, bytes);
        }
    }
    CUDA_CHECK(cudaMalloc(&p->W, groups * bytes));
    CUDA_CHECK(cudaMalloc((void **)&p->scales, groups * sizeof(__half)));
    CUDA_CHECK(cudaMemcpy(p->W, packed, groups * bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(p->scales, scales, groups * sizeof(__half), cudaMemcpyHostToDevice));
    free(packed);
    free(scales);
}

static void reference(const struct problem *p, double *y) {
    if (p->format == FP32_TRANSPOSED) {
        gemv_transposed_cpu(p->w, p->x, y, p->M, p->N);
    } else {
        gemv_cpu(p->w, p->x, y, p->M, p->N, p->batch);
    }
}

/* Relative, in the mean square: |a - b| / |b|. */
static double distance(const double *a, const double *b, size_t n) {
    double apart = 0.0, all = 0.0;
    for (size_t i = 0; i < n; i++) {
        apart += (a[i] - b[i]) * (a[i] - b[i]);
        all += b[i] * b[i];
    }
    return all > 0.0 ? sqrt(apart / all) : 0.0;
}

static double weight_bytes(enum format format) {
    return format == INT4 ? 0.5 : format == INT8 ? 1.0 : has_half_x(format) ? 2.0 : 4.0;
}

/* Random weights; the last ones are kept, since several formats begin with the same. */
static const float *weights_for(size_t n, bool exact, uint64_t seed) {
    static struct {
        float *w;
        size_t n;
        bool exact;
        uint64_t seed;
    } last;
    if (!last.w || n != last.n || exact != last.exact || seed != last.seed) {
        free(last.w);
        last.w = (float *)verify_host_alloc(n * sizeof(float));
        last.n = n, last.exact = exact, last.seed = seed;
        fill(last.w, n, exact, seed);
    }
    return last.w;
}

/* Quantised weights come in whole groups, so N is rounded up for them. */
static struct problem problem_create(enum format format, struct shape shape, bool exact, uint64_t seed) {
    struct problem p = {};
    p.format = format;
    p.M = shape.M;
    p.N = is_quantised(format) ? (shape.N + GROUP - 1) / GROUP * GROUP : shape.N;
    p.batch = format == BATCH ? BATCH_MAX : 1;
    p.exact = exact;
    size_t weights = (size_t)p.M * p.N, inputs = (size_t)(format == FP32_TRANSPOSED ? p.M : p.N) * p.batch;
    p.outputs = (size_t)(format == FP32_TRANSPOSED ? p.N : p.M) * p.batch;
    p.w = (float *)verify_host_alloc(weights * sizeof(float));
    p.x = (float *)verify_host_alloc(inputs * sizeof(float));
    p.y = (double *)verify_host_alloc(p.outputs * sizeof(double));
    memcpy(p.w, weights_for(weights, exact, seed), weights * sizeof(float));
    fill(p.x, inputs, exact, seed + 1000);
    p.device_x = upload(p.x, inputs, has_half_x(format));
    if (is_quantised(format)) {
        double *before = (double *)verify_host_alloc(p.outputs * sizeof(double));
        reference(&p, before);
        quantise_all(&p);
        reference(&p, p.y);
        p.loss = distance(p.y, before, p.outputs);
        free(before);
    } else {
        p.W = upload(p.w, weights, has_half_x(format));
        reference(&p, p.y);
    }
    p.size = format == FP32_TRANSPOSED ? p.M : p.N;
    p.bytes = weights * weight_bytes(format) + (is_quantised(format) ? 2.0 * weights / GROUP : 0.0) +
              inputs / p.batch * (has_half_x(format) ? 2.0 : 4.0) + p.outputs / p.batch * 4.0;
    return p;
}

static void problem_free(struct problem *p) {
    CUDA_CHECK(cudaFree(p->W));
    CUDA_CHECK(cudaFree(p->device_x));
    CUDA_CHECK(cudaFree(p->scales));
    free(p->w);
    free(p->x);
    free(p->y);
}

// ---------------------------------------------------------------- a version, or a rival, on a problem

enum rival { NONE, COPY, READ, CUBLAS };

struct job {
    const struct problem *problem;
    const struct version *version; // NULL: a rival
    enum rival rival;
    struct cublas *cublas;
    struct gemv gemv;
    float4 *copy; // what the copy writes
};

static const char *job_name(const struct job *job) {
    static const char *const rivals[] = {"", "copy kernel", "read kernel", "cuBLAS"};
    return job->version ? job->version->name : rivals[job->rival];
}

static struct job job_create(const struct problem *p, const struct version *version, enum rival rival, int batch) {
    struct job job = {p, version, rival};
    job.gemv = {p->M, p->N, batch, p->W, p->device_x, p->scales};
    size_t copied = rival == COPY ? (size_t)(p->bytes / 2) : 0;
    CUDA_CHECK(cudaMalloc((void **)&job.gemv.y, p->outputs * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&job.gemv.partial, p->outputs / p->batch * PARTS_MAX * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&job.gemv.done, p->outputs * sizeof(unsigned)));
    CUDA_CHECK(cudaMalloc((void **)&job.copy, copied));
    verify_poison_device(job.gemv.y, p->outputs * sizeof(float));
    if (p->outputs) {
        CUDA_CHECK(cudaMemset(job.gemv.done, 0, p->outputs * sizeof(unsigned)));
    }
    return job;
}

static void job_free(struct job *job) {
    CUDA_CHECK(cudaFree(job->gemv.y));
    CUDA_CHECK(cudaFree(job->gemv.partial));
    CUDA_CHECK(cudaFree(job->gemv.done));
    CUDA_CHECK(cudaFree(job->copy));
}

/* Reads n vectors as lesson 10's sum does, and writes nothing: what a product that has to read them can reach at most. */
static __global__ void read_kernel(const uint4 *from, float *y, size_t n) {
    enum { LOADS = 8, TILE = LOADS * 256 };
    uint32_t all = 0;
    for (size_t first = (size_t)blockIdx.x * TILE; first < n; first += (size_t)gridDim.x * TILE) {
        uint4 v[LOADS];
        for (int k = 0; k < LOADS; k++) {
            size_t i = first + k * 256 + threadIdx.x;
            v[k] = i < n ? __ldcs(&from[i]) : make_uint4(0, 0, 0, 0);
        }
        for (int k = 0; k < LOADS; k++) {
            all |= v[k].x & v[k].y & v[k].z & v[k].w;
        }
    }
    if (all == 0x12345678) { // never, but the compiler does not know
        *y = 0.0f;
    }
}

/* What we use of cuBLAS. It counts column by column: our W of M rows is to it a matrix of N rows and M columns, transposed. */
static void cublas_gemv(const struct job *job, cudaStream_t stream) {
    typedef int gemv32(cublas_handle, int, int, int, const float *, const void *, int, const void *, int, const float *,
                       float *, int);
    typedef int gemm_ex(cublas_handle, int, int, int, int, int, const float *, const void *, int, int, const void *,
                        int, int, const float *, void *, int, int, int, int);
    enum { AS_IT_IS = 0, TRANSPOSED = 1, TYPE_32F = 0, TYPE_16F = 2, COMPUTE_32F = 68, BY_ITS_OWN_RULES = -1 };
    const struct gemv *g = &job->gemv;
    const float one = 1.0f, zero = 0.0f;
    cublas_check(job->cublas->set_stream(job->cublas->handle, stream), "cublasSetStream");
    if (!has_half_x(job->problem->format)) {
        gemv32 *sgemv = (gemv32 *)dlsym(job->cublas->library, "cublasSgemv_v2");
        cublas_check(sgemv ? 0 : -1, "looking for cublasSgemv");
        cublas_check(sgemv(job->cublas->handle, job->problem->format == FP32 ? TRANSPOSED : AS_IT_IS, g->N, g->M, &one,
                           g->W, g->N, g->x, 1, &zero, g->y, 1),
                     "cublasSgemv");
        return;
    }
    gemm_ex *gemm = (gemm_ex *)dlsym(job->cublas->library, "cublasGemmEx");
    cublas_check(gemm ? 0 : -1, "looking for cublasGemmEx");
    cublas_check(gemm(job->cublas->handle, TRANSPOSED, AS_IT_IS, g->M, g->batch, g->N, &one, g->W, TYPE_16F, g->N, g->x,
                      TYPE_16F, g->N, &zero, g->y, TYPE_32F, g->M, COMPUTE_32F, BY_ITS_OWN_RULES),
                 "cublasGemmEx");
}

static void job_launch(void *a_job, cudaStream_t stream) {
    struct job *job = (struct job *)a_job;
    size_t vectors = (size_t)(job->problem->bytes / 16);
    size_t weights = (size_t)job->problem->M * job->problem->N * (size_t)(2 * weight_bytes(job->problem->format)) / 32;
    if (job->version) {
        job->version->launch(&job->gemv, stream);
    } else if (job->rival == CUBLAS) {
        cublas_gemv(job, stream);
    } else if (job->rival == READ) {
        read_kernel<<<multiprocessors() * 4, 256, 0, stream>>>((const uint4 *)job->gemv.W, job->gemv.y, weights);
        CUDA_CHECK_LAUNCH();
    } else {
        struct bench_copy copy = {(float4 *)job->gemv.W, job->copy, vectors / 2};
        if (copy.n) { // a matrix of a few bytes has no float4
            bench_launch_copy(&copy, stream);
        }
    }
}

/* Against the result in double. Each addition rounds, up as often as down, so the error of a sum grows like the root of the
 * number of its terms, which lie between -1 and 1: with fp32 by about 2^-24 of a partial sum each time, where products are
 * added in fp16, by 2^-11 of a sum of four. */
static void job_verify(const struct job *job) {
    const struct problem *p = job->problem;
    if (job->rival == COPY || job->rival == READ) {
        return;
    }
    size_t outputs = p->outputs / p->batch * job->gemv.batch;
    float *found = (float *)verify_host_alloc(outputs * sizeof(float));
    float *expected = (float *)verify_host_alloc(outputs * sizeof(float));
    verify_poison_host(found, outputs * sizeof(float));
    CUDA_CHECK(cudaMemcpy(found, job->gemv.y, outputs * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < outputs; i++) {
        expected[i] = (float)p->y[i];
    }
    verify_floats(job_name(job), found, expected, outputs,
                  p->exact ? 0.0 : sqrt(p->size) * ldexp(1.0, p->format == INT4 ? -8 : -15), 0.0);
    free(found);
    free(expected);
}

static void verify_versions(const struct version *versions, int first, int last, struct shape shape, uint64_t seed) {
    for (int v = first; v <= last; v++) {
        struct problem p = problem_create(versions[v].format, shape, true, seed);
        for (int batch = 1; batch <= p.batch; batch *= 2) {
            struct job job = job_create(&p, &versions[v], NONE, batch);
            job_launch(&job, 0);
            CUDA_CHECK(cudaDeviceSynchronize());
            job_verify(&job);
            job_free(&job);
        }
        problem_free(&p);
    }
}

// ---------------------------------------------------------------- the tables

/* What only the emulator counts: instructions for a weight and vector, and what is asked of L1 and shared memory for each
 * 128 bytes of W, which are four sectors by themselves. */
static void count_on_emulator(struct job *jobs, int count) {
    struct bench bench = bench_start(0);
    for (int j = 0; j < count; j++) {
        const struct problem *p = jobs[j].problem;
        bench_run(&bench, job_name(&jobs[j]), job_launch, &jobs[j], (double)p->M * p->N, p->bytes, 0);
    }
    printf("\n%-16s  %16s  %16s  %16s  %16s\n%-16s  %16s  %16s  %16s  %16s\n", "", "instructions", "sectors loaded",
           "wavefronts", "bytes", "version", "for a weight", "per 128 B of W", "per 128 B of W", "for a weight");
    for (int r = 0; r < bench.rows; r++) {
        const struct emulatorCounters *c = &bench.row[r].counters;
        const struct job *job = &jobs[r];
        double lines = bench.row[r].elements * weight_bytes(job->problem->format) / 128;
        char name[40];
        snprintf(name, sizeof name, job->gemv.batch > 1 ? "%s, %d vectors" : "%s", bench.row[r].name, job->gemv.batch);
        printf("%-16s  %16.2f  %16.2f  %16.2f  %16.3f\n", name, c->thread_instructions / bench.row[r].elements,
               c->global_load_sectors / lines, (c->shared_load_wavefronts + c->shared_store_wavefronts) / lines,
               job->problem->bytes / bench.row[r].elements);
    }
    printf("\n");
}

static void time_on_gpu(struct job *jobs, int count, const char *versus) {
    struct turns turns = turns_start();
    for (int j = 0; j < count; j++) {
        turns_add(&turns, job_name(&jobs[j]), job_launch, &jobs[j], jobs[j].problem->bytes, 0);
    }
    turns_run(&turns);
    turns_print(&turns, versus);
    turns_end(&turns);
}

/* One table; then what was timed is verified. */
static void table(struct job *jobs, int count, const char *versus) {
    if (device_is_emulator()) {
        count_on_emulator(jobs, count);
    } else {
        time_on_gpu(jobs, count, versus);
    }
    for (int j = 0; j < count; j++) {
        job_verify(&jobs[j]);
        job_free(&jobs[j]);
    }
}

/* The versions of one format, on a GPU next to its rivals. The first row is what the others are compared with. */
static int jobs_create(struct job *jobs, const struct problem *p, const struct version *versions, int first, int last,
                       struct cublas *cublas, int batch) {
    int count = 0;
    if (!device_is_emulator()) {
        jobs[count++] = job_create(p, NULL, COPY, batch);
        jobs[count++] = job_create(p, NULL, READ, batch);
    }
    if (cublas->library && !is_quantised(p->format)) {
        jobs[count] = job_create(p, NULL, CUBLAS, batch);
        jobs[count++].cublas = cublas;
    }
    for (int v = first; v <= last; v++) {
        if (versions[v].format == p->format) {
            jobs[count++] = job_create(p, &versions[v], NONE, batch);
        }
    }
    return count;
}

static bool is_among(const struct version *versions, int first, int last, enum format format) {
    bool found = false;
    for (int v = first; v <= last; v++) {
        found = found || versions[v].format == format;
    }
    return found;
}

/* For one shape: a table for each format, and one for each number of vectors. */
static void measure_versions(const struct version *versions, int first, int last, struct shape shape, uint64_t seed) {
    static const char *const titles[] = {"fp32", "fp32, transposed", "fp16", "int8", "int4", "fp16"};
    static const char *const parts[] = {"fp32", "fp32 transposed", "fp16", "int8", "int4", "fp16 vectors="};
    struct cublas cublas = cublas_open();
    struct job jobs[ROWS_MAX];
    for (int f = FP32; f <= BATCH; f++) {
        bool asked_for = shape.what == shape::EVERYTHING || (shape.what == shape::ONE_VECTOR ? f != BATCH : f == FP32);
        if (!asked_for || !is_among(versions, first, last, (enum format)f)) {
            continue;
        }
        struct problem p = problem_create((enum format)f, shape, false, seed);
        for (int batch = 1; batch <= p.batch; batch *= 2) {
            printf("%d x %d, %s", p.M, p.N, titles[f]);
            printf(p.batch > 1 ? ", %d vector%s\n" : "\n", batch, batch > 1 ? "s" : "");
            record_part(p.batch > 1 ? "%d x %d %s%d" : "%d x %d %s", p.M, p.N, parts[f], batch);
            table(jobs, jobs_create(jobs, &p, versions, first, last, &cublas, batch), "% of copy");
        }
        if (is_quantised(p.format)) {
            printf("%s: y differs by ", titles[f]);
            record_print("%.2f", "quantised weights", "y differs by", "%", 100.0 * p.loss);
            printf(" %% from that of the weights before they were quantised\n\n");
        }
        problem_free(&p);
    }
    cublas_close(&cublas);
}

/* A problem is of one format, and a version is launched for 1, 2, 4 ... vectors: verify_versions and measure_versions know that. */
typedef struct lesson<struct shape, struct problem, struct version, struct job> frame;

#endif
