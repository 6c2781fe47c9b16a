/* Loads and stores.
 *
 * Every access is checked against the allocations. What makes that cheap is that lanes are regular: each half of the
 * warp is first seen as a run (lane after lane, one element apart) or as one address for all, which is one check and one
 * vector copy; and each instruction remembers the allocation that it last touched. Whatever is neither regular nor in
 * bounds goes lane by lane, which also finds who is to blame. */
#include "ops/memory.h"

#include <string.h>

#include "check/report.h"
#include "core/function.h"
#include "core/simd.h"

#define HALF 16

/* ---- addresses ---- */

static inline uint64_t lane_address(const struct warp *w, const struct insn *in, const struct access *a, int l) {
    const void *at = w->regs + a->address_reg;
    uint64_t base = a->address_bits == 64 ? ((const uint64_t *)at)[l] : a->address_bits ? ((const uint32_t *)at)[l] : 0;
    return base + (uint64_t)in->imm;
}

void access_addresses(const struct warp *w, const struct insn *in, uint64_t out[WARP_SIZE]) {
    const struct access *a = in->extra;
    for (int l = 0; l < WARP_SIZE; l++)
        out[l] = lane_address(w, in, a, l);
}

/* ---- one lane, any space: the careful way ---- */

/* Finds who does the same wrong thing, says so once, and stops the launch. */
static uint8_t *fault(struct warp *w, const struct insn *in, enum finding finding, int lane) {
    uint64_t addresses[WARP_SIZE];
    access_addresses(w, in, addresses);
    uint32_t lanes = 0;
    const struct access *a = in->extra;
    const struct allocation *own = memory_find(addresses[lane]);
    for (int l = 0; l < WARP_SIZE; l++) {
        const struct allocation *other = memory_find(addresses[l]);
        bool alike = other == own &&
                     (!own || finding == FINDING_MISALIGNED || !memory_at(own, addresses[l], a->bytes * a->count));
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
        host = found ? memory_at(found, address, bytes) : NULL;
        if (host)
            w->worker->cache[a->slot] = found;
    }
    if (host) {
        if (a->kind != ACCESS_LOAD && found->read_only)
            return fault(w, in, FINDING_READ_ONLY, lane);
        return host;
    }
    if (found && !found->limit && found->size)
        return fault(w, in, FINDING_USE_AFTER_FREE, lane);
    bool far_away = !found && !memory_is_device_range(address) && address >= 4096;
    return fault(w, in, far_away ? FINDING_HOST_POINTER : FINDING_OUT_OF_BOUNDS, lane);
}

/* PTX has atomics in global and shared memory only; on an H200 one in local memory passes silently and is wrong. */
static uint8_t *local_atomic(struct warp *w, const struct insn *in) {
    report_insn(w, in, FINDING_LAUNCH_FAILURE, w->mask, "An atomic operation on local memory.",
                "The variable belongs to one thread alone. Atomics work in global and shared memory only: on a GPU the "
                "result of this one is undefined.");
    warp_fault(w, 719);
    return NULL;
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
    if (space == SPACE_SHARED) {
        offset &= 0xffffffffu;
        if (offset + bytes <= w->launch->shared_bytes)
            return w->block->shared + offset;
        return fault(w, in, FINDING_OUT_OF_BOUNDS, lane);
    }
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
        const uint8_t *host = access_lane_host(w, in, lane_address(w, in, a, l), bytes, l);
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
        uint8_t *host = access_lane_host(w, in, lane_address(w, in, a, l), a->bytes * a->count, l);
        if (!host)
            return NULL;
        for (unsigned i = 0; i < a->count; i++)
            memcpy(host + i * a->bytes, w->regs + a->regs[i] + (size_t)l * width, a->bytes);
    }
    return in + 1;
}

/* ---- the fast ways: one element of 4 or 8 bytes in a register of its width ---- */

enum pattern { PATTERN_NONE, PATTERN_RUN, PATTERN_SAME };

#define PATTERN(name, T, is_run)                                                                                       \
    static inline enum pattern name(const T *address, T step) {                                                        \
        return is_run(address, step) ? PATTERN_RUN : is_run(address, 0) ? PATTERN_SAME : PATTERN_NONE;                 \
    }
PATTERN(pattern32, uint32_t, simd_is_run32)
PATTERN(pattern64, uint64_t, simd_is_run64)

/* Host pointer to a regular piece of global memory, or NULL: then lane by lane. */
static inline uint8_t *global_piece(struct warp *w, const struct access *a, uint64_t address, uint64_t bytes,
                                    bool store) {
    const struct allocation *found = w->worker->cache[a->slot];
    uint8_t *host = found ? memory_at(found, address, bytes) : NULL;
    return host && !(address & (a->bytes - 1u)) && !(store && found->read_only) ? host : NULL;
}

static inline uint8_t *shared_piece(struct warp *w, const struct access *a, uint64_t address, uint64_t bytes,
                                    bool store) {
    (void)store;
    bool inside = address + bytes <= w->launch->shared_bytes && !(address & (a->bytes - 1u));
    return inside ? w->block->shared + address : NULL;
}

/* Half a warp's load: false if it is not regular or not in bounds. */
#define LOAD_HALF(name, A, T, pattern_of, piece)                                                                       \
    static inline bool name(struct warp *w, const struct insn *in, int half) {                                         \
        const struct access *a = in->extra;                                                                            \
        const A *address = (const A *)(const void *)(w->regs + in->op[1]) + half;                                      \
        T *d = REG(T, 0) + half;                                                                                       \
        enum pattern pattern = pattern_of(address, sizeof(T));                                                         \
        if (pattern == PATTERN_NONE)                                                                                   \
            return false;                                                                                              \
        A first = (A)(address[0] + (A)in->imm);                                                                        \
        const uint8_t *host = piece(w, a, first, pattern == PATTERN_RUN ? HALF * sizeof(T) : sizeof(T), false);        \
        if (!host)                                                                                                     \
            return false;                                                                                              \
        if (pattern == PATTERN_RUN) {                                                                                  \
            memcpy(d, host, HALF * sizeof(T));                                                                         \
        } else {                                                                                                       \
            T value;                                                                                                   \
            memcpy(&value, host, sizeof value);                                                                        \
            for (int l = 0; l < HALF; l++)                                                                             \
                d[l] = value;                                                                                          \
        }                                                                                                              \
        return true;                                                                                                   \
    }

#define STORE_HALF(name, A, T, pattern_of, piece)                                                                      \
    static inline bool name(struct warp *w, const struct insn *in, int half) {                                         \
        const struct access *a = in->extra;                                                                            \
        const A *address = (const A *)(const void *)(w->regs + in->op[1]) + half;                                      \
        if (pattern_of(address, sizeof(T)) != PATTERN_RUN)                                                             \
            return false;                                                                                              \
        uint8_t *host = piece(w, a, (A)(address[0] + (A)in->imm), HALF * sizeof(T), true);                             \
        if (host)                                                                                                      \
            memcpy(host, REG(T, 0) + half, HALF * sizeof(T));                                                          \
        return host != NULL;                                                                                           \
    }

/* Lane by lane, but in a hurry: false at the first access that is not simply right, with nothing written. */
#define LOAD_EACH(name, A, T, piece)                                                                                   \
    static inline bool name(struct warp *w, const struct insn *in, uint32_t lanes) {                                   \
        const struct access *a = in->extra;                                                                            \
        const A *address = (const A *)(const void *)(w->regs + in->op[1]);                                             \
        T *d = REG(T, 0), value[WARP_SIZE];                                                                            \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                                          \
            int l = first_lane(rest);                                                                                  \
            const uint8_t *host = piece(w, a, (A)(address[l] + (A)in->imm), sizeof(T), false);                         \
            if (!host)                                                                                                 \
                return false;                                                                                          \
            memcpy(&value[l], host, sizeof(T));                                                                        \
        }                                                                                                              \
        for (int l = 0; l < WARP_SIZE; l++)                                                                            \
            d[l] = LANE_ON(lanes) ? value[l] : d[l];                                                                   \
        return true;                                                                                                   \
    }

#define STORE_EACH(name, A, T, piece)                                                                                  \
    static inline bool name(struct warp *w, const struct insn *in, uint32_t lanes) {                                   \
        const struct access *a = in->extra;                                                                            \
        const A *address = (const A *)(const void *)(w->regs + in->op[1]);                                             \
        const T *d = REG(T, 0);                                                                                        \
        for (; lanes; lanes &= lanes - 1) {                                                                            \
            int l = first_lane(lanes);                                                                                 \
            uint8_t *host = piece(w, a, (A)(address[l] + (A)in->imm), sizeof(T), true);                                \
            if (!host)                                                                                                 \
                return false; /* the careful way stores the same again, in the same order */                           \
            memcpy(host, &d[l], sizeof(T));                                                                            \
        }                                                                                                              \
        return true;                                                                                                   \
    }

/* Each half of a full warp may be regular (then its addresses are not needed any more, even if the destination is the
 * address register: halves are independent); what is left goes lane by lane. */
#define ACCESS_32_LANES(name, careful)                                                                                 \
    static const struct insn *name(struct warp *w, const struct insn *in) {                                            \
        uint32_t all = w->mask, rest = all;                                                                            \
        if (all == FULL_MASK) {                                                                                        \
            rest = (name##_half(w, in, 0) ? 0 : 0xffffu) | (name##_half(w, in, HALF) ? 0 : 0xffff0000u);               \
            if (!rest)                                                                                                 \
                return in + 1;                                                                                         \
        }                                                                                                              \
        if (name##_each(w, in, rest))                                                                                  \
            return in + 1;                                                                                             \
        w->mask = rest;                                                                                                \
        const struct insn *next = careful(w, in);                                                                      \
        w->mask = all;                                                                                                 \
        return next;                                                                                                   \
    }

#define LOAD(name, A, T, pattern_of, piece)                                                                            \
    LOAD_HALF(name##_half, A, T, pattern_of, piece)                                                                    \
    LOAD_EACH(name##_each, A, T, piece)                                                                                \
    ACCESS_32_LANES(name, load_lanes)

#define STORE(name, A, T, pattern_of, piece)                                                                           \
    STORE_HALF(name##_half, A, T, pattern_of, piece)                                                                   \
    STORE_EACH(name##_each, A, T, piece)                                                                               \
    ACCESS_32_LANES(name, store_lanes)

LOAD(load_global_32, uint64_t, uint32_t, pattern64, global_piece)
LOAD(load_global_64, uint64_t, uint64_t, pattern64, global_piece)
STORE(store_global_32, uint64_t, uint32_t, pattern64, global_piece)
STORE(store_global_64, uint64_t, uint64_t, pattern64, global_piece)
LOAD(load_shared_32, uint32_t, uint32_t, pattern32, shared_piece)
LOAD(load_shared_64, uint32_t, uint64_t, pattern32, shared_piece)
STORE(store_shared_32, uint32_t, uint32_t, pattern32, shared_piece)
STORE(store_shared_64, uint32_t, uint64_t, pattern32, shared_piece)

/* ---- vectors: float2, float4 and the like, when the full warp reads or writes one piece of memory ---- */

static inline uint8_t *vector_piece(struct warp *w, const struct insn *in, bool store) {
    const struct access *a = in->extra;
    const uint64_t *address = (const uint64_t *)(const void *)(w->regs + in->op[1]);
    unsigned step = a->bytes * a->count;
    if (w->mask != FULL_MASK || !simd_is_run64(address, step) || !simd_is_run64(address + HALF, step) ||
        address[HALF] != address[0] + (uint64_t)HALF * step)
        return NULL;
    uint64_t first = address[0] + (uint64_t)in->imm;
    return first & (step - 1) ? NULL : global_piece(w, a, first, (uint64_t)WARP_SIZE * step, store);
}

#define LOAD_VECTOR(name, T, n)                                                                                        \
    static const struct insn *name(struct warp *w, const struct insn *in) {                                            \
        const struct access *a = in->extra;                                                                            \
        const T *host = (const T *)(const void *)vector_piece(w, in, false);                                           \
        if (!host)                                                                                                     \
            return load_lanes(w, in);                                                                                  \
        for (unsigned i = 0; i < n; i++) {                                                                             \
            T *d = (T *)(void *)(w->regs + a->regs[i]);                                                                \
            for (int l = 0; l < WARP_SIZE; l++)                                                                        \
                d[l] = host[l * n + i];                                                                                \
        }                                                                                                              \
        return in + 1;                                                                                                 \
    }

#define STORE_VECTOR(name, T, n)                                                                                       \
    static const struct insn *name(struct warp *w, const struct insn *in) {                                            \
        const struct access *a = in->extra;                                                                            \
        T *host = (T *)(void *)vector_piece(w, in, true);                                                              \
        if (!host)                                                                                                     \
            return store_lanes(w, in);                                                                                 \
        for (unsigned i = 0; i < n; i++) {                                                                             \
            const T *d = (const T *)(const void *)(w->regs + a->regs[i]);                                              \
            for (int l = 0; l < WARP_SIZE; l++)                                                                        \
                host[l * n + i] = d[l];                                                                                \
        }                                                                                                              \
        return in + 1;                                                                                                 \
    }

LOAD_VECTOR(load_global_v2_32, uint32_t, 2)
LOAD_VECTOR(load_global_v4_32, uint32_t, 4)
LOAD_VECTOR(load_global_v2_64, uint64_t, 2)
STORE_VECTOR(store_global_v2_32, uint32_t, 2)
STORE_VECTOR(store_global_v4_32, uint32_t, 4)
STORE_VECTOR(store_global_v2_64, uint64_t, 2)

static op_fn vector_operation(const struct access *a, bool load) {
    if (a->bytes == 4 && a->count == 2)
        return load ? load_global_v2_32 : store_global_v2_32;
    if (a->bytes == 4 && a->count == 4)
        return load ? load_global_v4_32 : store_global_v4_32;
    if (a->bytes == 8 && a->count == 2)
        return load ? load_global_v2_64 : store_global_v2_64;
    return load ? load_lanes : store_lanes;
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

op_fn memory_operation(const struct access *a) {
    bool load = a->kind == ACCESS_LOAD, plain = a->count == 1 && a->reg_bits == 8 * a->bytes;
    bool global = (a->space == SPACE_GLOBAL || a->space == SPACE_GENERIC || a->space == SPACE_CONST);
    if (a->space == SPACE_PARAM && load && !a->address_bits)
        return plain && a->bytes == 4 ? load_param_32 : plain && a->bytes == 8 ? load_param_64 : load_param;
    if (plain && global && a->address_bits == 64 && a->bytes == 4)
        return load ? load_global_32 : store_global_32;
    if (plain && global && a->address_bits == 64 && a->bytes == 8)
        return load ? load_global_64 : store_global_64;
    if (plain && a->space == SPACE_SHARED && a->address_bits == 32 && a->bytes == 4)
        return load ? load_shared_32 : store_shared_32;
    if (plain && a->space == SPACE_SHARED && a->address_bits == 32 && a->bytes == 8)
        return load ? load_shared_64 : store_shared_64;
    if (a->count > 1 && a->reg_bits == 8 * a->bytes && global && a->address_bits == 64)
        return vector_operation(a, load);
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

op_fn memory_frame_operation(const struct access *a) {
    return a->kind == ACCESS_LOAD ? load_frame : store_frame;
}

/* ---- about addresses ---- */

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
    WRITE_PRED(0, inside);
    return in + 1;
}

/* Constants have no window of their own: they lie among global memory. */
const struct insn *op_isspacep_const(struct warp *w, const struct insn *in) {
    const uint64_t *a = REG(uint64_t, 1);
    uint32_t inside = 0;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        const struct allocation *found = memory_find(a[first_lane(rest)]);
        inside |= (uint32_t)(found && found->kind == MEMORY_CONSTANT) << first_lane(rest);
    }
    WRITE_PRED(0, inside);
    return in + 1;
}
