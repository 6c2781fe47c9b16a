/* Reports of what a kernel does wrong, in compute-sanitizer's form. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/access.h"
#include "machine/finding.h"
#include "machine/grid.h"

/* What the machine hands on (machine/observer.h). report_found_access returns what it turned out to be. */
enum finding report_found_access(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                                 const uint64_t addresses[WARP_SIZE]);
void report_found(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                  const struct report_side *other, const char *detail, const char *advice);
void report_found_in_launch(const char *kernel_name, enum finding finding, const char *detail, const char *advice);

/* The host followed a device pointer (from the SIGSEGV handler: async-signal-safe). `function` is the program's
 * function that did, or NULL. */
void report_host_fault(uint64_t address, bool write, const char *function);

/* What is wrong with what is still allocated on a device (-1: on any) whose context ends. */
void report_remaining(int device);

/* A report whose text was written elsewhere. A warning changes no verdict. */
struct text;
struct facts_of_finding;
void report_text(struct text *t, enum finding finding, bool warning, const struct facts_of_finding *facts);

const char *report_verdict(void); /* the word for the worst finding: see emulator.h */
unsigned report_count(void);

#endif
