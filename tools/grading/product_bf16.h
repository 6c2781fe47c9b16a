/* product_bf16.h - products of bfloat16 matrices as jobs: what the graders of the lessons on tensor cores share that have a ring of tiles.
 *
 * C = A * B: A is M x K, B is K x N, C is M x N; row-major, N and K multiples of 8. Sums are fp32, and rounded once. */
#ifndef TOOLS_GRADING_PRODUCT_BF16_H
#define TOOLS_GRADING_PRODUCT_BF16_H

#include "tools/grading/grader.h"
#include "tools/grading/product.h"

/* One call of the student's function. Places are in pieces of 16 bytes before each matrix; `slack` pieces behind each are not its business. */
struct bf16_product {
    int M, N, K;
    enum numbers numbers;
    uint64_t seed;
    int offset, slack;
    bool own_stream;
    size_t
        room; /* A and B have so many bytes each, which stay for the next job with the same number: so do their addresses. 0: no */
};

/* What is known about the function and does not change from call to call. */
struct bf16_form {
    const struct function *function; /* (M, N, K, A, B, C, stream) */
    int step;                        /* along K: hints tell of whole steps that are missing */
    /* What the program may have done for that job, as a function of its shape: called in every counted run; or NULL. */
    void (*limits)(const struct result *r, const struct bf16_product *job);
};

/* All of it, for one job. `count`: with counters, and named as a look at memory accesses. */
struct result bf16_run(const struct bf16_form *form, const struct bf16_product job, bool count = false);

/* The checks that every such product has. */
void bf16_refused(const struct bf16_form *form);
void bf16_busy(const struct bf16_form *form);
/* Sizes, places and numbers that are drawn: M up to `rows`, N and K up to so many times 8. */
void bf16_again(const struct bf16_form *form, int rows, int columns_8, int depth_8);

#endif
