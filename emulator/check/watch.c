/* The slow path: takes an instruction apart into the accesses of single lanes, and hands these to the checks. Also
 * the handlers of probes. */
#include "check/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/block_watch.h"
#include "check/fast_path.h"
#include "check/launch_order.h"
#include "machine/block_cluster.h"
#include "memory/memory.h"
#include "ops/async.h"
#include "ops/matrix.h"
#include "ops/tensor_copy.h"
#include "ops/wgmma.h"

/* ---- accesses of one lane ---- */

bool touch_stored(const struct touch *t, int lane, uint8_t *out) {
    const struct access *a = t->in->extra;
    bool access = t->probe->kind == PROBE_ACCESS, copy = t->probe->kind == PROBE_COPY_WRITE;
    if (a->kind != ACCESS_STORE || !(access || copy))
        return false;
    if (copy)
        memcpy(out, t->warp->regs + t->in->op[0] + (size_t)lane * t->bytes, t->bytes);
    for (unsigned i = 0; access && i < a->count; i++)
        memcpy(out + i * a->bytes, t->warp->regs + a->regs[i] + (size_t)lane * (a->reg_bits / 8u), a->bytes);
    return true;
}

bool touch_same_value(const struct touch *t, const uint8_t *now) {
    uint8_t mine[64];
    if (t->source)
        return memcmp(now, t->source, t->bytes) == 0;
    return touch_stored(t, t->lane, mine) && memcmp(now, mine, t->bytes) == 0;
}

/* The bytes that a lane's bulk copy writes, where it writes all of them as they are; NULL: it reads, or does something else. */
static const uint8_t *bulk_source(const struct warp *w, const struct insn *in, int lane) {
    const struct bulk *k = in->extra;
    if (k->tensor || k->reduces || k->byte_mask != ~0u || in->effect != EFFECT_BULK_WRITE)
        return NULL;
    return (const uint8_t *)(uintptr_t)((const uint64_t *)(const void *)(w->regs + in->op[2]))[lane];
}

/* Do two lanes make the same bulk copy, or one of the same bytes? */
static bool bulk_same(const struct touch *t, int other) {
    const struct bulk *k = t->in->extra;
    const uint8_t *theirs = bulk_source(t->warp, t->in, other);
    return theirs && bulk_address(t->warp, k, other) == bulk_address(t->warp, k, t->lane) &&
           ((const uint32_t *)(const void *)(t->warp->regs + t->in->op[1]))[other] == t->bytes &&
           memcmp(theirs, t->source, t->bytes) == 0;
}

bool touch_same_values(const struct touch *t, int other) {
    uint8_t mine[64], theirs[64];
    if (t->source)
        return bulk_same(t, other);
    return touch_stored(t, t->lane, mine) && touch_stored(t, other, theirs) && memcmp(mine, theirs, t->bytes) == 0;
}

/* ---- variables through which threads talk ---- */

/* The synchronization variable at the accessed address, locked if it is in global memory. NULL: there is none, and
 * none is to be made. */
static struct sync_variable *variable_open(const struct touch *t, bool make) {
    struct sync_table *table = t->allocation ? launch_order_variables(t->address) : &t->target->watch->syncs;
    struct sync_variable *s = make ? sync_make(table, t->address) : sync_find(table, t->address);
    if (s)
        s->global = t->allocation != NULL;
    return s;
}

static void variable_close(const struct touch *t) {
    if (t->allocation)
        launch_order_variables_close(t->address);
}

static bool strongly(const struct touch *t, unsigned flag) {
    return (t->probe->flags & flag) != 0;
}

static bool is_arrival(const struct probe *s) {
    return s->kind == PROBE_MBARRIER_ARRIVE || s->kind == PROBE_MBARRIER_MULTICAST || s->kind == PROBE_MBARRIER_COPIES;
}

/* A release is recorded before the access is made and an acquire after it, so that who sees the value sees the
 * release. */
static void talk_before(struct block_watch *b, const struct touch *t) {
    if (!t->write || !(t->probe->flags & PROBE_STRONG))
        return;
    bool now = strongly(t, PROBE_RELEASE), fenced = now || order_may_release(&b->order);
    if (!fenced && t->atomic)
        return;
    struct sync_variable *s = variable_open(t, true);
    if (is_arrival(t->probe))
        order_arrive(&b->order, t->warp->index, s,
                     t->probe->flags & PROBE_PROXY ? (int)t->target->rank : ARRIVES_ITSELF);
    else if (fenced)
        order_release(&b->order, t->warp->index, s, now);
    if (!t->atomic)
        order_release_reads(&b->order, t->warp->index, s);
    variable_close(t);
}

static void talk_after(struct block_watch *b, const struct touch *t) {
    if ((t->write && !t->atomic) || !(t->probe->flags & PROBE_STRONG))
        return;
    const struct sync_variable *s = variable_open(t, false);
    if (s)
        order_acquire(&b->order, t->warp->index, s, strongly(t, PROBE_ACQUIRE));
    variable_close(t);
}

/* ---- spaces ---- */

/* Finds the block whose shared memory it is; from then on the address is an offset there. */
static bool find_target(struct touch *t) {
    uint32_t offset;
    t->target = cluster_find(t->warp->block, (uint32_t)t->address, t->bytes, &offset);
    t->address = offset;
    return t->target && !cluster_block_ended(t->target);
}

static void touch_shared(struct block_watch *b, struct touch *t) {
    if (!find_target(t) || t->address < t->warp->launch->kernel->reserved_shared)
        return;
    if (b->launch->checks & CHECK_RACE) {
        talk_before(b, t);
        race_shared(b, t);
    }
    if (b->launch->checks & CHECK_INIT)
        written_shared(t);
}

/* Finds the allocation: nearly always that of the last lane. */
static bool find_allocation(struct touch *t) {
    if (!t->allocation || !memory_mapped_at(t->allocation, t->address, t->bytes))
        t->allocation = memory_find(t->address);
    return t->allocation && t->allocation->watch && memory_mapped_at(t->allocation, t->address, t->bytes);
}

static void touch_global(struct block_watch *b, struct touch *t) {
    if (!find_allocation(t))
        return;
    if (b->launch->checks & CHECK_RACE) {
        if (t->write && !t->atomic)
            b->order.warps[t->warp->index].dirty = true;
        talk_before(b, t);
        race_global(b, t);
    }
    if (b->launch->checks & CHECK_INIT)
        written_global(b, t);
}

static void touch_local(struct block_watch *b, struct touch *t) {
    t->address &= ((uint64_t)1 << WINDOW_SHIFT) - 1;
    if (b->launch->checks & CHECK_INIT && t->address + t->bytes <= t->warp->launch->local_bytes)
        written_local(b, t);
}

enum ptx_space touch_space(const struct access *a, uint64_t address) {
    static const uint8_t windows[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM};
    if (a->space != SPACE_GENERIC)
        return (enum ptx_space)a->space;
    uint64_t window = address >> WINDOW_SHIFT;
    return window < 4 ? (enum ptx_space)windows[window] : SPACE_PARAM;
}

static void touch(struct block_watch *b, struct touch *t, uint64_t address) {
    t->address = address;
    switch (touch_space(t->in->extra, address)) {
    case SPACE_SHARED:
        t->allocation = NULL;
        touch_shared(b, t);
        break;
    case SPACE_LOCAL:
        touch_local(b, t);
        break;
    case SPACE_GLOBAL:
        touch_global(b, t);
        break;
    default:
        break;
    }
}

/* ---- instructions ---- */

void watch_lanes(struct block_watch *b, struct touch *t, uint32_t lanes) {
    uint64_t addresses[WARP_SIZE];
    access_addresses(t->warp, t->in, addresses);
    for (; lanes; lanes &= lanes - 1) {
        t->lane = first_lane(lanes);
        if (!(addresses[t->lane] & (t->bytes - 1)))
            touch(b, t, addresses[t->lane]);
    }
}

static void lanes_touch(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    struct touch t = touch_of(w, in, s);
    bool strong = s->flags & PROBE_STRONG || t.atomic;
    bool global = a->space == SPACE_GLOBAL ||
                  (a->space == SPACE_GENERIC && !(access_address(w, in, first_lane(w->mask)) >> WINDOW_SHIFT));
    bool shared_atomic = t.atomic && a->space == SPACE_SHARED;
    uint32_t left = shared_atomic              ? fast_shared_atomic(b, &t)
                    : strong                   ? w->mask
                    : a->space == SPACE_SHARED ? fast_shared(b, &t)
                    : a->space == SPACE_LOCAL  ? fast_local(b, &t)
                    : global                   ? fast_global(b, &t)
                                               : w->mask;
    if (left)
        watch_lanes(b, &t, left);
}

/* Accesses made for the warp as a whole: span i by lane i. */
static void spans_touch(struct block_watch *b, struct touch *t, const struct span *spans, unsigned count) {
    enum ptx_space space = touch_space(t->in->extra, spans[0].at);
    uint32_t left = t->write                ? ~0u
                    : space == SPACE_SHARED ? fast_shared_spans(b, t, spans, count)
                    : space == SPACE_GLOBAL ? fast_global_spans(b, t, spans, count)
                                            : ~0u;
    for (unsigned i = 0; left && i < count; i++)
        if (left >> i & 1) {
            t->lane = spans[i].lane;
            touch(b, t, spans[i].at);
        }
}

/* ldmatrix and stmatrix: rows of 16 bytes, eight lanes' for each matrix. */
static void rows_touch(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const struct matrix_access *m = in->extra;
    struct span spans[WARP_SIZE];
    struct touch t = touch_of(w, in, s);
    unsigned count = 8u * m->count;
    t.bytes = 16;
    for (unsigned i = 0; i < count && i < WARP_SIZE; i++)
        spans[i] = (struct span){access_address(w, in, (int)i), t.bytes, (uint8_t)i, 1u << i};
    spans_touch(b, &t, spans, count);
}

/* wmma.load and wmma.store: the lines of one matrix, shared out among the lanes. */
static void lines_touch(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const struct matrix_access *m = in->extra;
    struct span spans[WARP_SIZE];
    struct touch t = touch_of(w, in, s);
    uint64_t step = (uint64_t)((const uint32_t *)(const void *)(w->regs + m->stride))[0] * m->bits / 8;
    unsigned count = m->transposed ? m->columns : m->rows;
    t.bytes = (m->transposed ? m->rows : m->columns) * (uint32_t)m->bits / 8;
    for (unsigned i = 0; i < count && i < WARP_SIZE; i++)
        spans[i] = (struct span){access_address(w, in, 0) + i * step, t.bytes, (uint8_t)i, 1u << i};
    spans_touch(b, &t, spans, count);
}

/* wgmma: its pieces, shared out among the lanes. */
static void pieces_touch(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    struct touch t = touch_of(w, in, s);
    uint32_t addresses[WGMMA_PIECES];
    unsigned count = wgmma_pieces(w, in->extra, addresses);
    if (b->products[w->index])
        products_before(b->products[w->index], w, in);
    t.bytes = WGMMA_PIECE;
    for (unsigned i = 0; i < count; i++) {
        t.lane = (int)(i % WARP_SIZE);
        t.address = addresses[i];
        if (!async_read_is_fast(b, &t))
            touch(b, &t, shared_begin(w->block) + addresses[i]);
    }
}

/* A side of a copy by a tensor map is touched part by part. */
struct tensor_touch {
    struct block_watch *watch;
    struct touch touch;
};

static void touch_part(void *context, uint64_t address, uint32_t bytes, const uint8_t *from) {
    struct tensor_touch *t = context;
    t->touch.bytes = bytes;
    t->touch.source = from;
    touch(t->watch, &t->touch, address);
}

static void tensor_touch(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    struct tensor_touch t = {b, touch_of(w, in, s)};
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        t.touch.lane = first_lane(rest);
        tensor_copy_parts(w, in->extra, t.touch.lane, touch_part, &t);
    }
}

/* Without .multicast::cluster there is one target. ranks: slot of its mask, or ~0u. */
static void touch_targets(struct block_watch *b, struct touch *t, uint64_t address, uint32_t ranks) {
    struct warp *w = t->warp;
    if (ranks == ~0u) {
        touch(b, t, address);
        return;
    }
    for (uint32_t left = ((const uint16_t *)(const void *)(w->regs + ranks))[t->lane]; left; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        touch(b, t, (address & ~(uint64_t)UINT32_MAX) | cluster_address(rank, (uint32_t)address));
    }
}

/* A side of a bulk copy: insn.extra is a struct bulk, whose access looks at one address after another. */
static void bulk_touch(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const struct bulk *k = in->extra;
    struct touch t = touch_of(w, in, s);
    if (b->order.async && t.write && k->access.space == SPACE_GLOBAL)
        b->order.async->wrote[w->index] = b->order.time;
    if (k->tensor) {
        tensor_touch(b, w, in, s);
        return;
    }
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        t.lane = first_lane(rest);
        const void *at = w->regs + k->address_reg;
        uint64_t base = k->address_bits == 64 ? ((const uint64_t *)at)[t.lane]
                        : k->address_bits     ? ((const uint32_t *)at)[t.lane]
                                              : 0;
        t.bytes = ((const uint32_t *)(const void *)(w->regs + in->op[1]))[t.lane];
        t.source = bulk_source(w, in, t.lane);
        if (t.bytes)
            touch_targets(b, &t, base + (uint64_t)k->offset, k->ranks);
    }
}

/* cp.async may read fewer bytes than it writes. */
static void copy_read_touch(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    uint64_t addresses[WARP_SIZE];
    struct touch t = touch_of(w, in, s);
    uint32_t size = t.bytes, skip = in->kind == COPY_UNLESS ? *(uint32_t *)(void *)(w->regs + in->op[2]) : 0;
    access_addresses(w, in, addresses);
    for (uint32_t rest = w->mask & ~skip; rest; rest &= rest - 1) {
        t.lane = first_lane(rest);
        t.bytes = in->kind == COPY_SOME ? ((const uint32_t *)(const void *)(w->regs + in->op[2]))[t.lane] : size;
        if (t.bytes > size)
            t.bytes = size;
        if (t.bytes)
            touch(b, &t, addresses[t.lane]);
    }
}

static bool touches(const struct probe *s) {
    return s->kind >= PROBE_ACCESS && s->kind <= PROBE_PIECES;
}

static void access_before(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    watch_lanes_come(b, w, in);
    switch (s->kind) {
    case PROBE_COPY_READ:
        copy_read_touch(b, w, in, s);
        break;
    case PROBE_BULK:
        bulk_touch(b, w, in, s);
        break;
    case PROBE_ROWS:
        rows_touch(b, w, in, s);
        break;
    case PROBE_LINES:
        lines_touch(b, w, in, s);
        break;
    case PROBE_PIECES:
        pieces_touch(b, w, in, s);
        break;
    default:
        lanes_touch(b, w, in, s);
    }
}

static uint32_t multicast_ranks(const struct insn *in, const struct probe *s) {
    return s->kind == PROBE_MBARRIER_MULTICAST ? in->op[2] : ~0u;
}

/* Copies are done at once here. On a GPU the phase before may not be over when a thread arrives that has not heard of its end. */
static void arrival_is_in_time(const struct block_watch *b, const struct touch *t, const struct insn *in,
                               uint64_t address) {
    uint32_t offset;
    const struct block *owner = cluster_find(t->warp->block, (uint32_t)address, sizeof(uint64_t), &offset);
    const struct sync_variable *s = owner ? sync_find(&owner->watch->syncs, offset) : NULL;
    if (s && !order_knows_copies(&b->order, t->warp->index, s))
        report_insn(t->warp, in, FINDING_RACE, 1u << t->lane,
                    "A thread arrives at an mbarrier that may still be in the phase before.",
                    "The bytes of that phase may still be on their way, and then this arrival is one too many there. "
                    "Before it the thread has to wait for the end of that phase, or for somebody who has waited for "
                    "it: the producer of a ring waits until the stage is empty, and then says how many bytes come.");
}

/* mbarrier.init is a plain write that must happen before all use; every other instruction on it is atomic. */
static void mbarrier_before(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    uint64_t addresses[WARP_SIZE];
    struct touch t = touch_of(w, in, s);
    t.atomic = t.write = true;
    access_addresses(w, in, addresses);
    if (s->kind == PROBE_MBARRIER_COPIES)
        order_copies_all_done(&b->order, w->index, w->mask);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        t.lane = first_lane(rest);
        if (s->kind == PROBE_MBARRIER_INIT)
            t.atomic = false;
        if (s->kind == PROBE_MBARRIER_WAIT)
            t.write = false;
        if (s->kind == PROBE_MBARRIER_ARRIVE && !(s->flags & PROBE_PROXY) && b->order.async &&
            b->launch->checks & CHECK_RACE)
            arrival_is_in_time(b, &t, in, addresses[t.lane]);
        touch_targets(b, &t, addresses[t.lane], multicast_ranks(in, s));
    }
}

/* Barriers have keys in the table of synchronization variables, beyond all shared addresses. */
#define BARRIER_KEY ((uint64_t)1 << 40)
#define CLUSTER_KEY (BARRIER_KEY + 16)

static struct sync_variable *cluster_variable(const struct block *b) {
    return sync_make(&cluster_block(b, 0)->watch->syncs, CLUSTER_KEY);
}

/* bar.arrive does not wait: it is a release to those who wait. */
static void barrier_before(struct block_watch *b, struct warp *w, const struct insn *in) {
    barrier_arrives(b, w, in);
    if ((in->kind & ~(unsigned)BARRIER_UNALIGNED) != BARRIER_ARRIVE || !(b->launch->checks & CHECK_RACE))
        return;
    read_log_propagate(b);
    uint32_t barrier = ((const uint32_t *)(const void *)(w->regs + in->op[1]))[first_lane(w->mask)];
    order_release(&b->order, w->index, sync_make(&b->syncs, BARRIER_KEY + barrier), true);
}

/* Of other blocks it covers all that they have done by now: what is not ordered with it is a race anyway. */
static void proxy_fence(struct block_watch *b, const struct warp *w) {
    uint32_t before[ASYNC_WARPS];
    order_proxy_fence(&b->order, w->index);
    for (uint32_t r = 0; r < w->launch->cluster_blocks; r++) {
        const struct block *peer = cluster_block(w->block, r);
        for (int i = 0; i < ASYNC_WARPS && peer != w->block; i++)
            before[i] = peer->watch->order.time + 1;
        if (peer != w->block)
            async_fence(b->order.async, w->index, r * ASYNC_WARPS, before);
    }
}

static void fence_before(struct block_watch *b, const struct warp *w, const struct probe *s) {
    order_fence(&b->order, w->index);
    if (s->flags & PROBE_PROXY && b->order.async)
        proxy_fence(b, w);
}

/* Groups of the asynchronous proxy. */
static void groups_before(struct block_watch *b, const struct warp *w, const struct insn *in, const struct probe *s) {
    if (b->products[w->index])
        products_before(b->products[w->index], w, in);
    if (!b->order.async)
        return;
    if (s->kind == PROBE_BULK_COMMIT)
        order_stores_commit(&b->order, w->index, w->mask);
    else if (s->kind == PROBE_BULK_WAIT)
        async_stores_wait(b->order.async, w->index, s->value, w->mask, s->flags & PROBE_STRONG);
    else if (s->kind == PROBE_PRODUCT_COMMIT)
        order_products_commit(&b->order, w->index);
}

/* Before the instruction, which w->mask will execute. */
static void watch_before(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    if (touches(s))
        access_before(b, w, in, s);
    else if (s->kind == PROBE_FENCE)
        fence_before(b, w, s);
    else if (s->kind == PROBE_COMMIT)
        order_copies_commit(&b->order, w->index, w->mask);
    else if (s->kind == PROBE_WAIT)
        order_copies_wait(&b->order, w->index, w->mask, s->value);
    else if (s->kind == PROBE_WAIT_ALL)
        order_copies_all_done(&b->order, w->index, w->mask);
    else if (s->kind == PROBE_BARRIER)
        barrier_before(b, w, in);
    else if (s->kind == PROBE_CLUSTER_ARRIVE)
        order_arrive(&b->order, w->index, cluster_variable(w->block), ARRIVES_ITSELF);
    else if (s->kind == PROBE_REGISTERS)
        registers_change(b, w, in, s);
    else if (s->kind == PROBE_GRIDS)
        launch_order_wait(b, w->index);
    else if (s->kind >= PROBE_BULK_COMMIT)
        groups_before(b, w, in, s);
    else if (s->kind >= PROBE_MBARRIER_INIT)
        mbarrier_before(b, w, in, s);
}

/* ---- afterwards ---- */

static void acquire_after(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s,
                          uint32_t mask) {
    uint64_t addresses[WARP_SIZE];
    struct touch t = touch_of(w, in, s);
    if (((const struct access *)in->extra)->space == SPACE_SHARED && !b->syncs.count)
        return; /* nobody has released anything */
    if (s->kind == PROBE_MBARRIER_WAIT)
        t.write = false;
    access_addresses(w, in, addresses);
    for (; mask; mask &= mask - 1) {
        t.lane = first_lane(mask);
        t.address = addresses[t.lane];
        enum ptx_space space = touch_space(in->extra, t.address);
        if (space == SPACE_SHARED) {
            t.allocation = NULL;
            if (find_target(&t))
                talk_after(b, &t);
        } else if (space == SPACE_GLOBAL && find_allocation(&t)) {
            talk_after(b, &t);
        }
    }
}

static void phase_over_at(struct warp *w, uint32_t address) {
    uint32_t offset;
    const struct block *owner = cluster_find(w->block, address, sizeof(uint64_t), &offset);
    struct sync_variable *s = owner ? sync_find(&owner->watch->syncs, offset) : NULL;
    if (s)
        order_phase_over(s);
}

/* Ends the phase of mbarriers whose last arrival this was. */
static void phases_after(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s,
                         uint32_t mask) {
    uint64_t addresses[WARP_SIZE];
    uint32_t slot = multicast_ranks(in, s);
    if (b->phases_over == w->block->phases_over)
        return;
    b->phases_over = w->block->phases_over;
    access_addresses(w, in, addresses);
    for (; mask; mask &= mask - 1) {
        uint32_t address = (uint32_t)addresses[first_lane(mask)];
        uint32_t ranks = slot == ~0u ? 0 : ((const uint16_t *)(const void *)(w->regs + slot))[first_lane(mask)];
        if (slot == ~0u)
            phase_over_at(w, address);
        for (; ranks; ranks &= ranks - 1)
            phase_over_at(w, cluster_address((uint32_t)__builtin_ctz(ranks), address));
    }
}

/* Orders the lanes that have synchronized, by their member masks. */
static void synchronize_lanes(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const uint32_t *masks = (const uint32_t *)(const void *)(w->regs + in->op[0]);
    uint32_t rest = w->mask;
    if (!(s->flags & PROBE_NOTES_MASK)) {
        order_lanes_sync(&b->order, w->index, rest, rest == w->live);
        return;
    }
    while (rest) {
        uint32_t members = masks[first_lane(rest)] & w->live;
        order_lanes_sync(&b->order, w->index, members, members == w->live);
        rest &= ~(members | 1u << first_lane(rest));
    }
}

static void wait_after(struct block_watch *b, const struct warp *w, const struct probe *s) {
    if (b->products[w->index])
        products_after_wait(b->products[w->index], s->value);
    if (b->order.async)
        async_products_wait(b->order.async, w->index, s->value);
}

/* After the instruction, which `mask` has executed or waits at; `next` is where the warp goes on. */
static void watch_after(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s,
                        uint32_t mask, const struct insn *next) {
    if (!(b->launch->checks & CHECK_RACE))
        return;
    bool done = next == in + 1;
    if (s->kind == PROBE_WARP_SYNC && (done || w->count > 1))
        synchronize_lanes(b, w, in, s);
    else if ((s->kind == PROBE_ROWS || s->kind == PROBE_LINES) && done)
        order_lanes_sync(&b->order, w->index, w->mask, w->mask == w->live);
    else if (s->kind == PROBE_ACCESS && s->flags & PROBE_STRONG)
        acquire_after(b, w, in, s, mask);
    else if (s->kind == PROBE_CLUSTER_WAIT && done)
        order_acquire(&b->order, w->index, cluster_variable(w->block), true);
    else if (s->kind == PROBE_PRODUCT_WAIT && done)
        wait_after(b, w, s);
    else if (is_arrival(s))
        phases_after(b, w, in, s, mask);
    else if (s->kind == PROBE_MBARRIER_WAIT && done)
        acquire_after(b, w, in, s, *(uint32_t *)(void *)(w->regs + in->op[0]) & mask);
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
    access_before(b, w, in, s);
    return warp_hand_on(w, s->handler(w, in));
}

handler_fn probe_handler(const struct probe *s, const struct insn *in) {
    if (s->kind != PROBE_ACCESS || s->flags & PROBE_STRONG)
        return probed;
    const struct access *a = in->extra;
    return a->space == SPACE_SHARED ? probed_shared : a->space == SPACE_GLOBAL ? probed_global : probed_plain;
}

/* ---- barriers of the block ---- */

static uint32_t waiting_lanes(const struct warp *w, unsigned barrier) {
    uint32_t lanes = 0;
    for (unsigned i = 0; i < w->count; i++)
        if (w->splits[i].state == SPLIT_AT_BARRIER && w->splits[i].barrier == barrier)
            lanes |= w->splits[i].mask;
    return lanes;
}

void watch_cluster_opens(struct block *block) {
    struct block_watch *b = block->watch;
    if (b->launch->checks & CHECK_RACE)
        order_phase_over(cluster_variable(block));
}

void watch_barrier_opens(struct block *block, unsigned barrier) {
    struct block_watch *b = block->watch;
    uint32_t lanes = 0, warps = block->launch->warps_per_block;
    for (uint32_t i = 0; i < warps; i++)
        lanes += (uint32_t)__builtin_popcount(waiting_lanes(&block->warps[i], barrier));
    if (b->launch->checks & CHECK_SYNC)
        barrier_check_passed(b, block, barrier);
    barrier_opens(b, block);
    uint32_t expected = block->barriers[barrier].expected;
    if (lanes == block->live_lanes && !expected) {
        order_barrier_whole(&b->order);
        read_log_forget(b);
        return;
    }
    read_log_propagate(b);
    struct sync_variable *s = sync_make(&b->syncs, BARRIER_KEY + barrier);
    for (uint32_t i = 0; i < warps; i++)
        if (waiting_lanes(&block->warps[i], barrier))
            order_release(&b->order, i, s, true);
    for (uint32_t i = 0; i < warps; i++) {
        uint32_t waiting = waiting_lanes(&block->warps[i], barrier);
        if (!waiting)
            continue;
        order_acquire(&b->order, i, s, true);
        order_lanes_sync(&b->order, i, waiting, waiting == block->warps[i].live);
    }
}
