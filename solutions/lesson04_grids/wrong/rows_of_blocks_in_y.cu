// expect: launch_error
// says: 65535
/* Blocks of 256 x 1 threads: a picture of 70000 rows has too many of them. */
#define SHAPE dim3(256, 1)
#include "resize.h"
