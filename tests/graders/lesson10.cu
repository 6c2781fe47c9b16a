/* Grader of exercise 10, sum and largest in one pass: summarize, as lessons/lesson10_reduction/exercise.cu says.
 *
 * The elements are added in an order that only the student knows. So most inputs are odd whole numbers whose sums stay
 * below 2^24: a float holds all of them, nothing is ever rounded, every order gives the same bits, and the result must
 * be exact. None of them is 0, so no element can be lost or counted twice unnoticed. For other floats there is a bound:
 * an element that goes through d additions is rounded d times by at most 2^-24 of a sum that is no larger than all
 * sizes together, so |error| <= d * 2^-24 * (|x0| + |x1| + ...).
 *
 * Many sizes, the largest element in many places, negative numbers, infinities and NaN, addresses that are not aligned,
 * calls one after the other with the same partial and done, a stream, no waiting, one launch, and, on the emulator,
 * reads and atomics. */
#include <math.h>

#include "tests/graders/grader.h"

void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream);

enum { GRADER_BLOCKS_MAX = 1024, GRADER_SAMPLES = 20 };
static bool grader_memset_called;

/* Watched under other names: the toolkit declares one of the two for the device as well. */
extern "C" cudaError_t grader_memset(void *to, int value, size_t bytes) __asm__("cudaMemset");
extern "C" cudaError_t grader_memset_async(void *to, int value, size_t bytes,
                                           cudaStream_t stream) __asm__("cudaMemsetAsync");

extern "C" cudaError_t grader_memset(void *to, int value, size_t bytes) {
    grader_memset_called |= grader_seen.on;
    return ((decltype(&grader_memset))dlsym(RTLD_NEXT, "cudaMemset"))(to, value, bytes);
}

extern "C" cudaError_t grader_memset_async(void *to, int value, size_t bytes, cudaStream_t stream) {
    grader_memset_called |= grader_seen.on;
    return ((decltype(&grader_memset_async))dlsym(RTLD_NEXT, "cudaMemsetAsync"))(to, value, bytes, stream);
}

// ---------------------------------------------------------------- inputs

enum grader_kind { WHOLE, NEGATIVE, REAL, LOWEST, HIGHEST, WITH_NAN };
static const char *const grader_kinds[] = {
    "whole numbers",  "negative whole numbers",         "any numbers from -1 to 1",
    "only -INFINITY", "whole numbers and one INFINITY", "whole numbers and one NaN",
};

struct grader_job {
    int n;
    enum grader_kind kind;
    int place; /* of the largest element, or of the one that is special */
    int offset;
    uint64_t seed;
    cudaStream_t stream;
};

/* What a student's function works on. partial and done stay from call to call. */
struct grader_arrays {
    float *x, *result, *partial;
    unsigned *done;
    size_t bytes, partial_bytes;
};

static void grader_fill(const struct grader_job *job, float *x) {
    verify_random(x, job->n, -1.0f, 1.0f, job->seed);
    for (int i = 0; i < job->n && job->kind != REAL; i++) {
        float odd = 2 * floorf(3 * fabsf(x[i])) + 1; /* 1, 3 or 5 */
        x[i] = job->kind == NEGATIVE || x[i] < 0 ? -odd - 2 : odd;
        x[i] = job->kind == LOWEST ? -INFINITY : x[i];
    }
    if (job->place < job->n) {
        const float special[] = {7.0f, -1.0f, 1.5f, -INFINITY, INFINITY, NAN};
        x[job->place] = special[job->kind];
    }
}

/* The sum in double, the largest, and how far the sum may be off. */
static void grader_reference(const struct grader_job *job, const float *x, float *expected, double *tolerance) {
    double sum = 0, sizes = 0, additions = job->n / 1024.0 + 2000;
    float largest = -INFINITY;
    for (int i = 0; i < job->n; i++) {
        sum += x[i];
        sizes += fabs(x[i]);
        largest = x[i] > largest || isnan(x[i]) ? x[i] : largest;
    }
    expected[0] = (float)sum;
    expected[1] = isnan(sum) ? NAN : largest;
    *tolerance = job->kind == REAL ? additions * ldexp(1.0, -24) * sizes : 0.0;
}

static struct grader_arrays grader_allocate(int n_max) {
    struct grader_arrays a = {};
    a.bytes = (size_t)(n_max + 4) * sizeof(float);
    a.partial_bytes = 2 * GRADER_BLOCKS_MAX * sizeof(float);
    a.x = (float *)verify_alloc(a.bytes);
    a.result = (float *)verify_alloc(2 * sizeof(float));
    a.partial = (float *)verify_alloc(a.partial_bytes);
    a.done = (unsigned *)verify_alloc(sizeof(unsigned));
    CUDA_CHECK(cudaMemset(a.done, 0, sizeof(unsigned)));
    CUDA_CHECK(cudaDeviceSynchronize());
    return a;
}

static void grader_release(struct grader_arrays *a) {
    bool intact = verify_free("x", a->x, a->bytes) != 0;
    intact &= verify_free("result", a->result, 2 * sizeof(float)) != 0;
    intact &= verify_free("partial", a->partial, a->partial_bytes) != 0;
    intact &= verify_free("done", a->done, sizeof(unsigned)) != 0;
    if (!intact) {
        grader_fail("out_of_bounds", "memory outside the arrays was written.");
    }
}

// ---------------------------------------------------------------- one call

static void grader_check_calls(void) {
    if (grader_seen.launches > 1) {
        grader_fail("access_limit", "summarize launched %d kernels: the last block can do what the second one does.",
                    grader_seen.launches);
    }
    if (grader_memset_called) {
        grader_fail("access_limit", "summarize set memory before its launch: that is a second trip to the device.\n"
                                    "          A result that one thread writes needs no value before.");
    }
    if (grader_seen.launches && (unsigned long long)grader_seen.grid.x * grader_seen.grid.y * grader_seen.grid.z >
                                    (unsigned long long)GRADER_BLOCKS_MAX) {
        grader_fail("out_of_bounds", "the grid has more blocks than partial has room for (%d).%s", GRADER_BLOCKS_MAX,
                    grader_launch_text());
    }
}

/* Calls the student's function on the n floats of `input`, and returns what it wrote. */
static void grader_call(struct grader_arrays *a, const float *input, int n, int offset, cudaStream_t stream,
                        float found[2]) {
    CUDA_CHECK(cudaMemcpy(a->x + offset, input, (size_t)n * sizeof(float), cudaMemcpyHostToDevice));
    verify_poison_device(a->result, 2 * sizeof(float));
    verify_poison_host(found, 2 * sizeof(float));
    CUDA_CHECK(cudaDeviceSynchronize()); // the caller's stream does not wait for the default one
    grader_memset_called = false;
    grader_watch(stream);
    summarize(a->x + offset, a->result, n, a->partial, a->done, stream);
    grader_collect("summarize", false);
    CUDA_CHECK(cudaMemcpy(found, a->result, 2 * sizeof(float), cudaMemcpyDeviceToHost));
}

// ---------------------------------------------------------------- which element is missing?

/* The sum of m ones and then zeros: how many of the first m elements are counted, all in all. */
static double grader_counted(struct grader_arrays *a, float *input, const struct grader_job *job, int m) {
    float found[2];
    for (int i = 0; i < job->n; i++) {
        input[i] = i < m ? 1.0f : 0.0f;
    }
    unsigned zero = 0; // what an earlier call may have left there has been told already, or will be
    CUDA_CHECK(cudaMemcpy(a->done, &zero, sizeof zero, cudaMemcpyHostToDevice));
    grader_call(a, input, job->n, job->offset, job->stream, found);
    return found[0];
}

/* Halves the array until the first element is found that is not counted once. "" when that leads nowhere. */
static const char *grader_wrong_element(struct grader_arrays *a, const struct grader_job *job) {
    static char text[200];
    struct grader_calls seen = grader_seen;
    float *input = (float *)verify_host_alloc((size_t)job->n * sizeof(float));
    int right = 0, wrong = job->n;
    double at_right = grader_counted(a, input, job, 0), at_wrong = grader_counted(a, input, job, wrong);
    text[0] = 0;
    if (at_right == 0 && at_wrong != wrong) {
        while (wrong - right > 1) {
            int middle = right + (wrong - right) / 2;
            double counted = grader_counted(a, input, job, middle);
            if (counted == middle) {
                right = middle;
                at_right = counted;
            } else {
                wrong = middle;
                at_wrong = counted;
            }
        }
        char owner[160] = "";
        grader_seen = seen;
        grader_owner_text(owner, sizeof owner, right);
        snprintf(text, sizeof text, "\n          element %d is the first that is not counted once, but %g times%s",
                 right, at_wrong - at_right, owner);
    } else if (at_right != 0) {
        snprintf(text, sizeof text, "\n          the sum of %d zeros comes out as %g: what does a sum begin with?",
                 job->n, at_right);
    }
    free(input);
    return text;
}

// ---------------------------------------------------------------- what came out

static void grader_judge(struct grader_arrays *a, const struct grader_job *job, const float *found,
                         const float *expected, double tolerance) {
    static const char *const names[] = {"the sum", "the largest"};
    if (grader_seen.launches == 0 && grader_all_poison(found, 2)) {
        grader_fail("not_implemented", "no kernel was launched and nothing was written.");
    }
    for (int r = 0; r < 2; r++) {
        char launch[160];
        snprintf(launch, sizeof launch, "%s", grader_launch_text());
        if (verify_close(found[r], expected[r], r == 0 ? tolerance : 0.0, 0.0)) {
            continue;
        }
        if (verify_is_poison(found[r])) {
            grader_fail("stale_output", "result[%d], %s, was never written, expected %.9g%s", r, names[r], expected[r],
                        launch);
        }
        if (isnan(found[r]) != isnan(expected[r])) {
            grader_fail("nan", "result[%d], %s: expected %.9g, found %.9g%s\n          %s", r, names[r], expected[r],
                        found[r], launch,
                        isnan(expected[r]) ? "a NaN among the elements must come out"
                                           : "no element is NaN, but memory that nobody has written is");
        }
        char largest[100] = "";
        if (r == 1 && job->place < job->n) {
            snprintf(largest, sizeof largest, "\n          the largest is x[%d]", job->place);
        }
        const char *element = r == 0 && job->kind <= NEGATIVE ? grader_wrong_element(a, job) : largest;
        grader_fail("wrong_result", "result[%d], %s: expected %.9g, found %.9g%s%s", r, names[r], expected[r], found[r],
                    launch, element);
    }
}

static void grader_check_done(const struct grader_arrays *a) {
    unsigned done = 0;
    CUDA_CHECK(cudaMemcpy(&done, a->done, sizeof done, cudaMemcpyDeviceToHost));
    if (done != 0) {
        grader_fail("wrong_result", "the results are right, but *done is %u after the call, and has to be 0 again.%s",
                    done, grader_launch_text());
    }
}

static void grader_check_input(const struct grader_arrays *a, const struct grader_job *job, const float *input) {
    float *now = (float *)verify_host_alloc((size_t)job->n * sizeof(float));
    CUDA_CHECK(cudaMemcpy(now, a->x + job->offset, (size_t)job->n * sizeof(float), cudaMemcpyDeviceToHost));
    if (memcmp(now, input, (size_t)job->n * sizeof(float)) != 0) {
        grader_fail("wrong_result", "the input array was changed.");
    }
    free(now);
}

static void grader_run(struct grader_arrays *a, const struct grader_job *job) {
    float *input = (float *)verify_host_alloc((size_t)job->n * sizeof(float));
    float expected[2], found[2];
    double tolerance = 0;
    grader_doing("summarize, n = %d, %s, seed %llu%s%s", job->n, grader_kinds[job->kind], (unsigned long long)job->seed,
                 job->offset ? ", x not 16-byte aligned" : "", job->stream ? ", in a stream" : "");
    grader_fill(job, input);
    grader_reference(job, input, expected, &tolerance);
    grader_call(a, input, job->n, job->offset, job->stream, found);
    grader_judge(a, job, found, expected, tolerance);
    grader_check_calls();
    grader_check_done(a);
    grader_check_input(a, job, input);
    free(input);
}

// ---------------------------------------------------------------- the checks

/* One call after the other, larger and smaller ones, with the same partial and done. */
static void grader_sizes(struct grader_arrays *a) {
    static const int sizes[] = {1000, 1, 31, 33, 1025, 0, 70001, 255, 600011, 257};
    for (int s = 0; s < 10; s++) {
        int n = sizes[s];
        const struct grader_job jobs[] = {
            {n, WHOLE, n / 3, 0, (uint64_t)s + 1, 0},
            {n, NEGATIVE, n ? n - 1 : 0, 0, (uint64_t)s + 20, 0},
        };
        grader_run(a, &jobs[0]);
        grader_run(a, &jobs[1]);
    }
    grader_passed(
        "the sum exact and the largest found: n = 1000 1 31 33 1025 0 70001 255 600011 257, one after the other");
}

static void grader_special(struct grader_arrays *a) {
    static const int places[] = {0, 31, 32, 255, 256, 999, 2049};
    for (int p = 0; p < 7; p++) {
        struct grader_job job = {2050, p % 2 ? WITH_NAN : HIGHEST, places[p], 0, 40, 0};
        grader_run(a, &job);
    }
    const struct grader_job jobs[] = {{1000, LOWEST, 1000, 0, 41, 0}, {1025, WITH_NAN, 1024, 1, 42, 0}};
    grader_run(a, &jobs[0]);
    grader_run(a, &jobs[1]);
    grader_passed("infinities and NaN in many places");
}

static void grader_contract(struct grader_arrays *a, cudaStream_t stream) {
    const struct grader_job jobs[] = {
        {1003, WHOLE, 500, 1, 51, 0},     {70003, NEGATIVE, 70000, 3, 52, 0}, {1003, REAL, 7, 0, 53, 0},
        {600011, REAL, 600000, 0, 54, 0}, {70001, WHOLE, 1, 2, 55, stream},
    };
    for (int j = 0; j < 5; j++) {
        grader_run(a, &jobs[j]);
    }
    grader_passed("rounded sums within the bound, any address, in a stream");
}

/* The sizes differ by many powers of two, so that another order of adding shows. */
static void grader_repeatable(struct grader_arrays *a) {
    struct grader_job job = {600011, REAL, 600011, 0, 60, 0};
    float *input = (float *)verify_host_alloc((size_t)job.n * sizeof(float));
    float first[2], found[2];
    grader_fill(&job, input);
    for (int i = 0; i < job.n; i++) {
        input[i] = ldexpf(input[i], i % 24);
    }
    for (int s = 0; s < GRADER_SAMPLES; s++) {
        grader_doing("summarize, n = %d, the same input, call %d", job.n, s + 1);
        grader_call(a, input, job.n, 0, 0, s == 0 ? first : found);
        if (s > 0 && memcmp(first, found, sizeof first) != 0) {
            grader_fail(
                "wrong_result",
                "the same input gave %.9g at first and %.9g now.\n          The order in which blocks come must "
                "not decide in which order their sums are added.",
                first[0], found[0]);
        }
    }
    free(input);
    grader_passed("the same input gives the same bits");
}

static void grader_thrifty(struct grader_arrays *a) {
    struct grader_job job = {600011, WHOLE, 5, 0, 70, 0};
    const double needed = job.n / 8.0, limit = 1.1;
    char done[160];
    grader_count_start();
    grader_run(a, &job);
    struct emulatorCounters counters = grader_count_stop();
    double sectors = (double)counters.global_load_sectors;
    unsigned long long blocks = grader_seen.grid.x, atomics = counters.global_atomic_requests;
    grader_doing("summarize, n = %d, memory accesses", job.n);
    if (sectors > limit * needed) {
        grader_fail("access_limit",
                    "the result is right, but %.0f sectors of 32 bytes were read where %.0f hold the elements.\n"
                    "          Read each element once, neighbouring threads neighbouring elements.",
                    sectors, needed);
    }
    if (atomics > blocks) {
        grader_fail("access_limit",
                    "the result is right, but there were %llu atomics, with %llu blocks: one each is enough.", atomics,
                    blocks);
    }
    snprintf(done, sizeof done, "%.2f times the sectors needed (limit %.1f), %llu atomics of %llu blocks",
             sectors / needed, limit, atomics, blocks);
    grader_passed(done);
}

static void grade(void) {
    cudaStream_t stream;
    struct grader_arrays arrays = grader_allocate(600016);
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    grader_sizes(&arrays);
    grader_special(&arrays);
    grader_contract(&arrays, stream);
    grader_repeatable(&arrays);
    if (device_is_emulator()) {
        grader_thrifty(&arrays);
    }
    grader_release(&arrays);
    CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(void) {
    return grader_main("10", grade);
}

#include EXERCISE
