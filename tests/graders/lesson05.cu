/* Grader of exercise 05, missing samples: fill_forward, as lessons/lesson05_warps/exercise.cu describes it.
 *
 * Gaps of all densities, many sizes and seeds, special values, addresses that are not aligned, elements and words past
 * the end, the input unharmed, a stream of the caller's, no waiting, and, on the emulator, reads and instructions. */
#include <math.h>

#include "tests/graders/grader.h"

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream);

// ---------------------------------------------------------------- the reference

static void grader_fill_forward(const float *x, float *y, unsigned *valid, int n) {
    float last = 0;
    for (int i = 0; i < n; i++) {
        if (i % 32 == 0) {
            last = 0;
            valid[i / 32] = 0;
        }
        if (!isnan(x[i])) {
            last = x[i];
            valid[i / 32] |= 1u << i % 32;
        }
        y[i] = last;
    }
}

// ---------------------------------------------------------------- one call

/* One call of the student's function. `slack` elements and words behind the end are not its business. */
struct grader_job {
    int n, missing; /* percent of the samples */
    int offset, slack;
    bool special;
    uint64_t seed;
    cudaStream_t stream;
};

struct grader_arrays {
    float *input, *expected, *found;      // host
    unsigned *expected_bits, *found_bits; // host
    float *x, *y;                         // device, `offset` floats into their allocations
    unsigned *valid;                      // device
    size_t bytes, allocated, words, bits_allocated;
};

enum { GRADER_UNWRITTEN = 0x5A }; /* bytes of `valid` before the call: all ones, the usual poison, is a good answer */

static void grader_fill(const struct grader_job *job, float *x) {
    static const float special[] = {INFINITY, -0.0f, -INFINITY, 0.0f, 1e-45f};
    float *dice = (float *)verify_host_alloc((size_t)job->n * sizeof(float));
    verify_random(x, job->n, -6.0f, 6.0f, job->seed);
    verify_random(dice, job->n, 0.0f, 100.0f, job->seed + 1000);
    for (int i = 0; i < job->n; i++) {
        if (job->special && i % 3 == 0) {
            x[i] = special[i / 3 % 5];
        }
        if (job->missing && dice[i] <= job->missing) {
            x[i] = NAN;
        }
    }
    free(dice);
}

static struct grader_arrays grader_allocate(const struct grader_job *job) {
    struct grader_arrays a = {};
    a.bytes = (size_t)job->n * sizeof(float);
    a.allocated = (size_t)(job->offset + job->n + job->slack) * sizeof(float);
    a.words = (size_t)(job->n + 31) / 32;
    a.bits_allocated = (a.words + job->slack) * sizeof(unsigned);
    a.input = (float *)verify_host_alloc(a.bytes);
    a.expected = (float *)verify_host_alloc(a.bytes);
    a.found = (float *)verify_host_alloc(a.allocated);
    a.expected_bits = (unsigned *)verify_host_alloc(a.words * sizeof(unsigned));
    a.found_bits = (unsigned *)verify_host_alloc(a.bits_allocated);
    grader_fill(job, a.input);
    grader_fill_forward(a.input, a.expected, a.expected_bits, job->n);
    a.x = (float *)verify_alloc(a.allocated) + job->offset;
    a.y = (float *)verify_alloc(a.allocated) + job->offset;
    a.valid = (unsigned *)verify_alloc(a.bits_allocated);
    CUDA_CHECK(cudaMemcpy(a.x, a.input, a.bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(a.valid, GRADER_UNWRITTEN, a.bits_allocated));
    CUDA_CHECK(cudaDeviceSynchronize()); // the caller's stream does not wait for a cudaMemset
    return a;
}

static void grader_release(const struct grader_job *job, struct grader_arrays *a) {
    bool intact = verify_free("y", a->y - job->offset, a->allocated) != 0;
    intact &= verify_free("x", a->x - job->offset, a->allocated) != 0;
    intact &= verify_free("valid", a->valid, a->bits_allocated) != 0;
    if (!intact) {
        grader_fail("out_of_bounds", "memory outside the arrays was written: does every thread check i < n?");
    }
    free(a->input);
    free(a->expected);
    free(a->found);
    free(a->expected_bits);
    free(a->found_bits);
}

/* A hint for the mistakes that are easy to recognise. */
static const char *grader_remark(const struct grader_arrays *a, long long bad) {
    long long first = bad / 32 * 32;
    float found = a->found[bad];
    static char text[160];
    snprintf(text, sizeof text, "it is lane %lld of its warp; the lanes with a sample are those of the word 0x%08x",
             bad % 32, a->expected_bits[bad / 32]);
    if (isnan(found)) {
        return "no y is NaN: was the value taken from a lane that has none itself?";
    }
    if (!isnan(a->input[bad])) {
        return "a sample that is there has to stay as it is: a lane is among `the lanes up to this one` itself";
    }
    for (long long k = bad + 1; k < first + 32 && (size_t)k * sizeof(float) < a->bytes; k++) {
        if (a->input[k] == found) {
            snprintf(text, sizeof text, "that is the value of lane %lld, which is behind lane %lld, not before it",
                     k - first, bad - first);
            return text;
        }
    }
    for (long long k = first; k < bad; k++) {
        if (a->input[k] == found) {
            snprintf(text, sizeof text, "that is the value of lane %lld, which is not the last one before lane %lld",
                     k - first, bad - first);
            return text;
        }
    }
    return text;
}

static bool grader_bytes_unwritten(const unsigned *words, size_t n) {
    for (size_t i = 0; i < n * sizeof *words; i++) {
        if (((const unsigned char *)words)[i] != GRADER_UNWRITTEN) {
            return false;
        }
    }
    return true;
}

static void grader_check_output(const struct grader_job *job, struct grader_arrays *a) {
    verify_poison_host(a->found, a->allocated);
    CUDA_CHECK(cudaMemcpy(a->found, a->y, a->allocated - job->offset * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < job->n; i++) {
        if (!verify_same(a->found[i], a->expected[i])) {
            grader_reject(a->found, a->expected, job->n, i, grader_remark(a, i));
        }
    }
    if (!grader_all_poison(a->found + job->n, job->slack)) {
        grader_fail("out_of_bounds", "elements of y behind the first n = %d were written.", job->n);
    }
}

static void grader_check_bits(const struct grader_job *job, struct grader_arrays *a) {
    CUDA_CHECK(cudaMemcpy(a->found_bits, a->valid, a->bits_allocated, cudaMemcpyDeviceToHost));
    for (size_t g = 0; g < a->words; g++) {
        unsigned expected = a->expected_bits[g], found = a->found_bits[g], wrong = expected ^ found;
        if (wrong && grader_bytes_unwritten(&a->found_bits[g], 1)) {
            grader_fail("stale_output", "word %zu of valid was never written, expected 0x%08x.", g, expected);
        }
        if (wrong) {
            int bit = __builtin_ctz(wrong);
            long long sample = (long long)g * 32 + bit;
            grader_fail("wrong_result",
                        "word %zu of valid: expected 0x%08x, found 0x%08x\n          bit %d is wrong: %s", g, expected,
                        found, bit,
                        sample >= job->n          ? "that sample does not exist, so its bit is 0"
                        : isnan(a->input[sample]) ? "that sample is missing"
                                                  : "that sample is there");
        }
    }
    if (!grader_bytes_unwritten(a->found_bits + a->words, job->slack)) {
        grader_fail("out_of_bounds", "words of valid behind the first %zu were written: one word holds 32 samples.",
                    a->words);
    }
}

static void grader_check_input(const struct grader_job *, struct grader_arrays *a) {
    CUDA_CHECK(cudaMemcpy(a->found, a->x, a->bytes, cudaMemcpyDeviceToHost));
    if (memcmp(a->found, a->input, a->bytes) != 0) {
        grader_fail("wrong_result", "the input array was changed: the result belongs into y.");
    }
}

static void grader_run(const struct grader_job *job) {
    grader_doing("fill_forward, n = %d, %d %% missing, seed %llu%s%s%s", job->n, job->missing,
                 (unsigned long long)job->seed, job->special ? ", special values" : "",
                 job->offset ? ", arrays that are not 16-byte aligned" : "", job->stream ? ", in a stream" : "");
    struct grader_arrays a = grader_allocate(job);
    grader_watch(job->stream);
    fill_forward(a.x, a.y, a.valid, job->n, job->stream);
    grader_collect("fill_forward", false);
    grader_check_output(job, &a);
    grader_check_bits(job, &a);
    grader_check_input(job, &a);
    grader_release(job, &a);
}

// ---------------------------------------------------------------- the checks

static void grader_random(void) {
    static const int sizes[] = {1000, 1, 31, 32, 33, 1025, 0, 262147};
    static const int missing[] = {40, 0, 97, 100};
    for (int s = 0; s < 8; s++) {
        for (int m = 0; m < 4; m++) {
            struct grader_job job = {sizes[s], missing[m], 0, 0, false, (uint64_t)(s + 10 * m + 1), 0};
            grader_run(&job);
        }
    }
    grader_passed("random gaps: 0, 40, 97 and 100 % missing, n = 0 1 31 32 33 1000 1025 262147");
}

static void grader_contract(cudaStream_t stream) {
    const struct grader_job jobs[] = {
        {1000, 30, 0, 0, true, 4, 0},   {1003, 70, 1, 0, false, 5, 0},       {1003, 50, 3, 0, true, 6, 0},
        {517, 50, 0, 700, false, 8, 0}, {70001, 50, 0, 0, false, 9, stream},
    };
    for (int j = 0; j < 5; j++) {
        grader_run(&jobs[j]);
    }
    grader_passed("infinities and -0.0, any address, nothing past the end, in a stream");
}

/* A warp reads each sample once and decides by ballot and shuffle: no walk through memory, no turns. */
static void grader_thrifty(void) {
    struct grader_job job = {65536, 80, 0, 0, false, 10, 0};
    struct grader_arrays a = grader_allocate(&job);
    const double needed = a.bytes / 32, groups = job.n / 32, limit = 120;
    char done[120];
    grader_doing("fill_forward, n = %d, memory accesses and instructions", job.n);
    grader_count_start();
    grader_watch(0);
    fill_forward(a.x, a.y, a.valid, job.n, 0);
    grader_collect("fill_forward", false);
    struct emulatorCounters counters = grader_count_stop();
    double sectors = (double)counters.global_load_sectors, each = counters.warp_instructions / groups;
    if (sectors > 1.1 * needed) {
        grader_fail(
            "access_limit",
            "the result is right, but %.0f sectors of 32 bytes were read where %.0f hold the samples.\n"
            "          Read each sample once, neighbouring threads neighbouring samples; the other lanes' values "
            "come by shuffle.",
            sectors, needed);
    }
    if (each > limit) {
        grader_fail("access_limit",
                    "the result is right, but a warp needed %.0f instructions for 32 samples (limit %.0f).\n"
                    "          One ballot tells every lane all that it has to know; one shuffle gets the value.",
                    each, limit);
    }
    grader_release(&job, &a);
    snprintf(done, sizeof done,
             "%.2f times the sectors needed (limit 1.1), %.0f instructions for 32 samples (limit %.0f)",
             sectors / needed, each, limit);
    grader_passed(done);
}

static void grade(void) {
    cudaStream_t stream;
    grader_random();
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    grader_contract(stream);
    if (device_is_emulator()) {
        grader_thrifty();
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(void) {
    return grader_main("05", grade);
}

#include EXERCISE
