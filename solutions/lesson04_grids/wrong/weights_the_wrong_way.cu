// expect: wrong_result
// says: the weights are reversed
/* The pixel on the left has the weight of the one on the right. */
#define ACROSS (1 - to_right)
#define DOWN   (1 - down)
#include "resize.h"
