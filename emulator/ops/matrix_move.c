/* ldmatrix, stmatrix and movmatrix: matrices of 8 x 8 elements of 16 bits. A row is 16 bytes of shared memory at the
 * address that a lane gives: lanes 0-7 for the first matrix, 8-15 for the second and so on. */
#include <string.h>

#include "machine/finding.h"
#include "machine/grid.h"
#include "ops/matrix.h"
#include "ops/load_store.h"

#define SIDE      8
#define ROW_BYTES 16

typedef uint16_t matrix[SIDE][SIDE];

/* Host pointer to a lane's row, or NULL after a fault: only shared memory will do. */
static uint8_t *row_host(struct warp *w, const struct insn *in, const uint64_t *addresses, int lane) {
    const struct access *a = in->extra;
    uint64_t at = addresses[lane], offset = shared_offset(w->block, at);
    if (a->space == SPACE_SHARED && !(at & (ROW_BYTES - 1)) && offset + ROW_BYTES <= w->launch->shared_bytes)
        return w->block->shared + offset;
    if (a->space == SPACE_GENERIC && at >> WINDOW_SHIFT != SHARED_WINDOW >> WINDOW_SHIFT) {
        warp_fault(w, report_access(w, in, FINDING_OUT_OF_BOUNDS, 1u << lane, addresses));
        return NULL;
    }
    return access_lane_host(w, in, at, ROW_BYTES, lane);
}

/* Offsets of all rows in the block's shared memory; false where one is not aligned, or outside. */
static bool all_in_shared(const struct warp *w, const struct access *a, const uint64_t *addresses, unsigned rows,
                          uint32_t *offsets) {
    uint32_t begin = shared_begin(w->block), bytes = (uint32_t)w->launch->shared_bytes, wrong = 0;
    if (a->space != SPACE_SHARED || bytes < ROW_BYTES)
        return false;
    for (unsigned l = 0; l < rows; l++) {
        offsets[l] = (uint32_t)addresses[l] - begin;
        wrong |= (offsets[l] & (ROW_BYTES - 1)) | (offsets[l] > bytes - ROW_BYTES);
    }
    return !wrong;
}

static void load_matrix(const uint8_t *shared, const uint32_t offsets[SIDE], uint8_t *to) {
    for (unsigned i = 0; i < SIDE; i++)
        memcpy(to + i * ROW_BYTES, shared + offsets[i], ROW_BYTES);
}

static void transpose(matrix m) {
    matrix copy;
    memcpy(copy, m, sizeof copy);
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++)
            m[j][i] = copy[i][j];
}

const struct insn *op_ldmatrix(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct matrix_access *a = in->extra;
    _Alignas(64) uint64_t addresses[WARP_SIZE];
    _Alignas(64) uint32_t offsets[WARP_SIZE];
    matrix loaded[4];
    access_addresses(w, in, addresses);
    if (all_in_shared(w, &a->access, addresses, SIDE * a->count, offsets)) {
        for (unsigned i = 0; i < a->count; i++) {
            uint8_t *to = w->regs + a->regs[i];
            load_matrix(w->block->shared, offsets + SIDE * i, to);
            if (a->transposed)
                transpose((void *)to);
        }
        return in + 1;
    }
    for (int l = 0; l < SIDE * a->count; l++) {
        const uint8_t *host = row_host(w, in, addresses, l);
        if (!host)
            return NULL;
        memcpy(loaded[l / SIDE][l % SIDE], host, sizeof *loaded[0]);
    }
    for (unsigned i = 0; i < a->count; i++) {
        if (a->transposed)
            transpose(loaded[i]);
        memcpy(w->regs + a->regs[i], loaded[i],
               sizeof loaded[i]); /* lane l: row l / 4, elements 2 * (l % 4) and next */
    }
    return in + 1;
}

const struct insn *op_stmatrix(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct matrix_access *a = in->extra;
    _Alignas(64) uint64_t addresses[WARP_SIZE];
    access_addresses(w, in, addresses);
    for (int i = 0; i < a->count; i++) {
        matrix m;
        memcpy(m, w->regs + a->regs[i], sizeof m);
        if (a->transposed)
            transpose(m);
        for (int row = 0; row < SIDE; row++) {
            uint8_t *host = row_host(w, in, addresses, SIDE * i + row);
            if (!host)
                return NULL;
            memcpy(host, m[row], sizeof m[row]);
        }
    }
    return in + 1;
}

const struct insn *op_movmatrix(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    matrix m;
    memcpy(m, w->regs + in->op[1], sizeof m);
    transpose(m);
    memcpy(w->regs + in->op[0], m, sizeof m);
    return in + 1;
}
