/* product.h - matrix products as jobs: the code shared by the graders of the lessons on GEMM.
 *
 * C = alpha * A * B + beta * C, or with B transposed: A is M x K, C is M x N, B is K x N or N x K; row-major floats. With beta = 0, C holds
 * NaN before the call. */
#ifndef TOOLS_GRADING_PRODUCT_H
#define TOOLS_GRADING_PRODUCT_H

#include "tools/grading/grader.h"

enum numbers { WHOLE, FRACTIONS }; /* from -4 to 4, with sums that are exact in any order; from -1 to 1 */

/* One call of the student's function. The offsets are in floats; it must not touch the `slack` floats after each matrix. */
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

/* The properties of the function that do not change from call to call. */
struct product_form {
    const struct function *function; /* (M, N, K, alpha, A, B, beta, C, stream) */
    bool transposed;                 /* B is N x K */
    /* The limits of each call: it may judge_fail, in every counted run that has products. */
    void (*limits)(const struct result *r, const struct product *job, const struct product_arrays *arrays);
};

struct matrices {
    std::vector<float> A, B, C, expected; /* C: before the call */
};

/* This many random numbers of this kind. */
std::vector<float> product_numbers(enum numbers numbers, size_t n, uint64_t seed);

struct matrices product_matrices(const struct product_form *form, const struct product *job);
struct call product_call(const struct product_form *form, const struct product *job, const struct matrices *m,
                         struct handle *C);
void product_doing(const struct product_form *form, const struct product *job, const char *what);

/* Judges the result completely. */
void product_look(const struct product_form *form, const struct product *job, const struct matrices *m,
                  const struct result *r, struct handle C);

/* All steps for one job. `count`: with counters, and named as a check of memory accesses. */
struct result product_run(const struct product_form *form, const struct product job, bool count = false);

/* Are all parts of a row of the matrix whole sectors, regardless of the tiling? */
bool product_row_whole(int columns, int offset);
/* Sectors for reading a row once, in parts of 8 floats or more: where they are not whole sectors, a part may touch one more. */
double product_row_sectors(int columns, int offset);

/* Sectors of A and B that were read, plus the reads of C and of memory allocated by the function beyond twice the size of the matrices, at 32 bytes
 * per sector: that allows for copies of them in another order. */
double product_sectors(const struct result *r, const struct product *job, const struct product_arrays *arrays);

/* Multiply-adds of a warp in whole tiles of tile x tile elements and steps of this length. If a program does more, since its tiles are
 * larger and some are partial, the executed number: up to that of tiles of 128 x 128. */
double product_work(const struct result *r, const struct product *job, int tile, int step);

/* Is C so small, up to 512 x 512, that the blocks of all tiles are resident at once on a GPU? */
bool product_few_tiles(const struct product *job);

/* Fails where a block has written more than 128 x 128 elements of such a C, or threads more than 256 on average. */
void product_parallel(const struct result *r, const struct product *job);

/* The checks common to all products. */
void product_refused(const struct product_form *form);
void product_busy(const struct product_form *form);
/* Randomly drawn sizes, places and numbers, once for each kind of job. */
void product_again(const struct product_form *form);

#endif
