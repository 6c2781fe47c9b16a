/* Grader of exercise 03b: bias_gelu, philox_words, dropout and bias_gelu_dropout, as lessons/lesson03b_operators/exercise.cu describes them.
 *
 * Philox by its published answers and by words of random counters and keys. Which elements are dropped is checked for each of them, so that
 * no statistics are needed: of many sizes, seeds, calls and p, also where a word meets the threshold exactly. NaN, addresses that are not
 * aligned, in place, odd columns, a stream of the caller's, no waiting, and, on the emulator, sectors, instructions and launches. */
#include <algorithm>
#include <math.h>

#include "tools/grading/grader.h"

typedef unsigned long long u64;

static const struct function bias_gelu_function =
    FUNCTION(void, bias_gelu, const float *, const float *, float *, int, int, cudaStream_t);
static const struct function philox_function =
    FUNCTION(void, philox_words, const uint4 *, const uint2 *, uint4 *, int, cudaStream_t);
static const struct function dropout_function =
    FUNCTION(void, dropout, const float *, float *, int, float, u64, u64, cudaStream_t);
static const struct function fused_function = FUNCTION(void, bias_gelu_dropout, const float *, const float *,
                                                       const float *, float *, int, int, float, u64, u64, cudaStream_t);

// ---------------------------------------------------------------- the reference

static double gelu_at(double x) {
    return 0.5 * x * (1 + erf(x / sqrt(2.0)));
}

struct words {
    uint32_t w[4];
};

struct key {
    uint32_t k[2];
};

static struct words philox_at(struct words counter, struct key key) {
    uint32_t *c = counter.w;
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53 * c[0], b = (uint64_t)0xCD9E8D57 * c[2];
        counter = {
            {(uint32_t)(b >> 32) ^ c[1] ^ key.k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ key.k[1], (uint32_t)a}};
        key.k[0] += 0x9E3779B9;
        key.k[1] += 0xBB67AE85;
    }
    return counter;
}

static uint32_t word_of(size_t i, u64 seed, u64 call) {
    struct words counter = {{(uint32_t)(i / 4), 0, (uint32_t)call, (uint32_t)(call >> 32)}};
    return philox_at(counter, {{(uint32_t)seed, (uint32_t)(seed >> 32)}}).w[i % 4];
}

static uint32_t threshold_of(float p) {
    return (uint32_t)((double)p * 4294967296.0);
}

// ---------------------------------------------------------------- philox_words

struct known_answer {
    struct words counter;
    struct key key;
    struct words words;
};

/* kat_vectors of Random123. */
static const struct known_answer known[] = {
    {{{0, 0, 0, 0}}, {{0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {{0xffffffff, 0xffffffff}},
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {{0xa4093822, 0x299f31d0}},
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
};
enum { KNOWN = sizeof known / sizeof known[0] };

struct philox_input {
    std::vector<struct words> counters, expected;
    std::vector<struct key> keys;
};

/* The first three are the published ones. */
static struct philox_input make_philox_input(int n, uint64_t seed) {
    struct philox_input in = {std::vector<struct words>(n), std::vector<struct words>(n), std::vector<struct key>(n)};
    uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
    for (int i = 0; i < n; i++) {
        for (uint32_t &word : in.counters[i].w) {
            word = (uint32_t)(verify_next(&state) >> 32);
        }
        for (uint32_t &word : in.keys[i].k) {
            word = (uint32_t)(verify_next(&state) >> 32);
        }
        if (i < KNOWN) {
            in.counters[i] = known[i].counter;
            in.keys[i] = known[i].key;
        }
        in.expected[i] = i < KNOWN ? known[i].words : philox_at(in.counters[i], in.keys[i]);
    }
    return in;
}

static void judge_one_launch(const struct result *r) {
    if (r->answer.launches > 1) {
        judge_fail("access_limit", "the result is right, but it took %u launches: one kernel can do all of it.%s",
                   r->answer.launches, judge_launch_text(r).c_str());
    }
}

static struct call make_philox_call(const struct philox_input *in, bool own_stream, struct handle *words) {
    int n = (int)in->counters.size();
    struct call c = judge_call(&philox_function);
    struct handle counters = judge_input(&c, "counters", in->counters.data(), n * sizeof(struct words));
    struct handle keys = judge_input(&c, "keys", in->keys.data(), n * sizeof(struct key));
    *words = judge_output(&c, "words", n * sizeof(struct words));
    c.frees = true;
    struct handle out = *words;
    c.limits = [=](const struct result *r) {
        const char *advice = "Each counter and each key is read once, and each word written once.";
        judge_one_launch(r);
        judge_reads(r, counters, {0.99, 1.1}, advice);
        judge_reads(r, keys, {0.99, 1.1}, advice);
        judge_writes(r, out, {0.99, 1.1}, advice);
    };
    judge_pass(&c, counters, keys, *words, n, STREAM);
    if (own_stream) {
        judge_own_stream(&c);
    }
    return c;
}

static std::string hex(const uint32_t *w, int count) {
    std::string text;
    for (int k = 0; k < count; k++) {
        text += judge_print("%s%08x", k ? " " : "", w[k]);
    }
    return text;
}

/* How far the rounds have got: tells a wrong number of rounds from a wrong round. */
static std::string philox_remark(struct words counter, const struct key &key, const uint32_t *found) {
    struct key now = key;
    for (int round = 0; round <= 16; round++) {
        if (memcmp(counter.w, found, sizeof counter.w) == 0) {
            return round ? judge_print("that is what %d round%s give%s", round, round > 1 ? "s" : "",
                                       round > 1 ? "" : "s")
                         : "that is the counter, unchanged";
        }
        uint64_t a = (uint64_t)0xD2511F53 * counter.w[0], b = (uint64_t)0xCD9E8D57 * counter.w[2];
        counter = {{(uint32_t)(b >> 32) ^ counter.w[1] ^ now.k[0], (uint32_t)b,
                    (uint32_t)(a >> 32) ^ counter.w[3] ^ now.k[1], (uint32_t)a}};
        now.k[0] += 0x9E3779B9;
        now.k[1] += 0xBB67AE85;
    }
    return "";
}

static void judge_words(const struct result *r, struct handle words, const struct philox_input *in) {
    const struct words *found = judge_content<struct words>(r, words);
    for (size_t i = 0; i < in->expected.size(); i++) {
        const uint32_t *w = found[i].w, *e = in->expected[i].w;
        if (memcmp(w, e, sizeof found[i].w) == 0) {
            continue;
        }
        if (std::all_of(w, w + 4, verify_is_poison_word)) {
            judge_fail("stale_output", "words[%zu] was never written, expected %s%s", i, hex(e, 4).c_str(),
                       judge_launch_text(r).c_str());
        }
        std::string remark = philox_remark(in->counters[i], in->keys[i], w);
        judge_fail("wrong_result",
                   "words[%zu]: of counter %s and key %s\n          expected %s\n          found    %s%s%s", i,
                   hex(in->counters[i].w, 4).c_str(), hex(in->keys[i].k, 2).c_str(), hex(e, 4).c_str(),
                   hex(w, 4).c_str(), remark.empty() ? "" : "\n          ", remark.c_str());
    }
    judge_rest(r);
}

static void run_philox(int n, uint64_t seed, bool own_stream = false) {
    struct handle words;
    judge_doing("philox_words, n = %d, seed %llu%s", n, (u64)seed, own_stream ? ", in a stream" : "");
    struct philox_input in = make_philox_input(n, seed);
    struct call c = make_philox_call(&in, own_stream, &words);
    struct result r = judge_run(&c);
    judge_words(&r, words, &in);
}

static void philox_known(void) {
    run_philox(KNOWN, 1);
    for (int n : {0, 1, 31, 1000, 1025}) {
        run_philox(n, n + 2);
    }
    run_philox(3000, 3, true);
}

// ---------------------------------------------------------------- the other three

enum part { BIAS_GELU, DROPOUT, FUSED };
static const char *const part_names[] = {"bias_gelu", "dropout", "bias_gelu_dropout"};

enum place_of_y { APART, ON_X, ON_RESIDUAL };

/* `offset`: floats before x; the other arrays lie further on by one more each if it is not 0. */
struct work {
    enum part part;
    int rows, cols;
    float p;
    u64 seed, call;
    bool residual;
    enum place_of_y y_at;
    bool special;
    int offset, slack;
    bool stream;
};

struct arrays {
    std::vector<float> x, bias, residual, expected;
    double atol, rtol;
};

static const float specials[] = {NAN, INFINITY, -0.0f, -INFINITY, 0.0f, 1e20f, -1e20f, 1e-45f, -1e-45f, 40.0f, 0.5f};

static float scale_of(const struct work *w) {
    return w->part == BIAS_GELU ? 1.0f : 1.0f / (1.0f - w->p);
}

/* -inf gives NaN or 0 (exercise 03), so GELU's inputs have none. */
static float special_at(const struct work *w, size_t i) {
    float value = specials[i % 11];
    return w->part != DROPOUT && value == -INFINITY ? NAN : value;
}

static bool is_dropped(const struct work *w, size_t i) {
    return w->part != BIAS_GELU && word_of(i, w->seed, w->call) < threshold_of(w->p);
}

static float expected_at(const struct work *w, const struct arrays *a, size_t i) {
    double value = a->x[i];
    if (w->part != DROPOUT) {
        value = gelu_at((double)(a->x[i] + a->bias[i % w->cols]));
    }
    value = is_dropped(w, i) ? 0 : value * scale_of(w);
    return (float)(w->residual ? value + a->residual[i] : value);
}

/* bias_gelu and dropout have what they do to one element as their only error; dropout's is the rounding of one product, or of a quotient. */
static struct arrays make_arrays(const struct work *w) {
    size_t n = (size_t)w->rows * w->cols;
    struct arrays a = {std::vector<float>(n),
                       std::vector<float>(w->part == DROPOUT ? 0 : w->cols),
                       std::vector<float>(w->residual ? n : 0),
                       std::vector<float>(n),
                       0,
                       0};
    verify_random(a.x.data(), n, -4.0f, 4.0f, w->seed + 1);
    verify_random(a.bias.data(), a.bias.size(), -2.0f, 2.0f, w->seed + 2);
    verify_random(a.residual.data(), a.residual.size(), -4.0f, 4.0f, w->seed + 3);
    for (size_t i = 0; w->special && i < n; i++) {
        a.x[i] = special_at(w, i);
    }
    a.atol = w->part == DROPOUT ? 0 : 1e-6 * scale_of(w);
    a.rtol = w->part == DROPOUT ? 1e-6 : 1e-5;
    for (size_t i = 0; i < n; i++) {
        a.expected[i] = expected_at(w, &a, i);
    }
    return a;
}

static struct place place_of(const struct work *w, int which) {
    return {(w->offset ? (w->offset + which) % 4 : 0) * sizeof(float), w->slack * sizeof(float)};
}

static struct handle an_array(struct call *c, const struct work *w, const char *name, const std::vector<float> &content,
                              int which, bool is_y, struct handle *y) {
    size_t size = content.size() * sizeof(float);
    struct handle array = is_y ? judge_in_out(c, name, content.data(), size, place_of(w, which))
                               : judge_input(c, name, content.data(), size, place_of(w, which));
    if (is_y) {
        *y = array;
    }
    return array;
}

static void pass_all(struct call *c, const struct work *w, struct handle x, struct handle bias, struct handle residual,
                     struct handle y) {
    if (w->part == DROPOUT) {
        judge_pass(c, x, y, w->rows * w->cols, w->p, w->seed, w->call, STREAM);
    } else if (w->part == BIAS_GELU) {
        judge_pass(c, x, bias, y, w->rows, w->cols, STREAM);
    } else if (w->residual) {
        judge_pass(c, x, bias, residual, y, w->rows, w->cols, w->p, w->seed, w->call, STREAM);
    } else {
        judge_pass(c, x, bias, 0, y, w->rows, w->cols, w->p, w->seed, w->call, STREAM);
    }
}

// ---------------------------------------------------------------- what they may take

struct places {
    struct handle x, bias, residual, y;
};

static double instructions_of(const struct result *r, const struct work *w) {
    return (double)r->answer.counters.thread_instructions / ((double)w->rows * w->cols);
}

static double gelu_instructions(void);

/* float4 everywhere. */
static bool aligned(const struct work *w) {
    return w->offset == 0 && (w->part == DROPOUT || w->cols % 4 == 0);
}

/* What is dropped need not be read. The last group of four may reach behind the end of a short array's rows. */
static void judge_once(const struct result *r, const struct work *w, struct handle array, double least) {
    const double n = (double)w->rows * w->cols, times = judge_bytes_read_of(r, array) / sizeof(float) / n;
    if (times > 1.05 + 8 / n || times < least) {
        judge_fail("access_limit", "the result is right, but the elements of %s were read %.2f times (limit: 1).%s",
                   r->call.arrays[array.array].name, times, judge_launch_text(r).c_str());
    }
}

/* How many times the array's sectors are touched, at most. A thread may take four neighbours: one after the other, where there is no float4,
 * and of the bias always. A row may begin and end within a sector. */
static void judge_sectors(const struct result *r, const struct work *w, struct handle array, double most,
                          bool written) {
    const double n = (double)w->rows * w->cols, few = aligned(w) ? 16 : 16 + 2.0 * w->rows;
    double sectors = written ? judge_sectors_written_of(r, array) : judge_sectors_of(r, array);
    if (sectors > most * n / 8 + few) {
        judge_fail("access_limit",
                   "the result is right, but of %s %.2f times the sectors were %s that hold the elements (limit "
                   "%.1f).%s\n          Access each element once, as float4 where the alignment allows it.",
                   r->call.arrays[array.array].name, sectors / (n / 8), written ? "written" : "read", most,
                   judge_launch_text(r).c_str());
    }
}

/* One launch; each element of each array once; one Philox for four elements; many threads. */
static void judge_economy(const struct result *r, const struct work *w, const struct places *at) {
    enum { LONG = 65536, THREADS = 512, IDLE = 400000 /* instructions of threads that have no element */ };
    const double each = 80, n = (double)w->rows * w->cols, plain = aligned(w) ? 1.1 : 4.5;
    double most = w->part == BIAS_GELU ? 0 : each + (w->part == FUSED ? gelu_instructions() : 0);
    if (n == 0) {
        return;
    }
    judge_one_launch(r);
    judge_once(r, w, at->x, w->part == BIAS_GELU ? 0.99 : 0);
    if (w->residual) {
        judge_once(r, w, at->residual, 0.99);
        judge_sectors(r, w, at->residual, plain, false);
    }
    if (w->part != DROPOUT) {
        judge_once(r, w, at->bias, 0);
        judge_sectors(r, w, at->bias, 4.5, false);
    }
    judge_sectors(r, w, at->x, plain, false);
    judge_sectors(r, w, at->y, plain, true);
    if (most > 0 && instructions_of(r, w) * n > most * n + IDLE) {
        judge_fail("access_limit",
                   "the result is right, but takes %.0f instructions per element (limit %.0f).\n          Philox "
                   "returns four words at once: one call is enough for four elements.",
                   instructions_of(r, w), most + IDLE / n);
    }
    if (n >= LONG) {
        judge_shared(r, THREADS, "Launch enough blocks for all elements.");
    }
    judge_note("x is read in %.1f times its sectors, y written in %.1f; %.0f instructions; limits: %.1f, %.1f, %s",
               judge_sectors_of(r, at->x) / (n / 8), judge_sectors_written_of(r, at->y) / (n / 8),
               instructions_of(r, w), plain, plain, most > 0 ? judge_print("%.0f", most).c_str() : "none");
}

static struct call make_call(const struct work *w, const struct arrays *a, struct handle *y) {
    static const struct function *const functions[] = {&bias_gelu_function, &dropout_function, &fused_function};
    struct call c = judge_call(functions[w->part]);
    struct handle bias = {}, residual = {};
    struct handle x = an_array(&c, w, w->y_at == ON_X ? "y" : "x", a->x, 0, w->y_at == ON_X, y);
    if (w->part != DROPOUT) {
        bias = an_array(&c, w, "bias", a->bias, 1, false, y);
    }
    if (w->residual) {
        bool is_y = w->y_at == ON_RESIDUAL;
        residual = an_array(&c, w, is_y ? "y" : "residual", a->residual, 2, is_y, y);
    }
    if (w->y_at == APART) {
        *y = judge_output(&c, "y", a->x.size() * sizeof(float), place_of(w, 3));
    }
    pass_all(&c, w, x, bias, residual, *y);
    const struct work shape = *w;
    const struct places at = {x, bias, residual, *y};
    c.frees = true;
    c.limits = [=](const struct result *r) { judge_economy(r, &shape, &at); };
    if (w->stream) {
        judge_own_stream(&c);
    }
    return c;
}

// ---------------------------------------------------------------- what came out of them

/* A hint for the mistakes that are easy to recognise. */
static std::string remark(const struct work *w, const struct arrays *a, const float *found, size_t i) {
    std::string where = w->part == DROPOUT ? "" : judge_print("row %zu, column %zu", i / w->cols, i % w->cols);
    if (w->part == BIAS_GELU || verify_is_poison(found[i])) {
        return where;
    }
    float base = w->residual ? a->residual[i] : 0.0f;
    uint32_t word = word_of(i, w->seed, w->call), threshold = threshold_of(w->p);
    bool dropped = word < threshold;
    std::string why = judge_print("%s%sits word is %08x, the threshold %08x: it is %s", where.c_str(),
                                  where.empty() ? "" : ", ", word, threshold, dropped ? "dropped" : "kept");
    double summand = w->part == FUSED ? gelu_at((double)(a->x[i] + a->bias[i % w->cols])) : 0;
    if (!dropped && w->residual && verify_close(found[i], (float)((summand + base) * scale_of(w)), 1e-5, 1e-5)) {
        return why + ", but the residual was multiplied by 1 / (1 - p) as well";
    }
    bool tells = w->part == DROPOUT || fabs(a->expected[i] - base) > 0.01; /* GELU makes 0 of much that is negative */
    if (!dropped && tells && found[i] == base) {
        return why + ", and was dropped here";
    }
    if (dropped && isnan(found[i])) {
        return why + ", and NaN must not propagate: 0 * NaN is NaN";
    }
    float plain = (a->expected[i] - base) / scale_of(w);
    if (!dropped && w->p > 0 && verify_close(found[i] - base, plain, 1e-5, 1e-5)) {
        return why + ", but not multiplied by 1 / (1 - p)";
    }
    return why;
}

static void judge(const struct work *w, const struct result *r, struct handle y, const struct arrays *a) {
    const float *found = judge_content<float>(r, y);
    size_t n = a->expected.size();
    long long bad = judge_first_bad(found, a->expected.data(), n, a->atol, a->rtol);
    if (bad >= 0) {
        judge_reject(r, found, a->expected.data(), n, bad, remark(w, a, found, bad),
                     w->part == BIAS_GELU ? THREAD_OF_INDEX : NOBODY_KNOWS);
    }
    judge_rest(r);
}

static void describe(const struct work *w, const char *what = "") {
    static const char *const places[] = {"", ", in place (y == x)", ", in place (y == residual)"};
    std::string size =
        w->part == DROPOUT ? judge_print("n = %d", w->rows * w->cols) : judge_print("%d x %d", w->rows, w->cols);
    std::string random =
        w->part == BIAS_GELU ? "" : judge_print(", p = %.9g, seed %llu, call %llu", w->p, w->seed, w->call);
    judge_doing("%s, %s%s%s%s%s%s%s%s", part_names[w->part], size.c_str(), random.c_str(),
                w->part == FUSED && !w->residual ? ", no residual" : "", w->special ? ", special values" : "",
                w->offset ? ", arrays that are not 16-byte aligned" : "", places[w->y_at],
                w->stream ? ", in a stream" : "", what);
}

static void run(struct work w) {
    struct handle y;
    describe(&w);
    struct arrays a = make_arrays(&w);
    struct call c = make_call(&w, &a, &y);
    struct result r = judge_run(&c);
    judge(&w, &r, y, &a);
}

// ---------------------------------------------------------------- the checks

/* More rows than a grid may have blocks in y. */
static const int many = 65537;

/* Rows and columns; the products are 0, 1, 3, 31, 1000, 1025 and others. */
static const int shapes[][2] = {{40, 25}, {1, 1}, {1, 3},   {3, 1},   {31, 1},  {1, 31},
                                {0, 5},   {5, 0}, {41, 25}, {25, 41}, {7, 333}, {64, 1024}};

static void bias_gelu_sizes(void) {
    for (const int *shape : shapes) {
        run({BIAS_GELU, shape[0], shape[1], 0, 1});
    }
    run({BIAS_GELU, many, 1, 0, 1});
}

static void bias_gelu_contract(void) {
    run({BIAS_GELU, 17, 59, 0, 4, 0, false, APART, true});
    run({BIAS_GELU, 17, 59, 0, 5, 0, false, APART, false, 1});
    run({BIAS_GELU, 10, 100, 0, 6, 0, false, ON_X, false, 3, 700});
    run({BIAS_GELU, 101, 33, 0, 7, 0, false, ON_X, true, 2, 0, true});
}

static const float few = 1e-3f, tenth = 0.1f, half = 0.5f, most = 0.999f, nearly_all = 0.99999994f;

/* Seeds and calls with something in both halves, too: each of the four words has to arrive. */
static const u64 seeds[] = {1, 42, 0x123456789ABCDEF0, 0xFFFFFFFF00000000, 7};
static const u64 calls[] = {0, 1, 0xFFFFFFFF, 0x0000000100000000, 0xFEDCBA9876543210};

static void dropout_sizes(void) {
    static const int sizes[] = {1000, 1, 3, 31, 0, 4, 5, 1023, 1025, 2, 33, 70001};
    static const float ps[] = {half, tenth, 0, most, few, nearly_all};
    for (int s = 0; s < 12; s++) {
        for (int k = 0; k < (sizes[s] < 10000 ? 3 : 1); k++) {
            run({DROPOUT, sizes[s], 1, ps[(s + k) % 6], seeds[(s + 2 * k) % 5], calls[(2 * s + k) % 5]});
        }
    }
    run({DROPOUT, 262147, 1, most, 42, 3});
    run({DROPOUT, 262147, 1, nearly_all, 42, 4});
}

static void dropout_contract(void) {
    run({DROPOUT, 1003, 1, half, 1, 1, false, APART, true});
    run({DROPOUT, 1003, 1, tenth, 2, 1, false, APART, false, 1});
    run({DROPOUT, 1002, 1, tenth, 2, 2, false, ON_X, true, 3});
    run({DROPOUT, 517, 1, half, 3, 0, false, ON_X, false, 0, 700});
    run({DROPOUT, 70001, 1, half, 9, 5, false, APART, false, 2, 0, true});
}

/* The same seed and the same call: the same elements. Another call: others, which are right as well. */
static void dropout_calls(void) {
    for (u64 call : {(u64)5, (u64)6, (u64)5, (u64)1 << 32, (u64)5 + ((u64)1 << 32)}) {
        run({DROPOUT, 3001, 1, half, 11, call});
    }
    for (u64 seed : {(u64)12, (u64)12 + ((u64)1 << 32), (u64)12}) {
        run({DROPOUT, 3001, 1, half, seed, 5});
    }
}

/* A p for which the word of one element is the threshold itself (which keeps it), or just below (which drops it, though the word rounded to
 * a float is p), or the last one below (which a threshold of p * (2^32 - 1) keeps). */
static void dropout_exact(void) {
    const u64 seed = 13, call = 2;
    const int n = 4000;
    int equal = 0, below = 0, last = 0;
    for (int i = 0; i < n && (equal < 2 || below < 2 || last < 2); i++) {
        uint32_t word = word_of(i, seed, call), threshold = threshold_of((float)word * 0x1p-32f);
        if (word > 0xFFFFFF00 || word < 0x80000000) {
            continue;
        }
        bool fits = word == threshold       ? equal++ < 2
                    : word + 1 == threshold ? last++ < 2
                                            : word < threshold && below++ < 2;
        if (fits) {
            run({DROPOUT, n, 1, (float)word * 0x1p-32f, seed, call});
        }
    }
}

static void fused_sizes(void) {
    static const float ps[] = {half, tenth, 0, 0.9f, few};
    for (int s = 0; s < 12; s++) {
        for (int k = 0; k < 2; k++) {
            run({FUSED, shapes[s][0], shapes[s][1], ps[(s + k) % 5], seeds[(s + 2 * k) % 5], calls[(2 * s + k) % 5],
                 k == 0});
        }
    }
    run({FUSED, many, 1, half, 8, 1, true});
}

static void fused_contract(void) {
    run({FUSED, 17, 59, half, 4, 1, true, APART, true});
    run({FUSED, 17, 59, half, 4, 2, false, APART, true});
    run({FUSED, 17, 59, tenth, 5, 1, true, APART, false, 1});
    run({FUSED, 16, 64, tenth, 5, 2, true, ON_X, false, 0, 700});
    run({FUSED, 17, 59, tenth, 5, 3, true, ON_RESIDUAL});
    run({FUSED, 16, 60, half, 6, 4, true, ON_RESIDUAL, true, 2});
    run({FUSED, 16, 60, half, 6, 5, false, ON_X, false, 3});
    run({FUSED, 101, 333, half, 7, 6, true, APART, false, 0, 0, true});
}

static void refused(enum part part) {
    struct handle y;
    struct work w = {part, 20, 50, half, 21, 1, part == FUSED};
    describe(&w, ", and its launch fails");
    struct arrays a = make_arrays(&w);
    judge_refused_launch(make_call(&w, &a, &y));
}

static void busy(enum part part) {
    struct handle y;
    struct work w = {part, 20, 50, half, 22, 1, part == FUSED};
    w.stream = true;
    run(w);
    describe(&w, " that is busy");
    struct arrays a = make_arrays(&w);
    judge_busy_stream(make_call(&w, &a, &y));
}

static void philox_busy(void) {
    struct handle words;
    run_philox(100, 6, true);
    struct philox_input in = make_philox_input(100, 6);
    judge_doing("philox_words, n = 100, and its stream is busy");
    judge_busy_stream(make_philox_call(&in, true, &words));
}

static void philox_refused(void) {
    struct handle words;
    struct philox_input in = make_philox_input(100, 5);
    judge_doing("philox_words, n = 100, and its launch fails");
    judge_refused_launch(make_philox_call(&in, false, &words));
}

/* What GELU costs depends on how it is written, so the student's own bias_gelu says it; if that works. */
static double gelu_instructions(void) {
    const double usual = 54;
    static double known = 0; /* for all calls of one grading */
    if (known > 0) {
        return known;
    }
    struct handle y;
    struct work w = {BIAS_GELU, 64, 1024, 0, 31};
    struct arrays a = make_arrays(&w);
    struct call c = make_call(&w, &a, &y);
    c.quiet = true;
    struct result r = judge_try(&c);
    judge_only_looked(&r);
    bool works = !r.ended && r.contents.size() > y.array &&
                 judge_first_bad(judge_content<float>(&r, y), a.expected.data(), a.expected.size(), a.atol, a.rtol) < 0;
    known = works ? std::max(usual, instructions_of(&r, &w)) : usual;
    return known;
}

/* Here the limits of all calls are judged, and of one in which every array is aligned. */
static void thrifty(enum part part) {
    run({part, 64, 1024, half, 31, 1, part == FUSED});
}

static u64 draw_wide(void) {
    return (u64)judge_draw(0, 0x7fffffff) << 32 | (u64)judge_draw(0, 0x7fffffff);
}

static void again(void) {
    judge_remark_doubles();
    run_philox(judge_draw(1, 2000), judge_draw(100, 1000000));
    for (enum part part : {BIAS_GELU, DROPOUT, FUSED}) {
        for (int k = 0; k < 2; k++) {
            struct work w = {part,        judge_draw(1, 50), judge_draw(1, 50), judge_draw(0, 900) / 1000.0f,
                             draw_wide(), draw_wide()};
            w.residual = part == FUSED && k == 0;
            w.y_at = k == 0 ? APART : ON_X;
            w.offset = judge_draw(0, 3);
            w.slack = judge_draw(0, 9);
            w.stream = k == 1;
            run(w);
        }
    }
}

#define PART_CHECKS(part, PART)                                                                                        \
    {part, part " reports a failed launch", [] { refused(PART); }, EVERYWHERE}, {                                      \
        part, part " returns without waiting", [] { busy(PART); }, EVERYWHERE                                          \
    }

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"bias_gelu", "bias_gelu, 0 to 65537 elements, odd columns", bias_gelu_sizes, EVERYWHERE},
        {"bias_gelu", "bias_gelu, NaN and infinities, any addresses, in place, only n, in a stream", bias_gelu_contract,
         EVERYWHERE},
        PART_CHECKS("bias_gelu", BIAS_GELU),
        {"bias_gelu", "bias_gelu in one launch, each element touched once", [] { thrifty(BIAS_GELU); }, ON_EMULATOR,
         LIMITS_HERE},
        {"philox", "philox_words, published answers, random counters and keys, n = 0 1 3 31 1000 1025", philox_known,
         EVERYWHERE},
        {"philox", "philox_words reports a failed launch", philox_refused, EVERYWHERE},
        {"philox", "philox_words returns without waiting", philox_busy, EVERYWHERE},
        {"dropout", "dropout, p = 0 to 0.99999994, n = 0 1 3 31 1000 1025 262147, seeds and calls of 64 bits",
         dropout_sizes, EVERYWHERE},
        {"dropout", "dropout, the same for the same seed and call, another for another", dropout_calls, EVERYWHERE},
        {"dropout", "dropout where a word meets the threshold", dropout_exact, EVERYWHERE},
        {"dropout", "dropout, NaN and infinities, any addresses, in place, only n, in a stream", dropout_contract,
         EVERYWHERE},
        PART_CHECKS("dropout", DROPOUT),
        {"dropout", "dropout in one launch, each element touched once, a Philox for four", [] { thrifty(DROPOUT); },
         ON_EMULATOR, LIMITS_HERE},
        {"bias_gelu_dropout", "bias_gelu_dropout, 0 to 65537 elements, odd columns, with a residual and without",
         fused_sizes, EVERYWHERE},
        {"bias_gelu_dropout", "bias_gelu_dropout, NaN and infinities, any addresses, in place, only n, in a stream",
         fused_contract, EVERYWHERE},
        PART_CHECKS("bias_gelu_dropout", FUSED),
        {"bias_gelu_dropout", "bias_gelu_dropout in one launch, each element touched once, a Philox for four",
         [] { thrifty(FUSED); }, ON_EMULATOR, LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "03b", {&bias_gelu_function, &philox_function, &dropout_function, &fused_function},
                      checks, sizeof checks / sizeof checks[0]);
}
