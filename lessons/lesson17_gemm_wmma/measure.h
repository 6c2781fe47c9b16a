/* measure.h - what lesson 17 does with its versions: verify each, count what they ask for on the emulator, time them on a GPU in turns with
 * cuBLAS, and compare how exact they are.
 *
 *     frame lesson = frame_of("matrix product", versions, VERSIONS);      for lesson.h: verifies; times or counts
 *     gemm_compare_errors(versions, count, seed);                         errors by type and by K
 *
 * How far may a result be off? Products of two numbers of 8, 11 or so bits are exact. What is rounded is a sum, after each
 * addition or after several of them: a tensor core adds at least four products at once, cuts each addend off and then rounds. With
 * u = 2^-24 for sums in fp32 (2^-11 in fp16), an addition that rounds to nearest is off by at most u times its result, and four that
 * are made at once by less than 4 u times the largest number that takes part. S is the largest sum or product on the way to an element,
 * which the reference finds out. So the error is at most about K u S. alpha, beta and the result's own rounding have 8 more
 * u: (K + 8) u S is allowed, and not less, since additions may come in any order. Sums of fp16 that are said to be fp32 are off by
 * thousands of u. Whole numbers (int8) must be right.
 *
 * A large matrix has the same million numbers again and again. Of a large result every 1021st row is compared, and of the others a checksum each, as common/gemm.h explains it.
 */
#ifndef LESSONS_LESSON17_GEMM_WMMA_MEASURE_H
#define LESSONS_LESSON17_GEMM_WMMA_MEASURE_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/cublas_types.h"
#include "../../common/device.h"
#include "../../common/gemm_shapes.h"
#include "../../common/record.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

enum {
    GEMM_SAMPLE = 1021,
    GEMM_PERIOD = 1000003
}; // primes: rows and tiles of any length do not fall in step with them

/* C = alpha * A * B + beta * C, with matrices of the version's types on the device. */
struct gemm_call {
    int M, N, K;
    float alpha, beta;
    const void *A, *B;
    void *C;
};

enum kind { FP16, FP16_SUMS16, BF16, TF32, INT8, FP32, KINDS };

static const struct kind_facts {
    const char *name;
    size_t number, sum; // bytes
    double rounding;    // u, of the sums
    int major, minor;   // compute capability of the first GPUs that have it
    int products_per_clock; // of a multiprocessor of compute capability 9.0, NVIDIA's H100 white paper; 0: not its tensor cores'
    const struct cublas_types *cublas;
} kinds[KINDS] = {
    {"fp16", 2, 4, 0x1p-24, 7, 0, 2048, &CUBLAS_FP16},
    {"fp16, sums fp16", 2, 2, 0x1p-11, 7, 0, 2048, &CUBLAS_FP16_SUMS16},
    {"bf16", 2, 4, 0x1p-24, 8, 0, 2048, &CUBLAS_BF16},
    {"tf32", 4, 4, 0x1p-24, 8, 0, 1024, &CUBLAS_TF32},
    {"int8", 1, 4, 0, 7, 2, 4096, &CUBLAS_INT8},
    {"fp32", 4, 4, 0x1p-24, 1, 0, 0, &CUBLAS_FP32},
};

struct gemm_version {
    const char *name;
    enum kind kind;
    void (*launch)(const struct gemm_call *call, cudaStream_t stream);
};

/* Does this GPU have the type, and was the program compiled for GPUs that do? */
static bool gemm_runs_here(enum kind kind) {
    int device = 0, major = 0, minor = 0, needed = 10 * kinds[kind].major + kinds[kind].minor;
    struct cudaFuncAttributes compiled;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    CUDA_CHECK(cudaFuncGetAttributes(&compiled, turns_empty_kernel)); // any kernel
    return 10 * major + minor >= needed && compiled.ptxVersion >= needed;
}

// ---------------------------------------------------------------- numbers

/* What becomes of x in a product of this kind. TF32: to nearest, halves away from zero, as __float_to_tf32 does. */
static float kind_rounded(enum kind kind, float x) {
    switch (kind) {
    case FP16:
    case FP16_SUMS16:
        return __half2float(__float2half(x));
    case BF16:
        return __bfloat162float(__float2bfloat16(x));
    case TF32: {
        uint32_t bits = (verify_bits(x) + 0x1000) & ~0x1fffu;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    case INT8:
        return rintf(127 * x);
    default:
        return x;
    }
}

/* Writes n numbers as they lie in memory; x becomes what the product makes of them. */
static void kind_write(enum kind kind, float *x, void *to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        switch (kind) {
        case FP16:
        case FP16_SUMS16:
            ((half *)to)[i] = __float2half(x[i]);
            break;
        case BF16:
            ((__nv_bfloat16 *)to)[i] = __float2bfloat16(x[i]);
            break;
        case INT8:
            ((signed char *)to)[i] = (signed char)rintf(127 * x[i]);
            break;
        default:
            ((float *)to)[i] = x[i];
        }
        x[i] = kind_rounded(kind, x[i]);
    }
}

static float sum_read(enum kind kind, const void *from, size_t i) {
    return kind == FP16_SUMS16 ? __half2float(((const half *)from)[i])
           : kind == INT8      ? (float)((const int *)from)[i]
                               : ((const float *)from)[i];
}

static void sums_write(enum kind kind, const float *x, void *to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (kind == FP16_SUMS16) {
            ((half *)to)[i] = __float2half(x[i]);
        } else if (kind == INT8) {
            ((int *)to)[i] = (int)x[i];
        } else {
            ((float *)to)[i] = x[i];
        }
    }
}

// ---------------------------------------------------------------- a problem

struct gemm {
    enum kind kind;
    struct gemm_call call;
    uint64_t seed;
    int step;                 // the reference has rows 0, step, 2 * step, ...
    size_t n_A, n_B, n_C;     // elements
    float *A, *B;             // host; as the product sees them, rounded
    void *host_C, *found_C;   // C before the launch and after it
    double *expected, *limit; // of the rows that the reference has: the result, and how far it may be off
    double *checksums, most;  // of all rows; the largest limit
};

/* +1 and -1, by chance, always the same. */
static double *gemm_signs(int n) {
    double *w = (double *)verify_host_alloc(n * sizeof(double));
    uint64_t state = 1;
    for (int j = 0; j < n; j++) {
        w[j] = verify_next(&state) >> 63 ? 1 : -1;
    }
    return w;
}

/* Row i of alpha * A * B + beta * C, in double, and how far a result may be off. */
static void gemm_reference_row(const struct gemm *g, int i, double *expected, double *limit) {
    const struct gemm_call *c = &g->call;
    for (int j = 0; j < c->N; j++) {
        expected[j] = limit[j] = 0;
    }
    for (int k = 0; k < c->K; k++) {
        double a = g->A[(size_t)i * c->K + k];
        const float *b = &g->B[(size_t)k * c->N];
        for (int j = 0; j < c->N; j++) {
            double product = a * b[j], size = product < 0 ? -product : product;
            double sum = expected[j] + product, magnitude = sum < 0 ? -sum : sum;
            expected[j] = sum;
            size = size > magnitude ? size : magnitude;
            limit[j] = limit[j] > size ? limit[j] : size;
        }
    }
    for (int j = 0; j < c->N; j++) {
        double before = c->beta == 0.0f ? 0 : c->beta * (double)sum_read(g->kind, g->host_C, (size_t)i * c->N + j);
        expected[j] = c->alpha * expected[j] + before;
        limit[j] = (c->K + 8) * kinds[g->kind].rounding * (fabs(c->alpha) * limit[j] + fabs(before));
    }
}

/* The checksums of all rows: alpha * A * (B * w) + beta * C * w. */
static void gemm_checksums(struct gemm *g) {
    const struct gemm_call *c = &g->call;
    double *Bw = (double *)verify_host_alloc(c->K * sizeof(double));
    double *w = gemm_signs(c->N);
    g->checksums = (double *)verify_host_alloc(c->M * sizeof(double));
    for (int k = 0; k < c->K; k++) {
        Bw[k] = 0;
        for (int j = 0; j < c->N; j++) {
            Bw[k] += g->B[(size_t)k * c->N + j] * w[j];
        }
    }
    for (int i = 0; i < c->M; i++) {
        double sum = 0;
        for (int k = 0; k < c->K; k++) {
            sum += g->A[(size_t)i * c->K + k] * Bw[k];
        }
        g->checksums[i] = c->alpha * sum;
        for (int j = 0; c->beta != 0.0f && j < c->N; j++) {
            g->checksums[i] += c->beta * (double)sum_read(g->kind, g->host_C, (size_t)i * c->N + j) * w[j];
        }
    }
    free(w);
    free(Bw);
}

/* Makes n elements of those that are there, `distinct` of them, by repeating them. */
static void gemm_repeat(void *x, size_t element, size_t distinct, size_t n) {
    for (size_t done = distinct, more; done < n; done += more) {
        more = done < n - done ? done : n - done;
        memcpy((char *)x + done * element, x, more * element);
    }
}

/* One matrix of n numbers: on the device as the kind has them, and here as the product sees them. */
static float *gemm_matrix(enum kind kind, size_t n, uint64_t seed, const void **device) {
    size_t number = kinds[kind].number, distinct = n < GEMM_PERIOD ? n : (size_t)GEMM_PERIOD;
    float *x = (float *)verify_host_alloc(n * sizeof(float));
    void *numbers = verify_host_alloc(n * number), *there = NULL;
    verify_random(x, distinct, -1.0f, 1.0f, seed);
    kind_write(kind, x, numbers, distinct);
    gemm_repeat(numbers, number, distinct, n);
    CUDA_CHECK(cudaMalloc(&there, n * number));
    CUDA_CHECK(cudaMemcpy(there, numbers, n * number, cudaMemcpyHostToDevice));
    gemm_repeat(x, sizeof(float), distinct, n);
    free(numbers);
    *device = there;
    return x;
}

static void gemm_reset(struct gemm *g) {
    CUDA_CHECK(cudaMemcpy(g->call.C, g->host_C, g->n_C * kinds[g->kind].sum, cudaMemcpyHostToDevice));
}

static struct gemm gemm_create(enum kind kind, int M, int N, int K, float alpha, float beta, uint64_t seed) {
    struct gemm g = {kind, {M, N, K, alpha, beta}, seed};
    g.step = (double)M * N * K > 4e8 ? GEMM_SAMPLE : 1;
    g.n_A = (size_t)M * K, g.n_B = (size_t)K * N, g.n_C = (size_t)M * N;
    g.A = gemm_matrix(kind, g.n_A, seed, &g.call.A);
    g.B = gemm_matrix(kind, g.n_B, seed + 1000, &g.call.B);
    g.host_C = verify_host_alloc(g.n_C * kinds[kind].sum);
    g.found_C = verify_host_alloc(g.n_C * kinds[kind].sum);
    CUDA_CHECK(cudaMalloc(&g.call.C, g.n_C * kinds[kind].sum));
    if (beta == 0.0f) {
        verify_poison_host(g.host_C, g.n_C * kinds[kind].sum);
    } else {
        float *before = (float *)verify_host_alloc(g.n_C * sizeof(float));
        float most = kind == INT8 ? 1000.0f : 1.0f;
        verify_random(before, g.n_C, -most, most, seed + 2000);
        sums_write(kind, before, g.host_C, g.n_C);
        free(before);
    }
    size_t rows = ((size_t)M + g.step - 1) / g.step;
    g.expected = (double *)verify_host_alloc(rows * N * sizeof(double));
    g.limit = (double *)verify_host_alloc(rows * N * sizeof(double));
    for (size_t r = 0; r < rows; r++) {
        gemm_reference_row(&g, (int)r * g.step, g.expected + r * N, g.limit + r * N);
    }
    for (size_t e = 0; e < rows * N; e++) {
        g.most = g.limit[e] > g.most ? g.limit[e] : g.most;
    }
    if (g.step > 1) {
        gemm_checksums(&g);
    }
    return g;
}

static void gemm_free(struct gemm *g) {
    CUDA_CHECK(cudaFree((void *)g->call.A));
    CUDA_CHECK(cudaFree((void *)g->call.B));
    CUDA_CHECK(cudaFree(g->call.C));
    free(g->A);
    free(g->B);
    free(g->host_C);
    free(g->found_C);
    free(g->expected);
    free(g->limit);
    free(g->checksums);
}

// ---------------------------------------------------------------- is it right?

/* One number of the result; `bad` counts those that are wrong. Written so that NaN is wrong, too. */
static void gemm_look(const char *title, size_t n, size_t index, double found, double expected, double limit,
                      size_t *bad) {
    if (fabs(found - expected) <= limit) {
        return;
    }
    if (*bad == 0) {
        verify_heading(title, n);
    }
    if ((*bad)++ < VERIFY_SHOWN) {
        printf("    %12zu  %16.9g  %16.9g  allowed: %.2g\n", index, expected, found, limit);
    }
}

/* The rows that the reference lacks: the errors of a row's elements have random signs, so together they are about sqrt(N) times one. */
static bool gemm_verify_checksums(const struct gemm *g, const char *title) {
    const struct gemm_call *c = &g->call;
    double *w = gemm_signs(c->N);
    size_t bad = 0;
    for (int i = 0; i < c->M; i++) {
        double sum = 0;
        for (int j = 0; j < c->N; j++) {
            sum += w[j] * sum_read(g->kind, g->found_C, (size_t)i * c->N + j);
        }
        gemm_look(title, c->M, i, sum, g->checksums[i], g->most * sqrt((double)c->N), &bad);
    }
    free(w);
    return verify_tell(bad, c->M);
}

static bool gemm_verify(struct gemm *g, const char *name) {
    const struct gemm_call *c = &g->call;
    char title[160];
    size_t bad = 0;
    CUDA_CHECK(cudaMemcpy(g->found_C, c->C, g->n_C * kinds[g->kind].sum, cudaMemcpyDeviceToHost));
    snprintf(title, sizeof title, "%s, M x N x K = %d x %d x %d, alpha %g, beta %g", name, c->M, c->N, c->K, c->alpha,
             c->beta);
    for (size_t row = 0; row < (size_t)c->M; row += g->step) {
        for (int j = 0; j < c->N; j++) {
            size_t e = row * c->N + j, r = row / g->step * c->N + j;
            gemm_look(title, g->n_C, e, sum_read(g->kind, g->found_C, e), g->expected[r], g->limit[r], &bad);
        }
    }
    bool good = verify_tell(bad, g->n_C);
    snprintf(title, sizeof title, "%s, checksums of the rows of %d x %d x %d", name, c->M, c->N, c->K);
    return good && (g->step == 1 || gemm_verify_checksums(g, title));
}

// ---------------------------------------------------------------- a version, or cuBLAS, on a problem

struct gemm_job {
    struct gemm *gemm;
    struct gemm_call call;
    const struct gemm_version *version; // NULL: cuBLAS
    const struct cublas *cublas;
};

static void gemm_launch_job(void *job, cudaStream_t stream) {
    const struct gemm_job *j = (const struct gemm_job *)job;
    const struct gemm_call *c = &j->call;
    if (j->version) {
        j->version->launch(c, stream);
    } else {
        cublas_check(cublas_gemm_ex(j->cublas, kinds[j->gemm->kind].cublas, c->M, c->N, c->K, c->alpha, c->A, c->B,
                                    c->beta, c->C, stream),
                     "cublasGemmEx");
    }
}

// ---------------------------------------------------------------- on a GPU: times

/* What the tensor cores can do at best, in TFLOP/s, where we know it: 0 elsewhere. */
static double gemm_peak(enum kind kind) {
    int device = 0, major = 0, minor = 0, count = 0, clock = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
    return major == 9 && minor == 0 ? 2.0 * count * kinds[kind].products_per_clock * clock / 1e9 : 0;
}

/* cuBLAS may refuse a type in this layout; and of TF32 it is its own business how the inputs are rounded. */
static bool gemm_peer_works(struct gemm *g, struct gemm_job *peer) {
    const struct gemm_call *c = &peer->call;
    if (!peer->cublas->library || cublas_gemm_ex(peer->cublas, kinds[g->kind].cublas, c->M, c->N, c->K, c->alpha, c->A,
                                                 c->B, c->beta, c->C, 0) != 0) {
        return false;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return true;
}

static void gemm_verify_peer(struct gemm *g) {
    size_t rows = ((size_t)g->call.M + g->step - 1) / g->step;
    for (size_t e = 0; g->kind == TF32 && e < rows * g->call.N; e++) {
        g->limit[e] +=
            0x1p-9 * sqrt(g->call.K); // inputs cut off instead of rounded: 2^-10 of each product of about 1/4
    }
    g->most += g->kind == TF32 ? 0x1p-9 * sqrt(g->call.K) : 0;
    gemm_verify(g, "cuBLAS");
}

/* A row of the table, and the same as rows of data (record.h). */
static void gemm_print_row(const struct turns_row *row, const char *type, double peak, const struct turns_row *peer) {
    double speed = row->flops / row->median / 1e9;
    printf("%-18s  %-15s", row->name, type);
    record_print("  %12.4f", row->name, "ms", "ms", row->median);
    record_print("  %10.4f", row->name, "shortest", "ms", row->shortest);
    record_print(" .. %9.4f", row->name, "longest", "ms", row->longest);
    record_print("  %12.3f", row->name, "TFLOP/s", "TFLOP/s", speed);
    bench_cell(100 * speed, peak);
    bench_cell(peer ? 100 * peer->median : 0, peer ? row->median : 0);
    printf("\n");
    if (peak > 0) {
        record_row(row->name, "% of peak", 100 * speed / peak, "%");
    }
    if (peer) {
        record_row(row->name, "% of cuBLAS", 100 * peer->median / row->median, "%");
    }
}

/* The versions of one type in turns with cuBLAS, which is the last row. Each row has a C of its own, so what was timed is verified. */
static void gemm_race(struct gemm *g, const struct gemm_version *versions, int count, const struct cublas *cublas) {
    struct gemm_job jobs[BENCH_ROWS];
    struct turns turns = turns_start();
    double peak = gemm_peak(g->kind), flops = 2.0 * g->call.M * g->call.N * g->call.K;
    void *own_C = g->call.C;
    for (int v = 0; v <= count; v++) {
        jobs[v] = {g, g->call, v < count ? &versions[v] : NULL, cublas};
        CUDA_CHECK(cudaMalloc(&jobs[v].call.C, g->n_C * kinds[g->kind].sum));
        g->call.C = jobs[v].call.C;
        gemm_reset(g);
        if (v < count || gemm_peer_works(g, &jobs[v])) {
            turns_add(&turns, v < count ? versions[v].name : "cuBLAS", gemm_launch_job, &jobs[v], 0, flops);
        }
    }
    turns_run(&turns);
    const struct turns_row *peer = turns.rows > count ? &turns.row[count] : NULL;
    for (int r = 0; r < turns.rows; r++) {
        gemm_print_row(&turns.row[r], kinds[g->kind].name, peak, peer);
    }
    fflush(stdout);
    turns_end(&turns);
    for (int v = 0; v <= count; v++) {
        g->call.C = jobs[v].call.C;
        if (v < count) {
            gemm_verify(g, versions[v].name);
        } else if (peer) {
            gemm_verify_peer(g);
        }
        CUDA_CHECK(cudaFree(jobs[v].call.C));
    }
    g->call.C = own_C;
}

// ---------------------------------------------------------------- on the emulator: counts

/* Of a product of M x N x K there are M * N * K / 4096 products of 16 x 16 x 16. */
static void gemm_print_counts(const char *name, const struct gemm_call *c, const struct emulatorCounters *n) {
    double tiles = (double)c->M * c->N * c->K / 4096;
    double wavefronts = (double)(n->shared_load_wavefronts + n->shared_store_wavefronts + n->async_copy_wavefronts);
    printf("%-18s", name);
    bench_cell((double)n->warp_instructions, tiles);
    bench_cell((double)n->global_load_sectors, (double)n->global_load_requests);
    bench_cell(32.0 * n->global_load_sectors, tiles);
    bench_cell(wavefronts, (double)(n->shared_load_requests + n->shared_store_requests + n->async_copies));
    bench_cell(wavefronts, n->shared_load_requests > 0 ? tiles : 0);
    printf("\n");
}

static void gemm_count(struct gemm *g, const struct gemm_version *version) {
    struct gemm_job job = {g, g->call, version};
    struct emulatorCounters counters;
    gemm_reset(g);
    bench_count(&counters, gemm_launch_job, &job);
    gemm_print_counts(version->name, &g->call, &counters);
    gemm_verify(g, version->name);
}

/* The table. What was timed or counted is verified. */
static void gemm_measure_versions(const struct gemm_version *versions, int first, int last, struct gemm_shape shape,
                                  uint64_t seed) {
    bool emulator = device_is_emulator();
    struct cublas cublas = cublas_open();
    printf("M = %d, N = %d, K = %d\n", shape.M, shape.N, shape.K);
    record_row("product", "M", shape.M, "");
    record_row("product", "N", shape.N, "");
    record_row("product", "K", shape.K, "");
    if (emulator) {
        printf("\n%-18s  %12s  %12s  %12s  %12s  %12s\n", "", "instructions", "sectors", "bytes loaded", "wavefronts",
               "wavefronts");
        printf("%-18s  %12s  %12s  %12s  %12s  %12s\n", "version", "per tile", "per load", "per tile", "per shared",
               "per tile");
    } else {
        cublas_print(&cublas);
        printf("\n%-18s  %-15s  %12s  %23s  %12s  %12s  %12s\n", "version", "type", "ms", "shortest .. longest",
               "TFLOP/s", "% of peak", "% of cuBLAS");
    }
    for (int v = first, next; v <= last; v = next) { // the versions of one type follow each other
        for (next = v; next <= last && versions[next].kind == versions[v].kind; next++) {
        }
        if (!gemm_runs_here(versions[v].kind)) {
            printf("%-18s  needs compute capability %d.%d\n", versions[v].name, kinds[versions[v].kind].major,
                   kinds[versions[v].kind].minor);
            continue;
        }
        struct gemm g = gemm_create(versions[v].kind, shape.M, shape.N, shape.K, 1.0f, 0.0f, seed);
        if (emulator) {
            for (int k = v; k < next; k++) {
                gemm_count(&g, &versions[k]);
            }
        } else {
            record_part("%s", kinds[versions[v].kind].name);
            gemm_race(&g, &versions[v], next - v, &cublas);
        }
        gemm_free(&g);
    }
    printf("\n");
    cublas_close(&cublas);
}

// ---------------------------------------------------------------- for lesson.h

/* A problem of this type, without matrices: gemm_begin makes them, if any version is of the type. */
static struct gemm gemm_of_shape(struct gemm_shape s, int kind, uint64_t seed) {
    return {(enum kind)kind, {s.M, s.N, s.K, s.added ? 2.0f : 1.0f, s.added ? -1.0f : 0.0f}, seed};
}

static bool gemm_is_for(const struct gemm_version *version, const struct gemm *g) {
    return version->kind == g->kind && gemm_runs_here(version->kind);
}

static struct gemm_job gemm_begin(struct gemm *g, const struct gemm_version *version) {
    const struct gemm_call *c = &g->call;
    if (!g->host_C) {
        *g = gemm_create(g->kind, c->M, c->N, c->K, c->alpha, c->beta, g->seed);
    }
    gemm_reset(g);
    return {g, g->call, version};
}

static void gemm_verify_job(struct gemm_job *job) {
    gemm_verify(job->gemm, job->version->name);
}

typedef struct lesson<gemm_shape, gemm, gemm_version, gemm_job> frame;

static frame frame_of(const char *what, const struct gemm_version *versions, int count) {
    frame lesson = {what, versions, count};
    lesson.kinds = KINDS;
    lesson.create = gemm_of_shape, lesson.free = gemm_free, lesson.is_for = gemm_is_for;
    lesson.begin = gemm_begin, lesson.launch = gemm_launch_job, lesson.verify = gemm_verify_job;
    lesson.measure_size = gemm_measure_versions;
    return lesson;
}

// ---------------------------------------------------------------- how exact is it?

enum { ERROR_EDGE = 64 };
static const int error_depths[] = {16, 64, 256, 1024, 4096};

/* A * B in double. */
static void gemm_exact(const float *A, const float *B, int K, double *C) {
    for (int i = 0; i < ERROR_EDGE; i++) {
        for (int j = 0; j < ERROR_EDGE; j++) {
            C[i * ERROR_EDGE + j] = 0;
        }
        for (int k = 0; k < K; k++) {
            for (int j = 0; j < ERROR_EDGE; j++) {
                C[i * ERROR_EDGE + j] += (double)A[i * K + k] * B[k * ERROR_EDGE + j];
            }
        }
    }
}

/* Root mean squares: of the error, divided by that of the exact result. */
static double gemm_error(enum kind kind, const void *found, const double *exact) {
    double errors = 0, squares = 0;
    for (int e = 0; e < ERROR_EDGE * ERROR_EDGE; e++) {
        double error = sum_read(kind, found, e) - exact[e];
        errors += error * error;
        squares += exact[e] * exact[e];
    }
    return sqrt(errors / squares);
}

/* What one version makes of A and B, as floats in host memory: its error against the exact product, and, `sums`, against that of the
 * numbers after they were rounded to its type: what comes from adding alone. */
static double gemm_error_of(const struct gemm_version *version, const float *A, const float *B, int K,
                            const double *exact, double *sums) {
    enum kind kind = version->kind;
    size_t n = (size_t)ERROR_EDGE * K, bytes = n * kinds[kind].number;
    size_t bytes_C = ERROR_EDGE * ERROR_EDGE * kinds[kind].sum;
    void *numbers = verify_host_alloc(bytes), *found = verify_host_alloc(bytes_C), *there[3];
    float *rounded = (float *)verify_host_alloc(2 * n * sizeof(float));
    double *of_rounded = (double *)verify_host_alloc(ERROR_EDGE * ERROR_EDGE * sizeof(double));
    for (int m = 0; m < 2; m++) {
        memcpy(rounded + m * n, m ? B : A, n * sizeof(float));
        kind_write(kind, rounded + m * n, numbers, n);
        CUDA_CHECK(cudaMalloc(&there[m], bytes));
        CUDA_CHECK(cudaMemcpy(there[m], numbers, bytes, cudaMemcpyHostToDevice));
    }
    CUDA_CHECK(cudaMalloc(&there[2], bytes_C));
    struct gemm_call call = {ERROR_EDGE, ERROR_EDGE, K, 1.0f, 0.0f, there[0], there[1], there[2]};
    version->launch(&call, 0);
    CUDA_CHECK(cudaMemcpy(found, there[2], bytes_C, cudaMemcpyDeviceToHost));
    gemm_exact(rounded, rounded + n, K, of_rounded);
    *sums = gemm_error(kind, found, of_rounded);
    double all = gemm_error(kind, found, exact);
    for (int m = 0; m < 3; m++) {
        CUDA_CHECK(cudaFree(there[m]));
    }
    free(numbers);
    free(found);
    free(rounded);
    free(of_rounded);
    return all;
}

static void gemm_print_errors(const struct gemm_version *versions, int count, const char *what, double low,
                              const double *errors) {
    record_part("error, %s, A and B from %g to 1", what, low);
    printf("\nerror, %s, A and B from %g to 1\n%6s", what, low, "K");
    for (int v = 0; v < count; v++) {
        printf("  %15s", versions[v].name);
    }
    for (size_t d = 0; d < sizeof error_depths / sizeof error_depths[0]; d++) {
        char depth[16];
        snprintf(depth, sizeof depth, "%d", error_depths[d]);
        printf("\n%6s", depth);
        for (int v = 0; v < count; v++) {
            if (gemm_runs_here(versions[v].kind)) {
                record_print("  %15.2e", depth, versions[v].name, "", errors[d * count + v]);
            } else {
                printf("  %15s", "-");
            }
        }
    }
    printf("\n");
}

/* The same floats for all versions, in two kinds: sums that grow like sqrt(K), and sums that grow like K. */
static void gemm_compare_errors(const struct gemm_version *versions, int count, uint64_t seed) {
    enum { DEPTHS = sizeof error_depths / sizeof error_depths[0], MOST = 8 };
    static double all[DEPTHS * MOST], sums[DEPTHS * MOST], exact[ERROR_EDGE * ERROR_EDGE];
    for (float low = -1.0f; low <= 0.0f; low += 1.0f) {
        for (int d = 0; d < DEPTHS; d++) {
            int K = error_depths[d];
            size_t n = (size_t)ERROR_EDGE * K;
            float *x = (float *)verify_host_alloc(2 * n * sizeof(float));
            verify_random(x, 2 * n, low, 1.0f, seed + d);
            gemm_exact(x, x + n, K, exact);
            for (int v = 0; v < count; v++) {
                if (gemm_runs_here(versions[v].kind)) {
                    all[d * count + v] = gemm_error_of(&versions[v], x, x + n, K, exact, &sums[d * count + v]);
                }
            }
            free(x);
        }
        gemm_print_errors(versions, count, "all", low, all);
        gemm_print_errors(versions, count, "of the sums alone", low, sums);
    }
    printf("\n");
}

#endif
