/* The numbers of a profile by name: the counts, and the values derived from them. */
#ifndef METRICS_H
#define METRICS_H

#include "profile/launches.h"

enum metric_kind { METRIC_COUNT, METRIC_RATIO, METRIC_LAUNCH };

struct metric {
    const char *section, *name, *unit, *label; /* ncu's words where it has one */
    uint8_t kind;                              /* enum metric_kind */
    uint8_t decimals;
    uint16_t a, b; /* enum count: the number, or numerator and denominator */
    double factor; /* of a ratio */
};

extern const struct metric metrics[];
extern const size_t metric_count;

/* False when there is no such number: division by zero, or not known. */
bool metric_value(const struct metric *m, const struct launch_profile *p, const struct counts *counts, double *value);
struct metric class_metric(unsigned class, bool threads);
/* Its name is written to `name`. */
struct metric tensor_metric(const struct tensor_count *c, char name[2 * SHAPE_NAME]);
const char *class_label(unsigned class);

#endif
