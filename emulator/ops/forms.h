/* The tables of all instruction forms, one per family's file. */
#ifndef FORMS_H
#define FORMS_H

#include <stddef.h>

#include "machine/insn.h"

/* A family's file ends in one table of its forms, closed by {0}; forms.c lists the tables. */
const struct form *form_find(const char *name);
size_t form_count(void);
const struct form *form_at(size_t i); /* 0 <= i < form_count() */

/* The handler of a setp that has its second source in insn.imm (as the operand's bits); NULL: none. compare.c */
handler_fn setp_with_constant(handler_fn handler);

#endif
