/* D = A * B + C in integers and in single bits. */
#include <string.h>

#include "ops/matrix.h"
#include "ops/mma_tile.h"

#define MAX_DEPTH 64

/* Element i of a word, extended. */
static inline int32_t element(uint32_t word, unsigned i, unsigned bits, bool is_signed) {
    uint32_t top = word << (32 - bits * (i + 1));
    return is_signed ? (int32_t)top >> (32 - bits) : (int32_t)(top >> (32 - bits));
}

/* Element k of row i goes to out[i * row_step + k * k_step]. */
static void unpack_register(const struct warp *w, uint32_t reg, struct matrix_block at, enum matrix_type type,
                            int32_t *out, unsigned row_step, unsigned k_step) {
    const uint32_t *from = (const uint32_t *)(const void *)(w->regs + reg);
    unsigned bits = matrix_type_bits(type), per = 32 / bits;
    bool is_signed = type == MATRIX_S8 || type == MATRIX_S4;
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        int32_t *to = out + (at.row + l / 4) * row_step + (at.word + l % 4) * per * k_step;
        for (unsigned i = 0; i < per; i++)
            to[i * k_step] = element(from[l], i, bits, is_signed);
    }
}

/* Products of A's rows with all of B's: b[k][column]. They cannot overflow. */
static void multiply(const int32_t *a, const int32_t *b, unsigned rows, unsigned columns, unsigned depth,
                     int32_t *sums) {
    memset(sums, 0, (size_t)rows * columns * sizeof *sums);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned k = 0; k < depth; k++) {
            int32_t factor = a[i * depth + k];
            for (unsigned j = 0; j < columns; j++)
                sums[i * columns + j] += factor * b[k * columns + j];
        }
}

static uint32_t saturated(int64_t x) {
    return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static void add_c(uint32_t *c, const int32_t *sums, unsigned n, bool satfinite) {
    for (unsigned i = 0; i < n; i++)
        c[i] = satfinite ? saturated((int64_t)(int32_t)c[i] + sums[i]) : c[i] + (uint32_t)sums[i];
}

const struct insn *op_mma_integer(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct mma *m = in->extra;
    if (mma_by_tiles(w, m))
        return in + 1;
    unsigned rows = m->rows, columns = m->columns, depth = m->depth,
             words = depth * matrix_type_bits((enum matrix_type)m->a) / 32;
    int32_t a[32 * MAX_DEPTH], b[MAX_DEPTH * 32], sums[MATRIX_ELEMENTS];
    uint32_t c[MATRIX_ELEMENTS];
    for (unsigned r = 0; r < rows * words / WARP_SIZE; r++)
        unpack_register(w, m->a_regs[r], matrix_block_a(r, rows, words), m->a, a, depth, 1);
    for (unsigned r = 0; r < columns * words / WARP_SIZE; r++)
        unpack_register(w, m->b_regs[r], matrix_block_b(r, words), m->b, b, 1, columns);
    matrix_read_c(w, m->c_regs, MATRIX_S32, rows, columns, c);
    multiply(a, b, rows, columns, depth, sums);
    add_c(c, sums, rows * columns, m->satfinite);
    matrix_write_d(w, m->d_regs, MATRIX_S32, rows, columns, c);
    return in + 1;
}

const struct insn *op_mma_sparse_integer(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct mma *m = in->extra;
    unsigned rows = m->rows, columns = m->columns, depth = m->depth, bits = matrix_type_bits((enum matrix_type)m->a);
    unsigned a_words = depth * bits / 32, b_words = m->dense_depth * bits / 32u;
    int32_t a[16 * MAX_DEPTH], b[2 * MAX_DEPTH * 8], sums[MATRIX_ELEMENTS] = {0};
    uint32_t c[MATRIX_ELEMENTS];
    uint8_t row_of_b[MATRIX_SPARSE_ELEMENTS];
    for (unsigned r = 0; r < rows * a_words / WARP_SIZE; r++)
        unpack_register(w, m->a_regs[r], matrix_block_a(r, rows, a_words), m->a, a, depth, 1);
    for (unsigned r = 0; r < columns * b_words / WARP_SIZE; r++)
        unpack_register(w, m->b_regs[r], matrix_block_b(r, b_words), m->b, b, 1, columns);
    matrix_read_c(w, m->c_regs, MATRIX_S32, rows, columns, c);
    matrix_sparse_rows(w, m, row_of_b);
    for (unsigned i = 0; i < rows * depth; i++)
        for (unsigned j = 0; j < columns; j++)
            sums[i / depth * columns + j] += a[i] * b[row_of_b[i] * columns + j];
    add_c(c, sums, rows * columns, m->satfinite);
    matrix_write_d(w, m->d_regs, MATRIX_S32, rows, columns, c);
    return in + 1;
}

/* ---- bits ---- */

#define MAX_WORDS 8

static void read_words(const struct warp *w, uint32_t reg, struct matrix_block at, unsigned words, uint32_t *out) {
    const uint32_t *from = (const uint32_t *)(const void *)(w->regs + reg);
    for (unsigned l = 0; l < WARP_SIZE; l++)
        out[(at.row + l / 4) * words + at.word + l % 4] = from[l];
}

const struct insn *op_mma_bits(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct mma *m = in->extra;
    unsigned rows = m->rows, columns = m->columns, words = m->depth / 32u;
    uint32_t a[16 * MAX_WORDS], b[8 * MAX_WORDS], c[MATRIX_ELEMENTS];
    for (unsigned r = 0; r < rows * words / WARP_SIZE; r++)
        read_words(w, m->a_regs[r], matrix_block_a(r, rows, words), words, a);
    for (unsigned r = 0; r < columns * words / WARP_SIZE; r++)
        read_words(w, m->b_regs[r], matrix_block_b(r, words), words, b);
    matrix_read_c(w, m->c_regs, MATRIX_S32, rows, columns, c);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++)
            for (unsigned k = 0; k < words; k++) {
                uint32_t x = a[i * words + k], y = b[j * words + k];
                c[i * columns + j] += (uint32_t)__builtin_popcount(m->and ? x & y : x ^ y);
            }
    matrix_write_d(w, m->d_regs, MATRIX_S32, rows, columns, c);
    return in + 1;
}
