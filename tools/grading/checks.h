/* checks.h - what the judge's own files say to each other. */
#ifndef TOOLS_GRADING_CHECKS_H
#define TOOLS_GRADING_CHECKS_H

#include "tools/grading/grader.h"
#include "tools/grading/results_json.h"

/* EMULATOR_CHECK of tools/grading/run without initcheck. */
#define CHECKS_BUT_INITCHECK "memcheck,racecheck,synccheck,strict,approx"

/* Errors, reports and waiting: fails when one of them is there (call_errors.cpp). */
void checks_call(const struct result *r);
void checks_error(const struct result *r);

/* Fails when the host may have computed the result (counts.cpp). */
void checks_carried(const struct result *r);

/* Judges the limits of a call, or keeps what is to be said for the check that says LIMITS_HERE. */
void checks_limits(const struct result *r);

/* Fails when this call and one before have left memory behind (leak.cpp). */
void checks_leak(const struct result *r);

/* How many results have been fetched and not been judged to the end. */
void checks_pending(int more);

uint64_t checks_random(void);

/* The path of the student's object. */
const char *checks_object(void);

/* What to do first about a verdict (first_steps.cpp). */
struct next_step first_step(const char *verdict);

#endif
