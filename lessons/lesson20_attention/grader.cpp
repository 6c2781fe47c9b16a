/* Grader of exercise 20: attention, as lessons/lesson20_attention/exercise.cu describes it.
 *
 * Q and K are whole numbers in most jobs, so that a score is exact and only exp and the sums are not. The first column of both makes the scores
 * large, small, or larger with each key, as a job likes: so the largest score has to be subtracted, to begin at -infinity, and to change
 * what was summed up before.
 *
 * More keys than queries and fewer, none of either, shared heads, arrays that begin anywhere, nothing past the end, a stream of the
 * caller's, no waiting, a launch that fails, and, on the emulator, in every run, which tiles are loaded, how often, barriers, and what is stored. */
// arch: sm_80
#include <math.h>

#include "tools/grading/grader.h"

static const struct function attention =
    FUNCTION(void, attention, int, int, int, int, const float *, const float *, const float *, float *, cudaStream_t);

enum { D = 32, ROWS = 32, KEYS = 32 };

/* What the scores are like: some numbers around 0, all of them large or small, larger from key to key, smaller from key to key. */
enum kind { PLAIN, HIGH, LOW, RISING, FALLING };
static const char *const kinds[] = {"scores from -5 to 5", "scores of 460", "scores of -460", "scores that rise",
                                    "scores that fall"};

struct one {
    int queries, keys, heads, heads_kv;
    enum kind kind;
    uint64_t seed;
    int offset, slack; /* in floats, before and behind each array */
    bool own_stream;
};

struct arrays {
    std::vector<float> Q, K, V, expected;
};

static std::vector<float> random_floats(size_t n, float range, uint64_t seed, bool whole) {
    std::vector<float> x(n);
    verify_random(x.data(), n, -range, range, seed);
    for (size_t i = 0; whole && i < n; i++) {
        x[i] = rintf(x[i]);
    }
    return x;
}

/* The first number of key j. That of each query is 20: in the score it is multiplied by 20 / sqrt(32), 3.5. */
static float first_number(enum kind kind, int j) {
    switch (kind) {
    case HIGH:
        return 130;
    case LOW:
        return -130;
    case RISING:
        return (float)(j / 8 % 100);
    case FALLING:
        return (float)(-(j / 8 % 100));
    default:
        return 0;
    }
}

static int seen_by(const struct one *job, int i) {
    return std::max(0, i + 1 + job->keys - job->queries);
}

/* Column c of query i, with the first `seen` keys; a weight is exp(per * score). */
static double mean(const struct one *job, const struct arrays *a, int i, int head, int head_kv, int seen, int c,
                   double per = 1) {
    double largest = -INFINITY, sum = 0, value = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < seen; j++) {
            const float *q = &a->Q[((size_t)i * job->heads + head) * D];
            const float *k = &a->K[((size_t)j * job->heads_kv + head_kv) * D];
            double dot = 0;
            for (int d = 0; d < D; d++) {
                dot += (double)q[d] * k[d];
            }
            dot *= per / sqrt((double)D);
            if (pass == 0) {
                largest = std::max(largest, dot);
            } else {
                double p = exp(dot - largest);
                sum += p;
                value += p * a->V[((size_t)j * job->heads_kv + head_kv) * D + c];
            }
        }
    }
    return seen ? value / sum : 0;
}

/* All columns of query i at once. */
static void expect_row(const struct one *job, struct arrays *a, int i, int head) {
    int head_kv = head / (job->heads / job->heads_kv), seen = seen_by(job, i);
    const float *q = &a->Q[((size_t)i * job->heads + head) * D];
    std::vector<double> score(seen);
    double largest = -INFINITY, sum = 0, value[D] = {};
    for (int j = 0; j < seen; j++) {
        double dot = 0;
        for (int d = 0; d < D; d++) {
            dot += (double)q[d] * a->K[((size_t)j * job->heads_kv + head_kv) * D + d];
        }
        score[j] = dot / sqrt((double)D);
        largest = std::max(largest, score[j]);
    }
    for (int j = 0; j < seen; j++) {
        double p = exp(score[j] - largest);
        sum += p;
        for (int c = 0; c < D; c++) {
            value[c] += p * a->V[((size_t)j * job->heads_kv + head_kv) * D + c];
        }
    }
    for (int c = 0; c < D; c++) {
        a->expected.push_back(seen ? (float)(value[c] / sum) : 0.0f);
    }
}

static struct arrays make(const struct one *job) {
    bool whole = job->kind != PLAIN;
    size_t count_Q = (size_t)job->queries * job->heads * D, count_K = (size_t)job->keys * job->heads_kv * D;
    struct arrays a = {random_floats(count_Q, whole ? 1.49f : 3.0f, job->seed, whole),
                       random_floats(count_K, whole ? 2.49f : 2.0f, job->seed + 1000, whole),
                       random_floats(count_K, 1, job->seed + 2000, false),
                       {}};
    for (size_t i = 0; whole && i < count_Q; i += D) {
        a.Q[i] = 20;
    }
    for (size_t i = 0; whole && i < count_K; i += D) {
        a.K[i] = first_number(job->kind, (int)(i / D / job->heads_kv));
    }
    for (int i = 0; i < job->queries; i++) {
        for (int head = 0; head < job->heads; head++) {
            expect_row(job, &a, i, head);
        }
    }
    return a;
}

// ---------------------------------------------------------------- what a call may do

/* What a job is made of: blocks of 32 queries, and the tiles of 32 keys and the rows in them that these see, for one head. */
struct parts {
    int blocks, tiles, rows, all_tiles;
};

static struct parts parts_of(const struct one *job) {
    struct parts p = {(job->queries + ROWS - 1) / ROWS, 0, 0, 0};
    for (int first = 0; first < job->queries; first += ROWS) {
        int tiles = (seen_by(job, std::min(first + ROWS, job->queries) - 1) + KEYS - 1) / KEYS;
        p.tiles += tiles;
        p.rows += std::min(tiles * KEYS, job->keys);
    }
    p.all_tiles = p.blocks * ((job->keys + KEYS - 1) / KEYS);
    return p;
}

struct handles {
    struct handle Q, K, V, O;
};

/* A row is four sectors, or five where rows begin between two. */
static double sectors_of_rows(const struct one *job, double rows) {
    return rows * job->heads * (job->offset % 8 ? 5 : 4);
}

static void judge_loads(const struct result *r, const struct one *job, const struct handles *h) {
    const double most = 1.1;
    struct parts p = parts_of(job);
    double needed = sectors_of_rows(job, p.rows);
    for (struct handle tiled : {h->K, h->V}) {
        double sectors = judge_sectors_of(r, tiled);
        double loaded = sectors / std::max(1.0, sectors_of_rows(job, p.all_tiles ? KEYS : 1));
        double every = sectors_of_rows(job, (double)p.blocks * job->keys);
        if (sectors > most * needed) {
            judge_fail(
                "access_limit",
                "the result is right, but of %s %.0f sectors were read where %.0f are needed (limit %.1f times): "
                "as many as for "
                "%.0f tiles\n          of 32 keys for each head. Only %d of all %d tiles have a key that "
                "is seen: %s.",
                r->call.arrays[tiled.array].name, sectors, needed, most, loaded, p.tiles, p.all_tiles,
                sectors > 0.97 * every && sectors < 1.03 * every
                    ? "the others are skipped, not hidden"
                    : "these are loaded once,\n          and no other, and the queries once");
        }
    }
    if (judge_sectors_of(r, h->Q) > most * sectors_of_rows(job, job->queries)) {
        judge_fail("access_limit",
                   "the result is right, but of Q %.0f sectors were read where %.0f hold it (limit %.1f times).\n"
                   "          A block's queries stay in shared memory or registers for all of its tiles.",
                   judge_sectors_of(r, h->Q), sectors_of_rows(job, job->queries), most);
    }
}

static void judge_stores(const struct result *r, const struct one *job, const struct handles *h) {
    const double most = 1.1, room = 64; /* a counter, flags */
    double whole = sectors_of_rows(job, job->queries);
    double stored = judge_sectors_written_of(r, h->O), elsewhere = judge_sectors_elsewhere(r);
    if (stored > most * whole || elsewhere > (most - 1) * whole + room) {
        judge_fail("access_limit",
                   "the result is right, but %.2f times the sectors of O were stored there (limit %.1f), and %.0f "
                   "sectors were\n          written or read elsewhere in global memory. Scores and probabilities need "
                   "not leave the block.",
                   stored / whole, most, elsewhere);
    }
}

/* Blocks are those that write results: idle ones are no help. */
static void judge_blocks(const struct result *r, const struct one *job) {
    struct parts p = parts_of(job);
    double blocks = (double)p.blocks * job->heads, barriers = (double)r->answer.counters.barriers, warps = 0;
    /* Of a head, and whole: a quotient is rounded, and might forbid the last barrier that is allowed. */
    double most = 2.0 * p.tiles + 2.0 * p.blocks;
    unsigned long long wrote = 0, most_bytes = 0;
    for (const struct launch &l : r->launches) {
        wrote += l.output_blocks;
        most_bytes = std::max(most_bytes, (unsigned long long)l.most_output_bytes);
        warps = std::max(warps, ceil(l.block[0] * l.block[1] * l.block[2] / 32.0));
    }
    if (wrote < blocks || most_bytes > ROWS * D * sizeof(float)) {
        judge_fail("access_limit",
                   "the result is right, but %llu blocks wrote O, one of them %llu rows; there are %.0f times 32 "
                   "queries of a head.\n          A GPU has many SMs: launch a block for each 32 queries of a head.",
                   wrote, most_bytes / (D * sizeof(float)), blocks);
    }
    if (barriers > most * job->heads * warps) {
        judge_fail("access_limit",
                   "the result is right, but a block executed %.1f barriers, on average, for %.1f tiles (limit "
                   "%.1f).\n          Two per tile are enough: before it is written, and before it is read.",
                   barriers / (blocks * warps), (double)p.tiles / p.blocks, most / p.blocks);
    }
}

static void limits(const struct result *r, const struct one *job, const struct handles *h) {
    if (judge_counted(r) && job->queries > 0 && job->heads > 0) {
        judge_stores(r, job, h);
        judge_loads(r, job, h);
        judge_blocks(r, job);
    }
}

static struct call call_for(const struct one *job, const struct arrays *a, struct handle *O) {
    struct call c = judge_call(&attention);
    struct place place = {job->offset * sizeof(float), job->slack * sizeof(float)};
    struct handles h;
    h.Q = judge_input(&c, "Q", a->Q.data(), a->Q.size() * sizeof(float), place);
    h.K = judge_input(&c, "K", a->K.data(), a->K.size() * sizeof(float), place);
    h.V = judge_input(&c, "V", a->V.data(), a->V.size() * sizeof(float), place);
    h.O = *O = judge_output(&c, "O", a->expected.size() * sizeof(float), place);
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, job->queries, job->keys, job->heads, job->heads_kv, h.Q, h.K, h.V, h.O, STREAM);
    struct one of = *job;
    c.limits = [=](const struct result *r) { limits(r, &of, &h); };
    return c;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("attention, %d queries, %d keys, %d heads (%d of K and V), %s, seed %llu%s%s%s", job->queries,
                job->keys, job->heads, job->heads_kv, kinds[job->kind], (unsigned long long)job->seed,
                job->offset ? ", arrays somewhere in their memory" : "", job->own_stream ? ", in a stream" : "", what);
}

/* What a known mistake would have led to. */
static std::string reason(const struct one *job, const struct arrays *a, int i, int head, int c, float found) {
    int own = head / (job->heads / job->heads_kv), seen = seen_by(job, i);
    auto is = [&](int head_kv, int n) {
        return n >= 0 && n <= job->keys && fabs(mean(job, a, i, head, head_kv, n, c) - found) <= 1e-4;
    };
    if (seen > 0 && found == 0) {
        return " of no key: it also attends to its own position, and its largest weight is exp(0), 1";
    }
    if (seen > 1 && fabs(mean(job, a, i, head, own, seen, c, log(2.0)) - found) <= 1e-4) {
        return " weighted by powers of 2, exp2(score) without log2(e): exp(x) is exp2(x * log2(e))";
    }
    if (seen > 0 && is(own, seen - 1)) {
        return ", with one key too few: it also attends to its own position";
    }
    if (is(own, seen + 1)) {
        return ", with one key too many";
    }
    if (is(own, std::min(i + 1, job->keys))) {
        return ", with keys up to its index, as if the first query were aligned with the first key: the last is "
               "aligned with the last";
    }
    if (is(own, job->keys)) {
        return ", with all keys";
    }
    for (int n = KEYS; n < seen; n += KEYS) {
        if (is(own, n)) {
            return ", with the first " + std::to_string(n) + " keys only";
        }
    }
    for (int other = 0; other < job->heads_kv; other++) {
        if (other != own && is(other, seen)) {
            return ", with head " + std::to_string(other) + " of K and V in the place of " + std::to_string(own);
        }
    }
    return "";
}

static void look(const struct one *job, const struct arrays *a, const struct result *r, struct handle O) {
    static bool launched; /* in any call so far */
    size_t n = a->expected.size();
    const float *found = judge_content<float>(r, O);
    long long bad = judge_first_bad(found, a->expected.data(), n, 1e-4, 0);
    launched |= r->answer.launches > 0;
    if (!launched && bad >= 0) {
        judge_fail("not_implemented", "no kernel was launched.");
    }
    if (bad >= 0) {
        int row = (int)(bad / D / job->heads), head = (int)(bad / D % job->heads), c = (int)(bad % D);
        std::string why = "that is query " + std::to_string(row) + ", which sees " + std::to_string(seen_by(job, row)) +
                          " keys, head " + std::to_string(head) + ", column " + std::to_string(c);
        std::string known = isnan(found[bad]) ? "" : reason(job, a, row, head, c, found[bad]);
        judge_reject(r, found, a->expected.data(), n, bad, why + (known.empty() ? "" : "; found is the mean" + known),
                     NOBODY_KNOWS);
    }
    judge_rest(r);
}

static struct result run(const struct one job, bool count = false) {
    struct handle O;
    doing(&job, count ? ", memory accesses" : "");
    struct arrays a = make(&job);
    struct call c = call_for(&job, &a, &O);
    if (count) {
        judge_count(&c);
    }
    struct result r = judge_run(&c);
    look(&job, &a, &r, O);
    return r;
}

static void squares(void) {
    run({32, 32, 1, 1, PLAIN, 1});
    run({64, 64, 2, 2, PLAIN, 2});
    run({160, 160, 1, 1, PLAIN, 3});
}

static void lengths(void) {
    static const int both[][2] = {{1, 1},    {31, 31}, {33, 33},   {1, 100}, {20, 77},
                                  {100, 20}, {70, 1},  {257, 250}, {65, 97}};
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        run({both[i][0], both[i][1], 1, 1, PLAIN, 10 + i});
    }
}

static void scores(void) {
    for (enum kind kind : {HIGH, LOW, RISING, FALLING}) {
        run({100, 100, 1, 1, kind, (uint64_t)20 + kind});
        run({70, 40, 1, 1, kind, (uint64_t)30 + kind});
    }
}

static void shared_heads(void) {
    run({50, 60, 6, 2, PLAIN, 40});
    run({40, 40, 4, 1, RISING, 41});
}

static void contract(void) {
    run({0, 16, 2, 1, PLAIN, 50});
    run({16, 0, 2, 1, PLAIN, 51});
    run({16, 16, 0, 1, PLAIN, 52});
    run({45, 50, 2, 1, PLAIN, 53, 3, 40});
    run({70, 80, 1, 1, FALLING, 54, 0, 5, true});
}

static void again(void) {
    int shared = judge_draw(1, 3), heads_kv = judge_draw(1, 2);
    run({judge_draw(1, 150), judge_draw(1, 200), shared * heads_kv, heads_kv, PLAIN,
         (uint64_t)judge_draw(10000, 1000000), judge_draw(0, 9)});
    run({judge_draw(33, 150), judge_draw(33, 200), shared * heads_kv, heads_kv, judge_draw(0, 1) ? RISING : LOW,
         (uint64_t)judge_draw(10000, 1000000), 0, judge_draw(0, 20), true});
}

static void refused(void) {
    const struct one job = {33, 40, 1, 1, PLAIN, 90};
    struct handle O;
    doing(&job, ", and its launch fails");
    struct arrays a = make(&job);
    judge_refused_launch(call_for(&job, &a, &O));
}

static void busy(void) {
    const struct one job = {33, 40, 1, 1, PLAIN, 91, 0, 0, true};
    struct handle O;
    run(job);
    doing(&job, " that is busy");
    struct arrays a = make(&job);
    judge_busy_stream(call_for(&job, &a, &O));
}

// ---------------------------------------------------------------- what the lesson is about

/* More tiles than in the other checks. */
static void skips(void) {
    for (int extra : {-96, 0, 64}) {
        const struct one job = {256, 256 + extra, 2, 1, PLAIN, (uint64_t)200 + extra};
        struct parts p = parts_of(&job);
        struct result r = run(job, true);
        double read = judge_sectors_read(&r.answer.counters) / sectors_of_rows(&job, 1);
        judge_note("%.0f of %d tiles were loaded for each head", (read - job.queries) / (2.0 * KEYS), p.all_tiles);
    }
}

/* One tile for each block, and rows that begin between two sectors. */
static void cut(void) {
    run({70, 90, 4, 2, PLAIN, 70, 3, 0});
    run({128, 128, 2, 2, PLAIN, 71});
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"attention", "as many keys as queries: 32, 64, 160", squares, EVERYWHERE},
        {"attention", "any lengths: 1, 31, 33, more keys than queries and fewer", lengths, EVERYWHERE},
        {"attention", "scores of 460 and -460, that rise and that fall", scores, EVERYWHERE},
        {"attention", "heads that share K and V: 6 and 2, 4 and 1", shared_heads, EVERYWHERE},
        {"attention", "nothing to do, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"attention", "it returns without waiting", busy, EVERYWHERE},
        {"attention", "fully masked tiles are not loaded", skips, ON_EMULATOR},
        {"attention", "tiles that are cut, rows that begin between two sectors", cut, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "20", {&attention}, checks, sizeof checks / sizeof checks[0]);
}
