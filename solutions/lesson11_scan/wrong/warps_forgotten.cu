// expect: out_of_bounds
/* Each warp starts at the first place of its tile. */
#include "common/check.h"

#define START =
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
