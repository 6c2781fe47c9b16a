// expect: launch_error
/* n = 0 is launched with a grid of no blocks. */
#include "common/check.h"

#define GRID_IS_EMPTY false
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
