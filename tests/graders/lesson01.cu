/* Grader of exercise 01: saxpy and reverse, as lessons/lesson01_threads/exercise.cu describes them.
 *
 * For both: random input of many sizes and seeds, the sizes around a block among them; the input unharmed; nothing
 * written outside; no waiting. */
#include <math.h>

#include "tests/graders/grader.h"

void saxpy(float a, const float *x, const float *y, float *out, int n);
void reverse(const float *in, float *out, int n);

// ---------------------------------------------------------------- the two functions, seen alike

/* Both as out = f(x, y); reverse has no y, and passes it by. */
static const float grader_factor = 2.5f;

static void grader_call_saxpy(const float *x, const float *y, float *out, int n) {
    saxpy(grader_factor, x, y, out, n);
}

static void grader_call_reverse(const float *x, const float *, float *out, int n) {
    reverse(x, out, n);
}

static float grader_saxpy_at(const float *x, const float *y, int n, int i) {
    (void)n;
    return (float)((double)grader_factor * x[i] + y[i]);
}

static float grader_reverse_at(const float *x, const float *, int n, int i) {
    return x[n - 1 - i];
}

static const struct grader_form {
    const char *name;
    void (*call)(const float *x, const float *y, float *out, int n);
    float (*reference)(const float *x, const float *y, int n, int i);
    double tolerance; /* absolute and relative */
} grader_forms[] = {
    {"saxpy", grader_call_saxpy, grader_saxpy_at, 1e-6},
    {"reverse", grader_call_reverse, grader_reverse_at, 0},
};

// ---------------------------------------------------------------- one call

struct grader_arrays {
    int n;
    size_t bytes;
    float *x, *y, *expected, *found; // host
    float *dev_x, *dev_y, *dev_out;  // device
};

static struct grader_arrays grader_allocate(const struct grader_form *form, int n, uint64_t seed) {
    struct grader_arrays a = {};
    a.n = n;
    a.bytes = (size_t)n * sizeof(float);
    a.x = (float *)verify_host_alloc(a.bytes);
    a.y = (float *)verify_host_alloc(a.bytes);
    a.expected = (float *)verify_host_alloc(a.bytes);
    a.found = (float *)verify_host_alloc(a.bytes);
    verify_random(a.x, n, -4.0f, 4.0f, seed);
    verify_random(a.y, n, -4.0f, 4.0f, seed + 100);
    for (int i = 0; i < n; i++) {
        a.expected[i] = form->reference(a.x, a.y, n, i);
    }
    a.dev_x = (float *)verify_alloc(a.bytes);
    a.dev_y = (float *)verify_alloc(a.bytes);
    a.dev_out = (float *)verify_alloc(a.bytes);
    CUDA_CHECK(cudaMemcpy(a.dev_x, a.x, a.bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(a.dev_y, a.y, a.bytes, cudaMemcpyHostToDevice));
    return a;
}

static void grader_release(const struct grader_form *form, struct grader_arrays *a) {
    bool intact = verify_free(form->name, a->dev_x, a->bytes);
    intact &= verify_free(form->name, a->dev_y, a->bytes) != 0;
    intact &= verify_free(form->name, a->dev_out, a->bytes) != 0;
    if (!intact) {
        grader_fail("out_of_bounds", "memory outside the arrays was written: does every thread check i < n?");
    }
    free(a->x);
    free(a->y);
    free(a->expected);
    free(a->found);
}

/* A hint for the mistakes that are easy to recognise. */
static const char *grader_remark(const struct grader_arrays *a, long long bad) {
    float found = a->found[bad];
    if (verify_is_poison(found)) {
        return bad == a->n - 1 || bad % 32 == 0 ? "are there enough blocks, and does the guard let this thread in?"
                                                : "";
    }
    if (found == a->x[bad]) {
        return "that is the input at the same place, unchanged";
    }
    return "";
}

static void grader_check(const struct grader_form *form, struct grader_arrays *a) {
    verify_poison_host(a->found, a->bytes);
    CUDA_CHECK(cudaMemcpy(a->found, a->dev_out, a->bytes, cudaMemcpyDeviceToHost));
    long long bad = grader_first_bad(a->found, a->expected, a->n, form->tolerance, form->tolerance);
    if (bad >= 0) {
        grader_reject(a->found, a->expected, a->n, bad, grader_remark(a, bad));
    }
    CUDA_CHECK(cudaMemcpy(a->found, a->dev_x, a->bytes, cudaMemcpyDeviceToHost));
    if (memcmp(a->found, a->x, a->bytes) != 0) {
        grader_fail("wrong_result", "the input array (x, in) was changed: the result belongs into out.");
    }
    CUDA_CHECK(cudaMemcpy(a->found, a->dev_y, a->bytes, cudaMemcpyDeviceToHost));
    if (memcmp(a->found, a->y, a->bytes) != 0) {
        grader_fail("wrong_result", "the input array y was changed: the result belongs into out.");
    }
}

static void grader_run(const struct grader_form *form, int n, uint64_t seed) {
    grader_doing("%s, n = %d, seed %llu", form->name, n, (unsigned long long)seed);
    struct grader_arrays a = grader_allocate(form, n, seed);
    grader_watch(0);
    form->call(a.dev_x, a.dev_y, a.dev_out, n);
    grader_collect(form->name, false);
    grader_check(form, &a);
    grader_release(form, &a);
}

static void grade(void) {
    // An ordinary size first, for the clearest message; then the ends of blocks and of warps.
    static const int sizes[] = {1000, 1, 31, 32, 33, 127, 128, 129, 255, 257, 1025, 0, 100003};
    for (int f = 0; f < 2; f++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (uint64_t seed = 1; seed <= 2; seed++) {
                grader_run(&grader_forms[f], sizes[s], seed);
            }
        }
        char done[100];
        snprintf(done, sizeof done, "%s, random input, n = 0, 1, around 32, 128 and 256, 1000, 1025, 100003",
                 grader_forms[f].name);
        grader_passed(done);
    }
}

int main(void) {
    return grader_main("01", grade);
}

#include EXERCISE
