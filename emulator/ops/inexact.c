/* Adds the error that PTX's manual allows to the results of approximate instructions. */
#include "ops/inexact.h"

#include <math.h>
#include <string.h>

#include "ops/half.h"

enum approximated { EX2, LG2, SIN, COS, TANH, RCP, SQRT, RSQRT, DIV };
enum format { F32, F16, BF16 };

/* Bounds that the manual documents; a relative one and an absolute one. div: 2 units of the last place, which are
 * 2^-22 at least. */
static const struct error {
    const char *opcode, *type;
    uint8_t function, format;
    double relative, absolute;
} errors[] = {
    {"ex2.approx", "f32", EX2, F32, 0x1.6ap-23, 0},   {"lg2.approx", "f32", LG2, F32, 0, 0x1p-22},
    {"sin.approx", "f32", SIN, F32, 0, 0x1.6ap-21},   {"cos.approx", "f32", COS, F32, 0, 0x1.6ap-21},
    {"tanh.approx", "f32", TANH, F32, 0x1p-11, 0},    {"rcp.approx", "f32", RCP, F32, 0x1p-23, 0},
    {"sqrt.approx", "f32", SQRT, F32, 0x1p-23, 0},    {"rsqrt.approx", "f32", RSQRT, F32, 0x1.12p-23, 0},
    {"div.approx", "f32", DIV, F32, 0x1p-22, 0},      {"div.full", "f32", DIV, F32, 0x1p-22, 0},
    {"ex2.approx", "f16", EX2, F16, 0x1.12p-10, 0},   {"ex2.approx", "f16x2", EX2, F16, 0x1.12p-10, 0},
    {"ex2.approx", "bf16", EX2, BF16, 0x1p-7, 0},     {"ex2.approx", "bf16x2", EX2, BF16, 0x1p-7, 0},
    {"tanh.approx", "f16", TANH, F16, 0, 0x1.02p-11}, {"tanh.approx", "f16x2", TANH, F16, 0, 0x1.02p-11},
    {"tanh.approx", "bf16", TANH, BF16, 0x1p-8, 0},   {"tanh.approx", "bf16x2", TANH, BF16, 0x1p-8, 0},
};
static const struct {
    double half_unit; /* of the last place, of 1 */
    double least;     /* normal number */
} formats[] = {[F32] = {0x1p-24, 0x1p-126}, [F16] = {0x1p-11, 0x1p-14}, [BF16] = {0x1p-8, 0x1p-126}};

int inexact_number(const char *form) {
    const char *type = strrchr(form, '.');
    for (size_t i = 0; type && i < sizeof errors / sizeof *errors; i++) {
        size_t n = strlen(errors[i].opcode);
        if (strncmp(form, errors[i].opcode, n) == 0 && form[n] == '.' && strcmp(type + 1, errors[i].type) == 0)
            return (int)i;
    }
    return -1;
}

static double value(enum approximated f, double x, double y) {
    switch (f) {
    case EX2:
        return exp2(x);
    case LG2:
        return log2(x);
    case SIN:
        return sin(x);
    case COS:
        return cos(x);
    case TANH:
        return tanh(x);
    case RCP:
        return 1 / x;
    case SQRT:
        return sqrt(x);
    case RSQRT:
        return 1 / sqrt(x);
    default:
        return x / y;
    }
}

/* Zeros have no bound: their results are 0, 1 or infinite. */
static bool stays_exact(enum approximated f, double x, double y, double r) {
    int exponent;
    switch (f) {
    case EX2:
        return x == rint(x);
    case LG2:
        return frexp(x, &exponent) == 0.5;
    case TANH:
        return fabs(r) == 1 || x == 0;
    case SIN:
    case COS:
        return x == 0;
    case DIV:
        return frexp(fabs(y), &exponent) == 0.5;
    case SQRT:
    case RSQRT:
        return frexp(x, &exponent) == 0.5 && exponent % 2; /* 4^n: x = 2^(exponent - 1) */
    default:
        return frexp(fabs(x), &exponent) == 0.5;
    }
}

/* A number that looks random, by the operands' bits. */
static uint32_t mixed(uint32_t a, uint32_t b) {
    uint32_t h = a ^ b * 0x85ebca6bu;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

/* A value that has the largest error after it has been rounded to the format, or up to a quarter less; r is the actual
 * result. */
static double moved(const struct error *e, double x, double y, double r, uint32_t random) {
    if (r == 0 || !isfinite(r) || fabs(r) < formats[e->format].least || !isfinite(x) || !isfinite(y) ||
        stays_exact((enum approximated)e->function, x, y, r))
        return r;
    double exact = value((enum approximated)e->function, x, y);
    bool far = e->function == LG2 && fabs(exact) > 1; /* its error is relative there */
    double most =
        e->relative * fabs(exact) + e->absolute * (far ? fabs(exact) : 1) - fabs(exact) * formats[e->format].half_unit;
    double by = most * (0.75 + 0.25 * (random >> 1) / 0x1p31);
    if (most <= 0 || !isfinite(exact))
        return r;
    double to = random & 1 ? exact + by : exact - by;
    bool bounded = e->function == SIN || e->function == COS || e->function == TANH;
    return bounded && fabs(to) > 1 ? copysign(1, to) : to;
}

static uint16_t moved_half(const struct error *e, uint16_t x, uint16_t r) {
    if (e->format == F16)
        return f32_to_f16((float)moved(e, f16_to_f32(x), 0, f16_to_f32(r), mixed(x, 0)));
    return f32_to_bf16((float)moved(e, bf16_to_f32(x), 0, bf16_to_f32(r), mixed(x, 0)));
}

static void move_floats(struct warp *w, const struct insn *in, const struct error *e, const uint32_t *a,
                        const uint32_t *b) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        float *r = &REG(float, 0)[l];
        *r = *r != *r ? *r : (float)moved(e, f32_from(a[l]), f32_from(b[l]), *r, mixed(a[l], b[l]));
    }
}

const struct insn *op_inexact(struct warp *w, const struct insn *in) {
    const struct form *form = in->extra;
    const struct error *e = &errors[in->imm];
    bool one_half = e->format != F32 && !strstr(e->type, "x2"), two = e->function == DIV;
    uint32_t a[WARP_SIZE] = {0}, b[WARP_SIZE] = {0}; /* the result may overwrite them */
    if (one_half)
        memcpy(a, REG(uint16_t, 1), sizeof(uint16_t) * WARP_SIZE);
    else
        memcpy(a, REG(uint32_t, 1), sizeof a);
    if (two)
        memcpy(b, REG(uint32_t, 2), sizeof b);
    const struct insn *next = form->handler(w, in);
    if (e->format == F32) {
        move_floats(w, in, e, a, b);
        return next;
    }
    uint16_t *r = REG(uint16_t, 0);
    const uint16_t *x = (const uint16_t *)(const void *)a;
    for (int i = 0; i < (one_half ? 1 : 2) * WARP_SIZE; i++)
        if (w->mask >> (one_half ? i : i / 2) & 1)
            r[i] = moved_half(e, x[i], r[i]);
    return next;
}
