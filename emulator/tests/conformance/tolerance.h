/* How far an approximate instruction may be from the GPU's result. */
#ifndef TOLERANCE_H
#define TOLERANCE_H

#include "plan.h"

struct tolerance {
    const char *opcode; /* "sin.approx" */
    const char *type;   /* of the result: "f32" */
    double absolute, relative;
    double domain; /* |input| up to which this is promised; beyond it only NaN is compared. 0: everywhere */
};

/* NULL for an instruction that PTX defines to the bit. */
const struct tolerance *tolerance_find(const struct plan *plan);

/* Whether `found` is close enough to `expected`, both the bits of an output; input is the bits of the first source. */
bool tolerance_accepts(const struct tolerance *t, const struct plan *plan, uint64_t input, uint64_t expected,
                       uint64_t found);

#endif
