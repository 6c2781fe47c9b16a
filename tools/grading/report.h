/* report.h - what a grading tells: to the student on stdout, and line by line to the log of which write_results makes files.
 *
 * Only the judge writes here. What the student's program prints goes through report_foreign, which lets no line of it look like one of
 * ours: in the log ours begin with the nonce, and on stdout a `VERDICT: ` of theirs is left out. */
#ifndef TOOLS_GRADING_REPORT_H
#define TOOLS_GRADING_REPORT_H

#include <stdarg.h>
#include <stddef.h>

void report_begin(const char *log, const char *nonce);
void report_check(const char *state, const char *name,
                  const char *shown); /* "ok", "failed", "not run"; `shown`: the name on stdout */
void report_verdict(const char *verdict);
void report_extra(const char *format, ...)
    __attribute__((format(printf, 1, 2))); /* a line that explains the one before */
void report_remark(const char *format, ...) __attribute__((format(printf, 1, 2))); /* to stdout alone */
void report_log(const char *format, ...) __attribute__((format(printf, 1, 2)));    /* to the log alone */
void report_foreign(const char *text, size_t length);
void report_end(void);

#endif
