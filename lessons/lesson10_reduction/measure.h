/* measure.h - what lesson 10 does with its versions: verify each, time them next to CUB, and look what a sum of
 * floats is worth.
 *
 *     frame lesson = frame_of("reduction", versions, VERSIONS);      for lesson.h
 *
 * Whole numbers are verified: the sum must be exact. Random floats are measured: times or counts, errors, repeated runs.
 *
 * How can a sum be verified that may be added up in any order? In two ways.
 *
 * Whole numbers. A float holds every whole number up to 2^24, so as long as no sum gets larger, nothing is ever
 * rounded, and every order gives the same bits: the result must be exact. All elements are odd, so none of them is 0,
 * and none can be forgotten or counted twice without being missed.
 *
 * Any floats. Each addition rounds, by at most 2^-24 of what comes out. An element that goes through d additions adds
 * at most d * 2^-24 of its size to the error, so |error| <= d * 2^-24 * (|x0| + |x1| + ...). That is what a result is
 * held to.
 */
#ifndef LESSONS_LESSON10_REDUCTION_MEASURE_H
#define LESSONS_LESSON10_REDUCTION_MEASURE_H

#include <math.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

#if !defined(WITHOUT_GPU) && __has_include(<cub/device/device_reduce.cuh>)
#include <cub/device/device_reduce.cuh> // NVIDIA's own, to compare with; takes the compiler longer than all else
#define HAVE_CUB 1
#else
#define HAVE_CUB 0
#endif

enum {
    SUM_BLOCK = 256,
    SUM_BLOCKS_PER_SM = 128
};                     // the smallest blocks that a version has, and the most of them in a grid
enum { REPEATS = 20 }; // does the same sum come out each time?

/* Device memory that a version may use besides x and y. It belongs to one call at a time. */
struct scratch {
    float *partial[2];         // room for the sums of all blocks, twice
    unsigned *done;            // 0 between two calls
    unsigned long long *words; // SUM_BLOCKS_PER_SM for each multiprocessor, 0 between two calls
};

/* x[n] -> y[1], queued in `stream`. */
struct version {
    const char *name;
    void (*launch)(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream);
    bool repeat; // worth running again and again
};

static double sum_cpu(const float *x, int n); // the lesson's

// ---------------------------------------------------------------- a problem

/* One input with its sum. The device array starts `offset` floats into its allocation: with 1 it is not aligned. */
struct problem {
    int n, offset;
    float *input; // host
    double sum, tolerance;
    float *x; // device
    struct scratch scratch;
};

/* 1, 3, 5 or 7; where these would exceed 2^24, their negatives too, so that what any version adds up stays far below. */
static void fill_whole(float *x, int n, uint64_t seed) {
    verify_random(x, n, 0.0f, n <= 1 << 21 ? 4.0f : 8.0f, seed);
    for (int i = 0; i < n; i++) {
        int k = (int)x[i];
        x[i] = (float)(k < 4 ? 2 * k + 1 : 7 - 2 * k);
    }
}

/* For numbers that are not negative: `sum` is the sum of their sizes. The longest way of an element is in version 9:
 * its thread's share, the tree, and then one atomicAdd after the other. */
static double error_bound(int n, double sum) {
    double blocks = (double)multiprocessors() * SUM_BLOCKS_PER_SM;
    double additions = n / (multiprocessors() * 8.0 * SUM_BLOCK) + 64 + blocks;
    return additions * ldexp(1.0, -24) * sum;
}

static struct problem problem_create(int n, int offset, bool whole, uint64_t seed) {
    size_t bytes = (size_t)n * sizeof(float);
    size_t sums = (size_t)n / SUM_BLOCK + 1 + (size_t)multiprocessors() * SUM_BLOCKS_PER_SM;
    struct problem p = {};
    p.n = n;
    p.offset = offset;
    p.input = (float *)verify_host_alloc(bytes);
    if (whole) {
        fill_whole(p.input, n, seed);
    } else {
        verify_random(p.input, n, 0.0f, 1.0f, seed);
    }
    p.sum = sum_cpu(p.input, n);
    p.tolerance = whole ? 0.0 : error_bound(n, p.sum);
    CUDA_CHECK(cudaMalloc((void **)&p.x, bytes + offset * sizeof(float)));
    p.x += offset;
    CUDA_CHECK(cudaMemcpy(p.x, p.input, bytes, cudaMemcpyHostToDevice));
    for (int k = 0; k < 2; k++) {
        CUDA_CHECK(cudaMalloc((void **)&p.scratch.partial[k], sums * sizeof(float)));
    }
    CUDA_CHECK(cudaMalloc((void **)&p.scratch.done, sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(p.scratch.done, 0, sizeof(unsigned)));
    size_t words = (size_t)multiprocessors() * SUM_BLOCKS_PER_SM * sizeof(unsigned long long);
    CUDA_CHECK(cudaMalloc((void **)&p.scratch.words, words));
    CUDA_CHECK(cudaMemset(p.scratch.words, 0, words));
    return p;
}

static void problem_free(struct problem *p) {
    CUDA_CHECK(cudaFree(p->x - p->offset));
    CUDA_CHECK(cudaFree(p->scratch.partial[0]));
    CUDA_CHECK(cudaFree(p->scratch.partial[1]));
    CUDA_CHECK(cudaFree(p->scratch.done));
    CUDA_CHECK(cudaFree(p->scratch.words));
    free(p->input);
}

// ---------------------------------------------------------------- a version on a problem

/* With a result of its own, so that several can take turns. Without a version it is CUB. */
struct job {
    struct problem *problem;
    const struct version *version;
    float *y; // device
    void *temporary;
    size_t temporary_bytes;
};

static struct job job_create(struct problem *p, const struct version *version) {
    struct job job = {p, version, NULL, NULL, 0};
    CUDA_CHECK(cudaMalloc((void **)&job.y, sizeof(float)));
    verify_poison_device(job.y, sizeof(float));
#if HAVE_CUB
    if (!version) { // the first call only asks how much memory the second one needs
        CUDA_CHECK(cub::DeviceReduce::Sum(NULL, job.temporary_bytes, p->x, job.y, p->n));
        CUDA_CHECK(cudaMalloc(&job.temporary, job.temporary_bytes));
    }
#endif
    return job;
}

static void job_launch(void *a_job, cudaStream_t stream) {
    struct job *job = (struct job *)a_job;
    struct problem *p = job->problem;
    if (job->version) {
        job->version->launch(p->x, job->y, p->n, &p->scratch, stream);
        return;
    }
#if HAVE_CUB
    CUDA_CHECK(cub::DeviceReduce::Sum(job->temporary, job->temporary_bytes, p->x, job->y, p->n, stream));
#endif
}

static const char *job_name(const struct job *job) {
    return job->version ? job->version->name : "CUB";
}

static float job_verify(struct job *job) {
    float found, expected = (float)job->problem->sum;
    verify_poison_host(&found, sizeof found);
    CUDA_CHECK(cudaMemcpy(&found, job->y, sizeof found, cudaMemcpyDeviceToHost));
    verify_floats(job_name(job), &found, &expected, 1, job->problem->tolerance, 0.0);
    return found;
}

static void job_free(struct job *job) {
    CUDA_CHECK(cudaFree(job->y));
    CUDA_CHECK(cudaFree(job->temporary));
}

// ---------------------------------------------------------------- what a sum of floats is worth

/* As one would write it without thinking. */
static float sum_one_by_one(const float *x, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum;
}

/* The error in units of 2^-24 of the sum; a float that is as near as a float can be is off by 1 at most. */
static void print_error(const char *name, double found, double exact) {
    printf("%-24s", name);
    record_print("  %16.9g", name, "sum", "", found);
    record_print("  %16.2f\n", name, "error * 2^24", "", fabs(found - exact) / exact * ldexp(1.0, 24));
}

static void print_errors(const struct problem *p, const struct job *jobs, const float *found, int count) {
    record_part("n=%d", p->n);
    printf("%-24s  %16s  %16s\n", "added up", "sum", "error * 2^24");
    print_error("in double", p->sum, p->sum);
    print_error("as float, one by one", sum_one_by_one(p->input, p->n), p->sum);
    for (int j = 0; j < count; j++) {
        print_error(job_name(&jobs[j]), found[j], p->sum);
    }
    printf("\n");
}

/* The same sum, again and again: how many different results are there? */
static void print_repeats(struct job *job) {
    float found[REPEATS];
    int different = 0;
    for (int r = 0; r < REPEATS; r++) {
        verify_poison_device(job->y, sizeof(float));
        job_launch(job, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        found[r] = job_verify(job);
        int same = 0;
        while (verify_bits(found[same]) != verify_bits(found[r])) {
            same++;
        }
        different += same == r;
    }
    printf("%-16s  %d times the same sum: %d different result%s\n", job_name(job), REPEATS, different,
           different == 1 ? "" : "s");
    record_row(job_name(job), "different results", different, "");
}

// ---------------------------------------------------------------- the tables

/* What only the emulator counts: launches, how often a warp waited for its block, atomics. */
static void print_meetings(const struct bench *bench) {
    printf("\n%-16s  %12s  %20s  %12s\n%-16s  %12s  %20s  %12s\n", "", "", "barriers of warps", "global", "version",
           "launches", "per 1000 elements", "atomics");
    for (int r = 0; r < bench->rows; r++) {
        const struct emulatorCounters *c = &bench->row[r].counters;
        printf("%-16s  %12llu  %20.2f  %12llu\n", bench->row[r].name, (unsigned long long)c->launches,
               1000.0 * c->barriers / bench->row[r].elements, (unsigned long long)c->global_atomic_requests);
    }
}

static void time_turns(struct job *jobs, int count, double bytes, bool warm) {
    struct turns turns = turns_start();
    turns.warm = warm;
    for (int j = 0; j < count; j++) {
        turns_add(&turns, job_name(&jobs[j]), job_launch, &jobs[j], bytes, 0);
    }
    turns_add(&turns, "(empty kernel)", turns_launch_nothing, NULL, 0, 0);
    turns_run(&turns);
    printf("caches: %s\n",
           warm ? "warm, the same sum has just been computed" : "filled with other data before each run");
    record_part("n=%d %s", jobs[0].problem->n, warm ? "warm" : "cold");
    turns_print(&turns, HAVE_CUB ? "% of CUB" : NULL);
    turns_end(&turns);
}

static void time_on_gpu(struct job *jobs, int count) {
    double bytes = jobs[0].problem->n * (double)sizeof(float);
    int device = 0, l2 = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    time_turns(jobs, count, bytes, false);
    if (bytes <= l2 / 4) { // a small array may still be there when somebody sums it up
        time_turns(jobs, count, bytes, true);
    }
#if HAVE_CUB
    printf("CUB: cub::DeviceReduce::Sum, version %d.%d.%d\n\n", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
           CUB_SUBMINOR_VERSION);
#else
    printf("CUB: not in this program, which was compiled without it or where there was no GPU: no comparison\n\n");
#endif
}

/* What was timed must be right as well. */
static void verify_jobs(struct problem *p, struct job *jobs, int count) {
    float found[BENCH_ROWS];
    for (int j = 0; j < count; j++) {
        found[j] = job_verify(&jobs[j]);
    }
    print_errors(p, jobs, found, count);
    for (int j = 0; j < count; j++) {
        if (!jobs[j].version || jobs[j].version->repeat) {
            print_repeats(&jobs[j]);
        }
    }
    printf("\n");
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
    lesson.print_problem = [](const struct problem *p) { printf("n = %d\n", p->n); };
    lesson.print_counts = print_meetings, lesson.name = job_name;
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
