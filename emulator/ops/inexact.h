/* Approximate instructions whose results are as far off as PTX's manual allows, for graders: a result that is too
 * inexact on a GPU is then too inexact here. The error depends on the operands alone. Results that every program
 * relies on stay exact: those of zeros, infinities and NaN, of powers of two where the function of one is exact,
 * and tanh's 1. */
#ifndef INEXACT_H
#define INEXACT_H

#include "machine/insn.h"

/* The number of a form's error, for insn.imm; -1: it is exact, or its error is not known. */
int inexact_number(const char *form);
/* insn.extra is the form, insn.imm the number: executes the form, and then moves the results. */
const struct insn *op_inexact(struct warp *w, const struct insn *in);

#endif
