/* Grader of exercise 09: histogram and distribution, as lessons/lesson09_histogram/exercise.cu describes them.
 *
 * Four kinds of bytes, sizes around a warp, a block and what a block takes; bins from 1 to 8192, values on the limits, below, above, NaN and infinities;
 * any address, the input unharmed, nothing written outside, a stream of the caller's, no waiting, a launch that fails; and, on the emulator,
 * reads, atomics in global memory, wavefronts of shared memory. */
#include <algorithm>
#include <math.h>

#include "tools/grading/grader.h"

static const struct function histogram =
    FUNCTION(void, histogram, const unsigned char *, int, unsigned *, cudaStream_t);
static const struct function distribution =
    FUNCTION(void, distribution, const float *, int, float, float, int, unsigned *, cudaStream_t);

enum { BINS = 256 };

// ---------------------------------------------------------------- what is asked

enum kind { UNIFORM, ONE_VALUE, SKEWED, SORTED };
static const char *const kinds[] = {"uniform", "one value", "skewed", "sorted"};

/* bins 0: bytes, else floats. */
struct work {
    int n, bins;
    enum kind kind;
    uint64_t seed;
    int offset; /* of x, in elements */
    bool own_stream;
};

struct arrays {
    std::vector<unsigned char> bytes;
    std::vector<float> floats;
    std::vector<unsigned> expected;
    float low, scale;
};

static unsigned char make_byte(const struct work *w, int i, float dice) {
    switch (w->kind) {
    case ONE_VALUE:
        return (unsigned char)(200 + w->seed % 56);
    case SORTED:
        return (unsigned char)((long long)i * BINS / w->n);
    case SKEWED:
        return (unsigned char)(255 - (int)(255 * dice * dice * dice * dice));
    default:
        return (unsigned char)(256 * dice);
    }
}

/* A tenth lies below the bins and a tenth above; some lie on limits, and some are no numbers. */
static float make_float(const struct arrays *a, const struct work *w, int i, float dice) {
    const float special[] = {NAN, INFINITY, -INFINITY, a->low, a->low - 0.5f / a->scale, a->low + w->bins / a->scale};
    float width = w->bins / a->scale;
    if (w->kind == SORTED && i % 5 == 3) {
        return special[i / 5 % 6];
    }
    if (w->kind == ONE_VALUE) {
        return a->low + 0.7f * width;
    }
    return a->low + width * (1.25f * (w->kind == SKEWED ? dice * dice * dice : dice) - 0.125f);
}

static struct arrays make_arrays(const struct work *w) {
    struct arrays a = {};
    std::vector<float> dice(w->n);
    verify_random(dice.data(), w->n, 0.0f, 1.0f, w->seed);
    a.low = w->seed % 2 ? -2.0f : 1.5f;
    a.scale = w->bins / (w->seed % 3 ? 4.0f : 0.75f);
    a.expected.resize(w->bins ? w->bins : (int)BINS);
    for (int i = 0; i < w->n; i++) {
        if (w->bins == 0) {
            a.bytes.push_back(make_byte(w, i, dice[i]));
            a.expected[a.bytes[i]]++;
            continue;
        }
        a.floats.push_back(make_float(&a, w, i, dice[i]));
        float place = (a.floats[i] - a.low) * a.scale;
        if (place >= 0.0f && place < w->bins) {
            a.expected[(int)place]++;
        }
    }
    return a;
}

static void describe(const struct work *w, const char *what = "") {
    char bins[32] = "";
    if (w->bins) {
        snprintf(bins, sizeof bins, ", %d bins", w->bins);
    }
    judge_doing("%s, n = %d, %s%s, seed %llu%s%s%s", w->bins ? "distribution" : "histogram", w->n, kinds[w->kind], bins,
                (unsigned long long)w->seed, w->offset ? ", x at another address" : "",
                w->own_stream ? ", in a stream" : "", what);
}

// ---------------------------------------------------------------- what it may take

/* Limits for every shape. Arrays from LONG on are worth several blocks; of shorter ones, what a block does once counts more than elements. */
enum {
    LONG = 1 << 18,
    THREADS = 512,
    BLOCKS_MAX = 1024,
    BLOCK_ONCE = 2048 /* wavefronts that a block takes to clear and to add up */
};

/* Each element once. 32 bytes of a warp lie in one sector or in two, 32 floats in four or in five. */
static void judge_reading(const struct result *r, const struct work *w, struct handle x) {
    const size_t element = w->bins ? sizeof(float) : 1;
    const double times = judge_bytes_read_of(r, x) / (double)element / w->n;
    const double most = w->offset * element % 32 == 0 ? 1.1 : w->bins ? 1.3 : 2.2;
    const char *advice = "Assign neighbouring elements to neighbouring threads, and read each element once.";
    if (times > 1.05) {
        judge_fail("access_limit", "the result is right, but each element of x was read %.1f times.%s\n          %s",
                   times, judge_launch_text(r).c_str(), advice);
    }
    judge_reads(r, x, {0.99, most}, advice);
}

/* A block adds its counts once. */
static void judge_global_atomics(const struct result *r, const struct work *w) {
    const double for_1000 = w->bins ? 50 : 10, sectors_of_counts = ((w->bins ? w->bins : (int)BINS) + 7) / 8 + 1;
    const struct emulatorCounters *k = &r->answer.counters;
    double atomics = (double)(k->global_atom_sectors + k->global_red_sectors), most = for_1000 * w->n / 1000;
    most += w->n < LONG ? std::min(w->n / 32.0, (double)BLOCKS_MAX) * sectors_of_counts + 4 * sectors_of_counts : 0;
    if (atomics > most) {
        judge_fail(
            "access_limit",
            "the result is right, but %.0f sectors were changed by atomics in global memory (limit %.0f: %.0f for 1000 "
            "elements).%s\n          Count in shared memory, and add the block's counts to the global ones once.",
            atomics, most, for_1000, judge_launch_text(r).c_str());
    }
}

static double working_blocks(const struct result *r) {
    double blocks = 0;
    for (const struct launch &l : r->launches) {
        blocks += (double)l.input_blocks;
    }
    return blocks;
}

/* Of bytes: an atomic of a warp takes one wavefront, whatever they are. */
static void judge_wavefronts(const struct result *r, const struct work *w) {
    const double for_32 = 1.1, all_for_32 = 3.0, groups = (w->n + 31) / 32, blocks = working_blocks(r);
    const struct emulatorCounters *k = &r->answer.counters;
    double atomics = (double)k->shared_atomic_wavefronts;
    double all = atomics + (double)(k->shared_load_wavefronts + k->shared_store_wavefronts);
    double most = for_32 * groups + 32 * blocks,
           most_of_all = all_for_32 * groups + (w->n < LONG ? BLOCK_ONCE * blocks : 0);
    if (atomics > most) {
        judge_fail("access_limit",
                   "the result is right, but atomics in shared memory took %.2f wavefronts for 32 bytes (limit "
                   "%.2f).\n          Lanes of a warp access the same bank: which bank contains counter b of lane l?",
                   atomics / groups, most / groups);
    }
    if (all > most_of_all) {
        judge_fail(
            "access_limit",
            "the result is right, but shared memory took %.2f wavefronts for 32 bytes (limit %.2f), %.2f of them for "
            "atomics.\n          When thread b adds up the copies of counter b, in which banks do the lanes read?",
            all / groups, most_of_all / groups, atomics / groups);
    }
    judge_note("%s: %.2f wavefronts of shared memory for 32 bytes, %.2f of them for atomics", kinds[w->kind],
               all / groups, atomics / groups);
}

static void judge_economy(const struct result *r, const struct work *w, struct handle x) {
    if (w->n == 0) {
        return;
    }
    judge_reading(r, w, x);
    judge_global_atomics(r, w);
    if (w->bins == 0) {
        judge_wavefronts(r, w);
    }
    if (w->n >= LONG) {
        judge_shared(r, THREADS, "Launch as many blocks as n elements are worth.");
    }
}

static struct call make_call(const struct work *w, const struct arrays *a, struct handle *counts) {
    size_t element = w->bins ? sizeof(float) : 1;
    struct call c = judge_call(w->bins ? &distribution : &histogram);
    const void *content = w->bins ? (const void *)a->floats.data() : a->bytes.data();
    struct handle x = judge_input(&c, "x", content, w->n * element, {w->offset * element, 0});
    *counts = judge_output(&c, "counts", a->expected.size() * sizeof(unsigned));
    const struct work asked = *w;
    c.frees = true;
    c.limits = [=](const struct result *r) { judge_economy(r, &asked, x); };
    if (w->bins) {
        judge_pass(&c, x, w->n, a->low, a->scale, w->bins, *counts, STREAM);
    } else {
        judge_pass(&c, x, w->n, *counts, STREAM);
    }
    if (w->own_stream) {
        judge_own_stream(&c);
    }
    return c;
}

// ---------------------------------------------------------------- what came out of it

static unsigned long long sum_of(const unsigned *counts, size_t bins) {
    unsigned long long sum = 0;
    for (size_t b = 0; b < bins; b++) {
        sum += counts[b];
    }
    return sum;
}

/* A hint for the mistakes that are easy to recognise. */
static std::string remark(const struct work *w, const std::vector<unsigned> &expected, const unsigned *found) {
    size_t bins = expected.size(), differ = 0, other_bin = bins;
    for (size_t b = 0; b < bins; b++) {
        differ += found[b] != expected[b];
        other_bin = found[b] != expected[b] ? b : other_bin;
    }
    unsigned long long all = sum_of(expected.data(), bins), sum = sum_of(found, bins);
    if (w->bins && differ == 1 && other_bin == 0 && sum > all) {
        return "only bin 0 is wrong, and has too many: what does (int) make of -0.5, and of NaN?";
    }
    if (sum != all) {
        return judge_print("all counts together are %llu, and %llu elements are to be counted", sum, all);
    }
    return "all counts together are right: elements were counted in the wrong bin";
}

/* counts hold poison before: who adds to that has it in each sum. */
static void judge_cleared(const struct arrays *a, const unsigned *found) {
    size_t bins = a->expected.size(), added = 0;
    for (size_t b = 0; b < bins; b++) {
        added += verify_is_poison_word(found[b] - a->expected[b]);
    }
    if (added == bins && sum_of(a->expected.data(), bins) > 0) {
        judge_fail("wrong_result", "each count was added to the previous contents of counts: where are they cleared?");
    }
}

static void look(const struct work *w, const struct arrays *a, const struct result *r, struct handle counts) {
    const unsigned *found = judge_content<unsigned>(r, counts);
    size_t bins = a->expected.size();
    if (w->n > 0 && r->answer.launches == 0 && judge_on_emulator()) {
        judge_fail("not_implemented", "no kernel was launched.");
    }
    judge_cleared(a, found);
    for (size_t b = 0; b < bins; b++) {
        if (verify_is_poison_word(found[b])) {
            judge_fail("stale_output", "counts[%zu] was never written, expected %u.%s", b, a->expected[b],
                       judge_launch_text(r).c_str());
        }
    }
    for (size_t b = 0; b < bins; b++) {
        if (found[b] != a->expected[b]) {
            judge_fail("wrong_result", "counts[%zu]: expected %u, found %u\n          %s%s", b, a->expected[b],
                       found[b], remark(w, a->expected, found).c_str(), judge_launch_text(r).c_str());
        }
    }
    judge_rest(r);
}

static void run(const struct work w) {
    struct handle counts;
    describe(&w);
    struct arrays a = make_arrays(&w);
    struct call c = make_call(&w, &a, &counts);
    struct result r = judge_run(&c);
    look(&w, &a, &r, counts);
}

static void refused(const struct work w) {
    struct handle counts;
    describe(&w, ", and its launch fails");
    struct arrays a = make_arrays(&w);
    judge_refused_launch(make_call(&w, &a, &counts));
}

static void busy(const struct work w) {
    struct handle counts;
    run(w);
    describe(&w, " that is busy");
    struct arrays a = make_arrays(&w);
    judge_busy_stream(make_call(&w, &a, &counts));
}

// ---------------------------------------------------------------- the checks of histogram

static void bytes(void) {
    static const int sizes[] = {1000, 1, 31, 33, 255, 257, 1025, 0, 4099, 70001, 300007};
    for (int s = 0; s < 11; s++) {
        run({sizes[s], 0, (enum kind)(s % 4), (uint64_t)s + 1});
        run({sizes[s], 0, (enum kind)((s + 1) % 4), (uint64_t)s + 20});
    }
}

/* More than a block's 65536: counters of 16 bits would be too small. */
static void many_bytes(void) {
    run({1000003, 0, ONE_VALUE, 41});
    run({1000003, 0, SKEWED, 42});
}

static void bytes_contract(void) {
    run({50001, 0, UNIFORM, 51, 1});
    run({50001, 0, SORTED, 52, 7, true});
    run({3, 0, UNIFORM, 53, 15});
}

static void bytes_refused(void) {
    refused({1000, 0, UNIFORM, 61});
}

static void bytes_busy(void) {
    busy({1000, 0, UNIFORM, 62, 0, true});
}

/* Here the limits of all calls are judged, and of long ones. */
static void bytes_thrifty(void) {
    run({1 << 19, 0, ONE_VALUE, 71});
    run({1 << 19, 0, UNIFORM, 72});
}

// ---------------------------------------------------------------- the checks of distribution

static void floats(void) {
    static const int sizes[] = {1000, 1, 31, 33, 257, 1025, 0, 40001}, bins[] = {64, 10, 1, 256, 1000, 257, 8192, 3};
    for (int s = 0; s < 8; s++) {
        run({sizes[s], bins[s], UNIFORM, (uint64_t)s + 101});
        run({sizes[s], bins[(s + 3) % 8], SKEWED, (uint64_t)s + 120});
    }
}

static void limits(void) {
    run({1000, 16, SORTED, 131});
    run({20001, 8192, SORTED, 132});
    run({20001, 100, SORTED, 133});
    run({5000, 4096, ONE_VALUE, 134});
}

static void floats_contract(void) {
    run({20001, 300, UNIFORM, 141, 1});
    run({20001, 2000, SORTED, 142, 3, true});
}

static void floats_refused(void) {
    refused({1000, 64, UNIFORM, 151});
}

static void floats_busy(void) {
    busy({1000, 64, UNIFORM, 152, 0, true});
}

static void floats_thrifty(void) {
    run({1 << 18, 100, SKEWED, 161});
}

static void again(void) {
    run({judge_draw(1, 3000), 0, (enum kind)judge_draw(0, 3), (uint64_t)judge_draw(200, 1000000), judge_draw(0, 15)});
    run({judge_draw(1, 3000), judge_draw(1, 2000), UNIFORM, (uint64_t)judge_draw(200, 1000000), judge_draw(0, 3),
         true});
    run({judge_draw(3000, 50000), judge_draw(1, 8192), SORTED, (uint64_t)judge_draw(200, 1000000)});
    run({judge_draw(1 << 18, 1 << 19), 0, SKEWED, (uint64_t)judge_draw(200, 1000000)});
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"histogram", "histogram: four kinds of bytes, n = 0 1 31 33 255 257 1000 1025 4099 70001 300007", bytes,
         EVERYWHERE},
        {"histogram", "histogram: n = 1000003, counts larger than 65535", many_bytes, EVERYWHERE},
        {"histogram", "histogram: any address, in a stream", bytes_contract, EVERYWHERE},
        {"histogram launch", "histogram reports a failed launch", bytes_refused, EVERYWHERE},
        {"histogram", "histogram returns without waiting", bytes_busy, EVERYWHERE},
        {"histogram", "histogram: reads, atomics, wavefronts", bytes_thrifty, ON_EMULATOR, LIMITS_HERE},
        {"distribution", "distribution: 1 to 8192 bins, values below and above", floats, EVERYWHERE},
        {"distribution", "distribution: values on the limits, NaN and infinities", limits, EVERYWHERE},
        {"distribution", "distribution: any address of a float, in a stream", floats_contract, EVERYWHERE},
        {"distribution launch", "distribution reports a failed launch", floats_refused, EVERYWHERE},
        {"distribution", "distribution returns without waiting", floats_busy, EVERYWHERE},
        {"distribution", "distribution: reads, atomics", floats_thrifty, ON_EMULATOR, LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "09", {&histogram, &distribution}, checks, sizeof checks / sizeof checks[0]);
}
