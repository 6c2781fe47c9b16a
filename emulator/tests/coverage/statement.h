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

/* The numbered registers: %w0, %w1, ... In input and output each has a slot of 64 bits per thread, %q two. */
#define STATEMENT_BANKS 5
#define STATEMENT_SLOTS 192
extern const struct statement_bank {
    char letter;
    unsigned bytes;      /* 0: a predicate */
    unsigned first_slot; /* of %w0 ... */
} statement_banks[STATEMENT_BANKS];

struct statement_registers {
    unsigned count[STATEMENT_BANKS]; /* how many of each bank a statement names */
};

/* Writes the statement to out; returns its length. used may be NULL. */
size_t statement_write(const char *candidate, char *out, size_t room, struct statement_registers *used);

#endif
