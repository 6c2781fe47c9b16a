/* Grader of exercise 03, GELU: gelu_erf and gelu_tanh, as lessons/lesson03_relu/exercise.cu describes them.
 *
 * For both: random input of many sizes and seeds, special values, addresses that are not aligned, in place, elements past
 * n, the input unharmed, a stream of the caller's, no waiting, and, on the emulator, coalesced accesses. */
#include <math.h>

#include "tests/graders/grader.h"

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream);
void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream);

// ---------------------------------------------------------------- the reference, in double

static double grader_gelu_erf(double x) {
    return 0.5 * x * (1 + erf(x / sqrt(2.0)));
}

static double grader_gelu_tanh(double x) {
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

static const struct grader_form {
    const char *name;
    void (*launch)(const float *x, float *y, int n, cudaStream_t stream);
    double (*reference)(double x);
} grader_forms[] = {
    {"gelu_erf", gelu_erf, grader_gelu_erf},
    {"gelu_tanh", gelu_tanh, grader_gelu_tanh},
};

/* Float arithmetic loses a few units in the last place, and 1 + erf cancels where x is negative. */
static const double grader_atol = 1e-6, grader_rtol = 1e-5;

// ---------------------------------------------------------------- one call

/* One call of the student's function. `slack` elements behind the n, on both arrays, are not its business. */
struct grader_job {
    const struct grader_form *form;
    int n, offset, slack;
    bool in_place, special;
    uint64_t seed;
    cudaStream_t stream;
};

struct grader_arrays {
    float *input, *expected, *found; // host
    float *x, *y;                    // device, `offset` floats into their allocations
    size_t bytes, allocated;
};

static void grader_fill(const struct grader_job *job, float *x) {
    static const float special[] = {NAN, INFINITY, -0.0f, -INFINITY, 0.0f, 1e20f, -1e20f, 1e-45f, -1e-45f, 40.0f};
    verify_random(x, job->n, -6.0f, 6.0f, job->seed);
    for (int i = 0; job->special && i < job->n; i++) {
        x[i] = special[i % 10];
    }
}

static struct grader_arrays grader_allocate(const struct grader_job *job) {
    struct grader_arrays a = {};
    a.bytes = (size_t)job->n * sizeof(float);
    a.allocated = (size_t)(job->offset + job->n + job->slack) * sizeof(float);
    a.input = (float *)verify_host_alloc(a.bytes);
    a.expected = (float *)verify_host_alloc(a.bytes);
    a.found = (float *)verify_host_alloc(a.allocated);
    grader_fill(job, a.input);
    for (int i = 0; i < job->n; i++) {
        a.expected[i] = (float)job->form->reference(a.input[i]);
    }
    a.y = (float *)verify_alloc(a.allocated) + job->offset;
    a.x = job->in_place ? a.y : (float *)verify_alloc(a.allocated) + job->offset;
    CUDA_CHECK(cudaMemcpy(a.x, a.input, a.bytes, cudaMemcpyHostToDevice));
    return a;
}

static void grader_release(const struct grader_job *job, struct grader_arrays *a) {
    bool intact = verify_free(job->form->name, a->y - job->offset, a->allocated);
    if (!job->in_place) {
        intact &= verify_free(job->form->name, a->x - job->offset, a->allocated) != 0;
    }
    if (!intact) {
        grader_fail("out_of_bounds", "memory outside the arrays was written: does every thread check i < n?");
    }
    free(a->input);
    free(a->expected);
    free(a->found);
}

/* A hint for the mistakes that are easy to recognise. */
static const char *grader_remark(const struct grader_job *job, const struct grader_arrays *a, long long bad) {
    const struct grader_form *other = &grader_forms[job->form == grader_forms];
    float x = a->input[bad], found = a->found[bad];
    static char text[120];
    if (isnan(x)) {
        return "the input is NaN there, and NaN must come out";
    }
    if (isnan(found)) {
        snprintf(text, sizeof text, "the input is %.9g there, and the result overflowed on the way", x);
        return verify_is_poison(found) ? "" : text;
    }
    if (found == x) {
        return "that is the input, unchanged";
    }
    if (verify_close(found, (float)other->reference(x), grader_atol, grader_rtol)) {
        snprintf(text, sizeof text, "that is the value of %s", other->name);
        return text;
    }
    snprintf(text, sizeof text, "the input is %.9g there", x);
    return text;
}

/* -inf times 0: the formula says NaN, the limit is 0; both are accepted. */
static void grader_accept_minus_infinity(const struct grader_job *job, struct grader_arrays *a) {
    for (int i = 0; i < job->n; i++) {
        if (a->input[i] == -INFINITY && a->found[i] == 0) {
            a->found[i] = a->expected[i];
        }
    }
}

static void grader_check_output(const struct grader_job *job, struct grader_arrays *a) {
    size_t rest = a->allocated - job->offset * sizeof(float);
    verify_poison_host(a->found, a->allocated);
    CUDA_CHECK(cudaMemcpy(a->found, a->y, rest, cudaMemcpyDeviceToHost));
    grader_accept_minus_infinity(job, a);
    long long bad = grader_first_bad(a->found, a->expected, job->n, grader_atol, grader_rtol);
    if (bad >= 0) {
        grader_reject(a->found, a->expected, job->n, bad, grader_remark(job, a, bad));
    }
    if (!grader_all_poison(a->found + job->n, job->slack)) {
        grader_fail("out_of_bounds", "elements behind the first n = %d were written: n says how many there are.",
                    job->n);
    }
}

static void grader_check_input(const struct grader_job *job, struct grader_arrays *a) {
    CUDA_CHECK(cudaMemcpy(a->found, a->x, a->bytes, cudaMemcpyDeviceToHost));
    if (!job->in_place && memcmp(a->found, a->input, a->bytes) != 0) {
        grader_fail("wrong_result", "the input array was changed: the result belongs into y.");
    }
}

static void grader_run(const struct grader_job *job) {
    grader_doing("%s, n = %d, seed %llu%s%s%s%s", job->form->name, job->n, (unsigned long long)job->seed,
                 job->special ? ", special values" : "", job->offset ? ", arrays that are not 16-byte aligned" : "",
                 job->in_place ? ", in place (y == x)" : "", job->stream ? ", in a stream" : "");
    struct grader_arrays a = grader_allocate(job);
    grader_watch(job->stream);
    job->form->launch(a.x, a.y, job->n, job->stream);
    grader_collect(job->form->name, false);
    grader_check_output(job, &a);
    grader_check_input(job, &a);
    grader_release(job, &a);
}

// ---------------------------------------------------------------- the checks

static void grader_random(const struct grader_form *form) {
    static const int sizes[] = {1000, 1, 31, 33, 1025, 0, 262147};
    char done[100];
    for (int s = 0; s < 7; s++) {
        for (int seed = 1; seed <= 3; seed++) {
            struct grader_job job = {form, sizes[s], 0, 0, false, false, (uint64_t)seed, 0};
            grader_run(&job);
        }
    }
    snprintf(done, sizeof done, "%s, random input, n = 0 1 31 33 1000 1025 262147", form->name);
    grader_passed(done);
}

static void grader_contract(const struct grader_form *form, cudaStream_t stream) {
    const struct grader_job jobs[] = {
        {form, 1000, 0, 0, false, true, 4, 0},   {form, 1003, 1, 0, false, false, 5, 0},
        {form, 1003, 3, 0, true, true, 6, 0},    {form, 1025, 0, 0, true, false, 7, 0},
        {form, 517, 0, 700, false, false, 8, 0}, {form, 70001, 0, 0, false, false, 9, stream},
    };
    char done[100];
    for (int j = 0; j < 6; j++) {
        grader_run(&jobs[j]);
    }
    snprintf(done, sizeof done, "%s, NaN and infinities, any address, in place, only n, in a stream", form->name);
    grader_passed(done);
}

/* Neighbouring threads must take neighbouring elements: then the sectors moved are the bytes asked for, divided by 32. */
static void grader_coalesced(const struct grader_form *form) {
    struct grader_job job = {form, 65536, 0, 0, false, false, 10, 0};
    struct grader_arrays a = grader_allocate(&job);
    char done[100];
    grader_doing("%s, n = %d, memory accesses", form->name, job.n);
    grader_count_start();
    grader_watch(0);
    form->launch(a.x, a.y, job.n, 0);
    grader_collect(form->name, false);
    struct emulatorCounters counters = grader_count_stop();
    double sectors = (double)(counters.global_load_sectors + counters.global_store_sectors);
    double needed = 2.0 * a.bytes / 32;
    if (sectors > 1.1 * needed) {
        grader_fail("access_limit",
                    "the result is right, but %.0f sectors of 32 bytes were touched where %.0f hold the data.\n"
                    "          Let neighbouring threads take neighbouring elements, and read each one once.",
                    sectors, needed);
    }
    grader_release(&job, &a);
    snprintf(done, sizeof done, "%s, coalesced: %.2f times the sectors needed (limit 1.1)", form->name,
             sectors / needed);
    grader_passed(done);
}

static void grade(void) {
    cudaStream_t stream;
    for (int f = 0; f < 2; f++) {
        grader_random(&grader_forms[f]);
    }
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int f = 0; f < 2; f++) {
        grader_contract(&grader_forms[f], stream);
        if (device_is_emulator()) {
            grader_coalesced(&grader_forms[f]);
        }
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(void) {
    return grader_main("03", grade);
}

#include EXERCISE
