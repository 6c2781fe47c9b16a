/* Whether a row says of an instruction what decode made of it. */
#ifndef JUDGE_H
#define JUDGE_H

#include "evidence.h"
#include "isa/instruction.h"

/* What is wrong with the row, given the evidence; NULL: nothing. */
const char *judge(const struct instruction *row, const struct evidence *e);

#endif
