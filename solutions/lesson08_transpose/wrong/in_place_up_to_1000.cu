// expect: wrong_result
/* Large matrices are left alone. */
#include "common/check.h"
#include "right.h"

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    right_transpose(in, out, count, rows, cols, stream);
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    if (n <= 1000) {
        right_transpose_in_place(x, n, stream);
    }
}
