/* The approximations of the special function unit: ex2, lg2, sin, cos, tanh, and the .approx and .full forms of rcp,
 * sqrt, rsqrt and div.
 *
 * A GPU's own last bits are not documented; PTX gives error bounds, and these functions keep them with room to spare.
 * They use plain multiplications and additions only, so every machine computes the same bits. The polynomials
 * interpolate at Chebyshev nodes; the comments give their errors. */
#define LANE_FAMILY
#include <math.h>

#include "ops/half.h"

/* 2^x = 2^n * 2^f with n the nearest integer; the polynomial's relative error is 4e-9. 2^n is multiplied in two
 * halves, so that subnormal results are rounded once. */
static inline float ex2(float x) {
    x = x < -160 ? -160 : x;
    x = x > 130 ? 130 : x;
    const float magic = 0x1.8p23f; /* adding it leaves the nearest integer in the low bits */
    float shifted = x + magic;
    float f = x - (shifted - magic);
    int32_t n = (int32_t)(f32_bits(shifted) - f32_bits(magic));
    float q = 0.0001545316295f;
    q = q * f + 0.001339086336f;
    q = q * f + 0.009618082557f;
    q = q * f + 0.05550357114f;
    q = q * f + 0.2402265076f;
    q = q * f + 0.693147188f;
    int32_t low = n >> 1, high = n - low;
    return (q * f + 1) * f32_from((uint32_t)(low + 127) << 23) * f32_from((uint32_t)(high + 127) << 23);
}

/* log2(x) = e + log2(m), sqrt(1/2) <= m < sqrt(2); log2(m) is an odd series of s = (m-1)/(m+1), error 2e-9. */
static inline float lg2(float x) {
    const uint32_t lowest = 0x3f3504f3u; /* sqrt(1/2) */
    bool subnormal = x < 0x1p-126f;
    uint32_t u = f32_bits(x * (subnormal ? 0x1p23f : 1)) - lowest;
    float e = (float)((int32_t)u >> 23) - (subnormal ? 23 : 0);
    float m = f32_from((u & 0x7fffffu) + lowest);
    float s = (m - 1) / (m + 1);
    float z = s * s;
    float p = 0.4317264381f;
    p = p * z + 0.5767148647f;
    p = p * z + 0.9617988416f;
    p = p * z + 2.88539008f;
    float r = s * p + e;
    r = x == 0 ? -INFINITY : r;
    r = x == INFINITY ? x : r;
    return x < 0 || x != x ? NAN : r;
}

/* sin(x + quarters * pi/2). The nearest multiple of pi/2 is taken off in double precision, which is good for the
 * arguments up to 2^20 that it is called with; then the polynomials' errors are below 1e-8. */
static inline float sine(float x, uint32_t quarters) {
    const double magic = 0x1.8p52;
    double shifted = (double)x * 0.63661977236758134 + magic;
    uint32_t quadrant = (uint32_t)f64_bits(shifted) + quarters;
    float r = (float)((double)x - (shifted - magic) * 1.5707963267948966);
    float z = r * r;
    float s = ((-0.0001958782977f * z + 0.008332747988f) * z + -0.1666666466f) * z * r + r;
    float c = (((2.446370683e-5f * z + -0.001388758853f) * z + 0.04166665063f) * z + -0.4999999997f) * z + 1;
    return f32_from(f32_bits(quadrant & 1 ? c : s) ^ (quadrant & 2) << 30);
}

/* Odd polynomial below 0.625 (error 2e-8), 1 - 2/(e^2x + 1) above. */
static inline float tanh_(float x) {
    float a = f32_from(f32_bits(x) & ~F32_SIGN);
    float z = x * x;
    float q = -0.006096299523f;
    q = q * z + 0.02099689404f;
    q = q * z + -0.05385084952f;
    q = q * z + 0.1333276934f;
    q = q * z + -0.3333332894f;
    float small = q * z * a + a;
    float large = 1 - 2 / (ex2(a * 2.885390082f) + 1);
    float r = a < 0.625f ? small : large;
    return f32_from(f32_bits(r) | (f32_bits(x) & F32_SIGN));
}

static inline float rcp(float x) {
    return 1 / x;
}
static inline float sqrt_(float x) {
    return __builtin_sqrtf(x);
}
static inline float rsqrt_(float x) {
    return 1 / __builtin_sqrtf(x);
}
static inline float div_full(float x, float y) {
    return x / y;
}

/* div.approx is x times an approximate reciprocal, which for |y| above 2^126 is 0: the quotient is 0 too, or NaN for an
 * infinite x. */
static inline float div_approx(float x, float y) {
    float a = __builtin_fabsf(y);
    float zero = x * f32_from(f32_bits(y) & F32_SIGN);
    float quotient = x / y;
    return a > 0x1p126f && a < INFINITY ? zero : quotient;
}

#if WARP_SIZE == 1
/* For the second tier also without the canonical NaN: see tier/translate.c. */
#define RAW(OP, f)                                                                                                     \
    OP(f##_plain_raw, float, f, in_plain, in_plain)                                                                    \
    OP(f##_ftz_raw, float, f, in_ftz, f32_flush)
#else
#define RAW(OP, f)
#endif
#define PLAIN_FTZ(OP, f)                                                                                               \
    OP(f##_plain, float, f, in_plain, out_plain)                                                                       \
    OP(f##_ftz, float, f, in_ftz, out_ftz)                                                                             \
    RAW(OP, f)

PLAIN_FTZ(FLOAT_OP1, ex2)
PLAIN_FTZ(FLOAT_OP1, lg2)
FLOAT_OP1(tanh_plain, float, tanh_, in_plain, out_plain)
PLAIN_FTZ(FLOAT_OP1, rcp)
PLAIN_FTZ(FLOAT_OP1, sqrt_)
PLAIN_FTZ(FLOAT_OP1, rsqrt_)
PLAIN_FTZ(FLOAT_OP2, div_full)
PLAIN_FTZ(FLOAT_OP2, div_approx)

/* sin and cos: the C library does arguments that are large, infinite or NaN. A lane's result does not depend on the
 * others. */
#define SINE_LIMIT 0x1p20f
static inline float sin_small(float x) {
    return x == 0 ? x : sine(x, 0);
}
static inline float cos_small(float x) {
    return sine(x, 1);
}
static inline float sin_any(float x) {
    return __builtin_fabsf(x) <= SINE_LIMIT ? sin_small(x) : (float)sin((double)x);
}
static inline float cos_any(float x) {
    return __builtin_fabsf(x) <= SINE_LIMIT ? cos_small(x) : (float)cos((double)x);
}

static bool any_beyond(const float *a) {
    uint32_t beyond = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        beyond |= !(__builtin_fabsf(a[l]) <= SINE_LIMIT);
    return beyond;
}

#define SINE(name)                                                                                                     \
    PLAIN_FTZ(FLOAT_OP1, name##_small)                                                                                 \
    PLAIN_FTZ(FLOAT_OP1, name##_any)                                                                                   \
    WARP_OPERATION(name##_plain) {                                                                                     \
        return any_beyond(REG(float, 1)) ? name##_any_plain(w, in) : name##_small_plain(w, in);                        \
    }                                                                                                                  \
    WARP_OPERATION(name##_ftz) {                                                                                       \
        return any_beyond(REG(float, 1)) ? name##_any_ftz(w, in) : name##_small_ftz(w, in);                            \
    }
SINE(sin)
SINE(cos)

/* Half precision: the single-precision function, rounded. */
static inline uint16_t ex2_f16(uint16_t x) {
    return f32_to_f16(ex2(f16_to_f32(x)));
}
static inline uint16_t tanh_f16(uint16_t x) {
    return f32_to_f16(tanh_(f16_to_f32(x)));
}
static inline uint16_t ex2_bf16(uint16_t x) {
    return f32_to_bf16(f32_flush(ex2(f32_flush(bf16_to_f32(x)))));
}
static inline uint16_t tanh_bf16(uint16_t x) {
    return f32_to_bf16(tanh_(bf16_to_f32(x)));
}
static inline uint16_t same(uint16_t x) {
    return x;
}

/* A packed pair is computed as two halves. */
#define PAIR(f)                                                                                                        \
    static inline uint32_t f##x2(uint32_t x) {                                                                         \
        return (uint32_t)f((uint16_t)(x >> 16)) << 16 | f((uint16_t)x);                                                \
    }
#define HALF_AND_PAIR(f)                                                                                               \
    PAIR(f)                                                                                                            \
    FLOAT_OP1(f##_op, uint16_t, f, same, same)                                                                         \
    FLOAT_OP1(f##x2_op, uint32_t, f##x2, (uint32_t), (uint32_t))
HALF_AND_PAIR(ex2_f16)
HALF_AND_PAIR(tanh_f16)
HALF_AND_PAIR(ex2_bf16)
HALF_AND_PAIR(tanh_bf16)

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see the upper 32 bits of their operand only and give the upper 32 bits of
 * a result; subnormals are zero. Their NaN is canonical. */
static inline double upper(double x) {
    return f64_from(f64_bits(x) & 0xffffffff00000000u);
}
static inline double flush(double x) {
    uint64_t u = f64_bits(x);
    return f64_from(u & 0x7ff0000000000000u ? u : u & F64_SIGN);
}
static inline double in_upper(double x) {
    return flush(upper(x));
}
static inline double out_upper(double r) {
    return r == r ? upper(flush(r)) : f64_from(0x7fffffff00000000u);
}
static inline double same_f64(double x) {
    return x;
}
static inline double reciprocal_f64(double x) {
    return 1 / x;
}
static inline double reciprocal_root_f64(double x) {
    return 1 / __builtin_sqrt(x);
}
static inline double rsqrt_payload(double x) {
    return f64_nan1(x, reciprocal_root_f64(x));
}
FLOAT_OP1(rcp_f64_upper, double, reciprocal_f64, in_upper, out_upper)
FLOAT_OP1(rsqrt_f64_upper, double, reciprocal_root_f64, in_upper, out_upper)
FLOAT_OP1(rsqrt_f64_plain, double, rsqrt_payload, same_f64, same_f64)

#define ROWS_FTZ(opcode, letters, f, flags)                                                                            \
    {opcode ".f32", letters, f##_plain, flags, 0}, {                                                                   \
        opcode ".ftz.f32", letters, f##_ftz, flags, 0                                                                  \
    }

const struct form forms_special[] = {
    ROWS_FTZ("ex2.approx", "ww", ex2, INSN_RAW),
    ROWS_FTZ("lg2.approx", "ww", lg2, INSN_RAW),
    ROWS_FTZ("sin.approx", "ww", sin, 0),
    ROWS_FTZ("cos.approx", "ww", cos, 0),
    ROWS_FTZ("rcp.approx", "ww", rcp, INSN_RAW),
    ROWS_FTZ("sqrt.approx", "ww", sqrt_, INSN_RAW),
    ROWS_FTZ("rsqrt.approx", "ww", rsqrt_, INSN_RAW),
    ROWS_FTZ("div.full", "www", div_full, INSN_RAW),
    ROWS_FTZ("div.approx", "www", div_approx, INSN_RAW),
    {"tanh.approx.f32", "ww", tanh_plain, 0, 0},
    {"ex2.approx.f16", "hh", ex2_f16_op, 0, 0},
    {"ex2.approx.f16x2", "ww", ex2_f16x2_op, 0, 0},
    {"ex2.approx.ftz.bf16", "hh", ex2_bf16_op, 0, 0},
    {"ex2.approx.ftz.bf16x2", "ww", ex2_bf16x2_op, 0, 0},
    {"tanh.approx.f16", "hh", tanh_f16_op, 0, 0},
    {"tanh.approx.f16x2", "ww", tanh_f16x2_op, 0, 0},
    {"tanh.approx.bf16", "hh", tanh_bf16_op, 0, 0},
    {"tanh.approx.bf16x2", "ww", tanh_bf16x2_op, 0, 0},
    {"rcp.approx.ftz.f64", "ll", rcp_f64_upper, 0, 0},
    {"rsqrt.approx.ftz.f64", "ll", rsqrt_f64_upper, 0, 0},
    {"rsqrt.approx.f64", "ll", rsqrt_f64_plain, 0, 0},
    {0},
};
