/* Grader of exercise 16: gemm, as lessons/lesson16_gemm_registers/exercise.cu describes it.
 *
 * Shapes that fit the tiles and shapes that do not, alpha and beta, NaN in C where beta is 0, empty matrices, any
 * address, elements past the end of a row's matrix, the inputs unharmed, a stream of the caller's, no waiting, and, on
 * the emulator, how often shared and global memory were read. */
// arch: sm_80 sm_90
#include <float.h>
#include <math.h>

#include "tests/graders/grader.h"

void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C, cudaStream_t stream);

// ---------------------------------------------------------------- the reference

static void grader_gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++) {
                sum += (double)A[(size_t)i * K + k] * B[(size_t)k * N + j];
            }
            float *c = &C[(size_t)i * N + j];
            *c = (float)(beta == 0.0f ? alpha * sum : alpha * sum + (double)beta * *c);
        }
    }
}

// ---------------------------------------------------------------- one call

struct grader_job {
    int M, N, K;
    float alpha, beta;
    int offset, slack; /* floats before the arrays in their allocations, and behind C */
    uint64_t seed;
    cudaStream_t stream;
};

struct grader_matrix {
    float *host, *device; /* device: `offset` floats into its allocation */
    size_t count, allocated;
};

struct grader_arrays {
    struct grader_matrix A, B, C;
    float *expected, *found; /* host, as large as C and its slack */
};

static struct grader_matrix grader_matrix_create(const struct grader_job *job, size_t rows, size_t cols, int slack,
                                                 uint64_t seed) {
    struct grader_matrix m = {};
    m.count = rows * cols;
    m.allocated = (job->offset + m.count + slack) * sizeof(float);
    m.host = (float *)verify_host_alloc(m.count * sizeof(float));
    verify_random(m.host, m.count, -1.0f, 1.0f, seed);
    m.device = (float *)verify_alloc(m.allocated) + job->offset;
    return m;
}

static void grader_upload(const struct grader_matrix *m) {
    CUDA_CHECK(cudaMemcpy(m->device, m->host, m->count * sizeof(float), cudaMemcpyHostToDevice));
}

/* With beta = 0 C keeps verify_alloc's poison, which is NaN: so an element that nobody writes is seen, and so is one
 * that was read. With another beta C has numbers, and an element that nobody writes keeps its number. */
static struct grader_arrays grader_allocate(const struct grader_job *job) {
    struct grader_arrays a = {};
    a.A = grader_matrix_create(job, job->M, job->K, 0, job->seed);
    a.B = grader_matrix_create(job, job->K, job->N, 0, job->seed + 1000);
    a.C = grader_matrix_create(job, job->M, job->N, job->slack, job->seed + 2000);
    a.expected = (float *)verify_host_alloc(a.C.count * sizeof(float));
    a.found = (float *)verify_host_alloc((a.C.count + job->slack) * sizeof(float));
    grader_upload(&a.A);
    grader_upload(&a.B);
    if (job->beta != 0.0f) {
        grader_upload(&a.C);
    }
    memcpy(a.expected, a.C.host, a.C.count * sizeof(float));
    grader_gemm(job->M, job->N, job->K, job->alpha, a.A.host, a.B.host, job->beta, a.expected);
    CUDA_CHECK(cudaDeviceSynchronize()); // the caller's stream does not wait for a cudaMemset
    return a;
}

static bool grader_matrix_free(const struct grader_job *job, struct grader_matrix *m, const char *name) {
    free(m->host);
    return verify_free(name, m->device - job->offset, m->allocated) != 0;
}

static void grader_release(const struct grader_job *job, struct grader_arrays *a) {
    bool intact =
        grader_matrix_free(job, &a->C, "C") & grader_matrix_free(job, &a->A, "A") & grader_matrix_free(job, &a->B, "B");
    if (!intact) {
        grader_fail("out_of_bounds",
                    "memory outside the matrices was written: are row and column compared with M and N?");
    }
    free(a->expected);
    free(a->found);
}

/* sum over k of A[row][k] * B[k][col], from k = first on. */
static double grader_dot(const struct grader_job *job, const struct grader_arrays *a, int row, int col, int first,
                         int end) {
    double sum = 0;
    for (int k = first; k < end; k++) {
        sum += (double)a->A.host[(size_t)row * job->K + k] * a->B.host[(size_t)k * job->N + col];
    }
    return sum;
}

/* A hint for the mistakes that are easy to recognise. */
static const char *grader_remark(const struct grader_job *job, const struct grader_arrays *a, size_t bad) {
    static char text[300];
    int row = (int)(bad / job->N), col = (int)(bad % job->N), whole = job->K / 8 * 8;
    double found = a->found[bad], c = job->beta == 0.0f ? 0 : job->beta * (double)a->C.host[bad];
    double all = grader_dot(job, a, row, col, 0, job->K), near = 1e-3;
    const char *guess = "";
    if (job->K == 0) {
        guess = "K is 0, so there are no products, and C = beta * C";
    } else if (isnan(found) && job->beta == 0.0f) {
        guess =
            "beta is 0, and C holds NaN before the call: was it read? Or was something multiplied that nobody loaded?";
    } else if (fabs(found - all - c) < near && job->alpha != 1.0f) {
        guess = "that is the result for alpha = 1";
    } else if (fabs(found - job->alpha * all) < near && job->beta != 0.0f) {
        guess = "that is the result for beta = 0";
    } else if (fabs(found - c) < near) {
        guess = "not one product is in it";
    } else if (whole < job->K && fabs(found - job->alpha * grader_dot(job, a, row, col, 0, whole) - c) < near) {
        guess = "the last products are missing, those with k >= K / 8 * 8: the last step is shorter, and counts all "
                "the same";
    } else if (job->K > 8 && fabs(found - job->alpha * grader_dot(job, a, row, col, 8, job->K) - c) < near) {
        guess = "the products of the first step, k < 8, are missing";
    }
    snprintf(text, sizeof text, "it is in row %d and column %d of C%s%s", row, col, *guess ? "; " : "", guess);
    return text;
}

static bool grader_launched; /* in any call so far */

/* As in the lesson: each of the K additions rounds by at most 2^-24 of a sum that is about sqrt(k) / 3, by chance up or
 * down. (K + 8) * 2^-23 is more than ten times what comes together, and far less than a single product. */
static void grader_check_output(const struct grader_job *job, struct grader_arrays *a) {
    size_t behind = a->C.count;
    verify_poison_host(a->found, (behind + job->slack) * sizeof(float));
    CUDA_CHECK(cudaMemcpy(a->found, a->C.device, (behind + job->slack) * sizeof(float), cudaMemcpyDeviceToHost));
    long long bad = grader_first_bad(a->found, a->expected, behind, (job->K + 8) * (double)FLT_EPSILON, 0);
    grader_launched |= grader_seen.launches > 0;
    if (bad >= 0 && !grader_launched) {
        grader_fail("not_implemented", "no kernel was launched.");
    }
    if (bad >= 0) {
        grader_reject(a->found, a->expected, behind, bad, grader_remark(job, a, bad));
    }
    if (!grader_all_poison(a->found + behind, job->slack)) {
        grader_fail("out_of_bounds", "elements behind the %d x %d elements of C were written.", job->M, job->N);
    }
}

static void grader_check_input(const struct grader_matrix *m, const char *name) {
    float *now = (float *)verify_host_alloc(m->count * sizeof(float));
    CUDA_CHECK(cudaMemcpy(now, m->device, m->count * sizeof(float), cudaMemcpyDeviceToHost));
    if (memcmp(now, m->host, m->count * sizeof(float)) != 0) {
        grader_fail("wrong_result", "%s was changed: the result belongs into C.", name);
    }
    free(now);
}

static void grader_call(const struct grader_job *job, struct grader_arrays *a) {
    grader_watch(job->stream);
    gemm(job->M, job->N, job->K, job->alpha, a->A.device, a->B.device, job->beta, a->C.device, job->stream);
    grader_collect("gemm", false);
    grader_check_output(job, a);
}

static void grader_run(const struct grader_job *job) {
    grader_doing("gemm, M x N x K = %d x %d x %d, alpha %g, beta %g, seed %llu%s%s", job->M, job->N, job->K, job->alpha,
                 job->beta, (unsigned long long)job->seed, job->offset ? ", arrays that are not 16-byte aligned" : "",
                 job->stream ? ", in a stream" : "");
    struct grader_arrays a = grader_allocate(job);
    grader_call(job, &a);
    grader_check_input(&a.A, "A");
    grader_check_input(&a.B, "B");
    grader_release(job, &a);
}

// ---------------------------------------------------------------- the checks

static void grader_whole_tiles(void) {
    const struct grader_job jobs[] = {{64, 64, 8, 1.0f, 0.0f, 0, 0, 1, 0},
                                      {64, 64, 64, 1.0f, 0.0f, 0, 0, 2, 0},
                                      {128, 192, 40, 1.0f, 0.0f, 0, 0, 3, 0}};
    for (int j = 0; j < 3; j++) {
        grader_run(&jobs[j]);
    }
    grader_passed("shapes that fit the tiles: 64 x 64 x 8, 64 x 64 x 64, 128 x 192 x 40");
}

static void grader_any_shape(void) {
    static const int shapes[][3] = {{64, 64, 13},  {64, 65, 16},  {67, 64, 16},   {1, 1, 1},   {31, 33, 7},
                                    {129, 66, 57}, {200, 30, 10}, {33, 130, 101}, {5, 300, 3}, {60, 68, 12}};
    for (int s = 0; s < 10; s++) {
        struct grader_job job = {shapes[s][0], shapes[s][1], shapes[s][2], 1.0f, 0.0f, 0, 0, (uint64_t)(10 + s), 0};
        grader_run(&job);
    }
    grader_passed("any shape: 1 x 1 x 1, 31 x 33 x 7, 129 x 66 x 57, 33 x 130 x 101 and others");
}

static void grader_contract(cudaStream_t stream) {
    const struct grader_job jobs[] = {
        {70, 90, 20, 2.0f, 0.0f, 0, 0, 30, 0},   {70, 90, 20, 1.0f, 1.0f, 0, 0, 31, 0},
        {64, 64, 16, -1.5f, 0.5f, 0, 0, 32, 0},  {65, 64, 24, 1.0f, -2.0f, 0, 0, 33, 0},
        {0, 9, 9, 1.0f, 1.0f, 0, 0, 34, 0},      {9, 0, 9, 1.0f, 1.0f, 0, 0, 35, 0},
        {40, 50, 0, 1.0f, 2.0f, 0, 0, 36, 0},    {40, 50, 0, 1.0f, 0.0f, 0, 0, 37, 0},
        {64, 64, 32, 1.0f, 0.0f, 1, 0, 38, 0},   {66, 67, 21, 1.0f, 0.0f, 3, 0, 39, 0},
        {63, 61, 19, 1.0f, 0.0f, 0, 300, 40, 0}, {90, 70, 50, 0.5f, 0.25f, 0, 0, 41, stream},
    };
    for (int j = 0; j < 12; j++) {
        grader_run(&jobs[j]);
    }
    grader_passed("alpha and beta, empty matrices, any address, nothing past the end, in a stream");
}

/* The point of the lesson: a number that was read from shared memory is used more than once. */
static void grader_thrifty(void) {
    struct grader_job job = {128, 128, 128, 1.0f, 0.0f, 0, 0, 50, 0};
    struct grader_arrays a = grader_allocate(&job);
    const double fmas = 128.0 * 128 * 128, tiles = 4 * 2 * (64 * 128 / 8.0), wavefronts_limit = 0.6, sectors_limit = 2;
    char done[160];
    grader_doing("gemm, M x N x K = 128 x 128 x 128, what is read from memory");
    grader_count_start();
    grader_call(&job, &a);
    struct emulatorCounters counters = grader_count_stop();
    double wavefronts = 32.0 * (counters.shared_load_wavefronts + counters.shared_store_wavefronts) / fmas;
    double sectors = counters.global_load_sectors / tiles;
    if (sectors > sectors_limit) {
        grader_fail(
            "access_limit",
            "the result is right, but %.2f times the sectors of 32 bytes that hold a block's tiles were read from "
            "global\n          memory (limit %.1f). Each block loads its tiles once; threads that stand side by side "
            "load neighbours.",
            sectors, sectors_limit);
    }
    if (wavefronts > wavefronts_limit) {
        grader_fail("access_limit",
                    "the result is right, but shared memory took %.2f wavefronts for 32 multiply-adds (limit %.1f).\n"
                    "          Read R numbers of A and R of B, as float4, and use each of them R times.",
                    wavefronts, wavefronts_limit);
    }
    if (counters.shared_load_requests == 0) {
        grader_fail("access_limit", "the result is right, but no tile was kept in shared memory.");
    }
    grader_release(&job, &a);
    snprintf(done, sizeof done,
             "%.2f wavefronts for 32 multiply-adds (limit %.1f), %.2f times the tiles' sectors (limit %.1f)",
             wavefronts, wavefronts_limit, sectors, sectors_limit);
    grader_passed(done);
}

static void grade(void) {
    cudaStream_t stream;
    grader_whole_tiles();
    grader_any_shape();
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    grader_contract(stream);
    if (device_is_emulator()) {
        grader_thrifty();
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(void) {
    return grader_main("16", grade);
}

#include EXERCISE
