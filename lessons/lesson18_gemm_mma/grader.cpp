/* Grader of exercise 18: matmul, as lessons/lesson18_gemm_mma/exercise.cu describes it.
 *
 * Shapes that fit the tiles and shapes that do not, more and fewer steps than stages, empty matrices, K = 0, matrices that begin anywhere
 * on 16 bytes, the inputs unharmed, a stream of the caller's, no waiting, a launch that fails, and, on the emulator, bank conflicts, padding,
 * barriers, how often tiles are loaded, and how many groups of copies stay in flight when a warp waits: in every run. */
// arch: sm_80 sm_90
#include "tools/grading/product_bf16.h"

struct __nv_bfloat16; /* its name is all that the symbol needs */

static const struct function matmul =
    FUNCTION(void, matmul, int, int, int, const __nv_bfloat16 *, const __nv_bfloat16 *, __nv_bfloat16 *, cudaStream_t);

enum { TILE = 64, STEP = 32, STAGES = 3 };
enum { FEW_STEPS = 5 }; /* of fewer, the beginning and the end are too large a part */

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

/* What a job is made of: blocks, steps of each, and products of 16 x 8 x 16. */
struct parts {
    double blocks, steps, mmas;
    bool whole; /* nothing is cut, and rows begin with a sector */
};

static struct parts parts_of(const struct bf16_product *job) {
    struct parts p = {(double)ceil_div(job->M, TILE) * ceil_div(job->N, TILE), (double)ceil_div(job->K, STEP), 0,
                      false};
    p.mmas = p.blocks * p.steps * TILE * TILE * STEP / (16 * 8 * 16);
    p.whole = job->M % TILE == 0 && job->N % TILE == 0 && job->K % STEP == 0 && !job->offset;
    return p;
}

/* Zeros are asked for behind the end of K, for two tiles more than there are; where a tile is cut, some lanes copy and others bring zeros. */
static double written_limit(const struct parts *p) {
    return (p->whole ? 1.04 : 1.5) * (p->steps + STAGES - 1) / p->steps;
}

/* Where something is cut or begins between two sectors, rows of 64 bytes may cost three sectors instead of two. */
static double sectors_limit(const struct parts *p) {
    return p->whole ? 1.1 : 1.7;
}

static void judge_conflicts(const struct result *r, const struct parts *p) {
    const double most_read = 2.2 * (p->steps + 1) / p->steps; /* a program may read fragments one step ahead */
    const double most_written = written_limit(p);
    const struct emulatorCounters *c = &r->answer.counters;
    double read = c->shared_load_wavefronts / p->mmas;
    double written = (c->shared_store_wavefronts + c->async_copy_wavefronts) / p->mmas;
    if (read > most_read) {
        judge_fail("access_limit",
                   "the result is right, but fragments were read in %.2f wavefronts for each mma (limit %.1f).\n       "
                   "   ldmatrix needs one wavefront for 8 rows whose pieces are in 32 different banks. Draw where "
                   "`place` puts them.",
                   read, most_read);
    }
    if (written > most_written) {
        judge_fail("access_limit",
                   "the result is right, but tiles were written in %.2f wavefronts for each mma (limit %.2f).\n        "
                   "  Copy 16 bytes at a time, and each tile once.",
                   written, most_written);
    }
}

/* How many warps a block has is up to the program. */
static double warps_of(const struct result *r, const struct parts *p) {
    const struct launch *l = judge_main_launch(r);
    return p->blocks * ceil_div((int)(l->block[0] * l->block[1] * l->block[2]), 32);
}

/* At a wait, but for one of each warp, which may be for everything, at the end. */
static double groups_left(const struct result *r, const struct parts *p) {
    double waits = (double)r->answer.counters.async_waits, warps = warps_of(r, p);
    return waits ? (double)r->answer.counters.async_groups_left / (waits > warps ? waits - warps : waits) : 0;
}

/* Three stages: a warp that waits leaves one group in flight, and a group is a tile's; one barrier a step; each tile is loaded once. */
static void judge_ring(const struct result *r, const struct parts *p) {
    const struct emulatorCounters *c = &r->answer.counters;
    double warps = warps_of(r, p), barriers = c->barriers / warps, commits = c->async_commits / warps;
    double left = groups_left(r, p);
    double sectors = judge_sectors_read(c) / (p->blocks * p->steps * 2 * (TILE * STEP * 2 / 32.0));
    if (c->async_copies == 0) {
        judge_fail("access_limit", "the result is right, but nothing was copied by cp.async.");
    }
    if (barriers > p->steps + 2) {
        judge_fail("access_limit",
                   "the result is right, but each block executed %.1f barriers for its %.0f steps of %d (limit "
                   "%.0f).\n          One stage is always free for the next tile: one barrier per step is enough.",
                   barriers, p->steps, STEP, p->steps + 2);
    }
    if (commits > p->steps + STAGES) {
        judge_fail(
            "access_limit",
            "the result is right, but each warp committed %.1f groups of copies for %.0f steps (limit %.0f).\n"
            "          A group is a tile of A and one of B: an empty group is in flight without bringing anything.",
            commits, p->steps, p->steps + STAGES);
    }
    if (left < 0.7 && p->steps >= FEW_STEPS) {
        judge_fail("access_limit",
                   "the result is right, but a wait left only %.2f groups of copies in flight, on average (at least "
                   "0.7).\n          The newest tile need not have arrived yet: the argument of __pipeline_wait_prior "
                   "is the number of groups that may still be in flight.",
                   left);
    }
    if (sectors > sectors_limit(p)) {
        judge_fail(
            "access_limit",
            "the result is right, but %.2f times the sectors of 32 bytes that hold the blocks' tiles were read from "
            "global\n          memory (limit %.1f).",
            sectors, sectors_limit(p));
    }
}

static void limits(const struct result *r, const struct bf16_product *job) {
    struct parts p = parts_of(job);
    if (!judge_counted(r) || p.mmas == 0) {
        return;
    }
    judge_conflicts(r, &p);
    judge_ring(r, &p);
    if ((double)job->M * job->N >= 1 << 18) {
        judge_shared(r, 512, "Launch a block for each tile of C, or as many as the device has room for.");
    }
}

static const struct bf16_form form = {&matmul, STEP, limits};

static void whole_tiles(void) {
    bf16_run(&form, {64, 64, 32, WHOLE, 1});
    bf16_run(&form, {64, 64, 64, FRACTIONS, 2});
    bf16_run(&form, {128, 192, 224, WHOLE, 3});
    bf16_run(&form, {512, 512, 32, WHOLE, 4});
}

/* Tiles that only K cuts: behind its end they hold zeros, since 0 times what is left there may be NaN. */
static void ends_of_k(void) {
    bf16_run(&form, {64, 64, 40, WHOLE, 20});
    bf16_run(&form, {128, 64, 8, FRACTIONS, 21});
}

/* What lies beyond M and N reaches sums only that are not written, and may be left as it is. */
static void any_shape(void) {
    judge_allow_unwritten();
    static const int shapes[][3] = {{64, 64, 40}, {64, 72, 32},   {67, 64, 96},  {31, 32, 8},
                                    {1, 8, 8},    {129, 72, 136}, {200, 24, 16}, {33, 136, 104}};
    for (int s = 0; s < 8; s++) {
        bf16_run(&form, {shapes[s][0], shapes[s][1], shapes[s][2], s % 2 ? FRACTIONS : WHOLE, (uint64_t)(10 + s)});
    }
}

static void contract(void) {
    judge_allow_unwritten();
    bf16_run(&form, {64, 64, 96, WHOLE, 33, 3});
    bf16_run(&form, {0, 16, 16, WHOLE, 30});
    bf16_run(&form, {16, 0, 16, WHOLE, 31});
    bf16_run(&form, {40, 56, 0, WHOLE, 32});
    bf16_run(&form, {63, 88, 24, WHOLE, 34, 1, 40});
    bf16_run(&form, {90, 72, 56, FRACTIONS, 35, 0, 0, true});
}

static void refused(void) {
    bf16_refused(&form);
}

static void busy(void) {
    judge_allow_unwritten();
    bf16_busy(&form);
}

static void again(void) {
    judge_allow_unwritten();
    bf16_again(&form, 150, 18, 30);
}

// ---------------------------------------------------------------- what the lesson is about

enum { EDGE = 128, DEPTH = 256 };

static struct result counted(void) {
    return bf16_run(&form, {EDGE, EDGE, DEPTH, FRACTIONS, 50}, true);
}

/* Wavefronts, and shared memory without padding. */
static void no_conflicts(void) {
    const int most_shared = STAGES * (TILE * STEP + STEP * TILE) * 2;
    struct result r = counted();
    const struct emulatorCounters *c = &r.answer.counters;
    const struct bf16_product job = {EDGE, EDGE, DEPTH};
    struct parts p = parts_of(&job);
    const struct launch *l = judge_main_launch(&r);
    int shared = judge_ptxas(l->kernel).shared + (int)l->shared;
    if (shared > most_shared) {
        judge_fail("access_limit",
                   "the result is right, but a block takes %d bytes of shared memory (limit %d, three stages without "
                   "padding).",
                   shared, most_shared);
    }
    judge_note("%.2f wavefronts to read (limit 2.2) and %.2f to write (limit %.2f) for each mma, %d bytes",
               c->shared_load_wavefronts / p.mmas, (c->shared_store_wavefronts + c->async_copy_wavefronts) / p.mmas,
               written_limit(&p), shared);
}

static void ring(void) {
    struct result r = counted();
    const struct bf16_product job = {EDGE, EDGE, DEPTH};
    struct parts p = parts_of(&job);
    judge_note("%.1f barriers for %.0f steps (limit %.0f), %.2f groups in flight at a wait (at least 0.7)",
               r.answer.counters.barriers / warps_of(&r, &p), p.steps, p.steps + 2, groups_left(&r, &p));
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"matmul", "shapes that fit the tiles: 64 x 64 x 32, 64 x 64 x 64, 128 x 192 x 224, 512 x 512 x 32",
         whole_tiles, EVERYWHERE},
        {"matmul", "zeros past the end of K: 64 x 64 x 40, 128 x 64 x 8", ends_of_k, EVERYWHERE},
        {"matmul", "any shape: 1 x 8 x 8, 31 x 32 x 8, 129 x 72 x 136, 33 x 136 x 104 and others", any_shape,
         EVERYWHERE},
        {"matmul", "empty matrices, K = 0, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"matmul", "it returns without waiting", busy, EVERYWHERE},
        {"matmul", "a swizzle: no bank conflicts, no padding", no_conflicts, ON_EMULATOR},
        {"matmul", "three stages: a tile is always in flight", ring, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "18", {&matmul}, checks, sizeof checks / sizeof checks[0]);
}
