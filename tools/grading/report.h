/* report.h - the report of a grading: to the student on stdout, only for people, and as data to results.json (results_json.h).
 * Only the judge writes here. The output of the student's program passes through report_foreign: it is the output of a check, or part of
 * its message, and never anything else; on stdout a `VERDICT: ` of the program is dropped, so that it cannot be taken for the judge's. */
#ifndef TOOLS_GRADING_REPORT_H
#define TOOLS_GRADING_REPORT_H

#include <stddef.h>

#include "tools/grading/results_json.h"

enum { RESULTS_FD = 9 }; /* results.json, a file that is open for writing */

void report_begin(const char *exercise, const char *source);

/* How a check ended. `subject`: shown on stdout instead of its name. The failure's text may have several lines. */
void report_passed(const char *name, const std::string &subject);
void report_failed(const char *name, const std::string &subject, const struct reported_finding *failure);
void report_not_run(const char *name);

void report_message(const std::string &text);                                      /* why the file cannot be judged */
void report_remark(const char *format, ...) __attribute__((format(printf, 1, 2))); /* only to stdout */
void report_foreign(const char *text, size_t length);
void report_end(const char *verdict);

#endif
