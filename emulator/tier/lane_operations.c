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

#include "check/watched_global.h"
#include "check/watched_shared.h"
#include "ops/memory_fast.h" /* these are for whole warps */
#include "profile/counted.h"

/* HALVES() of a whole warp's addresses, `bytes` for each lane. */
static inline uint32_t counted_halves32(const uint32_t *address, uint32_t bytes) {
    return (uint32_t)pattern32(address, bytes) | (uint32_t)pattern32(address + HALF, bytes) << 2;
}
static inline uint32_t counted_halves64(const uint64_t *address, uint32_t bytes) {
    return (uint32_t)pattern64(address, bytes) | (uint32_t)pattern64(address + HALF, bytes) << 2;
}
