/* Single precision with a directed rounding: .rz .rm .rp of add, sub, mul, fma, div, rcp, sqrt.
 *
 * The host's rounding mode is set around the loop over the lanes (insn.kind is the mode). The lanes' values come from
 * memory and go to memory between two calls that the compiler cannot see through, so it cannot move the arithmetic
 * out; this file is compiled with -frounding-math besides. */
#include <fenv.h>

#include "ops/float32.h"

/* The operation on the lanes, run in the rounding mode of the instruction. */
#define IN_MODE(name)                                                                                                  \
    static const struct insn *name##_rounded(struct warp *w, const struct insn *in) {                                  \
        fesetround(in->kind);                                                                                          \
        const struct insn *next = name(w, in);                                                                         \
        fesetround(FE_TONEAREST);                                                                                      \
        return next;                                                                                                   \
    }
#define PLAIN_FTZ(OP, f)                                                                                               \
    F32_PLAIN_FTZ(OP, f)                                                                                               \
    IN_MODE(f##_plain)                                                                                                 \
    IN_MODE(f##_ftz)
#define ALL_MODIFIERS(OP, f)                                                                                           \
    F32_ALL_MODIFIERS(OP, f)                                                                                           \
    IN_MODE(f##_plain)                                                                                                 \
    IN_MODE(f##_ftz)                                                                                                   \
    IN_MODE(f##_sat)                                                                                                   \
    IN_MODE(f##_ftz_sat)

ALL_MODIFIERS(FLOAT_OP2, f32_add)
ALL_MODIFIERS(FLOAT_OP2, f32_sub)
ALL_MODIFIERS(FLOAT_OP2, f32_mul)
ALL_MODIFIERS(FLOAT_OP3, f32_fma)
PLAIN_FTZ(FLOAT_OP2, f32_div)
PLAIN_FTZ(FLOAT_OP1, f32_rcp)
PLAIN_FTZ(FLOAT_OP1, f32_sqrt)

#define ROWS_FTZ_MODE(opcode, letters, f, flags, mode)                                                                 \
    {opcode ".f32", letters, f##_plain_rounded, flags, mode}, {                                                        \
        opcode ".ftz.f32", letters, f##_ftz_rounded, flags, mode                                                       \
    }
#define ROWS_ALL_MODE(opcode, letters, f, flags, mode)                                                                 \
    ROWS_FTZ_MODE(opcode, letters, f, flags, mode), {opcode ".sat.f32", letters, f##_sat_rounded, flags, mode}, {      \
        opcode ".ftz.sat.f32", letters, f##_ftz_sat_rounded, flags, mode                                               \
    }
#define EACH_MODE(ROWS, opcode, letters, f, flags)                                                                     \
    ROWS(opcode ".rz", letters, f, flags, FE_TOWARDZERO), ROWS(opcode ".rm", letters, f, flags, FE_DOWNWARD),          \
        ROWS(opcode ".rp", letters, f, flags, FE_UPWARD)

const struct form forms_float32_rounding[] = {
    EACH_MODE(ROWS_ALL_MODE, "add", "www", f32_add, INSN_FLOAT),
    EACH_MODE(ROWS_ALL_MODE, "sub", "www", f32_sub, INSN_FLOAT),
    EACH_MODE(ROWS_ALL_MODE, "mul", "www", f32_mul, INSN_FLOAT),
    EACH_MODE(ROWS_ALL_MODE, "fma", "wwww", f32_fma, INSN_FLOAT_FMA),
    EACH_MODE(ROWS_ALL_MODE, "mad", "wwww", f32_fma, INSN_FLOAT_FMA),
    EACH_MODE(ROWS_FTZ_MODE, "div", "www", f32_div, 0),
    EACH_MODE(ROWS_FTZ_MODE, "rcp", "ww", f32_rcp, 0),
    EACH_MODE(ROWS_FTZ_MODE, "sqrt", "ww", f32_sqrt, 0),
    {0},
};
