/* Grader of exercise 19: matmul, as lessons/lesson19_gemm_hopper/exercise.cu describes it.
 *
 * Shapes that fit the tiles and shapes that do not, fewer steps than stages and several rounds of the ring, empty matrices, K = 0, matrices that
 * begin anywhere on 16 bytes, the inputs unharmed, a stream of the caller's, no waiting, a launch that fails, and, on the emulator, that
 * everything comes by TMA, each tile once, and that nobody waits for a whole block in the loop. */
// arch: sm_90a
#include <math.h>

#include "common/grader.h"

struct __nv_bfloat16; /* its name is all that the symbol needs */

static const struct function matmul =
    FUNCTION(void, matmul, int, int, int, const __nv_bfloat16 *, const __nv_bfloat16 *, __nv_bfloat16 *, cudaStream_t);

enum { TILE = 128, STEP = 64, WARPS = 12 };

enum numbers { WHOLE, FRACTIONS }; /* from -4 to 4, whose sums are exact in any order; from -1 to 1 */

/* One call. Places are in pieces of 16 bytes before each matrix; `slack` pieces behind each are not its business. */
struct product {
    int M, N, K;
    enum numbers numbers;
    uint64_t seed;
    int offset, slack;
    bool own_stream;
};

struct matrices {
    std::vector<uint16_t> A, B;
    std::vector<float> expected; /* not rounded */
};

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

static std::vector<uint16_t> random_bits(const struct product *job, size_t n, uint64_t seed) {
    std::vector<float> x(n);
    std::vector<uint16_t> bits(n);
    bool whole = job->numbers == WHOLE;
    verify_random(x.data(), n, whole ? -4.49f : -1.0f, whole ? 4.49f : 1.0f, seed);
    for (size_t i = 0; i < n; i++) {
        bits[i] = bits_of(whole ? rintf(x[i]) : x[i]);
    }
    return bits;
}

/* The sum of the products k = first ... end - 1 of an element of C. */
static double dot(const struct product *job, const struct matrices *m, int row, int col, int first, int end) {
    double sum = 0;
    for (int k = first; k < end; k++) {
        sum += (double)of_bits(m->A[(size_t)row * job->K + k]) * of_bits(m->B[(size_t)k * job->N + col]);
    }
    return sum;
}

static struct matrices make(const struct product *job) {
    struct matrices m = {random_bits(job, (size_t)job->M * job->K, job->seed),
                         random_bits(job, (size_t)job->K * job->N, job->seed + 1000),
                         {}};
    for (int row = 0; row < job->M; row++) {
        for (int col = 0; col < job->N; col++) {
            m.expected.push_back((float)dot(job, &m, row, col, 0, job->K));
        }
    }
    return m;
}

static struct call call_for(const struct product *job, const struct matrices *m, struct handle *C) {
    struct call c = judge_call(&matmul);
    struct place place = {job->offset * (size_t)16, job->slack * (size_t)16};
    struct handle A = judge_input(&c, "A", m->A.data(), m->A.size() * sizeof(uint16_t), place),
                  B = judge_input(&c, "B", m->B.data(), m->B.size() * sizeof(uint16_t), place);
    *C = judge_output(&c, "C", m->expected.size() * sizeof(uint16_t), place);
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, job->M, job->N, job->K, A, B, *C, STREAM);
    return c;
}

static void doing(const struct product *job, const char *what) {
    judge_doing("matmul, M = %d, N = %d, K = %d, %s, seed %llu%s%s%s", job->M, job->N, job->K,
                job->numbers == WHOLE ? "whole numbers" : "fractions", (unsigned long long)job->seed,
                job->offset ? ", arrays somewhere in their memory" : "", job->own_stream ? ", in a stream" : "", what);
}

/* What a known mistake would have led to. */
static std::string reason(const struct product *job, const struct matrices *m, int row, int col, float found,
                          double near) {
    for (int steps = 1; steps * STEP < job->K; steps++) {
        if (fabs(dot(job, m, row, col, 0, steps * STEP) - found) <= near) {
            return "; that is the sum of the first " + std::to_string(steps * STEP) + " products of " +
                   std::to_string(job->K);
        }
        if (fabs(dot(job, m, row, col, steps * STEP, job->K) - found) <= near) {
            return "; the first " + std::to_string(steps * STEP) + " products are missing";
        }
    }
    if (job->K > 0 && found == 0) {
        return "; not one product is in it";
    }
    for (int other = 0; other < job->N && !isnan(found); other++) {
        double value = m->expected[(size_t)row * job->N + other];
        if (other != col && job->N > 1 && fabs(value) > 1 && fabs(value - found) <= near / 8) {
            return "; that is the element of column " + std::to_string(other);
        }
    }
    return "";
}

/* Rounded once: whole numbers exactly so. Of fractions each group of 16 products may cut off 2^-21 of the sum, and the rounding is off by
 * 2^-8 of the result at most (common/layer.h). */
static void look(const struct product *job, const struct matrices *m, const struct result *r, struct handle C) {
    static bool launched; /* in any call so far */
    size_t n = m->expected.size();
    const uint16_t *bits = judge_content<uint16_t>(r, C);
    std::vector<float> found(n), expected(m->expected);
    for (size_t i = 0; i < n; i++) {
        found[i] = of_bits(bits[i]);
        expected[i] = job->numbers == WHOLE ? of_bits(bits_of(expected[i])) : expected[i];
    }
    bool whole = job->numbers == WHOLE;
    double atol = whole ? 0 : job->K * sqrt((double)job->K) / (1 << 25) + 1e-6, rtol = whole ? 0 : 1.001 / 256;
    long long bad = judge_first_bad(found.data(), expected.data(), n, atol, rtol);
    launched |= r->answer.launches > 0;
    if (!launched && bad >= 0) {
        judge_fail("not_implemented", "no kernel was launched.");
    }
    if (bad >= 0) {
        int row = (int)(bad / job->N), col = (int)(bad % job->N);
        std::string why = "that is row " + std::to_string(row) + ", column " + std::to_string(col);
        if (!isnan(found[bad])) {
            why += reason(job, m, row, col, found[bad], 1e-6 + fabs(found[bad]) / 256);
        }
        judge_reject(r, found.data(), expected.data(), n, bad, why, NOBODY_KNOWS);
    }
    judge_rest(r);
}

static struct result run(const struct product job, bool count = false) {
    struct handle C;
    doing(&job, count ? ", memory accesses" : "");
    struct matrices m = make(&job);
    struct call c = call_for(&job, &m, &C);
    if (count) {
        judge_count(&c);
    }
    struct result r = judge_run(&c);
    look(&job, &m, &r, C);
    return r;
}

static void whole_tiles(void) {
    run({128, 128, 64, WHOLE, 1});
    run({128, 128, 128, FRACTIONS, 2});
    run({128, 256, 192, WHOLE, 3});
}

/* A ring of three stages has parity 0, 1, 0, 1: ten steps are four rounds. */
static void rounds(void) {
    run({128, 128, 256, WHOLE, 5});
    run({128, 128, 640, FRACTIONS, 6});
    run({72, 136, 456, WHOLE, 7});
}

static void any_shape(void) {
    static const int shapes[][3] = {{128, 128, 72}, {128, 136, 64}, {131, 128, 64}, {31, 32, 8},
                                    {1, 8, 8},      {129, 264, 40}, {200, 24, 16},  {33, 136, 104}};
    for (int s = 0; s < 8; s++) {
        run({shapes[s][0], shapes[s][1], shapes[s][2], s % 2 ? FRACTIONS : WHOLE, (uint64_t)(10 + s)});
    }
}

static void contract(void) {
    run({64, 64, 328, WHOLE, 33, 3}); /* nothing to do for a consumer: it has to release the stages all the same */
    run({0, 16, 16, WHOLE, 30});
    run({16, 0, 16, WHOLE, 31});
    run({40, 56, 0, WHOLE, 32});
    run({63, 88, 24, WHOLE, 34, 1, 40});
    run({90, 72, 56, FRACTIONS, 35, 0, 0, true});
}

static void again(void) {
    run({judge_draw(1, 200), 8 * judge_draw(1, 30), 8 * judge_draw(1, 60), WHOLE, (uint64_t)judge_draw(10000, 1000000),
         judge_draw(0, 9)});
    run({judge_draw(1, 200), 8 * judge_draw(1, 30), 8 * judge_draw(1, 60), FRACTIONS,
         (uint64_t)judge_draw(10000, 1000000), 0, judge_draw(0, 20), true});
}

static void refused(void) {
    const struct product job = {33, 40, 24, WHOLE, 90};
    struct handle C;
    doing(&job, ", and its launch fails");
    struct matrices m = make(&job);
    judge_refused_launch(call_for(&job, &m, &C));
}

static void busy(void) {
    const struct product job = {33, 40, 24, WHOLE, 91, 0, 0, true};
    struct handle C;
    run(job);
    doing(&job, " that is busy");
    struct matrices m = make(&job);
    judge_busy_stream(call_for(&job, &m, &C));
}

// ---------------------------------------------------------------- what the lesson is about

enum { EDGE = 256, DEPTH = 512, BLOCKS = (EDGE / TILE) * (EDGE / TILE) };

static struct result counted(void) {
    return run({EDGE, EDGE, DEPTH, FRACTIONS, 50}, true);
}

/* A block needs DEPTH / STEP tiles of A and as many of B, once each. */
static void by_tma(void) {
    const double needed = BLOCKS * 2.0 * TILE * DEPTH * 2, most = 1.01;
    /* Of each 16 of K wgmma reads at least B, 32 bytes of a column, for each 64 rows. */
    const double least_read = BLOCKS * (TILE / 64) * (DEPTH / 16) * (TILE * 32.0 / 128);
    struct result r = counted();
    const struct emulatorCounters *c = &r.answer.counters;
    double times = c->bulk_load_bytes / needed;
    if (c->bulk_copies == 0) {
        judge_fail("access_limit", "the result is right, but nothing was copied by TMA.");
    }
    if (c->global_load_requests > 0) {
        judge_fail("access_limit",
                   "the result is right, but threads loaded from global memory %llu times: A and B come by TMA.",
                   (unsigned long long)c->global_load_requests);
    }
    if (times > most) {
        judge_fail("access_limit",
                   "the result is right, but %.2f times the bytes of a block's tiles were copied (limit %.2f).", times,
                   most);
    }
    if (c->product_wavefronts < least_read) {
        judge_fail("access_limit",
                   "the result is right, but wgmma did %s of the products: the tiles in shared memory are for it.",
                   c->product_wavefronts ? "not all" : "none");
    }
    judge_note("%.2f times the bytes of all tiles (limit %.2f)", times, most);
}

static void ring(void) {
    const double most_barriers = 2;
    const unsigned least_shared = 98304, most_shared = 100000;
    struct result r = counted();
    const struct emulatorCounters *c = &r.answer.counters;
    double barriers = (c->barriers - c->barriers_of_group) / (double)(BLOCKS * WARPS);
    double used = c->bulk_places * 128.0 / BLOCKS;
    unsigned shared = r.answer.launch[0].shared + (unsigned)judge_ptxas(r.answer.launch[0].kernel).shared;
    if (barriers > most_barriers) {
        judge_fail("access_limit",
                   "the result is right, but each warp came to %.1f block barriers (limit %.0f).\n"
                   "          Producer and consumers wait for each other by `full` and `empty` alone.",
                   barriers, most_barriers);
    }
    if (shared > most_shared) {
        judge_fail("access_limit",
                   "the result is right, but a block takes %u bytes of shared memory (limit %u, three stages).", shared,
                   most_shared);
    }
    if (shared < least_shared) {
        judge_fail("access_limit",
                   "the result is right, but a block takes %u bytes of shared memory; three stages are %u.\n"
                   "          With fewer, the producer has nowhere to put the tiles after the next one.",
                   shared, least_shared);
    }
    if (used < least_shared) {
        judge_fail("access_limit",
                   "the result is right, but tiles came to %.0f bytes of shared memory only; three stages are %u.\n"
                   "          Which stage has step 2, and which one step 3?",
                   used, least_shared);
    }
    judge_note("%.1f block barriers (limit %.0f), %u bytes of shared memory", barriers, most_barriers, shared);
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"matmul", "shapes that fit the tiles, with fewer steps than stages: 128 x 128 x 64 and others", whole_tiles,
         EVERYWHERE},
        {"matmul", "several rounds of the ring: 4, 8 and 10 steps", rounds, EVERYWHERE},
        {"matmul", "any shape: 1 x 8 x 8, 31 x 32 x 8, 129 x 264 x 40, 33 x 136 x 104 and others", any_shape,
         EVERYWHERE},
        {"matmul", "empty matrices, K = 0, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"matmul", "a launch that fails is told", refused, EVERYWHERE},
        {"matmul", "it returns without waiting", busy, EVERYWHERE},
        {"matmul", "A and B come by TMA, each tile once, and wgmma multiplies", by_tma, ON_EMULATOR},
        {"matmul", "nobody waits for the whole block", ring, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "19", {&matmul}, checks, sizeof checks / sizeof checks[0]);
}
