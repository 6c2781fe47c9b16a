/* Grader of exercise 15, a linear layer: sgemm_nt, as lessons/lesson15_gemm_tiled/exercise.cu describes it.
 *
 * Whole numbers first: sums of them are exact in any order, so every bit must agree and a wrong element tells what went
 * wrong. Then fractions within the tolerance, shapes that are multiples of nothing, alpha and beta, NaN in C, elements past the
 * end, the inputs unharmed, a stream of the caller's, no waiting, a launch that fails, and, on the emulator, what is loaded and how. */
#include "tools/grading/product.h"

static const struct function sgemm_nt =
    FUNCTION(void, sgemm_nt, int, int, int, float, const float *, const float *, float, float *, cudaStream_t);
static const struct product_form form = {&sgemm_nt, true};

/* Shapes whose edges read the next row, where a guard is missing, come before those whose edges leave the array. */
static const int shapes[][3] = {{48, 64, 80}, {33, 31, 17}, {1, 1, 1},    {16, 16, 16},
                                {31, 33, 50}, {1, 129, 40}, {130, 1, 65}, {7, 100, 259}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void exact(void) {
    for (int s = 0; s < SHAPES; s++) {
        const int *shape = shapes[s];
        product_run(&form, {shape[0], shape[1], shape[2], 1, 0, WHOLE, (uint64_t)(s + 1)});
        product_run(&form, {shape[0], shape[1], shape[2], 2, -3, WHOLE, (uint64_t)(s + 20)});
    }
}

static void fractions(void) {
    for (int s = 0; s < SHAPES; s++) {
        const int *shape = shapes[s];
        product_run(&form, {shape[0], shape[1], shape[2], 1.5f, s % 2 ? -0.5f : 0, FRACTIONS, (uint64_t)(s + 40)});
    }
    product_run(&form, {20, 20, 3001, 1, 0, FRACTIONS, 60});
}

static void contract(void) {
    product_run(&form, {5, 6, 0, 2, 3, WHOLE, 70});
    product_run(&form, {5, 6, 0, 2, 0, WHOLE, 71});
    product_run(&form, {0, 7, 9, 1, 0, WHOLE, 72});
    product_run(&form, {9, 0, 7, 1, 0, WHOLE, 73});
    product_run(&form, {37, 45, 21, 1, 2, WHOLE, 74, 1, 2, 3});
    product_run(&form, {19, 21, 18, 1, 0, WHOLE, 75, 3, 1, 2, 900});
    product_run(&form, {70, 90, 50, 1, 1, WHOLE, 76, 0, 0, 0, 0, true});
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

/* Tiles: few bytes from global memory, whole sectors, no bank conflicts. */
static void thrifty(void) {
    const double most_bytes = 0.6, most_sectors = 4.1, most_wavefronts = 1.5;
    struct emulatorCounters c = product_run(&form, {256, 256, 256, 1, 0, WHOLE, 80}, true).answer.counters;
    double requests = (double)c.global_load_requests;
    double bytes = 32 * judge_sectors_read(&c) / (256.0 * 256 * 256);
    double sectors = c.global_load_sectors / (requests > 0 ? requests : 1);
    double accesses = (double)(c.shared_load_requests + c.shared_store_requests + c.async_copies);
    double wavefronts = (c.shared_load_wavefronts + c.shared_store_wavefronts + c.async_copy_wavefronts) /
                        (accesses > 0 ? accesses : 1);
    if (bytes < 2 * 4 / 256.0) {
        judge_fail("wrong_result", "only %.3f bytes were loaded from global memory per multiply-add: A and B are more.",
                   bytes);
    }
    if (sectors > most_sectors) {
        judge_fail("access_limit",
                   "the result is right, but a load of a warp touches %.2f sectors of 32 bytes (limit %.1f).\n"
                   "          Threads with neighbouring threadIdx.x must load neighbouring elements, of A and of B.",
                   sectors, most_sectors);
    }
    if (bytes > most_bytes) {
        judge_fail("access_limit",
                   "the result is right, but %.2f bytes are loaded from global memory per multiply-add (limit %.1f).\n"
                   "          Load each element of a tile once, into shared memory, and use it TILE times.",
                   bytes, most_bytes);
    }
    if (wavefronts > most_wavefronts) {
        judge_fail(
            "access_limit",
            "the result is right, but an access of a warp to shared memory takes %.2f wavefronts (limit %.1f).\n"
            "          Which of the 32 banks do the threads of a warp touch? With rows of 16 or 32 floats a column of\n"
            "          a tile lies in two banks or in one; a float more in each row moves its elements apart.",
            wavefronts, most_wavefronts);
    }
    judge_note("%.2f bytes per multiply-add (limit %.1f), %.2f sectors (%.1f), %.2f wavefronts (%.1f)", bytes,
               most_bytes, sectors, most_sectors, wavefronts, most_wavefronts);
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"sgemm_nt", "whole numbers, every bit: 8 shapes, most of them multiples of nothing; alpha, beta; NaN in C",
         exact, EVERYWHERE},
        {"sgemm_nt", "fractions, within (K + 8) * 2^-23, K up to 3001", fractions, EVERYWHERE},
        {"sgemm_nt", "M, N or K = 0, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"sgemm_nt", "a launch that fails is told", refused, EVERYWHERE},
        {"sgemm_nt", "it returns without waiting", busy, EVERYWHERE},
        {"sgemm_nt", "tiles: few bytes, whole sectors, no bank conflicts", thrifty, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "15", {&sgemm_nt}, checks, sizeof checks / sizeof checks[0]);
}
