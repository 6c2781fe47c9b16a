/* measure.h - what lesson 08 does with its versions: verify each on many shapes, count what it asks for on the emulator, and time it on a GPU in
 * turns with copies and with cuBLAS.
 *
 *     frame lesson = frame_of("transpose", versions, VERSIONS);      for lesson.h
 *
 * A transpose computes nothing, so the result is compared bit by bit.
 */
#ifndef LESSONS_LESSON08_TRANSPOSE_MEASURE_H
#define LESSONS_LESSON08_TRANSPOSE_MEASURE_H

#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/cublas.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

/* in[rows][cols] -> out[cols][rows], or x[n][n] -> itself; queued in `stream`. */
struct version {
    const char *name;
    void (*launch)(const float *in, float *out, int rows, int cols, cudaStream_t stream);
    void (*launch_in_place)(float *x, int n, cudaStream_t stream);
};

struct shape {
    int rows, cols;
};

static void transpose_cpu(const float *in, float *out, int rows, int cols); // the lesson's

// ---------------------------------------------------------------- which shapes

struct shapes {
    int small, large;
    struct shape verified[16], measured[4];
};

/* The program's own, or with SIZE=n those around n x n. An int holds the index of every element. */
static struct shapes shapes_of(const struct options *options) {
    if (options->size > 32768) {
        fprintf(stderr, "SIZE=%lld: a matrix of 32768 x 32768 at most, please\n", options->size);
        exit(CHECK_EXIT_USAGE);
    }
    if (options->size >= 0) {
        int n = (int)options->size;
        return {3, n > 0, {{n, n}, {n, n / 2 + 3}, {n / 3 + 1, n}}, {{n, n}}};
    }
    struct shapes all = {12, 3, {}, {}};
    const struct shape verified[] = {{0, 7},   {1, 1},   {31, 33}, {33, 31},  {64, 64},   {100, 100},
                                     {96, 36}, {68, 76}, {1, 257}, {1000, 7}, {1030, 16}, {5, 300}};
    const struct shape on_emulator[] = {{512, 512}, {509, 515}, {10003, 7}};
    const struct shape on_gpu[] = {{16384, 16384}, {4096, 4097}, {10000, 3000}, {1000003, 7}};
    memcpy(all.verified, verified, sizeof verified);
    if (device_is_emulator()) {
        memcpy(all.measured, on_emulator, sizeof on_emulator);
    } else {
        memcpy(all.measured, on_gpu, sizeof on_gpu);
        all.large = 4;
    }
    return all;
}

// ---------------------------------------------------------------- a problem, and a version on it

struct problem {
    int rows, cols, offset;
    size_t count;
    float *input, *found; // host
    float *in;            // device, `offset` floats into its allocation
};

static struct problem problem_create(struct shape shape, int offset, uint64_t seed) {
    struct problem p = {shape.rows, shape.cols, offset, (size_t)shape.rows * shape.cols};
    p.input = (float *)verify_host_alloc(p.count * sizeof(float));
    p.found = (float *)verify_host_alloc(p.count * sizeof(float));
    verify_random(p.input, p.count, -1.0f, 1.0f, seed);
    CUDA_CHECK(cudaMalloc((void **)&p.in, (p.count + offset) * sizeof(float)));
    p.in += offset;
    CUDA_CHECK(cudaMemcpy(p.in, p.input, p.count * sizeof(float), cudaMemcpyHostToDevice));
    return p;
}

static void problem_free(struct problem *p) {
    CUDA_CHECK(cudaFree(p->in - p->offset));
    free(p->input);
    free(p->found);
}

/* A version with an output of its own, so that several can take turns. Without a version: `rival` says what else it is. */
struct job {
    struct problem *problem;
    const struct version *version;
    enum { NONE, COPY, MEMCPY, CUBLAS } rival;
    struct cublas *cublas;
    float *out; // device; in place: the matrix
    int launches;
};

static const char *job_name(const struct job *job) {
    static const char *const rivals[] = {"", "copy kernel", "cudaMemcpy", "cuBLAS"};
    return job->version ? job->version->name : rivals[job->rival];
}

/* In place the matrix begins as the input, anything else as poison. */
static void job_reset(struct job *job) {
    const struct problem *p = job->problem;
    size_t bytes = p->count * sizeof(float);
    job->launches = 0;
    if (job->version && job->version->launch_in_place) {
        CUDA_CHECK(cudaMemcpy(job->out, p->in, bytes, cudaMemcpyDeviceToDevice));
    } else {
        verify_poison_device(job->out, bytes);
    }
}

static struct job job_create(struct problem *p, const struct version *version) {
    struct job job = {p, version};
    CUDA_CHECK(cudaMalloc((void **)&job.out, (p->count + p->offset) * sizeof(float)));
    job.out += p->offset;
    job_reset(&job);
    return job;
}

static void job_free(struct job *job) {
    CUDA_CHECK(cudaFree(job->out - job->problem->offset));
}

/* cuBLAS adds two matrices, each as it is or transposed, and one of them may be left out: C = 1 * A^T + 0 * B. To cuBLAS, whose
 * matrices lie column by column, ours is one of `cols` rows. */
static void cublas_transpose(const struct job *job, cudaStream_t stream) {
    typedef int geam(cublas_handle, int, int, int, int, const float *, const float *, int, const float *, const float *,
                     int, float *, int);
    const struct problem *p = job->problem;
    const float one = 1.0f, zero = 0.0f;
    const int transposed = 1, as_it_is = 0;
    geam *sgeam = (geam *)dlsym(job->cublas->library, "cublasSgeam");
    if (!sgeam) {
        cublas_check(-1, "looking for cublasSgeam");
    }
    cublas_check(job->cublas->set_stream(job->cublas->handle, stream), "cublasSetStream");
    cublas_check(sgeam(job->cublas->handle, transposed, as_it_is, p->rows, p->cols, &one, p->in, p->cols, &zero,
                       job->out, p->rows, job->out, p->rows),
                 "cublasSgeam");
}

static void job_launch(void *a_job, cudaStream_t stream) {
    struct job *job = (struct job *)a_job;
    struct problem *p = job->problem;
    struct bench_copy copy = {(float4 *)p->in, (float4 *)job->out, p->count / 4};
    job->launches++;
    if (job->version && job->version->launch_in_place) {
        job->version->launch_in_place(job->out, p->rows, stream);
    } else if (job->version) {
        job->version->launch(p->in, job->out, p->rows, p->cols, stream);
    } else if (job->rival == job::CUBLAS) {
        cublas_transpose(job, stream);
    } else if (job->rival == job::COPY) {
        if (copy.n) {
            bench_launch_copy(&copy, stream); // a matrix of fewer than four elements has no float4
        }
    } else {
        CUDA_CHECK(cudaMemcpyAsync(job->out, p->in, p->count * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    }
}

/* A copy is what it is compared with: its first 4 * (count / 4) elements, since it moves whole float4. */
static void job_verify(struct job *job, const float *expected) {
    struct problem *p = job->problem;
    size_t count = job->rival == job::COPY ? p->count / 4 * 4 : p->count;
    bool copies = job->rival == job::COPY || job->rival == job::MEMCPY;
    verify_poison_host(p->found, p->count * sizeof(float));
    CUDA_CHECK(cudaMemcpy(p->found, job->out, count * sizeof(float), cudaMemcpyDeviceToHost));
    verify_floats_exact(job_name(job), p->found, copies ? p->input : expected, count);
}

static bool is_for(const struct version *version, const struct problem *p) {
    return version->launch || p->rows == p->cols;
}

static float *expected_create(const struct problem *p) {
    float *expected = (float *)verify_host_alloc(p->count * sizeof(float));
    transpose_cpu(p->input, expected, p->rows, p->cols);
    return expected;
}

// ---------------------------------------------------------------- the tables

/* What only the emulator counts. 32 elements are 4 sectors, read and written, and a wavefront each way. */
static void print_sectors(const struct bench *bench) {
    printf("\nfor 32 elements    %14s  %14s  %14s  %14s\n%-17s  %14s  %14s  %14s  %14s\n", "sectors", "sectors",
           "wavefronts", "wavefronts", "version", "loaded", "stored", "shared loads", "shared stores");
    for (int r = 0; r < bench->rows; r++) {
        const struct emulatorCounters *c = &bench->row[r].counters;
        double groups = bench->row[r].elements / 32;
        printf("%-17s  %14.2f  %14.2f  %14.2f  %14.2f\n", bench->row[r].name, c->global_load_sectors / groups,
               c->global_store_sectors / groups, c->shared_load_wavefronts / groups,
               c->shared_store_wavefronts / groups);
    }
}

static void time_on_gpu(struct job *jobs, int count) {
    struct turns turns = turns_start();
    double bytes = 2.0 * jobs[0].problem->count * sizeof(float);
    for (int j = 0; j < count; j++) {
        turns_add(&turns, job_name(&jobs[j]), job_launch, &jobs[j], bytes, 0);
    }
    turns_run(&turns);
    turns_print(&turns, "% of copy");
    turns_end(&turns);
}

/* A matrix for each version, for three others, and the input. */
static bool fits_into_memory(const struct problem *p, int versions) {
    size_t available = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&available, &total));
    return (versions + 4) * p->count * sizeof(float) < available - available / 8;
}

static struct cublas cublas; // open while a table is measured

static int peers_create(struct problem *p, struct job *jobs) {
    int count = 2;
    cublas = cublas_open();
    jobs[0] = job_create(p, NULL);
    jobs[0].rival = job::COPY;
    jobs[1] = job_create(p, NULL);
    jobs[1].rival = job::MEMCPY;
    if (cublas.library) {
        jobs[count] = job_create(p, NULL);
        jobs[count].cublas = &cublas;
        jobs[count++].rival = job::CUBLAS;
    }
    return count;
}

/* What was timed must be right as well. In place, an even number of launches gives the input again; so that a version that does nothing
 * is seen, there is one more where the number is even. */
static void verify_jobs(struct problem *p, struct job *jobs, int count) {
    float *expected = expected_create(p);
    for (int j = 0; j < count; j++) {
        if (jobs[j].version && jobs[j].version->launch_in_place && jobs[j].launches % 2 == 0) {
            job_launch(&jobs[j], 0);
        }
        job_verify(&jobs[j], expected);
    }
    free(expected);
    cublas_close(&cublas);
}

// ---------------------------------------------------------------- for lesson.h

typedef struct lesson<struct shape, struct problem, struct version, struct job> frame;

static frame frame_of(const char *what, const struct version *versions, int count) {
    frame lesson = {what, versions, count};
    lesson.kinds = 2; // aligned addresses, and others
    lesson.create = problem_create, lesson.free = problem_free, lesson.is_for = is_for;
    lesson.begin = job_create, lesson.launch = job_launch, lesson.end = job_free;
    lesson.verify = [](struct job *job) {
        float *expected = expected_create(job->problem);
        job_verify(job, expected);
        free(expected);
    };
    lesson.print_problem = [](const struct problem *p) {
        printf("%d x %d\n", p->rows, p->cols);
        record_part("%d x %d", p->rows, p->cols);
    };
    lesson.elements = [](const struct problem *p) { return (double)p->count; };
    lesson.fits = fits_into_memory, lesson.peers = peers_create, lesson.name = job_name;
    lesson.print_counts = print_sectors, lesson.time = time_on_gpu, lesson.finish = verify_jobs;
    return lesson;
}

#endif
