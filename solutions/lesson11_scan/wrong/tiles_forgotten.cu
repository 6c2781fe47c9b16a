// expect: wrong_result
/* Each tile starts at the first place. */
#include "common/check.h"

#define START += 0 *
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
