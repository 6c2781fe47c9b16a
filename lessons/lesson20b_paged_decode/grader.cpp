/* Grader of exercise 20b: decode_chunks and combine, as lessons/lesson20b_paged_decode/exercise.cu describes them.
 *
 * Pages are handed out by chance, the pages that the table does not name and the rows behind the last key are NaN. Some jobs have scores of
 * 460 or -460, or scores that rise or fall from key to key, so that the largest one has to be subtracted, to begin at -infinity, and to
 * change what was summed up before. combine is called with parts of the grader's own, with chunks that have no keys, and with what the
 * student's decode_chunks has left.
 *
 * Chunks that begin in the middle of a page, pages of 1 and of 1000 keys, more keys in a chunk, more pages and more chunks than a
 * block has threads, rows whose numbers no int can count, no keys, nothing past the end, a stream of the caller's, no
 * waiting, a launch that fails, and, on the emulator, in every run, how often rows are read, by how many loads, and that each chunk has a block. */
// arch: sm_80
#include <algorithm>
#include <limits.h>
#include <math.h>

#include "tools/grading/grader.h"

static const struct function decode_chunks = FUNCTION(void, decode_chunks, const float *, const float *, const float *,
                                                      const int *, int, int, int, float *, float *, cudaStream_t);
static const struct function combine =
    FUNCTION(void, combine, const float *, const float *, int, float *, cudaStream_t);

enum { D = 128, UNUSED_PAGES = 3 };

/* What the scores are like: some numbers around 0, all of them large or small, larger from key to key, smaller from key to key. */
enum kind { PLAIN, HIGH, LOW, RISING, FALLING };
static const char *const kinds[] = {"scores around 0", "scores of 460", "scores of -460", "scores that rise",
                                    "scores that fall"};

struct cache {
    int length, page_size, chunk;
    enum kind kind;
    uint64_t seed;
    int slack; /* in bytes, behind each array */
    bool own_stream;
    int first_page; /* K and V begin so many pages before what is there of them */
};

/* A result: the sums of some keys. */
struct mean {
    double value[D], log;
};

struct arrays {
    std::vector<float> q, K, V;
    std::vector<int> table;
    int chunks;
    std::vector<double> score; /* of each key */
    std::vector<float> parts, logs, out;
};

static std::vector<float> random_floats(size_t n, float range, uint64_t seed, bool whole) {
    std::vector<float> x(n);
    verify_random(x.data(), n, -range, range, seed);
    for (size_t i = 0; whole && i < n; i++) {
        x[i] = rintf(x[i]);
    }
    return x;
}

/* The first number of key n. That of the query is 20: in the score it is multiplied by 20 / sqrt(128), 1.77. */
static float first_number(enum kind kind, int n) {
    switch (kind) {
    case HIGH:
        return 260;
    case LOW:
        return -260;
    case RISING:
        return (float)(n / 4 % 150);
    default:
        return (float)(-(n / 4 % 150));
    }
}

static size_t row_of(const struct cache *c, const struct arrays *a, int n) {
    return (size_t)a->table[n / c->page_size] * c->page_size + n % c->page_size;
}

/* Pages by chance; what no key uses is NaN. */
static void make_pages(const struct cache *c, struct arrays *a) {
    bool whole = c->kind != PLAIN;
    int pages = (c->length + c->page_size - 1) / c->page_size, all = pages + UNUSED_PAGES;
    size_t rows = (size_t)all * c->page_size;
    std::vector<float> random_K = random_floats((size_t)c->length * D, whole ? 1.49f : 2.0f, c->seed + 1000, whole);
    std::vector<float> random_V = random_floats((size_t)c->length * D, 1, c->seed + 2000, false);
    std::vector<int> order(all);
    uint64_t state = c->seed * 2 + 1;
    for (int i = 0; i < all; i++) {
        int other = (int)((verify_next(&state) >> 33) % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    a->table.assign(order.begin(), order.begin() + pages);
    a->K.assign(rows * D, NAN);
    a->V.assign(rows * D, NAN);
    for (int n = 0; n < c->length; n++) {
        size_t row = row_of(c, a, n);
        std::copy_n(&random_K[(size_t)n * D], D, &a->K[row * D]);
        std::copy_n(&random_V[(size_t)n * D], D, &a->V[row * D]);
        if (whole) {
            a->K[row * D] = first_number(c->kind, n);
        }
    }
}

/* What there is to know of the keys from `begin` to `end`. */
static struct mean mean_of(const struct cache *c, const struct arrays *a, int begin, int end) {
    struct mean m = {};
    double largest = -INFINITY, sum = 0;
    for (int n = begin; n < end; n++) {
        largest = std::max(largest, a->score[n]);
    }
    for (int n = begin; n < end; n++) {
        const float *v = &a->V[row_of(c, a, n) * D];
        double p = exp(a->score[n] - largest);
        sum += p;
        for (int e = 0; e < D; e++) {
            m.value[e] += p * v[e];
        }
    }
    for (int e = 0; e < D && sum > 0; e++) {
        m.value[e] /= sum;
    }
    m.log = sum > 0 ? largest + log(sum) : -INFINITY;
    return m;
}

static struct arrays make(const struct cache *c) {
    struct arrays a;
    bool whole = c->kind != PLAIN;
    a.q = random_floats(D, whole ? 1.49f : 2.0f, c->seed, whole);
    if (whole) {
        a.q[0] = 20;
    }
    make_pages(c, &a);
    for (int n = 0; n < c->length; n++) {
        double dot = 0;
        for (int e = 0; e < D; e++) {
            dot += (double)a.q[e] * a.K[row_of(c, &a, n) * D + e];
        }
        a.score.push_back(dot / sqrt((double)D));
    }
    a.chunks = (c->length + c->chunk - 1) / c->chunk;
    for (int i = 0; i < a.chunks; i++) {
        struct mean m = mean_of(c, &a, i * c->chunk, std::min((i + 1) * c->chunk, c->length));
        a.parts.insert(a.parts.end(), m.value, m.value + D);
        a.logs.push_back((float)m.log);
    }
    struct mean m = mean_of(c, &a, 0, c->length);
    a.out.assign(m.value, m.value + D);
    return a;
}

// ---------------------------------------------------------------- what decode_chunks may do

struct handles {
    struct handle q, K, V, table;
};

/* Warps of the blocks that wrote chunks. */
static double warps_of(const struct result *r) {
    double warps = 0;
    for (const struct launch &l : r->launches) {
        warps += (double)l.output_blocks * ceil(l.block[0] * l.block[1] * l.block[2] / 32.0);
    }
    return warps;
}

/* A row has 16 sectors, and each load of a warp a sector of the table, at most; q is 16 sectors for a warp. */
static void judge_rows(const struct result *r, const struct cache *c, const struct handles *h) {
    const double most = 1.1, row = 16;
    double small = judge_sectors_of(r, h->q) + judge_sectors_of(r, h->table);
    double small_limit = 4.0 * c->length + row * warps_of(r);
    for (struct handle rows : {h->K, h->V}) {
        double sectors = judge_sectors_of(r, rows) / row / c->length;
        if (sectors > most) {
            judge_fail("access_limit",
                       "the result is right, but of %s %.2f times the sectors were read that hold its rows (limit "
                       "%.1f).\n          Each row of K and of V is needed once, whole, and q once for a warp.",
                       r->call.arrays[rows.array].name, sectors, most);
        }
    }
    if (small > small_limit) {
        judge_fail("access_limit",
                   "the result is right, but of q and of the table %.0f sectors were read, for %d keys and %.0f warps "
                   "(limit %.0f).\n          q is needed once for a warp, not for each key, and of the table one "
                   "number for a key.",
                   small, c->length, warps_of(r), small_limit);
    }
}

static void judge_loads(const struct result *r, const struct cache *c) {
    const double most = 5.0 * c->length + 8 * warps_of(r);
    double loads = (double)r->answer.counters.global_load_requests;
    if (loads > most) {
        judge_fail("access_limit",
                   "the result is right, but a warp executed %.1f loads for each key (limit here %.1f).\n          A "
                   "row is 512 bytes: one load of a warp, if each lane loads a float4.",
                   loads / c->length, most / c->length);
    }
}

static void judge_blocks(const struct result *r, int chunks) {
    const unsigned long long of_a_chunk = (D + 1) * sizeof(float);
    unsigned long long wrote = 0, most_bytes = 0;
    for (const struct launch &l : r->launches) {
        wrote += l.output_blocks;
        most_bytes = std::max(most_bytes, (unsigned long long)l.most_output_bytes);
    }
    if (wrote < (unsigned)chunks || most_bytes > of_a_chunk) {
        judge_fail("access_limit",
                   "the result is right, but %llu blocks wrote parts and logs of %d chunks, one of them %llu bytes; a "
                   "chunk has %llu.\n          A GPU has many SMs: launch a block for each chunk.",
                   wrote, chunks, most_bytes, of_a_chunk);
    }
    if (chunks >= 4) { /* of fewer, the first may have nearly all keys */
        judge_parallel(r, 8ull * chunks, "Launch a block for each chunk, which reads its rows.");
    }
}

/* There may be 2^20 chunks, and a grid has no more than 65535 blocks along y and z. */
static void judge_grid(const struct result *r, int chunks) {
    const struct launch *l = &r->answer.launch[0];
    unsigned long long grows = std::max(l->grid[1], l->grid[2]);
    if (r->answer.launches == 1 && chunks >= 1000 && grows * (1 << 20) / chunks > 65535) {
        judge_fail("launch_error",
                   "with %d chunks the grid is %u x %u x %u blocks. With 2^20 chunks it would need more than 65535 in "
                   "y or z, which no GPU has: only x goes further.",
                   chunks, l->grid[0], l->grid[1], l->grid[2]);
    }
}

static void limits(const struct result *r, const struct cache *c, int chunks, const struct handles *h) {
    if (judge_counted(r) && chunks > 0) {
        judge_rows(r, c, h);
        judge_loads(r, c);
        judge_blocks(r, chunks);
        judge_grid(r, chunks);
    }
}

// ---------------------------------------------------------------- decode_chunks

/* K and V may begin before their memory: pages that no key uses need not be there. */
static struct call call_for(const struct cache *c, const struct arrays *a, struct handle *parts, struct handle *logs) {
    struct call call = judge_call(&decode_chunks);
    struct place place = {0, (size_t)c->slack};
    std::vector<int> pages(a->table);
    struct handles h;
    for (int &page : pages) {
        page += c->first_page;
    }
    h.q = judge_input(&call, "q", a->q.data(), a->q.size() * sizeof(float), place);
    h.K = judge_input(&call, "K", a->K.data(), a->K.size() * sizeof(float), place);
    h.V = judge_input(&call, "V", a->V.data(), a->V.size() * sizeof(float), place);
    h.table = judge_input(&call, "table", pages.data(), pages.size() * sizeof(int), place);
    *parts = judge_output(&call, "parts", a->parts.size() * sizeof(float), place);
    *logs = judge_output(&call, "logs", a->logs.size() * sizeof(float), place);
    if (c->own_stream) {
        judge_own_stream(&call);
    }
    struct cache of = *c;
    int chunks = a->chunks;
    call.limits = [=](const struct result *r) { limits(r, &of, chunks, &h); };
    struct handle K = h.K, V = h.V;
    K.from = V.from = -((size_t)c->first_page * c->page_size * D * sizeof(float));
    judge_pass(&call, h.q, K, V, h.table, c->length, c->page_size, c->chunk, *parts, *logs, STREAM);
    return call;
}

static void doing(const struct cache *c, const char *what) {
    std::string from = c->first_page ? judge_print(", pages from %d on", c->first_page) : "";
    judge_doing("decode_chunks, %d keys, pages of %d, chunks of %d, %s, seed %llu%s%s%s", c->length, c->page_size,
                c->chunk, kinds[c->kind], (unsigned long long)c->seed, from.c_str(),
                c->own_stream ? ", in a stream" : "", what);
}

/* What a known mistake would have led to, for column `e` of chunk `i`. */
static std::string why_part(const struct cache *c, const struct arrays *a, int i, int e, float found) {
    int begin = i * c->chunk, end = std::min(begin + c->chunk, c->length);
    double sum = 0, largest = -INFINITY;
    auto is = [&](double x) { return fabs(x - found) <= 1e-4 + 1e-4 * fabs(x); };
    std::string why = "that is chunk " + std::to_string(i) + ", keys " + std::to_string(begin) + " to " +
                      std::to_string(end - 1) + ", column " + std::to_string(e);
    for (int n = begin; n < end; n++) {
        largest = std::max(largest, a->score[n]);
    }
    for (int n = begin; n < end; n++) {
        sum += exp(a->score[n] - largest);
    }
    if (end - begin > 1 && is(a->parts[(size_t)i * D + e] * sum)) {
        return why + "; found is the sum that has not been divided by the sum of the weights";
    }
    for (int warp = 0; warp < 4 && end - begin > 4; warp++) {
        struct cache only = *c;
        double weights = 0, value = 0;
        for (int n = begin + warp; n < end; n += 4) {
            double p = exp(a->score[n] - largest);
            weights += p;
            value += p * a->V[row_of(&only, a, n) * D + e];
        }
        if (weights > 0 && is(value / weights)) {
            return why + "; found is the mean of every fourth key, as one warp of four has seen them";
        }
    }
    for (int less = 1; less < 3 && end - less > begin; less++) {
        if (is(mean_of(c, a, begin, end - less).value[e])) {
            return why + "; found is the mean without its last key";
        }
    }
    return why;
}

static std::string why_log(const struct cache *c, const struct arrays *a, int i, float found) {
    int begin = i * c->chunk, end = std::min(begin + c->chunk, c->length);
    double largest = -INFINITY;
    auto is = [&](double x) { return fabs(x - found) <= 1e-3; };
    std::string why = "that is the log of chunk " + std::to_string(i);
    for (int n = begin; n < end; n++) {
        largest = std::max(largest, a->score[n]);
    }
    if (is(largest)) {
        return why + "; found is its largest score: the logarithm of the sum is missing";
    }
    if (is(a->logs[i] - largest)) {
        return why + "; found is the logarithm of the sum of exp(score - largest): the largest score is missing";
    }
    if (is(a->logs[i] / log(2.0)) || is(largest + (a->logs[i] - largest) / log(2.0))) {
        return why + "; found is a logarithm to base 2";
    }
    if (fabs(exp(a->logs[i] - largest) - found) <= 1e-3) {
        return why + "; found is the sum itself";
    }
    return why;
}

static void look(const struct cache *c, const struct arrays *a, const struct result *r, struct handle parts,
                 struct handle logs) {
    judge_compare(
        r, parts, a->parts.data(), a->parts.size(), 1e-4, 1e-5,
        [&](long long bad) {
            return why_part(c, a, (int)(bad / D), (int)(bad % D), judge_content<float>(r, parts)[bad]);
        },
        NOBODY_KNOWS);
    judge_compare(
        r, logs, a->logs.data(), a->logs.size(), 1e-4, 1e-6,
        [&](long long bad) { return why_log(c, a, (int)bad, judge_content<float>(r, logs)[bad]); }, NOBODY_KNOWS);
    judge_rest(r);
}

static struct result run(const struct cache job, bool count = false) {
    struct handle parts, logs;
    doing(&job, count ? ", memory accesses" : "");
    struct arrays a = make(&job);
    struct call call = call_for(&job, &a, &parts, &logs);
    if (count) {
        judge_count(&call);
    }
    struct result r = judge_run(&call);
    look(&job, &a, &r, parts, logs);
    return r;
}

static void whole_pages(void) {
    run({16, 16, 16, PLAIN, 1});
    run({128, 16, 64, PLAIN, 2});
    run({1000, 16, 256, PLAIN, 3});
}

static void lengths(void) {
    static const int jobs[][3] = {{1, 16, 16}, {15, 16, 16}, {17, 16, 32},   {31, 64, 8},     {33, 1, 10},
                                  {100, 7, 3}, {250, 5, 64}, {77, 1000, 20}, {1025, 64, 100}, {1500, 1, 1400}};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        run({jobs[i][0], jobs[i][1], jobs[i][2], PLAIN, 10 + i});
    }
}

static void scores(void) {
    for (enum kind kind : {HIGH, LOW, RISING, FALLING}) {
        run({150, 16, 64, kind, (uint64_t)30 + kind});
        run({70, 64, 17, kind, (uint64_t)40 + kind});
    }
}

static void contract(void) {
    run({0, 16, 64, PLAIN, 50});
    run({45, 16, 16, PLAIN, 51, 100});
    run({90, 16, 1000, FALLING, 52, 0, true});
    run({90, 16, 25, RISING, 53, 20, true});
}

static void refused(void) {
    const struct cache job = {40, 16, 16, PLAIN, 60};
    struct handle parts, logs;
    doing(&job, ", and its launch fails");
    struct arrays a = make(&job);
    judge_refused_launch(call_for(&job, &a, &parts, &logs));
}

static void busy(void) {
    const struct cache job = {40, 16, 16, PLAIN, 61, 0, true};
    struct handle parts, logs;
    run(job);
    doing(&job, " that is busy");
    struct arrays a = make(&job);
    judge_busy_stream(call_for(&job, &a, &parts, &logs));
}

/* Rows up to 2^31 - 1: their numbers times 32 float4, or times 128 floats, are more than an int can hold. The table names no page before. */
static void large_cache(void) {
    run({50, 16, 20, PLAIN, 62, 0, false, (1 << 27) - 16});
    run({33, 1000, 33, PLAIN, 63, 0, false, 70000});
    run({40, 1, 11, RISING, 64, 0, false, 1 << 26});
}

/* Many chunks of one key, too: more blocks than a GPU has at once. */
static void thrifty(void) {
    run({1500, 16, 1, PLAIN, 71});
    const struct cache job = {512, 16, 64, PLAIN, 70};
    struct result r = run(job, true);
    const struct emulatorCounters *k = &r.answer.counters;
    judge_note("%.2f times the sectors of the rows, %.1f loads for each key",
               judge_sectors_read(k) / (16 * 2.0 * job.length), (double)k->global_load_requests / job.length);
}

// ---------------------------------------------------------------- combine

/* Which chunks have no keys. */
enum empty { NONE, SOME, ALL };

struct together {
    int chunks;
    float range; /* of the logs: from -range to range */
    enum empty empty;
    uint64_t seed;
    bool own_stream;
    float shift; /* is added to each log */
};

struct chunks {
    std::vector<float> parts, logs, out;
};

/* The mean of the parts, each weighted by what `weight` makes of its log; without those that have no keys. */
static std::vector<float> weighted(const struct chunks *c, const std::function<double(double)> &weight) {
    std::vector<double> value(D);
    double sum = 0;
    for (size_t i = 0; i < c->logs.size(); i++) {
        if (c->logs[i] == -INFINITY) {
            continue;
        }
        double w = weight(c->logs[i]);
        sum += w;
        for (int e = 0; e < D; e++) {
            value[e] += w * c->parts[i * D + e];
        }
    }
    std::vector<float> out(D);
    for (int e = 0; e < D; e++) {
        out[e] = sum > 0 ? (float)(value[e] / sum) : 0.0f;
    }
    return out;
}

static struct chunks make_chunks(const struct together *t) {
    struct chunks c = {random_floats((size_t)t->chunks * D, 1, t->seed, false),
                       random_floats(t->chunks, t->range, t->seed + 100, false),
                       {}};
    double largest = -INFINITY;
    for (int i = 0; i < t->chunks; i++) {
        c.logs[i] += t->shift;
        if (t->empty == ALL || (t->empty == SOME && i % 3 != 1)) {
            c.logs[i] = -INFINITY;
            std::fill_n(&c.parts[(size_t)i * D], D, i % 2 ? NAN : 1000.0f);
        }
        largest = std::max(largest, (double)c.logs[i]);
    }
    c.out = weighted(&c, [&](double x) { return exp(x - largest); });
    return c;
}

static struct call combine_call(const struct chunks *c, bool own_stream, struct handle *out) {
    struct call call = judge_call(&combine);
    struct handle parts = judge_input(&call, "parts", c->parts.data(), c->parts.size() * sizeof(float));
    struct handle logs = judge_input(&call, "logs", c->logs.data(), c->logs.size() * sizeof(float));
    *out = judge_output(&call, "out", D * sizeof(float));
    if (own_stream) {
        judge_own_stream(&call);
    }
    judge_pass(&call, parts, logs, (int)c->logs.size(), *out, STREAM);
    return call;
}

static void combine_doing(const struct together *t, const char *what) {
    static const char *const which[] = {"", ", some without keys", ", none with keys"};
    judge_doing("combine, %d chunks%s, logs from %g to %g, seed %llu%s%s", t->chunks, which[t->empty],
                t->shift - t->range, t->shift + t->range, (unsigned long long)t->seed,
                t->own_stream ? ", in a stream" : "", what);
}

static std::string why_out(const struct chunks *c, long long e, float found) {
    std::string why = "that is column " + std::to_string(e);
    auto is = [&](const std::vector<float> &x) { return fabs(x[e] - found) <= 1e-4; };
    if (is(weighted(c, [](double) { return 1.0; }))) {
        return why + "; found is the mean in which each chunk counts the same";
    }
    if (is(weighted(c, [](double x) { return x; }))) {
        return why + "; found is the mean weighted by the logs themselves: a weight is exp(log)";
    }
    double largest = *std::max_element(c->logs.begin(), c->logs.end());
    if (is(weighted(c, [&](double x) { return exp2(x - largest); }))) {
        return why + "; found is the mean weighted by powers of 2: the logs are to base e";
    }
    return why;
}

static void look_combined(const struct chunks *c, const struct result *r, struct handle out) {
    judge_compare(
        r, out, c->out.data(), D, 1e-4, 1e-5,
        [&](long long bad) { return c->logs.empty() ? "" : why_out(c, bad, judge_content<float>(r, out)[bad]); },
        NOBODY_KNOWS);
    judge_rest(r);
}

static void run_combine(const struct together t) {
    struct handle out;
    combine_doing(&t, "");
    struct chunks c = make_chunks(&t);
    struct call call = combine_call(&c, t.own_stream, &out);
    struct result r = judge_run(&call);
    look_combined(&c, &r, out);
}

static void combine_counts(void) {
    for (int chunks : {1, 2, 3, 4, 5, 33, 100, 1500}) {
        run_combine({chunks, 3, NONE, (uint64_t)100 + chunks});
    }
}

static void combine_large(void) {
    run_combine({50, 3, NONE, 200, false, 490});
    run_combine({50, 3, NONE, 201, false, -490});
    run_combine({50, 400, NONE, 202});
}

static void combine_nothing(void) {
    run_combine({0, 1, NONE, 210});
    run_combine({1, 1, ALL, 211});
    run_combine({9, 3, ALL, 212});
}

static void combine_empty(void) {
    run_combine({0, 1, NONE, 210});
    run_combine({1, 1, ALL, 211});
    run_combine({9, 3, ALL, 212});
    run_combine({2, 3, SOME, 213});
    run_combine({40, 3, SOME, 214, true});
    run_combine({40, 3, SOME, 215, false, -300});
}

static void combine_refused(void) {
    const struct together t = {9, 3, NONE, 220};
    struct handle out;
    combine_doing(&t, ", and its launch fails");
    struct chunks c = make_chunks(&t);
    judge_refused_launch(combine_call(&c, false, &out));
}

static void combine_busy(void) {
    const struct together t = {9, 3, NONE, 221, true};
    struct handle out;
    run_combine(t);
    combine_doing(&t, " that is busy");
    struct chunks c = make_chunks(&t);
    judge_busy_stream(combine_call(&c, true, &out));
}

/* What decode_chunks has left, combined, is the attention of the query to all keys. */
static void run_both(const struct cache job) {
    struct handle parts, logs, out;
    doing(&job, "");
    struct arrays a = make(&job);
    struct call call = call_for(&job, &a, &parts, &logs);
    struct result r = judge_run(&call);
    look(&job, &a, &r, parts, logs);
    struct chunks c = {{judge_content<float>(&r, parts), judge_content<float>(&r, parts) + a.parts.size()},
                       {judge_content<float>(&r, logs), judge_content<float>(&r, logs) + a.logs.size()},
                       a.out};
    judge_doing("combine, after decode_chunks: %d keys in %d chunks", job.length, a.chunks);
    struct call second = combine_call(&c, false, &out);
    struct result whole = judge_run(&second);
    look_combined(&c, &whole, out);
}

static void both(void) {
    run_both({1000, 16, 128, PLAIN, 300});
    run_both({333, 10, 50, RISING, 301});
}

static void again(void) {
    run({judge_draw(1, 400), judge_draw(1, 70), judge_draw(1, 150), PLAIN, (uint64_t)judge_draw(10000, 1000000),
         judge_draw(0, 40)});
    run_both({judge_draw(100, 400), judge_draw(1, 30), judge_draw(5, 100), judge_draw(0, 1) ? FALLING : LOW,
              (uint64_t)judge_draw(10000, 1000000), 0, true});
    run_combine({judge_draw(1, 60), 5, SOME, (uint64_t)judge_draw(10000, 1000000), true});
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"decode_chunks", "decode_chunks, whole pages and chunks: 16, 128 and 1000 keys", whole_pages, EVERYWHERE},
        {"decode_chunks", "decode_chunks, any lengths, pages of 1 to 1000, chunks that begin in a page", lengths,
         EVERYWHERE},
        {"decode_chunks", "decode_chunks, scores of 460 and -460, that rise and that fall", scores, EVERYWHERE},
        {"decode_chunks", "decode_chunks, no keys, nothing past the end, in a stream", contract, EVERYWHERE},
        {"decode_chunks", "decode_chunks, a cache of 2^31 rows", large_cache, EVERYWHERE},
        {"decode_chunks", "decode_chunks reports a failed launch", refused, EVERYWHERE},
        {"decode_chunks", "decode_chunks returns without waiting", busy, EVERYWHERE},
        {"decode_chunks", "decode_chunks reads each row once, 16 bytes a lane, and each chunk has a block", thrifty,
         ON_EMULATOR, LIMITS_HERE},
        {"combine", "combine, 1 to 1500 chunks", combine_counts, EVERYWHERE},
        {"combine", "combine, logs of 490 and -490", combine_large, EVERYWHERE},
        {"combine", "combine, chunks without keys", combine_empty, EVERYWHERE},
        {"combine, no key", "combine, no chunk has a key", combine_nothing, EVERYWHERE},
        {"combine", "combine reports a failed launch", combine_refused, EVERYWHERE},
        {"combine", "combine returns without waiting", combine_busy, EVERYWHERE},
        {"both", "combine after decode_chunks", both, EVERYWHERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "20b", {&decode_chunks, &combine}, checks, sizeof checks / sizeof checks[0]);
}
