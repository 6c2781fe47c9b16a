/* Double precision with a directed rounding: .rz .rm .rp of add, sub, mul, fma, div, rcp, sqrt. insn.kind is the
 * mode; see float32_rounding.c for how it is kept in force. */
#include <fenv.h>

#include "ops/float64.h"

#define ROUNDED(OP, f)                                                                                                 \
    OP(f##_lanes, double, f, f64_same, f64_same)                                                                       \
    static const struct insn *f##_rounded(struct warp *w, const struct insn *in) {                                     \
        fesetround(in->kind);                                                                                          \
        const struct insn *next = f##_lanes(w, in);                                                                    \
        fesetround(FE_TONEAREST);                                                                                      \
        return next;                                                                                                   \
    }

ROUNDED(FLOAT_OP2, f64_add)
ROUNDED(FLOAT_OP2, f64_sub)
ROUNDED(FLOAT_OP2, f64_mul)
ROUNDED(FLOAT_OP3, f64_fma)
ROUNDED(FLOAT_OP2, f64_div)
ROUNDED(FLOAT_OP1, f64_rcp)
ROUNDED(FLOAT_OP1, f64_sqrt)

#define EACH_MODE(opcode, letters, f, flags)                                                                           \
    {opcode ".rz.f64", letters, f##_rounded, flags, FE_TOWARDZERO},                                                    \
        {opcode ".rm.f64", letters, f##_rounded, flags, FE_DOWNWARD}, {                                                \
        opcode ".rp.f64", letters, f##_rounded, flags, FE_UPWARD                                                       \
    }

const struct form forms_float64_rounding[] = {
    EACH_MODE("add", "lll", f64_add, INSN_FLOAT),
    EACH_MODE("sub", "lll", f64_sub, INSN_FLOAT),
    EACH_MODE("mul", "lll", f64_mul, INSN_FLOAT),
    EACH_MODE("fma", "llll", f64_fma, INSN_FLOAT_FMA),
    EACH_MODE("mad", "llll", f64_fma, INSN_FLOAT_FMA),
    EACH_MODE("div", "lll", f64_div, 0),
    EACH_MODE("rcp", "ll", f64_rcp, 0),
    EACH_MODE("sqrt", "ll", f64_sqrt, 0),
    {0},
};
