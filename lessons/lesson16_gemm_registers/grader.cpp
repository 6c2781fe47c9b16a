/* Grader of exercise 16: gemm, as lessons/lesson16_gemm_registers/exercise.cu describes it.
 *
 * Shapes that fit the tiles and shapes that do not, alpha and beta, NaN in C where beta is 0, empty matrices, any
 * address, elements past the end of a row's matrix, the inputs unharmed, a stream of the caller's, no waiting, a launch that fails,
 * and, on the emulator, in every run, how often shared and global memory were read, how tiles are filled, how often a block waits, and how many
 * blocks there are. */
// arch: sm_80 sm_90
#include "tools/grading/product.h"

static const struct function gemm =
    FUNCTION(void, gemm, int, int, int, float, const float *, const float *, float, float *, cudaStream_t);
// ---------------------------------------------------------------- what a call may do

enum { TILE = 64, STEP = 8, FEW = 64 };

static double ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

/* Numbers up to the next multiple. */
static double up_to(int n, int multiple) {
    return ceil_div(n, multiple) * multiple;
}

/* Sectors of a row, for each block that reads it. */
static double row_limit(int columns, int offset) {
    return (product_row_whole(columns, offset) ? 2 : 1.25) * product_row_sectors(columns, offset);
}

static void judge_tiles(const struct result *r, const struct product *job, const struct product_arrays *arrays) {
    double most = row_limit(job->K, job->offset_A) * job->M * ceil_div(job->N, TILE) +
                  row_limit(job->N, job->offset_B) * job->K * ceil_div(job->M, TILE) + FEW;
    double sectors = product_sectors(r, job, arrays);
    if (sectors > most) {
        judge_fail("access_limit",
                   "the result is right, but %.0f sectors of 32 bytes were read from global memory (limit %.0f, two "
                   "for each that holds\n          a block's tiles). Load each tile once per block; neighbouring "
                   "threads load neighbouring elements.",
                   sectors, most);
    }
}

static double wavefronts_of(const struct emulatorCounters *c) {
    return (double)(c->shared_load_wavefronts + c->shared_store_wavefronts + c->async_copy_wavefronts);
}

/* A number that was read from shared memory is used more than once. */
static void judge_registers(const struct result *r, const struct product *job) {
    const double most = 0.6;
    double wavefronts = wavefronts_of(&r->answer.counters), work = product_work(r, job, TILE, STEP);
    if (wavefronts > most * work + FEW) {
        judge_fail("access_limit",
                   "the result is right, but shared memory took %.2f wavefronts for 32 multiply-adds (limit %.1f).\n"
                   "          Read R numbers of A and R of B, as float4, and use each of them R times.",
                   wavefronts / work, most);
    }
}

/* Of a warp, on average: of blocks that read A or B, or write C. */
static double barriers_of(const struct result *r) {
    double warps = 0;
    for (const struct launch &l : r->launches) {
        double blocks = (double)(l.input_blocks > l.output_blocks ? l.input_blocks : l.output_blocks);
        warps += blocks * ceil_div((int)(l.block[0] * l.block[1] * l.block[2]), 32);
    }
    return (double)r->answer.counters.barriers / (warps > 1 ? warps : 1);
}

/* Two buffers need one barrier a step, one buffer needs two. (Where there are many tiles, a block may take several.) */
static void judge_barriers(const struct result *r, const struct product *job) {
    double steps = ceil_div(job->K, STEP), most = steps + 2, barriers = barriers_of(r);
    if (product_few_tiles(job) && barriers > most) {
        judge_fail(
            "access_limit",
            "the result is right, but each block executed %.1f barriers for its %.0f steps of %d (limit %.0f).\n       "
            "   Fill one buffer while the other is multiplied: then one barrier per step is enough.",
            barriers, steps, STEP, most);
    }
}

/* Wavefronts that write all tiles, and one more, without bank conflicts. */
static double filled(const struct product *job) {
    return ceil_div(job->M, TILE) * ceil_div(job->N, TILE) * 2 * TILE * (up_to(job->K, STEP) + STEP) / 32;
}

/* A column of tile_A must not lie in one bank. (C may leave through shared memory, too, in tiles of 128 x 128.) Where the rows of A are a multiple
 * of 128 bytes long, the elements that a warp copies asynchronously conflict in the banks that they are read from, wherever they are stored. */
static void judge_filling(const struct result *r, const struct product *job) {
    const double most = 2;
    const struct emulatorCounters *c = &r->answer.counters;
    double of_C = up_to(job->M, 2 * TILE) * up_to(job->N, 2 * TILE) / 32;
    double stored =
        (double)(c->shared_store_wavefronts + (job->K % 32 == 0 ? c->async_copies : c->async_copy_wavefronts));
    if (stored > most * filled(job) + of_C + FEW) {
        judge_fail(
            "access_limit",
            "the result is right, but filling the tiles took %.1f times the minimum of wavefronts (limit %.1f).\n      "
            "    To which of the 32 banks do the 32 threads of a warp write? PAD moves the rows of tile_A apart.",
            stored / filled(job), most + of_C / filled(job));
    }
}

static void limits(const struct result *r, const struct product *job, const struct product_arrays *arrays) {
    product_parallel(r, job);
    judge_tiles(r, job, arrays);
    judge_registers(r, job);
    judge_barriers(r, job);
    judge_filling(r, job);
}

static const struct product_form form = {&gemm, false, limits};

// ---------------------------------------------------------------- the checks

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

/* More rows, or columns, than 16 bits count. Of how many there can be at most the emulator would take too long: but a grid whose y or z grows with
 * them ends at 65535. */
static void longest(void) {
    const int many = 70000, most = 1 << 20;
    for (bool rows : {true, false}) {
        struct result r = product_run(&form, {rows ? many : 1, rows ? 1 : many, 1, 1, 0, WHOLE, (uint64_t)42 + rows});
        const struct launch *l = &r.answer.launch[0];
        double grows = l->grid[1] > l->grid[2] ? l->grid[1] : l->grid[2];
        if (r.answer.launches == 1 && grows >= 1000 && grows * most / many > 65535) {
            judge_fail(
                "launch_error",
                "the grid is %u x %u x %u blocks. With M or N = %d it would need more than 65535 in y or z, which "
                "no GPU has: only x\n          goes further.",
                l->grid[0], l->grid[1], l->grid[2], most);
        }
    }
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

/* Here the limits of all calls are judged. The rows of A are no multiple of 128 bytes long, for judge_filling. */
static void thrifty(void) {
    const struct product job = {128, 128, 136, 1, 0, FRACTIONS, 50};
    struct result r = product_run(&form, job, true);
    const struct emulatorCounters *c = &r.answer.counters;
    judge_note("%.2f wavefronts for 32 multiply-adds, %.1f barriers for %.0f steps, tiles filled in %.2f times the "
               "wavefronts",
               wavefronts_of(c) / product_work(&r, &job, TILE, STEP), barriers_of(&r), ceil_div(job.K, STEP),
               (c->shared_store_wavefronts + c->async_copy_wavefronts) / filled(&job));
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"gemm", "shapes that fit the tiles: 64 x 64 x 8, 64 x 64 x 64, 128 x 192 x 40", whole_tiles, EVERYWHERE},
        {"gemm", "any shape: 1 x 1 x 1, 31 x 33 x 7, 129 x 66 x 57, 33 x 130 x 101 and others", any_shape, EVERYWHERE},
        {"gemm", "alpha and beta, empty matrices, any address, nothing past the end, in a stream", contract,
         EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"gemm", "it returns without waiting", busy, EVERYWHERE},
        {"gemm", "M or N = 70000, and a grid for a million", longest, EVERYWHERE},
        {"gemm", "register tiles, two buffers, no bank conflicts, many blocks", thrifty, ON_EMULATOR, LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "16", {&gemm}, checks, sizeof checks / sizeof checks[0]);
}
