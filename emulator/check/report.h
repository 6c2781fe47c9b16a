/* What the student is told when a kernel does something wrong, in compute-sanitizer's form. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/grid.h"
#include "memory/access.h"

enum finding {
    FINDING_NONE,
    FINDING_OUT_OF_BOUNDS,
    FINDING_MISALIGNED,
    FINDING_USE_AFTER_FREE,
    FINDING_HOST_POINTER, /* a kernel follows a host pointer, or the host a device pointer */
    FINDING_READ_ONLY,    /* a store to constant memory */
    FINDING_DIVERGENT_BARRIER,
    FINDING_LOST_LANE,
    FINDING_RACE,
    FINDING_UNINITIALIZED,
    FINDING_TIMEOUT,
    FINDING_STACK_OVERFLOW,
    FINDING_TRAP,
    FINDING_ASSERT,
    FINDING_UNSUPPORTED,
    FINDING_LAUNCH_FAILURE,
    FINDING_DOUBLE_FREE,
    FINDING_LEAK,
    FINDING_UNUSED, /* memory that is allocated and never written */
};

/* A bad access by the active lanes in `lanes` (bit per lane) at these addresses. Prints one report for the first
 * lane and says how many others did the same. Returns the cudaError_t that CUDA gives for it. */
int report_access(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                  const uint64_t addresses[WARP_SIZE]);

/* Anything else an instruction does wrong; `detail` is one line that says what, `advice` one sentence. */
int report_insn(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes, const char *detail,
                const char *advice);

/* The same of two groups of threads that should have come to the same place: `other` says where the second one is. */
struct report_side {
    const struct warp *warp;
    const struct insn *in;
    uint32_t lanes;
};
int report_sides(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                 const struct report_side *other, const char *detail, const char *advice);

/* The host followed a device pointer (from the SIGSEGV handler: async-signal-safe). `function` is the program's
 * function that did, or NULL. */
void report_host_fault(uint64_t address, bool write, const char *function);

/* Something about the whole launch: a kernel that cannot run, a time limit. */
int report_launch(const char *kernel_name, enum finding finding, const char *detail, const char *advice);

/* What is wrong with what is still allocated on a device (-1: on any) whose context ends. */
void report_remaining(int device);

/* A report that somebody else has written. A warning changes no verdict. */
struct text;
struct facts_of_finding;
void report_text(struct text *t, enum finding finding, bool warning, const struct facts_of_finding *facts);

const char *report_verdict(void); /* the word for the worst finding: see emulator.h */
unsigned report_count(void);

#endif
