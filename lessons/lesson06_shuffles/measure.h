/* measure.h - what lesson 06 does with its versions: verify each, count them on the emulator, and time them on a GPU, in turns with a
 * copy kernel and with CUB.
 *
 *     frame lesson = frame_of("shuffles", versions, VERSIONS);      for lesson.h; every element must agree, since ints are exact
 *
 * A queue's elements come in any order: sorted, they must be those of the CPU, sorted.
 */
#ifndef LESSONS_LESSON06_SHUFFLES_MEASURE_H
#define LESSONS_LESSON06_SHUFFLES_MEASURE_H

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

#if !defined(WITHOUT_GPU) && __has_include(<cub/device/device_select.cuh>)
#include <cub/device/device_select.cuh> // NVIDIA's own, to compare with; takes the compiler longer than all else
#define HAVE_CUB 1
#else
#define HAVE_CUB 0
#endif

enum { ROW = 32 }; // elements that a warp has at once

/* What a version gets: device memory. Queues use no keys, the others no count. */
struct arrays {
    int n;
    const int *x, *keys;
    int *y, *count;
};

struct version {
    const char *name;
    void (*launch)(const struct arrays *a, cudaStream_t stream);
    void (*cpu)(const int *x, const int *keys, int *y, int n); // NULL: a queue
    bool reads_keys;
};

static __host__ __device__ inline bool wanted(int value); // the lesson's

// ---------------------------------------------------------------- a problem

struct problem {
    int n, wanted;
    int *input, *keys, *expected, *found; // host
    int *x, *device_keys;                 // device
};

/* Elements from -999 to 999, keys from 0 to 3. A key stays for eight elements on average, so most runs are shorter than a row, and the
 * same key comes again in it. */
static void fill(struct problem *p, uint64_t seed) {
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ULL;
    state = state ? state : 1;
    int key = 0;
    for (int i = 0; i < p->n; i++) {
        uint64_t dice = verify_next(&state) >> 24;
        p->input[i] = (int)(dice % 1999) - 999;
        key = dice >> 32 & 7 ? key : (int)(dice >> 36 & 3);
        p->keys[i] = key;
        p->wanted += wanted(p->input[i]);
    }
}

static struct problem problem_create(int n, int, uint64_t seed) {
    size_t bytes = (size_t)n * sizeof(int);
    struct problem p = {};
    p.n = n;
    p.input = (int *)verify_host_alloc(bytes);
    p.keys = (int *)verify_host_alloc(bytes);
    p.expected = (int *)verify_host_alloc(bytes);
    p.found = (int *)verify_host_alloc(bytes);
    fill(&p, seed);
    CUDA_CHECK(cudaMalloc((void **)&p.x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&p.device_keys, bytes));
    CUDA_CHECK(cudaMemcpy(p.x, p.input, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(p.device_keys, p.keys, bytes, cudaMemcpyHostToDevice));
    return p;
}

static void problem_free(struct problem *p) {
    CUDA_CHECK(cudaFree(p->x));
    CUDA_CHECK(cudaFree(p->device_keys));
    free(p->input);
    free(p->keys);
    free(p->expected);
    free(p->found);
}

// ---------------------------------------------------------------- a version on a problem

/* With a result of its own, so that several can take turns. */
struct job {
    struct problem *problem;
    const struct version *version;
    struct arrays arrays;
    void *temporary; // CUB's
    size_t temporary_bytes;
};

static struct job job_create(struct problem *p, const struct version *version) {
    struct job job = {p, version, {p->n, p->x, p->device_keys, NULL, NULL}, NULL, 0};
    size_t bytes = (size_t)p->n * sizeof(int);
    CUDA_CHECK(cudaMalloc((void **)&job.arrays.y, bytes));
    CUDA_CHECK(cudaMalloc((void **)&job.arrays.count, sizeof(int)));
    verify_poison_device(job.arrays.y, bytes);
    verify_poison_device(job.arrays.count, sizeof(int));
    return job;
}

static void job_launch(void *a_job, cudaStream_t stream) {
    const struct job *job = (const struct job *)a_job;
    job->version->launch(&job->arrays, stream);
}

static void job_free(struct job *job) {
    CUDA_CHECK(cudaFree(job->arrays.y));
    CUDA_CHECK(cudaFree(job->arrays.count));
    CUDA_CHECK(cudaFree(job->temporary));
}

/* Bytes that the job has to move. */
static double job_bytes(const struct job *job) {
    const struct problem *p = job->problem;
    double written = job->version->cpu ? p->n : p->wanted;
    return sizeof(int) * (p->n * (job->version->reads_keys ? 2.0 : 1.0) + written);
}

// ---------------------------------------------------------------- is it right?

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* With many elements sorting takes long, so count how often each value is there: they lie between -999 and 999. */
static void sort_values(int *x, int n) {
    static int counts[1999];
    int at = 0;
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < n; i++) {
        if (x[i] < -999 || x[i] > 999) { // one that is in no input
            qsort(x, n, sizeof *x, by_value);
            return;
        }
        counts[x[i] + 999]++;
    }
    for (int v = 0; v < 1999; v++) {
        for (int k = 0; k < counts[v]; k++) {
            x[at++] = v - 999;
        }
    }
}

static int keep_cpu(const int *x, int *y, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (wanted(x[i])) {
            y[count++] = x[i];
        }
    }
    return count;
}

static void queue_verify(const char *name, struct problem *p, const int *count) {
    int found = -1, expected = keep_cpu(p->input, p->expected, p->n);
    char counted[64];
    snprintf(counted, sizeof counted, "%s, the count", name);
    CUDA_CHECK(cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost));
    if (verify_ints(counted, &found, &expected, 1)) {
        sort_values(p->found, expected);
        sort_values(p->expected, expected);
        verify_ints(name, p->found, p->expected, expected);
    }
}

static void job_verify(struct job *job) {
    struct problem *p = job->problem;
    size_t bytes = (size_t)p->n * sizeof(int);
    verify_poison_host(p->found, bytes);
    CUDA_CHECK(cudaMemcpy(p->found, job->arrays.y, bytes, cudaMemcpyDeviceToHost));
    if (job->version->cpu) {
        job->version->cpu(p->input, p->keys, p->expected, p->n);
        verify_ints(job->version->name, p->found, p->expected, p->n);
    } else {
        queue_verify(job->version->name, p, job->arrays.count);
    }
}

// ---------------------------------------------------------------- the tables

/* What the emulator counts of a warp, for each row of 32 elements. */
static void print_rows(const struct bench *bench) {
    printf("\n%-16s  %18s  %14s  %16s\n%-16s  %18s  %14s  %16s\n", "", "warp instructions", "loads", "global atomics",
           "version", "per row of 32", "per row of 32", "per 1000 rows");
    for (int r = 0; r < bench->rows; r++) {
        const struct emulatorCounters *c = &bench->row[r].counters;
        double rows = bench->row[r].elements / ROW;
        printf("%-16s  %18.1f  %14.1f  %16.1f\n", bench->row[r].name, c->warp_instructions / rows,
               c->global_load_requests / rows, 1000 * c->global_atomic_requests / rows);
    }
}

/* NVIDIA's library does the queue, too, and keeps the order. */
static const struct version cub_version = {"CUB", NULL, NULL, false};

#if HAVE_CUB
struct is_wanted {
    __host__ __device__ bool operator()(int value) const { return wanted(value); }
};

static void cub_select(struct job *job, cudaStream_t stream) {
    const struct arrays *a = &job->arrays;
    CUDA_CHECK(
        cub::DeviceSelect::If(job->temporary, job->temporary_bytes, a->x, a->y, a->count, a->n, is_wanted(), stream));
}

static void cub_launch(void *a_job, cudaStream_t stream) {
    cub_select((struct job *)a_job, stream);
}

static struct job cub_create(struct problem *p) {
    struct job job = job_create(p, &cub_version);
    cub_select(&job, 0); // without temporary memory it only asks for its size
    CUDA_CHECK(cudaMalloc(&job.temporary, job.temporary_bytes));
    return job;
}
#endif

/* How many times the shortest is in the longest run says how much a difference between two rows is worth. */
static void time_on_gpu(struct job *jobs, int count) {
    struct turns turns = turns_start();
    turns_add_copy(&turns, jobs[0].problem->n);
    for (int j = 0; j < count; j++) {
        turns_add(&turns, jobs[j].version->name, job_launch, &jobs[j], job_bytes(&jobs[j]), 0);
    }
#if HAVE_CUB
    struct job cub_job = cub_create(jobs[0].problem);
    turns_add(&turns, "CUB", cub_launch, &cub_job, job_bytes(&cub_job), 0);
#endif
    turns_run(&turns);
    turns_print_beside_copy(&turns, NULL, -1);
#if HAVE_CUB
    printf("CUB: cub::DeviceSelect::If, version %d.%d.%d, for the queue; it keeps the order\n\n", CUB_MAJOR_VERSION,
           CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    job_verify(&cub_job);
    job_free(&cub_job);
#else
    printf("CUB: not in this program, which was compiled without it or where there was no GPU: no comparison\n\n");
#endif
    turns_end(&turns);
}

static void print_size(const struct problem *p) {
    printf("n = %d, %d of them wanted\n", p->n, p->wanted);
    record_row("input", "elements", p->n, "");
    record_row("input", "wanted", p->wanted, "");
}

// ---------------------------------------------------------------- for lesson.h

typedef struct lesson<int, struct problem, struct version, struct job> frame;

static frame frame_of(const char *what, const struct version *versions, int count) {
    frame lesson = {what, versions, count};
    lesson.create = problem_create, lesson.free = problem_free;
    lesson.begin = job_create, lesson.launch = job_launch, lesson.verify = job_verify, lesson.end = job_free;
    lesson.print_problem = print_size, lesson.print_counts = print_rows;
    lesson.name = [](const struct job *job) { return job->version->name; };
    lesson.time = time_on_gpu;
    return lesson;
}

#endif
