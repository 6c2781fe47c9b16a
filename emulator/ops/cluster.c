#include "ops/cluster.h"

#include "machine/finding.h"
#include "machine/grid.h"

const struct insn *op_cluster_needed(struct warp *w, const struct insn *in) {
    if (w->launch->config.clusters || w->launch->kernel->ptx->cluster[0])
        return in + 1;
    report_insn(w, in, FINDING_LAUNCH_FAILURE, w->mask,
                "Illegal instruction: st.async and red.async are for launches with cluster dimensions.",
                "Declare the kernel __cluster_dims__(1, 1, 1), or launch it by cudaLaunchKernelEx with the attribute "
                "cudaLaunchAttributeClusterDimension.");
    return warp_fault(w, 715);
}

const struct insn *op_cluster_rank(struct warp *w, const struct insn *in) {
    const uint32_t *rank = REG(uint32_t, 0);
    uint32_t wrong = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        wrong |= (uint32_t)(rank[l] != 0) << l;
    if (!(wrong & w->mask))
        return in + 1;
    report_insn(w, in, FINDING_LAUNCH_FAILURE, wrong & w->mask, "There is no block of this rank in the cluster.",
                "A launch without cluster dimensions makes clusters of one block, whose rank is 0.");
    return warp_fault(w, 719);
}

/* Lanes that exit count as if they had arrived, and they do not say so: look whenever somebody waits. */
static void open_if_complete(struct block *b) {
    struct cluster_barrier *bar = &b->cluster;
    uint32_t any = 0;
    for (uint32_t i = 0; i < b->launch->warps_per_block; i++) {
        if (b->warps[i].live & ~bar->arrived[i])
            return;
        any |= bar->arrived[i];
    }
    if (!any)
        return;
    for (uint32_t i = 0; i < b->launch->warps_per_block; i++) {
        bar->passed[i] |= bar->arrived[i];
        bar->arrived[i] = 0;
    }
}

const struct insn *op_cluster_arrive(struct warp *w, const struct insn *in) {
    w->block->cluster.arrived[w->index] |= w->mask;
    w->block->cluster.passed[w->index] &= ~w->mask;
    open_if_complete(w->block);
    return in + 1;
}

const struct insn *op_cluster_wait(struct warp *w, const struct insn *in) {
    open_if_complete(w->block);
    return w->mask & ~w->block->cluster.passed[w->index] ? warp_spin(w, in) : in + 1;
}
