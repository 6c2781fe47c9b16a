/* wgmma: four warps multiply 64 rows of A by up to 256 columns of B. Its decoded form. */
#ifndef OPS_WGMMA_H
#define OPS_WGMMA_H

#include "ops/matrix.h"

#define WGMMA_WARPS     4
#define WGMMA_ROWS      16 /* of a warp */
#define WGMMA_ROW_BYTES 32 /* a row of A along k, of every type; B's is twice as long where A is sparse */
#define WGMMA_COLUMNS   256
#define WGMMA_REGISTERS 128
#define WGMMA_PIECE     16 /* bytes of shared memory that are contiguous */
#define WGMMA_PIECES    (2 * WGMMA_ROWS + 4 * WGMMA_COLUMNS)

/* Begins with its access: of a piece of shared memory. */
struct wgmma {
    struct access access;
    uint16_t columns, depth; /* depth: A's elements along k */
    uint8_t a, b, d;         /* enum matrix_type */
    bool satfinite;
    bool negate;                   /* the product: A or B, but not both */
    bool transpose_a, transpose_b; /* in shared memory rows are next to one another, not k */
    bool a_in_registers;
    bool sparse;
    uint8_t selector;                         /* sparse: which lanes hold the metadata */
    uint32_t metadata;                        /* sparse: its slot */
    uint32_t descriptor_a, descriptor_b, add; /* slots; add: a predicate, false: D = A * B */
    uint32_t a_regs[4], d_regs[WGMMA_REGISTERS];
};

/* Done at once. Results that a kernel may not rely on before it has waited are already there: racecheck reports such
 * reads. */
const struct insn *op_wgmma(struct warp *w, const struct insn *in);

/* A group of them is committed. insn.imm of the wait: the groups that may be left. */
const struct insn *op_wgmma_commit(struct warp *w, const struct insn *in);
const struct insn *op_wgmma_wait(struct warp *w, const struct insn *in);

/* The shared addresses of all pieces that a warp reads: A's, if it is in shared memory, and B's. Returns their
 * number. */
unsigned wgmma_pieces(const struct warp *w, const struct wgmma *m, uint32_t addresses[WGMMA_PIECES]);

/* c: `rows` rows of 8 or 16 columns, and then D. a: as many rows of elements along k; b: a row for each k, `columns`
 * elements. An element in each word. */
void mma_float_wgmma(const struct wgmma *m, unsigned rows, const uint32_t *a, const uint32_t *b, unsigned columns,
                     uint32_t *c);

#endif
