/* cvt from integers to .f32 and .f64 with a directed rounding: .rz .rm .rp. insn.kind is the host's mode; see
 * float32_rounding.c for how it is kept in force. */
#include <fenv.h>

#include "ops/convert_types.h"

/* Zero is apart because some machines convert by adding parts, which gives -0 when rounding down. */
#define CONVERT(D, S)                                                                                                  \
    static const struct insn *D##_##S(struct warp *w, const struct insn *in) {                                         \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        fesetround(in->kind);                                                                                          \
        FLOAT_LANES(LANE_##D, (VALUE_##S)a[l] ? (LANE_##D)(VALUE_##S)a[l] : 0);                                        \
        fesetround(FE_TONEAREST);                                                                                      \
        return in + 1;                                                                                                 \
    }
#define CONVERT_BOTH(S) CONVERT(f32, S) CONVERT(f64, S)
EACH_INTEGER(CONVERT_BOTH)

#define ROWS(D, S, ftz)                                                                                                \
    {"cvt.rz" ftz "." #D "." #S, LETTER_##D LETTER_##S, D##_##S, 0, FE_TOWARDZERO},                                    \
        {"cvt.rm" ftz "." #D "." #S, LETTER_##D LETTER_##S, D##_##S, 0, FE_DOWNWARD},                                  \
        {"cvt.rp" ftz "." #D "." #S, LETTER_##D LETTER_##S, D##_##S, 0, FE_UPWARD},
#define ROWS_BOTH(S) ROWS(f32, S, "") ROWS(f32, S, ".ftz") ROWS(f64, S, "")

const struct form forms_convert_rounding[] = {EACH_INTEGER(ROWS_BOTH){0}};
