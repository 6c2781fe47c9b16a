/* product.h - matrix products as jobs: what the graders of the lessons on GEMM share.
 *
 * C = alpha * A * B + beta * C, or with B transposed: A is M x K, C is M x N, B is K x N or N x K; row-major floats. With beta = 0, C holds
 * NaN before the call. */
#ifndef TOOLS_GRADING_PRODUCT_H
#define TOOLS_GRADING_PRODUCT_H

#include "tools/grading/grader.h"

enum numbers { WHOLE, FRACTIONS }; /* from -4 to 4, whose sums are exact in any order; from -1 to 1 */

/* One call of the student's function. The offsets are in floats; `slack` floats behind each matrix are not its business. */
struct product {
    int M, N, K;
    float alpha, beta;
    enum numbers numbers;
    uint64_t seed;
    int offset_A, offset_B, offset_C, slack;
    bool own_stream;
};

struct product_arrays {
    struct handle A, B, C;
};

/* What is known about the function and does not change from call to call. */
struct product_form {
    const struct function *function; /* (M, N, K, alpha, A, B, beta, C, stream) */
    bool transposed;                 /* B is N x K */
    /* What each call may do: it may judge_fail, in every run that is counted and has products. */
    void (*limits)(const struct result *r, const struct product *job, const struct product_arrays *arrays);
};

struct matrices {
    std::vector<float> A, B, C, expected; /* C as it is before the call */
};

/* So many random numbers of this kind. */
std::vector<float> product_numbers(enum numbers numbers, size_t n, uint64_t seed);

struct matrices product_matrices(const struct product_form *form, const struct product *job);
struct call product_call(const struct product_form *form, const struct product *job, const struct matrices *m,
                         struct handle *C);
void product_doing(const struct product_form *form, const struct product *job, const char *what);

/* Judges what came back, to the end. */
void product_look(const struct product_form *form, const struct product *job, const struct matrices *m,
                  const struct result *r, struct handle C);

/* All of it, for one job. `count`: with counters, and named as a look at memory accesses. */
struct result product_run(const struct product_form *form, const struct product job, bool count = false);

/* Are all pieces of a row of the matrix whole sectors, however a program cuts it? */
bool product_row_whole(int columns, int offset);
/* Sectors in which a row is read once, in pieces of 8 floats or more: where it is not whole, a piece may lie in one more. */
double product_row_sectors(int columns, int offset);

/* Sectors of A and B that were read. And what was read of C and in memory of the function's own, beyond twice of what the matrices hold, 32 bytes as
 * a sector: that is room for copies of them in another order. */
double product_sectors(const struct result *r, const struct product *job, const struct product_arrays *arrays);

/* Multiply-adds of a warp in whole tiles of tile x tile elements and steps of this length. Where a program does more, since its tiles are larger and
 * some are cut, what it has executed: up to that of tiles of 128 x 128. */
double product_work(const struct result *r, const struct product *job, int tile, int step);

/* Is C so small, up to 512 x 512, that a GPU has room for a block of each tile? */
bool product_few_tiles(const struct product *job);

/* Fails where a block has written more than 128 x 128 elements of such a C, or threads more than 256 on average. */
void product_parallel(const struct result *r, const struct product *job);

/* The checks that every product has. */
void product_refused(const struct product_form *form);
void product_busy(const struct product_form *form);
/* Sizes, places and numbers that are drawn, once for each kind of job. */
void product_again(const struct product_form *form);

#endif
