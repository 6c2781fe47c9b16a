/* Double precision with a directed rounding: .rz .rm .rp of add, sub, mul, fma, div, rcp, sqrt. insn.kind is the
 * mode; see float32_rounding.c for how it is kept in force. */
#include <fenv.h>

#include "ops/ieee.h"

static inline double add(double x, double y) {
    return f64_nan2(x, y, x + y);
}
static inline double sub(double x, double y) {
    return f64_nan2(x, y, x - y);
}
static inline double mul(double x, double y) {
    return f64_nan2(x, y, x * y);
}
static inline double fma_(double x, double y, double z) {
    return f64_nan3(x, y, z, __builtin_fma(x, y, z));
}
static inline double div_(double x, double y) {
    return f64_nan2(x, y, x / y);
}
static inline double rcp(double x) {
    return f64_nan1(x, 1 / x);
}
static inline double sqrt_(double x) {
    return f64_nan1(x, __builtin_sqrt(x));
}
static inline double same(double x) {
    return x;
}

#define ROUNDED(OP, f)                                                                                                 \
    OP(f##_lanes, double, f, same, same)                                                                               \
    static const struct insn *f##_f64(struct warp *w, const struct insn *in) {                                         \
        fesetround(in->kind);                                                                                          \
        const struct insn *next = f##_lanes(w, in);                                                                    \
        fesetround(FE_TONEAREST);                                                                                      \
        return next;                                                                                                   \
    }

ROUNDED(FLOAT_OP2, add)
ROUNDED(FLOAT_OP2, sub)
ROUNDED(FLOAT_OP2, mul)
ROUNDED(FLOAT_OP3, fma_)
ROUNDED(FLOAT_OP2, div_)
ROUNDED(FLOAT_OP1, rcp)
ROUNDED(FLOAT_OP1, sqrt_)

#define EACH_MODE(opcode, letters, f, flags)                                                                           \
    {opcode ".rz.f64", letters, f##_f64, flags, FE_TOWARDZERO},                                                        \
        {opcode ".rm.f64", letters, f##_f64, flags, FE_DOWNWARD}, {                                                    \
        opcode ".rp.f64", letters, f##_f64, flags, FE_UPWARD                                                           \
    }

const struct form forms_float64_rounding[] = {
    EACH_MODE("add", "lll", add, INSN_FLOAT),
    EACH_MODE("sub", "lll", sub, INSN_FLOAT),
    EACH_MODE("mul", "lll", mul, INSN_FLOAT),
    EACH_MODE("fma", "llll", fma_, INSN_FLOAT_FMA),
    EACH_MODE("mad", "llll", fma_, INSN_FLOAT_FMA),
    EACH_MODE("div", "lll", div_, 0),
    EACH_MODE("rcp", "ll", rcp, 0),
    EACH_MODE("sqrt", "ll", sqrt_, 0),
    {0},
};
