/* The common part of the matrix instructions. */
#include "ops/matrix.h"

#include "machine/finding.h"
#include "machine/grid.h"

bool matrix_ready(struct warp *w, const struct insn *in, const struct insn **next) {
    if (w->mask == FULL_MASK)
        return true;
    if (!warp_sync_ready(w, in, FULL_MASK, next))
        return false;
    if (w->mask == FULL_MASK)
        return true;
    report_insn(w, in, FINDING_LOST_LANE, w->mask, "Barrier error detected. Divergent thread(s) in warp.",
                "A matrix instruction needs all 32 threads of the warp: none may have exited, and the block's size "
                "must be a multiple of 32.");
    *next = warp_fault(w, 719);
    return false;
}

void matrix_read_c(const struct warp *w, const uint32_t *regs, enum matrix_type type, unsigned rows, unsigned columns,
                   uint32_t *elements) {
    for (unsigned pair = 0; pair < rows * columns / 64; pair++) {
        struct matrix_block at = matrix_block_c(pair, columns);
        uint32_t *to = elements + at.row * columns + at.word;
        if (type == MATRIX_F16) {
            const uint16_t *from = (const uint16_t *)(const void *)(w->regs + regs[pair]);
            for (unsigned i = 0; i < 64; i++)
                to[i / 8 * columns + i % 8] = from[i];
        } else {
            const uint32_t *even = (const uint32_t *)(const void *)(w->regs + regs[2 * pair]);
            const uint32_t *odd = (const uint32_t *)(const void *)(w->regs + regs[2 * pair + 1]);
            for (unsigned l = 0; l < WARP_SIZE; l++) {
                to[l / 4 * columns + 2 * (l % 4)] = even[l];
                to[l / 4 * columns + 2 * (l % 4) + 1] = odd[l];
            }
        }
    }
}

void matrix_write_d(struct warp *w, const uint32_t *regs, enum matrix_type type, unsigned rows, unsigned columns,
                    const uint32_t *elements) {
    for (unsigned pair = 0; pair < rows * columns / 64; pair++) {
        struct matrix_block at = matrix_block_c(pair, columns);
        const uint32_t *from = elements + at.row * columns + at.word;
        if (type == MATRIX_F16) {
            uint16_t *to = (uint16_t *)(void *)(w->regs + regs[pair]);
            for (unsigned i = 0; i < 64; i++)
                to[i] = (uint16_t)from[i / 8 * columns + i % 8];
        } else {
            uint32_t *even = (uint32_t *)(void *)(w->regs + regs[2 * pair]);
            uint32_t *odd = (uint32_t *)(void *)(w->regs + regs[2 * pair + 1]);
            for (unsigned l = 0; l < WARP_SIZE; l++) {
                even[l] = from[l / 4 * columns + 2 * (l % 4)];
                odd[l] = from[l / 4 * columns + 2 * (l % 4) + 1];
            }
        }
    }
}

/* ---- mma.sp ----
 *
 * A chunk is four elements in a row of A, of which two are stored (one of two in tf32; four of eight, in pairs, in 4
 * bits). Four bits of metadata select them for each chunk. Any numbers are allowed, in any order; the same number twice
 * adds both products, as on an H200. */

/* Elements of a row of A in a chunk. */
static unsigned chunk_length(enum matrix_type type) {
    return type == MATRIX_TF32 ? 1 : type == MATRIX_S4 || type == MATRIX_U4 ? 4 : 2;
}

/* Four lanes each hold the metadata of eight rows. Of 16-bit and wider types a lane has two rows' for four chunks; of
 * narrower ones one row's for eight. The selector chooses the lanes when not all are needed. */
static unsigned chunk_metadata(const struct warp *w, const struct mma *m, unsigned row, unsigned chunk,
                               unsigned chunks) {
    const uint32_t *words = (const uint32_t *)(const void *)(w->regs + m->metadata);
    bool narrow = m->a != MATRIX_F16 && m->a != MATRIX_BF16 && m->a != MATRIX_TF32;
    unsigned lanes = chunks / 4, lane = 4 * (row % 8) + m->selector * lanes;
    if (narrow)
        return words[lane + 2 * (chunk / 8) + row / 8] >> 4 * (chunk % 8) & 15;
    return words[lane + chunk / 4] >> (16 * (row / 8) + 4 * (chunk % 4)) & 15;
}

static unsigned row_of_b(enum matrix_type type, unsigned metadata, unsigned chunk, unsigned element) {
    switch (chunk_length(type)) {
    case 1:
        return 2 * chunk + (metadata >> 1 & 1);
    case 2:
        return 4 * chunk + (metadata >> 2 * element & 3);
    default:
        return 8 * chunk + 2 * (metadata >> 2 * (element / 2) & 3) + element % 2;
    }
}

void matrix_sparse_rows(const struct warp *w, const struct mma *m, uint8_t *rows) {
    unsigned length = chunk_length(m->a), chunks = m->depth / length;
    for (unsigned i = 0; i < m->rows; i++)
        for (unsigned k = 0; k < m->depth; k++) {
            unsigned metadata = chunk_metadata(w, m, i, k / length, chunks);
            *rows++ = (uint8_t)row_of_b(m->a, metadata, k / length, k % length);
        }
}

handler_fn mma_operation(const struct mma *m) {
    if (m->dense_depth)
        return m->a == MATRIX_S8 || m->a == MATRIX_U8 || m->a == MATRIX_S4 || m->a == MATRIX_U4 ? op_mma_sparse_integer
                                                                                                : op_mma_sparse_float;
    switch (m->a) {
    case MATRIX_F64:
        return op_mma_double;
    case MATRIX_B1:
        return op_mma_bits;
    case MATRIX_S8:
    case MATRIX_U8:
    case MATRIX_S4:
    case MATRIX_U4:
        return op_mma_integer;
    case MATRIX_F16:
        return m->depth == 4 ? op_mma_volta : op_mma_float;
    default:
        return op_mma_float;
    }
}
