/* Grader of exercise 06, compaction in order: compact, as lessons/lesson06_shuffles/exercise.cu describes it.
 *
 * Every share of wanted elements, many sizes and seeds, runs of wanted ones, NaN and limits that are met exactly, an address that is not
 * aligned, limits of every kind, nothing written past the last one, the input unharmed, a stream of the caller's, no waiting, a launch that fails, and, on the
 * emulator, in every run, reads, atomics, instructions and threads.
 *
 * All elements of an input are different, so an element that is in the wrong place can be recognised. */
#include <algorithm>
#include <math.h>

#include "tools/grading/grader.h"

static const struct function compact =
    FUNCTION(void, compact, const float *, int, float, float, float *, int *, int *, cudaStream_t);

enum { BLOCKS_MAX = 1024 };

// ---------------------------------------------------------------- inputs

/* `share`: percent that are wanted. In RUNS they stand together, for 200 elements on average; in SPECIAL there are NaN, infinities and
 * the limits themselves. */
enum kind { MIXED, RUNS, SPECIAL };
static const char *const kinds[] = {"", ", in runs", ", NaN, infinities and the limits"};

struct work {
    int n, share;
    uint64_t seed;
    enum kind kind;
    int offset; /* of x, in floats */
    bool own_stream;
    bool zeroed; /* starts */
    float low = 1.0f, high = 2.0f;
};

struct elements {
    std::vector<float> x, kept;
    std::vector<int> from; /* where kept[k] was in x */
    int count;
    float low, high;
};

/* Different for each index below 2^22. Wanted ones lie in a range of one or two above the lower limit, or below the upper one if only that
 * is finite; the others one beyond either limit, if there is anything beyond. Where the limits let nothing through, those that would be wanted
 * lie between them, too. */
static float element(const struct work *w, int i, bool wanted, bool below) {
    float fraction = (float)(i % (1 << 22)) / (1 << 22), least = fminf(w->low, w->high), most = fmaxf(w->low, w->high);
    if (wanted || (isinf(least) && isinf(most))) {
        float span = isinf(least) || isinf(most) ? 1.0f : most - least;
        return (!isinf(least) ? least : !isinf(most) ? most - span : 0.0f) + span * fraction;
    }
    return (below && !isinf(least)) || isinf(most) ? least - 1.0f - fraction : most + 1.0f + fraction;
}

static std::vector<float> make_input(const struct work *w) {
    const float special[] = {NAN, w->low, INFINITY, w->high, -INFINITY, 0.0f};
    std::vector<float> x(w->n), dice(w->n);
    bool wanted = false;
    verify_random(dice.data(), w->n, 0.0f, 100.0f, w->seed);
    for (int i = 0; i < w->n; i++) {
        bool again = w->kind != RUNS || i == 0 || fmodf(dice[i] * 64, 1.0f) < 1 / 200.0f;
        wanted = again ? dice[i] < w->share : wanted;
        x[i] = element(w, i, wanted, dice[i] * 8 - floorf(dice[i] * 8) < 0.5f);
        x[i] = w->kind == SPECIAL && i % 3 == 1 ? special[i / 3 % 6] : x[i];
    }
    return x;
}

static struct elements make_elements(const struct work *w) {
    struct elements e = {make_input(w), {}, {}, 0, w->low, w->high};
    for (int i = 0; i < w->n; i++) {
        if (e.low <= e.x[i] && e.x[i] < e.high) {
            e.kept.push_back(e.x[i]);
            e.from.push_back(i);
        }
    }
    e.count = (int)e.kept.size();
    return e;
}

// ---------------------------------------------------------------- one call

struct arrays {
    struct handle y, count;
};

static std::string place_text(int index) {
    return judge_print("x[%d], lane %d of warp %d of a block of 256", index, index % 32, index % 256 / 32);
}

/* True if all races that the emulator has reported are between two writes to y. */
static bool only_in_y(const std::string &printed) {
    size_t races = 0, in_y = 0;
    for (size_t at = 0; (at = printed.find("Race reported between Write access", at)) != std::string::npos; at++) {
        size_t next = printed.find("Race reported", at + 1);
        std::string report = printed.substr(at, next == std::string::npos ? next : next - at);
        races++;
        // "element 80 of argument 5", or "y[80] (argument 5," where the source says what it is called
        bool fifth =
            report.find("of argument 5 ") != std::string::npos || report.find("(argument 5,") != std::string::npos;
        in_y += fifth && report.find("and Write access") != std::string::npos;
    }
    for (size_t at = 0; (at = printed.find("Race reported between Read", at)) != std::string::npos; at++) {
        races++;
    }
    return races > 0 && in_y == races;
}

/* Two threads that write the same place are a race. But what is wrong is the place, and no barrier is missing. */
static void judge_places(const struct result *r, const struct elements *e, struct handle y) {
    if (!only_in_y(r->printed) || r->contents.size() <= y.array) {
        return;
    }
    const float *found = judge_content<float>(r, y), *end = found + e->kept.size();
    for (size_t k = 0; k < e->kept.size(); k++) {
        if (std::find(found, end, e->kept[k]) == end) {
            judge_fail("wrong_result",
                       "elements were assigned the same position in y; the threads are reported above.\n          %s, "
                       "belongs at position %zu, and is missing from y.\n          A position is start, plus what "
                       "earlier warps keep, plus what earlier lanes keep. Which of the three is wrong?",
                       place_text(e->from[k]).c_str(), k);
        }
    }
    judge_fail("race", "elements are right, but several threads write the same position in y; they are reported "
                       "above.\n          Does a lane write whose element is not selected?");
}

// ---------------------------------------------------------------- what the warps did

/* Limits for every shape. What polls, a grid's barrier or a chain of blocks, works on other memory than x, and as long as it has to: its
 * loads and the instructions around them are not counted. */
static const double most_instructions = 250; /* of a warp, for 32 elements */
enum {
    LONG = 262144,
    THREADS = 4096,
    SCAN = 40000 /* instructions that do not depend on n */,
    BARRIERS = 2048,
    POLL = 20
};

static void judge_instructions(const struct result *r, int n) {
    const struct answer *a = &r->answer;
    double rows = n / 32.0, polls = (double)a->elsewhere.poll_requests;
    for (unsigned i = 0; i < r->call.arrays.size(); i++) {
        polls += r->call.job.array[i].input ? 0 : (double)a->array[i].counted.poll_requests;
    }
    double executed = std::max(0.0, (double)a->counters.warp_instructions - POLL * polls);
    if (executed > most_instructions * rows + SCAN) {
        judge_fail(
            "access_limit",
            "the result is right, but a warp needed %.0f instructions for 32 elements (limit %.0f).%s\n          One "
            "ballot gives a lane the number of earlier lanes that keep theirs; five steps add up the warps.",
            executed / rows, most_instructions + SCAN / rows, judge_launch_text(r).c_str());
    }
}

/* Twice, neighbours by neighbours; where once is enough, a thread may have a few neighbours, whose sector its warp reads again and again. */
static void judge_reading(const struct result *r, const struct work *w, struct handle x) {
    bool nothing = !(w->low < w->high); /* then nobody has to read */
    double each = judge_bytes_read_of(r, x) / sizeof(float) / std::max(1, w->n);
    double most = each < 1.05          ? 12
                  : w->offset % 8 == 0 ? 2.05
                                       : 2.6; /* not aligned, a row of a warp lies in five sectors, not four */
    if (each > 2.05) {
        judge_fail(
            "access_limit",
            "the result is right, but each element of x was read %.1f times (limit: 2).%s\n          Read it once "
            "to count and once to write.",
            each, judge_launch_text(r).c_str());
    }
    judge_reads(r, x, {nothing ? 0 : 0.99, most},
                "Read each element once to count and once to write, neighbouring threads neighbours.");
}

static void judge_economy(const struct result *r, const struct work *w, struct handle x) {
    const struct emulatorCounters *k = &r->answer.counters;
    unsigned long long atomics = k->global_atomic_requests + k->shared_atomic_requests, most = w->n / 256 + BARRIERS;
    if (w->n >= LONG) {
        judge_parallel(r, THREADS, "Assign a piece to each block, so that the pieces are processed in parallel.");
    }
    if (atomics > most) {
        judge_fail("access_limit",
                   "the result is right, but %llu warps executed an atomic for %d elements (limit: one for 256, and "
                   "%d).\n          A ballot counts the lanes of a warp, and a scan the warps of a block, without any.",
                   atomics, w->n, BARRIERS);
    }
    judge_reading(r, w, x);
    judge_instructions(r, w->n);
    judge_note("x read %.2f times, %.0f instructions for 32 elements, %llu atomics; limits: 2, %.0f, %llu",
               judge_bytes_read_of(r, x) / sizeof(float) / std::max(1, w->n),
               (double)k->warp_instructions * 32 / std::max(1, w->n), atomics, most_instructions, most);
}

/* Behind the elements that are kept, y has the rest of its n floats, which are not the function's business. */
static struct call make_call(const struct work *w, const struct elements *e, struct arrays *a) {
    static const int zeros[BLOCKS_MAX] = {0};
    struct call c = judge_call(&compact);
    c.advice =
        "A position in y is start, plus what earlier warps and earlier lanes keep: which of the three is too large?";
    struct handle x = judge_input(&c, "x", e->x.data(), e->x.size() * sizeof(float), {w->offset * sizeof(float), 0});
    a->y = judge_output(&c, "y", e->kept.size() * sizeof(float), {0, (e->x.size() - e->kept.size()) * sizeof(float)});
    a->count = judge_output(&c, "count", sizeof(int));
    struct handle starts = judge_kept(&c, "starts", w->zeroed ? zeros : NULL, sizeof zeros);
    struct handle y = a->y;
    c.at_race = [e, y](const struct result *r) { judge_places(r, e, y); };
    struct work shape = *w;
    c.limits = [=](const struct result *r) { judge_economy(r, &shape, x); };
    judge_pass(&c, x, w->n, w->low, w->high, a->y, a->count, starts, STREAM);
    if (w->own_stream) {
        judge_own_stream(&c);
    }
    return c;
}

// ---------------------------------------------------------------- what came out of it

/* Where in x is this value? -1: nowhere, or it is not wanted. */
static int index_of(const struct elements *e, float value) {
    for (size_t k = 0; k < e->kept.size(); k++) {
        if (verify_same(e->kept[k], value)) {
            return e->from[k];
        }
    }
    return -1;
}

/* A hint for the mistakes that are easy to recognise. */
static std::string remark(const struct elements *e, const float *found, long long bad) {
    std::string belongs = "it belongs to " + place_text(e->from[bad]);
    if (verify_is_poison(found[bad])) {
        return belongs;
    }
    if (isnan(found[bad]) || found[bad] < e->low || found[bad] >= e->high) {
        return "that element is not selected: which thread writes it? And is NaN within the limits?";
    }
    std::vector<float> sorted(found, found + e->count);
    std::vector<float> kept = e->kept;
    std::sort(sorted.begin(), sorted.end());
    std::sort(kept.begin(), kept.end());
    if (sorted == kept) {
        return "all selected elements are present, but not in order: " + belongs;
    }
    int index = index_of(e, found[bad]);
    return index < 0 ? belongs : belongs + "; this one is " + place_text(index);
}

static void judge_count_of(const struct result *r, const struct elements *e, struct handle count) {
    int found = *judge_content<int>(r, count);
    if (found == e->count) {
        return;
    }
    if (verify_is_poison_word((uint32_t)found)) {
        judge_fail("stale_output", "count was never written, expected %d.", e->count);
    }
    judge_fail("wrong_result", "count: expected %d, found %d%s", e->count, found, judge_launch_text(r).c_str());
}

/* Nobody has written this place. Where others were written instead, no thread is missing: a place is wrong. */
static void judge_gap(const struct result *r, const struct elements *e, const float *found, int k) {
    int n = (int)e->x.size(), other = 0;
    while (other < n &&
           (verify_is_poison(found[other]) || (other < e->count && verify_same(found[other], e->kept[other])))) {
        other++;
    }
    if (other < n) {
        int index = index_of(e, found[other]);
        judge_fail("wrong_result",
                   "place %d of y is empty: %s. Place %d has %.9g%s.%s\n          A position is start, plus what "
                   "earlier warps keep, plus what earlier lanes keep. Which of the three is wrong?",
                   k, ("it belongs to " + place_text(e->from[k])).c_str(), other, found[other],
                   index < 0 ? "" : (", which is " + place_text(index)).c_str(), judge_launch_text(r).c_str());
    }
}

/* Every bit counts. */
static void judge(const struct result *r, const struct elements *e, const struct arrays *a) {
    const float *found = judge_content<float>(r, a->y);
    for (int k = 0; k < e->count; k++) {
        if (!verify_same(found[k], e->kept[k])) {
            if (verify_is_poison(found[k])) {
                judge_gap(r, e, found, k);
            }
            judge_reject(r, found, e->kept.data(), e->kept.size(), k, remark(e, found, k), NOBODY_KNOWS);
        }
    }
    judge_count_of(r, e, a->count);
    judge_rest(r);
}

static void describe(const struct work *w, const char *what = "") {
    judge_doing("compact, n = %d, %g <= x < %g, %d %% wanted%s, seed %llu%s%s%s", w->n, w->low, w->high, w->share,
                kinds[w->kind], (unsigned long long)w->seed, w->offset ? ", x not 16-byte aligned" : "",
                w->own_stream ? ", in a stream" : "", what);
}

static void run(struct work w) {
    struct arrays a;
    describe(&w);
    struct elements e = make_elements(&w);
    struct call c = make_call(&w, &e, &a);
    struct result r = judge_run(&c);
    judge(&r, &e, &a);
}

// ---------------------------------------------------------------- the checks

/* The shortest first: with 31 elements a warp is wrong, with 33 the warps together, with 257 the blocks. */
static void random_input(void) {
    static const int sizes[] = {31, 1, 32, 33, 195, 257, 0, 1000, 1025, 8191, 262147}, shares[] = {50, 100, 0, 3, 97};
    for (int s = 0; s < 10; s++) {
        for (int k = 0; k < 5; k++) {
            run({sizes[s], shares[(s + k) % 5], (uint64_t)(s + 10 * k + 1)});
        }
    }
    run({sizes[10], shares[0], 60});
}

/* The limits: with 0 between them, the first below 0; the same twice; in the wrong order; infinite. */
static const struct {
    float low, high;
} limits[] = {{-1.0f, 1.0f},     {0.0f, 0.5f},      {-4.0f, -2.0f},        {1.5f, 1.5f},         {2.0f, 1.0f},
              {-INFINITY, 0.0f}, {0.25f, INFINITY}, {-INFINITY, INFINITY}, {INFINITY, -INFINITY}};
enum { LIMITS = sizeof limits / sizeof limits[0] };

static struct work limited(struct work w, int which) {
    w.low = limits[which].low;
    w.high = limits[which].high;
    return w;
}

static void other_limits(void) {
    for (int k = 0; k < LIMITS; k++) {
        run(limited({k % 2 ? 299 : 1000, 50, (uint64_t)(101 + k), k % 3 ? MIXED : SPECIAL}, k));
    }
    run(limited({40003, 30, 120, SPECIAL}, 0));
}

/* More tiles than blocks, so that a block has several. */
static void long_input(void) {
    run({600011, 50, 61});
    run({600011, 30, 62, RUNS});
    run({530000, 100, 63});
}

static void contract(void) {
    run({1003, 50, 71, SPECIAL});
    run({70003, 50, 72, SPECIAL, 1});
    run({70001, 40, 73, RUNS, 3});
    run({5000, 60, 74, MIXED, 0, true});
}

/* One block and zeros in starts: where count_kernel does not run, nothing that the emulator reports comes of it, so that only the
 * function itself can tell. */
static void refused(void) {
    struct work w = {200, 50, 81, MIXED, 0, false, true};
    struct arrays a;
    describe(&w, ", and its launch fails");
    struct elements e = make_elements(&w);
    judge_refused_launch(make_call(&w, &e, &a));
}

static void busy(void) {
    struct work w = {1000, 50, 82, MIXED, 0, true};
    struct arrays a;
    run(w);
    describe(&w, " that is busy");
    struct elements e = make_elements(&w);
    judge_busy_stream(make_call(&w, &e, &a));
}

static void again(void) {
    uint64_t seed = (uint64_t)judge_draw(100, 1000000);
    run(limited({judge_draw(1, 3000), judge_draw(1, 99), seed, MIXED, judge_draw(0, 3)}, judge_draw(0, LIMITS - 1)));
    run(limited({judge_draw(3000, 100000), judge_draw(1, 99), seed + 1, SPECIAL, 0, true}, judge_draw(0, LIMITS - 1)));
    struct work w = {judge_draw(LONG, 600000), judge_draw(1, 99), seed + 2, RUNS, judge_draw(0, 3)};
    w.low = (float)judge_draw(-3, 3);
    w.high = w.low + 1.0f;
    run(w);
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"compact", "0, 3, 50, 97 and 100 % wanted, n = 0 1 31 32 33 195 257 1000 1025 8191 262147", random_input,
         EVERYWHERE},
        {"compact", "n = 530000 and 600011: more tiles than blocks", long_input, EVERYWHERE},
        {"compact", "limits: 0 between them, below 0, equal, in the wrong order, infinite", other_limits, EVERYWHERE},
        {"compact", "NaN, infinities, the limits themselves, any address, in a stream", contract, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"compact", "it returns without waiting", busy, EVERYWHERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "06", {&compact}, checks, sizeof checks / sizeof checks[0]);
}
