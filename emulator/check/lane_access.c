/* What a single lane accesses and stores: finds the block or the allocation that its address leads to, and hands the
 * access to racecheck and initcheck. */
#include "check/lane_access.h"

#include <string.h>

#include "check/watch_parts.h"
#include "machine/block_cluster.h"
#include "memory/memory.h"
#include "ops/async.h"

/* ---- the value that is stored ---- */

bool lane_access_stored(const struct lane_access *la, int lane, uint8_t *out) {
    const struct access *a = la->in->extra;
    bool access = la->probe->kind == PROBE_ACCESS, copy = la->probe->kind == PROBE_COPY_WRITE;
    if (a->kind != ACCESS_STORE || !(access || copy))
        return false;
    if (copy)
        memcpy(out, la->warp->regs + la->in->op[0] + (size_t)lane * la->bytes, la->bytes);
    for (unsigned i = 0; access && i < a->count; i++)
        memcpy(out + i * a->bytes, la->warp->regs + a->regs[i] + (size_t)lane * (a->reg_bits / 8u), a->bytes);
    return true;
}

bool lane_access_keeps_value(const struct lane_access *la, const uint8_t *now) {
    uint8_t mine[64];
    if (la->source)
        return memcmp(now, la->source, la->bytes) == 0;
    return lane_access_stored(la, la->lane, mine) && memcmp(now, mine, la->bytes) == 0;
}

const uint8_t *lane_access_bulk_source(const struct warp *w, const struct insn *in, int lane) {
    const struct bulk *k = in->extra;
    if (k->tensor || k->reduces || k->byte_mask != ~0u || in->effect != EFFECT_BULK_WRITE)
        return NULL;
    return (const uint8_t *)(uintptr_t)((const uint64_t *)(const void *)(w->regs + in->op[2]))[lane];
}

/* Do two lanes make the same bulk copy, or one of the same bytes? */
static bool bulk_same(const struct lane_access *la, int other) {
    const struct bulk *k = la->in->extra;
    const uint8_t *theirs = lane_access_bulk_source(la->warp, la->in, other);
    return theirs && bulk_address(la->warp, k, other) == bulk_address(la->warp, k, la->lane) &&
           ((const uint32_t *)(const void *)(la->warp->regs + la->in->op[1]))[other] == la->bytes &&
           memcmp(theirs, la->source, la->bytes) == 0;
}

bool lane_access_same_as(const struct lane_access *la, int other) {
    uint8_t mine[64], theirs[64];
    if (la->source)
        return bulk_same(la, other);
    return lane_access_stored(la, la->lane, mine) && lane_access_stored(la, other, theirs) &&
           memcmp(mine, theirs, la->bytes) == 0;
}

/* ---- spaces ---- */

bool lane_access_find_target(struct lane_access *la) {
    uint32_t offset;
    la->target = cluster_find(la->warp->block, (uint32_t)la->address, la->bytes, &offset);
    la->address = offset;
    return la->target && !cluster_block_ended(la->target);
}

static void check_shared(struct block_watch *b, struct lane_access *la) {
    if (!lane_access_find_target(la) || la->address < la->warp->launch->kernel->reserved_shared)
        return;
    if (b->launch->checks & CHECK_RACE) {
        variable_before(b, la);
        race_shared(b, la);
    }
    if (b->launch->checks & CHECK_INIT)
        written_shared(la);
}

bool lane_access_find_allocation(struct lane_access *la) {
    /* Nearly always the allocation of the lane before: searched for only where it is not. */
    if (!la->allocation || !memory_mapped_at(la->allocation, la->address, la->bytes))
        la->allocation = memory_find(la->address);
    return la->allocation && la->allocation->watch && memory_mapped_at(la->allocation, la->address, la->bytes);
}

static void check_global(struct block_watch *b, struct lane_access *la) {
    if (!lane_access_find_allocation(la))
        return;
    if (b->launch->checks & CHECK_RACE) {
        /* Something that needs a fence before a relaxed flag announces it (barrier_after_fences). */
        if (la->write && !la->atomic)
            b->order.warps[la->warp->index].dirty = true;
        variable_before(b, la);
        race_global(b, la);
    }
    if (b->launch->checks & CHECK_INIT)
        written_global(b, la);
}

static void check_local(struct block_watch *b, struct lane_access *la) {
    la->address &= ((uint64_t)1 << WINDOW_SHIFT) - 1;
    if (b->launch->checks & CHECK_INIT && la->address + la->bytes <= la->warp->launch->local_bytes)
        written_local(b, la);
}

enum ptx_space access_space(const struct access *a, uint64_t address) {
    /* The upper bits of a generic address say which window it is in; 0 is global memory. */
    static const uint8_t windows[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM};
    if (a->space != SPACE_GENERIC)
        return (enum ptx_space)a->space;
    uint64_t window = address >> WINDOW_SHIFT;
    return window < 4 ? (enum ptx_space)windows[window] : SPACE_PARAM;
}

void lane_access_check(struct block_watch *b, struct lane_access *la, uint64_t address) {
    la->address = address;
    switch (access_space(la->in->extra, address)) {
    case SPACE_SHARED:
        la->allocation = NULL;
        check_shared(b, la);
        break;
    case SPACE_LOCAL:
        check_local(b, la);
        break;
    case SPACE_GLOBAL:
        check_global(b, la);
        break;
    default:
        break;
    }
}
