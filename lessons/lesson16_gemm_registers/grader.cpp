/* Grader of exercise 16: gemm, as lessons/lesson16_gemm_registers/exercise.cu describes it.
 *
 * Shapes that fit the tiles and shapes that do not, alpha and beta, NaN in C where beta is 0, empty matrices, any
 * address, elements past the end of a row's matrix, the inputs unharmed, a stream of the caller's, no waiting, a launch that fails,
 * and, on the emulator, how often shared and global memory were read, how tiles are filled, and how often a block waits. */
// arch: sm_80 sm_90
#include "tools/grading/product.h"

static const struct function gemm =
    FUNCTION(void, gemm, int, int, int, float, const float *, const float *, float, float *, cudaStream_t);
static const struct product_form form = {&gemm, false};

static void whole_tiles(void) {
    product_run(&form, {64, 64, 8, 1, 0, WHOLE, 1});
    product_run(&form, {64, 64, 64, 1, 0, FRACTIONS, 2});
    product_run(&form, {128, 192, 40, 1, 0, WHOLE, 3});
}

static void any_shape(void) {
    static const int shapes[][3] = {{64, 64, 13},  {64, 65, 16},  {67, 64, 16},   {31, 33, 7}, {1, 1, 1},
                                    {129, 66, 57}, {200, 30, 10}, {33, 130, 101}, {5, 300, 3}, {60, 68, 12}};
    for (int s = 0; s < 10; s++) {
        product_run(&form,
                    {shapes[s][0], shapes[s][1], shapes[s][2], 1, 0, s % 2 ? FRACTIONS : WHOLE, (uint64_t)(10 + s)});
    }
}

static void contract(void) {
    product_run(&form, {70, 90, 20, 2, 0, WHOLE, 30});
    product_run(&form, {70, 90, 20, 1, 1, WHOLE, 31});
    product_run(&form, {64, 64, 16, -1.5f, 0.5f, FRACTIONS, 32});
    product_run(&form, {65, 64, 24, 1, -2, WHOLE, 33});
    product_run(&form, {0, 9, 9, 1, 1, WHOLE, 34});
    product_run(&form, {9, 0, 9, 1, 1, WHOLE, 35});
    product_run(&form, {40, 50, 0, 1, 2, WHOLE, 36});
    product_run(&form, {40, 50, 0, 1, 0, WHOLE, 37});
    product_run(&form, {64, 64, 32, 1, 0, WHOLE, 38, 1, 2, 3});
    product_run(&form, {66, 67, 21, 1, 0, WHOLE, 39, 3, 1, 2});
    product_run(&form, {63, 61, 19, 1, 0, WHOLE, 40, 0, 0, 0, 300});
    product_run(&form, {90, 70, 50, 0.5f, 0.25f, FRACTIONS, 41, 0, 0, 0, 0, true});
}

static void again(void) {
    product_again(&form);
}

static void refused(void) {
    product_refused(&form);
}

static void busy(void) {
    product_busy(&form);
}

// ---------------------------------------------------------------- what the lesson is about

/* The rows of A are no multiple of 128 bytes long: else those that a warp copies meet in the banks that they are read from. */
enum { EDGE = 128, DEPTH = 136, TILE = 64, STEP = 8, BLOCKS = (EDGE / TILE) * (EDGE / TILE), WARPS = 8 };

static struct emulatorCounters counted(void) {
    return product_run(&form, {EDGE, EDGE, DEPTH, 1, 0, FRACTIONS, 50}, true).answer.counters;
}

/* A number that was read from shared memory is used more than once. */
static void thrifty(void) {
    const double fmas = (double)EDGE * EDGE * DEPTH, tiles = BLOCKS * 2 * (TILE * DEPTH / 8.0);
    const double wavefronts_limit = 0.6, sectors_limit = 2;
    struct emulatorCounters c = counted();
    double wavefronts = 32.0 * (c.shared_load_wavefronts + c.shared_store_wavefronts + c.async_copy_wavefronts) / fmas;
    double sectors = judge_sectors_read(&c) / tiles;
    if (sectors > sectors_limit) {
        judge_fail("access_limit",
                   "the result is right, but %.2f times the sectors of 32 bytes that hold a block's tiles were read "
                   "from global\n          memory (limit %.1f). Each block loads its tiles once; threads that stand "
                   "side by side load neighbours.",
                   sectors, sectors_limit);
    }
    if (wavefronts > wavefronts_limit) {
        judge_fail("access_limit",
                   "the result is right, but shared memory took %.2f wavefronts for 32 multiply-adds (limit %.1f).\n"
                   "          Read R numbers of A and R of B, as float4, and use each of them R times.",
                   wavefronts, wavefronts_limit);
    }
    if (c.shared_load_requests == 0) {
        judge_fail("access_limit", "the result is right, but no tile was kept in shared memory.");
    }
    judge_note("%.2f wavefronts for 32 multiply-adds (limit %.1f), %.2f times the tiles' sectors (limit %.1f)",
               wavefronts, wavefronts_limit, sectors, sectors_limit);
}

/* Two buffers need one barrier a step, one buffer needs two; and a column of tile_A must not lie in one bank. */
static void two_buffers(void) {
    const double steps = DEPTH / STEP, most_barriers = steps + 2, most_times = 2;
    const double needed = BLOCKS * 2.0 * TILE * DEPTH / 32; /* wavefronts that write all tiles, with no conflict */
    struct emulatorCounters c = counted();
    double barriers = c.barriers / (double)(BLOCKS * WARPS);
    double times = (c.shared_store_wavefronts + c.async_copy_wavefronts) / needed;
    if (barriers > most_barriers) {
        judge_fail("access_limit",
                   "the result is right, but each block came to %.1f barriers for its %.0f steps of %d (limit %.0f).\n"
                   "          While one buffer is multiplied, the other is filled: then one barrier a step is enough.",
                   barriers, steps, STEP, most_barriers);
    }
    if (times > most_times) {
        judge_fail(
            "access_limit",
            "the result is right, but filling the tiles took %.1f times the wavefronts that it has to (limit "
            "%.1f).\n          Into which of the 32 banks do the 32 threads of a warp write? PAD moves the rows of "
            "tile_A apart.",
            times, most_times);
    }
    judge_note("%.1f barriers for %.0f steps (limit %.0f), tiles filled in %.2f times the wavefronts (limit %.1f)",
               barriers, steps, most_barriers, times, most_times);
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"gemm", "shapes that fit the tiles: 64 x 64 x 8, 64 x 64 x 64, 128 x 192 x 40", whole_tiles, EVERYWHERE},
        {"gemm", "any shape: 1 x 1 x 1, 31 x 33 x 7, 129 x 66 x 57, 33 x 130 x 101 and others", any_shape, EVERYWHERE},
        {"gemm", "alpha and beta, empty matrices, any address, nothing past the end, in a stream", contract,
         EVERYWHERE},
        {"gemm", "a launch that fails is told", refused, EVERYWHERE},
        {"gemm", "it returns without waiting", busy, EVERYWHERE},
        {"gemm", "register tiles: each number from shared memory is used often", thrifty, ON_EMULATOR},
        {"gemm", "two buffers, filled without bank conflicts", two_buffers, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "16", {&gemm}, checks, sizeof checks / sizeof checks[0]);
}
