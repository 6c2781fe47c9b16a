// expect: access_limit
// says: are moved by stores to `out`
/* x and y exchanged, and each access an atomic. */
#define LOAD(p)     __uint_as_float(atomicOr((unsigned *)(p), 0u))
#define STORE(p, v) atomicExch(p, v)
#define EXCHANGED   true
#include "resize.h"
