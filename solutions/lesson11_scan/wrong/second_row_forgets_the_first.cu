// expect: wrong_result
/* `before` does not grow from row to row. */
#include "common/check.h"

#define ROW_ZEROS 0
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
