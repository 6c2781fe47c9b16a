/* Double-precision arithmetic in the host's current rounding mode: shared by float64.c and float64_rounding.c. The
 * order of operands of f64_nan* is explained in ieee.h. */
#ifndef FLOAT64_H
#define FLOAT64_H

#include "ops/ieee.h"

static inline double f64_same(double x) {
    return x;
}
static inline double f64_add(double x, double y) {
    return f64_nan2(y, x, x + y);
}
static inline double f64_sub(double x, double y) {
    return f64_nan2(y, x, x - y);
}
static inline double f64_mul(double x, double y) {
    return f64_nan2(y, x, x * y);
}
static inline double f64_div(double x, double y) {
    return f64_nan2(x, y, x / y);
}
static inline double f64_fma(double x, double y, double z) {
    return f64_nan3(y, z, x, __builtin_fma(x, y, z));
}
static inline double f64_rcp(double x) {
    return f64_nan1(x, 1 / x);
}
static inline double f64_sqrt(double x) {
    return f64_nan1(x, __builtin_sqrt(x));
}

#endif
