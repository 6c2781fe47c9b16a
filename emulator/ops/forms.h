/* The tables of all instruction forms, one per family's file. */
#ifndef FORMS_H
#define FORMS_H

#include <stddef.h>

#include "core/insn.h"

size_t form_count(void);
const struct form *form_at(size_t i); /* 0 <= i < form_count() */

#endif
