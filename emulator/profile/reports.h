/* The forms that a profile can take. */
#ifndef REPORTS_H
#define REPORTS_H

#include <stdio.h>

#include "profile/launches.h"

#define BRIEF_KERNELS 2 /* more than this many are summarized, where output_brief() requests it */
unsigned profile_kernels(const struct launch_profile *launches); /* how many there are */

/* For people: of each kernel the largest launch. */
void profile_text(FILE *out, const struct launch_profile *launches);
/* One row per launch, line and number: tools read it, and the tests that compare with a GPU. */
void profile_csv(FILE *out, const struct launch_profile *launches);
/* The same numbers as JSON, with the rules' findings. */
void profile_json(FILE *out, const struct launch_profile *launches);

#endif
