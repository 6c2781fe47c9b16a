// expect: wrong_result
// says: (int) rounds towards 0
/* (int) makes 0 of -0.5, and not -1. */
#define FLOOR(place) (int)(place)
#include "resize.h"
