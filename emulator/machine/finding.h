/* The errors that a kernel can have, and how the machine reports them: it passes a finding to its observer, which words
 * it. */
#ifndef FINDING_H
#define FINDING_H

#include "machine/warp.h"

enum finding {
    FINDING_NONE,
    FINDING_OUT_OF_BOUNDS,
    FINDING_MISALIGNED,
    FINDING_USE_AFTER_FREE,
    FINDING_HOST_POINTER,   /* a kernel follows a host pointer, or the host a device pointer */
    FINDING_READ_ONLY,      /* a store to constant memory */
    FINDING_NO_PEER_ACCESS, /* memory of another device, without cudaDeviceEnablePeerAccess */
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
    FINDINGS
};

/* The cudaError_t that CUDA gives for it. */
int finding_error(enum finding finding);

/* A bad access by the active lanes in `lanes` (bit per lane) at these addresses. Prints one report for the first lane,
 * with the number of other lanes that did the same. Returns the cudaError_t that CUDA gives for it. */
int report_access(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                  const uint64_t addresses[WARP_SIZE]);

/* Any other error of an instruction; `detail` is one line that describes it, `advice` one sentence. */
int report_insn(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes, const char *detail,
                const char *advice);

/* For findings about two groups of threads that should have reached the same place: where the second group is. */
struct report_side {
    const struct warp *warp;
    const struct insn *in;
    uint32_t lanes;
};
int report_sides(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                 const struct report_side *other, const char *detail, const char *advice);

/* Something about the whole launch: a kernel that cannot run, a time limit. */
int report_launch(const char *kernel_name, enum finding finding, const char *detail, const char *advice);

#endif
