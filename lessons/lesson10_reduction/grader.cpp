/* Grader of exercise 10, sum and largest in one pass: summarize, as lessons/lesson10_reduction/exercise.cu says.
 *
 * The elements are added in an order that only the student knows. So most inputs are odd whole numbers whose sums stay
 * below 2^24: a float holds all of them, nothing is ever rounded, every order gives the same bits, and the result must
 * be exact. None of them is 0, so no element can be lost or counted twice unnoticed. For other floats there is a bound:
 * an element that goes through d additions is rounded d times by at most 2^-24 of a sum that is no larger than all
 * sizes together, so |error| <= d * 2^-24 * (|x0| + |x1| + ...).
 *
 * Many sizes, the largest element in many places, negative numbers, infinities and NaN, addresses that are not aligned,
 * calls one after the other with the same partial and done, a stream, no waiting, one launch, a launch that fails, and, on the
 * emulator, reads and atomics. */
#include <math.h>

#include "tools/grading/grader.h"

static const struct function summarize =
    FUNCTION(void, summarize, const float *, float *, int, float *, unsigned *, cudaStream_t);

enum { BLOCKS_MAX = 1024, SAMPLES = 20 };

// ---------------------------------------------------------------- inputs

enum kind { WHOLE, NEGATIVE, REAL, LOWEST, HIGHEST, WITH_NAN };
static const char *const kinds[] = {
    "whole numbers",  "negative whole numbers",         "any numbers from -1 to 1",
    "only -INFINITY", "whole numbers and one INFINITY", "whole numbers and one NaN",
};

struct one {
    int n;
    enum kind kind;
    int place;  /* of the largest element, or of the one that is special */
    int offset; /* of x, in floats */
    uint64_t seed;
    bool own_stream;
};

static std::vector<float> make_input(const struct one *job) {
    std::vector<float> x(job->n);
    verify_random(x.data(), job->n, -1.0f, 1.0f, job->seed);
    for (int i = 0; i < job->n && job->kind != REAL; i++) {
        float odd = 2 * floorf(3 * fabsf(x[i])) + 1; /* 1, 3 or 5 */
        x[i] = job->kind == NEGATIVE || x[i] < 0 ? -odd - 2 : odd;
        x[i] = job->kind == LOWEST ? -INFINITY : x[i];
    }
    if (job->place < job->n) {
        const float special[] = {7.0f, -1.0f, 1.5f, -INFINITY, INFINITY, NAN};
        x[job->place] = special[job->kind];
    }
    return x;
}

struct answers {
    float sum, largest;
    double tolerance; /* of the sum */
};

static struct answers reference(const struct one *job, const std::vector<float> &x) {
    double sum = 0, sizes = 0, additions = job->n / 1024.0 + 2000;
    float largest = -INFINITY;
    for (float value : x) {
        sum += value;
        sizes += fabs(value);
        largest = value > largest || isnan(value) ? value : largest;
    }
    return {(float)sum, isnan(sum) ? NAN : largest, job->kind == REAL ? additions * ldexp(1.0, -24) * sizes : 0.0};
}

// ---------------------------------------------------------------- one call

/* partial and done stay from call to call of one runner, in the state in which the last call has left them. */
enum { PARTIAL, DONE, RESULT };
static bool kept;

/* From so many elements on, so many threads read them, and no block more than half. */
enum { LONG = 65536, THREADS = 512 };

/* Each element once, by neighbours, and one atomic for each block. Where x is not aligned, a row of a warp lies in five sectors, not in four. */
static void judge_economy(const struct result *r, int n, bool aligned, struct handle x) {
    const struct launch *l = &r->answer.launch[0];
    const double most = aligned ? 1.1 : 1.3;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
             atomics = r->answer.counters.global_atomic_requests;
    judge_reads(r, x, {0.99, most}, "Read each element once, neighbouring threads neighbouring elements.");
    if (atomics > blocks) {
        judge_fail("access_limit",
                   "the result is right, but there were %llu atomics, with %llu blocks: one each is enough.%s",
                   (unsigned long long)atomics, (unsigned long long)blocks, judge_launch_text(r).c_str());
    }
    if (n >= LONG) {
        judge_shared(r, THREADS, "Launch as many blocks as partial has room for, if the elements are enough.");
    }
    judge_note("%.2f times the sectors needed (limit %.1f), %llu atomics of %llu blocks",
               n ? judge_sectors_of(r, x) * 8 / n : 0, most, (unsigned long long)atomics, (unsigned long long)blocks);
}

static struct call make_call(const std::vector<float> &x, int offset, bool own_stream) {
    static const unsigned zero = 0;
    struct call c = judge_call(&summarize);
    struct handle partial = judge_kept(&c, "partial", NULL, 2 * BLOCKS_MAX * sizeof(float)),
                  done = judge_kept(&c, "done", kept ? NULL : &zero, sizeof zero),
                  result = judge_output(&c, "result", 2 * sizeof(float)),
                  in = judge_input(&c, "x", x.data(), x.size() * sizeof(float), {offset * sizeof(float), 0});
    if (own_stream) {
        judge_own_stream(&c);
    }
    const int n = (int)x.size();
    c.frees = true;
    c.limits = [=](const struct result *r) { judge_economy(r, n, offset % 8 == 0, in); };
    judge_pass(&c, in, result, n, partial, done, STREAM);
    kept = true;
    return c;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("summarize, n = %d, %s, seed %llu%s%s%s", job->n, kinds[job->kind], (unsigned long long)job->seed,
                job->offset ? ", x not 16-byte aligned" : "", job->own_stream ? ", in a stream" : "", what);
}

static void check_calls(const struct result *r) {
    const struct launch *l = &r->answer.launch[0];
    if (r->answer.launches > 1) {
        judge_fail("access_limit", "summarize launched %u kernels: the last block can do the work of the second one.",
                   r->answer.launches);
    }
    if (r->answer.operations > 1) {
        judge_fail("access_limit",
                   "summarize put %u operations into the stream, of which one is the launch: each copy and "
                   "each fill is a trip to\n          the device. A result that one thread writes needs no "
                   "value before.",
                   r->answer.operations);
    }
    if (r->answer.launches && (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > BLOCKS_MAX) {
        judge_fail("out_of_bounds", "the grid has more blocks than partial has room for (%d).%s", BLOCKS_MAX,
                   judge_launch_text(r).c_str());
    }
}

// ---------------------------------------------------------------- which element is missing?

/* The sum of m ones and then zeros: how many of the first m elements are counted, all in all. NaN: the call went wrong. */
static double counted(const struct one *job, int m) {
    std::vector<float> input(job->n);
    for (int i = 0; i < m; i++) {
        input[i] = 1.0f;
    }
    kept = false; // what an earlier call may have left in *done has been told already, or will be
    struct call c = make_call(input, job->offset, job->own_stream);
    struct result r = judge_try(&c);
    judge_only_looked(&r);
    return r.contents.size() > RESULT ? ((const float *)r.contents[RESULT].data())[0] : NAN;
}

/* Halves the array until the first element is found that is not counted once. "" when that leads nowhere. */
static std::string wrong_element(const struct result *seen, const struct one *job) {
    int right = 0, wrong = job->n;
    double at_right = counted(job, 0), at_wrong = counted(job, wrong);
    char text[200];
    if (at_right != 0) {
        snprintf(text, sizeof text, "\n          the sum of %d zeros is %g: what is the initial value of a sum?",
                 job->n, at_right);
        return isnan(at_right) ? "" : text;
    }
    while (wrong - right > 1 && at_wrong != wrong) {
        int middle = right + (wrong - right) / 2;
        double found = counted(job, middle);
        (found == middle ? right : wrong) = middle;
        (found == middle ? at_right : at_wrong) = found;
    }
    if (at_wrong == wrong) {
        return "";
    }
    snprintf(text, sizeof text, "\n          element %d is the first that is not counted once, but %g times", right,
             at_wrong - at_right);
    return text + judge_owner_text(seen, right, job->n, THREAD_OF_INDEX);
}

// ---------------------------------------------------------------- what came out

static void look_at(const struct result *r, const struct one *job, int which, float expected, double tolerance) {
    static const char *const names[] = {"the sum", "the largest"};
    float found = ((const float *)r->contents[RESULT].data())[which];
    std::string launch = judge_launch_text(r);
    if (verify_close(found, expected, tolerance, 0.0)) {
        return;
    }
    if (verify_is_poison(found)) {
        judge_fail("stale_output", "result[%d], %s, was never written, expected %.9g%s", which, names[which], expected,
                   launch.c_str());
    }
    if (isnan(found) != isnan(expected)) {
        judge_fail("nan", "result[%d], %s: expected %.9g, found %.9g%s\n          %s", which, names[which], expected,
                   found, launch.c_str(),
                   isnan(expected) ? "a NaN among the elements must propagate"
                                   : "no element is NaN, but memory that was never written is");
    }
    std::string element = which == 1 && job->place < job->n
                              ? "\n          the largest is x[" + std::to_string(job->place) + "]"
                          : which == 0 && job->kind <= NEGATIVE ? wrong_element(r, job)
                                                                : "";
    judge_fail("wrong_result", "result[%d], %s: expected %.9g, found %.9g%s%s", which, names[which], expected, found,
               launch.c_str(), element.c_str());
}

static void check_done(const struct result *r) {
    unsigned done;
    memcpy(&done, r->contents[DONE].data(), sizeof done);
    if (done != 0) {
        judge_fail("wrong_result", "the results are right, but *done is %u after the call, and has to be 0 again.%s",
                   done, judge_launch_text(r).c_str());
    }
}

static void run(const struct one job) {
    doing(&job, "");
    std::vector<float> x = make_input(&job);
    struct answers expected = reference(&job, x);
    struct call c = make_call(x, job.offset, job.own_stream);
    struct result r = judge_run(&c);
    if (r.answer.launches == 0 && judge_all_poison((const float *)r.contents[RESULT].data(), 2)) {
        judge_fail("not_implemented", "no kernel was launched and nothing was written.");
    }
    look_at(&r, &job, 0, expected.sum, expected.tolerance);
    look_at(&r, &job, 1, expected.largest, 0.0);
    judge_work(&r);
    check_calls(&r);
    check_done(&r);
    judge_rest(&r);
}

// ---------------------------------------------------------------- the checks

/* One call after the other, larger and smaller ones, with the same partial and done. */
static void many_sizes(void) {
    static const int sizes[] = {1000, 1, 31, 33, 1025, 0, 70001, 255, 600011, 257};
    kept = false;
    for (int s = 0; s < 10; s++) {
        int n = sizes[s];
        run({n, WHOLE, n / 3, 0, (uint64_t)s + 1, false});
        run({n, NEGATIVE, n ? n - 1 : 0, 0, (uint64_t)s + 20, false});
    }
}

static void special_values(void) {
    static const int places[] = {0, 31, 32, 255, 256, 999, 2049};
    kept = false;
    for (int p = 0; p < 7; p++) {
        run({2050, p % 2 ? WITH_NAN : HIGHEST, places[p], 0, 40, false});
    }
    run({1000, LOWEST, 1000, 0, 41, false});
    run({1025, WITH_NAN, 1024, 1, 42, false});
}

static void contract(void) {
    kept = false;
    run({1003, WHOLE, 500, 1, 51, false});
    run({70003, NEGATIVE, 70000, 3, 52, false});
    run({1003, REAL, 7, 0, 53, false});
    run({600011, REAL, 600000, 0, 54, false});
    run({70001, WHOLE, 1, 2, 55, true});
}

/* The sizes differ by many powers of two, so that another order of adding shows. */
static void same_bits(void) {
    const struct one job = {600011, REAL, 600011, 0, 60, false};
    std::vector<float> x = make_input(&job);
    float first[2], found[2];
    kept = false;
    for (int i = 0; i < job.n; i++) {
        x[i] = ldexpf(x[i], i % 24);
    }
    for (int s = 0; s < SAMPLES; s++) {
        judge_doing("summarize, n = %d, the same input, call %d", job.n, s + 1);
        struct call c = make_call(x, 0, false);
        struct result r = judge_run(&c);
        memcpy(s ? found : first, r.contents[RESULT].data(), sizeof found);
        if (s > 0 && memcmp(first, found, sizeof first) != 0) {
            judge_fail("wrong_result",
                       "the same input gave %.9g at first and %.9g now.\n          The order in which blocks finish "
                       "must not determine the order in which their sums are added.",
                       first[0], found[0]);
        }
        judge_rest(&r);
    }
}

static void refused(void) {
    const struct one job = {1000, WHOLE, 3, 0, 61, false};
    kept = false;
    doing(&job, ", and its launch fails");
    judge_refused_launch(make_call(make_input(&job), 0, false));
}

static void busy(void) {
    const struct one job = {1000, WHOLE, 3, 0, 62, true};
    kept = false;
    run(job);
    doing(&job, " that is busy");
    judge_busy_stream(make_call(make_input(&job), 0, true));
}

/* Here the limits of all calls are judged, and of a long one. */
static void thrifty(void) {
    kept = false;
    run({600011, WHOLE, 5, 0, 70, false});
}

static void again(void) {
    int n = judge_draw(2000, 200000);
    kept = false;
    run({n, WHOLE, judge_draw(0, n - 1), judge_draw(0, 3), (uint64_t)judge_draw(100, 1000000), judge_draw(0, 1) == 1});
    n = judge_draw(1, 3000);
    run({n, (enum kind)judge_draw(HIGHEST, WITH_NAN), judge_draw(0, n - 1), 0, (uint64_t)judge_draw(100, 1000000),
         false});
    n = judge_draw(1, 100000);
    run({n, NEGATIVE, judge_draw(0, n - 1), 0, (uint64_t)judge_draw(100, 1000000), false});
    run({judge_draw(300000, 700000), WHOLE, 5, 0, (uint64_t)judge_draw(100, 1000000), false});
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"summarize",
         "the sum exact and the largest found: n = 1000 1 31 33 1025 0 70001 255 600011 257, one after the other",
         many_sizes, EVERYWHERE},
        {"summarize", "infinities and NaN in many places", special_values, EVERYWHERE},
        {"summarize", "rounded sums within the bound, any address, in a stream", contract, EVERYWHERE},
        {"summarize", "the same input gives the same bits", same_bits, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"summarize", "it returns without waiting", busy, EVERYWHERE},
        {"summarize", "each element is read once, and there is one atomic per block", thrifty, ON_EMULATOR,
         LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "10", {&summarize}, checks, sizeof checks / sizeof checks[0]);
}
