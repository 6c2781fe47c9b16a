// expect: access_limit
// says: are moved by stores to `out`
/* Coalesced where the width is a multiple of 32; elsewhere x and y are exchanged. */
#define EXCHANGED (out.width % 32 != 0)
#include "resize.h"
