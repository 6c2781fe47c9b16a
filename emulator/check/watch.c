/* The handlers of probes: what the checks do before and after an instrumented instruction, by the kind of its probe. */
#include "check/watch.h"

#include <pthread.h>

#include "check/block_watch.h"
#include "check/fast_path.h"
#include "check/launch_order.h"
#include "check/watch_parts.h"

/* Before the instruction, which w->mask will execute. */
static void watch_before(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    switch (s->kind) {
    case PROBE_ACCESS:
    case PROBE_COPY_READ:
    case PROBE_COPY_WRITE:
    case PROBE_BULK:
    case PROBE_ROWS:
    case PROBE_LINES:
    case PROBE_PIECES:
        watch_access(b, w, in, s);
        break;
    case PROBE_BARRIER:
        watch_barrier(b, w, in);
        break;
    case PROBE_CLUSTER_ARRIVE:
        order_arrive(&b->order, w->index, cluster_variable(w->block), ARRIVES_ITSELF);
        break;
    case PROBE_FENCE:
        watch_fence(b, w, s);
        break;
    case PROBE_COMMIT:
        order_copies_commit(&b->order, w->index, w->mask);
        break;
    case PROBE_WAIT:
        order_copies_wait(&b->order, w->index, w->mask, s->value);
        break;
    case PROBE_WAIT_ALL:
        order_copies_all_done(&b->order, w->index, w->mask);
        break;
    case PROBE_MBARRIER_INIT:
    case PROBE_MBARRIER_ARRIVE:
    case PROBE_MBARRIER_MULTICAST:
    case PROBE_MBARRIER_WAIT:
    case PROBE_MBARRIER_COPIES:
        watch_mbarrier(b, w, in, s);
        break;
    case PROBE_BULK_COMMIT:
    case PROBE_BULK_WAIT:
    case PROBE_PRODUCT_FENCE:
    case PROBE_PRODUCT_COMMIT:
    case PROBE_PRODUCT_WAIT:
        watch_groups(b, w, in, s);
        break;
    case PROBE_REGISTERS:
        registers_change(b, w, in, s);
        break;
    case PROBE_GRIDS:
        launch_order_wait(b, w->index);
        break;
    default: /* PROBE_WARP_SYNC and PROBE_CLUSTER_WAIT: they order what comes after them, once they are done */
        break;
    }
}

/* After the instruction, which `mask` has executed or waits at; `next` is where the warp goes on. */
static void watch_after(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s,
                        uint32_t mask, const struct insn *next) {
    if (!(b->launch->checks & CHECK_RACE))
        return;
    /* Otherwise the warp waits at it, and will execute it again; or another split of it goes on. */
    bool done = next == in + 1;
    if (s->kind == PROBE_WARP_SYNC && (done || w->count > 1))
        synchronize_lanes(b, w, in, s);
    /* ldmatrix, stmatrix and wmma synchronize their warp (.sync). */
    else if ((s->kind == PROBE_ROWS || s->kind == PROBE_LINES) && done)
        order_lanes_sync(&b->order, w->index, w->mask, w->mask == w->live);
    else if (s->kind == PROBE_ACCESS && s->flags & PROBE_STRONG)
        watch_acquire(b, w, in, s, mask);
    else if (s->kind == PROBE_CLUSTER_WAIT && done)
        order_acquire(&b->order, w->index, cluster_variable(w->block), true);
    else if (s->kind == PROBE_PRODUCT_WAIT && done)
        products_wait_after(b, w, s);
    else if (probe_is_arrival(s))
        watch_phases(b, w, in, s, mask);
    else if (s->kind == PROBE_MBARRIER_WAIT && done)
        /* Only lanes whose test was true: op[0] is its predicate. */
        watch_acquire(b, w, in, s, *(uint32_t *)(void *)(w->regs + in->op[0]) & mask);
}

/* ---- handlers ---- */

/* Atomics on global memory and their records must be in the same order, also between host threads: otherwise the
 * last one to arrive, which may go on with plain accesses, could find an earlier atomic recorded after its own. */
static pthread_mutex_t atomics = PTHREAD_MUTEX_INITIALIZER;

static bool takes_turns(const struct block_watch *b, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    return b->launch->checks & CHECK_RACE && s->kind == PROBE_ACCESS && a->kind == ACCESS_ATOMIC &&
           a->space != SPACE_SHARED;
}

static const struct insn *probed(struct warp *w, const struct insn *in) {
    struct block_watch *b = w->block->watch;
    const struct probe *s = &b->launch->probes->items[in->index];
    uint32_t mask = w->mask;
    /* Whatever is not a plain access may change what is ordered, and logged reads have to be propagated under the
     * order in which they were made. A barrier of the whole block drops the log instead. */
    if (s->kind != PROBE_BARRIER)
        read_log_propagate(b);
    bool in_turn = takes_turns(b, in, s);
    if (in_turn)
        pthread_mutex_lock(&atomics);
    watch_before(b, w, in, s);
    const struct insn *next = s->handler(w, in);
    watch_after(b, w, in, s, mask, next);
    if (in_turn)
        pthread_mutex_unlock(&atomics);
    return warp_hand_on(w, next);
}

/* Plain loads and stores have nothing to record afterwards. */
static const struct insn *probed_plain(struct warp *w, const struct insn *in) {
    struct block_watch *b = w->block->watch;
    const struct probe *s = &b->launch->probes->items[in->index];
    watch_access(b, w, in, s);
    return warp_hand_on(w, s->handler(w, in));
}

handler_fn probe_handler(const struct probe *s, const struct insn *in) {
    if (s->kind != PROBE_ACCESS || s->flags & PROBE_STRONG)
        return probed;
    const struct access *a = in->extra;
    return a->space == SPACE_SHARED ? probed_shared : a->space == SPACE_GLOBAL ? probed_global : probed_plain;
}
