/* What the second tier compiles operations from: the very files of the interpreter, for a warp of one lane. The build
 * turns this into one preprocessed text that the library carries (tier/prelude_text.c), and a translated kernel
 * begins with it. */
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

#include "check/probed_global.h"
#include "check/probed_shared.h"
#include "ops/memory_fast.h" /* these are for whole warps */
#include "profile/counted.h"

/* Do the addresses of a whole warp, so many bytes of each lane, lie as they did the last time? */
static inline bool counted_lies32(const struct counted_access *had, const uint32_t *at, uint32_t bytes) {
    static const simd_u32 count = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const simd_u32 run = count * bytes, low = run & (uint32_t)had->low, high = run & (uint32_t)had->high;
    return !(simd_differ32(SIMD_AT(simd_u32, at), at[0] + low) |
             simd_differ32(SIMD_AT(simd_u32, at + HALF), at[0] + (uint32_t)had->step + high));
}
static inline bool counted_lies64(const struct counted_access *had, const uint64_t *at, uint64_t bytes) {
    static const simd_u64 count = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint64_t last = at[0] + had->step;
    bool other = false;
    for (uint64_t i = 0; i < HALF; i += 8) {
        const simd_u64 run = (count + i) * bytes;
        other |= simd_differ64(SIMD_AT(simd_u64, at + i), at[0] + (run & had->low));
        other |= simd_differ64(SIMD_AT(simd_u64, at + HALF + i), last + (run & had->high));
    }
    return !other;
}
