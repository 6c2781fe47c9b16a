/* Interesting values of each kind of operand. */
#ifndef VALUES_H
#define VALUES_H

#include "plan.h"

struct random {
    uint64_t state;
};
uint64_t random_next(struct random *r);

/* Edge values, the most telling first. */
size_t value_edge_count(enum value_kind kind);
uint64_t value_edge(enum value_kind kind, size_t i);

/* Uniform bits, or a value of everyday size: floats near 1, integers of any length. */
uint64_t value_random(enum value_kind kind, struct random *r);
uint64_t value_everyday(enum value_kind kind, struct random *r);
/* A value close to another one: the same, a neighbour, its negative, or of similar size. */
uint64_t value_near(enum value_kind kind, uint64_t other, struct random *r);
/* -(a * b) rounded, so that a fused multiply-add cancels; kinds other than f32 and f64 give an everyday value. */
uint64_t value_cancelling(enum value_kind kind, uint64_t a, uint64_t b, struct random *r);

#endif
