/* checksum.h - a number for each row of a matrix, for products that would take the CPU too long (Freivalds' test): where
 * (A * B) * w = A * (B * w) for a vector w of random signs, a wrong element is found almost certainly. */
#ifndef COMMON_CHECKSUM_H
#define COMMON_CHECKSUM_H

#include "verify.h"

/* w[j]: +1 or -1, always the same. */
static inline float checksum_sign(size_t j) {
    uint64_t state = j + 1;
    verify_next(&state);
    return verify_next(&state) >> 63 ? 1.0f : -1.0f;
}

/* y = scale * (X * w) + rest * y, in double; X has `rows` rows of `cols` floats, and w is NULL for the signs. */
static inline void checksum_times_vector(const float *X, size_t rows, size_t cols, const double *w, double *y,
                                         double scale, double rest) {
    double *signs = (double *)verify_host_alloc(cols * sizeof(double));
    for (size_t j = 0; j < cols; j++) {
        signs[j] = w ? w[j] : checksum_sign(j);
    }
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < cols; j++) {
            sum += X[i * cols + j] * signs[j];
        }
        y[i] = scale * sum + (rest != 0 ? rest * y[i] : 0);
    }
    free(signs);
}

#endif
