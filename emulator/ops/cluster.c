#include "ops/cluster.h"

#include <stdio.h>

#include "machine/block_cluster.h"
#include "machine/finding.h"

const struct insn *op_cluster_needed(struct warp *w, const struct insn *in) {
    if (w->launch->config.clusters)
        return in + 1;
    report_insn(w, in, FINDING_LAUNCH_FAILURE, w->mask,
                "Illegal instruction: st.async and red.async need a launch with cluster dimensions.",
                "Declare the kernel __cluster_dims__(1, 1, 1), or launch it with cudaLaunchKernelEx and the attribute "
                "cudaLaunchAttributeClusterDimension.");
    return warp_fault(w, 715);
}

const struct insn *op_cluster_explicit(struct warp *w, const struct insn *in) {
    WRITE_PRED(0, w->launch->config.clusters || w->launch->kernel->ptx->explicit_cluster ? FULL_MASK : 0);
    return in + 1;
}

static bool ranks_exist(struct warp *w, const struct insn *in, const uint32_t *rank) {
    uint32_t wrong = 0, blocks = w->launch->cluster_blocks;
    for (int l = 0; l < WARP_SIZE; l++)
        wrong |= (uint32_t)(rank[l] >= blocks) << l;
    wrong &= w->mask;
    if (!wrong)
        return true;
    char detail[120];
    snprintf(detail, sizeof detail, "There is no block of rank %u in the cluster, which has %u.",
             rank[first_lane(wrong)], blocks);
    report_insn(w, in, FINDING_LAUNCH_FAILURE, wrong, detail,
                blocks == 1 ? "In a launch without cluster dimensions each block is its own cluster, with rank 0."
                            : "Ranks count from 0.");
    warp_fault(w, 719);
    return false;
}

const struct insn *op_cluster_map(struct warp *w, const struct insn *in) {
    const uint32_t *rank = REG(uint32_t, 2);
    if (!ranks_exist(w, in, rank))
        return NULL;
    if (in->kind == 64)
        WRITE_LANES(uint64_t, (REG(uint64_t, 1)[l] & ~(uint64_t)UINT32_MAX) |
                                  cluster_address(rank[l], (uint32_t)REG(uint64_t, 1)[l]));
    else
        WRITE_LANES(uint32_t, cluster_address(rank[l], REG(uint32_t, 1)[l]));
    return in + 1;
}

const struct insn *op_cluster_rank(struct warp *w, const struct insn *in) {
    if (in->kind == 64)
        WRITE_LANES(uint32_t, cluster_rank((uint32_t)REG(uint64_t, 1)[l]));
    else
        WRITE_LANES(uint32_t, cluster_rank(REG(uint32_t, 1)[l]));
    return in + 1;
}

const struct insn *op_cluster_arrive(struct warp *w, const struct insn *in) {
    cluster_arrive(w);
    return in + 1;
}

const struct insn *op_cluster_wait(struct warp *w, const struct insn *in) {
    return cluster_passed(w) ? in + 1 : warp_wait_cluster(w, in);
}
