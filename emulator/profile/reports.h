/* The forms that a profile can take. */
#ifndef REPORTS_H
#define REPORTS_H

#include <stdio.h>

#include "profile/launches.h"

/* For people: of each kernel the largest launch. */
void profile_text(FILE *out, const struct launch_profile *launches);
/* One row per launch, line and number: tools read it, and the tests that compare with a GPU. */
void profile_csv(FILE *out, const struct launch_profile *launches);
/* The same as objects, and what the rules say. */
void profile_json(FILE *out, const struct launch_profile *launches);

#endif
