/* attention.h - what lesson 20 does with its versions: problems of many shapes, each version verified, then counted on the emulator or timed
 * on a GPU. The lesson's own subject is in lesson20.cu; you need not read this.
 *
 *     struct problem problem = problem_create(shape, seed, attention_cpu);    inputs and the expected result
 *     problem_verify_version(&problem, &versions[v]);                          runs one version and compares
 *     problem_measure(&problem, versions, count);                              a table: times, or what was counted
 *     problem_free(&problem);
 *
 * The reference computes in double, from inputs that are bfloat16 already. A large problem would take the CPU minutes; there it computes every
 * 127th row only, and of the others it is only asked that somebody wrote numbers.
 *
 * How far may a result be off?
 *   - O is rounded to bfloat16, which keeps 8 bits: by at most 2^-8 of itself (half of 2^-7).
 *   - From version 2 on the probabilities are rounded to bfloat16, too, before they multiply V: each term of the sum by at most 2^-8 of itself, up
 *     or down by chance. By chance, such errors add up to the root of the sum of their squares, or less; we allow four times that. With up to 16
 *     keys they can never be more. So each number of O has a limit of its own: the longer the row, the nearer it must be.
 *   - 1e-5 for all that is computed in fp32.
 *   - Log-sum-exp is fp32 all the way: 1e-4 is far more than its roundings, and far less than what one key too many changes.
 */
#ifndef LESSONS_LESSON20_ATTENTION_ATTENTION_H
#define LESSONS_LESSON20_ATTENTION_ATTENTION_H

#include <cuda_bf16.h>
#include <math.h>
#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

enum { D = 128 };      // numbers in a row of Q, K, V and O: the head dimension
enum { SAMPLE = 127 }; // rows between two that the reference has, of a large problem
enum { Q_RANGE = 8 };  // Q is in -8 ... 8, K and V in -1 ... 1: so some scores stand out
enum { SEQUENCES_MAX = 16 };

/* What a kernel gets. Q and O are [sequences one after the other][heads][D], K and V [...][heads_kv][D]. */
struct attention {
    int batch, heads, heads_kv;     // heads is a multiple of heads_kv: that many neighbours share a head of K and V
    int queries, keys;              // of the longest sequence
    const int *starts_q, *starts_k; // batch + 1 each: where a sequence begins. NULL: all have the same length
    int rows_q, rows_k;             // of all sequences together
    bool causal;                    // a query sees the keys up to its own place, counted from the sequence's end
    float scale;                    // of the scores, 1 / sqrt(D)
    const __nv_bfloat16 *Q, *K, *V;
    __nv_bfloat16 *O;
    float *lse;    // [batch][heads][queries]: log of the sum of exp(score); -infinity for a row without keys
    float *scores; // [batch][heads][queries][keys], for version 1
};

struct shape {
    int batch, heads, heads_kv, queries, keys;
    bool causal, ragged; // ragged: sequences of different lengths
};

/* Queued in `stream`, no waiting. */
typedef void (*attention_launch)(const struct attention &a, cudaStream_t stream);

struct version {
    const char *name;
    attention_launch launch;
    bool hopper;       // needs compute capability 9.0
    bool keeps_scores; // needs attention.scores
};

/* One row of one head: `seen` keys, whose rows are `stride` numbers apart. */
typedef void (*attention_reference)(const float *q, const float *K, const float *V, int seen, size_t stride,
                                    double scale, float *o, float *limit, float *lse);

struct problem {
    struct attention a; // device
    struct shape shape;
    uint64_t seed;
    int step; // the reference has every step-th row
    int host_starts_q[SEQUENCES_MAX + 1], host_starts_k[SEQUENCES_MAX + 1];
    float *Q, *K, *V, *expected, *found; // host
    float *limit;                        // host; how far a number of O may be off
    float *expected_lse, *found_lse;     // host
    size_t count_O, count_lse;
    double seen; // keys that the queries see, all together, in one head: what has to be computed
};

// ---------------------------------------------------------------- a problem

static inline uint16_t attention_bits(float x) {
    uint32_t bits = verify_bits(x);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16); // to nearest, ties to even
}

static inline float attention_float(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* n random bfloat16: here as floats. */
static inline float *attention_random(size_t n, float range, uint64_t seed) {
    float *x = (float *)verify_host_alloc(n * sizeof(float));
    verify_random(x, n, -range, range, seed);
    for (size_t i = 0; i < n; i++) {
        x[i] = attention_float(attention_bits(x[i]));
    }
    return x;
}

static inline const __nv_bfloat16 *attention_upload(const float *x, size_t n) {
    uint16_t *bits = (uint16_t *)verify_host_alloc(n * sizeof(uint16_t));
    void *device = NULL;
    for (size_t i = 0; i < n; i++) {
        bits[i] = isnan(x[i]) ? 0x7FC0 : attention_bits(x[i]);
    }
    CUDA_CHECK(cudaMalloc(&device, n * sizeof(uint16_t)));
    CUDA_CHECK(cudaMemcpy(device, bits, n * sizeof(uint16_t), cudaMemcpyHostToDevice));
    free(bits);
    return (const __nv_bfloat16 *)device;
}

/* Where sequences begin. The second one of a ragged batch has keys and no queries, the third one queries and no keys. */
static inline void problem_starts(struct problem *p) {
    const struct shape *s = &p->shape;
    p->host_starts_q[0] = p->host_starts_k[0] = 0;
    for (int b = 0; b < s->batch; b++) {
        int queries = s->queries, keys = s->keys;
        if (s->ragged) {
            queries = b == 0 ? queries : b == 1 ? 0 : queries - queries * b / (b + 3);
            keys = b == 0 ? keys : b == 2 ? 0 : keys - keys * b / (b + 2);
        }
        p->host_starts_q[b + 1] = p->host_starts_q[b] + queries;
        p->host_starts_k[b + 1] = p->host_starts_k[b] + keys;
    }
}

static inline const int *problem_upload_starts(const struct problem *p, const int *starts) {
    int *device = NULL;
    size_t bytes = (p->shape.batch + 1) * sizeof(int);
    if (!p->shape.ragged) {
        return NULL;
    }
    CUDA_CHECK(cudaMalloc((void **)&device, bytes));
    CUDA_CHECK(cudaMemcpy(device, starts, bytes, cudaMemcpyHostToDevice));
    return device;
}

/* How many keys a query sees. */
static inline int problem_seen(const struct problem *p, int b, int row) {
    int queries = p->host_starts_q[b + 1] - p->host_starts_q[b];
    int keys = p->host_starts_k[b + 1] - p->host_starts_k[b], seen = row + 1 + keys - queries;
    return !p->shape.causal ? keys : seen < 0 ? 0 : seen;
}

/* The expected O and lse. What no query may write is poison there: lse behind the end of a shorter sequence. */
static inline void problem_expect(struct problem *p, attention_reference reference) {
    const struct shape *s = &p->shape;
    int sharing = s->heads / s->heads_kv;
    size_t count = 0;
    verify_poison_host(p->expected, p->count_O * sizeof(float));
    verify_poison_host(p->expected_lse, p->count_lse * sizeof(float));
    p->seen = 0;
    for (int b = 0; b < s->batch; b++) {
        int queries = p->host_starts_q[b + 1] - p->host_starts_q[b];
        for (int row = 0; row < queries; row++) {
            size_t q = p->host_starts_q[b] + row, k = p->host_starts_k[b];
            p->seen += problem_seen(p, b, row);
            for (int h = 0; h < s->heads; h++, count++) {
                size_t at = (q * s->heads + h) * D, from = (k * s->heads_kv + h / sharing) * D;
                if (count % p->step == 0) {
                    reference(p->Q + at, p->K + from, p->V + from, problem_seen(p, b, row), (size_t)s->heads_kv * D,
                              p->a.scale, p->expected + at, p->limit + at,
                              p->expected_lse + ((size_t)b * s->heads + h) * s->queries + row);
                }
            }
        }
    }
}

static inline struct problem problem_create(struct shape shape, uint64_t seed, attention_reference reference) {
    struct problem p = {};
    struct attention *a = &p.a;
    p.shape = shape;
    p.seed = seed;
    problem_starts(&p);
    *a = {shape.batch, shape.heads, shape.heads_kv, shape.queries, shape.keys};
    a->rows_q = p.host_starts_q[shape.batch];
    a->rows_k = p.host_starts_k[shape.batch];
    a->causal = shape.causal;
    a->scale = 1 / sqrtf(D);
    p.count_O = (size_t)a->rows_q * shape.heads * D;
    p.count_lse = (size_t)shape.batch * shape.heads * shape.queries;
    p.step = (double)p.count_O * shape.keys > 2e9 ? SAMPLE : 1;
    size_t count_K = (size_t)a->rows_k * shape.heads_kv * D;
    p.Q = attention_random(p.count_O, Q_RANGE, seed);
    p.K = attention_random(count_K, 1, seed + 1000);
    p.V = attention_random(count_K, 1, seed + 2000);
    for (size_t i = p.host_starts_k[1]; shape.ragged && i < (size_t)p.host_starts_k[2]; i++) {
        for (int c = 0; c < shape.heads_kv * D; c++) { // nobody asks this sequence: it must not be seen in any result
            p.K[i * shape.heads_kv * D + c] = p.V[i * shape.heads_kv * D + c] = NAN;
        }
    }
    p.expected = (float *)verify_host_alloc(p.count_O * sizeof(float));
    p.found = (float *)verify_host_alloc(p.count_O * sizeof(float));
    p.limit = (float *)verify_host_alloc(p.count_O * sizeof(float));
    memset(p.limit, 0, p.count_O * sizeof(float)); // for the rows that the reference lacks
    p.expected_lse = (float *)verify_host_alloc(p.count_lse * sizeof(float));
    p.found_lse = (float *)verify_host_alloc(p.count_lse * sizeof(float));
    problem_expect(&p, reference);
    a->starts_q = problem_upload_starts(&p, p.host_starts_q);
    a->starts_k = problem_upload_starts(&p, p.host_starts_k);
    a->Q = attention_upload(p.Q, p.count_O);
    a->K = attention_upload(p.K, count_K);
    a->V = attention_upload(p.V, count_K);
    a->O = (__nv_bfloat16 *)verify_alloc(p.count_O * sizeof(uint16_t));
    a->lse = (float *)verify_alloc(p.count_lse * sizeof(float));
    return p;
}

static inline void problem_free(struct problem *p) {
    verify_free("O", p->a.O, p->count_O * sizeof(uint16_t));
    verify_free("lse", p->a.lse, p->count_lse * sizeof(float));
    CUDA_CHECK(cudaFree((void *)p->a.Q));
    CUDA_CHECK(cudaFree((void *)p->a.K));
    CUDA_CHECK(cudaFree((void *)p->a.V));
    CUDA_CHECK(cudaFree((void *)p->a.starts_q));
    CUDA_CHECK(cudaFree((void *)p->a.starts_k));
    free(p->Q);
    free(p->K);
    free(p->V);
    free(p->expected);
    free(p->found);
    free(p->limit);
    free(p->expected_lse);
    free(p->found_lse);
}

// ---------------------------------------------------------------- compare

/* How far a result may be off (see above): a sum of products of a rounded number with an exact one, itself rounded to bfloat16. squares: the
 * sum of the squares of those products. */
static inline float attention_limit(double value, double squares) {
    return (float)((fabs(value) + 4 * sqrt(squares)) * 1.01 / 256 + 1e-5);
}

/* Compares with numbers that each have a limit of their own, and `more` for all. */
static inline bool attention_compare(const char *name, const float *found, const float *expected, const float *limit,
                                     float more, size_t n) {
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs((double)found[i] - expected[i]) <= limit[i] + more)) { // so that NaN is wrong, too
            verify_wrong(name, n, i, found[i], expected[i], &bad);
        }
    }
    return verify_tell(bad, n);
}

/* What is not to be compared becomes 0 on both sides: what the reference lacks (where a number is found), and the part of lse that belongs to no
 * query (where nothing is found). */
static inline void problem_leave_out(struct problem *p) {
    const struct shape *s = &p->shape;
    for (size_t i = 0; p->step > 1 && i < p->count_O; i++) {
        if (i / D % p->step != 0 && !isnan(p->found[i])) {
            p->found[i] = p->expected[i] = 0;
        }
    }
    for (size_t i = 0; i < p->count_lse; i++) {
        int b = (int)(i / s->queries / s->heads), row = (int)(i % s->queries), h = (int)(i / s->queries % s->heads);
        int queries = p->host_starts_q[b + 1] - p->host_starts_q[b];
        size_t count = ((size_t)p->host_starts_q[b] + row) * s->heads + h;
        bool number = !isnan(p->found_lse[i]);
        if (row >= queries ? !number : count % p->step != 0 && number) {
            p->found_lse[i] = p->expected_lse[i] = 0;
        }
    }
}

static inline int problem_verify(struct problem *p, const char *name) {
    const struct shape *s = &p->shape;
    char title[160], lse[180];
    uint16_t *bits = (uint16_t *)verify_host_alloc(p->count_O * sizeof(uint16_t));
    float *expected = p->expected, *expected_lse = p->expected_lse;
    snprintf(title, sizeof title, "%s, %d x %d heads (%d of K and V), %d queries, %d keys%s%s", name, s->batch,
             s->heads, s->heads_kv, s->queries, s->keys, s->causal ? ", causal" : "", s->ragged ? ", ragged" : "");
    snprintf(lse, sizeof lse, "%s, log-sum-exp", title);
    CUDA_CHECK(cudaMemcpy(bits, p->a.O, p->count_O * sizeof(uint16_t), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(p->found_lse, p->a.lse, p->count_lse * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < p->count_O; i++) {
        p->found[i] = attention_float(bits[i]);
    }
    free(bits);
    p->expected = (float *)verify_host_alloc(p->count_O * sizeof(float)); // copies, since parts are left out
    p->expected_lse = (float *)verify_host_alloc(p->count_lse * sizeof(float));
    memcpy(p->expected, expected, p->count_O * sizeof(float));
    memcpy(p->expected_lse, expected_lse, p->count_lse * sizeof(float));
    problem_leave_out(p);
    int good = attention_compare(title, p->found, p->expected, p->limit, 0, p->count_O);
    good &= verify_floats(lse, p->found_lse, p->expected_lse, p->count_lse, 1e-4, 0);
    free(p->expected);
    free(p->expected_lse);
    p->expected = expected;
    p->expected_lse = expected_lse;
    return good;
}

static inline void problem_poison(const struct problem *p) {
    verify_poison_device(p->a.O, p->count_O * sizeof(uint16_t));
    verify_poison_device(p->a.lse, p->count_lse * sizeof(float));
}

static inline size_t problem_scores(const struct problem *p) {
    const struct shape *s = &p->shape;
    return (size_t)s->batch * s->heads * s->queries * s->keys;
}

/* One version with bench.h's way of calling. */
struct attention_job {
    struct attention a;
    attention_launch launch;
};

static inline void attention_launch_job(void *job, cudaStream_t stream) {
    const struct attention_job *j = (const struct attention_job *)job;
    j->launch(j->a, stream);
}

/* Runs one version and compares. */
static inline void problem_verify_version(struct problem *p, const struct version *version) {
    problem_poison(p);
    if (version->keeps_scores) {
        CUDA_CHECK(cudaMalloc((void **)&p->a.scores, problem_scores(p) * sizeof(float)));
    }
    version->launch(p->a, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(p->a.scores));
    p->a.scores = NULL;
    problem_verify(p, version->name);
}

// ---------------------------------------------------------------- the table

/* Multiplications and additions that have to be done: a query and a key that it sees cost D in the score and D in the sum. */
static inline double problem_flops(const struct problem *p) {
    return 4.0 * D * p->seen * p->shape.heads;
}

/* mma: 16 x 8 x 16 multiply-adds, what one instruction of a warp does on an older tensor core. */
static inline void attention_print_counts(const char *name, double mmas, const struct emulatorCounters *c) {
    double wavefronts = (double)(c->shared_load_wavefronts + c->shared_store_wavefronts + c->async_copy_wavefronts);
    printf("%-18s", name);
    bench_cell((double)c->warp_instructions, mmas);
    bench_cell(wavefronts, mmas);
    bench_cell(32.0 * c->global_load_sectors + c->bulk_load_bytes, 1024);
    bench_cell(32.0 * c->global_store_sectors + c->bulk_store_bytes, 1024);
    printf("\n");
}

static inline void problem_measure_counts(struct problem *p, const struct version *versions, int count) {
    printf("\n%-18s  %12s  %12s  %12s  %12s\n", "", "instructions", "wavefronts", "KiB loaded", "KiB stored");
    printf("%-18s  %12s  %12s  %12s  %12s\n", "version", "per mma", "per mma", "from global", "to global");
    for (int v = 0; v < count; v++) {
        struct attention_job job = {p->a, versions[v].launch};
        struct emulatorCounters counters;
        problem_poison(p);
        if (versions[v].keeps_scores) {
            CUDA_CHECK(cudaMalloc((void **)&job.a.scores, problem_scores(p) * sizeof(float)));
        }
        bench_count(&counters, attention_launch_job, &job);
        CUDA_CHECK(cudaFree(job.a.scores));
        attention_print_counts(versions[v].name, problem_flops(p) / 4096, &counters);
        problem_verify(p, versions[v].name);
    }
    printf("\n");
}

/* What the tensor cores can do at best in bfloat16, in TFLOP/s; 0 where this file does not know. */
static inline double attention_peak(void) {
    int device = 0, major = 0, minor = 0, count = 0, clock = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
    int fmas = major == 9 ? 2048 : major == 8 && minor == 0 ? 1024 : major == 8 ? 512 : 0;
    return 2.0 * count * fmas * clock / 1e9;
}

static inline void attention_print_times(const struct turns *turns) {
    double peak = attention_peak();
    printf("\n%-18s  %12s  %23s  %12s  %12s\n", "version", "ms", "shortest .. longest", "TFLOP/s", "% of peak");
    for (int r = 0; r < turns->rows; r++) {
        const struct turns_row *row = &turns->row[r];
        double speed = row->flops / row->median / 1e9;
        printf("%-18s  %12.4f  %10.4f .. %9.4f  %12.3f", row->name, row->median, row->shortest, row->longest, speed);
        bench_cell(100 * speed, peak);
        printf("\n");
        turns_record_times(row, row->name);
        record_row(row->name, "TFLOP/s", speed, "TFLOP/s");
        if (peak > 0) {
            record_row(row->name, "% of peak", 100 * speed / peak, "%");
        }
    }
    printf("\n");
}

/* All versions in turns; each has outputs of its own, and what was timed is verified. */
static inline void problem_measure_times(struct problem *p, const struct version *versions, int count) {
    struct attention_job jobs[BENCH_ROWS];
    struct turns turns = turns_start();
    struct problem own = *p;
    float *scores = NULL;
    for (int v = 0; v < count; v++) {
        if (versions[v].keeps_scores) {
            CUDA_CHECK(cudaMalloc((void **)&scores, problem_scores(p) * sizeof(float)));
        }
        own.a.scores = versions[v].keeps_scores ? scores : NULL;
        own.a.O = (__nv_bfloat16 *)verify_alloc(p->count_O * sizeof(uint16_t));
        own.a.lse = (float *)verify_alloc(p->count_lse * sizeof(float));
        jobs[v] = {own.a, versions[v].launch};
        turns_add(&turns, versions[v].name, attention_launch_job, &jobs[v], 0, problem_flops(p));
    }
    turns_run(&turns);
    attention_print_times(&turns);
    turns_end(&turns);
    for (int v = 0; v < count; v++) {
        own.a = jobs[v].a;
        problem_verify(&own, versions[v].name);
        verify_free("O", own.a.O, p->count_O * sizeof(uint16_t));
        verify_free("lse", own.a.lse, p->count_lse * sizeof(float));
    }
    CUDA_CHECK(cudaFree(scores));
}

static inline void problem_measure(struct problem *p, const struct version *versions, int count) {
    const struct shape *s = &p->shape;
    printf("%d x %d heads (%d of K and V), %d queries, %d keys, %s\n", s->batch, s->heads, s->heads_kv, s->queries,
           s->keys, s->causal ? "causal" : "full");
    record_part("%d x %d, %s", s->batch, s->keys, s->causal ? "causal" : "full");
    if (device_is_emulator()) {
        problem_measure_counts(p, versions, count);
    } else {
        problem_measure_times(p, versions, count);
    }
}

#endif
