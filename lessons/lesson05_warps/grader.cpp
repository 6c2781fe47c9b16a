/* Grader of exercise 05: fill_forward and two_channels, as lessons/lesson05_warps/exercise.cu describes them.
 *
 * Gaps of all densities, many sizes and seeds, special values, addresses that are not aligned, elements and words past the end, the
 * input unharmed, a stream of the caller's, no waiting, and, on the emulator, reads, stores and instructions. */
#include <algorithm>
#include <math.h>

#include "common/grader.h"

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

static struct call make_call(const struct work *w, const struct samples *s, struct handle *y, struct handle *valid) {
    struct call c = judge_call(&fill_function);
    size_t size = w->n * sizeof(float);
    struct handle x = judge_input(&c, "x", s->x.data(), size, place_of(w->offset, w->slack));
    *y = judge_output(&c, "y", size, place_of(w->offset, w->slack));
    *valid = judge_output(&c, "valid", s->words.size() * sizeof(unsigned), place_of(0, w->slack));
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
        return "no y is NaN: was the value taken from a lane that has none itself?";
    }
    if (!isnan(s->x[bad])) {
        return "a sample that is there has to stay as it is: a lane is among `the lanes up to this one` itself";
    }
    for (long long k = bad + 1; k < end; k++) {
        if (s->x[k] == found[bad]) {
            return judge_print("that is the value of lane %lld, which is behind lane %lld, not before it", k - first,
                               bad - first);
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
    const struct work works[] = {{1000, 30, 4, 0, 0, true},
                                 {1003, 70, 5, 1},
                                 {1003, 50, 6, 3, 0, true},
                                 {517, 50, 8, 0, 700},
                                 {70001, 50, 9, 0, 0, false, true}};
    for (const struct work &w : works) {
        fill(w);
    }
}

/* A warp reads each sample once and decides by ballot and shuffle: no walk through memory, no turns. */
static void fill_thrifty(void) {
    const double most_sectors = 1.1, most_stored = 1.2, most_instructions = 120;
    struct work w = {65536, 80, 10};
    struct handle y, valid;
    judge_doing("fill_forward, n = %d, memory accesses and instructions", w.n);
    struct samples s = make_samples(&w);
    struct call c = make_call(&w, &s, &y, &valid);
    judge_count(&c);
    struct result r = judge_run(&c);
    judge(&r, &s, y, valid);
    const struct emulatorCounters *k = &r.answer.counters;
    double needed = w.n * sizeof(float) / 32.0, sectors = (double)k->global_load_sectors / needed;
    double stored = (double)k->global_store_bytes / ((w.n + s.words.size()) * 4.0),
           each = (double)k->warp_instructions / (w.n / 32);
    if (sectors > most_sectors) {
        judge_fail("access_limit",
                   "the result is right, but %.0f sectors of 32 bytes were read where %.0f hold the samples.\n"
                   "          Read each sample once, neighbouring threads neighbouring samples; the other lanes' "
                   "values come by shuffle.",
                   sectors * needed, needed);
    }
    if (stored > most_stored) {
        judge_fail("access_limit",
                   "the result is right, but %.1f times the bytes of y and valid were stored.\n"
                   "          All lanes have the word of their group; one of them writes it.",
                   stored);
    }
    if (each > most_instructions) {
        judge_fail("access_limit",
                   "the result is right, but a warp needed %.0f instructions for 32 samples (limit %.0f).\n"
                   "          One ballot tells every lane all that it has to know; one shuffle gets the value.",
                   each, most_instructions);
    }
    judge_note("%.2f times the sectors, %.0f instructions for 32 samples; limits: %.1f and %.0f", sectors, each,
               most_sectors, most_instructions);
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

static struct call two_call(struct channels *s, bool stream, int offset) {
    struct call c = judge_call(&two_function);
    size_t size = s->x.size() * sizeof(float);
    struct handle x = judge_input(&c, "x", s->x.data(), size, place_of(offset, 0));
    s->y = judge_output(&c, "y", size, place_of(offset, 40));
    judge_pass(&c, x, s->y, (int)s->x.size(), STREAM);
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
                       ? std::string("that is what the other channel would have")
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
    two(70001, 6, true, 0);
}

/* A warp that does both channels spends the instructions of both. */
static void two_undivided(void) {
    const double most = 250;
    judge_doing("two_channels, n = 65536, instructions");
    struct channels s = make_channels(65536, 30);
    struct call c = two_call(&s, false, 0);
    judge_count(&c);
    struct result r = judge_run(&c);
    judge_channels(&r, &s);
    const struct emulatorCounters *k = &r.answer.counters;
    double each = (double)k->warp_instructions / (65536 / 32),
           lanes = (double)k->thread_instructions / (double)k->warp_instructions;
    if (each > most) {
        judge_fail("access_limit",
                   "the result is right, but a warp needed %.0f instructions for 32 samples (limit %.0f), with %.1f "
                   "lanes active on average.\n"
                   "          Which lanes of a warp are left, which are right? Give each warp samples of one channel.",
                   each, most, lanes);
    }
    judge_note("%.0f instructions for 32 samples, %.1f active lanes; limit: %.0f", each, lanes, most);
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
        {"fill", "fill_forward tells of a launch that fails", fill_refused, EVERYWHERE},
        {"fill", "fill_forward returns without waiting", fill_busy, EVERYWHERE},
        {"fill", "fill_forward reads and writes once, and takes few instructions", fill_thrifty, ON_EMULATOR},
        {"two", "two_channels, n = 0, 1, around 32, 64 and 256, 1000, 1025, 262147, any address, in a stream",
         two_random, EVERYWHERE},
        {"two", "two_channels tells of a launch that fails", two_refused, EVERYWHERE},
        {"two", "two_channels, no warp does both channels", two_undivided, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "05", {&fill_function, &two_function}, checks, sizeof checks / sizeof checks[0]);
}
