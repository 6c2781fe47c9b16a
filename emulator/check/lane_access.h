/* An access by one lane: what the slow path makes of an instruction (check/watch_accesses.c) and passes, one after the
 * other, to racecheck and initcheck. The fast paths make one, too, for their warp, in which the lane and the address
 * mean nothing. */
#ifndef LANE_ACCESS_H
#define LANE_ACCESS_H

#include "check/block_watch.h"

struct lane_access {
    struct warp *warp;
    const struct insn *in;
    const struct probe *probe;
    int lane;
    uint32_t bytes;
    uint64_t address; /* in its space: an offset in shared and local memory */
    bool write, atomic;
    const uint8_t *source;               /* the bytes that a bulk copy writes; NULL: another access, or not known */
    const struct allocation *allocation; /* of global memory */
    struct block *target;                /* whose shared memory it is */
};

static inline struct lane_access lane_access_of(struct warp *w, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    return (struct lane_access){.warp = w,
                                .in = in,
                                .probe = s,
                                .bytes = (uint32_t)a->bytes * a->count,
                                .write = a->kind != ACCESS_LOAD,
                                .atomic = a->kind == ACCESS_ATOMIC};
}
/* Its access record. */
static inline struct access_record lane_access_record(const struct block_watch *b, const struct lane_access *la) {
    uint32_t who = (uint32_t)la->lane | (uint32_t)la->warp->index << RECORD_WARP_SHIFT;
    uint32_t diverged = la->warp->mask != la->warp->live ? RECORD_DIVERGED : 0;
    return (struct access_record){b->order.time, la->probe->record | diverged | who};
}

/* Bytes of one element of the access. */
static inline uint32_t lane_access_element(const struct lane_access *la) {
    uint32_t bytes = ((const struct access *)la->in->extra)->bytes;
    return bytes && bytes < la->bytes ? bytes : la->bytes;
}
/* The bytes that a lane's plain store or cp.async writes. False: not known. */
bool lane_access_stored(const struct lane_access *la, int lane, uint8_t *out);
/* Does the lane store what the bytes at `now` already hold? */
bool lane_access_keeps_value(const struct lane_access *la, const uint8_t *now);
/* Do the lane and another lane of the same store write the same value? */
bool lane_access_same_as(const struct lane_access *la, int other);

/* For opening the chunk with byte `offset` of an allocation. */
static inline struct chunk_visitor visitor_at(const struct lane_access *la, const struct allocation *a,
                                              uint64_t offset) {
    const struct launch_watch *l = la->warp->launch->watch;
    const uint8_t *memory = a->host + (offset & ~(CHUNK_BYTES - 1));
    return (struct chunk_visitor){l->operation.serial, l->floor, memory, la->write};
}

/* The space that the address of a generic access is in; of any other access its own space. */
enum ptx_space access_space(const struct access *a, uint64_t address);
/* Where a lane's bulk copy takes the bytes that it writes, if it writes all of them as they are. NULL: it reads, or
 * does something else with them. */
const uint8_t *lane_access_bulk_source(const struct warp *w, const struct insn *in, int lane);

/* Sets `target`, the block whose shared memory it is, and from then on the address is an offset there. False: there
 * is no such block, or it has ended. */
bool lane_access_find_target(struct lane_access *la);
/* Sets `allocation`. False: there is none, or nothing is kept for it. */
bool lane_access_find_allocation(struct lane_access *la);
/* Hands the lane's access at an address, as the instruction has it, to the checks. */
void lane_access_check(struct block_watch *b, struct lane_access *la, uint64_t address);

#endif
