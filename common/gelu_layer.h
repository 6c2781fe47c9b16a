/* gelu_layer.h - matrix products in bfloat16, as tensor cores do them: a problem, its verification, and the table.
 *
 *     struct problem problem = problem_create(M, N, K, bias, seed, layer_cpu);    inputs and the expected result
 *     problem_verify_version(&problem, &versions[v]);                              runs one version and compares
 *     problem_measure(&problem, versions, count);                                  a table: times, or what was counted
 *     problem_free(&problem);
 *
 * C = A * B, or, with a bias, C = gelu(A * B + bias): a layer of a network. All matrices are row-major without gaps: A
 * is M x K, B is K x N, C is M x N, and bias has N elements. C is NaN before each launch.
 *
 * The reference computes in double, from inputs that are bfloat16 already. A large product would take the CPU minutes;
 * there it computes every 127th row only, and of every row a checksum, as in gemm.h.
 *
 * How far may a result be off?
 *   - It is rounded to bfloat16, which keeps 8 bits: by at most 2^-8 of itself (half of 2^-7).
 *   - The sum: inputs lie in -1 ... 1, so after k products it is about sqrt(k) / 3. Products of bfloat16 are exact in
 *     fp32. A tensor core adds a group of them to a sum in one go, and cuts off what is below the last bits of the largest
 *     one, always towards zero: so errors do not cancel. We allow 2^-21 of sqrt(K) for each 16 products:
 *     K * sqrt(K) * 2^-25. For K = 8192 that is 0.02; a product too many is 0.25.
 *   - GELU has a slope of at most 1.13. A version that rounds the product before it adds the bias is off by another 2^-8 of
 *     the product times that slope. The product is at most 1 larger than the sum that GELU gets, as the bias is at most 1: so
 *     1.13 * 2^-8 of the result, and 1.25 * 2^-8 beside that, which covers a GELU near 0 of a negative sum, too.
 */
#ifndef COMMON_GELU_LAYER_H
#define COMMON_GELU_LAYER_H

#include <cuda_bf16.h>
#include <math.h>

#include "bench.h"
#include "check.h"
#include "checksum.h"
#include "cublas_types.h"
#include "device.h"
#include "turns.h"
#include "verify.h"

enum { LAYER_SAMPLE = 127, LAYER_WORKSPACE = 32 << 20 };

/* What a kernel gets. */
struct layer {
    int M, N, K;
    const __nv_bfloat16 *A, *B;
    const __nv_bfloat16 *bias; /* NULL: C = A * B */
    __nv_bfloat16 *C;
    void *workspace; /* LAYER_WORKSPACE bytes, for sums that are not finished */
    bool wide;       /* every row of A, B and C begins on a multiple of 16 bytes */
};

/* Queued in `stream`, no waiting. */
typedef void (*layer_launch)(struct layer layer, cudaStream_t stream);

/* Rows 0, step, 2 * step, ... on the CPU, not rounded. */
typedef void (*layer_reference)(int M, int N, int K, const float *A, const float *B, const float *bias, float *C,
                                int step);

struct layer_version {
    const char *name;
    layer_launch launch;
    int roundings; /* 2: with a bias, the product is rounded before GELU, too */
};

struct problem {
    struct layer layer;                                    /* device */
    int step;                                              /* the reference has rows 0, step, 2 * step, ... */
    float *host_A, *host_B, *host_bias, *expected, *found; /* host */
    float *checksums;                                      /* host; of all rows, where step is not 1 */
};

// ---------------------------------------------------------------- a problem

/* x rounded to the nearest bfloat16, ties to even: its upper 16 bits. */
static inline uint16_t layer_bits(float x) {
    uint32_t bits = verify_bits(x);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static inline float layer_float(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* n random numbers that are bfloat16: here as floats, on the device as they are. */
static inline float *layer_random(size_t n, uint64_t seed, const __nv_bfloat16 **device) {
    float *x = (float *)verify_host_alloc(n * sizeof(float));
    uint16_t *bits = (uint16_t *)verify_host_alloc(n * sizeof(uint16_t));
    verify_random(x, n, -1.0f, 1.0f, seed);
    for (size_t i = 0; i < n; i++) {
        bits[i] = layer_bits(x[i]);
        x[i] = layer_float(bits[i]);
    }
    CUDA_CHECK(cudaMalloc((void **)device, n * sizeof(uint16_t)));
    CUDA_CHECK(cudaMemcpy((void *)*device, bits, n * sizeof(uint16_t), cudaMemcpyHostToDevice));
    free(bits);
    return x;
}

/* Freivalds' test: (A * B) * w = A * (B * w). Only without GELU, which is not linear. */
static inline void problem_checksums(struct problem *p) {
    const struct layer *l = &p->layer;
    double *Bw = (double *)verify_host_alloc(l->K * sizeof(double));
    double *sums = (double *)verify_host_alloc(l->M * sizeof(double));
    checksum_times_vector(p->host_B, l->K, l->N, NULL, Bw, 1, 0);
    checksum_times_vector(p->host_A, l->M, l->K, Bw, sums, 1, 0);
    p->checksums = (float *)verify_host_alloc(l->M * sizeof(float));
    for (int i = 0; i < l->M; i++) {
        p->checksums[i] = (float)sums[i];
    }
    free(Bw);
    free(sums);
}

static inline struct problem problem_create(int M, int N, int K, bool bias, uint64_t seed, layer_reference reference) {
    struct problem p = {};
    struct layer *l = &p.layer;
    l->M = M, l->N = N, l->K = K;
    l->wide = N % 8 == 0 && K % 8 == 0; /* cudaMalloc's addresses are multiples of 256 */
    p.step = (double)M * N * K > 4e8 ? LAYER_SAMPLE : 1;
    p.host_A = layer_random((size_t)M * K, seed, &l->A);
    p.host_B = layer_random((size_t)K * N, seed + 1000, &l->B);
    p.host_bias = layer_random(N, seed + 2000, &l->bias);
    if (!bias) {
        CUDA_CHECK(cudaFree((void *)l->bias));
        l->bias = NULL;
    }
    p.expected = (float *)verify_host_alloc((size_t)M * N * sizeof(float));
    p.found = (float *)verify_host_alloc((size_t)M * N * sizeof(float));
    reference(M, N, K, p.host_A, p.host_B, bias ? p.host_bias : NULL, p.expected, p.step);
    if (p.step > 1 && !bias) {
        problem_checksums(&p);
    }
    l->C = (__nv_bfloat16 *)verify_alloc((size_t)M * N * sizeof(uint16_t));
    CUDA_CHECK(cudaMalloc(&l->workspace, LAYER_WORKSPACE));
    return p;
}

static inline void problem_free(struct problem *p) {
    verify_free("C", p->layer.C, (size_t)p->layer.M * p->layer.N * sizeof(uint16_t));
    CUDA_CHECK(cudaFree((void *)p->layer.A));
    CUDA_CHECK(cudaFree((void *)p->layer.B));
    CUDA_CHECK(cudaFree((void *)p->layer.bias));
    CUDA_CHECK(cudaFree(p->layer.workspace));
    free(p->host_A);
    free(p->host_B);
    free(p->host_bias);
    free(p->expected);
    free(p->found);
    free(p->checksums);
}

/* The sum of a row's elements, each off by rounding, with random signs: sqrt(N) times one of them, and six times that
 * for the worst of thousands of rows. */
static inline int problem_verify_checksums(struct problem *p, const char *title, double atol) {
    const struct layer *l = &p->layer;
    char name[160];
    double *sums = (double *)verify_host_alloc(l->M * sizeof(double)), rounding = sqrt(l->K) / 3 / 256;
    float *found = (float *)verify_host_alloc(l->M * sizeof(float));
    checksum_times_vector(p->found, l->M, l->N, NULL, sums, 1, 0);
    for (int i = 0; i < l->M; i++) {
        found[i] = (float)sums[i];
    }
    snprintf(name, sizeof name, "%s, checksums of its rows", title);
    int good = verify_floats(name, found, p->checksums, l->M, (atol + 6 * rounding) * sqrt((double)l->N), 0);
    free(sums);
    free(found);
    return good;
}

static inline int problem_verify(struct problem *p, const char *name, int roundings) {
    const struct layer *l = &p->layer;
    char title[120];
    size_t count = (size_t)l->M * l->N;
    bool twice = l->bias && (roundings == 2 || !l->wide); /* a narrow one is left to another version */
    double atol = l->K * sqrt((double)l->K) / (1 << 25) * (l->bias ? 1.13 : 1) + (twice ? 1.25 / 256 : 1e-6);
    uint16_t *bits = (uint16_t *)verify_host_alloc(count * sizeof(uint16_t));
    snprintf(title, sizeof title, "%s, M x N x K = %d x %d x %d%s", name, l->M, l->N, l->K, l->bias ? ", GELU" : "");
    verify_poison_host(bits, count * sizeof(uint16_t));
    CUDA_CHECK(cudaMemcpy(bits, l->C, count * sizeof(uint16_t), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) {
        p->found[i] = layer_float(bits[i]);
        if (i / l->N % p->step != 0 && !verify_is_poison(p->found[i])) {
            p->expected[i] = p->found[i]; /* the reference lacks this row, its checksum does not */
        }
    }
    free(bits);
    int good = verify_floats(title, p->found, p->expected, count, atol, (twice ? 2.2 : 1.001) / 256);
    return good && (!p->checksums || problem_verify_checksums(p, title, atol));
}

/* One version with bench.h's way of calling. */
struct layer_job {
    struct layer layer;
    layer_launch launch;
};

static inline void layer_launch_job(void *job, cudaStream_t stream) {
    const struct layer_job *j = (const struct layer_job *)job;
    j->launch(j->layer, stream);
}

static inline void problem_poison(const struct problem *p) {
    verify_poison_device(p->layer.C, (size_t)p->layer.M * p->layer.N * sizeof(uint16_t));
}

/* Runs one version and compares. */
static inline void problem_verify_version(struct problem *p, const struct layer_version *version) {
    problem_poison(p);
    version->launch(p->layer, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    problem_verify(p, version->name, version->roundings);
}

// ---------------------------------------------------------------- on a GPU: times

/* cuBLAS with bench.h's way of calling: C = A * B, seen as its transpose, as in cublas.h. */
struct layer_peer {
    struct cublas cublas;
    struct layer layer;
};

static inline struct layer_peer layer_peer_open(void) {
    struct layer_peer peer = {cublas_open()};
    return peer;
}

static inline void layer_launch_peer(void *job, cudaStream_t stream) {
    const struct layer_peer *p = (const struct layer_peer *)job;
    const struct layer *l = &p->layer;
    cublas_check(cublas_gemm_ex(&p->cublas, &CUBLAS_BF16_TO_BF16, l->M, l->N, l->K, 1, l->A, l->B, 0, l->C, stream),
                 "cublasGemmEx");
}

/* What the tensor cores of the machine can do at best in bfloat16, in TFLOP/s; 0 where this file does not know. NVIDIA's
 * papers on these architectures have the multiply-adds of a multiprocessor per clock. */
static inline double layer_print_peak(void) {
    int device = 0, major = 0, minor = 0, count = 0, clock = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
    int fmas = major == 9 ? 2048 : major == 8 && minor == 0 ? 1024 : major == 8 ? 512 : 0;
    double peak = 2.0 * count * fmas * clock / 1e9;
    if (fmas) {
        printf("tensor cores: %.1f TFLOP/s = %d multiprocessors x %d multiply-adds x 2 x %.3f GHz\n", peak, count, fmas,
               clock / 1e6);
        record_row("tensor cores", "peak", peak, "TFLOP/s");
    }
    return peak;
}

/* The table as rows of data (record.h), where the last column has the peer's own name. */
static inline void layer_record_times(const struct turns *turns, double peak, int peer) {
    for (int r = 0; r < turns->rows; r++) {
        const struct turns_row *row = &turns->row[r];
        double speed = row->flops / row->median / 1e9;
        turns_record_times(row, row->name);
        record_row(row->name, "TFLOP/s", speed, "TFLOP/s");
        if (peak > 0) {
            record_row(row->name, "% of peak", 100 * speed / peak, "%");
        }
        if (peer >= 0) {
            char versus[64];
            snprintf(versus, sizeof versus, "%% of %s", turns->row[peer].name);
            record_row(row->name, versus, 100 * turns->row[peer].median / row->median, "%");
        }
    }
}

/* The rows of the table. `peer`: the row that is 100 %; -1: none. */
static inline void layer_print_times(const struct turns *turns, double peak, int peer) {
    printf("\n%-18s  %12s  %23s  %12s  %12s  %12s\n", "version", "ms", "shortest .. longest", "TFLOP/s", "% of peak",
           "% of cuBLAS");
    for (int r = 0; r < turns->rows; r++) {
        const struct turns_row *row = &turns->row[r];
        double speed = row->flops / row->median / 1e9;
        printf("%-18s  %12.4f  %10.4f .. %9.4f  %12.3f", row->name, row->median, row->shortest, row->longest, speed);
        bench_cell(100 * speed, peak);
        bench_cell(peer >= 0 ? 100 * turns->row[peer].median : 0, peer >= 0 ? row->median : 0);
        printf("\n");
    }
    printf("\n");
    layer_record_times(turns, peak, peer);
}

/* All versions in turns with cuBLAS, which is the last row; each has a C of its own. What was timed is verified. */
static inline void problem_measure_times(struct problem *p, const struct layer_version *versions, int count) {
    struct layer_job jobs[BENCH_ROWS];
    struct layer_peer peer = layer_peer_open();
    struct turns turns = turns_start();
    struct problem own = *p;
    size_t bytes = (size_t)p->layer.M * p->layer.N * sizeof(uint16_t);
    double flops = 2.0 * p->layer.M * p->layer.N * p->layer.K, peak = 0;
    cublas_print(&peer.cublas);
    peak = layer_print_peak();
    for (int v = 0; v <= count; v++) {
        own.layer.C = (__nv_bfloat16 *)verify_alloc(bytes);
        jobs[v] = {own.layer, v < count ? versions[v].launch : NULL};
        if (v < count) {
            turns_add(&turns, versions[v].name, layer_launch_job, &jobs[v], 0, flops);
        }
    }
    peer.layer = jobs[count].layer;
    if (peer.cublas.sgemm) {
        turns_add(&turns, "cuBLAS", layer_launch_peer, &peer, 0, flops);
    }
    turns_run(&turns);
    layer_print_times(&turns, peak, peer.cublas.sgemm ? count : -1);
    turns_end(&turns);
    for (int v = 0; v <= count; v++) {
        own.layer.C = jobs[v].layer.C;
        if (v < count || peer.cublas.sgemm) {
            problem_verify(&own, v < count ? versions[v].name : "cuBLAS", 1);
        }
        verify_free("C", own.layer.C, bytes);
    }
    cublas_close(&peer.cublas);
}

// ---------------------------------------------------------------- on the emulator: counts

static inline void layer_print_counts(const char *name, double mmas, const struct emulatorCounters *c) {
    double writes = (double)(c->shared_store_wavefronts + c->async_copy_wavefronts); /* cp.async writes, too */
    printf("%-18s", name);
    bench_cell((double)c->warp_instructions, mmas);
    bench_cell((double)c->shared_load_wavefronts, (double)c->shared_load_requests);
    bench_cell(writes, (double)(c->shared_store_requests + c->async_copies));
    bench_cell((double)c->shared_load_wavefronts + writes, mmas);
    bench_cell((double)c->global_store_sectors, (double)c->global_store_requests);
    printf("\n");
}

/* mma: 16 x 8 x 16 multiply-adds, what one instruction of a warp does. */
static inline void problem_measure_counts(struct problem *p, const struct layer_version *versions, int count) {
    const struct layer *l = &p->layer;
    printf("\n%-18s  %12s  %12s  %12s  %12s  %12s\n", "", "instructions", "wavefronts", "wavefronts", "wavefronts",
           "sectors");
    printf("%-18s  %12s  %12s  %12s  %12s  %12s\n", "version", "per mma", "per load", "per write", "per mma",
           "per store");
    for (int v = 0; v < count; v++) {
        struct layer_job job = {*l, versions[v].launch};
        struct emulatorCounters counters;
        problem_poison(p);
        bench_count(&counters, layer_launch_job, &job);
        layer_print_counts(versions[v].name, (double)l->M * l->N * l->K / 2048, &counters);
        problem_verify(p, versions[v].name, versions[v].roundings);
    }
    printf("\n");
}

/* The table. What was timed or counted is verified. */
static inline void problem_measure(struct problem *p, const struct layer_version *versions, int count) {
    printf("M = %d, N = %d, K = %d\n", p->layer.M, p->layer.N, p->layer.K);
    if (device_is_emulator()) {
        problem_measure_counts(p, versions, count);
    } else {
        problem_measure_times(p, versions, count);
    }
}

#endif
