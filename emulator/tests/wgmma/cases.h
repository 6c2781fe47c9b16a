/* The cases of wgmma: an instruction, where its operands lie, and what is done with them. */
#ifndef CASES_H
#define CASES_H

#include <stdbool.h>
#include <stdint.h>

#include "../tensor/values.h"

/* The types of D, A and B, and how deep a product is: 32 bytes of each row. */
struct form {
    const char *d, *a, *b, *modifier; /* modifier: behind the shape, or behind the types (b1) */
    unsigned k;
    enum value_type a_values, b_values, d_values;
    bool integer, may_transpose;
};

enum { SWIZZLE_NONE = 0, ROWS = 64, WARPGROUP = 128, ROW_BYTES = 32 };

struct wgmma_case {
    const struct form *form;
    unsigned n;
    unsigned swizzle;               /* bytes of a row of the pattern: 0, 32, 64 or 128 */
    unsigned advance;               /* bytes that the operands begin behind the pattern's first, along k */
    bool a_in_registers, overwrite; /* overwrite: scale-d is false */
    bool negate_a, negate_b, transpose_a, transpose_b;
    bool sparse; /* A has half of its elements, and B's rows are twice as long */
    unsigned selector;
};

/* How an operand of `rows` rows lies in shared memory, from `base` on, a multiple of 1024. */
struct layout {
    unsigned base, rows, swizzle, advance, leading, stride; /* bytes */
    unsigned row_bytes;                                     /* along k: 32, or 64 */
    bool transposed;                                        /* rows next to one another, not k; 16 bits only */
    unsigned bytes;                                         /* that it takes */
};

unsigned cases_count(void);
struct wgmma_case cases_at(unsigned i);
void cases_name(const struct wgmma_case *c, char *name, unsigned size);
void cases_layouts(const struct wgmma_case *c, struct layout *a, struct layout *b);
/* Where a byte of a row is: `at` is the row's byte; of a transposed operand the byte of its k-th element. */
unsigned cases_place(const struct layout *l, unsigned row, unsigned at);
/* What a descriptor has beside the address of shared memory's first byte divided by 16. */
uint64_t cases_descriptor(const struct layout *l);
/* 32-bit registers of D in a thread. */
unsigned cases_registers(const struct wgmma_case *c);
/* The kernel, as PTX. It copies `image_words` words to shared memory and executes the instruction once. */
void cases_ptx(const struct wgmma_case *c, char *text, unsigned size);

#endif
