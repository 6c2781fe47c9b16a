/* show.h - which call of each function stands for an exercise under the tools (make exercise08 profile).
 *
 * The checks of a grader are run with nobody to call: each call is noted, and answered with the arrays as they were. Of the calls of a
 * function the one with judge_show() is taken; else the largest of those that have judge_count() or belong to the check that judges the
 * limits; else the largest. Beside it, for sanitize, the largest whose arrays end within a line of 128 bytes: a guard that is missing does not
 * show where the last warp is full. */
#ifndef TOOLS_GRADING_SHOW_H
#define TOOLS_GRADING_SHOW_H

#include "tools/grading/grader.h"

/* Whether the checks are run for that. */
bool show_only(void);

void show_begin(std::initializer_list<const struct function *> functions);

/* A check begins, and whether it is the one that judges the limits. */
void show_check(bool limits);

/* The calls that this check makes from now on are no usual ones. */
void show_skip(void);

/* In place of having the call done. */
struct result show_note(const struct call *call);

/* Writes the jobs. Returns the exit status. */
int show_write(const char *file);

#endif
