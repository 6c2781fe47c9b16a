/* Grader of exercise 19: matmul, as lessons/lesson19_gemm_hopper/exercise.cu describes it.
 *
 * Shapes that fit the tiles and shapes that do not, fewer steps than stages and several rounds of the ring, empty matrices, K = 0, matrices that
 * begin anywhere on 16 bytes, others of another shape at the same addresses, the inputs unharmed, a stream of the caller's, no waiting, a launch
 * that fails, and, on the emulator, that everything comes by TMA, each tile once, and that nobody waits for a whole block in the loop. */
// arch: sm_90a
#include "tools/grading/product_bf16.h"

struct __nv_bfloat16; /* its name is all that the symbol needs */

static const struct function matmul =
    FUNCTION(void, matmul, int, int, int, const __nv_bfloat16 *, const __nv_bfloat16 *, __nv_bfloat16 *, cudaStream_t);

enum { TILE = 128, STEP = 64, WARPS = 12 };
static const struct bf16_form form = {&matmul, STEP};

static void whole_tiles(void) {
    bf16_run(&form, {128, 128, 64, WHOLE, 1});
    bf16_run(&form, {128, 128, 128, FRACTIONS, 2});
    bf16_run(&form, {128, 256, 192, WHOLE, 3});
}

/* A ring of three stages has parity 0, 1, 0, 1: ten steps are four rounds. */
static void rounds(void) {
    bf16_run(&form, {128, 128, 256, WHOLE, 5});
    bf16_run(&form, {128, 128, 640, FRACTIONS, 6});
    bf16_run(&form, {72, 136, 456, WHOLE, 7});
}

static void any_shape(void) {
    static const int shapes[][3] = {{128, 128, 72}, {128, 136, 64}, {131, 128, 64}, {31, 32, 8},
                                    {1, 8, 8},      {129, 264, 40}, {200, 24, 16},  {33, 136, 104}};
    for (int s = 0; s < 8; s++) {
        bf16_run(&form, {shapes[s][0], shapes[s][1], shapes[s][2], s % 2 ? FRACTIONS : WHOLE, (uint64_t)(10 + s)});
    }
}

static void contract(void) {
    bf16_run(&form,
             {64, 64, 328, WHOLE, 33, 3}); /* nothing to do for a consumer: it has to release the stages all the same */
    bf16_run(&form, {0, 16, 16, WHOLE, 30});
    bf16_run(&form, {16, 0, 16, WHOLE, 31});
    bf16_run(&form, {40, 56, 0, WHOLE, 32});
    bf16_run(&form, {63, 88, 24, WHOLE, 34, 1, 40});
    bf16_run(&form, {90, 72, 56, FRACTIONS, 35, 0, 0, true});
}

/* What describes a matrix to TMA has its address in it, and its shape: the address alone says nothing. Here only M grows, then only N, then all
 * but M. */
static void same_place(void) {
    const size_t room = 1 << 16;
    static const int shapes[][3] = {{72, 136, 96}, {200, 136, 96}, {200, 264, 96}, {72, 288, 104}};
    for (int s = 0; s < 4; s++) {
        bf16_run(&form, {shapes[s][0], shapes[s][1], shapes[s][2], WHOLE, (uint64_t)(40 + s), 0, 0, false, room});
    }
}

static void refused(void) {
    bf16_refused(&form);
}

static void busy(void) {
    bf16_busy(&form);
}

static void again(void) {
    bf16_again(&form, 200, 30, 60);
}

// ---------------------------------------------------------------- what the lesson is about

enum { EDGE = 256, DEPTH = 512, BLOCKS = (EDGE / TILE) * (EDGE / TILE) };

static struct result counted(void) {
    return bf16_run(&form, {EDGE, EDGE, DEPTH, FRACTIONS, 50}, true);
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

/* The emulator takes new barriers as known to all. Whether the fence is at its place cannot be seen here: that it is nowhere can. */
static void barriers_known(void) {
    struct result r = counted();
    std::string ptx = judge_ptx(r.answer.launch[0].kernel);
    if (ptx.find("fence.mbarrier_init") == std::string::npos && ptx.find("fence.proxy.async") == std::string::npos) {
        judge_fail("race",
                   "the result is right here, but a thread initializes barriers, and then TMA counts bytes there: "
                   "nothing makes the first\n          known to the second. In the kernel is neither "
                   "fence.mbarrier_init nor fence.proxy.async: mbarrier_init_done()\n          comes behind the last "
                   "mbarrier_init.");
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"matmul", "shapes that fit the tiles, with fewer steps than stages: 128 x 128 x 64 and others", whole_tiles,
         EVERYWHERE},
        {"matmul", "several rounds of the ring: 4, 8 and 10 steps", rounds, EVERYWHERE},
        {"matmul", "any shape: 1 x 8 x 8, 31 x 32 x 8, 129 x 264 x 40, 33 x 136 x 104 and others", any_shape,
         EVERYWHERE},
        {"matmul", "empty matrices, K = 0, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"matmul", "other shapes at the same addresses", same_place, EVERYWHERE},
        {"matmul", "a launch that fails is told", refused, EVERYWHERE},
        {"matmul", "it returns without waiting", busy, EVERYWHERE},
        {"matmul", "A and B come by TMA, each tile once, and wgmma multiplies", by_tma, ON_EMULATOR},
        {"matmul", "nobody waits for the whole block", ring, ON_EMULATOR},
        {"matmul", "TMA gets to know of the barriers", barriers_known, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "19", {&matmul}, checks, sizeof checks / sizeof checks[0]);
}
