// expect: race
/* All launches are queued in the default stream. */
#include "common/check.h"

#define QUEUE 0
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
