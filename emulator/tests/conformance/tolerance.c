/* The errors that the PTX manual documents for approximate instructions.
 *
 * The manual bounds the distance to the exact value; here a result is compared with another approximation, the GPU's, so
 * both may be off: the bounds below are twice the manual's, and half a unit of the last place is added. */
#include "tolerance.h"

#include <math.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const struct tolerance tolerances[] = {
    {"rcp.approx", "f32", 0, 0x1p-22, 0},         /* 1 ulp */
    {"div.approx", "f32", 0, 0x1p-21, 0},         /* 2 ulp */
    {"div.full", "f32", 0, 0x1p-21, 0},           /* 2 ulp */
    {"sqrt.approx", "f32", 0, 0x1p-22, 0},        /* relative 2^-23 */
    {"rsqrt.approx", "f32", 0, 0x1.12p-22, 0},    /* relative 2^-22.9 */
    {"sin.approx", "f32", 0x1.6bp-20, 0, 6.2832}, /* absolute 2^-20.5 in [-2 pi, 2 pi] */
    {"cos.approx", "f32", 0x1.6bp-20, 0, 6.2832},
    {"lg2.approx", "f32", 0x1p-21, 0x1p-21, 0}, /* absolute 2^-22 in (0.5, 2), relative 2^-22 elsewhere */
    {"ex2.approx", "f32", 0, 0x1.6bp-22, 0},    /* relative 2^-22.5 */
    {"tanh.approx", "f32", 0, 0x1p-10, 0},      /* relative 2^-11 */
    {"ex2.approx", "f16", 0, 0x1.12p-9, 0},     /* relative 2^-9.9 */
    {"ex2.approx", "f16x2", 0, 0x1.12p-9, 0},
    {"ex2.approx", "bf16", 0, 0x1p-6, 0}, /* relative 2^-7 */
    {"ex2.approx", "bf16x2", 0, 0x1p-6, 0},
    {"tanh.approx", "f16", 0x1.03p-10, 0x1p-10, 0}, /* absolute 2^-10.987 */
    {"tanh.approx", "f16x2", 0x1.03p-10, 0x1p-10, 0},
    {"tanh.approx", "bf16", 0, 0x1p-7, 0}, /* relative 2^-8 */
    {"tanh.approx", "bf16x2", 0, 0x1p-7, 0},
    {"rcp.approx", "f64", 0, 0x1p-19, 0}, /* gross: the upper 20 bits of the fraction */
    {"rsqrt.approx", "f64", 0, 0x1p-19, 0},
};

const struct tolerance *tolerance_find(const struct plan *plan) {
    const char *type = strrchr(plan->name, '.') + 1;
    for (size_t i = 0; i < COUNT(tolerances); i++)
        if (strncmp(plan->name, tolerances[i].opcode, strlen(tolerances[i].opcode)) == 0 &&
            strcmp(type, tolerances[i].type) == 0)
            return &tolerances[i];
    return NULL;
}

/* A float of any of the formats. */
struct format {
    int exponent_bits, fraction_bits;
};

static struct format format_of(const char *type) {
    if (strncmp(type, "bf16", 4) == 0)
        return (struct format){8, 7};
    if (strncmp(type, "f16", 3) == 0)
        return (struct format){5, 10};
    return strcmp(type, "f64") == 0 ? (struct format){11, 52} : (struct format){8, 23};
}

static double value_of(struct format f, uint64_t bits) {
    int bias = (1 << (f.exponent_bits - 1)) - 1, top = (1 << f.exponent_bits) - 1;
    int exponent = (int)(bits >> f.fraction_bits) & top;
    double fraction = (double)(bits & ((1ull << f.fraction_bits) - 1));
    double sign = bits >> (f.exponent_bits + f.fraction_bits) & 1 ? -1 : 1;
    if (exponent == top)
        return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - f.fraction_bits);
    return sign * ldexp(fraction + ldexp(1, f.fraction_bits), exponent - bias - f.fraction_bits);
}

static bool close_enough(const struct tolerance *t, bool flush, uint64_t input, uint64_t expected, uint64_t found) {
    struct format f = format_of(t->type);
    if (expected == found)
        return true;
    double x = value_of(f, input), e = value_of(f, expected), y = value_of(f, found);
    if (isnan(e) || isnan(y))
        return false; /* which NaN is defined */
    if (t->domain != 0 && !(fabs(x) <= t->domain))
        return true;
    if (isinf(e) || isinf(y))
        return false;
    int bias = (1 << (f.exponent_bits - 1)) - 1;
    double smallest = ldexp(1, flush ? 1 - bias : 1 - bias - f.fraction_bits); /* normal or subnormal */
    double half_unit = ldexp(fabs(e), -f.fraction_bits - 1);
    return fabs(y - e) <= t->absolute + t->relative * fabs(e) + half_unit + smallest;
}

bool tolerance_accepts(const struct tolerance *t, const struct plan *plan, uint64_t input, uint64_t expected,
                       uint64_t found) {
    bool flush = strstr(plan->name, ".ftz") != NULL;
    bool pair = strstr(t->type, "x2") != NULL;
    if (!pair)
        return close_enough(t, flush, input, expected, found);
    return close_enough(t, flush, input & 0xffff, expected & 0xffff, found & 0xffff) &&
           close_enough(t, flush, input >> 16 & 0xffff, expected >> 16 & 0xffff, found >> 16 & 0xffff);
}
