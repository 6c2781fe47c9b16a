/* Matrix instructions: their decoded form, and how fragments hold matrices.
 *
 * All of them but m8n8k4 with f16 (ops/mma_volta.c) hold matrices alike, also wmma's (as an H200 does): a register
 * holds a block of eight rows of four words, lane l word l % 4 of row l / 4. An instruction whose D is wider than high
 * (m8n32k16) computes the transpose of D instead: A and B are exchanged, and so are rows and columns. Below, A is the
 * operand whose rows are rows of D, B the one whose rows are columns of D; both hold a row's elements along k next to
 * each other. */
#ifndef OPS_MATRIX_H
#define OPS_MATRIX_H

#include "machine/warp.h"
#include "machine/access.h"

enum matrix_type {
    MATRIX_NONE,
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_TF32,
    MATRIX_E4M3,
    MATRIX_E5M2,
    MATRIX_F32,
    MATRIX_F64,
    MATRIX_S8,
    MATRIX_U8,
    MATRIX_S4,
    MATRIX_U4,
    MATRIX_B1,
    MATRIX_S32,
    MATRIX_B16,
};

/* Of an element. */
static inline unsigned matrix_type_bits(enum matrix_type type) {
    switch (type) {
    case MATRIX_F64:
        return 64;
    case MATRIX_TF32:
    case MATRIX_F32:
    case MATRIX_S32:
        return 32;
    case MATRIX_F16:
    case MATRIX_BF16:
        return 16;
    case MATRIX_S4:
    case MATRIX_U4:
        return 4;
    case MATRIX_B1:
        return 1;
    default:
        return 8;
    }
}

#define MATRIX_REGISTERS 8
#define MATRIX_ELEMENTS  256 /* of C and D at most */

/* D = A * B + C */
struct mma {
    uint8_t rows, columns;
    uint16_t depth;
    uint8_t a, b, c, d;           /* enum matrix_type */
    bool satfinite, and;          /* and: of bits; otherwise xor */
    bool a_by_columns, b_by_rows; /* m8n8k4 with f16 only */
    int rounding;                 /* f64: FE_TONEAREST ... */
    uint16_t dense_depth;         /* mma.sp: B's depth; A has the half, which is `depth`. 0: not sparse */
    uint8_t selector;             /* mma.sp: which of four lanes hold the metadata */
    uint32_t metadata;            /* mma.sp: their slot */
    uint32_t a_regs[MATRIX_REGISTERS], b_regs[MATRIX_REGISTERS], c_regs[MATRIX_REGISTERS], d_regs[MATRIX_REGISTERS];
};

/* The operation for an instruction with its matrices in registers; insn.extra is its struct mma. */
handler_fn mma_operation(const struct mma *m);
const struct insn *op_mma_float(struct warp *w, const struct insn *in);
const struct insn *op_mma_volta(struct warp *w, const struct insn *in);
const struct insn *op_mma_double(struct warp *w, const struct insn *in);
const struct insn *op_mma_integer(struct warp *w, const struct insn *in);
const struct insn *op_mma_bits(struct warp *w, const struct insn *in);
const struct insn *op_mma_sparse_float(struct warp *w, const struct insn *in);
const struct insn *op_mma_sparse_integer(struct warp *w, const struct insn *in);

/* mma.sp: for each element of A, row after row, which row of B it is multiplied by. */
void matrix_sparse_rows(const struct warp *w, const struct mma *m, uint8_t *rows);
#define MATRIX_SPARSE_ELEMENTS (16 * 64)

enum matrix_role { ROLE_A, ROLE_B, ROLE_C };

/* A matrix in memory and in registers: wmma.load, wmma.store, ldmatrix, stmatrix. Begins with its access. */
struct matrix_access {
    struct access access;
    uint8_t role;          /* enum matrix_role */
    uint8_t rows, columns; /* of A: rows, k; of B: columns, k; of C: rows, columns */
    uint8_t bits;          /* of an element */
    uint8_t count;         /* registers */
    bool transposed;       /* memory holds columns one after another, or ldmatrix.trans */
    uint32_t stride;       /* slot of the elements from one row to the next, 32 bits */
    uint32_t regs[MATRIX_REGISTERS];
};

const struct insn *op_wmma_load(struct warp *w, const struct insn *in);
const struct insn *op_wmma_store(struct warp *w, const struct insn *in);
const struct insn *op_ldmatrix(struct warp *w, const struct insn *in);
const struct insn *op_stmatrix(struct warp *w, const struct insn *in);
const struct insn *op_movmatrix(struct warp *w, const struct insn *in);

/* All 32 lanes must execute a matrix instruction together. False: return *next from the operation. */
bool matrix_ready(struct warp *w, const struct insn *in, const struct insn **next);

/* The beginning of a register's block: its first row, and its first word in the row. */
struct matrix_block {
    unsigned row, word;
};

/* words: of a row along k, registers' width each */
static inline struct matrix_block matrix_block_a(unsigned r, unsigned rows, unsigned words) {
    unsigned groups = words / 4;
    if (rows == 8)
        return (struct matrix_block){0, 4 * r};
    return (struct matrix_block){16 * (r / (2 * groups)) + 8 * (r % 2), 4 * (r / 2 % groups)};
}

static inline struct matrix_block matrix_block_b(unsigned r, unsigned words) {
    unsigned groups = words / 4;
    return (struct matrix_block){8 * (r / groups), 4 * (r % groups)};
}

/* Of C and D: the block of 8 x 8 elements that a register of two, or a pair of registers, holds; word is a column. */
static inline struct matrix_block matrix_block_c(unsigned pair, unsigned columns) {
    if (columns == 16)
        return (struct matrix_block){8 * (pair % 2), 8 * (pair / 2)};
    return (struct matrix_block){8 * pair, 0};
}

/* C or D of 16 or 32 bits, row after row, an element per word, from registers and back. */
void matrix_read_c(const struct warp *w, const uint32_t *regs, enum matrix_type type, unsigned rows, unsigned columns,
                   uint32_t *elements);
void matrix_write_d(struct warp *w, const uint32_t *regs, enum matrix_type type, unsigned rows, unsigned columns,
                    const uint32_t *elements);

#endif
