/* The CUDA error of each finding, and reports about a whole launch. */
#include "machine/finding.h"

#include "machine/observer.h"

int finding_error(enum finding finding) {
    static const int errors[FINDINGS] = {
        [FINDING_OUT_OF_BOUNDS] = 700,     [FINDING_MISALIGNED] = 716,     [FINDING_USE_AFTER_FREE] = 700,
        [FINDING_HOST_POINTER] = 700,      [FINDING_READ_ONLY] = 700,      [FINDING_NO_PEER_ACCESS] = 700,
        [FINDING_DIVERGENT_BARRIER] = 719, [FINDING_LOST_LANE] = 719,      [FINDING_TIMEOUT] = 702,
        [FINDING_STACK_OVERFLOW] = 700,    [FINDING_TRAP] = 719,           [FINDING_ASSERT] = 710,
        [FINDING_UNSUPPORTED] = 801,       [FINDING_LAUNCH_FAILURE] = 719, /* after the others the program continues */
    };
    return errors[finding];
}

int report_access(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                  const uint64_t addresses[WARP_SIZE]) {
    if (observer.found_access)
        finding = observer.found_access(w, in, finding, lanes, addresses);
    return finding_error(finding);
}

int report_sides(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                 const struct report_side *other, const char *detail, const char *advice) {
    if (observer.found)
        observer.found(w, in, finding, lanes, other, detail, advice);
    return finding_error(finding);
}

int report_insn(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes, const char *detail,
                const char *advice) {
    return report_sides(w, in, finding, lanes, NULL, detail, advice);
}

int report_launch(const char *kernel_name, enum finding finding, const char *detail, const char *advice) {
    if (observer.found_in_launch)
        observer.found_in_launch(kernel_name, finding, detail, advice);
    return finding_error(finding);
}
