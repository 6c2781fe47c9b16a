/* measure.h - what lessons 11 and 11b do with their versions: verify each, count them on the emulator, and time them on a GPU, in turns with a
 * copy kernel and with CUB.
 *
 *     frame lesson = frame_of("scan", versions, VERSIONS);      for lesson.h
 *
 * Whole numbers are verified: each sum must be exact. Random numbers are measured: times or counts.
 *
 * As in lesson 10, sums that may be added up in any order are verified in two ways. Whole numbers: as long as no sum exceeds 2^24, a
 * float rounds nothing, and every order gives the same bits. Any numbers: each addition rounds, by at most 2^-24 of what comes out, so an
 * element that goes through d additions adds at most d * 2^-24 of its size to the error. Here the sum up to element i goes through
 * about 100 additions in its tile, and one for each tile before it: the tolerance grows along the array. Ints must always be exact.
 */
#ifndef LESSONS_LESSON11_SCAN_MEASURE_H
#define LESSONS_LESSON11_SCAN_MEASURE_H

#include <math.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

#if !defined(WITHOUT_GPU) && __has_include(<cub/device/device_scan.cuh>)
#include <cub/device/device_scan.cuh> // NVIDIA's own, to compare with; takes the compiler longer than all else
#define HAVE_CUB 1
#else
#define HAVE_CUB 0
#endif

enum {
    SMALLEST_TILE = 512,
    SMALLEST_CHAINED = 2048
};                      // tiles of any version; of those that are added one after the other, CUB's too
enum { IN_TILE = 100 }; // additions for an element, at most, but for the chain of tiles
enum {
    REPEATS = 6,
    REPEATS_UP_TO = 1 << 25
}; // does the same scan come out each time? And of how many elements is that asked

/* Device memory that a version gets. The last two belong to one call at a time, and anything may be in them. */
struct arrays {
    int n;
    const element *x;
    element *y;
    element *sums;             // one for each tile
    unsigned long long *words; // one for each tile, and one more
};

struct version {
    const char *name;
    void (*launch)(const struct arrays *a, cudaStream_t stream);
    bool exclusive;
    bool repeat; // worth running again and again
};

static void scan_cpu(const element *x, double *sums, int n); // the lesson's

static bool is_float(void) {
    return (element)0.5 != 0;
}

// ---------------------------------------------------------------- a problem

/* The device arrays start `offset` elements into their allocations: with 1 they are not aligned. */
struct problem {
    int n, offset;
    bool whole;
    element *input, *found; // host
    double *sums;           // host, inclusive
    element *x;             // device
};

/* 1, 3, 5 or 7; where their sum would exceed 2^24, their negatives too. None is 0, so none can be forgotten unseen. */
static void fill_whole(element *x, int n, uint64_t seed) {
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ULL;
    state = state ? state : 1;
    for (int i = 0; i < n; i++) {
        int dice = (int)(verify_next(&state) >> 40), odd = 2 * (dice & 3) + 1;
        x[i] = (element)(n > 1 << 21 && dice & 4 ? -odd : odd);
    }
}

/* Floats from 0 to 1; ints from -999 to 999. */
static void fill_random(element *x, int n, uint64_t seed) {
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ULL;
    state = state ? state : 1;
    for (int i = 0; i < n; i++) {
        uint64_t dice = verify_next(&state) >> 40;
        x[i] = is_float() ? (element)(dice * (1.0 / 16777216.0)) : (element)((int)(dice % 1999) - 999);
    }
}

static struct problem problem_create(int n, int offset, bool whole, uint64_t seed) {
    size_t bytes = (size_t)n * sizeof(element);
    struct problem p = {n, offset, whole};
    p.input = (element *)verify_host_alloc(bytes);
    p.found = (element *)verify_host_alloc(bytes);
    p.sums = (double *)verify_host_alloc((size_t)n * sizeof(double));
    if (whole) {
        fill_whole(p.input, n, seed);
    } else {
        fill_random(p.input, n, seed);
    }
    scan_cpu(p.input, p.sums, n);
    CUDA_CHECK(cudaMalloc((void **)&p.x, bytes + offset * sizeof(element)));
    p.x += offset;
    CUDA_CHECK(cudaMemcpy(p.x, p.input, bytes, cudaMemcpyHostToDevice));
    return p;
}

static void problem_free(struct problem *p) {
    CUDA_CHECK(cudaFree(p->x - p->offset));
    free(p->input);
    free(p->found);
    free(p->sums);
}

// ---------------------------------------------------------------- a version on a problem

/* With a result of its own, so that several can take turns. Without a version it is CUB. */
struct job {
    struct problem *problem;
    const struct version *version;
    struct arrays arrays;
    void *temporary; // CUB's
    size_t temporary_bytes;
};

static struct job job_create(struct problem *p, const struct version *version) {
    struct job job = {p, version, {p->n, p->x, NULL, NULL, NULL}, NULL, 0};
    size_t bytes = ((size_t)p->n + p->offset) * sizeof(element), tiles = (size_t)p->n / SMALLEST_TILE + 1;
    CUDA_CHECK(cudaMalloc((void **)&job.arrays.y, bytes));
    CUDA_CHECK(cudaMalloc((void **)&job.arrays.sums, tiles * sizeof(element)));
    CUDA_CHECK(cudaMalloc((void **)&job.arrays.words, (tiles + 1) * sizeof(unsigned long long)));
    verify_poison_device(job.arrays.y, bytes);
    verify_poison_device(job.arrays.sums, tiles * sizeof(element));
    verify_poison_device(job.arrays.words, (tiles + 1) * sizeof(unsigned long long));
    job.arrays.y += p->offset;
#if HAVE_CUB
    if (!version) { // the first call only asks how much memory the second one needs
        CUDA_CHECK(cub::DeviceScan::InclusiveSum(NULL, job.temporary_bytes, p->x, job.arrays.y, p->n));
        CUDA_CHECK(cudaMalloc(&job.temporary, job.temporary_bytes));
    }
#endif
    return job;
}

static void job_launch(void *a_job, cudaStream_t stream) {
    struct job *job = (struct job *)a_job;
    if (job->version) {
        job->version->launch(&job->arrays, stream);
        return;
    }
#if HAVE_CUB
    CUDA_CHECK(cub::DeviceScan::InclusiveSum(job->temporary, job->temporary_bytes, job->arrays.x, job->arrays.y,
                                             job->problem->n, stream));
#endif
}

static const char *job_name(const struct job *job) {
    return job->version ? job->version->name : "CUB";
}

/* What element i has to be, and how far off it may be. The inputs of the second kind are not negative, if they are floats, so the sum is
 * that of their sizes, too. */
static double expected_at(const struct job *job, int i) {
    bool exclusive = job->version && job->version->exclusive;
    return exclusive ? i > 0 ? job->problem->sums[i - 1] : 0.0 : job->problem->sums[i];
}

static double tolerance_at(const struct job *job, int i) {
    if (job->problem->whole || !is_float()) {
        return 0.0;
    }
    return (IN_TILE + i / SMALLEST_CHAINED) * ldexp(1.0, -24) * expected_at(job, i);
}

/* Largest error of a result, in units of 2^-24 of what it should be; 0 where there is nothing to round. */
static double job_verify(struct job *job) {
    struct problem *p = job->problem;
    size_t bytes = (size_t)p->n * sizeof(element), bad = 0;
    double worst = 0.0;
    verify_poison_host(p->found, bytes);
    CUDA_CHECK(cudaMemcpy(p->found, job->arrays.y, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < p->n; i++) {
        double expected = expected_at(job, i), error = fabs((double)p->found[i] - expected);
        if (error <= tolerance_at(job, i)) { // false for a NaN
            worst = error > worst * expected ? error / expected : worst;
            continue;
        }
        if (bad == 0) {
            verify_heading(job_name(job), p->n);
        }
        if (bad++ < VERIFY_SHOWN) {
            printf("    %12d  %16.9g  %16.9g\n", i, expected, (double)p->found[i]);
        }
    }
    verify_tell(bad, p->n);
    return worst * ldexp(1.0, 24);
}

static void job_free(struct job *job) {
    CUDA_CHECK(cudaFree(job->arrays.y - job->problem->offset));
    CUDA_CHECK(cudaFree(job->arrays.sums));
    CUDA_CHECK(cudaFree(job->arrays.words));
    CUDA_CHECK(cudaFree(job->temporary));
}

// ---------------------------------------------------------------- the tables

/* What only the emulator counts: launches, and sectors of 32 bytes that were read and written, for each element. */
static void print_traffic(const struct bench *bench) {
    printf("\n%-16s  %10s  %16s  %16s\n%-16s  %10s  %16s  %16s\n", "", "", "bytes read", "bytes written", "version",
           "launches", "per element", "per element");
    for (int r = 0; r < bench->rows; r++) {
        const struct emulatorCounters *c = &bench->row[r].counters;
        double n = bench->row[r].elements;
        printf("%-16s  %10llu  %16.2f  %16.2f\n", bench->row[r].name, (unsigned long long)c->launches,
               32.0 * c->global_load_sectors / n, 32.0 * c->global_store_sectors / n);
    }
}

static void time_on_gpu(struct job *jobs, int count) {
    struct turns turns = turns_start();
    int n = jobs[0].problem->n;
    turns_add_copy(&turns, n);
    for (int j = 0; j < count; j++) {
        turns_add(&turns, job_name(&jobs[j]), job_launch, &jobs[j], 2.0 * n * sizeof(element), 0);
    }
    turns_run(&turns);
    turns_print_beside_copy(&turns, "times CUB", HAVE_CUB ? 1 : -1);
#if HAVE_CUB
    printf("CUB: cub::DeviceScan::InclusiveSum, version %d.%d.%d\n\n", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
           CUB_SUBMINOR_VERSION);
#else
    printf("CUB: not in this program, which was compiled without it or where there was no GPU: no comparison\n\n");
#endif
    turns_end(&turns);
}

/* A number that is made of all bits of the result. */
static uint64_t fingerprint(struct job *job) {
    const struct problem *p = job->problem;
    uint64_t sum = 14695981039346656037ULL;
    CUDA_CHECK(cudaMemcpy(p->found, job->arrays.y, (size_t)p->n * sizeof(element), cudaMemcpyDeviceToHost));
    for (int i = 0; i < p->n; i++) {
        uint32_t bits;
        memcpy(&bits, &p->found[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211ULL;
    }
    return sum;
}

/* The same scan, again and again: how many different results are there? */
static void print_repeats(struct job *job) {
    uint64_t found[REPEATS];
    int different = 0;
    for (int r = 0; r < REPEATS; r++) {
        verify_poison_device(job->arrays.y, (size_t)job->problem->n * sizeof(element));
        job_launch(job, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        found[r] = fingerprint(job);
        int same = 0;
        while (found[same] != found[r]) {
            same++;
        }
        different += same == r;
    }
    printf("%-16s  %d times the same scan: %d different result%s\n", job_name(job), REPEATS, different,
           different == 1 ? "" : "s");
    record_row(job_name(job), "runs", REPEATS, "");
    record_row(job_name(job), "different results", different, "");
}

/* What was timed must be right as well; of floats, how far off are they? */
static void verify_jobs(struct problem *p, struct job *jobs, int count) {
    printf("%-16s  %s\n", "version", "largest error * 2^24, as a part of the sum");
    for (int j = 0; j < count; j++) {
        double error = job_verify(&jobs[j]);
        printf("%-16s", job_name(&jobs[j]));
        record_print("  %.2f\n", job_name(&jobs[j]), "error * 2^24", "", error);
    }
    printf("\n");
    for (int j = 0; j < count; j++) {
        if (p->n <= REPEATS_UP_TO && (!jobs[j].version || jobs[j].version->repeat)) {
            print_repeats(&jobs[j]);
        }
    }
    printf("\n");
}

static void print_size(const struct problem *p) {
    printf("n = %d\n", p->n);
    record_part("n=%d", p->n);
}

// ---------------------------------------------------------------- for lesson.h

typedef struct lesson<int, struct problem, struct version, struct job> frame;

static frame frame_of(const char *what, const struct version *versions, int count) {
    frame lesson = {what, versions, count};
    lesson.kinds = 2; // an aligned address, and one that is not; what is measured is aligned, and no whole numbers
    lesson.measured_kind = 2;
    lesson.create = [](int n, int k, uint64_t seed) { return problem_create(n, k % 2, k < 2, seed); };
    lesson.free = problem_free;
    lesson.begin = job_create, lesson.launch = job_launch, lesson.end = job_free;
    lesson.verify = [](struct job *job) { job_verify(job); };
    lesson.print_problem = print_size, lesson.print_counts = print_traffic, lesson.name = job_name;
#if HAVE_CUB
    lesson.peers = [](struct problem *p, struct job *jobs) { // CUB comes first, to compare with
        jobs[0] = job_create(p, NULL);
        return 1;
    };
#endif
    lesson.time = time_on_gpu, lesson.finish = verify_jobs;
    return lesson;
}

#endif
