/* Grader of exercise 11, a step of a radix sort: split, as lessons/lesson11_scan/exercise.cu describes it.
 *
 * Every share of zeros, bits from 0 to 31, many sizes and seeds, zeros and ones in runs, addresses that are not aligned, words with anything
 * in them and with what the call before has left, the input unharmed, a stream of the caller's, no waiting, a launch that fails, and, on
 * the emulator, reads, atomics, instructions and threads.
 *
 * All elements of an input are different, so an element that is in the wrong place can be recognised. */
#include <algorithm>

#include "common/grader.h"

static const struct function split =
    FUNCTION(void, split, const unsigned *, unsigned *, int, int, unsigned long long *, cudaStream_t);

enum { TILE = 2048, LONGEST = 1 << 20 };

// ---------------------------------------------------------------- inputs

/* `share`: percent of the elements whose bit is 0. In RUNS zeros and ones stand together, for 3000 elements on average. */
enum kind { MIXED, RUNS };
/* What the call finds in its words: 0xFF in each byte, or what the last call in the same process has left there. */
enum found { ANYTHING, LEFT };

struct work {
    int n, share, bit;
    uint64_t seed;
    enum kind kind;
    enum found found;
    int offset; /* of x and y, in elements */
    bool own_stream;
};

struct elements {
    std::vector<unsigned> x, y;
    std::vector<int> from; /* where y[k] was in x */
    int zeros;
};

/* The index, in the bits around the one that counts: all elements differ, and the lowest 31 - bit and highest bits say nothing. */
static unsigned element(unsigned index, int bit, unsigned one) {
    unsigned spread = index * 2654435761u & 0x7fffffffu; /* odd, so no two indices below 2^31 give the same */
    unsigned low = bit == 0 ? 0 : spread & ((1u << bit) - 1), high = bit == 31 ? 0 : spread >> bit << (bit + 1);
    return high | one << bit | low;
}

static std::vector<unsigned> make_input(const struct work *w) {
    std::vector<float> dice(w->n);
    std::vector<unsigned> x(w->n);
    unsigned one = 0;
    verify_random(dice.data(), w->n, 0.0f, 100.0f, w->seed);
    for (int i = 0; i < w->n; i++) {
        bool again = w->kind == MIXED || i == 0 || fmodf(dice[i] * 64, 1.0f) < 1 / 3000.0f;
        one = again ? dice[i] >= w->share : one;
        x[i] = element(i, w->bit, one);
    }
    return x;
}

static struct elements make_elements(const struct work *w) {
    struct elements e = {make_input(w), {}, {}, 0};
    for (unsigned one = 0; one < 2; one++) {
        for (int i = 0; i < w->n; i++) {
            if ((e.x[i] >> w->bit & 1) == one) {
                e.y.push_back(e.x[i]);
                e.from.push_back(i);
            }
        }
        e.zeros = one ? e.zeros : (int)e.y.size();
    }
    return e;
}

// ---------------------------------------------------------------- one call

/* True if all races that the emulator has reported are between two writes to y. */
static bool only_in_y(const std::string &printed) {
    size_t races = 0, in_y = 0;
    for (size_t at = 0; (at = printed.find("Race reported between", at)) != std::string::npos; at++) {
        size_t next = printed.find("Race reported between", at + 1);
        std::string report = printed.substr(at, next == std::string::npos ? next : next - at);
        bool second =
            report.find("of argument 2 ") != std::string::npos || report.find("(argument 2,") != std::string::npos;
        bool writes = report.find("between Write access") != std::string::npos &&
                      report.find("and Write access") != std::string::npos &&
                      report.find("copy or fill of the host") == std::string::npos;
        races++;
        in_y += second && writes;
    }
    return races > 0 && in_y == races;
}

/* Two threads that write the same place are a race. But what is wrong is the place, and no barrier is missing. */
static void judge_places(const struct result *r) {
    if (only_in_y(r->printed)) {
        judge_fail(
            "wrong_result",
            "elements were given the same place in y; which threads they are is reported above.%s\n          A zero "
            "goes where as many zeros are before it: those of the tiles, of the warps, of the rows and of\n          "
            "the lanes before. A one goes behind all zeros and the ones before it.",
            judge_launch_text(r).c_str());
    }
}

static struct call make_call(const struct work *w, const struct elements *e, struct handle *y) {
    static const std::vector<unsigned char> anything((LONGEST / TILE + 3) * 8, 0xff);
    struct place place = {w->offset * sizeof(unsigned), 0};
    size_t bytes = e->x.size() * sizeof(unsigned);
    struct call c = judge_call(&split);
    c.advice = "A zero goes where as many zeros are before it; a one goes behind all zeros and the ones before it.";
    c.at_race = judge_places;
    struct handle x = judge_input(&c, "x", e->x.data(), bytes, place);
    *y = judge_output(&c, "y", bytes, place);
    struct handle words = judge_kept(&c, "words", w->found == ANYTHING ? anything.data() : NULL, anything.size());
    judge_pass(&c, x, *y, w->n, w->bit, words, STREAM);
    if (w->own_stream) {
        judge_own_stream(&c);
    }
    return c;
}

// ---------------------------------------------------------------- what came out of it

static std::string place_text(int i) {
    return judge_print("x[%d], lane %d of row %d of warp %d in tile %d", i, i % 32, i % 256 / 32, i % TILE / 256,
                       i / TILE);
}

static std::string remark(const struct work *w, const struct elements *e, const unsigned *found, int bad) {
    std::string belongs = "Here belongs " + place_text(e->from[bad]);
    if (verify_is_poison_word(found[bad])) {
        return belongs + "; nothing was written here.";
    }
    auto at = std::find(e->x.begin(), e->x.end(), found[bad]);
    if (at == e->x.end()) {
        return belongs + "; what is here is no element of x.";
    }
    bool one = found[bad] >> w->bit & 1, should = bad >= e->zeros;
    std::string text = belongs + "; here is " + place_text((int)(at - e->x.begin()));
    if (one != should) {
        return text +
               judge_print(".\n          Its bit is %d, and the %d elements with a 0 come first.", one, e->zeros);
    }
    return text + ".\n          The bit is right, the order is not.";
}

/* The verdict for what was never written is stale_output only if nothing else is wrong there: a gap is a wrong place. */
static void judge(const struct work *w, const struct result *r, const struct elements *e, struct handle y) {
    const unsigned *found = judge_content<unsigned>(r, y);
    int n = w->n, bad = 0;
    while (bad < n && found[bad] == e->y[bad]) {
        bad++;
    }
    if (bad < n) {
        if (r->answer.launches == 0) {
            judge_fail("not_implemented", "no kernel was launched.");
        }
        bool gap = verify_is_poison_word(found[bad]);
        for (int k = 0; k < n && gap; k++) {
            gap = verify_is_poison_word(found[k]) || found[k] == e->y[k];
        }
        judge_fail(gap ? "stale_output" : "wrong_result", "y[%d]: expected 0x%08x, found 0x%08x.\n          %s%s", bad,
                   e->y[bad], found[bad], remark(w, e, found, bad).c_str(), judge_launch_text(r).c_str());
    }
    judge_rest(r);
}

static void describe(const struct work *w, const char *what = "") {
    judge_doing("split, n = %d, bit %d, 0 in %d %%%s, seed %llu%s%s%s", w->n, w->bit, w->share,
                w->kind == RUNS ? ", in runs" : "", (unsigned long long)w->seed,
                w->offset ? ", x and y not 16-byte aligned" : "", w->own_stream ? ", in a stream" : "", what);
}

static struct result run(struct work w, bool counted = false) {
    struct handle y;
    describe(&w, w.found == LEFT ? ", words as the last call left them" : "");
    struct elements e = make_elements(&w);
    struct call c = make_call(&w, &e, &y);
    if (counted) {
        judge_count(&c);
    } else {
        judge_mix(&c);
    }
    struct result r = judge_run(&c);
    judge(&w, &r, &e, y);
    return r;
}

// ---------------------------------------------------------------- the checks

/* The shortest first: with 33 elements two rows are wrong together, with 257 two warps. Where tiles are wrong together depends on who comes
 * first; with 256 tiles it shows, also that they look back further than 32 tiles. */
static void random_input(void) {
    static const int sizes[] = {31, 1, 32, 33, 256, 257, 0, 1000, 2047, 2048}, longer[] = {100003, 2049, 6145};
    static const int shares[] = {50, 100, 0, 3, 97}, bits[] = {0, 31, 7, 16, 1};
    for (int s = 0; s < 10; s++) {
        for (int k = 0; k < 4; k++) {
            run({sizes[s], shares[(s + k) % 5], bits[(s + 2 * k) % 5], (uint64_t)(s + 20 * k + 1)});
        }
    }
    run({LONGEST / 2 - 5, 100, 3, 100});
    for (int s = 0; s < 3; s++) {
        run({longer[s], 100, bits[s], (uint64_t)(101 + s)});
        run({longer[s], 50, bits[s + 2], (uint64_t)(111 + s)});
    }
}

/* The same words again and again, with more tiles and with fewer. */
static void words_again(void) {
    run({40000, 50, 3, 61});
    run({70003, 30, 5, 62, MIXED, LEFT});
    run({20000, 70, 9, 63, RUNS, LEFT});
    run({20000, 20, 9, 64, RUNS, LEFT});
}

static void contract(void) {
    run({120001, 50, 30, 71, RUNS});
    run({70003, 50, 12, 72, MIXED, ANYTHING, 1});
    run({70001, 40, 2, 73, RUNS, ANYTHING, 3});
    run({5000, 60, 24, 74, MIXED, LEFT, 0, true});
}

static void refused(void) {
    struct work w = {200, 50, 4, 81};
    struct handle y;
    describe(&w, ", and its launch fails");
    struct elements e = make_elements(&w);
    judge_refused_launch(make_call(&w, &e, &y));
}

static void busy(void) {
    struct work w = {1000, 50, 6, 82, MIXED, ANYTHING, 0, true};
    struct handle y;
    run(w);
    describe(&w, " that is busy");
    struct elements e = make_elements(&w);
    judge_busy_stream(make_call(&w, &e, &y));
}

static unsigned long long most_threads(const struct result *r) {
    unsigned long long threads = 0;
    for (unsigned l = 0; l < r->answer.launches && l < LAUNCHES_MAX; l++) {
        const struct launch *a = &r->answer.launch[l];
        unsigned long long blocks = (unsigned long long)a->grid[0] * a->grid[1] * a->grid[2];
        threads = std::max(threads, blocks * a->block[0] * a->block[1] * a->block[2]);
    }
    return threads;
}

/* What the warps did to a long array: no queue of atomics, and many threads. */
static void judge_parallel(const struct result *r, int n) {
    const struct emulatorCounters *k = &r->answer.counters;
    unsigned long long atomics = k->global_atomic_requests + k->shared_atomic_requests, threads = most_threads(r);
    if (threads < 4096) {
        judge_fail("access_limit",
                   "the result is right, but %llu threads did all the work for %d elements.%s\n          Give each "
                   "block a tile, and let the tiles be worked on at the same time.",
                   threads, n, judge_launch_text(r).c_str());
    }
    if (atomics > (unsigned long long)n / 256) {
        judge_fail("access_limit",
                   "the result is right, but %llu warps executed an atomic for %d elements (limit: one for 256).\n"
                   "          A ballot counts the lanes of a warp, and a scan the warps of a block, without any.",
                   atomics, n);
    }
}

/* To a single tile, where nobody waits for others, so that the numbers are the same each time: each element read at most twice and at
 * least once, and whole warps at work. */
static void judge_economy(const struct result *r, int n) {
    const double most_read = 2.6, most_instructions = 250;
    const struct emulatorCounters *k = &r->answer.counters;
    double needed = n / 8.0, read = judge_sectors_read(k) / needed, each = k->warp_instructions / (n / 32.0);
    if (read > most_read || read < 0.99) {
        judge_fail(read > most_read ? "access_limit" : "wrong_result",
                   "the result is right, but %.0f sectors of 32 bytes were read where %.0f hold the elements.\n"
                   "          Read each element once to count and once to write, neighbouring threads neighbours.",
                   read * needed, needed);
    }
    if (each > most_instructions) {
        judge_fail("access_limit",
                   "the result is right, but a warp needed %.0f instructions for 32 elements (limit %.0f).\n"
                   "          One ballot tells a lane how many zeros are before it; five steps add up the warps.",
                   each, most_instructions);
    }
    judge_note("in one tile: elements read %.2f times, %.0f instructions for 32 of them; limits: %.1f, %.0f", read,
               each, most_read, most_instructions);
}

static void thrifty(void) {
    struct work w = {110007, 50, 10, 91};
    struct result r = run(w, true);
    judge_parallel(&r, w.n);
    w.n = TILE;
    r = run(w, true);
    judge_economy(&r, w.n);
}

static void again(void) {
    run({judge_draw(1, 3000), judge_draw(1, 99), judge_draw(0, 31), (uint64_t)judge_draw(100, 1000000), MIXED, ANYTHING,
         judge_draw(0, 3)});
    run({judge_draw(3000, 100000), judge_draw(1, 99), judge_draw(0, 31), (uint64_t)judge_draw(100, 1000000), RUNS, LEFT,
         0, true});
    struct work w = {judge_draw(80000, 130000), judge_draw(1, 99), judge_draw(0, 31),
                     (uint64_t)judge_draw(100, 1000000)};
    struct result r = run(w, judge_on_emulator());
    if (judge_on_emulator()) {
        judge_parallel(&r, w.n);
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"split", "0, 3, 50, 97 and 100 % zeros, n = 0 1 31 32 33 256 257 1000 2047 2048 2049 6145 100003 524283",
         random_input, EVERYWHERE},
        {"split", "words as the last call left them", words_again, EVERYWHERE},
        {"split", "runs, any address, in a stream", contract, EVERYWHERE},
        {"split", "a launch that fails is told", refused, EVERYWHERE},
        {"split", "it returns without waiting", busy, EVERYWHERE},
        {"split", "reads, atomics, instructions, threads", thrifty, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    setenv("EMULATOR_RESIDENT", "64",
           1); // fewer blocks than the device holds: a tile must not wait for one that begins later
    return judge_main(argc, argv, "11", {&split}, checks, sizeof checks / sizeof checks[0]);
}
