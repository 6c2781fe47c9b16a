/* Grader of exercise 18: matmul, as lessons/lesson18_gemm_mma/exercise.cu describes it.
 *
 * Shapes that fit the tiles and shapes that do not, more and fewer steps than stages, empty matrices, K = 0, matrices that begin anywhere
 * on 16 bytes, the inputs unharmed, a stream of the caller's, no waiting, a launch that fails, and, on the emulator, bank conflicts, padding,
 * barriers, how often tiles are loaded, and how many groups of copies stay on their way when a warp waits. */
// arch: sm_80 sm_90
#include "tools/grading/product_bf16.h"

struct __nv_bfloat16; /* its name is all that the symbol needs */

static const struct function matmul =
    FUNCTION(void, matmul, int, int, int, const __nv_bfloat16 *, const __nv_bfloat16 *, __nv_bfloat16 *, cudaStream_t);

enum { TILE = 64, STEP = 32, WARPS = 4 };
static const struct bf16_form form = {&matmul, STEP};

static void whole_tiles(void) {
    bf16_run(&form, {64, 64, 32, WHOLE, 1});
    bf16_run(&form, {64, 64, 64, FRACTIONS, 2});
    bf16_run(&form, {128, 192, 224, WHOLE, 3});
}

static void any_shape(void) {
    static const int shapes[][3] = {{64, 64, 40}, {64, 72, 32},   {67, 64, 96},  {31, 32, 8},
                                    {1, 8, 8},    {129, 72, 136}, {200, 24, 16}, {33, 136, 104}};
    for (int s = 0; s < 8; s++) {
        bf16_run(&form, {shapes[s][0], shapes[s][1], shapes[s][2], s % 2 ? FRACTIONS : WHOLE, (uint64_t)(10 + s)});
    }
}

static void contract(void) {
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
    bf16_busy(&form);
}

static void again(void) {
    bf16_again(&form, 150, 18, 30);
}

// ---------------------------------------------------------------- what the lesson is about

enum { EDGE = 128, DEPTH = 256, BLOCKS = (EDGE / TILE) * (EDGE / TILE) };

static struct result counted(void) {
    return bf16_run(&form, {EDGE, EDGE, DEPTH, FRACTIONS, 50}, true);
}

/* Wavefronts, and shared memory without padding. Two tiles of zeros behind the end of K make 1.25 of 1 to write. */
static void no_conflicts(void) {
    const double mmas = (double)EDGE * EDGE * DEPTH / (16 * 8 * 16), most_read = 2.2, most_written = 1.3;
    const int most_shared = 3 * (TILE * STEP + STEP * TILE) * 2;
    struct result r = counted();
    const struct emulatorCounters *c = &r.answer.counters;
    double read = c->shared_load_wavefronts / mmas;
    double written = (c->shared_store_wavefronts + c->async_copy_wavefronts) / mmas;
    int shared = judge_ptxas(r.answer.launch[0].kernel).shared + (int)r.answer.launch[0].shared;
    if (shared > most_shared) {
        judge_fail("access_limit",
                   "the result is right, but a block takes %d bytes of shared memory (limit %d, three stages without "
                   "padding).",
                   shared, most_shared);
    }
    if (read > most_read) {
        judge_fail(
            "access_limit",
            "the result is right, but fragments were read in %.2f wavefronts for each mma (limit %.1f).\n"
            "          ldmatrix needs one wavefront for 8 rows whose pieces lie in 32 different banks. Draw where "
            "`place` puts them.",
            read, most_read);
    }
    if (written > most_written) {
        judge_fail("access_limit",
                   "the result is right, but tiles were written in %.2f wavefronts for each mma (limit %.1f).\n"
                   "          Copy 16 bytes at once; each tile is copied once.",
                   written, most_written);
    }
    judge_note("%.2f wavefronts to read (limit %.1f) and %.2f to write (limit %.1f) for each mma, %d bytes", read,
               most_read, written, most_written, shared);
}

/* Three stages: a warp that waits leaves one group on its way; one barrier a step; each tile is loaded once. */
static void ring(void) {
    const double steps = DEPTH / STEP, most_barriers = steps + 2, least_left = 0.7, most_sectors = 1.1;
    const double tiles = BLOCKS * 2 * (TILE * DEPTH * 2 / 32.0);
    struct result r = counted();
    const struct emulatorCounters *c = &r.answer.counters;
    double barriers = c->barriers / (double)(BLOCKS * WARPS), sectors = judge_sectors_read(c) / tiles;
    double left = c->async_waits ? (double)c->async_groups_left / c->async_waits : 0;
    if (c->async_copies == 0) {
        judge_fail("access_limit", "the result is right, but nothing was copied by cp.async.");
    }
    if (barriers > most_barriers) {
        judge_fail(
            "access_limit",
            "the result is right, but each block came to %.1f barriers for its %.0f steps of %d (limit %.0f).\n"
            "          With a stage that nobody reads there is always room for the next tile: one barrier a step is "
            "enough.",
            barriers, steps, STEP, most_barriers);
    }
    if (left < least_left) {
        judge_fail("access_limit",
                   "the result is right, but a wait left only %.2f groups of copies on their way, on average (at least "
                   "%.1f).\n          The newest tile need not have arrived yet: __pipeline_wait_prior says how many "
                   "groups may be late.",
                   left, least_left);
    }
    if (sectors > most_sectors) {
        judge_fail(
            "access_limit",
            "the result is right, but %.2f times the sectors of 32 bytes that hold a block's tiles were read from "
            "global\n          memory (limit %.1f).",
            sectors, most_sectors);
    }
    judge_note("%.1f barriers for %.0f steps (limit %.0f), %.2f groups on their way at a wait (at least %.1f)",
               barriers, steps, most_barriers, left, least_left);
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"matmul", "shapes that fit the tiles: 64 x 64 x 32, 64 x 64 x 64, 128 x 192 x 224", whole_tiles, EVERYWHERE},
        {"matmul", "any shape: 1 x 8 x 8, 31 x 32 x 8, 129 x 72 x 136, 33 x 136 x 104 and others", any_shape,
         EVERYWHERE},
        {"matmul", "empty matrices, K = 0, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"matmul", "a launch that fails is told", refused, EVERYWHERE},
        {"matmul", "it returns without waiting", busy, EVERYWHERE},
        {"matmul", "a swizzle: no bank conflicts, no padding", no_conflicts, ON_EMULATOR},
        {"matmul", "three stages: a tile is always on its way", ring, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "18", {&matmul}, checks, sizeof checks / sizeof checks[0]);
}
