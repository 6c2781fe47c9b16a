/* wmma.load and wmma.store: a matrix between memory and registers. The matrix passes through a copy in the layout of
 * ops/matrix.h, row after row. */
#include <string.h>

#include "machine/finding.h"
#include "machine/simd.h"
#include "ops/matrix.h"
#include "ops/load_store.h"

#define MATRIX_BYTES 1024 /* of the largest: 256 elements of 32 bits */

/* The lines of a matrix in memory: its rows, or its columns if it is transposed. */
struct lines {
    uint64_t address, step; /* of the first; bytes to the next */
    unsigned count, bytes;  /* of each */
    uint8_t *host;          /* the first line's, when all lines are in memory that is known to be valid; or NULL */
};

/* All threads must give the same address and stride. */
static bool uniform(struct warp *w, const struct insn *in, const uint64_t *addresses, const uint32_t *strides) {
    if (simd_is_strided64(addresses, 0) && simd_is_strided64(addresses + 16, 0) && addresses[0] == addresses[16] &&
        simd_is_strided32(strides, 0) && simd_is_strided32(strides + 16, 0) && strides[0] == strides[16])
        return true;
    report_insn(w, in, FINDING_LAUNCH_FAILURE, FULL_MASK, "The threads of a warp pass different addresses or strides.",
                "wmma loads and stores one matrix per warp: all 32 threads must pass the same pointer and stride, "
                "independent of threadIdx.");
    warp_fault(w, 719);
    return false;
}

/* The whole matrix at once, without reports: shared memory, or the allocation that was used last. */
static uint8_t *fast_host(struct warp *w, const struct access *a, uint64_t address, uint64_t bytes) {
    uint64_t window = address >> WINDOW_SHIFT;
    if (a->space == SPACE_SHARED || (a->space == SPACE_GENERIC && window == SHARED_WINDOW >> WINDOW_SHIFT)) {
        uint64_t offset = shared_offset(w->block, address);
        return offset + bytes <= w->launch->shared_bytes ? w->block->shared + offset : NULL;
    }
    const struct allocation *found = w->worker->cache[a->slot];
    if (window || !found || (a->kind != ACCESS_LOAD && found->guarded))
        return NULL; /* the bytes between the lines are not stored */
    return memory_at(found, address, bytes);
}

static bool find_lines(struct warp *w, const struct insn *in, struct lines *out) {
    const struct matrix_access *a = in->extra;
    const uint32_t *strides = (const uint32_t *)(const void *)(w->regs + a->stride);
    _Alignas(64) uint64_t addresses[WARP_SIZE];
    access_addresses(w, in, addresses);
    if (!uniform(w, in, addresses, strides))
        return false;
    unsigned length = a->transposed ? a->rows : a->columns;
    out->count = a->transposed ? a->columns : a->rows;
    out->bytes = length * a->bits / 8;
    out->address = addresses[0];
    out->step = (uint64_t)strides[0] * a->bits / 8;
    bool aligned = !((out->address | out->step) & (a->access.bytes - 1u));
    out->host = aligned && !(out->step >> 40)
                    ? fast_host(w, &a->access, out->address, out->step * (out->count - 1) + out->bytes)
                    : NULL;
    return true;
}

/* The host's pointer to line i; NULL after a fault. */
static uint8_t *line_host(struct warp *w, const struct insn *in, const struct lines *lines, unsigned i) {
    if (lines->host)
        return lines->host + i * lines->step;
    struct insn there = *in; /* so that a report names the address of the line */
    there.imm += (int64_t)(i * lines->step);
    return access_lane_host(w, &there, lines->address + i * lines->step, lines->bytes, 0);
}

/* Element i of a line goes to, or comes from, row i of the copy. */
#define TRANSPOSE(T)                                                                                                   \
    for (unsigned i = 0; i < a->rows; i++)                                                                             \
    store ? memcpy(line + i * sizeof(T), copy + (i * a->columns + column) * sizeof(T), sizeof(T))                      \
          : memcpy(copy + (i * a->columns + column) * sizeof(T), line + i * sizeof(T), sizeof(T))

static void copy_column(const struct matrix_access *a, unsigned column, uint8_t *line, uint8_t *copy, bool store) {
    if (a->bits == 8)
        TRANSPOSE(uint8_t);
    else if (a->bits == 16)
        TRANSPOSE(uint16_t);
    else if (a->bits == 32)
        TRANSPOSE(uint32_t);
    else
        TRANSPOSE(uint64_t);
}

static bool copy_lines(struct warp *w, const struct insn *in, uint8_t *copy, bool store) {
    const struct matrix_access *a = in->extra;
    struct lines lines;
    if (!find_lines(w, in, &lines))
        return false;
    for (unsigned i = 0; i < lines.count; i++) {
        uint8_t *line = line_host(w, in, &lines, i);
        if (!line)
            return false;
        if (a->transposed)
            copy_column(a, i, line, copy, store);
        else if (store)
            memcpy(line, copy + i * lines.bytes, lines.bytes);
        else
            memcpy(copy + i * lines.bytes, line, lines.bytes);
    }
    return true;
}

/* Each register's block of four words, of `width` bytes, in each of eight rows. */
static inline void load_blocks(struct warp *w, const struct matrix_access *a, const uint8_t *copy, unsigned width) {
    unsigned pitch = a->columns * a->bits / 8u, words = pitch / width;
    unsigned distinct = a->rows * words / WARP_SIZE; /* f16 has 8 registers, and the same again in some of them */
    for (unsigned r = 0; r < a->count; r++) {
        unsigned n = r < distinct ? r : r % distinct;
        struct matrix_block at = a->role == ROLE_A ? matrix_block_a(n, a->rows, words) : matrix_block_b(n, words);
        const uint8_t *from = copy + at.row * pitch + at.word * width;
        for (unsigned i = 0; i < 8; i++)
            memcpy(w->regs + a->regs[r] + i * 4 * width, from + i * pitch, 4 * width);
    }
}

static void load_operand(struct warp *w, const struct matrix_access *a, const uint8_t *copy) {
    if (a->bits == 64)
        load_blocks(w, a, copy, 8);
    else
        load_blocks(w, a, copy, 4);
}

/* C in registers holds two elements of a row, next to each other, per lane: in one register or in two. */
#define MOVE_PAIRS(T)                                                                                                  \
    for (unsigned r = 0; r < a->count; r++) {                                                                          \
        struct matrix_block at = matrix_block_c(r / 2, a->columns);                                                    \
        T *reg = (T *)(void *)(w->regs + a->regs[r]), *element = (T *)(void *)copy;                                    \
        for (unsigned l = 0; l < WARP_SIZE; l++) {                                                                     \
            T *e = &element[(at.row + l / 4) * a->columns + at.word + 2 * (l % 4) + r % 2];                            \
            if (store)                                                                                                 \
                *e = reg[l];                                                                                           \
            else                                                                                                       \
                reg[l] = *e;                                                                                           \
        }                                                                                                              \
    }

static void move_halves(struct warp *w, const struct matrix_access *a, uint16_t *copy, bool store) {
    for (unsigned r = 0; r < a->count; r++) {
        struct matrix_block at = matrix_block_c(r, a->columns);
        uint16_t *reg = (uint16_t *)(void *)(w->regs + a->regs[r]);
        for (unsigned i = 0; i < 8; i++) {
            uint16_t *row = copy + (at.row + i) * a->columns + at.word;
            memcpy(store ? row : reg + 8 * i, store ? reg + 8 * i : row, 8 * sizeof *row);
        }
    }
}

static void move_accumulator(struct warp *w, const struct matrix_access *a, void *copy, bool store) {
    if (a->bits == 16)
        move_halves(w, a, copy, store);
    else if (a->bits == 32)
        MOVE_PAIRS(uint32_t)
    else
        MOVE_PAIRS(uint64_t)
}

const struct insn *op_wmma_load(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct matrix_access *a = in->extra;
    _Alignas(64) uint8_t copy[MATRIX_BYTES];
    if (!copy_lines(w, in, copy, false))
        return NULL;
    if (a->role == ROLE_C)
        move_accumulator(w, a, copy, false);
    else
        load_operand(w, a, copy);
    return in + 1;
}

const struct insn *op_wmma_store(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    _Alignas(64) uint8_t copy[MATRIX_BYTES];
    move_accumulator(w, in->extra, copy, true);
    return copy_lines(w, in, copy, true) ? in + 1 : NULL;
}
