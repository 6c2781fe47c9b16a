/* wgmma: A from registers or shared memory, B from shared memory, both by descriptors of their layout there. A warp
 * computes its own 16 rows of D when it executes the instruction; hardware does it later, and a thread that has not
 * waited may not read the result.
 *
 * A descriptor has the address of the first byte, two distances, and the swizzling of 16-byte pieces (PTX ISA, "Matrix
 * descriptor"). Along k a row is two pieces; of a transposed operand a piece has eight rows' elements of one k. */
#include "ops/wgmma.h"

#include <stdio.h>
#include <string.h>

#include "machine/finding.h"
#include "machine/grid.h"
#include "ops/mma_tile.h"

struct descriptor {
    uint32_t begin, leading, stride; /* bytes */
    uint32_t width;                  /* of a row of the pattern: 16 (none), 32, 64 or 128 bytes */
    uint32_t base_offset;
};

static struct descriptor descriptor_of(const struct warp *w, uint32_t slot) {
    static const uint8_t widths[] = {16, 128, 64, 32};
    uint64_t bits = ((const uint64_t *)(const void *)(w->regs + slot))[first_lane(w->mask)];
    return (struct descriptor){(uint32_t)(bits & 0x3fff) << 4, (uint32_t)(bits >> 16 & 0x3fff) << 4,
                               (uint32_t)(bits >> 32 & 0x3fff) << 4, widths[bits >> 62], (uint32_t)(bits >> 49 & 7)};
}

/* Bits 4 to 6 of the address, combined with bits 7 to 9 as far as the pattern goes. At a width of 128 bytes, row r of
 * eight has its pieces exchanged by XOR with r; at 64 with r / 2, at 32 with r / 4. So the pieces of one column are
 * in different banks. */
#define SWIZZLED(address, width) ((address) ^ ((address) >> 7 & ((width) / WGMMA_PIECE - 1)) << 4)

/* Of a row along k: the place where its 16 bytes with this number would be without a pattern. */
static uint32_t piece_of_row(const struct descriptor *s, unsigned row, unsigned number) {
    /* Groups of eight rows are `stride` apart. Of a row, the pieces that fit the pattern's width are adjacent, and the
     * next ones are `leading` away. */
    unsigned pieces = s->width / WGMMA_PIECE;
    return s->begin + row / 8 * s->stride + number / pieces * s->leading + number % pieces * WGMMA_PIECE;
}

/* Of eight rows along k, from a multiple of eight on, pairs of their pieces: out[0] and out[1], out[step] and
 * out[step + 1], and so on. */
static inline void pieces_of_rows(const struct descriptor *s, unsigned row, unsigned number, unsigned step,
                                  uint32_t *out) {
    static const simd_u32 in_pair = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    static const simd_u32 of_row = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7};
    uint32_t first = piece_of_row(s, row, number), second = piece_of_row(s, row, number + 1);
    simd_u32 at = first + in_pair * (second - first) + of_row * s->width;
    at = SWIZZLED(at, s->width);
    for (unsigned i = 0; step != 2 && i < 8; i++)
        memcpy(out + i * step, (const uint32_t *)&at + 2 * i, 2 * sizeof *out);
    if (step == 2)
        memcpy(out, &at, sizeof at);
}

/* Transposed, 16-bit elements: of eight k, from a multiple of eight on, the elements of eight rows. */
static void pieces_of_ks(const struct descriptor *s, unsigned row, unsigned k, uint32_t *out) {
    unsigned piece = row / 8, pieces = s->width / WGMMA_PIECE;
    bool plain = pieces == 1;
    /* Without a pattern each block of 8 k by 8 rows is 128 bytes, 16 for each k; blocks are `stride` apart along the
     * rows, and `leading` along k. With a pattern a k is a line of it, with the elements of `pieces` times eight rows,
     * and the two distances are exchanged. */
    uint32_t at = plain ? s->begin + piece * s->stride + k / 8 * s->leading
                        : s->begin + piece / pieces * s->leading + k / 8 * s->stride + piece % pieces * WGMMA_PIECE;
    for (unsigned i = 0; i < 8; i++)
        out[i] = plain ? at + i * WGMMA_PIECE : SWIZZLED(at + i * s->width, s->width);
}

/* Rows from `first` on, each of 2 or 4 pieces; or for each eight rows 16 or 32 k. */
static unsigned pieces_of(const struct warp *w, uint32_t slot, unsigned first, unsigned rows, unsigned of_row,
                          bool transposed, uint32_t *out) {
    struct descriptor s = descriptor_of(w, slot);
    for (unsigned row = 0; row < rows; row += 8) {
        for (unsigned i = 0; transposed && i < of_row; i++)
            pieces_of_ks(&s, first + row, 8 * i, out + of_row * row + 8 * i);
        for (unsigned i = 0; !transposed && i < of_row; i += 2)
            pieces_of_rows(&s, first + row, i, of_row, out + of_row * row + i);
    }
    return of_row * rows;
}

unsigned wgmma_pieces(const struct warp *w, const struct wgmma *m, uint32_t addresses[WGMMA_PIECES]) {
    unsigned n = 0;
    if (!m->a_in_registers)
        n = pieces_of(w, m->descriptor_a, w->index % 4u * WGMMA_ROWS, WGMMA_ROWS, 2, m->transpose_a, addresses);
    return n + pieces_of(w, m->descriptor_b, 0, m->columns, m->sparse ? 4 : 2, m->transpose_b, addresses + n);
}

/* The rank is where an address puts it that is used with all its bits: in the leading distance. */
static bool has_rank(const struct warp *w, uint32_t slot) {
    /* The rank begins at bit 24 of an address, so at bit 20 of the address in units of 16. A descriptor with all of
     * that in its lowest bits has the rank in its leading distance, which is bits 16 to 29. */
    uint32_t bits = shared_begin(w->block) >> 4 >> 16;
    return bits && (descriptor_of(w, slot).leading >> 4 & bits) == bits;
}

/* False after a report. */
static bool all_inside(struct warp *w, const struct insn *in, const uint32_t *addresses, unsigned n) {
    const struct wgmma *m = in->extra;
    uint32_t most = 0;
    for (unsigned i = 0; i < n; i++)
        most = addresses[i] > most ? addresses[i] : most;
    for (unsigned i = 0; most + WGMMA_PIECE > w->launch->shared_bytes && i < n; i++) {
        if (addresses[i] + WGMMA_PIECE <= w->launch->shared_bytes)
            continue;
        char detail[120];
        snprintf(detail, sizeof detail, "wgmma reads 16 bytes at shared address 0x%x; the block has %u bytes.",
                 addresses[i], (unsigned)w->launch->shared_bytes);
        bool rank = has_rank(w, m->descriptor_b) || (!m->a_in_registers && has_rank(w, m->descriptor_a));
        report_insn(
            w, in, FINDING_OUT_OF_BOUNDS, w->mask, detail,
            rank ? "Check the descriptor: its address field has only 18 bits. The higher bits of the address are the "
                   "block's rank in its cluster, and end up in the leading byte offset: use (address & 0x3FFFF) >> 4."
                 : "Check the descriptor: its address and both byte offsets are in units of 16 bytes.");
        warp_fault(w, finding_error(FINDING_OUT_OF_BOUNDS));
        return false;
    }
    return true;
}

/* The address of a byte of a row. Of rows of two pieces, four first pieces are adjacent, and then the four second ones:
 * as tile_words. */
static inline unsigned place_in_rows(unsigned row, unsigned byte, unsigned row_bytes) {
    if (row_bytes != WGMMA_ROW_BYTES)
        return row * row_bytes + byte;
    return row / 4 * 4 * row_bytes + byte / WGMMA_PIECE * sizeof(tile_words) + row % 4 * WGMMA_PIECE +
           byte % WGMMA_PIECE;
}

/* Rows along k from their pieces. */
static void read_rows(const struct warp *w, const uint32_t *pieces, unsigned rows, unsigned of_row, bool transposed,
                      uint8_t *out) {
    const uint8_t *shared = w->block->shared;
    unsigned bytes = of_row * WGMMA_PIECE, depth = 8 * of_row;
    if (!transposed && of_row == 2)
        for (unsigned i = 0; i < 2 * rows; i++)
            memcpy(out + place_in_rows(i / 2, i % 2 * WGMMA_PIECE, WGMMA_ROW_BYTES), shared + pieces[i], WGMMA_PIECE);
    else if (!transposed)
        for (unsigned i = 0; i < of_row * rows; i++)
            memcpy(out + i * WGMMA_PIECE, shared + pieces[i], WGMMA_PIECE);
    else
        for (unsigned i = 0; i < of_row * rows; i++)
            for (unsigned r = 0; r < 8; r++)
                memcpy(out + place_in_rows(i / depth * 8 + r, 2 * (i % depth), bytes), shared + pieces[i] + 2 * r, 2);
}

/* A register has two words of rows l / 4 and l / 4 + 8. */
static void read_fragments(const struct warp *w, const struct wgmma *m, uint8_t *out) {
    for (unsigned r = 0; r < 4; r++)
        for (unsigned half = 0; half < 2; half++)
            memcpy(out + place_in_rows(8 * (r % 2) + 4 * half, r / 2 * WGMMA_PIECE, WGMMA_ROW_BYTES),
                   w->regs + m->a_regs[r] + half * sizeof(tile_words), sizeof(tile_words));
}

/* Single bits are taken by eights. */
static unsigned bytes_of(enum matrix_type type) {
    unsigned bits = matrix_type_bits(type);
    return bits < 8 ? 1 : bits / 8;
}

/* Elements of rows from `first` on, one in each word: the k-th of the r-th row goes to [r * row_step + k * k_step]. */
static void unpack_rows(enum matrix_type type, const uint8_t *rows, unsigned first, unsigned count, unsigned row_bytes,
                        unsigned row_step, unsigned k_step, uint32_t *out) {
    unsigned size = bytes_of(type);
    for (unsigned r = 0; r < count; r++)
        for (unsigned k = 0; k < row_bytes / size; k++) {
            uint32_t x = 0;
            memcpy(&x, rows + place_in_rows(first + r, k * size, row_bytes), size);
            out[r * row_step + k * k_step] = type == MATRIX_S8 ? (uint32_t)(int8_t)x : x;
        }
}

static uint32_t sum_of(const struct wgmma *m, uint32_t c, int32_t product) {
    int64_t sum = (int64_t)(int32_t)c + product;
    if (m->satfinite && (sum > INT32_MAX || sum < INT32_MIN))
        return sum > 0 ? (uint32_t)INT32_MAX : (uint32_t)INT32_MIN;
    return c + (uint32_t)product;
}

static void multiply_integers(const struct wgmma *m, unsigned rows, const uint32_t *a, const uint32_t *b,
                              unsigned columns, uint32_t *c) {
    bool bits = m->a == MATRIX_B1;
    for (unsigned i = 0; i < rows; i++) {
        int32_t sums[16] = {0};
        for (unsigned k = 0; k < WGMMA_ROW_BYTES; k++)
            for (unsigned j = 0; j < columns; j++) {
                uint32_t x = a[i * WGMMA_ROW_BYTES + k], y = b[k * columns + j];
                sums[j] += bits ? __builtin_popcount(x & y) : (int32_t)x * (int32_t)y;
            }
        for (unsigned j = 0; j < columns; j++)
            c[i * columns + j] = sum_of(m, c[i * columns + j], sums[j]);
    }
}

static void multiply_rows(const struct wgmma *m, unsigned rows, const uint32_t *a, const uint32_t *b, unsigned columns,
                          uint32_t *c) {
    if (m->d == MATRIX_S32)
        multiply_integers(m, rows, a, b, columns, c);
    else
        mma_float_wgmma(m, rows, a, b, columns, c);
}

/* Each row of A has a separate B: those rows along k that its elements are multiplied by. */
static void multiply_sparse(const struct wgmma *m, const uint32_t *a, const uint32_t *b, const uint8_t *rows_of_b,
                            unsigned columns, uint32_t *c) {
    uint32_t own[16 * WGMMA_ROW_BYTES];
    unsigned depth = m->depth;
    for (unsigned i = 0; i < WGMMA_ROWS; i++) {
        for (unsigned k = 0; k < depth; k++)
            memcpy(own + k * columns, b + rows_of_b[i * depth + k] * columns, columns * sizeof *own);
        multiply_rows(m, 1, a + i * depth, own, columns, c + i * columns);
    }
}

/* The operands of a warp. */
struct operands {
    _Alignas(64) uint8_t a_rows[WGMMA_ROWS * WGMMA_ROW_BYTES];
    uint32_t a[WGMMA_ROWS * WGMMA_ROW_BYTES]; /* its elements; only for the slow path */
    bool unpacked;
    _Alignas(64) uint8_t b_rows[WGMMA_COLUMNS * 2 * WGMMA_ROW_BYTES];
    uint8_t rows_of_b[MATRIX_SPARSE_ELEMENTS];
};

/* A base offset is for patterns that do not begin at a multiple of their size: never encountered, and not compared with
 * a GPU. False after a report. */
static bool no_base_offset(struct warp *w, const struct insn *in, uint32_t slot) {
    if (!descriptor_of(w, slot).base_offset)
        return true;
    warp_fault(w, report_insn(w, in, FINDING_UNSUPPORTED, w->mask,
                              "wgmma's descriptor has a base offset, which is not supported.",
                              "Align the matrix to 1024 bytes: then the base offset is 0."));
    return false;
}

/* False after a report. */
static bool read_operands(struct warp *w, const struct insn *in, struct operands *o) {
    const struct wgmma *m = in->extra;
    unsigned depth = WGMMA_ROW_BYTES / bytes_of(m->a);
    uint32_t pieces[WGMMA_PIECES], *pieces_of_b = pieces + (m->a_in_registers ? 0 : 2 * WGMMA_ROWS);
    if (!no_base_offset(w, in, m->descriptor_b) || (!m->a_in_registers && !no_base_offset(w, in, m->descriptor_a)) ||
        !all_inside(w, in, pieces, wgmma_pieces(w, m, pieces)))
        return false;
    if (m->a_in_registers)
        read_fragments(w, m, o->a_rows);
    else
        read_rows(w, pieces, WGMMA_ROWS, 2, m->transpose_a, o->a_rows);
    o->unpacked = false;
    read_rows(w, pieces_of_b, m->columns, m->sparse ? 4 : 2, m->transpose_b, o->b_rows);
    if (m->sparse)
        matrix_sparse_rows(w,
                           &(struct mma){.rows = WGMMA_ROWS,
                                         .depth = (uint16_t)depth,
                                         .a = m->a,
                                         .selector = m->selector,
                                         .metadata = m->metadata},
                           o->rows_of_b);
    return true;
}

/* 8 or 16 columns of D, from `first` on. */
static void multiply_columns(struct warp *w, const struct wgmma *m, struct operands *o, unsigned first,
                             unsigned columns) {
    _Alignas(64) uint32_t b[16 * 2 * WGMMA_ROW_BYTES], c[MATRIX_ELEMENTS] = {0};
    enum matrix_type type = (enum matrix_type)m->d;
    const uint32_t *regs = m->d_regs + first / (type == MATRIX_F16 ? 4 : 2);
    unsigned row_bytes = WGMMA_ROW_BYTES << m->sparse;
    if (!o->unpacked)
        unpack_rows(m->a, o->a_rows, 0, WGMMA_ROWS, WGMMA_ROW_BYTES, WGMMA_ROW_BYTES / bytes_of(m->a), 1, o->a);
    o->unpacked = true;
    unpack_rows((enum matrix_type)m->b, o->b_rows, first, columns, row_bytes, 1, columns, b);
    /* scale-d is a predicate: false means D = A * B. */
    if (*(const uint32_t *)(const void *)(w->regs + m->add))
        matrix_read_c(w, regs, type, WGMMA_ROWS, columns, c);
    if (m->sparse)
        multiply_sparse(m, o->a, b, o->rows_of_b, columns, c);
    else
        multiply_rows(m, WGMMA_ROWS, o->a, b, columns, c);
    matrix_write_d(w, regs, type, WGMMA_ROWS, columns, c);
}

/* ---- the fast path: mma_tile.h ---- */

/* Words of four rows, a row's first or second half. */
static tile_words words_of(const uint8_t *rows, unsigned first, unsigned block) {
    return SIMD_AT(tile_words, rows + place_in_rows(first, block * WGMMA_PIECE, WGMMA_ROW_BYTES));
}

/* The signs of the elements in a word. */
static uint32_t signs_of(enum matrix_type type) {
    unsigned bits = matrix_type_bits(type);
    return bits == 32 ? 0x80000000u : bits == 16 ? 0x80008000u : 0x80808080u;
}

static void take_rows(const struct wgmma *m, const struct operands *o, struct tile_rows *to) {
    tile_words words[TILE_QUARTERS][2];
    uint32_t signs = m->negate ? signs_of(m->a) : 0;
    for (unsigned q = 0; q < TILE_QUARTERS; q++)
        for (unsigned block = 0; block < 2; block++)
            words[q][block] = words_of(o->a_rows, 4 * q, block) ^ signs;
    tile_take_rows(m->a, words, 2, to);
}

static bool multiply_tile(struct warp *w, const struct wgmma *m, const struct operands *o, const struct tile_rows *a,
                          unsigned first) {
    struct tile_kind kind = {m->d == MATRIX_S32, (uint8_t)m->depth, m->d == MATRIX_F16, true};
    struct tile_columns b;
    tile_words words[2][2];
    void *d[2][TILE_SIDES];
    for (unsigned half = 0; half < 2; half++)
        for (unsigned block = 0; block < 2; block++)
            words[half][block] = words_of(o->b_rows, first + 4 * half, block);
    tile_take_columns(m->b, words, 2, &b);
    for (unsigned half = 0; half < 2; half++)
        for (unsigned side = 0; side < TILE_SIDES; side++)
            d[half][side] = w->regs + m->d_regs[kind.to_f16 ? first / 4 + half : first / 2 + 2 * half + side];
    bool add = *(const uint32_t *)(const void *)(w->regs + m->add);
    return tile_multiply(&kind, a, &b, add ? (const void *const(*)[TILE_SIDES])d : NULL, (void *const(*)[TILE_SIDES])d);
}

/* Eight columns after the other, each of which may need the slow path. */
static void multiply_tiles(struct warp *w, const struct wgmma *m, struct operands *o) {
    struct tile_rows a;
    take_rows(m, o, &a);
    for (unsigned first = 0; first < m->columns; first += 8)
        if (!multiply_tile(w, m, o, &a, first))
            multiply_columns(w, m, o, first, 8);
}

const struct insn *op_wgmma(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct wgmma *m = in->extra;
    struct operands o;
    if (!read_operands(w, in, &o))
        return NULL;
    if (!m->sparse && !m->satfinite && m->a != MATRIX_B1) {
        multiply_tiles(w, m, &o);
        return in + 1;
    }
    for (unsigned first = 0; first < m->columns; first += 16)
        multiply_columns(w, m, &o, first, m->columns - first < 16 ? m->columns - first : 16);
    return in + 1;
}

/* ---- groups ---- */

const struct insn *op_wgmma_commit(struct warp *w, const struct insn *in) {
    w->product_groups++;
    return in + 1;
}

/* Number of checks before a warp continues alone: the others of its warpgroup do not arrive, and the hardware would
 * wait for them. */
#define MOST_LOOKS 10000

/* Has a warp that could continue not committed the group that this one waits for? */
static bool others_are_behind(const struct warp *w, uint32_t groups) {
    uint32_t first = w->index / WGMMA_WARPS * WGMMA_WARPS, end = first + WGMMA_WARPS;
    for (uint32_t i = first; i < end && i < w->launch->warps_per_block; i++) {
        const struct warp *other = &w->block->warps[i];
        if (other->state == WARP_READY && other->product_groups < groups)
            return true;
    }
    return false;
}

/* A product is the whole warpgroup's: when one warp learns that it is done, all four have read their operands. One
 * thread may then signal that for all of them, so a warp may not run ahead of the others here. */
const struct insn *op_wgmma_wait(struct warp *w, const struct insn *in) {
    uint32_t left = (uint32_t)in->imm, groups = w->product_groups > left ? w->product_groups - left : 0;
    if (others_are_behind(w, groups) && w->product_looks++ < MOST_LOOKS)
        return warp_spin(w, in);
    w->product_looks = 0;
    return in + 1;
}
