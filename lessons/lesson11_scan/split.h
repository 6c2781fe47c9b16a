/* split.h - what the graders of exercises 11 and 11b share: the judgement of a radix sort's step, `split`.
 *
 * Every share of zeros, bits from 0 to 31, many sizes and seeds, zeros and ones in runs, addresses that are not aligned, memory with arbitrary
 * contents and with what the last call has left there, the input unharmed, the caller's stream, no waiting, a launch that fails, and, on the
 * emulator, reads, atomics, instructions and threads.
 *
 * All elements of an input are different, so an element in a wrong place can be recognised. tools/grading/grader.h is included before. */
#ifndef LESSONS_LESSON11_SCAN_SPLIT_H
#define LESSONS_LESSON11_SCAN_SPLIT_H

#include <algorithm>

enum { TILE = 2048, LONGEST = 1 << 20 };

/* What exercises 11 and 11b differ in. */
struct split_task {
    const char *number;           /* of the exercise */
    const struct function *split; /* its function: x, y, n, bit, memory, stream */
    const char *memory;           /* the name of that argument, and its size for LONGEST elements */
    size_t bytes;
    int first_step, longest; /* the most elements in the first check, and in the second one */
    const char *advice, *timeout_advice;
};
static struct split_task task;

// ---------------------------------------------------------------- inputs

/* `share`: percent of the elements whose bit is 0. In RUNS zeros and ones stand together, for 3000 elements on average. */
enum kind { MIXED, RUNS };
/* What the call finds in its memory: 0xFF in each byte, or what the last call in the same process has left there. */
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
                      report.find("and Write access at") != std::string::npos; // not by a copy
        races++;
        in_y += second && writes;
    }
    return races > 0 && in_y == races;
}

/* Two threads that write the same place are a race. But what is wrong is the place, and no barrier is missing. */
static void judge_places(const struct result *r) {
    if (only_in_y(r->printed)) {
        judge_fail("wrong_result",
                   "elements were assigned the same position in y; the threads are reported above.%s\n          A "
                   "zero's position is the number of zeros before it: those of earlier tiles, warps, rows and\n        "
                   "  lanes. A one's is the number of all zeros plus the ones before it.",
                   judge_launch_text(r).c_str());
    }
}

// ---------------------------------------------------------------- what it may take

/* Limits for every shape. What polls, a look-back or a grid's barrier, works on other memory than x, and as long as it has to: its loads and the
 * instructions around them are not counted. */
enum {
    LONG = 65536,
    THREADS = 4096,
    OWN = 40000 /* instructions that do not depend on n */,
    BARRIERS = 2048,
    POLL = 20
};

static void judge_instructions(const struct result *r, int n) {
    const double limit = 250, rows = (n + 31) / 32;
    const struct answer *a = &r->answer;
    double polls = (double)a->elsewhere.poll_requests;
    for (unsigned i = 0; i < r->call.arrays.size(); i++) {
        polls += r->call.job.array[i].input ? 0 : (double)a->array[i].counted.poll_requests;
    }
    double executed = (double)a->counters.warp_instructions - POLL * polls;
    if (executed > limit * rows + OWN) {
        judge_fail("access_limit",
                   "the result is right, but a warp needed %.0f instructions for 32 elements (limit %.0f).%s\n"
                   "          One ballot gives a lane the number of zeros before it; five steps add up the warps.",
                   executed / rows, limit + OWN / rows, judge_launch_text(r).c_str());
    }
}

static void judge_economy(const struct result *r, const struct work *w, struct handle x) {
    const struct emulatorCounters *k = &r->answer.counters;
    const char *advice = "Read each element once to count and once to write, neighbouring threads neighbours.";
    unsigned long long atomics = k->global_atomic_requests + k->shared_atomic_requests, most = w->n / 256 + BARRIERS;
    double times = w->n ? judge_bytes_read_of(r, x) / sizeof(unsigned) / w->n : 0;
    if (times > 2.05) {
        judge_fail("access_limit",
                   "the result is right, but each element of x was read %.1f times (limit: 2).%s\n          %s", times,
                   judge_launch_text(r).c_str(), advice);
    }
    /* who reads only once may give a thread a few neighbours, whose sectors its warp reads again and again */
    judge_reads(r, x, {0.99, times < 1.05 ? 12 : w->offset % 8 ? 2.7 : 2.2}, advice);
    if (atomics > most) {
        judge_fail("access_limit",
                   "the result is right, but %llu warps executed an atomic for %d elements (limit: one for 256, and "
                   "%d).\n          A ballot counts the lanes of a warp, and a scan the warps of a block, without any.",
                   atomics, w->n, BARRIERS);
    }
    judge_instructions(r, w->n);
    if (w->n >= LONG) {
        judge_shared(r, THREADS, "Assign a tile to each block, so that the tiles are processed in parallel.");
    }
    judge_note("elements read %.2f times, %.0f instructions for 32 of them; limits: 2 and 250", times,
               w->n ? (double)k->warp_instructions * 32 / w->n : 0);
}

static struct call make_call(const struct work *w, const struct elements *e, struct handle *y) {
    const std::vector<unsigned char> anything(task.bytes, 0xff);
    struct place place = {w->offset * sizeof(unsigned), 0};
    size_t bytes = e->x.size() * sizeof(unsigned);
    struct call c = judge_call(task.split);
    c.advice = task.advice;
    c.at_race = judge_places;
    c.frees = true;
    c.timeout_advice = task.timeout_advice;
    struct handle x = judge_input(&c, "x", e->x.data(), bytes, place);
    *y = judge_output(&c, "y", bytes, place);
    struct handle memory = judge_kept(&c, task.memory, w->found == ANYTHING ? anything.data() : NULL, anything.size());
    const struct work asked = *w;
    c.limits = [=](const struct result *r) { judge_economy(r, &asked, x); };
    judge_pass(&c, x, *y, w->n, w->bit, memory, STREAM);
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
        return belongs + "; the value here is not an element of x.";
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

static void run(struct work w) {
    struct handle y;
    std::string left = judge_print(", %s as the last call left them", task.memory);
    describe(&w, w.found == LEFT ? left.c_str() : "");
    struct elements e = make_elements(&w);
    struct call c = make_call(&w, &e, &y);
    judge_mix(&c);
    struct result r = judge_run(&c);
    judge(&w, &r, &e, y);
}

// ---------------------------------------------------------------- the checks

/* So few elements that the first step of the exercise is enough. */
static void first_step(void) {
    static const int sizes[] = {31, 1, 32, 33, 200, 256, 0, 1000, 2047, 2048};
    for (int s = 0; s < 10 && sizes[s] <= task.first_step; s++) {
        run({sizes[s], s == 1 ? 100 : 50, 3 * s, (uint64_t)(s + 1)});
    }
}

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
    run({task.longest, 100, 3, 100});
    for (int s = 0; s < 3; s++) {
        run({longer[s], 100, bits[s], (uint64_t)(101 + s)});
        run({longer[s], 50, bits[s + 2], (uint64_t)(111 + s)});
    }
}

/* The same memory again and again, with more tiles and with fewer. */
static void memory_again(void) {
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

/* Here the limits of all calls are judged, and of a long one and a single tile. */
static void thrifty(void) {
    run({110007, 50, 10, 91});
    run({TILE, 50, 10, 91});
}

static void again(void) {
    run({judge_draw(1, 3000), judge_draw(1, 99), judge_draw(0, 31), (uint64_t)judge_draw(100, 1000000), MIXED, ANYTHING,
         judge_draw(0, 3)});
    run({judge_draw(3000, 100000), judge_draw(1, 99), judge_draw(0, 31), (uint64_t)judge_draw(100, 1000000), RUNS, LEFT,
         0, true});
    struct work w = {judge_draw(80000, 130000), judge_draw(1, 99), judge_draw(0, 31),
                     (uint64_t)judge_draw(100, 1000000)};
    run(w);
}

/* The checks of the exercise; `few`, `sizes` and `left` are the names of three of them. */
static int split_main(int argc, char **argv, const struct split_task *asked, const char *few, const char *sizes,
                      const char *left) {
    task = *asked;
    const struct check checks[] = {
        {"split", few, first_step, EVERYWHERE},
        {"split", sizes, random_input, EVERYWHERE},
        {"split", left, memory_again, EVERYWHERE},
        {"split", "runs, any address, in a stream", contract, EVERYWHERE},
        {"split", "a failed launch is reported", refused, EVERYWHERE},
        {"split", "it returns without waiting", busy, EVERYWHERE},
        {"split", "reads, atomics, instructions, threads", thrifty, ON_EMULATOR, LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, task.number, {task.split}, checks, sizeof checks / sizeof checks[0]);
}

#endif
