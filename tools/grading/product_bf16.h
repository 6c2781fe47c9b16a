/* product_bf16.h - products of bfloat16 matrices as jobs: the code shared by the graders of the lessons on tensor cores with a multi-stage pipeline.
 *
 * C = A * B: A is M x K, B is K x N, C is M x N; row-major, N and K multiples of 8. Sums are fp32, and rounded once. */
#ifndef TOOLS_GRADING_PRODUCT_BF16_H
#define TOOLS_GRADING_PRODUCT_BF16_H

#include "tools/grading/grader.h"
#include "tools/grading/product.h"

/* One call of the student's function. Places are in units of 16 bytes before each matrix; it must not touch the `slack` units after each. */
struct bf16_product {
    int M, N, K;
    enum numbers numbers;
    uint64_t seed;
    int offset, slack;
    bool own_stream;
    size_t
        room; /* the size of A and of B in bytes; they keep content and address for the next job with the same size. 0: no */
};

/* The properties of the function that do not change from call to call. */
struct bf16_form {
    const struct function *function; /* (M, N, K, A, B, C, stream) */
    int step;                        /* along K: hints report missing whole steps */
    /* The limits of the program for that job, as a function of its shape: called in every counted run; or NULL. */
    void (*limits)(const struct result *r, const struct bf16_product *job);
};

/* All steps for one job. `count`: with counters, and named as a check of memory accesses. */
struct result bf16_run(const struct bf16_form *form, const struct bf16_product job, bool count = false);

/* The checks common to all such products. */
void bf16_refused(const struct bf16_form *form);
void bf16_busy(const struct bf16_form *form);
/* Randomly drawn sizes, places and numbers: M up to `rows`, N and K up to this many times 8. */
void bf16_again(const struct bf16_form *form, int rows, int columns_8, int depth_8);

#endif
