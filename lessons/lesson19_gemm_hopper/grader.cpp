/* Grader of exercise 19: matmul, as lessons/lesson19_gemm_hopper/exercise.cu describes it.
 *
 * Shapes that fit the tiles and shapes that do not, fewer steps than stages and several rounds of the ring, empty matrices, K = 0, matrices that
 * begin anywhere on 16 bytes, others of another shape at the same addresses, the inputs unharmed, a stream of the caller's, no waiting, a launch
 * that fails, and, on the emulator, in every run, that everything comes by TMA, each tile once, that wgmma multiplies, that the producer is ahead of
 * the consumers, and that no warp waits for a whole block in the loop. */
// arch: sm_90a
#include "tools/grading/product_bf16.h"

struct __nv_bfloat16; /* its name is all that the symbol needs */

static const struct function matmul =
    FUNCTION(void, matmul, int, int, int, const __nv_bfloat16 *, const __nv_bfloat16 *, __nv_bfloat16 *, cudaStream_t);

enum { TILE = 128, STEP = 64, STEP_BYTES = 2 * TILE * STEP * 2, STAGES = 3 };

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// ---------------------------------------------------------------- what a call may do

struct parts {
    double blocks, steps;
    double bytes;      /* of the blocks' tiles, what is inside the matrices */
    double wavefronts; /* of each 16 of K wgmma reads at least B, 32 bytes of a column, for each 64 rows */
    bool whole;        /* no tile of C is cut */
};

static struct parts parts_of(const struct bf16_product *job) {
    double across = ceil_div(job->N, TILE), down = ceil_div(job->M, TILE);
    return {across * down, (double)ceil_div(job->K, STEP), 2.0 * job->K * (across * job->M + down * job->N),
            ceil_div(job->M, 64) * ceil_div(job->K, 16) * (job->N * 32.0 / 128),
            job->M % TILE == 0 && job->N % TILE == 0};
}

static void judge_by_tma(const struct result *r, const struct parts *p) {
    const double most = 1.01;
    const struct emulatorCounters *c = &r->answer.counters;
    double times = c->bulk_load_bytes / p->bytes;
    if (c->bulk_copies == 0) {
        judge_fail("access_limit", "the result is right, but nothing was copied by TMA.");
    }
    if (c->global_load_requests > 0) {
        judge_fail("access_limit",
                   "the result is right, but threads loaded from global memory %llu times: load A and B with TMA.",
                   (unsigned long long)c->global_load_requests);
    }
    if (times > most) {
        judge_fail("access_limit",
                   "the result is right, but %.2f times the bytes of the blocks' tiles were copied (limit %.2f).",
                   times, most);
    }
}

/* Whether wgmma's sums are used is not known; but who multiplies in another way needs more than these instructions: the products of a step are
 * 32768 fma of a warp. */
static void judge_by_wgmma(const struct result *r, const struct parts *p) {
    const double most_loads = 2048, most_instructions = 20000 + 3000 * p->steps; /* of a block */
    const struct emulatorCounters *c = &r->answer.counters;
    double loads = c->shared_load_wavefronts / p->blocks, instructions = c->warp_instructions / p->blocks;
    if (c->product_wavefronts < p->wavefronts) {
        judge_fail("access_limit",
                   "the result is right, but wgmma did %s of the products: the tiles in shared memory are for it.",
                   c->product_wavefronts ? "not all" : "none");
    }
    if (loads > most_loads || instructions > most_instructions) {
        judge_fail("access_limit",
                   "the result is right, but a block executed %.0f instructions of a warp for its %.0f steps (limit "
                   "%.0f), and its\n          threads loaded from shared memory in %.0f wavefronts (limit %.0f): "
                   "wgmma reads the tiles there by itself, and\n          its sums are the result.",
                   instructions, p->steps, most_instructions, loads, most_loads);
    }
}

static void judge_memory(const struct result *r, const struct parts *p) {
    const unsigned least = STAGES * STEP_BYTES, most = 100000;
    double used = r->answer.counters.bulk_places * 128.0 / p->blocks;
    unsigned shared = (unsigned)judge_main_launch(r)->shared;
    if (shared > most) {
        judge_fail("access_limit",
                   "the result is right, but a block takes %u bytes of shared memory (limit %u, three stages).", shared,
                   most);
    }
    if (p->steps >= STAGES && p->whole && used < least) {
        judge_fail("access_limit",
                   "the result is right, but tiles came to %.0f bytes of shared memory only; three stages are %u.\n"
                   "          Which stage has step 2, and which one step 3? With fewer than three, the producer has "
                   "nowhere to put the "
                   "tiles\n          after the next one.",
                   used, least);
    }
}

/* In steps: what TMA brings or has brought beyond the tile that is waited for, on average. A consumer that releases a stage a step later
 * leaves 0.5, and a producer that lets one step be multiplied before it asks for the next one 0. */
static double ahead_of(const struct result *r, const struct parts *p) {
    return r->answer.counters.bulk_ahead * 1024.0 / (p->blocks * p->steps * STEP_BYTES) / STEP_BYTES;
}

static void judge_ring(const struct result *r, const struct parts *p) {
    const double most_barriers = 2, least_ahead = 0.3;
    const struct launch *l = judge_main_launch(r);
    const struct emulatorCounters *c = &r->answer.counters;
    double warps = p->blocks * ceil_div((int)(l->block[0] * l->block[1] * l->block[2]), 32);
    double barriers = (c->barriers - c->barriers_of_group) / warps;
    if (barriers > most_barriers) {
        judge_fail("access_limit",
                   "the result is right, but each warp executed %.1f block barriers (limit %.0f).\n          Producer "
                   "and consumers synchronize with `full` and `empty` only.",
                   barriers, most_barriers);
    }
    if (p->steps >= STAGES && ahead_of(r, p) < least_ahead) {
        judge_fail("access_limit",
                   "the result is right, but where a tile was waited for, TMA was only %.2f tiles ahead, on average "
                   "(at least %.1f).\n          With three stages, the producer requests the next tiles while one is "
                   "multiplied: it waits only for the stage\n          that it fills to be empty.",
                   ahead_of(r, p), least_ahead);
    }
    if (l->output_blocks < p->blocks) {
        judge_fail("access_limit",
                   "the result is right, but %llu blocks wrote C, which has %.0f tiles: each tile has a block.",
                   (unsigned long long)l->output_blocks, p->blocks);
    }
}

static void limits(const struct result *r, const struct bf16_product *job) {
    struct parts p = parts_of(job);
    if (!judge_counted(r) || p.blocks == 0 || p.steps == 0) {
        return;
    }
    judge_by_tma(r, &p);
    judge_by_wgmma(r, &p);
    judge_memory(r, &p);
    judge_ring(r, &p);
}

static const struct bf16_form form = {&matmul, STEP, limits};

// ---------------------------------------------------------------- the checks

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

static struct result counted(void) {
    return bf16_run(&form, {256, 256, 512, FRACTIONS, 50}, true);
}

/* What ptxas says of the kernel's own shared memory is asked once. */
static void ring(void) {
    const unsigned most_shared = 100000;
    const struct bf16_product job = {256, 256, 512, FRACTIONS, 50};
    struct parts p = parts_of(&job);
    struct result r = counted();
    const struct launch *l = judge_main_launch(&r);
    unsigned shared = (unsigned)l->shared + (unsigned)judge_ptxas(l->kernel).shared;
    if (shared > most_shared) {
        judge_fail("access_limit",
                   "the result is right, but a block takes %u bytes of shared memory (limit %u, three stages).", shared,
                   most_shared);
    }
    judge_note("%u bytes of shared memory, TMA %.2f tiles ahead, %.0f instructions of a warp in a block", shared,
               ahead_of(&r, &p), r.answer.counters.warp_instructions / p.blocks);
}

/* The emulator takes new barriers as known to all. Whether the fence is at its place cannot be seen here: that it is nowhere can. */
static void barriers_known(void) {
    struct result r = bf16_run(&form, {8, 8, 8, WHOLE, 51});
    std::string ptx = judge_ptx(judge_main_launch(&r)->kernel);
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
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"matmul", "it returns without waiting", busy, EVERYWHERE},
        {"matmul", "three stages of shared memory, and TMA ahead of the products", ring, ON_EMULATOR},
        {"matmul", "barrier initialization is visible to TMA", barriers_known, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "19", {&matmul}, checks, sizeof checks / sizeof checks[0]);
}
