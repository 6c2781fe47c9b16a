/* What the second tier compiles operations from: the very files of the interpreter, for a warp of one lane. The build turns this
 * into one preprocessed text that the library carries (tier/text.c), and a translated kernel begins with it. */
#define WARP_SIZE 1
#include "ops/float32.c"
#include "ops/float64.c"
#include "ops/integer.c"
#include "ops/logic.c"
#include "ops/compare.c"
#include "ops/move.c"
#include "ops/convert.c"
#include "ops/convert_integer.c"
#include "ops/convert_float.c"
#include "ops/half.c"
#include "ops/special.c"

#include "ops/memory_fast.h" /* these are for whole warps */
#include "check/watched_shared.h"
