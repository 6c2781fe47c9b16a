// expect: wrong_result
/* Radii beyond 1000 count as 1000. */
#include <math.h>

#include "common/check.h"
#include "right.h"

void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream) {
    right_moving_max(x, y, n, radius < 1000 ? radius : 1000, stream);
}
