/* checks.h - the interface between the judge's source files. */
#ifndef TOOLS_GRADING_CHECKS_H
#define TOOLS_GRADING_CHECKS_H

#include "tools/grading/grader.h"
#include "tools/grading/results_json.h"

/* EMULATOR_CHECK of tools/grading/run without initcheck. */
#define CHECKS_BUT_INITCHECK "memcheck,racecheck,synccheck,strict,approx"

/* Fails on an error, a report or waiting (call_errors.cpp). */
void checks_call(const struct result *r);
void checks_error(const struct result *r);

/* Fails when the host may have computed the result (counts.cpp). */
void checks_carried(const struct result *r);

/* Judges the limits of a call, or stores the message for the check that is marked LIMITS_HERE. */
void checks_limits(const struct result *r);

/* Fails when both this call and an earlier one leaked memory (leak.cpp). */
void checks_leak(const struct result *r);

/* The number of results that have been fetched but not fully judged. */
void checks_pending(int more);

uint64_t checks_random(void);

/* The path of the student's object. */
const char *checks_object(void);

/* What to do first about a verdict (first_steps.cpp). */
struct next_step first_step(const char *verdict);

#endif
