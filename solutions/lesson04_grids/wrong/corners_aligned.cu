// expect: wrong_result
// says: have the same corner pixels
/* The other convention: the corner pixels of both pictures are the same. */
#define PLACE(i, n, among) (n > 1 ? i * (among - 1.0f) / (n - 1.0f) : 0.0f)
#include "resize.h"
