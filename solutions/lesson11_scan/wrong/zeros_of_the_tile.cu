// expect: wrong_result
/* The ones of a tile follow the zeros before the next tile, and not those of the array. */
#include "common/check.h"

#define ALL_ZEROS sums[tile + 1]
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
}
