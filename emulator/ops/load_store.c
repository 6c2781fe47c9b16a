/* Loads and stores.
 *
 * Every access is checked against the allocations. That is cheap because most addresses have a pattern: each half of
 * the warp is first tried as contiguous (one element after another) or as one address for all, which is one check and
 * one vector copy; and each instruction caches the allocation that it last accessed. Everything else is done lane by
 * lane, which also finds the wrong lanes. */
#include "ops/load_store.h"

#include <stdio.h>
#include <string.h>

#include "machine/block_cluster.h"
#include "machine/finding.h"
#include "ops/memory_fast.h"

/* the slow path: one lane, any space */

/* Finds all lanes that have the same error, reports it once, and stops the launch. */
static uint8_t *fault(struct warp *w, const struct insn *in, enum finding finding, int lane) {
    _Alignas(64) uint64_t addresses[WARP_SIZE];
    access_addresses(w, in, addresses);
    uint32_t lanes = 0;
    const struct access *a = in->extra;
    const struct allocation *own = memory_find(addresses[lane]);
    for (int l = 0; l < WARP_SIZE; l++) {
        const struct allocation *other = memory_find(addresses[l]);
        bool alike = other == own && (!own || finding == FINDING_MISALIGNED || finding == FINDING_NO_PEER_ACCESS ||
                                      !memory_mapped_at(own, addresses[l], a->bytes * a->count));
        lanes |= (uint32_t)(alike || l == lane) << l;
    }
    warp_fault(w, report_access(w, in, finding, lanes & w->mask, addresses));
    return NULL;
}

static uint8_t *global_host(struct warp *w, const struct insn *in, uint64_t address, uint32_t bytes, int lane) {
    const struct access *a = in->extra;
    const struct allocation *found = w->worker->cache[a->slot];
    uint8_t *host = found ? memory_at(found, address, bytes) : NULL;
    if (!host) {
        found = memory_find(address);
        host = found ? memory_mapped_at(found, address, bytes) : NULL;
        if (host && !grid_may_use(w->launch, found))
            return fault(w, in, FINDING_NO_PEER_ACCESS, lane);
        if (host)
            w->worker->cache[a->slot] = found;
    }
    if (host) {
        if (a->kind != ACCESS_LOAD && !memory_mapped_store_at(found, address, bytes))
            return fault(w, in, FINDING_READ_ONLY, lane);
        return host;
    }
    if (found && !memory_is_live(found) && found->size)
        return fault(w, in, FINDING_USE_AFTER_FREE, lane);
    bool far_away = !found && !memory_is_device_range(address) && address >= 4096;
    return fault(w, in, far_away ? FINDING_HOST_POINTER : FINDING_OUT_OF_BOUNDS, lane);
}

/* PTX has atomics in global and shared memory only; on an H200 one in local memory passes silently and is wrong. */
static uint8_t *local_atomic(struct warp *w, const struct insn *in) {
    report_insn(w, in, FINDING_LAUNCH_FAILURE, w->mask, "An atomic operation on local memory.",
                "The variable is private to one thread. Atomics work on global and shared memory only: on a GPU the "
                "result of this one is undefined.");
    warp_fault(w, 719);
    return NULL;
}

/* Another block's shared memory no longer exists when that block has exited. The order in which blocks run decides
 * whether it is found here. */
static uint8_t *target_ended(struct warp *w, const struct insn *in, const struct block *target, int lane) {
    char detail[160];
    const uint32_t *at = target->ctaid;
    snprintf(detail, sizeof detail,
             "The shared memory of block (%u,%u,%u), rank %u in the cluster, is accessed after that block has exited.",
             at[0], at[1], at[2], target->rank);
    report_insn(
        w, in, FINDING_LAUNCH_FAILURE, 1u << lane, detail,
        "The lifetime of a block's shared memory ends when the block exits: all blocks of the cluster have to reach a "
        "cluster.sync() after the last access to another block's shared memory, before any of them returns.");
    warp_fault(w, 719);
    return NULL;
}

/* Only accesses of .shared::cluster and generic ones reach another block. */
static uint8_t *shared_host(struct warp *w, const struct insn *in, uint32_t address, uint32_t bytes, int lane) {
    const struct access *a = in->extra;
    uint32_t offset;
    const struct block *target = cluster_find(w->block, address, bytes, &offset);
    if (!target || (a->space == SPACE_SHARED && target != w->block))
        return fault(w, in, FINDING_OUT_OF_BOUNDS, lane);
    if (cluster_block_ended(target))
        return target_ended(w, in, target, lane);
    return target->shared + offset;
}

uint8_t *access_lane_host(struct warp *w, const struct insn *in, uint64_t address, uint32_t bytes, int lane) {
    const struct access *a = in->extra;
    enum ptx_space space = (enum ptx_space)a->space;
    uint64_t offset = address;
    uint32_t align = a->bytes * a->count;
    if (space == SPACE_GENERIC && address >> WINDOW_SHIFT) {
        uint64_t window = address >> WINDOW_SHIFT;
        space = window == 1 ? SPACE_SHARED : window == 2 ? SPACE_LOCAL : window == 3 ? SPACE_PARAM : SPACE_GENERIC;
        offset = address & (((uint64_t)1 << WINDOW_SHIFT) - 1);
    }
    if (address & (align - 1))
        return fault(w, in, FINDING_MISALIGNED, lane);
    if (space == SPACE_SHARED)
        return shared_host(w, in, (uint32_t)offset, bytes, lane);
    if (space == SPACE_LOCAL && a->kind == ACCESS_ATOMIC)
        return local_atomic(w, in);
    if (space == SPACE_LOCAL) {
        if (offset + bytes <= w->launch->local_bytes)
            return w->local + (size_t)lane * w->launch->local_bytes + offset;
        return fault(w, in, FINDING_OUT_OF_BOUNDS, lane);
    }
    if (space == SPACE_PARAM) {
        if (a->kind == ACCESS_LOAD && offset + bytes <= w->launch->kernel->param_bytes)
            return (uint8_t *)(uintptr_t)(w->launch->params + offset);
        return fault(w, in, FINDING_OUT_OF_BOUNDS, lane);
    }
    return global_host(w, in, address, bytes, lane);
}

/* ---- registers ---- */

/* Writes the low bytes of a value of the given type into a register, extended to its width as ld does. */
static void register_write(uint8_t *reg, const struct access *a, const uint8_t *from, int l) {
    unsigned width = a->reg_bits / 8u;
    bool is_signed = a->type == TYPE_S8 || a->type == TYPE_S16 || a->type == TYPE_S32;
    uint8_t value[16];
    memset(value, is_signed && from[a->bytes - 1] >> 7 ? 0xff : 0, sizeof value);
    memcpy(value, from, a->bytes);
    memcpy(reg + (size_t)l * width, value, width);
}

/* Any load, lane by lane. */
static const struct insn *load_lanes(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    uint32_t bytes = a->bytes * a->count;
    for (int l = 0; l < WARP_SIZE; l++) {
        if (!LANE_ON(w->mask))
            continue;
        const uint8_t *host = access_lane_host(w, in, access_address(w, in, l), bytes, l);
        if (!host)
            return NULL;
        uint8_t copy[64]; /* all elements are read before any register is written: the address may be one of them */
        memcpy(copy, host, bytes);
        for (unsigned i = 0; i < a->count; i++)
            register_write(w->regs + a->regs[i], a, copy + i * a->bytes, l);
    }
    return in + 1;
}

static const struct insn *store_lanes(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    unsigned width = a->reg_bits / 8u;
    for (int l = 0; l < WARP_SIZE; l++) {
        if (!LANE_ON(w->mask))
            continue;
        uint8_t *host = access_lane_host(w, in, access_address(w, in, l), a->bytes * a->count, l);
        if (!host)
            return NULL;
        for (unsigned i = 0; i < a->count; i++)
            memcpy(host + i * a->bytes, w->regs + a->regs[i] + (size_t)l * width, a->bytes);
    }
    return in + 1;
}

/* the fast paths */

/* Scalar fast path, for n elements as wide as a register. False on the first access that needs the slow path: of a
 * load nothing has been written then, and a store is made again. */
#define LOAD_EACH(name, A, T, n, piece)                                                                                \
    static inline bool name(struct warp *w, const struct insn *in, uint32_t lanes) {                                   \
        const struct fast_access a = fast_access(in);                                                                  \
        const A *address = (const A *)(const void *)(w->regs + a.address);                                             \
        T value[n][WARP_SIZE], element[n];                                                                             \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                                          \
            int l = first_lane(rest);                                                                                  \
            const uint8_t *host = piece(w, &a, (A)(address[l] + (A)a.imm), sizeof element, sizeof element, false);     \
            if (!host)                                                                                                 \
                return false;                                                                                          \
            memcpy(element, host, sizeof element);                                                                     \
            for (int i = 0; i < n; i++)                                                                                \
                value[i][l] = element[i];                                                                              \
        }                                                                                                              \
        for (int i = 0; i < n; i++) {                                                                                  \
            T *d = (T *)(void *)(w->regs + a.data[i]);                                                                 \
            for (int l = 0; l < WARP_SIZE; l++)                                                                        \
                d[l] = LANE_ON(lanes) ? value[i][l] : d[l];                                                            \
        }                                                                                                              \
        return true;                                                                                                   \
    }

#define STORE_EACH(name, A, T, n, piece)                                                                               \
    static inline bool name(struct warp *w, const struct insn *in, uint32_t lanes) {                                   \
        const struct fast_access a = fast_access(in);                                                                  \
        const A *address = (const A *)(const void *)(w->regs + a.address);                                             \
        const T *d[n];                                                                                                 \
        T element[n];                                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            d[i] = (const T *)(const void *)(w->regs + a.data[i]);                                                     \
        for (; lanes; lanes &= lanes - 1) {                                                                            \
            int l = first_lane(lanes);                                                                                 \
            uint8_t *host = piece(w, &a, (A)(address[l] + (A)a.imm), sizeof element, sizeof element, true);            \
            if (!host)                                                                                                 \
                return false;                                                                                          \
            for (int i = 0; i < n; i++)                                                                                \
                element[i] = d[i][l];                                                                                  \
            memcpy(host, element, sizeof element);                                                                     \
        }                                                                                                              \
        return true;                                                                                                   \
    }
#define EACH_OF_SPACE(space, A, piece)                                                                                 \
    LOAD_EACH(load_each_##space##_32, A, uint32_t, 1, piece)                                                           \
    LOAD_EACH(load_each_##space##_64, A, uint64_t, 1, piece)                                                           \
    LOAD_EACH(load_each_##space##_v2_32, A, uint32_t, 2, piece)                                                        \
    LOAD_EACH(load_each_##space##_v4_32, A, uint32_t, 4, piece)                                                        \
    LOAD_EACH(load_each_##space##_v2_64, A, uint64_t, 2, piece)                                                        \
    STORE_EACH(store_each_##space##_32, A, uint32_t, 1, piece)                                                         \
    STORE_EACH(store_each_##space##_64, A, uint64_t, 1, piece)                                                         \
    STORE_EACH(store_each_##space##_v2_32, A, uint32_t, 2, piece)                                                      \
    STORE_EACH(store_each_##space##_v4_32, A, uint32_t, 4, piece)                                                      \
    STORE_EACH(store_each_##space##_v2_64, A, uint64_t, 2, piece)
EACH_OF_SPACE(global, uint64_t, global_piece)
EACH_OF_SPACE(shared, uint32_t, shared_piece)

/* Tries each half of a full warp as a pattern. The halves are independent, so it does not matter if the destination is
 * the address register. The rest is done lane by lane. */
#define ACCESS(name, fast, each, slow)                                                                                 \
    static const struct insn *name(struct warp *w, const struct insn *in) {                                            \
        uint32_t all = w->mask, rest = all;                                                                            \
        if (all == FULL_MASK) {                                                                                        \
            const struct fast_access a = fast_access(in);                                                              \
            rest = (fast(w, a, 0) ? 0 : 0xffffu) | (fast(w, a, HALF) ? 0 : 0xffff0000u);                               \
            if (!rest)                                                                                                 \
                return in + 1;                                                                                         \
        }                                                                                                              \
        if (each)                                                                                                      \
            return in + 1;                                                                                             \
        w->mask = rest;                                                                                                \
        const struct insn *next = slow(w, in);                                                                         \
        w->mask = all;                                                                                                 \
        return next;                                                                                                   \
    }

/* Small elements without a pattern have only the slow path. */
#define EACH_u8(function)    false
#define EACH_s8(function)    false
#define EACH_16(function)    false
#define EACH_v2_32(function) function##_v2_32(w, in, rest)
#define EACH_v4_32(function) function##_v4_32(w, in, rest)
#define EACH_v2_64(function) function##_v2_64(w, in, rest)
#define EACH_32(function)    function##_32(w, in, rest)
#define EACH_64(function)    function##_64(w, in, rest)
#define GLOBAL_LOAD(size, T, R, n)                                                                                     \
    ACCESS(load_global_##size, fast_load_global_##size, EACH_##size(load_each_global), load_lanes)
#define SHARED_LOAD(size, T, R, n)                                                                                     \
    ACCESS(load_shared_##size, fast_load_shared_##size, EACH_##size(load_each_shared), load_lanes)
#define GLOBAL_STORE(size, T, R, n)                                                                                    \
    ACCESS(store_global_##size, fast_store_global_##size, EACH_##size(store_each_global), store_lanes)
#define SHARED_STORE(size, T, R, n)                                                                                    \
    ACCESS(store_shared_##size, fast_store_shared_##size, EACH_##size(store_each_shared), store_lanes)
FAST_LOADS(GLOBAL_LOAD)
FAST_LOADS(SHARED_LOAD)
FAST_STORES(GLOBAL_STORE)
FAST_STORES(SHARED_STORE)

/* the name of the fast path that fits, or NULL */
static const char *fast_size(const struct access *a) {
    bool load = a->kind == ACCESS_LOAD;
    if (a->count == 1 && a->bytes == 1 && a->reg_bits == 16)
        return a->type == TYPE_S8 && load ? "s8" : "u8";
    if (a->reg_bits != 8 * a->bytes)
        return NULL;
    switch (a->count * 100 + a->bytes) {
    case 102:
        return "16";
    case 104:
        return "32";
    case 108:
        return "64";
    case 204:
        return "v2_32";
    case 404:
        return "v4_32";
    case 208:
        return "v2_64";
    }
    return NULL;
}

bool memory_fast_name(const struct access *a, char name[static 32]) {
    for (unsigned i = 0; i < a->count; i++)
        if (a->regs[i] == ~0u) /* '_' */
            return false;
    bool global = a->space == SPACE_GLOBAL || a->space == SPACE_GENERIC || a->space == SPACE_CONST;
    bool shared = a->space == SPACE_SHARED && a->address_bits == 32;
    const char *size = fast_size(a);
    if (a->kind > ACCESS_STORE || !size || !(shared || (global && a->address_bits == 64)))
        return false;
    snprintf(name, 32, "%s_%s_%s", a->kind == ACCESS_LOAD ? "load" : "store", shared ? "shared" : "global", size);
    return true;
}

/* A kernel's parameter: the same for every lane. */
static const struct insn *load_param(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    if ((uint64_t)in->imm + (uint64_t)a->bytes * a->count > w->launch->kernel->param_bytes)
        return load_lanes(w, in);
    for (unsigned i = 0; i < a->count; i++)
        for (int l = 0; l < WARP_SIZE; l++)
            if (LANE_ON(w->mask))
                register_write(w->regs + a->regs[i], a, w->launch->params + in->imm + i * a->bytes, l);
    return in + 1;
}

#define LOAD_PARAM(name, T)                                                                                            \
    static const struct insn *name(struct warp *w, const struct insn *in) {                                            \
        T value;                                                                                                       \
        memcpy(&value, w->launch->params + in->imm, sizeof value);                                                     \
        WRITE_LANES(T, value);                                                                                         \
        return in + 1;                                                                                                 \
    }
LOAD_PARAM(load_param_32, uint32_t)
LOAD_PARAM(load_param_64, uint64_t)

handler_fn memory_operation(const struct access *a) {
    static const struct {
        const char *name;
        handler_fn handler;
    } fast[] = {
#define LOAD_ROW(size, T, R, n) {"load_global_" #size, load_global_##size}, {"load_shared_" #size, load_shared_##size},
#define STORE_ROW(size, T, R, n)                                                                                       \
    {"store_global_" #size, store_global_##size}, {"store_shared_" #size, store_shared_##size},
        FAST_LOADS(LOAD_ROW) FAST_STORES(STORE_ROW)};
    bool load = a->kind == ACCESS_LOAD, plain = a->count == 1 && a->reg_bits == 8 * a->bytes;
    if (a->space == SPACE_PARAM && load && !a->address_bits)
        return plain && a->bytes == 4 ? load_param_32 : plain && a->bytes == 8 ? load_param_64 : load_param;
    char name[32];
    for (size_t i = 0; memory_fast_name(a, name) && i < sizeof fast / sizeof *fast; i++)
        if (strcmp(fast[i].name, name) == 0)
            return fast[i].handler;
    return load ? load_lanes : store_lanes;
}

/* ---- parameters of functions, in the frame ---- */

static const struct insn *load_frame(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    for (unsigned i = 0; i < a->count; i++)
        for (int l = 0; l < WARP_SIZE; l++)
            if (LANE_ON(w->mask))
                register_write(w->regs + a->regs[i], a,
                               w->regs + in->op[1] + (size_t)l * a->stride + in->imm + i * a->bytes, l);
    return in + 1;
}

static const struct insn *store_frame(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    unsigned width = a->reg_bits / 8u;
    for (unsigned i = 0; i < a->count; i++)
        for (int l = 0; l < WARP_SIZE; l++)
            if (LANE_ON(w->mask))
                memcpy(w->regs + in->op[1] + (size_t)l * a->stride + in->imm + i * a->bytes,
                       w->regs + a->regs[i] + (size_t)l * width, a->bytes);
    return in + 1;
}

handler_fn memory_frame_operation(const struct access *a) {
    return a->kind == ACCESS_LOAD ? load_frame : store_frame;
}

/* ---- addresses ---- */

const struct insn *op_cvta(struct warp *w, const struct insn *in) {
    const uint64_t *a = REG(uint64_t, 1);
    uint64_t add = (uint64_t)in->imm;
    WRITE_LANES(uint64_t, a[l] + add);
    return in + 1;
}

const struct insn *op_isspacep(struct warp *w, const struct insn *in) {
    const uint64_t *a = REG(uint64_t, 1);
    uint32_t inside = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        inside |= (uint32_t)(a[l] >> WINDOW_SHIFT == (uint64_t)in->imm >> WINDOW_SHIFT) << l;
    for (uint32_t rest = in->kind ? inside : 0; rest; rest &= rest - 1)
        if (cluster_rank((uint32_t)a[first_lane(rest)]) != w->block->rank)
            inside &= ~(1u << first_lane(rest));
    WRITE_PRED(0, inside);
    return in + 1;
}

/* Constants have no separate window: they are stored in global memory, but do not count as global. */
static uint32_t in_constants(const struct warp *w, const uint64_t *a) {
    uint32_t inside = 0;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        const struct allocation *found = memory_find(a[first_lane(rest)]);
        inside |= (uint32_t)(found && found->kind == MEMORY_CONSTANT) << first_lane(rest);
    }
    return inside;
}

const struct insn *op_isspacep_const(struct warp *w, const struct insn *in) {
    WRITE_PRED(0, in_constants(w, REG(uint64_t, 1)));
    return in + 1;
}

const struct insn *op_isspacep_global(struct warp *w, const struct insn *in) {
    const uint64_t *a = REG(uint64_t, 1);
    uint32_t inside = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        inside |= (uint32_t)(a[l] >> WINDOW_SHIFT == (uint64_t)in->imm >> WINDOW_SHIFT) << l;
    WRITE_PRED(0, inside & ~in_constants(w, a));
    return in + 1;
}
