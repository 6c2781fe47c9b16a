/* The fast path of loads and stores of a whole warp, by halves of 16 lanes, for the interpreter (ops/load_store.c)
 * and for the second tier.
 *
 * A half has a pattern when its lanes access contiguous elements or, loading, all the same one. That is one check and
 * one copy. Everything else is refused, with nothing done: the slow path handles each lane. */
#ifndef MEMORY_FAST_H
#define MEMORY_FAST_H

#include "machine/grid.h"
#include "machine/simd.h"
#include "machine/access.h"
#include "memory/memory.h"

#define HALF 16
/* A call would cost as much as the access. */
#define FAST_INLINE inline __attribute__((always_inline))

/* One decoded access; all constants for the second tier. */
struct fast_access {
    uint32_t address;     /* frame offset of the address register */
    uint32_t cache;       /* access.slot */
    int64_t imm;          /* added to every address */
    const uint32_t *data; /* frame offsets of the data registers */
};

static inline struct fast_access fast_access(const struct insn *in) {
    const struct access *a = in->extra;
    return (struct fast_access){a->address_reg, a->slot, in->imm, a->regs};
}

enum pattern { PATTERN_NONE, PATTERN_CONTIGUOUS, PATTERN_SAME };

#define PATTERN(name, T, is_contiguous)                                                                                \
    static inline enum pattern name(const T *address, T step) {                                                        \
        return is_contiguous(address, step) ? PATTERN_CONTIGUOUS                                                       \
               : is_contiguous(address, 0)  ? PATTERN_SAME                                                             \
                                            : PATTERN_NONE;                                                             \
    }
PATTERN(pattern32, uint32_t, simd_is_strided32)
PATTERN(pattern64, uint64_t, simd_is_strided64)

/* Host pointer to a piece of global memory, or NULL. `align` bytes: of what one lane accesses. */
static inline uint8_t *global_piece(const struct warp *w, const struct fast_access *a, uint64_t address, uint64_t bytes,
                                    unsigned align, bool store) {
    const struct allocation *found = w->worker->cache[a->cache];
    if (!found || address & (align - 1u))
        return NULL;
    return store ? memory_store_at(found, address, bytes) : memory_at(found, address, bytes);
}

/* In a cluster, where the rank has to be taken from an address: a call, so that other launches do not pay for it. */
static __attribute__((noinline, cold, unused)) uint8_t *cluster_piece(const struct warp *w, uint64_t address,
                                                                      uint64_t bytes, unsigned align) {
    uint64_t at = shared_offset(w->block, address);
    return at + bytes <= w->launch->shared_bytes && !(at & (align - 1u)) ? w->block->shared + at : NULL;
}

static inline uint8_t *shared_piece(const struct warp *w, const struct fast_access *a, uint64_t address, uint64_t bytes,
                                    unsigned align, bool store) {
    (void)a, (void)store;
    bool inside = address + bytes <= w->launch->plain_bytes && !(address & (align - 1u));
    return inside ? w->block->shared + address : cluster_piece(w, address, bytes, align);
}

/* Fills the data registers of a half with n elements for each lane: those at `host`, one lane's after the other's, or
 * the same for all. T is the type of an element in memory, R that of a lane's register. */
#define FAST_FILL(name, T, R, n)                                                                                       \
    static FAST_INLINE void fast_fill_##name(uint8_t *regs, const uint32_t *data, int half, const uint8_t *host,       \
                                             enum pattern pattern) {                                                   \
        typedef R lanes __attribute__((vector_size(HALF * sizeof(R)), may_alias));                                     \
        typedef T elements __attribute__((vector_size(HALF * sizeof(T)), aligned(1), may_alias));                      \
        T element[n * HALF]; /* all are read before any register is written: the address may be one of them */         \
        if (pattern == PATTERN_CONTIGUOUS && n == 1) { /* compilers would copy it in many small pieces */              \
            *(lanes *)(void *)((R *)(void *)(regs + data[0]) + half) =                                                 \
                __builtin_convertvector(*(const elements *)(const void *)host, lanes);                                 \
            return;                                                                                                    \
        }                                                                                                              \
        if (pattern == PATTERN_CONTIGUOUS) {                                                                           \
            memcpy(element, host, sizeof element);                                                                     \
            for (int i = 0; i < n; i++)                                                                                \
                for (int l = 0; l < HALF; l++)                                                                         \
                    ((R *)(void *)(regs + data[i]))[half + l] = (R)element[l * n + i];                                 \
            return;                                                                                                    \
        }                                                                                                              \
        memcpy(element, host, n * sizeof(T)); /* compilers leave what follows as a loop that stores lane after lane */ \
        for (int i = 0; i < n; i++)                                                                                    \
            *(lanes *)(void *)((R *)(void *)(regs + data[i]) + half) = (lanes){0} + (R)element[i];                     \
    }                                                                                                                  \
    /* Both halves; `pattern` is a constant in each call, so that no loop tests it. */                                 \
    static FAST_INLINE void fast_fill_warp_##name(uint8_t *regs, const uint32_t *data, const uint8_t *low,             \
                                                  const uint8_t *high, enum pattern pattern) {                         \
        if (pattern == PATTERN_CONTIGUOUS) {                                                                           \
            fast_fill_##name(regs, data, 0, low, PATTERN_CONTIGUOUS);                                                  \
            fast_fill_##name(regs, data, HALF, high, PATTERN_CONTIGUOUS);                                              \
        } else {                                                                                                       \
            fast_fill_##name(regs, data, 0, low, PATTERN_SAME);                                                        \
            fast_fill_##name(regs, data, HALF, high, PATTERN_SAME);                                                    \
        }                                                                                                              \
    }

/* A is the type of an address. name##_as: of a half that is known to have the pattern. */
#define FAST_LOAD(name, A, pattern_of, piece, fill, T, n)                                                              \
    static FAST_INLINE bool name##_as(const struct warp *w, const struct fast_access a, int half,                      \
                                      enum pattern pattern) {                                                          \
        const A *address = (const A *)(const void *)(w->regs + a.address) + half;                                      \
        uint64_t bytes = pattern == PATTERN_CONTIGUOUS ? HALF * n * sizeof(T) : n * sizeof(T);                         \
        const uint8_t *host =                                                                                          \
            pattern == PATTERN_NONE ? NULL : piece(w, &a, (A)(address[0] + (A)a.imm), bytes, n * sizeof(T), false);    \
        if (!host)                                                                                                     \
            return false;                                                                                              \
        fill(w->regs, a.data, half, host, pattern);                                                                    \
        return true;                                                                                                   \
    }                                                                                                                  \
    static FAST_INLINE bool name(const struct warp *w, const struct fast_access a, int half) {                         \
        const A *address = (const A *)(const void *)(w->regs + a.address) + half;                                      \
        return name##_as(w, a, half, pattern_of(address, n * sizeof(T)));                                              \
    }

/* Stores the registers of half a warp to contiguous elements. */
#define FAST_TAKE(name, T, R, n)                                                                                       \
    static FAST_INLINE void fast_take_##name(const uint8_t *regs, const uint32_t *data, int half, uint8_t *host) {     \
        T element[n * HALF];                                                                                           \
        for (int i = 0; i < n; i++) {                                                                                  \
            const R *d = (const R *)(const void *)(regs + data[i]) + half;                                             \
            for (int l = 0; l < HALF; l++)                                                                             \
                element[l * n + i] = (T)d[l];                                                                          \
        }                                                                                                              \
        memcpy(host, element, sizeof element);                                                                         \
    }

#define FAST_STORE(name, A, pattern_of, piece, take, T, n)                                                             \
    static FAST_INLINE bool name##_as(const struct warp *w, const struct fast_access a, int half,                      \
                                      enum pattern pattern) {                                                          \
        const A *address = (const A *)(const void *)(w->regs + a.address) + half;                                      \
        uint8_t *host = pattern != PATTERN_CONTIGUOUS                                                                  \
                            ? NULL                                                                                     \
                            : piece(w, &a, (A)(address[0] + (A)a.imm), HALF * n * sizeof(T), n * sizeof(T), true);     \
        if (!host)                                                                                                     \
            return false;                                                                                              \
        take(w->regs, a.data, half, host);                                                                             \
        return true;                                                                                                   \
    }                                                                                                                  \
    static FAST_INLINE bool name(const struct warp *w, const struct fast_access a, int half) {                         \
        const A *address = (const A *)(const void *)(w->regs + a.address) + half;                                      \
        return name##_as(w, a, half, pattern_of(address, n * sizeof(T)));                                              \
    }

/* X(name, element in memory, register, elements): the fast accesses, for loads and for stores */
#define FAST_LOADS(X)                                                                                                  \
    X(u8, uint8_t, uint16_t, 1)                                                                                        \
    X(s8, int8_t, uint16_t, 1)                                                                                         \
    X(16, uint16_t, uint16_t, 1)                                                                                       \
    FAST_WORDS(X)
#define FAST_STORES(X)                                                                                                 \
    X(u8, uint8_t, uint16_t, 1)                                                                                        \
    X(16, uint16_t, uint16_t, 1)                                                                                       \
    FAST_WORDS(X)
#define FAST_WORDS(X)                                                                                                  \
    X(32, uint32_t, uint32_t, 1)                                                                                       \
    X(64, uint64_t, uint64_t, 1)                                                                                       \
    X(v2_32, uint32_t, uint32_t, 2)                                                                                    \
    X(v4_32, uint32_t, uint32_t, 4)                                                                                    \
    X(v2_64, uint64_t, uint64_t, 2)

#define LOAD_GLOBAL(name, T, R, n)                                                                                     \
    FAST_LOAD(fast_load_global_##name, uint64_t, pattern64, global_piece, fast_fill_##name, T, n)
#define LOAD_SHARED(name, T, R, n)                                                                                     \
    FAST_LOAD(fast_load_shared_##name, uint32_t, pattern32, shared_piece, fast_fill_##name, T, n)
#define STORE_GLOBAL(name, T, R, n)                                                                                    \
    FAST_STORE(fast_store_global_##name, uint64_t, pattern64, global_piece, fast_take_##name, T, n)
#define STORE_SHARED(name, T, R, n)                                                                                    \
    FAST_STORE(fast_store_shared_##name, uint32_t, pattern32, shared_piece, fast_take_##name, T, n)
FAST_LOADS(FAST_FILL)
FAST_LOADS(LOAD_GLOBAL)
FAST_LOADS(LOAD_SHARED)
FAST_STORES(FAST_TAKE)
FAST_STORES(STORE_GLOBAL)
FAST_STORES(STORE_SHARED)

#endif
