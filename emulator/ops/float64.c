/* Double precision, rounded to nearest even: add, sub, mul, fma, div, rcp, sqrt, min, max, neg, abs, copysign, testp.
 *
 * PTX keeps NaN payloads in double precision: a NaN operand is returned quieted (see ieee.h for which, and with its
 * sign, even from neg and abs), and an invalid operation creates F64_NAN. The other roundings are in
 * float64_rounding.c. */
#define LANE_FAMILY
#include "ops/float64.h"

static inline double negate64(double x) {
    return f64_nan1(x, -x);
}
static inline double absolute64(double x) {
    return f64_nan1(x, __builtin_fabs(x));
}

/* min and max order -0 below +0 and prefer a number to a NaN: see float32.c. */
static inline int64_t order64(double x) {
    int64_t i = (int64_t)f64_bits(x);
    return i ^ (int64_t)((uint64_t)(i >> 63) >> 1);
}
static inline double min_number64(double x, double y) {
    double r = order64(x) < order64(y) ? x : y;
    r = x == x ? r : y;
    return y == y ? r : f64_nan2(y, x, x);
}
static inline double max_number64(double x, double y) {
    double r = order64(x) > order64(y) ? x : y;
    r = x == x ? r : y;
    return y == y ? r : f64_nan2(y, x, x);
}

FLOAT_OP2(add_f64, double, f64_add, f64_same, f64_same)
FLOAT_OP2(sub_f64, double, f64_sub, f64_same, f64_same)
FLOAT_OP2(mul_f64, double, f64_mul, f64_same, f64_same)
FLOAT_OP3(fma_f64, double, f64_fma, f64_same, f64_same)
FLOAT_OP2(div_f64, double, f64_div, f64_same, f64_same)
FLOAT_OP1(rcp_f64, double, f64_rcp, f64_same, f64_same)
FLOAT_OP1(sqrt_f64, double, f64_sqrt, f64_same, f64_same)
FLOAT_OP1(neg_f64, double, negate64, f64_same, f64_same)
FLOAT_OP1(abs_f64, double, absolute64, f64_same, f64_same)
FLOAT_OP2(min_f64, double, min_number64, f64_same, f64_same)
FLOAT_OP2(max_f64, double, max_number64, f64_same, f64_same)

/* copysign d, a, b: the sign of a, the magnitude of b. */
OPERATION(copysign_f64) {
    const uint64_t *a = REG(uint64_t, 1), *b = REG(uint64_t, 2);
    WRITE_LANES(uint64_t, (a[l] & F64_SIGN) | (b[l] & ~F64_SIGN));
    return in + 1;
}

/* testp: a property of the number's bits; zero is normal. m is the magnitude. */
#define F64_INFINITY 0x7ff0000000000000u
#define F64_SMALLEST 0x0010000000000000u /* normal */
#define TESTP(name, property)                                                                                          \
    OPERATION(testp_f64_##name) {                                                                                      \
        const uint64_t *a = REG(uint64_t, 1);                                                                          \
        uint32_t bits = 0;                                                                                             \
        for (int l = 0; l < WARP_SIZE; l++) {                                                                          \
            uint64_t m = a[l] & ~F64_SIGN;                                                                             \
            bits |= (uint32_t)(property) << l;                                                                         \
        }                                                                                                              \
        WRITE_PRED(0, bits);                                                                                           \
        return in + 1;                                                                                                 \
    }
TESTP(finite, m < F64_INFINITY)
TESTP(infinite, m == F64_INFINITY)
TESTP(number, m <= F64_INFINITY)
TESTP(notanumber, m > F64_INFINITY)
TESTP(normal, (m >= F64_SMALLEST && m < F64_INFINITY) || m == 0)
TESTP(subnormal, m < F64_SMALLEST && m != 0)

const struct form forms_float64[] = {
    {"add.f64", "lll", add_f64, INSN_FLOAT, 0},
    {"add.rn.f64", "lll", add_f64, INSN_FLOAT, 0},
    {"sub.f64", "lll", sub_f64, INSN_FLOAT, 0},
    {"sub.rn.f64", "lll", sub_f64, INSN_FLOAT, 0},
    {"mul.f64", "lll", mul_f64, INSN_FLOAT, 0},
    {"mul.rn.f64", "lll", mul_f64, INSN_FLOAT, 0},
    {"fma.rn.f64", "llll", fma_f64, INSN_FLOAT_FMA, 0},
    {"mad.rn.f64", "llll", fma_f64, INSN_FLOAT_FMA, 0},
    {"div.rn.f64", "lll", div_f64, 0, 0},
    {"rcp.rn.f64", "ll", rcp_f64, 0, 0},
    {"sqrt.rn.f64", "ll", sqrt_f64, 0, 0},
    {"neg.f64", "ll", neg_f64, 0, 0},
    {"abs.f64", "ll", abs_f64, 0, 0},
    {"min.f64", "lll", min_f64, 0, 0},
    {"max.f64", "lll", max_f64, 0, 0},
    {"copysign.f64", "lll", copysign_f64, 0, 0},
    {"testp.finite.f64", "pl", testp_f64_finite, 0, 0},
    {"testp.infinite.f64", "pl", testp_f64_infinite, 0, 0},
    {"testp.number.f64", "pl", testp_f64_number, 0, 0},
    {"testp.notanumber.f64", "pl", testp_f64_notanumber, 0, 0},
    {"testp.normal.f64", "pl", testp_f64_normal, 0, 0},
    {"testp.subnormal.f64", "pl", testp_f64_subnormal, 0, 0},
    {0},
};
