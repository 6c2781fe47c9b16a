/* Findings for programs: EMULATOR_CHECK_JSON=file gets one JSON object per line and finding. */
#ifndef FINDING_JSON_H
#define FINDING_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "machine/grid.h"

/* What is known beside the words of a report; zeros where it is not. */
struct facts_of_finding {
    const char *kernel;
    struct source_position at, other; /* other: of the access that a race is with */
    const uint32_t *block, *thread;   /* NULL: no thread of a kernel */
    uint64_t count;                   /* how often; 0: once */
};

void json_finding(const char *kind, bool warning, const struct facts_of_finding *facts, const struct text *report);

#endif
