/* Grader of exercise 20c: scores and attention, as lessons/lesson20c_flash_attention/exercise.cu describes them.
 *
 * The expected result is computed in double, from inputs that are bfloat16. Except in plain jobs Q and K are whole
 * numbers, so a score is exact. The first column of both makes the scores large, small, rising or falling from key to
 * key: so the largest one has to be subtracted, to begin at -infinity, to change what was summed up before, and to
 * ignore keys that are hidden.
 *
 * How far may O be off? P is rounded to bfloat16, which changes each weight by at most 2^-8 of itself, up or down by
 * chance: so each number of O has a limit of its own (limit_of), as in lesson 20.
 *
 * More keys than queries and fewer, none of either, several heads, nothing past the end, a stream of the caller's, no
 * waiting, a launch that fails, and, on the emulator, in every run of attention: products on tensor cores, stores to
 * shared, global and local memory, operations in fp32, which tiles are loaded and how often, barriers, and blocks. */
// arch: sm_80
#include <algorithm>
#include <math.h>

#include "tools/grading/grader.h"

struct __nv_bfloat16; /* its name is all that the symbol needs */
typedef __nv_bfloat16 bf16;

static const struct function scores =
    FUNCTION(void, scores, int, int, int, const __nv_bfloat16 *, const __nv_bfloat16 *, float *, cudaStream_t);
static const struct function attention = FUNCTION(void, attention, int, int, int, int, const __nv_bfloat16 *,
                                                  const __nv_bfloat16 *, const __nv_bfloat16 *, float *, cudaStream_t);

enum { D = 64, ROWS = 64, KEYS = 32, WARP_ROWS = 16, WARPS = ROWS / WARP_ROWS };
static const double SCALE = 0.125;

/* What the scores are like: some numbers around 0, all of them large or small, larger from key to key, smaller from
 * key to key. */
enum kind { PLAIN, HIGH, LOW, RISING, FALLING };
static const char *const kinds[] = {"scores from -4 to 4", "scores of 460", "scores of -460", "scores that rise",
                                    "scores that fall"};

struct one {
    int heads, queries, keys, causal;
    enum kind kind;
    uint64_t seed;
    int slack; /* in bytes, behind each array */
    bool own_stream;
};

struct arrays {
    std::vector<uint16_t> Q, K, V;
    std::vector<float> expected, limit;
};

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// ---------------------------------------------------------------- the reference

static float of_bits(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* Rounded to the nearest bfloat16, ties to even. */
static uint16_t bits_of(float x) {
    uint32_t bits = verify_bits(x);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static std::vector<uint16_t> random_bits(size_t n, float range, uint64_t seed, bool whole) {
    std::vector<float> x(n);
    std::vector<uint16_t> bits(n);
    verify_random(x.data(), n, -range, range, seed);
    for (size_t i = 0; i < n; i++) {
        bits[i] = bits_of(whole ? rintf(x[i]) : x[i]);
    }
    return bits;
}

/* The first number of key j. That of each query is 16: in the score it is multiplied by 16 / 8. */
static float first_number(enum kind kind, int j) {
    switch (kind) {
    case HIGH:
        return 230;
    case LOW:
        return -230;
    case RISING:
        return (float)(j / 4 % 120);
    default:
        return (float)(-(j / 4 % 120));
    }
}

static int seen_by(const struct one *job, int i) {
    return job->causal ? std::max(0, std::min(job->keys, i + 1 + job->keys - job->queries)) : job->keys;
}

static double score_of(const struct one *job, const struct arrays *a, int head, int i, int j) {
    const uint16_t *q = &a->Q[((size_t)head * job->queries + i) * D], *k = &a->K[((size_t)head * job->keys + j) * D];
    double dot = 0;
    for (int d = 0; d < D; d++) {
        dot += (double)of_bits(q[d]) * of_bits(k[d]);
    }
    return dot * SCALE;
}

static double value_of(const struct one *job, const struct arrays *a, int head, int j, int c) {
    return of_bits(a->V[((size_t)head * job->keys + j) * D + c]);
}

/* The first `count` scores of a query. */
static std::vector<double> scores_of(const struct one *job, const struct arrays *a, int head, int i, int count) {
    std::vector<double> s(count);
    for (int j = 0; j < count; j++) {
        s[j] = score_of(job, a, head, i, j);
    }
    return s;
}

/* A number of O whose weights p, not divided, and products with V are known by these sums: how far it may be off.
 * Each weight is rounded once for the product, perhaps also for the sum. By chance such errors add up to the root of
 * the sum of their squares; four times that is allowed, and no more than all of them together. */
static float limit_of(double sum, double value, double terms, double squares, double weight_squares) {
    const double unit = 1.0 / 256;
    double o = value / sum;
    double all = unit * (terms / sum + fabs(o)),
           chance = 4 * unit * sqrt(squares / (sum * sum) + o * o * weight_squares / (sum * sum));
    return (float)(std::min(all, chance) + 1e-5);
}

static void expect_row(const struct one *job, struct arrays *a, int head, int i) {
    int seen = seen_by(job, i);
    std::vector<double> s = scores_of(job, a, head, i, seen);
    double largest = seen ? *std::max_element(s.begin(), s.end()) : 0, sum = 0, weight_squares = 0;
    double value[D] = {}, terms[D] = {}, squares[D] = {};
    for (int j = 0; j < seen; j++) {
        double p = exp(s[j] - largest);
        sum += p;
        weight_squares += p * p;
        for (int c = 0; c < D; c++) {
            double term = p * value_of(job, a, head, j, c);
            value[c] += term;
            terms[c] += fabs(term);
            squares[c] += term * term;
        }
    }
    for (int c = 0; c < D; c++) {
        a->expected.push_back(seen ? (float)(value[c] / sum) : 0.0f);
        a->limit.push_back(seen ? limit_of(sum, value[c], terms[c], squares[c], weight_squares) : 0.0f);
    }
}

static struct arrays make_inputs(const struct one *job) {
    bool whole = job->kind != PLAIN;
    size_t count_Q = (size_t)job->heads * job->queries * D, count_K = (size_t)job->heads * job->keys * D;
    struct arrays a = {random_bits(count_Q, whole ? 1.49f : 2.5f, job->seed, whole),
                       random_bits(count_K, whole ? 1.49f : 1.5f, job->seed + 1000, whole),
                       random_bits(count_K, 1, job->seed + 2000, false),
                       {},
                       {}};
    for (size_t i = 0; whole && i < count_Q; i += D) {
        a.Q[i] = bits_of(16);
    }
    for (size_t i = 0; whole && i < count_K; i += D) {
        a.K[i] = bits_of(first_number(job->kind, (int)(i / D % job->keys)));
    }
    return a;
}

static struct arrays make(const struct one *job) {
    struct arrays a = make_inputs(job);
    for (int head = 0; head < job->heads; head++) {
        for (int i = 0; i < job->queries; i++) {
            expect_row(job, &a, head, i);
        }
    }
    return a;
}

static std::string text_of(const struct one *job) {
    return judge_print("%d queries, %d keys, %s%s, seed %llu%s", job->queries, job->keys, job->causal ? "causal, " : "",
                       kinds[job->kind], (unsigned long long)job->seed, job->own_stream ? ", in a stream" : "");
}

// ---------------------------------------------------------------- scores

/* S, as TODO 1 and 2 make it. */
static std::vector<float> expected_scores(const struct one *job, const struct arrays *a) {
    int columns = ceil_div(job->keys, KEYS) * KEYS;
    std::vector<float> S;
    for (int i = 0; i < job->queries; i++) {
        for (int j = 0; j < columns; j++) {
            S.push_back(j < seen_by(job, i) ? (float)score_of(job, a, 0, i, j) : -INFINITY);
        }
    }
    return S;
}

static std::string why_score(const struct one *job, const struct arrays *a, long long bad, float found) {
    int columns = ceil_div(job->keys, KEYS) * KEYS, i = (int)(bad / columns), j = (int)(bad % columns);
    std::string why =
        judge_print("that is query %d, which sees %d of %d keys, and key %d", i, seen_by(job, i), job->keys, j);
    if (j >= job->keys) {
        return why + ", which does not exist: a tile has 32 keys, and its last rows may be zeros";
    }
    double score = score_of(job, a, 0, i, j);
    auto is = [&](double x) { return fabs(x - found) <= 1e-4 * (1 + fabs(x)); };
    if (is(score / SCALE)) {
        return why + "; found is the product of q and k, not divided by sqrt(64)";
    }
    if (is(score * SCALE) || is(score * 8 / 64)) {
        return why + "; found is the product of q and k divided by 64: sqrt(64) is 8";
    }
    if (is(score)) {
        return why + ", which is hidden from this query; found is its score";
    }
    if (found == -INFINITY && j < seen_by(job, i)) {
        return why + ", which this query sees: it is hidden from others only";
    }
    return why;
}

static struct call scores_call(const struct one *job, const struct arrays *a, size_t n, struct handle *S) {
    struct call call = judge_call(&scores);
    struct place place = {0, (size_t)job->slack};
    struct handle Q = judge_input(&call, "Q", a->Q.data(), a->Q.size() * sizeof(uint16_t), place);
    struct handle K = judge_input(&call, "K", a->K.data(), a->K.size() * sizeof(uint16_t), place);
    *S = judge_output(&call, "S", n * sizeof(float), place);
    if (job->own_stream) {
        judge_own_stream(&call);
    }
    judge_pass(&call, job->queries, job->keys, job->causal, Q, K, *S, STREAM);
    return call;
}

static void run_scores(const struct one job) {
    struct handle S;
    judge_doing("scores, %s", text_of(&job).c_str());
    struct arrays a = make_inputs(&job);
    std::vector<float> expected = expected_scores(&job, &a);
    struct call call = scores_call(&job, &a, expected.size(), &S);
    struct result r = judge_run(&call);
    judge_compare(
        &r, S, expected.data(), expected.size(), 1e-4, 1e-5,
        [&](long long bad) { return why_score(&job, &a, bad, judge_content<float>(&r, S)[bad]); }, NOBODY_KNOWS);
    judge_rest(&r);
}

static void scaled(void) {
    run_scores({1, 64, 32, 0, PLAIN, 1});
    run_scores({1, 70, 96, 0, RISING, 2});
}

static void hidden(void) {
    run_scores({1, 64, 64, 1, PLAIN, 6});
    run_scores({1, 20, 50, 0, PLAIN, 5});
    run_scores({1, 33, 71, 1, LOW, 7});
    run_scores({1, 71, 33, 1, PLAIN, 8, 32});
    run_scores({1, 0, 40, 1, PLAIN, 9});
    run_scores({1, 40, 0, 1, PLAIN, 10});
    run_scores({1, 17, 1, 0, FALLING, 11, 0, true});
}

static void scores_busy(void) {
    const struct one job = {1, 33, 40, 1, PLAIN, 12, 0, true};
    struct handle S;
    run_scores(job);
    judge_doing("scores, %s that is busy", text_of(&job).c_str());
    struct arrays a = make_inputs(&job);
    judge_busy_stream(scores_call(&job, &a, expected_scores(&job, &a).size(), &S));
}

// ---------------------------------------------------------------- what a call of attention may do

/* What a job is made of, for all heads: blocks of 64 queries, the tiles of 32 keys and the rows of K that these see,
 * and products on tensor cores: as many as the tiles have; as many as there have to be, for each warp and each 16
 * keys. */
struct parts {
    double blocks, tiles, rows, most_products, least_products;
};

static struct parts parts_of(const struct one *job) {
    enum {
        OF_16_KEYS = 2 * (D / 16) + D / 8
    }; /* two of 16 x 8 scores, for each 16 columns of Q; eight of 16 x 8 values */
    struct parts p = {(double)ceil_div(job->queries, ROWS), 0, 0, 0, 0};
    for (int first = 0; first < job->queries; first += ROWS) {
        int tiles = ceil_div(seen_by(job, std::min(first + ROWS, job->queries) - 1), KEYS);
        p.tiles += tiles;
        p.rows += std::min(tiles * KEYS, job->keys);
        p.most_products += (double)tiles * WARPS * (KEYS / 16) * OF_16_KEYS;
    }
    for (int first = 0; first < job->queries; first += WARP_ROWS) {
        int seen = seen_by(job, std::min(first + WARP_ROWS, job->queries) - 1);
        p.least_products += (double)ceil_div(seen, 16) * OF_16_KEYS;
    }
    for (double *of_a_head : {&p.blocks, &p.tiles, &p.rows, &p.most_products, &p.least_products}) {
        *of_a_head *= job->heads;
    }
    return p;
}

struct handles {
    struct handle Q, K, V, O;
};

static void judge_products(const struct result *r, const struct parts *p) {
    const double most_operations = 32.0 * ROWS * KEYS, once = 4.0 * ROWS * D; /* for a tile; for a block, at its end */
    const struct emulatorCounters *c = &r->answer.counters;
    double products = (double)c->tensor_products, operations = (double)c->float_operations;
    if (products < p->least_products || products > p->most_products) {
        judge_fail("access_limit",
                   "the result is right, but %.0f mma were executed; the two products need %.0f%s.\n"
                   "          A tile has 64 x 32 scores and 64 x 64 values: 128 mma.m16n8k16 for a block, 64 for each "
                   "of the two products.",
                   products, p->most_products,
                   p->least_products < p->most_products
                       ? judge_print(" (or fewer, but at least %.0f)", p->least_products).c_str()
                       : "");
    }
    if (operations > most_operations * p->tiles + once * p->blocks) {
        judge_fail("access_limit",
                   "the result is right, but for each score %.1f operations were executed in fp32 (limit 32).\n"
                   "          Both products belong to the tensor cores; between them are a few operations for each "
                   "score.",
                   operations / std::max(1.0, p->tiles * ROWS * KEYS));
    }
}

/* Shared memory takes the tiles of K and V, 128 bytes in a wavefront, and a block's queries; atomics and bulk copies
 * would write there as well. */
static void judge_registers(const struct result *r, const struct parts *p, const struct handles *h,
                            const struct one *job) {
    const double most = 1.1, row = D * sizeof(uint16_t) / 128.0;
    const double most_written = 1.3, room = 64; /* a compiler may split a store; sectors: a counter, flags */
    const struct emulatorCounters *c = &r->answer.counters;
    double tiles = (2 * KEYS * p->tiles + ROWS * p->blocks) * row;
    double stored =
        (double)(c->shared_store_wavefronts + c->async_copy_wavefronts + c->shared_atomic_wavefronts + c->bulk_places);
    double whole = (double)job->heads * job->queries * D * sizeof(float) / 32;
    double written = judge_sectors_written_of(r, h->O), elsewhere = judge_sectors_elsewhere(r);
    if (stored > most * tiles) {
        judge_fail(
            "access_limit",
            "the result is right, but shared memory was written in %.0f wavefronts; the tiles of Q, K and V need "
            "%.0f (limit %.1f\n          times). P need not go there: two neighbours of c are what the same lane "
            "holds of the operand a.",
            stored, tiles, most);
    }
    if (written > most_written * whole || elsewhere > room) {
        judge_fail(
            "access_limit",
            "the result is right, but %.2f times the sectors of O were stored there (limit %.1f), and %.0f "
            "sectors were\n          written or read elsewhere in global memory. Scores and probabilities stay in "
            "registers.",
            written / whole, most_written, elsewhere);
    }
    if (c->local_requests > 0) {
        judge_fail("access_limit",
                   "the result is right, but %llu times a warp accessed local memory, which is in global memory.\n"
                   "          Registers have no addresses: an array is in registers if all its indices are constants, "
                   "so unroll\n          its loops (#pragma unroll).",
                   (unsigned long long)c->local_requests);
    }
}

static void judge_loads(const struct result *r, const struct parts *p, const struct handles *h, const struct one *job) {
    const double most = 1.1, row = D * sizeof(uint16_t) / 32.0;
    for (struct handle tiled : {h->K, h->V}) {
        double sectors = judge_sectors_of(r, tiled), needed = p->rows * row;
        if (sectors > most * needed) {
            judge_fail(
                "access_limit",
                "the result is right, but of %s %.0f sectors were read; the tiles that a block's queries see have "
                "%.0f\n          (limit %.1f times). Each is loaded once for a block, and tiles that no query "
                "sees are skipped.",
                r->call.arrays[tiled.array].name, sectors, needed, most);
        }
    }
    if (judge_sectors_of(r, h->Q) > most * job->heads * job->queries * row) {
        judge_fail("access_limit",
                   "the result is right, but of Q %.0f sectors were read where %.0f hold it (limit %.1f times).\n"
                   "          A warp's queries stay in registers for all of its tiles.",
                   judge_sectors_of(r, h->Q), job->heads * job->queries * row, most);
    }
}

/* Blocks are those that write results: idle ones are no help. */
static void judge_blocks(const struct result *r, const struct parts *p) {
    unsigned long long wrote = 0, most_bytes = 0;
    double warps = 0, barriers = (double)r->answer.counters.barriers;
    for (const struct launch &l : r->launches) {
        wrote += l.output_blocks;
        most_bytes = std::max(most_bytes, (unsigned long long)l.most_output_bytes);
        warps = std::max(warps, ceil(l.block[0] * l.block[1] * l.block[2] / 32.0));
    }
    if ((double)wrote < p->blocks || most_bytes > ROWS * D * sizeof(float)) {
        judge_fail("access_limit",
                   "the result is right, but %llu blocks wrote O, one of them %llu rows; there are %.0f times 64 "
                   "queries of a head.\n          Each 64 queries of a head have their own block.",
                   wrote, most_bytes / (D * sizeof(float)), p->blocks);
    }
    if (barriers > (2 * p->tiles + 2 * p->blocks) * warps) {
        judge_fail("access_limit",
                   "the result is right, but a block came to %.1f barriers, on average, for %.1f tiles.\n"
                   "          Two a tile are enough: before it is written, and before it is read.",
                   barriers / (p->blocks * warps), p->tiles / p->blocks);
    }
}

static void limits(const struct result *r, const struct one *job, const struct handles *h) {
    struct parts p = parts_of(job);
    if (judge_counted(r) && p.blocks > 0) {
        judge_loads(r, &p, h, job);
        judge_products(r, &p);
        judge_registers(r, &p, h, job);
        judge_blocks(r, &p);
    }
}

// ---------------------------------------------------------------- what a wrong result looks like

/* One number of O, and a value that was found in its place. */
struct looked {
    const struct one *job;
    const struct arrays *a;
    int head, i, c;
    float found, limit;
};

static bool is(const struct looked *l, double x) {
    return fabs(x - l->found) <= std::max((double)l->limit, fabs(x) / 128);
}

/* The mean over the first `seen` keys; a weight is exp(per * score). `times_sum`: not divided. */
static double mean(const struct looked *l, int head, int seen, double per = 1, bool times_sum = false) {
    std::vector<double> s = scores_of(l->job, l->a, head, l->i, seen);
    double largest = seen ? per * *std::max_element(s.begin(), s.end()) : 0, sum = 0, value = 0;
    for (int j = 0; j < seen; j++) {
        double p = exp(per * s[j] - largest);
        sum += p;
        value += p * value_of(l->job, l->a, head, j, l->c);
    }
    return !seen ? 0 : times_sum ? value : value / sum;
}

/* The two fields of a position in 16 x 16 elements, row * 16 + column, with bits `i` and `j` exchanged, and those of
 * `turned` inverted. */
static int mixed(int place, int i, int j, int turned) {
    int differ = (place >> i ^ place >> j) & 1;
    return (place ^ (differ << i | differ << j)) ^ turned;
}

/* This number, if the operand a had at each place what belongs at the other one. One tile, no mask: then each row has
 * its own largest score. */
static double with_mixed(const struct looked *l, int i, int j, int turned) {
    int row = l->i % 16, first = l->i - row;
    double sum = 0, value = 0, own[KEYS], weight[16][KEYS];
    for (int q = 0; q < 16; q++) {
        std::vector<double> s = scores_of(l->job, l->a, l->head, first + q, KEYS);
        double largest = *std::max_element(s.begin(), s.end());
        for (int k = 0; k < KEYS; k++) {
            weight[q][k] = exp(s[k] - largest);
        }
    }
    for (int k = 0; k < KEYS; k++) {
        int other = mixed(row * 16 + k % 16, i, j, turned);
        own[k] = weight[other / 16][k / 16 * 16 + other % 16];
        sum += weight[row][k];
        value += own[k] * value_of(l->job, l->a, l->head, k, l->c);
    }
    return value / sum;
}

/* Explains a wrong operand a by the places that were confused. */
static std::string mixed_up(const struct looked *l) {
    enum { COLUMN_8 = 1 << 3, ROW_8 = 1 << 7, PAIR = 1, BITS = 8 };
    if (l->job->keys != KEYS || l->job->causal || l->job->queries % 16) {
        return "";
    }
    if (is(l, with_mixed(l, 0, 0, PAIR))) {
        return " with the two halves of each register of P exchanged: the lower column is in the low half";
    }
    if (is(l, with_mixed(l, 0, 0, COLUMN_8))) {
        return " with the weights of keys 0 to 7 and 8 to 15 exchanged: which product of S comes first?";
    }
    if (is(l, with_mixed(l, 0, 0, ROW_8))) {
        return " with the weights of the row eight further: p[0] and p[2] belong to row g, p[1] and p[3] to g + 8";
    }
    if (is(l, with_mixed(l, 3, 7, 0))) {
        return " with p[1] and p[2] exchanged: p[1] is row g + 8, p[2] is row g and the columns from 8 on";
    }
    return "";
}

/* What a known mistake would have led to. */
static std::string reason(const struct looked *l) {
    int seen = seen_by(l->job, l->i), keys = l->job->keys;
    if (seen > 1 && is(l, mean(l, l->head, seen, log(2.0)))) {
        return "the mean weighted by powers of 2, exp2(score) without log2(e)";
    }
    if (seen > 1 && is(l, mean(l, l->head, seen, 1 / SCALE))) {
        return "the mean for scores that are not divided by sqrt(64)";
    }
    if (seen > 1 && is(l, mean(l, l->head, seen, 1, true))) {
        return "the sum, not divided by the sum of the weights";
    }
    for (int other : {seen - 1, seen + 1, std::min(l->i + 1, keys), keys}) {
        if (other >= 0 && other <= keys && other != seen && is(l, mean(l, l->head, other))) {
            return judge_print("the mean of the first %d keys", other);
        }
    }
    for (int n = KEYS; n < seen; n += KEYS) {
        if (is(l, mean(l, l->head, n))) {
            return judge_print("the mean of the first %d keys only", n);
        }
    }
    for (int other = 0; other < l->job->heads; other++) {
        if (other != l->head && is(l, mean(l, other, seen))) {
            return judge_print("the mean of head %d", other);
        }
    }
    std::string places = mixed_up(l);
    return places.empty() ? "" : "the mean" + places;
}

static void look(const struct one *job, const struct arrays *a, const struct result *r, struct handle O) {
    const float *found = judge_content<float>(r, O);
    long long n = (long long)a->expected.size(), bad = 0;
    while (bad < n && fabsf(found[bad] - a->expected[bad]) <= a->limit[bad]) { /* false for NaN */
        bad++;
    }
    if (bad < n) {
        int row = (int)(bad / D), i = row % job->queries;
        struct looked l = {job, a, row / job->queries, i, (int)(bad % D), found[bad], a->limit[bad]};
        std::string why = judge_print("that is head %d, query %d, which sees %d keys, column %d (%.2g off is allowed)",
                                      l.head, i, seen_by(job, i), l.c, l.limit);
        std::string known = isnan(found[bad]) || verify_is_poison(found[bad]) ? "" : reason(&l);
        judge_reject(r, found, a->expected.data(), a->expected.size(), bad,
                     why + (known.empty() ? "" : "; found is\n          " + known), NOBODY_KNOWS);
    }
    judge_rest(r);
}

// ---------------------------------------------------------------- attention

static struct call call_for(const struct one *job, const struct arrays *a, struct handle *O) {
    struct call c = judge_call(&attention);
    struct place place = {0, (size_t)job->slack};
    struct handles h;
    h.Q = judge_input(&c, "Q", a->Q.data(), a->Q.size() * sizeof(uint16_t), place);
    h.K = judge_input(&c, "K", a->K.data(), a->K.size() * sizeof(uint16_t), place);
    h.V = judge_input(&c, "V", a->V.data(), a->V.size() * sizeof(uint16_t), place);
    h.O = *O = judge_output(&c, "O", a->expected.size() * sizeof(float), place);
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, job->heads, job->queries, job->keys, job->causal, h.Q, h.K, h.V, h.O, STREAM);
    struct one of = *job;
    c.limits = [=](const struct result *r) { limits(r, &of, &h); };
    return c;
}

static struct result run(const struct one job, bool count = false) {
    struct handle O;
    judge_doing("attention, %d heads, %s%s", job.heads, text_of(&job).c_str(), count ? ", what is counted" : "");
    struct arrays a = make(&job);
    struct call c = call_for(&job, &a, &O);
    if (count) {
        judge_count(&c);
    }
    struct result r = judge_run(&c);
    look(&job, &a, &r, O);
    return r;
}

static void one_tile(void) {
    run({1, 64, 32, 0, PLAIN, 20});
    run({1, 16, 32, 0, PLAIN, 21});
}

static void tiles(void) {
    run({1, 64, 64, 0, PLAIN, 22});
    run({2, 128, 160, 0, PLAIN, 23});
    run({1, 64, 128, 1, PLAIN, 24});
    run({1, 128, 128, 1, PLAIN, 25});
}

static void ragged(void) {
    static const int both[][2] = {{1, 1}, {31, 31}, {33, 65}, {1, 100}, {20, 77}, {100, 20}, {70, 1}, {130, 63}};
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        run({1 + (int)i % 2, both[i][0], both[i][1], (int)i % 3 != 0, PLAIN, 30 + i});
    }
}

static void kinds_of_scores(void) {
    for (enum kind kind : {HIGH, LOW, RISING, FALLING}) {
        run({1, 70, 90, 0, kind, (uint64_t)40 + kind});
        run({1, 80, 75, 1, kind, (uint64_t)50 + kind});
    }
    run({1, 20, 260, 0, RISING, 60});
}

static void contract(void) {
    run({2, 0, 16, 1, PLAIN, 70});
    run({2, 16, 0, 1, PLAIN, 71});
    run({0, 16, 16, 0, PLAIN, 72});
    run({3, 45, 50, 0, PLAIN, 73, 48});
    run({1, 70, 80, 1, FALLING, 74, 16, true});
}

static void refused(void) {
    const struct one job = {1, 33, 40, 1, PLAIN, 80};
    struct handle O;
    judge_doing("attention, %s, and its launch fails", text_of(&job).c_str());
    struct arrays a = make(&job);
    judge_refused_launch(call_for(&job, &a, &O));
}

static void busy(void) {
    const struct one job = {1, 33, 40, 1, PLAIN, 81, 0, true};
    struct handle O;
    run(job);
    judge_doing("attention, %s that is busy", text_of(&job).c_str());
    struct arrays a = make(&job);
    judge_busy_stream(call_for(&job, &a, &O));
}

static void counted(void) {
    const struct one job = {1, 192, 192, 1, PLAIN, 90};
    struct result r = run(job, true);
    const struct emulatorCounters *c = &r.answer.counters;
    struct parts p = parts_of(&job);
    judge_note(
        "%.0f mma for each block and tile, %.1f operations for each score, %.2f times the wavefronts of the tiles",
        (double)c->tensor_products / p.tiles, (double)c->float_operations / (p.tiles * ROWS * KEYS),
        (double)(c->shared_store_wavefronts + c->async_copy_wavefronts) / (2 * KEYS * p.tiles + ROWS * p.blocks));
}

static void again(void) {
    run_scores(
        {1, judge_draw(1, 80), judge_draw(1, 80), judge_draw(0, 1), PLAIN, (uint64_t)judge_draw(10000, 1000000)});
    for (int causal : {0, 1}) {
        run({judge_draw(1, 3), judge_draw(1, 150), judge_draw(1, 150), causal, PLAIN,
             (uint64_t)judge_draw(10000, 1000000), judge_draw(0, 3) * 16});
    }
    run({1, judge_draw(65, 150), judge_draw(33, 150), judge_draw(0, 1), judge_draw(0, 1) ? RISING : LOW,
         (uint64_t)judge_draw(10000, 1000000), 0, true});
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"scores", "scores are scaled: whole tiles, 64 x 32 and 70 x 96", scaled, EVERYWHERE},
        {"scores", "scores are hidden: causal, keys past the end, 20 x 50, 33 x 71, 71 x 33, 17 x 1 and others", hidden,
         EVERYWHERE},
        {"scores", "scores returns without waiting", scores_busy, EVERYWHERE},
        {"attention", "attention, one tile: 64 and 16 queries, 32 keys", one_tile, EVERYWHERE},
        {"attention", "attention, several tiles: 64 x 64, 128 x 160, 64 x 128 and 128 x 128", tiles, EVERYWHERE},
        {"attention", "attention, any lengths: 1 x 1, 31 x 31, 33 x 65, 1 x 100, 100 x 20, 130 x 63 and others", ragged,
         EVERYWHERE},
        {"attention", "attention, scores of 460 and of -460, scores that rise and that fall", kinds_of_scores,
         EVERYWHERE},
        {"attention", "attention, no queries, no keys, no heads, nothing past the end, in a stream", contract,
         EVERYWHERE},
        {"attention", "attention reports a failed launch", refused, EVERYWHERE},
        {"attention", "attention returns without waiting", busy, EVERYWHERE},
        {"attention", "attention: both products on tensor cores, P in registers", counted, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "20c", {&scores, &attention}, checks, sizeof checks / sizeof checks[0]);
}
