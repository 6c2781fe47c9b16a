/* Grader of exercise 05: fill_forward and two_channels, as lessons/lesson05_warps/exercise.cu describes them.
 *
 * Gaps of all densities, many sizes and seeds, special values, addresses that are not aligned, each array in its own way, elements and words past the end, the
 * input unharmed, a stream of the caller's, no waiting, and, on the emulator, reads, stores and instructions. */
#include <algorithm>
#include <math.h>

#include "tools/grading/grader.h"

static const struct function fill_function =
    FUNCTION(void, fill_forward, const float *, float *, unsigned *, int, cudaStream_t);
static const struct function two_function = FUNCTION(void, two_channels, const float *, float *, int, cudaStream_t);

// ---------------------------------------------------------------- one call of fill_forward

/* `offset`: floats before the arrays; `slack`: elements and words behind the end, which are not the function's business. */
struct work {
    int n, missing; /* percent of the samples */
    uint64_t seed;
    int offset, slack;
    bool special, stream;
};

struct samples {
    std::vector<float> x, expected;
    std::vector<unsigned> words;
};

static std::vector<float> make_input(const struct work *w) {
    static const float special[] = {INFINITY, -0.0f, -INFINITY, 0.0f, 1e-45f};
    std::vector<float> x(w->n), dice(w->n);
    verify_random(x.data(), w->n, -6.0f, 6.0f, w->seed);
    verify_random(dice.data(), w->n, 0.0f, 100.0f, w->seed + 1000);
    for (int i = 0; i < w->n; i++) {
        x[i] = w->special && i % 3 == 0 ? special[i / 3 % 5] : x[i];
        x[i] = w->missing && dice[i] <= w->missing ? NAN : x[i];
    }
    return x;
}

static struct samples make_samples(const struct work *w) {
    struct samples s = {make_input(w), std::vector<float>(w->n), std::vector<unsigned>(((size_t)w->n + 31) / 32)};
    float last = 0;
    for (int i = 0; i < w->n; i++) {
        last = i % 32 == 0 ? 0 : last;
        if (!isnan(s.x[i])) {
            last = s.x[i];
            s.words[i / 32] |= 1u << i % 32;
        }
        s.expected[i] = last;
    }
    return s;
}

static struct place place_of(int offset, int slack) {
    return {offset * sizeof(float), slack * sizeof(float)};
}

// ---------------------------------------------------------------- what it may take

/* From so many samples on, so many threads of a launch that writes do so, and no block writes more than half. */
enum { LONG = 65536, THREADS = 512, IDLE = 2000 /* instructions of warps that have no sample */ };
static const char *const many_blocks = "Launch enough blocks for all samples.";

static void judge_instructions(const struct result *r, int n, double most, const char *advice) {
    const struct emulatorCounters *k = &r->answer.counters;
    double groups = (n + 31) / 32;
    if ((double)k->warp_instructions > most * groups + IDLE) {
        judge_fail(
            "access_limit",
            "the result is right, but a warp needed %.0f instructions for 32 samples (limit %.0f), with %.1f lanes "
            "active on average.\n          %s",
            (double)k->warp_instructions / groups, most + IDLE / groups,
            (double)k->thread_instructions / (double)k->warp_instructions, advice);
    }
}

/* A warp reads each sample once and decides by ballot and shuffle: no walk through memory, no turns. */
static void judge_fill(const struct result *r, const struct work *w, struct handle x, struct handle y,
                       struct handle valid) {
    const double most_read = w->offset % 8 ? 1.3 : 1.1, most_stored = 1.2, most_instructions = 120;
    const struct emulatorArrayCounters *of_y = judge_counts_of(r, y), *of_valid = judge_counts_of(r, valid);
    double bytes = (double)(of_y->store_bytes + of_y->atomic_bytes + of_valid->store_bytes + of_valid->atomic_bytes),
           needed = (w->n + (w->n + 31) / 32) * 4.0;
    judge_reads(r, x, {0.99, most_read},
                "Read each sample once, with neighbouring threads reading neighbouring samples; get the other lanes' "
                "values by shuffle.");
    if (bytes > most_stored * needed + 32) {
        judge_fail("access_limit",
                   "the result is right, but %.1f times the bytes of y and valid were stored.\n"
                   "          All lanes have the word of their group; one of them writes it.",
                   bytes / needed);
    }
    judge_instructions(r, w->n, most_instructions,
                       "One ballot gives every lane the information that it needs; one shuffle gets the value.");
    if (w->n >= LONG) {
        judge_shared(r, THREADS, many_blocks);
    }
    judge_note("%.2f times the sectors, %.0f instructions for 32 samples; limits: %.1f and %.0f",
               judge_sectors_of(r, x) * 8 / w->n, (double)r->answer.counters.warp_instructions * 32 / w->n, most_read,
               most_instructions);
}

static struct call make_call(const struct work *w, const struct samples *s, struct handle *y, struct handle *valid) {
    struct call c = judge_call(&fill_function);
    size_t size = w->n * sizeof(float);
    struct handle x = judge_input(&c, "x", s->x.data(), size, place_of(w->offset, w->slack));
    *y = judge_output(&c, "y", size, place_of(w->offset ? 7 - w->offset : 0, w->slack));
    *valid = judge_output(&c, "valid", s->words.size() * sizeof(unsigned), place_of(0, w->slack));
    const struct work asked = *w;
    const struct handle out = *y, words = *valid;
    c.frees = true;
    c.limits = [=](const struct result *r) {
        if (asked.n > 0) {
            judge_fill(r, &asked, x, out, words);
        }
    };
    judge_pass(&c, x, *y, *valid, w->n, STREAM);
    if (w->stream) {
        judge_own_stream(&c);
    }
    return c;
}

// ---------------------------------------------------------------- what came out of it

/* A hint for the mistakes that are easy to recognise. */
static std::string remark(const struct samples *s, const float *found, long long bad) {
    long long first = bad / 32 * 32, end = std::min<long long>(first + 32, (long long)s->x.size());
    if (verify_is_poison(found[bad])) {
        return "";
    }
    if (isnan(found[bad])) {
        return "no y is NaN: was the value read from a lane without one?";
    }
    if (!isnan(s->x[bad])) {
        return "an existing sample must not change: `the lanes up to this one` include the lane itself";
    }
    for (long long k = bad + 1; k < end; k++) {
        if (s->x[k] == found[bad]) {
            return judge_print("that is the value of lane %lld, which follows lane %lld instead of preceding it",
                               k - first, bad - first);
        }
    }
    for (long long k = first; k < bad; k++) {
        if (s->x[k] == found[bad]) {
            return judge_print("that is the value of lane %lld, which is not the last one before lane %lld", k - first,
                               bad - first);
        }
    }
    return judge_print("it is lane %lld of its warp; the lanes with a sample are those of the word 0x%08x", bad % 32,
                       s->words[bad / 32]);
}

static void judge_words(const struct result *r, struct handle valid, const struct samples *s) {
    const unsigned *found = judge_content<unsigned>(r, valid);
    for (size_t g = 0; g < s->words.size(); g++) {
        unsigned wrong = found[g] ^ s->words[g];
        if (!wrong) {
            continue;
        }
        if (verify_is_poison_word(found[g])) {
            judge_fail("stale_output", "word %zu of valid was never written, expected 0x%08x.", g, s->words[g]);
        }
        int bit = __builtin_ctz(wrong);
        size_t sample = g * 32 + (size_t)bit;
        judge_fail("wrong_result", "word %zu of valid: expected 0x%08x, found 0x%08x\n          bit %d is wrong: %s", g,
                   s->words[g], found[g], bit,
                   sample >= s->x.size() ? "that sample does not exist, so its bit is 0"
                   : isnan(s->x[sample]) ? "that sample is missing"
                                         : "that sample is there");
    }
}

/* Every bit counts: -0.0 is not 0.0. */
static void judge_values(const struct result *r, struct handle y, const struct samples *s) {
    const float *found = judge_content<float>(r, y);
    for (size_t i = 0; i < s->x.size(); i++) {
        if (!verify_same(found[i], s->expected[i])) {
            judge_reject(r, found, s->expected.data(), s->x.size(), (long long)i, remark(s, found, (long long)i));
        }
    }
}

static void judge(const struct result *r, const struct samples *s, struct handle y, struct handle valid) {
    judge_values(r, y, s);
    judge_words(r, valid, s);
    judge_rest(r);
}

static void describe(const struct work *w) {
    judge_doing("fill_forward, n = %d, %d %% missing, seed %llu%s%s%s", w->n, w->missing, (unsigned long long)w->seed,
                w->special ? ", special values" : "", w->offset ? ", arrays that are not 16-byte aligned" : "",
                w->stream ? ", in a stream" : "");
}

static void fill(struct work w) {
    struct handle y, valid;
    describe(&w);
    struct samples s = make_samples(&w);
    struct call c = make_call(&w, &s, &y, &valid);
    struct result r = judge_run(&c);
    judge(&r, &s, y, valid);
}

// ---------------------------------------------------------------- the checks of fill_forward

static void fill_random(void) {
    static const int sizes[] = {1000, 1, 31, 32, 33, 1025, 0, 262147}, missing[] = {40, 0, 97, 100};
    for (int s = 0; s < 8; s++) {
        for (int m = 0; m < 4; m++) {
            fill({sizes[s], missing[m], (uint64_t)(s + 10 * m + 1)});
        }
    }
}

static void fill_contract(void) {
    const struct work works[] = {{1000, 30, 4, 0, 0, true}, {1003, 70, 5, 1},     {1003, 50, 6, 3, 0, true},
                                 {1003, 50, 7, 4},          {517, 50, 8, 0, 700}, {70001, 50, 9, 0, 0, false, true}};
    for (const struct work &w : works) {
        fill(w);
    }
}

/* Here the limits of all calls are judged, and of a long one. */
static void fill_thrifty(void) {
    fill({LONG, 80, 10});
}

static struct call fill_call(uint64_t seed, bool stream) {
    struct handle y, valid;
    struct work w = {1000, 40, seed, 0, 0, false, stream};
    struct samples s = make_samples(&w);
    return make_call(&w, &s, &y, &valid);
}

static void fill_refused(void) {
    judge_doing("fill_forward, n = 1000, and its launch fails");
    judge_refused_launch(fill_call(21, false));
}

static void fill_busy(void) {
    fill({1000, 40, 22, 0, 0, false, true});
    judge_doing("fill_forward, n = 1000, and its stream is busy");
    judge_busy_stream(fill_call(23, true));
}

// ---------------------------------------------------------------- two channels

static double soften(double v) {
    for (int round = 0; round < 48; round++) {
        v -= 0.03125 * v * v * v;
    }
    return v;
}

static double widen(double v) {
    double end = copysign(1, v);
    for (int round = 0; round < 48; round++) {
        v += 0.0625 * (end - v);
    }
    return v;
}

struct channels {
    std::vector<float> x, expected;
    struct handle y;
};

static struct channels make_channels(int n, uint64_t seed) {
    struct channels s = {std::vector<float>(n), std::vector<float>(n), {}};
    verify_random(s.x.data(), n, -2.0f, 2.0f, seed);
    for (int i = 0; i < n; i++) {
        s.expected[i] = (float)(i % 2 == 0 ? soften(s.x[i]) : widen(s.x[i]));
    }
    return s;
}

/* A warp that does both channels spends the instructions of both. Each sample is read once, but of a sector a warp needs every other one. */
static void judge_two(const struct result *r, int n, bool aligned, struct handle x) {
    const double most = 250, times = judge_bytes_read_of(r, x) / sizeof(float) / n;
    if (times > 1.05 + 8.0 / n) {
        judge_fail("access_limit", "the result is right, but each sample was read %.1f times (limit: 1).%s", times,
                   judge_launch_text(r).c_str());
    }
    judge_reads(r, x, {0.99, aligned ? 2.2 : 2.6}, "Assign consecutive samples of one channel to the lanes of a warp.");
    judge_instructions(r, n, most,
                       "Which lanes of a warp are left, which are right? Give each warp samples of one channel.");
    if (n >= LONG) {
        judge_shared(r, THREADS, many_blocks);
    }
    judge_note("%.0f instructions for 32 samples; limit: %.0f", (double)r->answer.counters.warp_instructions * 32 / n,
               most);
}

static struct call two_call(struct channels *s, bool stream, int offset) {
    struct call c = judge_call(&two_function);
    size_t size = s->x.size() * sizeof(float);
    struct handle x = judge_input(&c, "x", s->x.data(), size, place_of(offset, 0));
    s->y = judge_output(&c, "y", size, place_of(offset ? 7 - offset : 0, 40));
    const int n = (int)s->x.size();
    c.frees = true;
    c.limits = [=](const struct result *r) {
        if (n > 0) {
            judge_two(r, n, offset % 8 == 0, x);
        }
    };
    judge_pass(&c, x, s->y, n, STREAM);
    if (stream) {
        judge_own_stream(&c);
    }
    return c;
}

static void judge_channels(const struct result *r, const struct channels *s) {
    const float *found = judge_content<float>(r, s->y);
    judge_compare(
        r, s->y, s->expected.data(), s->x.size(), 1e-5, 1e-5,
        [&](long long bad) {
            double other = bad % 2 == 0 ? widen(s->x[bad]) : soften(s->x[bad]);
            return verify_close(found[bad], (float)other, 1e-5, 1e-5)
                       ? std::string("that is the value of the other channel")
                       : std::string();
        },
        NOBODY_KNOWS);
    judge_rest(r);
}

static void two(int n, uint64_t seed, bool stream, int offset) {
    judge_doing("two_channels, n = %d, seed %llu%s%s", n, (unsigned long long)seed,
                offset ? ", arrays that are not 16-byte aligned" : "", stream ? ", in a stream" : "");
    struct channels s = make_channels(n, seed);
    struct call c = two_call(&s, stream, offset);
    struct result r = judge_run(&c);
    judge_channels(&r, &s);
}

static void two_random(void) {
    for (int n : {1000, 1, 2, 31, 32, 33, 63, 64, 65, 255, 257, 1025, 0, 262147}) {
        two(n, (uint64_t)n + 1, false, 0);
    }
    two(1003, 5, false, 1);
    two(1003, 7, false, 4);
    two(70001, 6, true, 0);
}

/* Here the limits of all calls are judged, and of a long one. */
static void two_undivided(void) {
    two(LONG, 30, false, 0);
}

static void two_refused(void) {
    struct channels s = make_channels(1000, 31);
    judge_doing("two_channels, n = 1000, and its launch fails");
    judge_refused_launch(two_call(&s, false, 0));
}

static void again(void) {
    fill({judge_draw(1, 2000), judge_draw(5, 95), (uint64_t)judge_draw(100, 1000000), judge_draw(0, 3),
          judge_draw(0, 40)});
    fill({judge_draw(2000, 50000), judge_draw(5, 95), (uint64_t)judge_draw(100, 1000000), 0, 0, true, true});
    two(judge_draw(2, 2000), (uint64_t)judge_draw(100, 1000000), false, judge_draw(0, 3));
    two(judge_draw(2000, 50000), (uint64_t)judge_draw(100, 1000000), true, 0);
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"fill", "fill_forward, 0, 40, 97 and 100 % missing, n = 0 1 31 32 33 1000 1025 262147", fill_random,
         EVERYWHERE},
        {"fill", "fill_forward, infinities and -0.0, any address, nothing past the end, in a stream", fill_contract,
         EVERYWHERE},
        {"fill", "fill_forward reports a failed launch", fill_refused, EVERYWHERE},
        {"fill", "fill_forward returns without waiting", fill_busy, EVERYWHERE},
        {"fill", "fill_forward reads and writes once, and takes few instructions", fill_thrifty, ON_EMULATOR,
         LIMITS_HERE},
        {"two", "two_channels, n = 0, 1, around 32, 64 and 256, 1000, 1025, 262147, any address, in a stream",
         two_random, EVERYWHERE},
        {"two", "two_channels reports a failed launch", two_refused, EVERYWHERE},
        {"two", "two_channels, no warp does both channels, each sample read once", two_undivided, ON_EMULATOR,
         LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "05", {&fill_function, &two_function}, checks, sizeof checks / sizeof checks[0]);
}
