/* mma.m8n8k4 with f16, made for Volta: four products of 8 x 4 by 4 x 8 at once, one per quad pair, that is lanes 4q to
 * 4q + 3 and 16 + 4q to 16 + 4q + 3. Later GPUs compute it in single precision, in a different order (found from an
 * H200's results): for f32 a chain of fma along k, then C; for f16 two and two products, C to the first two. */
#include "ops/half.h"
#include "ops/matrix.h"

#define SIDE  8
#define DEPTH 4

struct volta {
    float a[SIDE][DEPTH], b[DEPTH][SIDE], c[SIDE][SIDE];
};

/* The lanes of quad pair q, and the position in the matrices where the second four of them begin. */
static unsigned quad_lane(unsigned q, unsigned i) {
    return 4 * q + i % 4 + (i >= 4 ? 16 : 0);
}

static float half_at(const struct warp *w, const uint32_t *regs, unsigned lane, unsigned i) {
    const uint16_t *reg = (const uint16_t *)(const void *)(w->regs + regs[i / 2]);
    return f16_to_f32(reg[2 * lane + i % 2]);
}

static void read_operands(const struct warp *w, const struct mma *m, unsigned q, struct volta *v) {
    for (unsigned t = 0; t < 8; t++)
        for (unsigned i = 0; i < DEPTH; i++) {
            unsigned lane = quad_lane(q, t), block = t & 4;
            float a = half_at(w, m->a_regs, lane, i), b = half_at(w, m->b_regs, lane, i);
            if (m->a_by_columns)
                v->a[block + i][t % 4] = a;
            else
                v->a[t][i] = a;
            if (m->b_by_rows)
                v->b[t % 4][block + i] = b;
            else
                v->b[i][t] = b;
        }
}

/* Element i of thread t, of 8, in C and D of f32 (PTX ISA). */
static unsigned single_row(unsigned t, unsigned i) {
    return (t & 1) + (i & 2) + (t & 4);
}
static unsigned single_column(unsigned t, unsigned i) {
    return (i & 4) + (t & 2) + (i & 1);
}

static void read_c(const struct warp *w, const struct mma *m, unsigned q, struct volta *v) {
    for (unsigned t = 0; t < 8; t++)
        for (unsigned i = 0; i < SIDE; i++) {
            unsigned lane = quad_lane(q, t);
            if (m->c == MATRIX_F16)
                v->c[t][i] = half_at(w, m->c_regs, lane, i);
            else
                v->c[single_row(t, i)][single_column(t, i)] =
                    ((const float *)(const void *)(w->regs + m->c_regs[i]))[lane];
        }
}

static float dot_single(const struct volta *v, unsigned i, unsigned j) {
    float sum = 0;
    for (unsigned k = 0; k < DEPTH; k++)
        sum = __builtin_fmaf(v->a[i][k], v->b[k][j], sum);
    return sum + v->c[i][j];
}

static float dot_half(const struct volta *v, unsigned i, unsigned j) {
    float lower = __builtin_fmaf(v->a[i][1], v->b[1][j], v->a[i][0] * v->b[0][j]);
    float upper = __builtin_fmaf(v->a[i][3], v->b[3][j], v->a[i][2] * v->b[2][j]);
    return lower + v->c[i][j] + upper;
}

static void multiply(struct volta *v, bool to_half) {
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++)
            v->c[i][j] = to_half ? dot_half(v, i, j) : dot_single(v, i, j);
}

static void write_d(struct warp *w, const struct mma *m, unsigned q, const struct volta *v) {
    for (unsigned t = 0; t < 8; t++)
        for (unsigned i = 0; i < SIDE; i++) {
            unsigned lane = quad_lane(q, t);
            if (m->d == MATRIX_F16)
                ((uint16_t *)(void *)(w->regs + m->d_regs[i / 2]))[2 * lane + i % 2] = f32_to_f16(v->c[t][i]);
            else
                ((float *)(void *)(w->regs + m->d_regs[i]))[lane] =
                    f32_canonical(v->c[single_row(t, i)][single_column(t, i)]);
        }
}

const struct insn *op_mma_volta(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct mma *m = in->extra;
    struct volta v[4];
    for (unsigned q = 0; q < 4; q++) {
        read_operands(w, m, q, &v[q]);
        read_c(w, m, q, &v[q]);
        multiply(&v[q], m->d == MATRIX_F16);
    }
    for (unsigned q = 0; q < 4; q++)
        write_d(w, m, q, &v[q]);
    return in + 1;
}
