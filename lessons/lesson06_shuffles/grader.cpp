/* Grader of exercise 06, compaction in order: compact, as lessons/lesson06_shuffles/exercise.cu describes it.
 *
 * Every share of wanted elements, many sizes and seeds, runs of wanted ones, NaN and limits that are met exactly, an address that is not
 * aligned, nothing written past the last one, the input unharmed, a stream of the caller's, no waiting, a launch that fails, and, on the
 * emulator, reads, atomics, instructions and threads.
 *
 * All elements of an input are different, so an element that is in the wrong place can be recognised. */
#include <algorithm>
#include <math.h>

#include "common/grader.h"

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
};

static const float low = 1.0f, high = 2.0f;

struct elements {
    std::vector<float> x, kept;
    std::vector<int> from; /* where kept[k] was in x */
    int count;
};

/* Wanted: 1 to 2, and different for each index below 2^22; the others 3 to 4, or -1 to -2. */
static float element(int i, bool wanted, bool below) {
    float fraction = (float)(i % (1 << 22)) / (1 << 22);
    return wanted ? 1.0f + fraction : below ? -1.0f - fraction : 3.0f + fraction;
}

static std::vector<float> make_input(const struct work *w) {
    static const float special[] = {NAN, 1.0f, INFINITY, 2.0f, -INFINITY, 0.0f};
    std::vector<float> x(w->n), dice(w->n);
    bool wanted = false;
    verify_random(dice.data(), w->n, 0.0f, 100.0f, w->seed);
    for (int i = 0; i < w->n; i++) {
        bool again = w->kind != RUNS || i == 0 || fmodf(dice[i] * 64, 1.0f) < 1 / 200.0f;
        wanted = again ? dice[i] < w->share : wanted;
        x[i] = element(i, wanted, dice[i] * 8 - floorf(dice[i] * 8) < 0.5f);
        x[i] = w->kind == SPECIAL && i % 3 == 1 ? special[i / 3 % 6] : x[i];
    }
    return x;
}

static struct elements make_elements(const struct work *w) {
    struct elements e = {make_input(w), {}, {}, 0};
    for (int i = 0; i < w->n; i++) {
        if (low <= e.x[i] && e.x[i] < high) {
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
                       "elements were given the same place in y; which threads they are is reported above.\n"
                       "          %s, belongs to place %zu, and is nowhere now.\n          A place is start, what the "
                       "warps before keep, and what the lanes before keep. Which of the three is wrong?",
                       place_text(e->from[k]).c_str(), k);
        }
    }
    judge_fail("race",
               "elements are right, but several threads write the same place in y; which they are is reported above.\n"
               "          Does a lane write whose element is not wanted?");
}

/* Behind the elements that are kept, y has the rest of its n floats, which are not the function's business. */
static struct call make_call(const struct work *w, const struct elements *e, struct arrays *a) {
    static const int zeros[BLOCKS_MAX] = {0};
    struct call c = judge_call(&compact);
    c.advice =
        "A place in y is start, and what the warps before and the lanes before keep: which of the three is too large?";
    struct handle x = judge_input(&c, "x", e->x.data(), e->x.size() * sizeof(float), {w->offset * sizeof(float), 0});
    a->y = judge_output(&c, "y", e->kept.size() * sizeof(float), {0, (e->x.size() - e->kept.size()) * sizeof(float)});
    a->count = judge_output(&c, "count", sizeof(int));
    struct handle starts = judge_kept(&c, "starts", w->zeroed ? zeros : NULL, sizeof zeros);
    struct handle y = a->y;
    c.at_race = [e, y](const struct result *r) { judge_places(r, e, y); };
    judge_pass(&c, x, w->n, low, high, a->y, a->count, starts, STREAM);
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
    if (isnan(found[bad]) || found[bad] < low || found[bad] >= high) {
        return "that element is not wanted: who writes? And is NaN within the limits?";
    }
    std::vector<float> sorted(found, found + e->count);
    std::vector<float> kept = e->kept;
    std::sort(sorted.begin(), sorted.end());
    std::sort(kept.begin(), kept.end());
    if (sorted == kept) {
        return "all wanted elements are there, but not in their order: " + belongs;
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

/* Every bit counts. */
static void judge(const struct result *r, const struct elements *e, const struct arrays *a) {
    const float *found = judge_content<float>(r, a->y);
    for (int k = 0; k < e->count; k++) {
        if (!verify_same(found[k], e->kept[k])) {
            judge_reject(r, found, e->kept.data(), e->kept.size(), k, remark(e, found, k), NOBODY_KNOWS);
        }
    }
    judge_count_of(r, e, a->count);
    judge_rest(r);
}

static void describe(const struct work *w, const char *what = "") {
    judge_doing("compact, n = %d, %d %% wanted%s, seed %llu%s%s%s", w->n, w->share, kinds[w->kind],
                (unsigned long long)w->seed, w->offset ? ", x not 16-byte aligned" : "",
                w->own_stream ? ", in a stream" : "", what);
}

static struct result run(struct work w, bool counted = false) {
    struct arrays a;
    describe(&w);
    struct elements e = make_elements(&w);
    struct call c = make_call(&w, &e, &a);
    if (counted) {
        judge_count(&c);
    }
    struct result r = judge_run(&c);
    judge(&r, &e, &a);
    return r;
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

/* What the warps did: each element read at most twice and at least once, no queue of atomics, whole warps at work, and many of them. */
static void judge_economy(const struct result *r, int n) {
    const double most_read = 2.5, most_instructions = 250;
    const struct emulatorCounters *k = &r->answer.counters;
    double needed = n / 8.0, read = judge_sectors_read(k) / needed, rows = n / 32.0;
    double each = (double)k->warp_instructions / rows;
    unsigned long long atomics = k->global_atomic_requests + k->shared_atomic_requests, threads = 0;
    for (unsigned l = 0; l < r->answer.launches && l < LAUNCHES_MAX; l++) {
        const struct launch *a = &r->answer.launch[l];
        unsigned long long blocks = (unsigned long long)a->grid[0] * a->grid[1] * a->grid[2];
        threads = std::max(threads, blocks * a->block[0] * a->block[1] * a->block[2]);
    }
    if (threads < 4096) {
        judge_fail("access_limit",
                   "the result is right, but %llu threads did all the work for %d elements.%s\n          Give each "
                   "block a piece, and let the pieces be worked on at the same time.",
                   threads, n, judge_launch_text(r).c_str());
    }
    if (atomics > (unsigned long long)n / 256) {
        judge_fail("access_limit",
                   "the result is right, but %llu warps executed an atomic for %d elements (limit: one for 256).\n"
                   "          A ballot counts the lanes of a warp, and a scan the warps of a block, without any.",
                   atomics, n);
    }
    if (read > most_read || read < 0.99) {
        judge_fail(read > most_read ? "access_limit" : "wrong_result",
                   "the result is right, but %.0f sectors of 32 bytes were read where %.0f hold the elements.\n"
                   "          Read each element once to count and once to write, neighbouring threads neighbours.",
                   read * needed, needed);
    }
    if (each > most_instructions) {
        judge_fail("access_limit",
                   "the result is right, but a warp needed %.0f instructions for 32 elements (limit %.0f).\n"
                   "          One ballot tells a lane how many before it keep theirs; five steps add up the warps.",
                   each, most_instructions);
    }
    judge_note("elements read %.2f times, %.0f instructions for 32 of them, %llu atomics; limits: %.1f, %.0f, %d", read,
               each, atomics, most_read, most_instructions, n / 256);
}

static void thrifty(void) {
    struct work w = {300007, 50, 91};
    struct result r = run(w, true);
    judge_economy(&r, w.n);
}

static void again(void) {
    run({judge_draw(1, 3000), judge_draw(1, 99), (uint64_t)judge_draw(100, 1000000), MIXED, judge_draw(0, 3)});
    run({judge_draw(3000, 100000), judge_draw(1, 99), (uint64_t)judge_draw(100, 1000000), SPECIAL, 0, true});
    struct work w = {judge_draw(270000, 600000), judge_draw(1, 99), (uint64_t)judge_draw(100, 1000000), RUNS};
    struct result r = run(w, judge_on_emulator());
    if (judge_on_emulator()) {
        judge_economy(&r, w.n);
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"compact", "0, 3, 50, 97 and 100 % wanted, n = 0 1 31 32 33 195 257 1000 1025 8191 262147", random_input,
         EVERYWHERE},
        {"compact", "n = 530000 and 600011: more tiles than blocks", long_input, EVERYWHERE},
        {"compact", "NaN, infinities, the limits themselves, any address, in a stream", contract, EVERYWHERE},
        {"compact", "a launch that fails is told", refused, EVERYWHERE},
        {"compact", "it returns without waiting", busy, EVERYWHERE},
        {"compact", "reads, atomics, instructions, threads", thrifty, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "06", {&compact}, checks, sizeof checks / sizeof checks[0]);
}
