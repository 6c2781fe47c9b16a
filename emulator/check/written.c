/* Which bytes have been written: a bit for each byte of a block's shared memory, of each lane's local memory, and of
 * allocations all of whose writers are observed. */
#include <stdlib.h>
#include <string.h>

#include "check/allocation_watch.h"
#include "check/lane_access.h"
#include "check/follow.h"
#include "check/report_parts.h"
#include "check/watch.h"
#include "memory/memory.h"

static bool any_set(const uint8_t *bits, uint64_t at, uint32_t n) {
    for (uint64_t i = at; i < at + n; i++)
        if (bits[i / 8] >> i % 8 & 1)
            return true;
    return false;
}

/* Has every element of the access been written? One that is partly written may be a structure with holes. */
static bool elements_set(const uint8_t *bits, const struct lane_access *la) {
    uint32_t element = lane_access_element(la);
    for (uint32_t i = 0; i < la->bytes; i += element)
        if (!any_set(bits, la->address + i, element))
            return false;
    return true;
}

/* Values loaded into registers are reported when something uses them. */
static bool is_load(const struct lane_access *la) {
    return la->probe->kind == PROBE_ACCESS && !la->write;
}

/* The unwritten bytes of a load: a bit for each. */
static uint64_t missing_bytes(const uint8_t *bits, const struct lane_access *la) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < la->bytes; i++)
        bytes |= (uint64_t) !(bits[(la->address + i) / 8] >> (la->address + i) % 8 & 1) << i;
    return bytes;
}

static void mark_written(uint8_t *bits, uint64_t at, uint32_t n) {
    for (uint64_t i = at; i < at + n; i++)
        bits[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Libraries read more of shared and local memory than they use: a last element, a hole in a structure. So does code
 * that the compiler made up, which has no line. */
static bool means_it(const struct lane_access *la, enum ptx_space space) {
    if (la->atomic && la->probe->kind == PROBE_ACCESS)
        return true; /* it is the toolkit's line, but the program's atomicAdd */
    struct source_position p = insn_position(la->warp->launch->kernel, la->in);
    bool library = p.file && is_toolkit(p.file);
    if (space == SPACE_GLOBAL)
        return !(library && la->bytes == 1);
    return !library && (p.file || space == SPACE_SHARED);
}

static void note_unwritten(struct block_watch *b, const struct lane_access *la, enum ptx_space space,
                           const struct allocation *a) {
    if (!means_it(la, space))
        return;
    struct hazard h = {.kind = HAZARD_UNWRITTEN,
                       .kernel = la->warp->launch->kernel,
                       .now = la->in,
                       .who = hazard_thread(la->warp, la->lane),
                       .space = space,
                       .address = la->address,
                       .bytes = la->bytes,
                       .allocation = a};
    if (space == SPACE_SHARED) {
        memcpy(h.owner, la->target->ctaid, sizeof h.owner);
        h.foreign = la->target != la->warp->block;
    }
    hazards_note(&b->launch->hazards, &h);
}

void written_start(struct block_watch *b, const struct block *block) {
    const struct launch *l = block->launch;
    memset(b->init.shared_written, 0, l->shared_bytes / 8 + 8);
    if (l->local_bytes)
        memset(b->init.local_written, 0, (size_t)b->init.local_stride * WARP_SIZE * l->warps_per_block);
    mark_written((uint8_t *)b->init.shared_written, 0, l->kernel->reserved_shared);
    b->init.written_until = 0;
}

static void follow_missing(const struct lane_access *la, enum ptx_space space, uint64_t bytes) {
    if (bytes)
        follow_load(la, space, bytes);
}

void written_shared(const struct lane_access *la) {
    uint8_t *bits = (uint8_t *)la->target->watch->init.shared_written;
    if (is_load(la)) {
        follow_missing(la, SPACE_SHARED, missing_bytes(bits, la));
        return;
    }
    if ((!la->write || la->atomic) && !elements_set(bits, la))
        note_unwritten(la->warp->block->watch, la, SPACE_SHARED, NULL);
    mark_written(bits, la->address, la->bytes); /* also what was read: it is reported once */
}

void written_extend(struct block_watch *b, uint32_t shared_bytes) {
    const uint8_t *bits = (const uint8_t *)b->init.shared_written;
    while (b->init.written_until < shared_bytes && bits[b->init.written_until / 8] == 0xff)
        b->init.written_until += 8;
}

void written_local(struct block_watch *b, const struct lane_access *la) {
    size_t lane = la->warp->index * (size_t)WARP_SIZE + (size_t)la->lane;
    uint8_t *bits = b->init.local_written + lane * b->init.local_stride;
    if (is_load(la))
        follow_missing(la, SPACE_LOCAL, missing_bytes(bits, la));
    else
        mark_written(bits, la->address, la->bytes);
}

/* Global memory: one look at the bitmap is nearly always enough. */
static bool elements_written(const struct lane_access *la) {
    uint64_t where, element = lane_access_element(la);
    if (!allocation_find_unwritten(la->allocation, la->address, la->bytes, &where))
        return true;
    for (uint64_t at = la->address; at < la->address + la->bytes; at += element) {
        uint64_t left = 0, end = at + element;
        for (uint64_t i = at; i < end && allocation_find_unwritten(la->allocation, i, end - i, &where); i = where + 1)
            left++;
        if (left == element)
            return false;
    }
    return true;
}

static uint64_t missing_global(const struct lane_access *la) {
    uint64_t where, bytes = 0, end = la->address + la->bytes;
    for (uint64_t at = la->address; allocation_find_unwritten(la->allocation, at, end - at, &where); at = where + 1)
        bytes |= (uint64_t)1 << (where - la->address);
    return bytes;
}

void written_global(struct block_watch *b, const struct lane_access *la) {
    if (is_load(la))
        follow_missing(la, SPACE_GLOBAL, missing_global(la));
    else if ((!la->write || la->atomic) && !elements_written(la))
        note_unwritten(b, la, SPACE_GLOBAL, la->allocation);
    if (la->write)
        allocation_written(la->allocation, la->address, la->bytes);
}

void watch_read(const struct warp *w, const struct insn *in, int lane, uint64_t address, uint32_t bytes) {
    struct launch_watch *watch = w->launch->watch;
    const struct allocation *a = watch && watch->checks & CHECK_INIT ? memory_find(address) : NULL;
    uint64_t where;
    if (!a || !allocation_find_unwritten(a, address, bytes, &where))
        return;
    struct hazard h = {.kind = HAZARD_UNWRITTEN,
                       .kernel = w->launch->kernel,
                       .now = in,
                       .who = hazard_thread(w, lane),
                       .space = SPACE_GLOBAL,
                       .address = where,
                       .bytes = bytes,
                       .allocation = a};
    hazards_note(&watch->hazards, &h);
}
