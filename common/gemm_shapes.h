/* gemm_shapes.h - the sizes of a lesson about matrix products, for lesson.h, whatever its matrices consist of.
 *
 *     struct lesson<gemm_shape, problem, version, job> lesson = {"matrix product", versions, VERSIONS};      and its functions
 *     gemm_run(&lesson, shapes, 4, argv[0], &options);                                             with `const int shapes[][3]`
 *     return verify_finish(lesson.what);
 *
 * Every version is verified on the shapes {M, N, K} and measured with square matrices. With SIZE=n these have n rows, and are
 * verified instead of the shapes; so is a product whose K is about half of n, and a multiple of 4.
 */
#ifndef COMMON_GEMM_SHAPES_H
#define COMMON_GEMM_SHAPES_H

#include "device.h"
#include "lesson.h"

enum { GEMM_EDGE_MAX = 32768 };

/* C = A * B, or added to what is there, C = alpha * A * B + beta * C. */
struct gemm_shape {
    int M, N, K;
    bool added;
};

/* Every shape is verified twice, as a product and as one that is added to C. With SIZE, what a profiler shows, the first
 * launch or the largest one, is the product that the table is about. */
template <class lesson_type, int SHAPES>
void gemm_run(lesson_type *lesson, const int (&shapes)[SHAPES][3], int multiple_of_K, const char *program,
              const struct options *options) {
    device_print_backend();
    if (options->size > GEMM_EDGE_MAX) {
        options_usage_error(program, "SIZE is the edge of a matrix in this lesson, at most 32768", NULL);
    }
    int n = options->size >= 0 ? (int)options->size : device_is_emulator() ? 256 : 4096;
    struct gemm_shape edge[] = {{n, n, n, false}, {n, n, n / 2 / multiple_of_K * multiple_of_K, true}};
    struct gemm_shape all[2 * SHAPES];
    for (int s = 0; s < 2 * SHAPES; s++) {
        const int *shape = shapes[s / 2];
        all[s] = {shape[0], shape[1], shape[2], s % 2 == 1};
    }
    lesson->verified = options->size >= 0 ? edge : all;
    lesson->verified_count = options->size >= 0 ? 2 : 2 * SHAPES;
    lesson->measured = edge, lesson->measured_count = n > 0;
    lesson_verify_all(lesson, options);
    lesson_measure_all(lesson, options);
}

#endif
