/* A candidate as a statement of PTX, with registers for its placeholders, and the module around it. */
#ifndef STATEMENT_H
#define STATEMENT_H

#include <stddef.h>
#include <stdio.h>

/* What a module begins with: variables and functions that statements mention. */
extern const char statement_module[];
/* The beginning of a kernel's body: the registers. */
extern const char statement_body[];
/* Sets the registers that hold addresses. */
extern const char statement_addresses[];

/* Writes the statement to out; returns its length. */
size_t statement_write(const char *candidate, char *out, size_t room);

#endif
