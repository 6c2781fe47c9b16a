/* Grader of exercise 03, GELU: gelu_erf and gelu_tanh, as lessons/lesson03_relu/exercise.cu describes them.
 *
 * For both: random input of many sizes and seeds, special values, addresses that are not aligned, each array in its own way, in place,
 * elements past n, the input unharmed, a stream of the caller's, no waiting, and, on the emulator, float4 where the addresses allow it. */
#include <float.h>
#include <math.h>

#include "tools/grading/grader.h"

static const struct function erf_function = FUNCTION(void, gelu_erf, const float *, float *, int, cudaStream_t);
static const struct function tanh_function = FUNCTION(void, gelu_tanh, const float *, float *, int, cudaStream_t);

// ---------------------------------------------------------------- the reference, in double

static double gelu_erf_at(double x) {
    return 0.5 * x * (1 + erf(x / sqrt(2.0)));
}

static double gelu_tanh_at(double x) {
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

struct form {
    const struct function *function;
    const char *name;
    double (*reference)(double x);
};

static const struct form erf_form = {&erf_function, "gelu_erf", gelu_erf_at};
static const struct form tanh_form = {&tanh_function, "gelu_tanh", gelu_tanh_at};

/* Float arithmetic loses a few units in the last place, and 1 + erf cancels where x is negative. */
static const double atol_allowed = 1e-6, rtol_allowed = 1e-5;

// ---------------------------------------------------------------- one call

/* `x_offset`, `y_offset`: floats before the arrays; `slack`: floats behind, which are not the function's business. */
struct work {
    int n;
    uint64_t seed;
    int x_offset, y_offset, slack;
    bool in_place, special, stream;
};

static std::vector<float> make_input(const struct work *w) {
    static const float special[] = {NAN,    INFINITY, -0.0f,   -INFINITY, 0.0f,    1e20f,
                                    -1e20f, 1e-45f,   -1e-45f, FLT_MAX,   -FLT_MAX};
    std::vector<float> x(w->n);
    verify_random(x.data(), w->n, -6.0f, 6.0f, w->seed);
    for (int i = 0; w->special && i < w->n; i++) {
        x[i] = special[i % 11];
    }
    return x;
}

static struct place place_of(int offset, int slack) {
    return {offset * sizeof(float), slack * sizeof(float)};
}

/* From so many elements on, so many threads of a launch that writes do so, and no block writes more than half. */
enum { LONG = 65536, THREADS = 512 };

static bool aligned(const struct work *w) {
    return w->y_offset % 4 == 0 && (w->in_place || w->x_offset % 4 == 0);
}

/* 128 elements of a warp in each access by float4; a few accesses more for the tail, and where a warp has no 32 of them. */
static void judge_float4(const struct result *r, const struct work *w, const char *name, uint64_t requests) {
    double most = w->n / 96.0 + 8;
    if (aligned(w) && (double)requests > most) {
        judge_fail("access_limit",
                   "the result is right, but warps accessed %s %llu times (limit %.0f).%s\n          Both arrays are "
                   "16-byte aligned here: with a float4 per thread, a warp accesses 128 elements at once.",
                   name, (unsigned long long)requests, most, judge_launch_text(r).c_str());
    }
}

/* Each element once, by neighbours. Where the arrays are not aligned, a thread may take four neighbours as with float4, one by one. */
static void judge_accesses(const struct result *r, const struct work *w, struct handle x, struct handle y) {
    const char *advice = "Assign neighbouring elements to neighbouring threads, and access each one once.";
    const double tail = 32.0 / (w->n + 1); /* four sectors */
    const double most = (aligned(w) ? 1.1 : 4.5) + tail, times = judge_bytes_read_of(r, x) / sizeof(float) / w->n;
    if (times > 1.05) {
        judge_fail("access_limit", "the result is right, but each element of x was read %.1f times.%s\n          %s",
                   times, judge_launch_text(r).c_str(), advice);
    }
    judge_reads(r, x, {0.99, most}, advice);
    judge_writes(r, y, {0.99, most}, advice);
    judge_float4(r, w, "x", judge_counts_of(r, x)->load_requests);
    judge_float4(r, w, "y", judge_counts_of(r, y)->store_requests);
    if (w->n >= LONG) {
        judge_shared(r, THREADS, "Launch enough blocks for all elements.");
    }
    judge_note("%.2f times the sectors of x read, %.2f of y written; limit: %.1f", judge_sectors_of(r, x) * 8 / w->n,
               judge_sectors_written_of(r, y) * 8 / w->n, most);
}

static struct call make_call(const struct form *form, const struct work *w, const std::vector<float> &input,
                             struct handle *y) {
    struct call c = judge_call(form->function);
    struct work shape = *w;
    c.frees = true;
    size_t size = w->n * sizeof(float);
    struct handle x;
    if (w->in_place) {
        x = *y = judge_in_out(&c, "y", input.data(), size, place_of(w->y_offset, w->slack));
    } else {
        x = judge_input(&c, "x", input.data(), size, place_of(w->x_offset, w->slack));
        *y = judge_output(&c, "y", size, place_of(w->y_offset, w->slack));
    }
    struct handle out = *y;
    c.limits = [=](const struct result *r) { judge_accesses(r, &shape, x, out); };
    judge_pass(&c, x, *y, w->n, STREAM);
    if (w->stream) {
        judge_own_stream(&c);
    }
    return c;
}

/* A hint for the mistakes that are easy to recognise. */
static std::string remark(const struct form *form, float x, float found) {
    const struct form *other = form == &erf_form ? &tanh_form : &erf_form;
    char text[120];
    if (isnan(x)) {
        return "the input is NaN there, and the result must be NaN";
    }
    if (isnan(found)) {
        snprintf(text, sizeof text, "the input is %.9g there, and an intermediate result overflowed", x);
        return verify_is_poison(found) ? "" : text;
    }
    if (isinf(found) && !isinf(x)) {
        snprintf(text, sizeof text, "the input is %.9g there, and an intermediate result overflowed", x);
        return text;
    }
    if (found == x) {
        return "that is the input, unchanged";
    }
    snprintf(text, sizeof text, "the input is %.9g there", x);
    return verify_close(found, (float)other->reference(x), atol_allowed, rtol_allowed)
               ? std::string("that is the value of ") + other->name
               : text;
}

/* -inf times 0: the formula says NaN, the limit is 0; both are accepted. */
static std::vector<float> make_expected(const struct form *form, const std::vector<float> &input, const float *found) {
    std::vector<float> expected(input.size());
    for (size_t i = 0; i < input.size(); i++) {
        expected[i] = input[i] == -INFINITY && found[i] == 0 ? found[i] : (float)form->reference(input[i]);
    }
    return expected;
}

static void judge(const struct form *form, const struct result *r, struct handle y, const std::vector<float> &input) {
    const float *found = judge_content<float>(r, y);
    std::vector<float> expected = make_expected(form, input, found);
    judge_compare(r, y, expected.data(), input.size(), atol_allowed, rtol_allowed,
                  [&](long long bad) { return remark(form, input[bad], found[bad]); });
    judge_rest(r);
}

static void describe(const struct form *form, const struct work *w) {
    judge_doing("%s, n = %d, seed %llu%s%s%s%s", form->name, w->n, (unsigned long long)w->seed,
                w->special ? ", special values" : "",
                w->x_offset + w->y_offset ? ", arrays that are not 16-byte aligned" : "",
                w->in_place ? ", in place (y == x)" : "", w->stream ? ", in a stream" : "");
}

static void run(const struct form *form, struct work w) {
    struct handle y;
    describe(form, &w);
    std::vector<float> input = make_input(&w);
    struct call c = make_call(form, &w, input, &y);
    struct result r = judge_run(&c);
    judge(form, &r, y, input);
}

// ---------------------------------------------------------------- the checks

static void random_input(const struct form *form) {
    for (int n : {1000, 1, 2, 3, 4, 5, 31, 33, 1023, 1025, 1026, 0, 262147}) {
        run(form, {n, 1});
        if (n < 10000) {
            run(form, {n, 2});
        }
    }
}

static void contract(const struct form *form) {
    const struct work works[] = {
        {1000, 4, 0, 0, 0, false, true},
        {1003, 5, 1, 1},
        {1003, 6, 3, 3, 0, true, true},
        {1003, 7, 1, 2},
        {1002, 8, 0, 3},
        {1001, 9, 2, 0},
        {1025, 10, 0, 0, 0, true},
        {517, 11, 0, 0, 700},
        {70001, 12, 0, 0, 0, false, false, true},
        {3001, 13, 1, 0, 0, false, true, true},
        {2, 14, 1, 3, 0, false},
    };
    for (const struct work &w : works) {
        run(form, w);
    }
}

/* Here the limits of all calls are judged, and of a long one. */
static void vectors(const struct form *form) {
    run(form, {LONG, 20});
}

static void refused(const struct form *form) {
    struct handle y;
    struct work w = {1000, 21};
    std::vector<float> input = make_input(&w);
    judge_doing("%s, n = 1000, and its launch fails", form->name);
    judge_refused_launch(make_call(form, &w, input, &y));
}

static void busy(const struct form *form) {
    struct handle y;
    struct work w = {1000, 22, 0, 0, 0, false, false, true};
    run(form, w);
    std::vector<float> input = make_input(&w);
    judge_doing("%s, n = 1000, and its stream is busy", form->name);
    judge_busy_stream(make_call(form, &w, input, &y));
}

static void again(void) {
    judge_remark_doubles();
    for (const struct form *form : {&erf_form, &tanh_form}) {
        run(form, {judge_draw(1, 2000), (uint64_t)judge_draw(100, 1000000)});
        run(form, {judge_draw(2000, 50000), (uint64_t)judge_draw(100, 1000000), judge_draw(0, 3), judge_draw(0, 3),
                   judge_draw(0, 9)});
        run(form, {judge_draw(1, 300), (uint64_t)judge_draw(100, 1000000), 0, judge_draw(0, 3), 0, true, true, true});
    }
}

#define FORM_CHECKS(form)                                                                                              \
    {#form, #form ", random input, n = 0 to 5, 31, 33, 1000, 1023 to 1026, 262147",                                    \
     [] { random_input(&form##_form); }, EVERYWHERE},                                                                  \
        {#form, #form ", NaN and infinities, any addresses, in place, only n, in a stream",                            \
         [] { contract(&form##_form); }, EVERYWHERE},                                                                  \
        {#form " launch", #form " reports a failed launch", [] { refused(&form##_form); }, EVERYWHERE}, {              \
#form, #form " returns without waiting", [] { busy(&form##_form); }, EVERYWHERE                                \
    }
#define FORM_VECTORS(form)                                                                                             \
    {                                                                                                                  \
#form, #form ", each element touched once, and by float4", [] { vectors(&form##_form); }, ON_EMULATOR,         \
                                                                                               LIMITS_HERE             \
    }

static const struct form &gelu_erf_form = erf_form, &gelu_tanh_form = tanh_form;

int main(int argc, char **argv) {
    static const struct check checks[] = {
        FORM_CHECKS(gelu_erf),   FORM_CHECKS(gelu_tanh), FORM_VECTORS(gelu_erf),
        FORM_VECTORS(gelu_tanh), JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "03", {&erf_function, &tanh_function}, checks, sizeof checks / sizeof checks[0]);
}
