/* Grader of exercise 15, a linear layer: sgemm_nt, as lessons/lesson15_gemm_tiled/exercise.cu describes it.
 *
 * Whole numbers first: sums of them are exact in any order, so every bit must agree and a wrong element tells what went
 * wrong. Then fractions within the tolerance, shapes that are multiples of nothing, alpha and beta, NaN in C, elements past the
 * end, the inputs unharmed, a stream of the caller's, no waiting, and, on the emulator, what is loaded and how. */
#include <float.h>
#include <math.h>

#include "tests/graders/grader.h"

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream);

// ---------------------------------------------------------------- one call

/* One call of the student's function. `slack` elements behind the end of C are not its business. */
struct grader_job {
    int M, N, K;
    float alpha, beta;
    bool fractions; /* in -1 ... 1; otherwise whole numbers from -4 to 4 */
    int offset, slack;
    uint64_t seed;
    cudaStream_t stream;
};

struct grader_arrays {
    float *host_A, *host_B, *host_C, *expected, *found; // host; host_C is C before the call
    float *A, *B, *C;                                   // device, `offset` floats into their allocations
    size_t count_A, count_B, count_C;
};

/* C[row][col] as the task says, with other sums for those who made a known mistake. */
static double grader_dot(const struct grader_job *job, const struct grader_arrays *a, int row, int col, int K) {
    double sum = 0;
    for (int k = 0; k < K; k++) {
        sum += (double)a->host_A[(size_t)row * job->K + k] * a->host_B[(size_t)col * job->K + k];
    }
    return sum;
}

static float grader_element(const struct grader_job *job, const struct grader_arrays *a, int row, int col) {
    double sum = job->alpha * grader_dot(job, a, row, col, job->K);
    return (float)(job->beta == 0 ? sum : sum + job->beta * (double)a->host_C[(size_t)row * job->N + col]);
}

static void grader_random_numbers(const struct grader_job *job, float *x, size_t n, uint64_t seed) {
    verify_random(x, n, job->fractions ? -1.0f : -4.49f, job->fractions ? 1.0f : 4.49f, seed);
    for (size_t i = 0; i < n && !job->fractions; i++) {
        x[i] = rintf(x[i]);
    }
}

/* A device array that is `offset` floats into its allocation and has `slack` floats behind its end. */
static float *grader_to_device(const struct grader_job *job, const float *host, size_t count) {
    float *device = (float *)verify_alloc((job->offset + count + job->slack) * sizeof(float)) + job->offset;
    CUDA_CHECK(cudaMemcpy(device, host, count * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

static struct grader_arrays grader_allocate(const struct grader_job *job) {
    struct grader_arrays a = {};
    a.count_A = (size_t)job->M * job->K;
    a.count_B = (size_t)job->N * job->K;
    a.count_C = (size_t)job->M * job->N;
    a.host_A = (float *)verify_host_alloc(a.count_A * sizeof(float));
    a.host_B = (float *)verify_host_alloc(a.count_B * sizeof(float));
    a.host_C = (float *)verify_host_alloc(a.count_C * sizeof(float));
    a.expected = (float *)verify_host_alloc(a.count_C * sizeof(float));
    a.found = (float *)verify_host_alloc((a.count_A + a.count_B + a.count_C + job->slack) * sizeof(float));
    grader_random_numbers(job, a.host_A, a.count_A, job->seed);
    grader_random_numbers(job, a.host_B, a.count_B, job->seed + 1000);
    grader_random_numbers(job, a.host_C, a.count_C, job->seed + 2000);
    if (job->beta == 0) {
        verify_poison_host(a.host_C, a.count_C * sizeof(float));
    }
    for (int row = 0; row < job->M; row++) {
        for (int col = 0; col < job->N; col++) {
            a.expected[(size_t)row * job->N + col] = grader_element(job, &a, row, col);
        }
    }
    a.A = grader_to_device(job, a.host_A, a.count_A);
    a.B = grader_to_device(job, a.host_B, a.count_B);
    a.C = grader_to_device(job, a.host_C, a.count_C);
    CUDA_CHECK(cudaDeviceSynchronize());
    return a;
}

static void grader_release(const struct grader_job *job, struct grader_arrays *a) {
    size_t more = job->offset + job->slack;
    bool intact = verify_free("A", a->A - job->offset, (a->count_A + more) * sizeof(float)) != 0;
    intact &= verify_free("B", a->B - job->offset, (a->count_B + more) * sizeof(float)) != 0;
    intact &= verify_free("C", a->C - job->offset, (a->count_C + more) * sizeof(float)) != 0;
    if (!intact) {
        grader_fail("out_of_bounds", "memory outside the arrays was written: do you check row < M and col < N?");
    }
    free(a->host_A);
    free(a->host_B);
    free(a->host_C);
    free(a->expected);
    free(a->found);
}

// ---------------------------------------------------------------- what went wrong

/* The value of A * B without the transposition, B taken as K x N as in the lesson. */
static double grader_not_transposed(const struct grader_job *job, const struct grader_arrays *a, int row, int col) {
    double sum = 0;
    for (int k = 0; k < job->K; k++) {
        sum += (double)a->host_A[(size_t)row * job->K + k] * a->host_B[(size_t)k * job->N + col];
    }
    return sum;
}

/* A hint for the mistakes that are easy to recognise; whole numbers make the comparison safe. */
static const char *grader_reason(const struct grader_job *job, const struct grader_arrays *a, int row, int col) {
    static char text[160];
    double sum = grader_dot(job, a, row, col, job->K), found = a->found[(size_t)row * job->N + col];
    double before = job->beta == 0 ? 0 : a->host_C[(size_t)row * job->N + col];
    if (verify_is_poison((float)found)) {
        return "";
    }
    if (isnan(found)) {
        return job->beta == 0 ? "; beta is 0 and C held NaN: was it read all the same? (0 * NaN is NaN)" : "";
    }
    if (job->fractions) {
        return "; whole numbers were right, so look for something that is less exact than float";
    }
    if (job->beta != 0 && found == job->alpha * sum) {
        return "; that is alpha * sum: beta * C is missing";
    }
    if (found == sum + job->beta * before) {
        return "; that is right for alpha = 1: alpha is missing";
    }
    if (found == job->alpha * (sum + job->beta * before)) {
        return "; that is alpha * (sum + beta * C): alpha belongs to the sum alone";
    }
    if (found == job->alpha * grader_not_transposed(job, a, row, col) + job->beta * before) {
        return "; that is the element of A * B: this B has a row for each column of C";
    }
    for (int k = job->K - 1; k > 0 && k > job->K - 64; k--) {
        if (found == job->alpha * grader_dot(job, a, row, col, k) + job->beta * before) {
            snprintf(text, sizeof text, "; that is the sum of the first %d products of %d", k, job->K);
            return text;
        }
    }
    return "";
}

static const char *grader_remark(const struct grader_job *job, const struct grader_arrays *a, size_t bad) {
    static char text[300];
    int row = (int)(bad / job->N), col = (int)(bad % job->N);
    snprintf(text, sizeof text, "that is row %d, column %d%s", row, col, grader_reason(job, a, row, col));
    return text;
}

static void grader_check_output(const struct grader_job *job, struct grader_arrays *a) {
    double tolerance = job->fractions ? (job->K + 8) * (double)FLT_EPSILON : 0;
    size_t all = a->count_C + job->slack;
    verify_poison_host(a->found, all * sizeof(float));
    CUDA_CHECK(cudaMemcpy(a->found, a->C, all * sizeof(float), cudaMemcpyDeviceToHost));
    if (job->beta != 0 && grader_seen.launches == 0 && a->count_C > 0) {
        grader_fail("not_implemented", "no kernel was launched.");
    }
    for (size_t i = 0; i < a->count_C; i++) {
        if (!verify_close(a->found[i], a->expected[i], tolerance, 0)) {
            grader_reject(a->found, a->expected, a->count_C, (long long)i, grader_remark(job, a, i));
        }
    }
    if (!grader_all_poison(a->found + a->count_C, job->slack)) {
        grader_fail("out_of_bounds", "elements of C behind the first M * N = %zu were written.", a->count_C);
    }
}

static void grader_check_input(struct grader_arrays *a) {
    CUDA_CHECK(cudaMemcpy(a->found, a->A, a->count_A * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(a->found + a->count_A, a->B, a->count_B * sizeof(float), cudaMemcpyDeviceToHost));
    if (memcmp(a->found, a->host_A, a->count_A * sizeof(float)) != 0 ||
        memcmp(a->found + a->count_A, a->host_B, a->count_B * sizeof(float)) != 0) {
        grader_fail("wrong_result", "an input was changed: the result belongs into C.");
    }
}

static void grader_run(const struct grader_job *job) {
    grader_doing("sgemm_nt, M = %d, N = %d, K = %d, alpha = %g, beta = %g, %s, seed %llu%s%s", job->M, job->N, job->K,
                 job->alpha, job->beta, job->fractions ? "fractions" : "whole numbers", (unsigned long long)job->seed,
                 job->offset ? ", arrays that are not 16-byte aligned" : "", job->stream ? ", in a stream" : "");
    struct grader_arrays a = grader_allocate(job);
    grader_watch(job->stream);
    sgemm_nt(job->M, job->N, job->K, job->alpha, a.A, a.B, job->beta, a.C, job->stream);
    grader_collect("sgemm_nt", false);
    grader_check_output(job, &a);
    grader_check_input(&a);
    grader_release(job, &a);
}

// ---------------------------------------------------------------- the checks

static const int grader_shapes[][3] = {{48, 64, 80}, {1, 1, 1},    {16, 16, 16}, {33, 31, 17},
                                       {31, 33, 50}, {1, 129, 40}, {130, 1, 65}, {7, 100, 259}};
enum { GRADER_SHAPES = sizeof grader_shapes / sizeof grader_shapes[0] };

static void grader_exact(void) {
    for (int s = 0; s < GRADER_SHAPES; s++) {
        const int *shape = grader_shapes[s];
        struct grader_job product = {shape[0], shape[1], shape[2], 1, 0, false, 0, 0, (uint64_t)(s + 1), 0};
        struct grader_job update = {shape[0], shape[1], shape[2], 2, -3, false, 0, 0, (uint64_t)(s + 20), 0};
        grader_run(&product);
        grader_run(&update);
    }
    grader_passed("whole numbers, every bit: 8 shapes, most of them multiples of nothing; alpha, beta; NaN in C");
}

static void grader_fractions(void) {
    for (int s = 0; s < GRADER_SHAPES; s++) {
        const int *shape = grader_shapes[s];
        struct grader_job job = {shape[0], shape[1], shape[2],           1.5f, s % 2 ? -0.5f : 0, true,
                                 0,        0,        (uint64_t)(s + 40), 0};
        grader_run(&job);
    }
    struct grader_job deep = {20, 20, 3001, 1, 0, true, 0, 0, 60, 0};
    grader_run(&deep);
    grader_passed("fractions, within (K + 8) * 2^-23, K up to 3001");
}

static void grader_contract(cudaStream_t stream) {
    const struct grader_job jobs[] = {
        {5, 6, 0, 2, 3, false, 0, 0, 70, 0},         {5, 6, 0, 2, 0, false, 0, 0, 71, 0},
        {0, 7, 9, 1, 0, false, 0, 0, 72, 0},         {9, 0, 7, 1, 0, false, 0, 0, 73, 0},
        {37, 45, 21, 1, 2, false, 1, 0, 74, 0},      {19, 21, 18, 1, 0, false, 3, 900, 75, 0},
        {70, 90, 50, 1, 1, false, 0, 0, 76, stream},
    };
    for (size_t j = 0; j < sizeof jobs / sizeof jobs[0]; j++) {
        grader_run(&jobs[j]);
    }
    grader_passed("M, N or K = 0, any address, nothing past the end, in a stream");
}

/* Tiles: few bytes from global memory, whole sectors, no bank conflicts. */
static void grader_thrifty(void) {
    const double most_bytes = 0.6, most_sectors = 4.1, most_wavefronts = 1.5;
    struct grader_job job = {256, 256, 256, 1, 0, false, 0, 0, 80, 0};
    struct grader_arrays a = grader_allocate(&job);
    char done[160];
    grader_doing("sgemm_nt, M = N = K = 256, memory accesses");
    grader_count_start();
    grader_watch(0);
    sgemm_nt(job.M, job.N, job.K, job.alpha, a.A, a.B, job.beta, a.C, 0);
    grader_collect("sgemm_nt", false);
    struct emulatorCounters c = grader_count_stop();
    double bytes = 32.0 * c.global_load_sectors / (256.0 * 256 * 256);
    double sectors = (double)c.global_load_sectors / c.global_load_requests;
    double accesses = (double)(c.shared_load_requests + c.shared_store_requests);
    double wavefronts = (c.shared_load_wavefronts + c.shared_store_wavefronts) / (accesses > 0 ? accesses : 1);
    grader_check_output(&job, &a);
    if (sectors > most_sectors) {
        grader_fail("access_limit",
                    "the result is right, but a load of a warp touches %.2f sectors of 32 bytes (limit %.1f).\n"
                    "          Threads with neighbouring threadIdx.x must load neighbouring elements, of A and of B.",
                    sectors, most_sectors);
    }
    if (bytes > most_bytes) {
        grader_fail("access_limit",
                    "the result is right, but %.2f bytes are loaded from global memory per multiply-add (limit %.1f).\n"
                    "          Load each element of a tile once, into shared memory, and use it TILE times.",
                    bytes, most_bytes);
    }
    if (wavefronts > most_wavefronts) {
        grader_fail(
            "access_limit",
            "the result is right, but an access of a warp to shared memory takes %.2f wavefronts (limit %.1f).\n"
            "          Which of the 32 banks do the threads of a warp touch? With rows of 16 or 32 floats a column of\n"
            "          a tile lies in two banks or in one; a float more in each row moves its elements apart.",
            wavefronts, most_wavefronts);
    }
    grader_release(&job, &a);
    snprintf(done, sizeof done, "%.2f bytes per multiply-add (limit %.1f), %.2f sectors (%.1f), %.2f wavefronts (%.1f)",
             bytes, most_bytes, sectors, most_sectors, wavefronts, most_wavefronts);
    grader_passed(done);
}

static void grade(void) {
    cudaStream_t stream;
    grader_exact();
    grader_fractions();
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    grader_contract(stream);
    if (device_is_emulator()) {
        grader_thrifty();
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(void) {
    return grader_main("15", grade);
}

#include EXERCISE
