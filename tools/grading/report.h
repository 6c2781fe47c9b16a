/* report.h - what a grading reports: to the student on stdout, for people alone, and as data to results.json (results_json.h).
 *
 * Only the judge writes here. What the student's program prints goes through report_foreign: it is the output of a check, or part of its message, and never
 * anything else; on stdout a `VERDICT: ` of theirs is left out, for those who read that. */
#ifndef TOOLS_GRADING_REPORT_H
#define TOOLS_GRADING_REPORT_H

#include <stddef.h>

#include "tools/grading/results_json.h"

enum { RESULTS_FD = 9 }; /* results.json, a file that is open for writing */

void report_begin(const char *exercise, const char *source);

/* How a check ended. `subject`: what stdout shows in place of its name. The failure's text may have several lines. */
void report_passed(const char *name, const std::string &subject);
void report_failed(const char *name, const std::string &subject, const struct reported_finding *failure);
void report_not_run(const char *name);

void report_message(const std::string &text);                                      /* why the file cannot be judged */
void report_remark(const char *format, ...) __attribute__((format(printf, 1, 2))); /* to stdout alone */
void report_foreign(const char *text, size_t length);
void report_end(const char *verdict);

#endif
