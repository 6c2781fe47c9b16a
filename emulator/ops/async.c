/* cp.async, cp.async.bulk and cp.reduce.async.bulk: done at once, see async.h. */
#include "ops/async.h"

#include <stdio.h>
#include <string.h>

#include "machine/block_cluster.h"
#include "machine/finding.h"
#include "ops/atomic.h"
#include "ops/load_store.h"

/* ---- cp.async: 4, 8 or 16 bytes per lane ---- */

static uint64_t address_of(const struct warp *w, uint32_t reg, uint32_t bits, int64_t offset, int lane) {
    const void *at = w->regs + reg;
    uint64_t base = bits == 64 ? ((const uint64_t *)at)[lane] : bits ? ((const uint32_t *)at)[lane] : 0;
    return base + (uint64_t)offset;
}

/* The address of a lane's bytes; nearly always in the allocation that this instruction last used. */
static inline uint8_t *lane_host(struct warp *w, const struct insn *in, uint64_t address, uint32_t bytes, int lane) {
    const struct access *a = in->extra;
    const struct allocation *found = w->worker->cache[a->slot];
    if (a->space == SPACE_GLOBAL && a->kind == ACCESS_LOAD && found && !(address & (a->bytes * a->count - 1u))) {
        uint8_t *host = memory_at(found, address, bytes);
        if (host)
            return host;
    }
    return access_lane_host(w, in, address, bytes, lane);
}

static uint32_t bytes_wanted(const struct warp *w, const struct insn *in, uint32_t size, int lane) {
    if (in->kind == COPY_UNLESS)
        return PRED(2) >> lane & 1 ? 0 : size;
    if (in->kind == COPY_ALL)
        return size;
    uint32_t wanted = REG(uint32_t, 2)[lane];
    return wanted < size ? wanted : size;
}

const struct insn *op_copy_read(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    uint32_t size = a->bytes * a->count;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint8_t *to = REG(uint8_t, 0) + (size_t)l * size;
        uint32_t wanted = bytes_wanted(w, in, size, l);
        if (wanted < size)
            memset(to, 0, size);
        if (!wanted)
            continue; /* nothing is read: the address may be arbitrary */
        const uint8_t *from = lane_host(w, in, address_of(w, a->address_reg, a->address_bits, in->imm, l), wanted, l);
        if (!from)
            return NULL;
        memcpy(to, from, wanted);
    }
    return in + 1;
}

const struct insn *op_copy_write(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    uint32_t size = a->bytes * a->count;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint8_t *to = lane_host(w, in, address_of(w, a->address_reg, a->address_bits, in->imm, l), size, l);
        if (!to)
            return NULL;
        memcpy(to, REG(uint8_t, 0) + (size_t)l * size, size);
    }
    return in + 1;
}

/* ---- cp.async.bulk: any multiple of 16 bytes, usually by one lane ---- */

/* Host pointer to all of a lane's bytes, NULL after a report. The whole range is checked at once; when it is not
 * contiguous, in steps of 16 bytes, which finds the first wrong ones. */
static uint8_t *bulk_host_at(struct warp *w, const struct insn *in, uint64_t begin, uint32_t size, int lane) {
    const struct bulk *k = in->extra;
    uint64_t *at = &REG(uint64_t, 0)[lane];
    *at = begin;
    uint8_t *host = access_lane_host(w, in, begin, 16, lane);
    if (!host)
        return NULL;
    const struct allocation *found = w->worker->cache[k->access.slot];
    uint32_t offset;
    if (k->access.space != SPACE_GLOBAL && cluster_find(w->block, (uint32_t)begin, size, &offset))
        return host;
    if (found && memory_mapped_at(found, begin, size) == host)
        return k->access.kind == ACCESS_LOAD ? host : memory_mapped_store_at(found, begin, size);
    for (uint32_t done = 16; done < size; done += 16) {
        *at = begin + done;
        if (!access_lane_host(w, in, *at, 16, lane))
            return NULL;
    }
    return host;
}

uint64_t bulk_address(const struct warp *w, const struct bulk *k, int lane) {
    return address_of(w, k->address_reg, k->address_bits, k->offset, lane);
}

static uint8_t *bulk_host(struct warp *w, const struct insn *in, uint32_t size, int lane) {
    return bulk_host_at(w, in, bulk_address(w, in->extra, lane), size, lane);
}

static bool size_is_legal(struct warp *w, const struct insn *in, uint32_t size, int lane) {
    if (size % 16 == 0)
        return true;
    report_insn(w, in, FINDING_MISALIGNED, 1u << lane, "A bulk copy's size is not a multiple of 16 bytes.",
                "cp.async.bulk copies multiples of 16 bytes between addresses that are multiples of 16.");
    warp_fault(w, 716);
    return false;
}

const struct insn *op_bulk_read(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint32_t size = REG(uint32_t, 1)[l];
        if (!size_is_legal(w, in, size, l))
            return NULL;
        uint8_t *host = size ? bulk_host(w, in, size, l) : w->block->shared;
        if (!host)
            return NULL;
        REG(uint64_t, 2)[l] = (uint64_t)(uintptr_t)host;
    }
    return in + 1;
}

static void copy_masked(uint8_t *to, const uint8_t *from, uint32_t size, uint16_t mask) {
    for (uint32_t i = 0; i < size; i++)
        if (mask >> i % 16 & 1)
            to[i] = from[i];
}

bool cluster_has_ranks(struct warp *w, const struct insn *in, uint32_t ranks, int lane) {
    if (ranks >> w->launch->cluster_blocks == 0)
        return true;
    char detail[160];
    snprintf(detail, sizeof detail,
             "A multicast mask names blocks outside of the cluster: mask 0x%x, and the cluster has %u.", ranks,
             w->launch->cluster_blocks);
    report_insn(w, in, FINDING_LAUNCH_FAILURE, 1u << lane, detail, "Bit r of the mask selects the block of rank r.");
    warp_fault(w, 719);
    return false;
}

/* One copy of it for each named block, at the same place. */
static bool write_multicast(struct warp *w, const struct insn *in, const uint8_t *from, uint32_t size, int lane) {
    const struct bulk *k = in->extra;
    uint64_t address = bulk_address(w, k, lane);
    uint32_t ranks = ((const uint16_t *)(const void *)(w->regs + k->ranks))[lane];
    if (!cluster_has_ranks(w, in, ranks, lane))
        return false;
    for (; size && ranks; ranks &= ranks - 1) {
        uint32_t place = cluster_address((uint32_t)__builtin_ctz(ranks), (uint32_t)address);
        uint8_t *to = bulk_host_at(w, in, (address & ~(uint64_t)UINT32_MAX) | place, size, lane);
        if (!to)
            return false;
        memmove(to, from, size);
    }
    return true;
}

const struct insn *op_bulk_write(struct warp *w, const struct insn *in) {
    const struct bulk *k = in->extra;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint32_t size = REG(uint32_t, 1)[l];
        const uint8_t *from = (const uint8_t *)(uintptr_t)REG(uint64_t, 2)[l];
        if (k->ranks != ~0u) {
            if (!write_multicast(w, in, from, size, l))
                return NULL;
            continue;
        }
        uint8_t *to = size ? bulk_host(w, in, size, l) : w->block->shared;
        if (!to)
            return NULL;
        if (k->reduces)
            atomic_apply(&k->access, to, from, size / k->element);
        else if (k->byte_mask != ~0u)
            copy_masked(to, from, size, ((const uint16_t *)(const void *)(w->regs + k->byte_mask))[l]);
        else
            memmove(to, from, size);
    }
    return in + 1;
}
