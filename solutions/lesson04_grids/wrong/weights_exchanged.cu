// expect: wrong_result
// says: the weights are swapped
/* The weight across is used down, and the other way round. */
#define ACROSS down
#define DOWN   to_right
#include "resize.h"
