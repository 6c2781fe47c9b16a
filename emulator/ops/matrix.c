/* What the matrix instructions share. */
#include "ops/matrix.h"

#include "check/report.h"
#include "core/grid.h"

bool matrix_ready(struct warp *w, const struct insn *in, const struct insn **next) {
    if (w->mask == FULL_MASK)
        return true;
    if (!warp_sync_ready(w, in, FULL_MASK, next))
        return false;
    if (w->mask == FULL_MASK)
        return true;
    report_insn(w, in, FINDING_LOST_LANE, w->mask, "Barrier error detected. Divergent thread(s) in warp.",
                "A matrix instruction needs all 32 threads of the warp: none may have returned, and the block's size "
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

op_fn mma_operation(const struct mma *m) {
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
