// expect: race
/* before_warp reads the numbers of other warps without waiting for them. */
#include "common/check.h"

#define STORED
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
