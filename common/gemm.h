/* gemm.h - what the lessons about matrix products share: main, a problem, its verification, and the table.
 *
 *     return gemm_main<sgemm_cpu>(versions, VERSIONS, shapes, 4, argc, argv);
 *
 * is lesson.h's main for products of floats, with gemm_shapes.h's sizes. What a program with more to do needs:
 *
 *     struct gemm gemm = gemm_create(M, N, K, 1.5f, -0.5f, seed, sgemm_cpu);      inputs and the expected result
 *     gemm_measure(&gemm, versions, count);                                       a table: times, or what was counted
 *     gemm_verify(&gemm, name);                                                   compares gemm.C with what is expected
 *     gemm_free(&gemm);
 *
 * All matrices are row-major without gaps: A is M x K, B is K x N, C is M x N, and C = alpha * A * B + beta * C. With beta = 0
 * nobody may read C: before the launch it holds NaN.
 *
 * The reference computes in double. A large product would take the CPU minutes; there it computes every 127th row only (127
 * and not 128, so that it is not the same row of a tile each time), and of every row a checksum (Freivalds' test): with w a
 * vector of +1 and -1 by chance, (A * B) * w must be A * (B * w), and the second takes no more than a pass over A and B.
 *
 * How far may a result be off? Inputs lie in -1 ... 1, so a product is about 0.25, and a sum of k products about sqrt(k) / 3.
 * Each of the K additions rounds that, up or down by chance, by at most 2^-24 of it; all together come to about
 * 0.14 * K * 2^-24. (K + 8) * 2^-23 is more than ten times as much, and still 500 times less than a single product, even
 * for K = 4096: a product too many or too few is seen, and so are inputs that were rounded to TF32 or half.
 */
#ifndef COMMON_GEMM_H
#define COMMON_GEMM_H

#include <float.h>

#include "bench.h"
#include "check.h"
#include "checksum.h"
#include "cublas.h"
#include "device.h"
#include "gemm_shapes.h"
#include "turns.h"
#include "verify.h"

enum { GEMM_SAMPLE = 127 };

/* C = alpha * A * B + beta * C, queued in `stream`. */
typedef void (*gemm_launch)(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                            cudaStream_t stream);

/* The same on the CPU, for rows 0, step, 2 * step, ... */
typedef void (*gemm_reference)(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                               int step);

struct gemm_version {
    const char *name;
    gemm_launch launch;
};

struct gemm {
    int M, N, K;
    float alpha, beta;
    int step;                                           /* the reference has rows 0, step, 2 * step, ... */
    float *host_A, *host_B, *host_C, *expected, *found; /* host; host_C is C before the launch */
    float *checksums;                                   /* host; of all rows of the expected C, where step is not 1 */
    float *A, *B, *C;                                   /* device */
    size_t bytes_A, bytes_B, bytes_C;
};

// ---------------------------------------------------------------- a problem

/* The checksums of alpha * A * B + beta * C. */
static inline void gemm_checksums(struct gemm *g) {
    double *Bw = (double *)verify_host_alloc(g->K * sizeof(double));
    double *sums = (double *)verify_host_alloc(g->M * sizeof(double));
    checksum_times_vector(g->host_B, g->K, g->N, NULL, Bw, 1, 0);
    if (g->beta != 0.0f) {
        checksum_times_vector(g->host_C, g->M, g->N, NULL, sums, 1, 0);
    }
    checksum_times_vector(g->host_A, g->M, g->K, Bw, sums, g->alpha, g->beta);
    g->checksums = (float *)verify_host_alloc(g->M * sizeof(float));
    for (int i = 0; i < g->M; i++) {
        g->checksums[i] = (float)sums[i];
    }
    free(Bw);
    free(sums);
}

static inline struct gemm gemm_create(int M, int N, int K, float alpha, float beta, uint64_t seed,
                                      gemm_reference reference) {
    struct gemm g = {M, N, K, alpha, beta};
    g.step = (double)M * N * K > 4e8 ? GEMM_SAMPLE : 1;
    g.bytes_A = (size_t)M * K * sizeof(float);
    g.bytes_B = (size_t)K * N * sizeof(float);
    g.bytes_C = (size_t)M * N * sizeof(float);
    g.host_A = (float *)verify_host_alloc(g.bytes_A);
    g.host_B = (float *)verify_host_alloc(g.bytes_B);
    g.host_C = (float *)verify_host_alloc(g.bytes_C);
    g.expected = (float *)verify_host_alloc(g.bytes_C);
    g.found = (float *)verify_host_alloc(g.bytes_C);
    verify_random(g.host_A, (size_t)M * K, -1.0f, 1.0f, seed);
    verify_random(g.host_B, (size_t)K * N, -1.0f, 1.0f, seed + 1000);
    verify_random(g.host_C, (size_t)M * N, -1.0f, 1.0f, seed + 2000);
    if (beta == 0.0f) {
        verify_poison_host(g.host_C, g.bytes_C);
    }
    memcpy(g.expected, g.host_C, g.bytes_C);
    reference(M, N, K, alpha, g.host_A, g.host_B, beta, g.expected, g.step);
    if (g.step > 1) {
        gemm_checksums(&g);
    }
    CUDA_CHECK(cudaMalloc((void **)&g.A, g.bytes_A));
    CUDA_CHECK(cudaMalloc((void **)&g.B, g.bytes_B));
    CUDA_CHECK(cudaMalloc((void **)&g.C, g.bytes_C));
    CUDA_CHECK(cudaMemcpy(g.A, g.host_A, g.bytes_A, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(g.B, g.host_B, g.bytes_B, cudaMemcpyHostToDevice));
    return g;
}

static inline void gemm_free(struct gemm *g) {
    CUDA_CHECK(cudaFree(g->A));
    CUDA_CHECK(cudaFree(g->B));
    CUDA_CHECK(cudaFree(g->C));
    free(g->host_A);
    free(g->host_B);
    free(g->host_C);
    free(g->expected);
    free(g->checksums);
    free(g->found);
}

static inline void gemm_reset(struct gemm *g) {
    CUDA_CHECK(cudaMemcpy(g->C, g->host_C, g->bytes_C, cudaMemcpyHostToDevice));
}

/* The errors of a row's elements have random signs, too: together sqrt(N) times one of them. */
static inline int gemm_verify_checksums(struct gemm *g, const char *title, double tolerance) {
    char name[160];
    double *sums = (double *)verify_host_alloc(g->M * sizeof(double));
    float *found = (float *)verify_host_alloc(g->M * sizeof(float));
    checksum_times_vector(g->found, g->M, g->N, NULL, sums, 1, 0);
    for (int i = 0; i < g->M; i++) {
        found[i] = (float)sums[i];
    }
    snprintf(name, sizeof name, "%s, checksums of its rows", title);
    int good = verify_floats(name, found, g->checksums, g->M, tolerance * sqrt((double)g->N), 0);
    free(sums);
    free(found);
    return good;
}

static inline int gemm_verify(struct gemm *g, const char *name) {
    char title[120];
    double tolerance = (g->K + 8) * (double)FLT_EPSILON;
    size_t row = g->N * sizeof(float);
    snprintf(title, sizeof title, "%s, M x N x K = %d x %d x %d, alpha %g, beta %g", name, g->M, g->N, g->K, g->alpha,
             g->beta);
    verify_poison_host(g->found, g->bytes_C);
    CUDA_CHECK(cudaMemcpy(g->found, g->C, g->bytes_C, cudaMemcpyDeviceToHost));
    for (int i = 0; i < g->M; i++) {
        if (i % g->step != 0) { // the reference lacks this row, its checksum does not; unwritten elements are seen here
            memcpy(g->expected + (size_t)i * g->N, g->found + (size_t)i * g->N, row);
        }
    }
    int good = verify_floats(title, g->found, g->expected, (size_t)g->M * g->N, tolerance, 0);
    return good && (g->step == 1 || gemm_verify_checksums(g, title, tolerance));
}

/* One version with bench.h's way of calling. */
struct gemm_job {
    struct gemm *gemm;
    const struct gemm_version *version;
};

static inline void gemm_launch_job(void *job, cudaStream_t stream) {
    const struct gemm_job *j = (const struct gemm_job *)job;
    const struct gemm *g = j->gemm;
    j->version->launch(g->M, g->N, g->K, g->alpha, g->A, g->B, g->beta, g->C, stream);
}

// ---------------------------------------------------------------- on a GPU: times

/* fp32 lanes of a multiprocessor: the device does not say, its compute capability does (CUDA C++ Programming Guide). */
static inline int gemm_lanes(int major, int minor) {
    int half = major == 7 || (minor == 0 && (major == 6 || major == 8));
    return half ? 64 : 128;
}

/* What the machine can do at best, in TFLOP/s: a fused multiply-add per lane and clock. */
static inline double gemm_print_peak(void) {
    int device = 0, major = 0, minor = 0, count = 0, clock = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
    int lanes = gemm_lanes(major, minor);
    double peak = 2.0 * count * lanes * clock / 1e9;
    printf("fp32 peak: %.2f TFLOP/s = %d multiprocessors x %d lanes x 2 x %.3f GHz\n", peak, count, lanes, clock / 1e6);
    record_row("fp32 peak", "TFLOP/s", peak, "TFLOP/s");
    record_row("fp32 peak", "multiprocessors", count, "");
    record_row("fp32 peak", "lanes", lanes, "");
    record_row("fp32 peak", "clock", clock / 1e6, "GHz");
    return peak;
}

/* cuBLAS with bench.h's way of calling. */
struct gemm_peer {
    struct gemm *gemm;
    struct cublas cublas;
};

static inline void gemm_launch_peer(void *job, cudaStream_t stream) {
    struct gemm_peer *p = (struct gemm_peer *)job;
    const struct gemm *g = p->gemm;
    cublas_sgemm(&p->cublas, g->M, g->N, g->K, g->alpha, g->A, g->B, g->beta, g->C, stream);
}

/* Times all versions in turns with cuBLAS, which is the last row. */
static inline struct turns gemm_race(struct gemm *g, struct gemm_job *jobs, int count, struct gemm_peer *peer) {
    struct turns turns = turns_start();
    for (int v = 0; v < count; v++) {
        turns_add(&turns, jobs[v].version->name, gemm_launch_job, &jobs[v], 0, 2.0 * g->M * g->N * g->K);
    }
    if (peer->cublas.sgemm) {
        turns_add(&turns, "cuBLAS", gemm_launch_peer, peer, 0, 2.0 * g->M * g->N * g->K);
    }
    turns_run(&turns);
    return turns;
}

/* A row of the table as rows of data (record.h). */
static inline void gemm_record_times(const struct turns_row *row, double speed, double peak,
                                     const struct turns_row *cublas) {
    turns_record_times(row, row->name);
    record_row(row->name, "TFLOP/s", speed, "TFLOP/s");
    record_row(row->name, "% of peak", 100 * speed / peak, "%");
    if (cublas) {
        record_row(row->name, "% of cuBLAS", 100 * cublas->median / row->median, "%");
    }
}

static inline void gemm_print_times(const struct turns *turns, double peak, const struct turns_row *cublas) {
    printf("\n%-18s  %12s  %23s  %12s  %12s  %12s\n", "version", "ms", "shortest .. longest", "TFLOP/s", "% of peak",
           "% of cuBLAS");
    for (int r = 0; r < turns->rows; r++) {
        const struct turns_row *row = &turns->row[r];
        double speed = row->flops / row->median / 1e9;
        printf("%-18s  %12.4f  %10.4f .. %9.4f  %12.3f", row->name, row->median, row->shortest, row->longest, speed);
        bench_cell(100 * speed, peak);
        bench_cell(cublas ? 100 * cublas->median : 0, cublas ? row->median : 0);
        printf("\n");
        gemm_record_times(row, speed, peak, cublas);
    }
    printf("\n");
}

/* What the memory does at best: a copy of as many bytes as A, B and C have, half of them read, half written. */
static inline void gemm_print_copy(const struct gemm *g) {
    struct bench bench = bench_start((double)(g->bytes_A + g->bytes_B + g->bytes_C));
    record_print("copy kernel: %.1f GB/s\n", "copy kernel", "GB/s", "GB/s",
                 bench.row[0].bytes / bench.row[0].milliseconds / 1e6);
    CUDA_CHECK(cudaFree(bench.flush));
}

/* The same problem with a C of its own, as before any launch. */
static inline struct gemm gemm_with_own_C(const struct gemm *g) {
    struct gemm own = *g;
    CUDA_CHECK(cudaMalloc((void **)&own.C, own.bytes_C));
    gemm_reset(&own);
    return own;
}

static inline void gemm_measure_times(struct gemm *g, const struct gemm_version *versions, int count) {
    struct gemm own[BENCH_ROWS]; // the last one is cuBLAS's
    struct gemm_job jobs[BENCH_ROWS];
    struct gemm_peer peer = {&own[count], cublas_open()};
    for (int v = 0; v <= count && v < BENCH_ROWS; v++) {
        own[v] = gemm_with_own_C(g);
        jobs[v] = {&own[v], &versions[v]};
    }
    cublas_print(&peer.cublas);
    double peak = gemm_print_peak();
    gemm_print_copy(g);
    struct turns turns = gemm_race(g, jobs, count, &peer);
    gemm_print_times(&turns, peak, peer.cublas.sgemm ? &turns.row[count] : NULL);
    turns_end(&turns);
    for (int v = 0; v < count; v++) { // what was timed, not another run
        gemm_verify(&own[v], versions[v].name);
    }
    if (peer.cublas.sgemm) { // it shall be fp32 that we compare with, not TF32
        gemm_verify(&own[count], "cuBLAS");
    }
    for (int v = 0; v <= count; v++) {
        CUDA_CHECK(cudaFree(own[v].C));
    }
    cublas_close(&peer.cublas);
}

// ---------------------------------------------------------------- on the emulator: counts

static inline void gemm_print_counts(const char *name, double fmas, const struct emulatorCounters *c) {
    double wavefronts = (double)(c->shared_load_wavefronts + c->shared_store_wavefronts +
                                 c->async_copy_wavefronts); // cp.async writes, too
    printf("%-18s", name);
    bench_cell((double)c->thread_instructions, fmas);
    bench_cell((double)c->global_load_sectors, (double)c->global_load_requests);
    bench_cell((double)c->global_store_sectors, (double)c->global_store_requests);
    bench_cell(32.0 * c->global_load_sectors, fmas);
    bench_cell(wavefronts, (double)(c->shared_load_requests + c->shared_store_requests + c->async_copies));
    bench_cell(32.0 * wavefronts, c->shared_load_requests > 0 ? fmas : 0);
    printf("\n");
}

/* FMA: a fused multiply-add, a * b + c. A product of these sizes has M * N * K of them. */
static inline void gemm_measure_counts(struct gemm *g, const struct gemm_version *versions, int count) {
    printf("\n%-18s  %12s  %12s  %12s  %12s  %12s  %12s\n", "", "instructions", "sectors", "sectors", "bytes loaded",
           "wavefronts", "wavefronts");
    printf("%-18s  %12s  %12s  %12s  %12s  %12s  %12s\n", "version", "per FMA", "per load", "per store", "per FMA",
           "per shared", "per 32 FMA");
    for (int v = 0; v < count; v++) {
        struct gemm_job job = {g, &versions[v]};
        struct emulatorCounters counters;
        gemm_reset(g);
        bench_count(&counters, gemm_launch_job, &job);
        gemm_print_counts(versions[v].name, (double)g->M * g->N * g->K, &counters);
        gemm_verify(g, versions[v].name);
    }
    printf("\n");
}

/* The table. What was timed or counted is verified. */
static inline void gemm_measure(struct gemm *g, const struct gemm_version *versions, int count) {
    printf("M = %d, N = %d, K = %d\n", g->M, g->N, g->K);
    record_row("product", "M", g->M, "");
    record_row("product", "N", g->N, "");
    record_row("product", "K", g->K, "");
    if (device_is_emulator()) {
        gemm_measure_counts(g, versions, count);
    } else {
        gemm_measure_times(g, versions, count);
    }
}

// ---------------------------------------------------------------- main

/* A sum is 1.5 * A * B - 0.5 * C. A template of the reference: a pointer to a function cannot carry it along. */
template <gemm_reference REFERENCE> struct gemm gemm_of_shape(struct gemm_shape s, int, uint64_t seed) {
    return gemm_create(s.M, s.N, s.K, s.added ? 1.5f : 1.0f, s.added ? -0.5f : 0.0f, seed, REFERENCE);
}

template <gemm_reference REFERENCE>
void gemm_measure_shape(const struct gemm_version *versions, int first, int last, struct gemm_shape s, uint64_t seed) {
    struct gemm g = gemm_of_shape<REFERENCE>(s, 0, seed);
    gemm_measure(&g, &versions[first], last - first + 1);
    gemm_free(&g);
}

static inline struct gemm_job gemm_begin(struct gemm *g, const struct gemm_version *version) {
    gemm_reset(g);
    return {g, version};
}

static inline void gemm_verify_job(struct gemm_job *job) {
    gemm_verify(job->gemm, job->version->name);
}

template <gemm_reference REFERENCE, int SHAPES>
int gemm_main(const struct gemm_version *versions, int count, const int (&shapes)[SHAPES][3], int multiple_of_K,
              int argc, char **argv) {
    struct options options = options_read(argc, argv, count);
    struct lesson<gemm_shape, gemm, gemm_version, gemm_job> lesson = {
        "matrix product", versions, count
    };
    lesson.create = gemm_of_shape<REFERENCE>, lesson.free = gemm_free;
    lesson.begin = gemm_begin, lesson.launch = gemm_launch_job, lesson.verify = gemm_verify_job;
    lesson.measure_size = gemm_measure_shape<REFERENCE>;
    gemm_run(&lesson, shapes, multiple_of_K, argv[0], &options);
    return verify_finish(lesson.what);
}

#endif
