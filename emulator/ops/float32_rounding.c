/* Single precision with a directed rounding: .rz .rm .rp of add, sub, mul, fma, div, rcp, sqrt.
 *
 * The host's rounding mode is set around the loop over the lanes (insn.kind is the mode). The lanes' values come from
 * memory and go to memory between two calls that the compiler cannot see through, so it cannot move the arithmetic
 * out; this file is compiled with -frounding-math besides. */
#include <fenv.h>

#include "ops/ieee.h"

static inline float add(float x, float y) {
    return x + y;
}
static inline float sub(float x, float y) {
    return x - y;
}
static inline float mul(float x, float y) {
    return x * y;
}
static inline float fma_(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
static inline float div_(float x, float y) {
    return x / y;
}
static inline float rcp(float x) {
    return 1 / x;
}
static inline float sqrt_(float x) {
    return __builtin_sqrtf(x);
}

/* name: the operation on the lanes, run in the rounding mode of the instruction. */
#define ROUNDED(OP, name, f, in_, out_)                                                                                \
    OP(name##_lanes, float, f, in_, out_)                                                                              \
    static const struct insn *name(struct warp *w, const struct insn *in) {                                            \
        fesetround(in->kind);                                                                                          \
        const struct insn *next = name##_lanes(w, in);                                                                 \
        fesetround(FE_TONEAREST);                                                                                      \
        return next;                                                                                                   \
    }
#define PLAIN_FTZ(OP, f)                                                                                               \
    ROUNDED(OP, f##_plain, f, in_plain, out_plain)                                                                     \
    ROUNDED(OP, f##_ftz, f, in_ftz, out_ftz)
#define ALL_MODIFIERS(OP, f)                                                                                           \
    PLAIN_FTZ(OP, f)                                                                                                   \
    ROUNDED(OP, f##_sat, f, in_plain, out_sat)                                                                         \
    ROUNDED(OP, f##_ftz_sat, f, in_ftz, out_ftz_sat)

ALL_MODIFIERS(FLOAT_OP2, add)
ALL_MODIFIERS(FLOAT_OP2, sub)
ALL_MODIFIERS(FLOAT_OP2, mul)
ALL_MODIFIERS(FLOAT_OP3, fma_)
PLAIN_FTZ(FLOAT_OP2, div_)
PLAIN_FTZ(FLOAT_OP1, rcp)
PLAIN_FTZ(FLOAT_OP1, sqrt_)

#define ROWS_FTZ_MODE(opcode, letters, f, flags, mode)                                                                 \
    {opcode ".f32", letters, f##_plain, flags, mode}, {                                                                \
        opcode ".ftz.f32", letters, f##_ftz, flags, mode                                                               \
    }
#define ROWS_ALL_MODE(opcode, letters, f, flags, mode)                                                                 \
    ROWS_FTZ_MODE(opcode, letters, f, flags, mode), {opcode ".sat.f32", letters, f##_sat, flags, mode}, {              \
        opcode ".ftz.sat.f32", letters, f##_ftz_sat, flags, mode                                                       \
    }
#define EACH_MODE(ROWS, opcode, letters, f, flags)                                                                     \
    ROWS(opcode ".rz", letters, f, flags, FE_TOWARDZERO), ROWS(opcode ".rm", letters, f, flags, FE_DOWNWARD),          \
        ROWS(opcode ".rp", letters, f, flags, FE_UPWARD)

const struct form forms_float32_rounding[] = {
    EACH_MODE(ROWS_ALL_MODE, "add", "www", add, INSN_FLOAT),
    EACH_MODE(ROWS_ALL_MODE, "sub", "www", sub, INSN_FLOAT),
    EACH_MODE(ROWS_ALL_MODE, "mul", "www", mul, INSN_FLOAT),
    EACH_MODE(ROWS_ALL_MODE, "fma", "wwww", fma_, INSN_FLOAT_FMA),
    EACH_MODE(ROWS_ALL_MODE, "mad", "wwww", fma_, INSN_FLOAT_FMA),
    EACH_MODE(ROWS_FTZ_MODE, "div", "www", div_, 0),
    EACH_MODE(ROWS_FTZ_MODE, "rcp", "ww", rcp, 0),
    EACH_MODE(ROWS_FTZ_MODE, "sqrt", "ww", sqrt_, 0),
    {0},
};
