/* Adds requests, bulk copies and texels to their array, and notes which threads of a block made them. */
#include "profile/array_counts.h"

#include "profile/counters.h"

#define SECTOR 32

static void reach(const struct warp *w, unsigned direction, uint32_t lanes, uint64_t bytes) {
    struct block_reach *to = &w->block->reach;
    to->lanes[direction][w->index] |= lanes;
    to->bytes[direction] += bytes;
}

static void reach_part(const struct array_request *r, const struct array_part *part, uint32_t lanes, uint64_t bytes) {
    if (part->input && r->kind != ACCESS_STORE)
        reach(r->w, REACH_INPUT, lanes, bytes);
    if (part->output && r->kind != ACCESS_LOAD)
        reach(r->w, REACH_OUTPUT, lanes, bytes);
}

void array_counts_add(struct array_counts *c, const struct array_request *r, const struct array_part *part,
                      uint32_t lanes, unsigned bytes, unsigned sectors) {
    struct emulatorArrayCounters *to = &c->of[part->array];
    uint64_t all = (uint64_t)bytes * (unsigned)__builtin_popcount(lanes);
    switch (r->kind) {
    case ACCESS_LOAD:
        to->load_requests++;
        to->load_sectors += sectors;
        to->load_bytes += all;
        to->poll_requests += r->polls;
        to->poll_sectors += r->polls ? sectors : 0;
        break;
    case ACCESS_STORE:
        to->store_requests++;
        to->store_sectors += sectors;
        to->store_bytes += all;
        break;
    case ACCESS_ATOMIC:
        to->atomic_requests++;
        to->atomic_sectors += sectors;
        to->atomic_bytes += all;
        break;
    }
    if (part->array == ARRAY_OF_HOST && r->kind != ACCESS_STORE)
        launch_log_load(c->launch.loaded, part->from, all);
    reach_part(r, part, lanes, all);
}

static bool is_in(const struct array_part *part, uint64_t address, unsigned bytes) {
    return address >= part->from && address < part->to && bytes <= part->to - address;
}

static uint32_t lanes_in(const struct array_part *part, const uint64_t addresses[WARP_SIZE], uint32_t lanes,
                         unsigned bytes) {
    uint32_t in = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        in |= is_in(part, addresses[first_lane(left)], bytes) ? left & -left : 0;
    return in;
}

void array_counts_split(struct array_counts *c, const struct array_request *r, struct array_part *part,
                        const uint64_t addresses[WARP_SIZE], uint32_t lanes, unsigned bytes, unsigned sectors) {
    for (uint32_t left = lanes, in; left; left &= ~in) {
        int l = first_lane(left);
        if (!is_in(part, addresses[l], bytes))
            *part = arrays_find(addresses[l]);
        in = lanes_in(part, addresses, left, bytes) | (uint32_t)1 << l; /* of one that extends beyond: its start */
        array_counts_add(c, r, part, in, bytes, in == lanes ? sectors : count_sectors(addresses, in, bytes));
    }
}

/* One thread requests data that all threads of its block have made, or will use. */
void array_counts_bulk(struct array_counts *c, const struct warp *w, bool stores, uint64_t address, uint64_t bytes) {
    struct array_part part = arrays_find(address);
    const struct launch *launch = w->launch;
    if (stores)
        c->of[part.array].bulk_store_bytes += bytes;
    else
        c->of[part.array].bulk_load_bytes += bytes;
    if (part.array == ARRAY_OF_HOST && !stores)
        launch_log_load(c->launch.loaded, part.from, bytes);
    if (!(stores ? part.output : part.input))
        return;
    unsigned direction = stores ? REACH_OUTPUT : REACH_INPUT;
    w->block->reach.bytes[direction] += bytes;
    for (uint32_t i = 0; i < launch->warps_per_block; i++)
        w->block->reach.lanes[direction][i] |= w->block->warps[i].threads;
}

void array_counts_sectors(struct array_counts *c, const struct warp *w, uint32_t lanes, enum array_sectors kind,
                          const uint64_t *sectors, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct array_part part = arrays_find(sectors[i] * SECTOR);
        struct emulatorArrayCounters *to = &c->of[part.array];
        to->texture_sectors += kind == ARRAY_TEXTURE;
        to->surface_load_sectors += kind == ARRAY_SURFACE_LOAD;
        to->surface_store_sectors += kind == ARRAY_SURFACE_STORE;
        if (part.array == ARRAY_OF_HOST && kind != ARRAY_SURFACE_STORE)
            launch_log_load(c->launch.loaded, part.from, SECTOR);
        reach_part(&(struct array_request){w, kind == ARRAY_SURFACE_STORE ? ACCESS_STORE : ACCESS_LOAD, false}, &part,
                   lanes, SECTOR);
    }
}

void array_counts_block(struct array_counts *c, const struct block *b) {
    for (unsigned direction = 0; direction < 2; direction++) {
        uint64_t threads = 0;
        for (uint32_t i = 0; i < b->launch->warps_per_block; i++)
            threads += (unsigned)__builtin_popcount(b->reach.lanes[direction][i]);
        c->launch.threads[direction] += threads;
        c->launch.blocks[direction] += threads > 0;
        c->launch.bytes[direction] += b->reach.bytes[direction];
        if (b->reach.bytes[direction] > c->launch.most_bytes[direction])
            c->launch.most_bytes[direction] = b->reach.bytes[direction];
    }
}
