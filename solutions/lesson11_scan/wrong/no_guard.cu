// expect: out_of_bounds
/* Lanes without an element write as well. */
#include "common/check.h"

#define THERE true
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
