/* Operations on mbarriers (machine/mbarrier_object.h describes them). All threads that can reach one, of all blocks of
 * a cluster, run on the same host thread, so nothing here need be atomic. */
#include "ops/mbarrier.h"

#include <stdio.h>

#include "base/checks.h"
#include "machine/block_cluster.h"
#include "machine/finding.h"
#include "machine/mbarrier_log.h"
#include "machine/mbarrier_object.h"
#include "ops/load_store.h"

/* Something has arrived: waiting for the barrier makes sense. Has the phase ended? */
static bool complete(struct warp *w, struct mbarrier *b, const uint64_t *at) {
    cluster_block(w->block, 0)->phase_yields = 0;
    if (b->pending || b->bytes)
        return false;
    b->pending = b->expected;
    b->phase ^= 1;
    w->block->phases_over++;
    mbarrier_log_over(w->block, at);
    return true;
}

static void *wrong(struct warp *w, const struct insn *in, int lane, const char *detail, const char *advice) {
    report_insn(w, in, FINDING_LAUNCH_FAILURE, 1u << lane, detail, advice);
    warp_fault(w, 719);
    return NULL;
}

static bool is_shared(const struct access *a, uint64_t address) {
    return a->space == SPACE_SHARED || (a->space == SPACE_GENERIC && address >> WINDOW_SHIFT == 1);
}

/* The object at an address, initialised or not. NULL after a report. */
static uint64_t *place_at(struct warp *w, const struct insn *in, uint64_t address, int lane) {
    uint8_t *host = access_lane_host(w, in, address, 8, lane);
    if (host && !is_shared(in->extra, address))
        return wrong(w, in, lane, "An mbarrier is not in shared memory.", "Declare it __shared__.");
    return (uint64_t *)(void *)host;
}

/* The mbarrier of the executing block that a lane names. */
static uint64_t *place(struct warp *w, const struct insn *in, int lane) {
    uint64_t address = access_address(w, in, lane);
    uint64_t *at = place_at(w, in, address, lane);
    if (at && cluster_rank((uint32_t)address) != w->block->rank)
        return wrong(w, in, lane, "An mbarrier of another block.",
                     "On another block's mbarriers, a thread can only arrive and announce bytes: it can neither "
                     "initialize them nor wait for them.");
    return at;
}

static uint64_t *initialized(struct warp *w, const struct insn *in, uint64_t *at, int lane) {
    if (at && (*at & MBARRIER_TAG_MASK) != MBARRIER_TAG)
        return wrong(w, in, lane, "There is no initialized mbarrier at this address.",
                     "One thread has to initialize it (init(&barrier, count)), and the others may use it after a "
                     "__syncthreads(); those of other blocks after a cluster.sync().");
    return at;
}

static uint64_t *object(struct warp *w, const struct insn *in, int lane) {
    return initialized(w, in, place(w, in, lane), lane);
}

/* Of any block of the cluster. */
static uint64_t *object_of_any(struct warp *w, const struct insn *in, uint64_t address, int lane) {
    return initialized(w, in, place_at(w, in, address, lane), lane);
}

/* It is accepted; arrivals of the phase are lost, and threads that wait for it may wait forever. */
static void check_reinit(struct warp *w, const struct insn *in, int lane, uint64_t old) {
    struct mbarrier b = mbarrier_unpack(old);
    if ((old & MBARRIER_TAG_MASK) == MBARRIER_TAG && (b.pending != b.expected || b.bytes) && check_is_on(CHECK_SYNC))
        report_insn(
            w, in, FINDING_LAUNCH_FAILURE, 1u << lane,
            "Barrier error detected. An mbarrier is initialized again in the middle of a phase.",
            "Some of the expected threads have arrived at it. Initialize a cuda::barrier once; to reuse its memory for "
            "another one, destroy it first (barrier.~barrier()), when no thread waits at it any more.");
}

const struct insn *op_mbarrier_init(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint32_t count = REG(uint32_t, 1)[l];
        uint64_t *at = place(w, in, l);
        if (!at)
            return NULL;
        if (!count || count > MBARRIER_COUNT_MASK)
            return wrong(w, in, l, "An mbarrier is initialized with an invalid count.",
                         "It expects 1 to 1048575 arrivals.");
        check_reinit(w, in, l, *at);
        *at = mbarrier_pack((struct mbarrier){.pending = count, .expected = count});
        mbarrier_log_init(w->block, at, in);
    }
    return in + 1;
}

const struct insn *op_mbarrier_inval(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        uint64_t *at = object(w, in, first_lane(rest));
        if (!at)
            return NULL;
        *at = 0;
    }
    return in + 1;
}

static bool add_bytes(struct warp *w, const struct insn *in, struct mbarrier *b, const uint64_t *at, int64_t bytes,
                      int lane) {
    int64_t sum = b->bytes + bytes;
    if (sum < -(int64_t)MBARRIER_COUNT_MASK || sum > MBARRIER_COUNT_MASK)
        return wrong(w, in, lane, "An mbarrier expects more bytes than it can count.",
                     "The limit is 1048575 in one phase.");
    b->bytes = (int32_t)sum;
    mbarrier_log_bytes(w->block, at, in, bytes);
    return true;
}

/* Does the mbarrier belong to another block that has exited? Kernels that end this way work on many GPUs, as long as
 * the arrival is in time there. So it is reported and has no effect; with memcheck the access is an error like any
 * other to the memory of such a block. */
static bool arrives_too_late(struct warp *w, const struct insn *in, uint64_t address, int lane) {
    uint32_t offset;
    const struct block *target =
        is_shared(in->extra, address) ? cluster_find(w->block, (uint32_t)address, sizeof(uint64_t), &offset) : NULL;
    char detail[160];
    if (!target || target == w->block || !cluster_block_ended(target) || check_is_on(CHECK_MEMORY))
        return false;
    const uint32_t *at = target->ctaid;
    snprintf(
        detail, sizeof detail,
        "A thread arrives at an mbarrier of block (%u,%u,%u), rank %u in the cluster, after that block has exited.",
        at[0], at[1], at[2], target->rank);
    report_insn(w, in, FINDING_LAUNCH_FAILURE, 1u << lane, detail,
                "The lifetime of a block's shared memory ends when the block exits: all blocks of the cluster have to "
                "reach a cluster.sync() after the last access to another block's shared memory, before any of them "
                "returns. Here the arrival has no effect; a GPU may stop the kernel with an error.");
    return true;
}

/* Has this arrival ended a phase, though nothing has waited for the one before? Then a thread that waits for that one
 * may or may not see its end before these threads have arrived: that depends on timing, whatever happens here. (A
 * thread that drops out arrives in a phase that may have no wait.) */
static void look_at_count(struct warp *w, const struct insn *in, const uint64_t *at, int lane) {
    char detail[200];
    if (in->kind & MBARRIER_DROP || !mbarrier_log_too_many(w->block, at, in) || !check_is_on(CHECK_RACE))
        return;
    snprintf(detail, sizeof detail,
             "More threads arrive at an mbarrier than it expects in one phase: two phases of %u have completed, and no "
             "thread has waited for the first.",
             mbarrier_unpack(*at).expected);
    report_insn(w, in, FINDING_RACE, 1u << lane, detail,
                "A phase completes when the number of threads passed to init() have arrived: waiting threads may then "
                "proceed although others have yet to arrive. Let one thread arrive for all, when all are done, or pass "
                "the number of all threads that arrive.");
}

/* Lanes that arrive together all get the state before the first of them, as on an H200. */
const struct insn *op_mbarrier_arrive(struct warp *w, const struct insn *in) {
    const uint64_t *first = NULL;
    uint64_t first_state = 0;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint32_t count = REG(uint32_t, 1)[l];
        if (arrives_too_late(w, in, access_address(w, in, l), l))
            continue;
        uint64_t *at = object_of_any(w, in, access_address(w, in, l), l);
        if (!at)
            return NULL;
        uint64_t before = *at;
        struct mbarrier b = mbarrier_unpack(before);
        if (!add_bytes(w, in, &b, at, REG(uint32_t, 2)[l], l))
            return NULL;
        if (!count || count > b.pending)
            return wrong(w, in, l, "More threads arrive at an mbarrier than it expects.",
                         "The count passed to init() has to be the number of arrivals in each phase.");
        if (in->kind & MBARRIER_NO_COMPLETE && count == b.pending && !b.bytes)
            return wrong(w, in, l, "mbarrier.arrive.noComplete completes the phase.", "");
        b.pending -= count;
        b.expected -= in->kind & MBARRIER_DROP ? count : 0;
        bool ended = complete(w, &b, at);
        *at = mbarrier_pack(b);
        if (ended)
            look_at_count(w, in, at, l);
        /* Lanes at another mbarrier, or after the end of a phase, are a separate group. */
        if (at != first || first_state >> MBARRIER_PHASE != before >> MBARRIER_PHASE) {
            first = at;
            first_state = before;
        }
        REG(uint64_t, 0)[l] = first_state;
    }
    return in + 1;
}

/* A lane's bytes are expected, or have arrived. */
static bool bytes_at(struct warp *w, const struct insn *in, uint64_t address, int lane) {
    int64_t bytes = REG(uint32_t, 1)[lane];
    uint64_t *at = object_of_any(w, in, address, lane);
    if (!at)
        return false;
    struct mbarrier b = mbarrier_unpack(*at);
    if (!add_bytes(w, in, &b, at, in->kind ? -bytes : bytes, lane))
        return false;
    if (in->kind)
        complete(w, &b, at);
    *at = mbarrier_pack(b);
    return true;
}

const struct insn *op_mbarrier_bytes(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1)
        if (!bytes_at(w, in, access_address(w, in, first_lane(rest)), first_lane(rest)))
            return NULL;
    return in + 1;
}

const struct insn *op_mbarrier_multicast(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint64_t address = access_address(w, in, l);
        for (uint32_t ranks = REG(uint16_t, 2)[l]; ranks; ranks &= ranks - 1) {
            uint32_t place = cluster_address((uint32_t)__builtin_ctz(ranks), (uint32_t)address);
            if (!bytes_at(w, in, (address & ~(uint64_t)UINT32_MAX) | place, l))
                return NULL;
        }
    }
    return in + 1;
}

/* A thread that finds the phase unfinished lets the threads run that will finish it. */
const struct insn *op_mbarrier_wait(struct warp *w, const struct insn *in) {
    uint32_t over = 0;
    const uint64_t *at = NULL;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        at = object(w, in, l);
        if (!at)
            return NULL;
        /* By parity, or by the state that an arrival returned: it waits for the end of that phase, so it is over when
         * the object's phase differs. */
        uint32_t phase = in->kind ? REG(uint32_t, 1)[l] & 1 : (uint32_t)(REG(uint64_t, 1)[l] >> MBARRIER_PHASE);
        over |= (uint32_t)(*at >> MBARRIER_PHASE != phase) << l;
    }
    WRITE_PRED(0, over);
    if (over) {
        w->unfinished = NULL;
        mbarrier_log_waited(w->block, at);
        cluster_block(w->block, 0)->phase_yields = 0;
        return in + 1;
    }
    w->unfinished = in;
    w->unfinished_object = at;
    w->unfinished_state = *at;
    return warp_spin(w, in + 1);
}

const struct insn *op_mbarrier_pending(struct warp *w, const struct insn *in) {
    const uint64_t *state = REG(uint64_t, 1);
    WRITE_LANES(uint32_t, (uint32_t)state[l] & MBARRIER_COUNT_MASK);
    return in + 1;
}

const struct insn *op_mbarrier_touch(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1)
        if (!object(w, in, first_lane(rest)))
            return NULL;
    return in + 1;
}
