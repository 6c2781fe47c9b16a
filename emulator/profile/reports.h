/* The forms that a profile can take. */
#ifndef REPORTS_H
#define REPORTS_H

#include <stdio.h>

#include "profile/launches.h"

/* One row per launch, line and number: tools read it, and the tests that compare with a GPU. */
void report_csv(FILE *out, const struct launch_profile *launches);

#endif
