// expect: access_limit
/* Each element is read again for its place: three times in all. */
#include "common/check.h"

#define ELEMENT x[i]
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
