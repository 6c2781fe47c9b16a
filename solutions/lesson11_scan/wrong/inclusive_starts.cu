// expect: out_of_bounds
/* A tile starts after its own zeros. */
#include "common/check.h"

#define OWN 0
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
