/* measure.h - what lesson 09 does with its versions: verify each on four kinds of bytes, count what it asks for on the emulator, and time it
 * on a GPU in turns with CUB and with a kernel that only reads.
 *
 *     frame lesson = frame_of("histogram", versions, VERSIONS);      for lesson.h: verifies at any address, then times or counts
 *
 * A histogram consists of whole numbers, so every count has to be exact.
 */
#ifndef LESSONS_LESSON09_HISTOGRAM_MEASURE_H
#define LESSONS_LESSON09_HISTOGRAM_MEASURE_H

#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

#if !defined(WITHOUT_GPU) && __has_include(<cub/device/device_histogram.cuh>)
#include <cub/device/device_histogram.cuh> // NVIDIA's own, to compare with; takes the compiler longer than all else
#define HAVE_CUB 1
#else
#define HAVE_CUB 0
#endif

enum { BINS = 256 };      // a counter for each value of a byte
enum { ROWS_MAX = 16 };   // of a table
enum { LARGE = 1 << 25 }; // so many bytes are verified only where they are measured, and not counted by slow versions

/* x[n] -> counts[256], queued in `stream`. `slow`: too slow to be timed beside others with LARGE arrays. */
struct version {
    const char *name;
    void (*launch)(const unsigned char *x, unsigned *counts, int n, cudaStream_t stream);
    bool slow;
};

static void histogram_cpu(const unsigned char *x, unsigned *counts, int n); // the lesson's

// ---------------------------------------------------------------- four kinds of bytes

enum kind { UNIFORM, ONE_VALUE, ZIPF, SORTED, KINDS };
static const char *const kind_names[KINDS] = {"uniform", "one value", "Zipf", "sorted"};

/* Zipf's law: the second most frequent value comes half as often as the first, the third a third as often. So it is
 * with the words of a language. Of 65536 numbers, how many stand for each value: */
static void fill_zipf(unsigned char *x, int n, uint64_t *state) {
    static unsigned char value_of[65536];
    double sum = 0.0, share = 0.0;
    for (int rank = 1; rank <= BINS; rank++) {
        sum += 1.0 / rank;
    }
    for (int rank = 1, next = 0; rank <= BINS; rank++) {
        share += 1.0 / rank / sum;
        for (; next < (rank == BINS ? 65536 : (int)(share * 65536)); next++) {
            value_of[next] = (unsigned char)(rank * 167); // the frequent values are no neighbours
        }
    }
    uint64_t bits = 0;
    for (int i = 0; i < n; i++, bits >>= 16) {
        bits = i % 4 == 0 ? verify_next(state) : bits;
        x[i] = value_of[bits & 65535];
    }
}

static void fill(enum kind kind, unsigned char *x, int n, uint64_t seed) {
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ull, bits = 0;
    state = state ? state : 1;
    if (kind == ONE_VALUE) {
        memset(x, (int)(verify_next(&state) >> 56), n);
    } else if (kind == ZIPF) {
        fill_zipf(x, n, &state);
    } else if (kind == SORTED) {
        for (int i = 0; i < n; i++) {
            x[i] = (unsigned char)((long long)i * BINS / n);
        }
    } else {
        for (int i = 0; i < n; i++, bits >>= 8) {
            bits = i % 8 == 0 ? verify_next(&state) : bits;
            x[i] = (unsigned char)bits;
        }
    }
}

// ---------------------------------------------------------------- a problem, and a version on it

/* The device array starts `offset` bytes into its allocation. */
struct problem {
    int n, offset;
    unsigned char *input, *x; // host, device
    unsigned expected[BINS];
};

static struct problem problem_create(int n, int offset) {
    struct problem p = {n, offset};
    p.input = (unsigned char *)verify_host_alloc(n);
    CUDA_CHECK(cudaMalloc((void **)&p.x, (size_t)n + offset));
    p.x += offset;
    return p;
}

static void problem_fill(struct problem *p, enum kind kind, uint64_t seed) {
    fill(kind, p->input, p->n, seed);
    CUDA_CHECK(cudaMemcpy(p->x, p->input, p->n, cudaMemcpyHostToDevice));
    histogram_cpu(p->input, p->expected, p->n);
}

static void problem_free(struct problem *p) {
    CUDA_CHECK(cudaFree(p->x - p->offset));
    free(p->input);
}

/* With a result of its own, so that several can take turns. Without a version it is CUB, or only reads. */
struct job {
    struct problem *problem;
    const struct version *version;
    bool only_reads;
    unsigned *counts; // device
    void *temporary;
    size_t temporary_bytes;
};

/* Reads everything, and stores only what no array here leads to. */
static __global__ void reading_kernel(const uint4 *x, int vectors, unsigned *out) {
    uint4 all = make_uint4(0, 0, 0, 0);
    int stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < vectors; i += 4 * stride) {
        uint4 a = __ldcs(&x[i]), b = __ldcs(&x[i + stride]), c = __ldcs(&x[i + 2 * stride]),
              d = __ldcs(&x[i + 3 * stride]);
        all.x |= a.x & b.y & c.z & d.w;
        all.y |= a.y & b.z & c.w & d.x;
        all.z |= a.z & b.w & c.x & d.y;
        all.w |= a.w & b.x & c.y & d.z;
    }
    for (; i < vectors; i += stride) {
        all.x |= x[i].x & x[i].y & x[i].z & x[i].w;
    }
    if (gridDim.y == 2) {
        out[0] = all.x + all.y + all.z + all.w;
    }
}

static void launch_reading(const struct problem *p, unsigned *out, cudaStream_t stream) {
    reading_kernel<<<multiprocessors() * 4, 512, 0, stream>>>((const uint4 *)p->x, p->n / 16, out);
    CUDA_CHECK_LAUNCH();
}

static void launch_cub(struct job *job, cudaStream_t stream) {
#if HAVE_CUB
    const struct problem *p = job->problem;
    CUDA_CHECK(cub::DeviceHistogram::HistogramEven(job->temporary, job->temporary_bytes, p->x, (int *)job->counts,
                                                   BINS + 1, 0, (int)BINS, p->n, stream));
#else
    (void)job, (void)stream;
#endif
}

static struct job job_create(struct problem *p, const struct version *version, bool only_reads) {
    struct job job = {p, version, only_reads, NULL, NULL, 0};
    CUDA_CHECK(cudaMalloc((void **)&job.counts, BINS * sizeof(unsigned)));
    verify_poison_device(job.counts, BINS * sizeof(unsigned));
    if (!version && !only_reads) { // the first call only asks how much memory the second one needs
        launch_cub(&job, 0);
        CUDA_CHECK(cudaMalloc(&job.temporary, job.temporary_bytes));
    }
    return job;
}

static void job_launch(void *a_job, cudaStream_t stream) {
    struct job *job = (struct job *)a_job;
    struct problem *p = job->problem;
    if (job->version) {
        job->version->launch(p->x, job->counts, p->n, stream);
    } else if (job->only_reads) {
        launch_reading(p, job->counts, stream);
    } else {
        launch_cub(job, stream);
    }
}

static const char *job_name(const struct job *job) {
    return job->version ? job->version->name : job->only_reads ? "(only reading)" : "CUB";
}

static void job_verify(struct job *job) {
    int found[BINS];
    if (!job->only_reads) {
        verify_poison_host(found, sizeof found);
        CUDA_CHECK(cudaMemcpy(found, job->counts, sizeof found, cudaMemcpyDeviceToHost));
        verify_ints(job_name(job), found, (const int *)job->problem->expected, BINS);
    }
}

static void job_free(struct job *job) {
    CUDA_CHECK(cudaFree(job->counts));
    CUDA_CHECK(cudaFree(job->temporary));
}

// ---------------------------------------------------------------- the tables

static void count_once(struct job *job, struct emulatorCounters *counters) {
    bench_count(counters, job_launch, job);
    job_verify(job);
}

/* For 32 bytes: a warp's worth. Columns: the four kinds. */
static void print_counts(const char *title, const struct version *versions, int first, int last,
                         double (*value)(const struct emulatorCounters *), double groups,
                         struct emulatorCounters counters[][KINDS]) {
    printf("\n%s\n%-18s", title, "version");
    for (int k = 0; k < KINDS; k++) {
        printf("  %12s", kind_names[k]);
    }
    printf("\n");
    for (int v = first; v <= last; v++) {
        printf("%-18s", versions[v].name);
        for (int k = 0; k < KINDS; k++) {
            printf("  %12.2f", value(&counters[v][k]) / groups);
        }
        printf("\n");
    }
}

static double warp_instructions_of(const struct emulatorCounters *c) {
    return (double)c->warp_instructions;
}

static double atomic_wavefronts_of(const struct emulatorCounters *c) {
    return (double)c->shared_atomic_wavefronts;
}

static double other_wavefronts_of(const struct emulatorCounters *c) {
    return (double)(c->shared_load_wavefronts + c->shared_store_wavefronts);
}

static double global_atomics_of(const struct emulatorCounters *c) {
    return (double)c->global_red_sectors + c->global_atom_sectors;
}

static void count_on_emulator(const struct version *versions, int first, int last, struct problem *p, uint64_t seed) {
    static struct emulatorCounters counters[ROWS_MAX][KINDS];
    double groups = p->n / 32.0;
    for (int k = 0; k < KINDS; k++) {
        problem_fill(p, (enum kind)k, seed);
        for (int v = first; v <= last; v++) {
            struct job job = job_create(p, &versions[v], false);
            count_once(&job, &counters[v][k]);
            job_free(&job);
        }
    }
    printf("For 32 bytes, a warp's worth:\n");
    print_counts("sectors of global atomics", versions, first, last, global_atomics_of, groups, counters);
    print_counts("wavefronts of shared atomics", versions, first, last, atomic_wavefronts_of, groups, counters);
    print_counts("wavefronts of shared loads and stores", versions, first, last, other_wavefronts_of, groups, counters);
    print_counts("instructions of a warp", versions, first, last, warp_instructions_of, groups, counters);
    printf("\n");
}

static void time_kind(struct job *jobs, int count, double bytes) {
    struct turns turns = turns_start();
    for (int j = 0; j < count; j++) {
        turns_add(&turns, job_name(&jobs[j]), job_launch, &jobs[j], bytes, 0);
    }
    turns_run(&turns);
    turns_print(&turns, HAVE_CUB ? "% of CUB" : NULL);
    turns_end(&turns);
}

/* CUB comes first, to compare with. */
static void time_on_gpu(const struct version *versions, int first, int last, struct problem *p, uint64_t seed) {
    for (int k = 0; k < KINDS; k++) {
        struct job jobs[ROWS_MAX];
        int count = 0;
        if (HAVE_CUB) {
            jobs[count++] = job_create(p, NULL, false);
        }
        jobs[count++] = job_create(p, NULL, true);
        for (int v = first; v <= last; v++) {
            if (!versions[v].slow || p->n < LARGE || first == last) {
                jobs[count++] = job_create(p, &versions[v], false);
            }
        }
        printf("n = %d, %s\n", p->n, kind_names[k]);
        record_part("n=%d %s", p->n, kind_names[k]);
        problem_fill(p, (enum kind)k, seed);
        time_kind(jobs, count, p->n);
        for (int j = 0; j < count; j++) { // what was timed must be right as well
            job_verify(&jobs[j]);
            job_free(&jobs[j]);
        }
    }
#if HAVE_CUB
    printf("CUB: cub::DeviceHistogram::HistogramEven, version %d.%d.%d\n\n", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
           CUB_SUBMINOR_VERSION);
#endif
}

/* For one size: n bytes are read. */
static void measure_versions(const struct version *versions, int first, int last, int n, uint64_t seed) {
    struct problem p = problem_create(n, 0);
    if (device_is_emulator()) {
        printf("n = %d\n", n);
        count_on_emulator(versions, first, last, &p, seed);
    } else {
        time_on_gpu(versions, first, last, &p, seed);
    }
    problem_free(&p);
}

// ---------------------------------------------------------------- for lesson.h

typedef struct lesson<int, struct problem, struct version, struct job> frame;

static frame frame_of(const char *what, const struct version *versions, int count) {
    frame lesson = {what, versions, count};
    /* All kinds of bytes, at an address that a vector may have and at one that it may not. */
    lesson.kinds = 2 * KINDS;
    lesson.create = [](int n, int k, uint64_t seed) {
        struct problem p = problem_create(n, k % 2 ? 2 * k + 1 : 0);
        problem_fill(&p, (enum kind)(k / 2), seed);
        return p;
    };
    lesson.free = problem_free;
    lesson.begin = [](struct problem *p, const struct version *v) { return job_create(p, v, false); };
    lesson.launch = job_launch, lesson.verify = job_verify, lesson.end = job_free;
    lesson.measure_size = measure_versions;
    return lesson;
}

#endif
