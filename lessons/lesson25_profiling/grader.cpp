/* Grader of exercise 25: center, running, bend, peaks and process, as lessons/lesson25_profiling/exercise.cu describes them.
 *
 * All five are right as they are given. What is graded is what they ask of the machine: on the emulator the counts that a profile shows,
 * on a GPU their times next to a copy of as many bytes, in turns. And they must stay right. */
#include <math.h>

#include "tools/grading/grader.h"

enum { HOURS = 32, ROUNDS = 8 };
enum { MANY_DAYS = 20003, MANY_DAYS_GPU = 1 << 20 }; // for what is counted, and for what is timed

static const struct function center = FUNCTION(void, center, const float *, const float *, float *, int, cudaStream_t);
static const struct function running = FUNCTION(void, running, const float *, float *, int, cudaStream_t);
static const struct function bend = FUNCTION(void, bend, const float *, float *, int, cudaStream_t);
static const struct function peaks = FUNCTION(void, peaks, const float *, float *, int, cudaStream_t);
static const struct function process =
    FUNCTION(void, process, const float *, const float *, float *, float *, float *, int, cudaStream_t);

// ---------------------------------------------------------------- what is expected

typedef std::vector<float> floats;

static void center_cpu(floats *x, const floats &mean) {
    for (size_t i = 0; i < x->size(); i++) {
        (*x)[i] -= mean[i % HOURS];
    }
}

static void running_cpu(floats *x) {
    for (size_t i = 0; i < x->size(); i++) {
        (*x)[i] += i % HOURS ? (*x)[i - 1] : 0.0f;
    }
}

static void bend_cpu(floats *x) {
    for (size_t i = 0; i < x->size(); i++) {
        float v = (*x)[i], k = i % 2 ? 0.05f : 0.10f;
        for (int round = 0; round < ROUNDS; round++) {
            v = v / (1.0f + k * v * v);
        }
        (*x)[i] = v;
    }
}

static floats peaks_cpu(const floats &x) {
    floats peak(HOURS, -INFINITY);
    for (size_t i = 0; i < x.size(); i++) {
        peak[i % HOURS] = fmaxf(peak[i % HOURS], x[i]);
    }
    return peak;
}

// ---------------------------------------------------------------- one call

/* What a part is called with, and what it gives. */
struct one {
    const struct function *function;
    int days;
    uint64_t seed;
    bool own_stream, may_wait;
};

struct run {
    struct call call;
    struct handle x, y, peak;
    floats expected, expected_peak; /* empty: it has no such result */
};

/* Each hour's prices have a mean of their own; of some hours all are negative. */
static floats random_prices(const struct one *job) {
    floats x((size_t)job->days * HOURS);
    verify_random(x.data(), x.size(), -0.5f, 0.5f, job->seed);
    for (size_t i = 0; i < x.size() && job->function == &peaks; i++) {
        x[i] -= i % HOURS < 5 ? 0.75f : 0.0f;
    }
    return x;
}

static void expect(struct run *run, const struct one *job, floats x, const floats &mean) {
    bool all = job->function == &process;
    if (all || job->function == &center) {
        center_cpu(&x, mean);
    }
    if (all || job->function == &running) {
        running_cpu(&x);
    }
    if (all || job->function == &bend) {
        bend_cpu(&x);
    }
    if (all || job->function == &peaks) {
        run->expected_peak = peaks_cpu(x);
    }
    if (job->function != &peaks) {
        run->expected = x;
    }
}

static void judge_limits(const struct one *job, const struct result *r, struct handle x);

/* `limited`: it is asked for less, too, on the emulator. */
static struct run make_run(const struct one *job, bool limited = false) {
    struct run run = {judge_call(job->function)};
    struct call *c = &run.call;
    floats x = random_prices(job), mean(HOURS);
    size_t bytes = x.size() * sizeof(float);
    verify_random(mean.data(), HOURS, -0.1f, 0.1f, job->seed + 1);
    expect(&run, job, x, mean);
    judge_argument(c, run.x = judge_input(c, "x", x.data(), bytes));
    if (job->function == &center || job->function == &process) {
        judge_argument(c, judge_input(c, "mean", mean.data(), HOURS * sizeof(float)));
    }
    if (job->function != &peaks) {
        judge_argument(c, run.y = judge_output(c, "y", bytes));
    }
    if (job->function == &process) {
        judge_argument(c, judge_kept(c, "scratch", NULL, 2 * bytes));
    }
    if (job->function == &process || job->function == &peaks) {
        judge_argument(c, run.peak = judge_output(c, "peak", HOURS * sizeof(float)));
    }
    judge_argument(c, job->days);
    judge_argument(c, STREAM);
    if (job->own_stream) {
        judge_own_stream(c);
    }
    c->may_wait = job->may_wait;
    if (limited) {
        c->limits = [job = *job, x = run.x](const struct result *r) { judge_limits(&job, r, x); };
    }
    return run;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("%s, days = %d, seed %llu%s%s", job->function->name, job->days, (unsigned long long)job->seed,
                job->own_stream ? ", in a stream" : "", what);
}

static std::string place_of(long long bad) {
    return judge_print("that is day %lld, hour %lld", bad / HOURS, bad % HOURS);
}

static std::string hour_of(long long bad, int days, float found, float expected) {
    const char *why = days == 0             ? "there are no days, so it is -INFINITY"
                      : isnan(found)        ? "it is no number; it is -INFINITY before the first price"
                      : !(found < expected) ? "no price of that hour is so large; where did the largest begin?"
                                            : "does every day count, the last ones too?";
    return judge_print("that is the peak of hour %lld: %s", bad, why);
}

static struct result look(struct run *run, int days) {
    struct result r = judge_run(&run->call);
    const float *peak = run->expected_peak.empty() ? NULL : judge_content<float>(&r, run->peak);
    auto of_peak = [&](long long bad) { return hour_of(bad, days, peak[bad], run->expected_peak[bad]); };
    if (!run->expected.empty()) {
        judge_compare(&r, run->y, run->expected.data(), run->expected.size(), 2e-5, 1e-5, place_of, NOBODY_KNOWS);
    }
    if (!run->expected_peak.empty()) {
        judge_compare(&r, run->peak, run->expected_peak.data(), HOURS, 2e-5, 1e-5, of_peak, NOBODY_KNOWS);
    }
    judge_rest(&r);
    return r;
}

// ---------------------------------------------------------------- it stays right

static void right(const struct function *function) {
    static const int sizes[] = {1000, 1, 31, 33, 0, 1025, 130, 257};
    for (int s = 0; s < 8; s++) {
        const struct one job = {function, sizes[s], (uint64_t)s + 1, s % 2 == 1, function == &process};
        struct run run = make_run(&job);
        doing(&job, "");
        look(&run, job.days);
    }
}

static void refused(const struct function *function) {
    const struct one job = {function, 100, 51, false, true};
    doing(&job, ", and its launch fails");
    judge_refused_launch(make_run(&job).call);
}

static void busy(const struct function *function) {
    const struct one job = {function, 100, 52, true, false};
    struct run run = make_run(&job);
    doing(&job, " that is busy");
    judge_busy_stream(run.call);
}

// ---------------------------------------------------------------- and asks for less

/* What a part may take, in units of n floats: read, written, and in passes of a warp over shared memory. On a GPU: its time in copies that
 * read and write n floats each. On an H200 right programs took at most 1.6, 1.7, 2.4, 7.0 and 9.7 of them, in the order below, and the exercise as
 * it is given 23, 4.3, 4.5, 66 and 84 (measured/h200.csv has the exercise's and the solution's). So each limit lies between; that of process is
 * below what it takes with center or peaks as given, and what it takes with waits does not show here: judge_busy_stream looks for them. */
struct limits {
    double read, written, passes, copies, operations; /* the last: adds, multiplications and FMAs for each float */
    const char *hint;                                 /* what to look at when too much was moved */
};

static struct limits limits_of(const struct function *function) {
    static const char *const columns = "Which addresses do neighbouring threads have? Look at the line with the most "
                                       "sectors per request.";
    return function == &center    ? limits{2.2, 1.1, 8, 4, 8, columns} /* a mean is read for each element */
           : function == &running ? limits{1.1, 1.1, 8, 3, 40, columns}
           : function == &bend    ? limits{1.1, 1.1, 8, 3.4, 40, columns}
           : function == &peaks   ? limits{1.1, 0.1, 8, 20, 8, columns}
                                  : limits{5.2, 3.3, 16, 20, 60, columns};
}

/* Small tables leave more over: what each block does once, and the tail. */
enum { LARGE = 15000 };

static double blocks_launched(const struct result *r) {
    double blocks = 0;
    for (const struct launch &l : r->launches) {
        blocks += (double)l.grid[0] * l.grid[1] * l.grid[2];
    }
    return blocks;
}

static void judge_moved(const struct one *job, const struct result *r, double over) {
    const struct emulatorCounters *c = &r->answer.counters;
    const struct limits limits = limits_of(job->function);
    double sectors = job->days * HOURS / 8.0;
    double read = judge_sectors_read(c) + (double)c->global_atom_sectors, written = (double)c->global_store_sectors;
    if (read > limits.read * sectors + over || written > limits.written * sectors + over) {
        judge_fail("access_limit",
                   "the result is right, but for each float %.1f floats were read and %.1f written (limits %.1f and "
                   "%.1f).\n          %s",
                   read / sectors, written / sectors, limits.read, limits.written, limits.hint);
    }
}

static void judge_warps(const struct one *job, const struct result *r, double over) {
    const struct emulatorCounters *c = &r->answer.counters;
    const struct limits limits = limits_of(job->function);
    double days = job->days, split = (double)c->divergent_branches, operations = (double)c->float_operations;
    double passes = (double)(c->shared_load_wavefronts + c->shared_store_wavefronts);
    if (passes > limits.passes * days + 8 * over) {
        judge_fail("access_limit",
                   "the result is right, but shared memory took %.1f wavefronts for each 32 elements (limit %.0f).\n   "
                   "       Which banks do the 32 lanes access at the same time?",
                   passes / days, limits.passes);
    }
    if (split > 0.3 * days + (job->function == &peaks || job->function == &process ? over : over / 8)) {
        judge_fail("access_limit",
                   "the result is right, but at %.2f branches for each 32 elements the lanes of a warp went both "
                   "ways (limit 0.3).\n          Which branch is it, and must it be one?",
                   split / days);
    }
    if (operations > limits.operations * days * HOURS + 1024 * over) {
        judge_fail("access_limit",
                   "the result is right, but there were %.0f floating-point operations for each element (limit %.0f).\n"
                   "          Does every lane compute one curve, or both?",
                   operations / days / HOURS, limits.operations);
    }
}

/* Warps among which the reading of x is divided: those that read it, as far as none has more than its share. */
static double reading_warps(const struct launch *l) {
    double even =
        l->most_input_bytes ? (double)l->input_bytes / (double)l->input_blocks / (double)l->most_input_bytes : 0;
    return (double)l->input_threads / 32 * even;
}

static const struct launch *main_reader(const struct result *r) {
    const struct launch *most = &r->answer.launch[0];
    for (const struct launch &l : r->launches) {
        most = l.input_bytes > most->input_bytes ? &l : most;
    }
    return most;
}

/* Bytes on their way to a multiprocessor of an H200: warps that it holds, loads that wait for nobody, bytes of a load. Of a small table not so many
 * bytes can be: then there are to be enough warps. */
static void judge_in_flight(const struct one *job, const struct result *r) {
    const struct emulatorCounters *c = &r->answer.counters;
    const double multiprocessors = 132, held = 64, enough = 6800;
    double warps = reading_warps(main_reader(r)), loads = fmax(1, (double)c->global_load_requests);
    double bytes = 32.0 * (double)c->global_load_sectors / loads, at_once = (double)c->global_loads_together / loads;
    double flight = fmin(held, ceil(warps / multiprocessors)) * bytes * at_once;
    if (job->days < LARGE && warps < job->days / 128) {
        judge_fail("access_limit", "the result is right, but no more than %.0f warps share the reading of %d days.",
                   warps, job->days);
    }
    if (job->days >= LARGE && flight < enough) {
        judge_fail("access_limit",
                   "the result is right, but at most %.1f kB are in flight on an SM: %.0f warp%s with %.1f loads of "
                   "%.0f bytes (at least %.1f kB).\n          More blocks? Does each block read its share? More loads "
                   "before the first value is used?",
                   flight / 1e3, fmin(held, ceil(warps / multiprocessors)), warps > multiprocessors ? "s" : "", at_once,
                   bytes, enough / 1e3);
    }
    if (job->days >= LARGE) {
        judge_note("%.1f kB in flight on an SM (at least %.1f)", flight / 1e3, enough / 1e3);
    }
}

/* peaks: with one atomic for each thread the blocks would wait for each other. */
static void judge_atomics(const struct one *job, const struct result *r, double over) {
    double atomics = (double)r->answer.counters.global_atomic_requests, most = 0.75 * job->days + 16 + over / 8;
    if (atomics > most) {
        judge_fail("access_limit", "the result is right, but there were %.0f atomics for %d days (at most %.0f).",
                   atomics, job->days, most);
    }
}

/* Asked of every run on the emulator. */
static void judge_limits(const struct one *job, const struct result *r, struct handle x) {
    double over = job->days >= LARGE ? 64 : 8 * (1 + blocks_launched(r));
    if (job->days == 0) {
        return;
    }
    judge_reads(r, x, {0.99, 1000}, "Every price counts.");
    if (job->function == &peaks) {
        judge_atomics(job, r, over);
    }
    judge_warps(job, r, over);
    judge_moved(job, r, over);
    if (job->function == &peaks) {
        judge_in_flight(job, r);
    }
}

static void counted(const struct function *function, int days, uint64_t seed) {
    const struct one job = {function, days, seed, false, function == &process};
    struct run run = make_run(&job, true);
    doing(&job, "");
    judge_count(&run.call);
    if (function == &process) {
        judge_show(&run.call, 4); /* a host that waits shows when it does so again and again */
    }
    struct result r = look(&run, days);
    const struct emulatorCounters *c = &r.answer.counters;
    double n = (double)days * HOURS;
    if (function != &peaks && days >= LARGE) {
        judge_note("read %.2f, written %.2f floats for each; %.1f passes, %.3f splits for 32 of them; %.1f operations",
                   judge_sectors_read(c) * 8 / n, (double)c->global_store_sectors * 8 / n,
                   (double)(c->shared_load_wavefronts + c->shared_store_wavefronts) / days,
                   (double)c->divergent_branches / days, (double)c->float_operations / n);
    }
}

static void timed(const struct function *function) {
    const struct one job = {function, MANY_DAYS_GPU, 81, false, function == &process};
    struct run run = make_run(&job);
    doing(&job, ", interleaved with a copy");
    judge_time(&run.call, judge_draw(9, 15), (size_t)MANY_DAYS_GPU * HOURS * sizeof(float));
    struct result r = look(&run, MANY_DAYS_GPU);
    double copies = r.answer.call_ms / r.answer.copy_ms, most = limits_of(function).copies;
    if (copies > most) {
        judge_fail("access_limit", "the result is right, but it takes as long as %.1f copies of x (at most %.1f).",
                   copies, most);
    }
    judge_note("as long as %.2f copies of x (at most %.1f)", copies, most);
}

static void thrifty(const struct function *function) {
    if (judge_on_emulator()) {
        for (int days : {(int)MANY_DAYS, 257, 1000, 4000}) {
            counted(function, days, 71);
        }
    } else {
        timed(function);
    }
}

// ---------------------------------------------------------------- the checks

#define PART(name)                                                                                                     \
    static void name##_right(void) {                                                                                   \
        right(&name);                                                                                                  \
    }                                                                                                                  \
    static void name##_refused(void) {                                                                                 \
        refused(&name);                                                                                                \
    }                                                                                                                  \
    static void name##_busy(void) {                                                                                    \
        busy(&name);                                                                                                   \
    }                                                                                                                  \
    static void name##_thrifty(void) {                                                                                 \
        thrifty(&name);                                                                                                \
    }
PART(center)
PART(running)
PART(bend)
PART(peaks)
PART(process)

static void again(void) {
    static const struct function *const all[] = {&center, &running, &bend, &peaks, &process};
    for (int f = 0; f < 5; f++) {
        const struct one job = {all[f], judge_draw(1, 3000), (uint64_t)judge_draw(100, 1000000), judge_draw(0, 1) == 1,
                                false};
        struct run run = make_run(&job);
        doing(&job, "");
        look(&run, job.days);
        if (judge_on_emulator()) {
            counted(all[f], judge_draw(400, 14000), (uint64_t)judge_draw(100, 1000000));
            counted(all[f], judge_draw(15000, 23000), (uint64_t)judge_draw(100, 1000000));
        }
    }
}

#define CHECKS(name, limit)                                                                                            \
    {#name, #name " is right: 1000 1 31 33 0 1025 130 257 days", name##_right, EVERYWHERE},                            \
        {#name, #name ": " limit, name##_thrifty, EVERYWHERE},                                                         \
        {#name, #name " reports a failed launch", name##_refused, EVERYWHERE}, {                                       \
#name, #name " returns without waiting", name##_busy, EVERYWHERE                                               \
    }

int main(int argc, char **argv) {
    static const struct check checks[] = {
        CHECKS(center, "memory is coalesced"),
        CHECKS(running, "lanes do not conflict in a bank"),
        CHECKS(bend, "warps do not diverge"),
        CHECKS(peaks, "enough bytes are in flight"),
        CHECKS(process, "no more is moved than by its parts"),
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "25", {&center, &running, &bend, &peaks, &process}, checks,
                      sizeof checks / sizeof checks[0]);
}
