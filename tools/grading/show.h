/* show.h - selects the call of each function that represents an exercise under the tools (make exercise08 profile).
 * The checks of a grader are run without a runner: each call is recorded, and answered with the arrays unchanged. Of the calls of a
 * function the one with judge_show() is taken; else the largest of those that have judge_count() or belong to the check that judges the
 * limits; else the largest. For sanitize also the largest whose arrays end within a line of 128 bytes: a missing guard has no effect
 * if the last warp is full. */
#ifndef TOOLS_GRADING_SHOW_H
#define TOOLS_GRADING_SHOW_H

#include "tools/grading/grader.h"

/* Whether the checks are run for this selection. */
bool show_only(void);

void show_begin(std::initializer_list<const struct function *> functions);

/* A check begins; the argument: whether it judges the limits. */
void show_check(bool limits);

/* Further calls of this check are not typical ones. */
void show_skip(void);

/* Replaces the execution of the call. */
struct result show_note(const struct call *call);

/* Writes the jobs. Returns the exit status. */
int show_write(const char *file);

#endif
