/* Grader of exercise 35, the search of lists by inner product: search_lists, as lessons/lesson35_ivf_flat/exercise.cu describes it.
 *
 * All k from 1 to 32, lists of every length from 0 on, equal scores, negative ones, deleted vectors, large ids, queries 0, 1 and odd, the
 * input unharmed, a stream of the caller's, no waiting, nothing left behind, a launch that fails, and, on the emulator, what is read and how many
 * instructions.
 *
 * Queries are small whole numbers, vectors are small eighths, so scores are exact in any order of additions, and many are equal. Where numbers are
 * to be large, half a float's digits would not do. What lies behind a list's end is a multiple of a query, which would have a good score, with an
 * id that is lower than all others. */
#include <algorithm>
#include <random>

#include "tools/grading/grader.h"

static const struct function search_lists =
    FUNCTION(void, search_lists, const float *, const int *, const unsigned *, const int *, const float *, const int *,
             int, int, int, float *, int *, cudaStream_t);

enum { D = 32, LARGE = 30, WIDE = 5000 }; /* from the spread LARGE on vectors are wide */

/* `spread`: numbers of queries are from -spread to spread, eighths of vectors too, or from -WIDE to WIDE; `deleted`: percent; whole_groups:
 * where something is deleted, all 32 are; rising: within a list each score is better than the one before. */
struct work {
    int count, nprobe, k, lists, longest, spread, deleted;
    uint64_t seed;
    bool whole_groups, rising, own_stream;
};

struct index {
    std::vector<float> vectors, queries;
    std::vector<int> ids, lists, probes; /* lists: start and length of each */
    std::vector<unsigned> deleted;
};

struct expected {
    std::vector<float> scores;
    std::vector<int> ids;
};

// ---------------------------------------------------------------- inputs

static float *number_at(struct index *x, int slot, int j) {
    return &x->vectors[((size_t)(slot / 32 * (D / 4) + j / 4) * 32 + slot % 32) * 4 + j % 4];
}

static void make_lists(struct index *x, const struct work *w, std::mt19937_64 *dice) {
    int slots = 0;
    for (int c = 0; c < w->lists; c++) {
        int length = c < 4 ? c * 32 - (c & 1) : (int)((*dice)() % (w->longest + 1));
        length = std::min(c == w->lists - 1 ? w->longest : length, w->longest);
        x->lists.push_back(slots);
        x->lists.push_back(length);
        slots += (length + 31) / 32 * 32;
    }
    x->vectors.resize((size_t)slots * D);
    x->deleted.resize(slots / 32);
    for (int s = 0; s < slots; s++) {
        x->ids.push_back((int)((uint64_t)(s + 1) * 2654435761u & 0x7fffffff));
    }
}

static void make_queries(struct index *x, const struct work *w, std::mt19937_64 *dice) {
    std::vector<int> all(w->lists);
    for (int c = 0; c < w->lists; c++) {
        all[c] = c;
    }
    for (int q = 0; q < w->count; q++) {
        for (int j = 0; j < D; j++) {
            x->queries.push_back(w->rising ? 1.0f : (float)(int)((*dice)() % (2 * w->spread + 1)) - w->spread);
        }
        std::shuffle(all.begin(), all.end(), *dice);
        x->probes.insert(x->probes.end(), all.begin(), all.begin() + w->nprobe);
    }
}

static void make_vectors(struct index *x, const struct work *w, std::mt19937_64 *dice) {
    int most = w->spread < LARGE ? w->spread : WIDE;
    for (int c = 0; c < w->lists; c++) {
        int start = x->lists[2 * c], end = start + x->lists[2 * c + 1];
        for (int s = start; s < (end + 31) / 32 * 32; s++) {
            int q = w->count > 0 ? (int)((*dice)() % w->count) : -1;
            for (int j = 0; j < D; j++) {
                float inside = w->rising ? (j == 0 ? (float)(s - start) - 200.0f : 0.0f)
                                         : (float)(int)((*dice)() % (2 * most + 1)) - most;
                *number_at(x, s, j) = s < end ? inside / 8 : q >= 0 ? 1000 * x->queries[(size_t)q * D + j] : NAN;
            }
            if (s >= end) {
                x->ids[s] = 0;
            }
        }
    }
    for (size_t group = 0; group < x->deleted.size(); group++) {
        for (int lane = 0; lane < 32; lane++) {
            x->deleted[group] |= (unsigned)((int)((*dice)() % 100) < w->deleted) << lane;
        }
        if (w->whole_groups) {
            x->deleted[group] = (int)((*dice)() % 100) < w->deleted ? ~0u : 0;
        }
    }
}

static struct index make_index(const struct work *w) {
    std::mt19937_64 dice(w->seed);
    struct index x;
    make_lists(&x, w, &dice);
    make_queries(&x, w, &dice);
    make_vectors(&x, w, &dice);
    return x;
}

static bool is_deleted(const struct index *x, int slot) {
    return x->deleted[slot / 32] >> slot % 32 & 1;
}

static struct expected search(struct index *x, const struct work *w) {
    struct expected e;
    for (int q = 0; q < w->count; q++) {
        std::vector<std::pair<double, int>> all; /* the negative score and the id: the smallest is the best */
        for (int p = 0; p < w->nprobe; p++) {
            int c = x->probes[q * w->nprobe + p];
            for (int s = x->lists[2 * c]; s < x->lists[2 * c] + x->lists[2 * c + 1]; s++) {
                double score = 0;
                for (int j = 0; j < D; j++) {
                    score += (double)*number_at(x, s, j) * x->queries[(size_t)q * D + j];
                }
                if (!is_deleted(x, s)) {
                    all.push_back({-score, x->ids[s]});
                }
            }
        }
        std::sort(all.begin(), all.end());
        for (int r = 0; r < w->k; r++) {
            e.scores.push_back(r < (int)all.size() ? (float)-all[r].first : -INFINITY);
            e.ids.push_back(r < (int)all.size() ? all[r].second : -1);
        }
    }
    return e;
}

// ---------------------------------------------------------------- one call

struct handles {
    struct handle scores, found;
};

static struct call make_call(const struct work *w, const struct index *x, struct handles *h) {
    struct call c = judge_call(&search_lists);
    struct handle vectors = judge_input(&c, "vectors", x->vectors.data(), x->vectors.size() * sizeof(float));
    struct handle ids = judge_input(&c, "ids", x->ids.data(), x->ids.size() * sizeof(int));
    struct handle deleted = judge_input(&c, "deleted", x->deleted.data(), x->deleted.size() * sizeof(unsigned));
    struct handle lists = judge_input(&c, "lists", x->lists.data(), x->lists.size() * sizeof(int));
    struct handle queries = judge_input(&c, "queries", x->queries.data(), x->queries.size() * sizeof(float));
    struct handle probes = judge_input(&c, "probes", x->probes.data(), x->probes.size() * sizeof(int));
    h->scores = judge_output(&c, "scores", (size_t)w->count * w->k * sizeof(float));
    h->found = judge_output(&c, "found", (size_t)w->count * w->k * sizeof(int));
    judge_pass(&c, vectors, ids, deleted, lists, queries, probes, w->count, w->nprobe, w->k, h->scores, h->found,
               STREAM);
    if (w->own_stream) {
        judge_own_stream(&c);
    }
    return c;
}

// ---------------------------------------------------------------- what came out of it

/* What is known of the id that was found: the slot it belongs to, and why that one is not to be found, or not here. */
static std::string remark(const struct index *x, const struct work *w, const struct expected *e, int q, int r, int id) {
    auto begin = e->ids.begin() + (size_t)q * w->k;
    auto at = std::find(begin, begin + w->k, id);
    if (id == -1) {
        return "Something is left out.";
    }
    if (at != begin + w->k) {
        int place = (int)(at - begin);
        if (place == r) {
            return "The id is right, the score is not.";
        }
        bool tie = e->scores[(size_t)q * w->k + place] == e->scores[(size_t)q * w->k + r];
        return judge_print("That id belongs to place %d%s.", place,
                           tie ? ": the scores are equal, so the smaller id comes first" : "");
    }
    if (id == 0) {
        return "That is what lies behind a list's end.";
    }
    int slot = (int)(std::find(x->ids.begin(), x->ids.end(), id) - x->ids.begin());
    if (slot == (int)x->ids.size()) {
        return "No vector has that id.";
    }
    if (is_deleted(x, slot)) {
        return judge_print("Slot %d has been deleted.", slot);
    }
    for (int p = 0; p < w->nprobe; p++) {
        int c = x->probes[q * w->nprobe + p];
        if (slot >= x->lists[2 * c] && slot < x->lists[2 * c] + x->lists[2 * c + 1]) {
            return judge_print("That is slot %d, in list %d: there are better ones.", slot, c);
        }
    }
    return judge_print("Slot %d is in no list that this query probes.", slot);
}

static void judge(const struct work *w, const struct result *r, const struct index *x, const struct expected *e,
                  struct handles h) {
    const float *scores = judge_content<float>(r, h.scores);
    const int *found = judge_content<int>(r, h.found);
    for (int at = 0; at < w->count * w->k; at++) {
        if (found[at] == e->ids[at] && scores[at] == e->scores[at]) {
            continue;
        }
        if (r->answer.launches == 0) {
            judge_fail("not_implemented", "no kernel was launched.");
        }
        int q = at / w->k, rank = at % w->k;
        if (verify_is_poison_word((unsigned)found[at]) || verify_is_poison(scores[at])) {
            judge_fail("stale_output", "query %d, place %d: never written, expected score %.9g, id %d.%s", q, rank,
                       e->scores[at], e->ids[at], judge_launch_text(r).c_str());
        }
        judge_fail(isnan(scores[at]) ? "nan" : "wrong_result",
                   "query %d, place %d: expected score %.9g, id %d; found score %.9g, id %d.\n          %s%s", q, rank,
                   e->scores[at], e->ids[at], scores[at], found[at], remark(x, w, e, q, rank, found[at]).c_str(),
                   judge_launch_text(r).c_str());
    }
    judge_rest(r);
}

static void describe(const struct work *w, const char *what = "") {
    judge_doing("search_lists, %d queries, %d of %d lists, k = %d%s, seed %llu%s%s", w->count, w->nprobe, w->lists,
                w->k, w->deleted ? judge_print(", %d %% deleted", w->deleted).c_str() : "", (unsigned long long)w->seed,
                w->own_stream ? ", in a stream" : "", what);
}

static struct result run(struct work w, bool counted = false) {
    struct handles h;
    describe(&w);
    struct index x = make_index(&w);
    struct expected e = search(&x, &w);
    struct call c = make_call(&w, &x, &h);
    if (counted) {
        judge_count(&c);
    }
    struct result r = judge_run(&c);
    judge(&w, &r, &x, &e, h);
    return r;
}

// ---------------------------------------------------------------- the checks

/* One list, nothing deleted: first full groups, then what is left of one. */
static void one_list(void) {
    static const int longest[] = {32, 64, 320, 1, 31, 33, 70, 1000};
    for (int s = 0; s < 8; s++) {
        run({1, 1, s % 2 ? 32 : 5, 1, longest[s], 3, 0, (uint64_t)s + 1});
    }
    run({3, 1, 10, 1, 700, 3, 0, 9, false, true});
}

static void many_lists(void) {
    static const int counts[] = {1, 5, 33, 4, 0, 31}, ks[] = {1, 10, 32, 7, 16, 2};
    for (int s = 0; s < 6; s++) {
        run({counts[s], 1 + s, ks[s], 8, 150, 3, 0, (uint64_t)s + 21});
    }
    run({2, 8, 32, 8, 3, 3, 0, 31}); /* fewer than k in all lists together */
    run({2, 2, 3, 2, 0, 3, 0, 32});  /* nothing at all */
}

/* Numbers from -1 to 1: nearly all scores are equal to others. */
static void equal_scores(void) {
    run({9, 4, 20, 6, 200, 1, 0, 41});
    run({5, 6, 32, 6, 300, 1, 0, 42});
    run({1, 1, 32, 1, 3000, 1, 0, 43});
}

static void deleted(void) {
    run({7, 3, 10, 6, 200, 3, 30, 51});
    run({7, 6, 32, 6, 100, 1, 97, 52});
    run({3, 6, 4, 6, 100, 3, 100, 53});
    run({7, 3, 10, 6, 200, 3, 50, 54, true, false, true});
}

/* What the call has made and not given back. */
static void run_tidily(struct work w) {
    struct result r = run(w);
    if (r.answer.alive) {
        judge_fail("api_error",
                   "the result is right, but %u of the call's allocations were not freed: cudaFreeAsync does it in the "
                   "stream's order.",
                   r.answer.alive);
    }
    if (r.answer.objects) {
        judge_fail("api_error",
                   "the result is right, but %u streams, events or graphs were made in the call and not destroyed.",
                   r.answer.objects);
    }
}

static void tidy(void) {
    run_tidily({9, 3, 10, 6, 100, 3, 0, 55, false, false, true});
    run_tidily({1, 1, 32, 1, 700, 3, 20, 56});
    run_tidily({0, 1, 5, 1, 40, 3, 0, 57});
}

static void refused(void) {
    struct work w = {9, 3, 10, 6, 100, 3, 10, 61};
    struct handles h;
    describe(&w, ", and its launch fails");
    struct index x = make_index(&w);
    judge_refused_launch(make_call(&w, &x, &h));
}

static void busy(void) {
    struct work w = {9, 3, 10, 6, 100, 3, 10, 62, false, false, true};
    struct handles h;
    run(w);
    describe(&w, " that is busy");
    struct index x = make_index(&w);
    judge_busy_stream(make_call(&w, &x, &h));
}

/* The groups that have a vector that counts, of all lists that are probed. */
static double groups_needed(const struct index *x) {
    double groups = 0;
    for (int c : x->probes) {
        for (int first = 0, length = x->lists[2 * c + 1]; first < length; first += 32) {
            int inside = std::min(32, length - first);
            unsigned those = inside == 32 ? ~0u : (1u << inside) - 1;
            groups += (~x->deleted[(x->lists[2 * c] + first) / 32] & those) != 0;
        }
    }
    return groups;
}

enum { MANY = 64 }; /* so many queries are more than one block's: it has 32 warps at most */

/* A vector is read once for each query that probes its list, and nothing of groups that are deleted. */
static void judge_economy(const struct result *r, const struct work *w, const struct index *x) {
    const double most_read = 1.6, most_instructions = 265;
    const struct emulatorCounters *k = &r->answer.counters;
    uint64_t all = 0, most = 0;
    double groups = groups_needed(x), needed = groups * (4 * D + 4);
    double read = judge_sectors_read(k) / needed, each = k->warp_instructions / groups;
    if (read > most_read || read < 0.9) {
        judge_fail(
            read > most_read ? "access_limit" : "wrong_result",
            "the result is right, but %.0f sectors of 32 bytes were read where %.0f hold the vectors and ids that "
            "count.\n          Read the lists that are probed, in them the groups that have something left, and "
            "16 bytes for each lane.",
            read * needed, needed);
    }
    for (unsigned i = 0; i < r->answer.launches && i < LAUNCHES_MAX && w->count >= MANY; i++) {
        const struct launch *l = &r->answer.launch[i];
        all += l->input_bytes;
        most += l->most_input_bytes; // launches come one after the other
    }
    if (most > all / 2) {
        judge_fail("access_limit",
                   "the result is right, but of the bytes that were read for %d queries one block read more than half."
                   "%s\n          Give each query a warp, and let blocks have a few of them.",
                   w->count, judge_launch_text(r).c_str());
    }
    if (each > most_instructions) {
        judge_fail("access_limit",
                   "the result is right, but a warp needed %.0f instructions for a group of 32 vectors (limit %.0f).\n "
                   "         Most vectors are worse than the k-th best: two comparisons are enough for these.",
                   each, most_instructions);
    }
    judge_note("what is needed read %.2f times, %.0f instructions for a group; limits: %.1f, %.0f", read, each,
               most_read, most_instructions);
}

static void thrifty(void) {
    static const struct work shapes[] = {{8, 4, 1, 40, 2000, 30, 0, 71},
                                         {8, 4, 1, 10, 3000, 30, 50, 72, true},
                                         {5, 3, 32, 12, 2000, 30, 0, 73},
                                         {13, 5, 10, 12, 1000, 30, 20, 74},
                                         {64, 1, 10, 6, 2000, 30, 0, 75}};
    for (const struct work &w : shapes) {
        struct result r = run(w, true);
        struct index x = make_index(&w);
        judge_economy(&r, &w, &x);
    }
}

static void again(void) {
    for (int turn = 0; turn < 4; turn++) {
        run_tidily({judge_draw(1, 40), judge_draw(1, 8), judge_draw(1, 32), 8, judge_draw(1, 400), judge_draw(1, 4),
                    turn % 2 ? judge_draw(1, 99) : 0, (uint64_t)judge_draw(100, 1000000), turn == 3, false, turn == 2});
    }
    struct work w = {judge_draw(4, 10),      judge_draw(3, 5),
                     judge_draw(1, 32),      10,
                     judge_draw(2500, 3000), 30,
                     judge_draw(0, 40),      (uint64_t)judge_draw(100, 1000000),
                     judge_draw(0, 1) == 1};
    struct result r = run(w, judge_on_emulator());
    if (judge_on_emulator()) {
        struct index x = make_index(&w);
        judge_economy(&r, &w, &x);
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"search", "one list of 1 to 1000 vectors, k = 5 32; each better than the one before", one_list, EVERYWHERE},
        {"search", "several lists, queries 0 1 4 5 31 33, k = 1 to 32, fewer than k", many_lists, EVERYWHERE},
        {"search", "equal scores", equal_scores, EVERYWHERE},
        {"search", "deleted vectors", deleted, EVERYWHERE},
        {"search", "what a call makes it gives back", tidy, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"search", "it returns without waiting", busy, EVERYWHERE},
        {"search", "what is read, and instructions", thrifty, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "35", {&search_lists}, checks, sizeof checks / sizeof checks[0]);
}
