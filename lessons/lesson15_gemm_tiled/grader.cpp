/* Grader of exercise 15, a linear layer: sgemm_nt, as lessons/lesson15_gemm_tiled/exercise.cu describes it.
 *
 * Whole numbers first: sums of them are exact in any order, so every bit must agree and a wrong element tells what went
 * wrong. Then fractions within the tolerance, shapes that are multiples of nothing, alpha and beta, NaN in C, elements past the
 * end, the inputs unharmed, a stream of the caller's, no waiting, a launch that fails, the largest shapes, and, on the emulator, in
 * every run, what is loaded and how. */
#include "tools/grading/product.h"

static const struct function sgemm_nt =
    FUNCTION(void, sgemm_nt, int, int, int, float, const float *, const float *, float, float *, cudaStream_t);
// ---------------------------------------------------------------- what a call may do

enum { TILE = 16, FEW = 64 };

static double ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

/* A load of a tile takes whole sectors of A, or of B. Where rows are cut anywhere, the number of all sectors is limit enough. */
static void judge_loads(const struct result *r, const struct product *job, struct handle matrix, int offset) {
    const double most = 1.03;
    const struct emulatorArrayCounters *c = judge_counts_of(r, matrix);
    double whole = c->load_bytes / 32.0;
    if (product_row_whole(job->K, offset) && c->load_sectors > most * whole + FEW) {
        judge_fail(
            "access_limit",
            "the result is right, but where a warp loads 8 floats of %s it touches %.2f sectors of 32 bytes (limit "
            "%.2f).\n"
            "          Threads with neighbouring threadIdx.x must load neighbouring elements, of A and of B.",
            r->call.arrays[matrix.array].name, c->load_sectors / whole, most);
    }
}

static double sectors_limit(const struct product *job) {
    return 1.2 * (product_row_sectors(job->K, job->offset_A) * job->M * ceil_div(job->N, TILE) +
                  product_row_sectors(job->K, job->offset_B) * job->N * ceil_div(job->M, TILE)) +
           FEW;
}

static void judge_tiles(const struct result *r, const struct product *job, const struct product_arrays *arrays) {
    double sectors = product_sectors(r, job, arrays), most = sectors_limit(job);
    if (sectors > most) {
        judge_fail("access_limit",
                   "the result is right, but %.0f sectors of 32 bytes were read from global memory (limit %.0f): %.2f "
                   "bytes per multiply-add.\n          Load each element of a tile once, neighbours by neighbouring "
                   "threads, into shared memory, and use it TILE\n          times.",
                   sectors, most, 32 * sectors / ((double)job->M * job->N * job->K));
    }
}

/* Accesses of 8 or 16 bytes a thread need several wavefronts, and there are fewer of them. */
static void judge_conflicts(const struct result *r, const struct product *job) {
    const double most = 1.5;
    const struct emulatorCounters *c = &r->answer.counters;
    double accesses = (double)(c->shared_load_requests + c->shared_store_requests + c->async_copies);
    double work = product_work(r, job, TILE, TILE);
    double wavefronts = (double)(c->shared_load_wavefronts + c->shared_store_wavefronts + c->async_copy_wavefronts);
    if (wavefronts > most * accesses + FEW && wavefronts > most * work + FEW) {
        judge_fail("access_limit",
                   "the result is right, but an access of a warp to shared memory takes %.2f wavefronts (limit %.1f, "
                   "or %.1f for 32 multiply-adds).\n          Which of the 32 banks do the threads of a warp access? "
                   "With rows of 16 or 32 floats, a column of\n          a tile is in two banks or in one; one more "
                   "float per row moves its elements apart.",
                   wavefronts / accesses, most, most);
    }
}

static void limits(const struct result *r, const struct product *job, const struct product_arrays *arrays) {
    judge_loads(r, job, arrays->A, job->offset_A);
    judge_loads(r, job, arrays->B, job->offset_B);
    judge_tiles(r, job, arrays);
    judge_conflicts(r, job);
    product_parallel(r, job);
}

static const struct product_form form = {&sgemm_nt, true, limits};

// ---------------------------------------------------------------- the checks

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
    product_run(&form, {37, 45, 24, 1, 2, WHOLE, 74, 1, 2, 3});
    product_run(&form, {19, 21, 18, 1, 0, WHOLE, 75, 3, 1, 2, 900});
    product_run(&form, {70, 90, 50, 1, 1, WHOLE, 76, 0, 0, 0, 0, true});
}

/* The largest numbers that are promised. */
static void longest(void) {
    const int most = 1 << 15;
    product_run(&form, {most, 1, 1, 1, 0, WHOLE, 77});
    product_run(&form, {1, most, 1, 1, 0, WHOLE, 78});
    product_run(&form, {1, 1, most, 1, 0, FRACTIONS, 79});
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

/* Here the limits of all calls are judged. */
static void thrifty(void) {
    const struct product job = {256, 256, 128, 1, 0, WHOLE, 80};
    struct result r = product_run(&form, job, true);
    const struct emulatorCounters *c = &r.answer.counters;
    double accesses = (double)(c->shared_load_requests + c->shared_store_requests + c->async_copies);
    judge_note("%.2f bytes per multiply-add, %.2f wavefronts for an access to shared memory",
               32 * judge_sectors_read(c) / ((double)job.M * job.N * job.K),
               (c->shared_load_wavefronts + c->shared_store_wavefronts + c->async_copy_wavefronts) /
                   (accesses > 0 ? accesses : 1));
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"sgemm_nt", "whole numbers, every bit: 8 shapes, most of them multiples of nothing; alpha, beta; NaN in C",
         exact, EVERYWHERE},
        {"sgemm_nt", "fractions, within (K + 8) * 2^-23, K up to 3001", fractions, EVERYWHERE},
        {"sgemm_nt", "M, N or K = 0, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"sgemm_nt", "it returns without waiting", busy, EVERYWHERE},
        {"sgemm_nt", "M, N or K = 32768", longest, EVERYWHERE},
        {"sgemm_nt", "tiles: few bytes, whole sectors, no bank conflicts, many blocks", thrifty, ON_EMULATOR,
         LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "15", {&sgemm_nt}, checks, sizeof checks / sizeof checks[0]);
}
