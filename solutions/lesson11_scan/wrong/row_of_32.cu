// expect: wrong_result
/* `before` grows by the elements of a row, and not by its zeros. */
#include "common/check.h"

#define ROW_ZEROS WARP
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
