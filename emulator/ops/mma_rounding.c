/* D = A * B + C in double precision: a chain of fma along k that begins with C, in the instruction's rounding. */
#include <fenv.h>
#include <string.h>

#include "ops/float64.h"
#include "ops/matrix.h"

#define ROWS    16
#define COLUMNS 8
#define DEPTH   16

static void read_block(const struct warp *w, uint32_t reg, struct matrix_block at, unsigned depth, double *out) {
    const double *from = (const double *)(const void *)(w->regs + reg);
    for (unsigned l = 0; l < WARP_SIZE; l++)
        out[(at.row + l / 4) * depth + at.word + l % 4] = from[l];
}

static double dot(const double *a, const double *b, unsigned depth, double c) {
    for (unsigned k = 0; k < depth; k++)
        c = f64_fma(a[k], b[k], c);
    return c;
}

const struct insn *op_mma_double(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct mma *m = in->extra;
    unsigned rows = m->rows, columns = m->columns, depth = m->depth;
    double a[ROWS * DEPTH], b[COLUMNS * DEPTH], d[ROWS * COLUMNS / WARP_SIZE][WARP_SIZE];
    for (unsigned r = 0; r < rows * depth / WARP_SIZE; r++)
        read_block(w, m->a_regs[r], matrix_block_a(r, rows, depth), depth, a);
    for (unsigned r = 0; r < columns * depth / WARP_SIZE; r++)
        read_block(w, m->b_regs[r], matrix_block_b(r, depth), depth, b);
    unsigned registers = rows * columns / WARP_SIZE;
    fesetround(m->rounding);
    for (unsigned r = 0; r < registers; r++) {
        const double *c = (const double *)(const void *)(w->regs + m->c_regs[r]);
        struct matrix_block at = matrix_block_c(r / 2, columns);
        for (unsigned l = 0; l < WARP_SIZE; l++) {
            unsigned row = at.row + l / 4, column = at.word + 2 * (l % 4) + r % 2;
            d[r][l] = dot(a + row * depth, b + column * depth, depth, c[l]);
        }
    }
    fesetround(FE_TONEAREST);
    for (unsigned r = 0; r < registers; r++)
        memcpy(w->regs + m->d_regs[r], d[r], sizeof d[r]);
    return in + 1;
}
