// expect: launch_error
// says: at most
/* Planes are the third dimension of the block, which ends at 64. */
#define SHAPE dim3(2, 5, planes)
#include "resize.h"
