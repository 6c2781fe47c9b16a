/* Single-precision arithmetic in the host's current rounding mode: shared by float32.c and float32_rounding.c.
 * f32_*_flushed are for .ftz: their operands have been flushed, and so are their results. */
#ifndef FLOAT32_H
#define FLOAT32_H

#include "ops/ieee.h"

static inline float f32_add(float x, float y) {
    return x + y;
}
static inline float f32_sub(float x, float y) {
    return x - y;
}
static inline float f32_mul(float x, float y) {
    return x * y;
}
static inline float f32_div(float x, float y) {
    return x / y;
}
static inline float f32_fma(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
static inline float f32_rcp(float x) {
    return 1 / x;
}
static inline float f32_sqrt(float x) {
    return __builtin_sqrtf(x);
}

static inline float f32_add_flushed(float x, float y) {
    return f32_flush(x + y);
}
static inline float f32_sub_flushed(float x, float y) {
    return f32_flush(x - y);
}
static inline float f32_mul_flushed(float x, float y) {
    return f32_flush_result(x * y, x * SCALE * y);
}
static inline float f32_div_flushed(float x, float y) {
    return f32_flush_result(x / y, x * SCALE / y);
}
static inline float f32_fma_flushed(float x, float y, float z) {
    return f32_flush_result(f32_fma(x, y, z), f32_fma(x * SCALE, y, z * SCALE));
}
static inline float f32_rcp_flushed(float x) {
    return f32_flush_result(1 / x, SCALE / x);
}
static inline float f32_sqrt_flushed(float x) {
    return f32_sqrt(x);
} /* never tiny */

/* The operations f_plain and f_ftz, and f_sat and f_ftz_sat, by OP = FLOAT_OP1, 2 or 3. */
#if WARP_SIZE == 1
/* For the second tier also without the canonical NaN: see tier/translate.c. */
#define F32_RAW(OP, f)                                                                                                 \
    OP(f##_plain_raw, float, f, in_plain, in_plain)                                                                    \
    OP(f##_ftz_raw, float, f##_flushed, in_ftz, in_plain)
#else
#define F32_RAW(OP, f)
#endif
#define F32_PLAIN_FTZ(OP, f)                                                                                           \
    OP(f##_plain, float, f, in_plain, out_plain)                                                                       \
    OP(f##_ftz, float, f##_flushed, in_ftz, out_plain)                                                                 \
    F32_RAW(OP, f)
#define F32_ALL_MODIFIERS(OP, f)                                                                                       \
    F32_PLAIN_FTZ(OP, f)                                                                                               \
    OP(f##_sat, float, f, in_plain, out_sat)                                                                           \
    OP(f##_ftz_sat, float, f##_flushed, in_ftz, out_sat)

#endif
