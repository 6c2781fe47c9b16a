// expect: wrong_result
/* Inclusive where exclusive is meant: the zeros before an element, and its own. */
#include "common/check.h"

#define LANES_BEFORE ((2u << lane) - 1)
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
