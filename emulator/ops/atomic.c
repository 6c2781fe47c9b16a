/* Atomic operations: atom and red in every space.
 *
 * Blocks run on several host threads, so global memory needs the host's atomic instructions; a block runs on one, so
 * its shared memory does not. Lanes act in lane order, which determines the old values that they get. When all active
 * lanes access one address, the whole warp's work is one host operation. */
#include "ops/atomic.h"

#include <stddef.h>
#include <string.h>

#include "machine/stuck.h"
#include "ops/half.h"
#include "ops/lanes.h"
#include "ops/load_store.h"

typedef unsigned __int128 uint128_t;

#ifdef __SANITIZE_ADDRESS__ /* gcc takes twice as long for copies, each of which holds the same checks */
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

/* ---- the new value, from the old value x and the operands b and c ---- */

#define NEXT(name, T, expr)                                                                                            \
    INLINE T next_##name(T x, T b, T c, bool global) {                                                                 \
        (void)x, (void)b, (void)c, (void)global;                                                                       \
        return (T)(expr);                                                                                              \
    }

#define NEXT_BITS(bits, T)                                                                                             \
    NEXT(add_##bits, T, x + b)                                                                                         \
    NEXT(and_##bits, T, (x & b))                                                                                       \
    NEXT(or_##bits, T, x | b)                                                                                          \
    NEXT(xor_##bits, T, x ^ b)                                                                                         \
    NEXT(exch_##bits, T, b)                                                                                            \
    NEXT(cas_##bits, T, x == b ? c : x)
NEXT_BITS(32, uint32_t)
NEXT_BITS(64, uint64_t)
NEXT(cas_16, uint16_t, x == b ? c : x)
NEXT(exch_128, uint128_t, b)
NEXT(cas_128, uint128_t, x == b ? c : x)

NEXT(min_u32, uint32_t, x < b ? x : b)
NEXT(max_u32, uint32_t, x > b ? x : b)
NEXT(min_s32, uint32_t, (int32_t)x < (int32_t)b ? x : b)
NEXT(max_s32, uint32_t, (int32_t)x > (int32_t)b ? x : b)
NEXT(min_u64, uint64_t, x < b ? x : b)
NEXT(max_u64, uint64_t, x > b ? x : b)
NEXT(min_s64, uint64_t, (int64_t)x < (int64_t)b ? x : b)
NEXT(max_s64, uint64_t, (int64_t)x > (int64_t)b ? x : b)
NEXT(inc_u32, uint32_t, x >= b ? 0 : x + 1)
NEXT(dec_u32, uint32_t, x == 0 || x > b ? b : x - 1)

/* In global memory the adder flushes subnormal numbers to zero; in shared memory it keeps them. */
INLINE uint32_t next_add_f32(uint32_t x, uint32_t b, uint32_t c, bool global) {
    (void)c;
    float sum = global ? f32_flush(f32_flush(f32_from(x)) + f32_flush(f32_from(b))) : f32_from(x) + f32_from(b);
    return f32_bits(f32_canonical(sum));
}
/* Global memory's adder returns a NaN unchanged, the operand's before the old value's; in shared memory the sum is an
 * ordinary add of the two. Observed on an H200. */
INLINE uint64_t next_add_f64(uint64_t x, uint64_t b, uint64_t c, bool global) {
    (void)c;
    double old = f64_from(x), add = f64_from(b), sum = old + add;
    if (!global)
        return f64_bits(f64_nan2(old, add, sum));
    return add != add ? b : old != old ? x : sum == sum ? f64_bits(sum) : F64_NAN;
}

/* A sum of two half-precision numbers in single precision, rounded again, is the rounded sum: 24 bits are enough. */
INLINE uint16_t add_f16(uint16_t a, uint16_t b) {
    return f32_to_f16(f16_to_f32(a) + f16_to_f32(b));
}
INLINE uint16_t add_bf16(uint16_t a, uint16_t b) {
    return f32_to_bf16(bf16_to_f32(a) + bf16_to_f32(b));
}

/* min and max of half-precision numbers: a number wins over a NaN, and -0 is less than +0. `order` maps a number to an
 * integer that orders like it. */
INLINE int32_t half_order(uint16_t x) {
    return x & F16_SIGN ? ~(int32_t)(x & 0x7fff) : (int32_t)x;
}
INLINE uint16_t half_extreme(uint16_t a, uint16_t b, uint32_t infinity, bool want_max) {
    bool a_nan = (a & 0x7fff) > infinity, b_nan = (b & 0x7fff) > infinity;
    if (a_nan || b_nan)
        return a_nan && b_nan ? F16_NAN : a_nan ? b : a;
    return (half_order(a) > half_order(b)) == want_max ? a : b;
}
INLINE uint16_t min_f16(uint16_t a, uint16_t b) {
    return half_extreme(a, b, F16_INFINITY, false);
}
INLINE uint16_t max_f16(uint16_t a, uint16_t b) {
    return half_extreme(a, b, F16_INFINITY, true);
}
INLINE uint16_t min_bf16(uint16_t a, uint16_t b) {
    return half_extreme(a, b, BF16_INFINITY, false);
}
INLINE uint16_t max_bf16(uint16_t a, uint16_t b) {
    return half_extreme(a, b, BF16_INFINITY, true);
}

#define NEXT_HALF(name)                                                                                                \
    NEXT(name, uint16_t, name(x, b))                                                                                   \
    NEXT(name##x2, uint32_t,                                                                                           \
         name((uint16_t)x, (uint16_t)b) | (uint32_t)name((uint16_t)(x >> 16), (uint16_t)(b >> 16)) << 16)
NEXT_HALF(add_f16)
NEXT_HALF(add_bf16)
NEXT_HALF(min_f16)
NEXT_HALF(max_f16)
NEXT_HALF(min_bf16)
NEXT_HALF(max_bf16)

/* ---- the host's side ---- */

/* Loads a first guess of the old value, and replaces it by y if it is still *x (else *x becomes the current value). */
#define HOST_ACCESS(bits, T)                                                                                           \
    INLINE T guess_##bits(T *at) {                                                                                     \
        return __atomic_load_n(at, __ATOMIC_RELAXED);                                                                  \
    }                                                                                                                  \
    INLINE bool replace_##bits(T *at, T *x, T y) {                                                                     \
        return __atomic_compare_exchange_n(at, x, y, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                       \
    }
HOST_ACCESS(16, uint16_t)
HOST_ACCESS(32, uint32_t)
HOST_ACCESS(64, uint64_t)

/* 16 bytes: the instruction exists on every x86-64 CPU but the very first, but compilers use it only where that is
 * declared. */
static uint128_t swap_128(uint128_t *at, uint128_t x, uint128_t y) {
#if defined(__x86_64__)
    uint64_t low = (uint64_t)x, high = (uint64_t)(x >> 64);
    __asm__ volatile("lock cmpxchg16b %0"
                     : "+m"(*at), "+a"(low), "+d"(high)
                     : "b"((uint64_t)y), "c"((uint64_t)(y >> 64))
                     : "cc", "memory");
    return (uint128_t)high << 64 | low;
#else
    return __sync_val_compare_and_swap(at, x, y);
#endif
}
INLINE uint128_t guess_128(uint128_t *at) {
    return swap_128(at, 0, 0);
}
INLINE bool replace_128(uint128_t *at, uint128_t *x, uint128_t y) {
    uint128_t found = swap_128(at, *x, y);
    bool done = found == *x;
    *x = found;
    return done;
}

/* Host pointer to a lane's element. Nearly always it is in the allocation that this instruction last used. */
INLINE uint8_t *lane_host(struct warp *w, const struct insn *in, const struct access *a, uint64_t address, int lane) {
    uint32_t bytes = a->bytes * a->count;
    if (!(address & (bytes - 1))) {
        if (a->space == SPACE_SHARED) {
            if (address < w->launch->plain_bytes && bytes <= w->launch->plain_bytes - address)
                return w->block->shared + address;
        } else {
            const struct allocation *last = w->worker->cache[a->slot];
            uint8_t *host = last ? memory_store_at(last, address, bytes) : NULL;
            if (host)
                return host;
        }
    }
    return access_lane_host(w, in, address, bytes, lane);
}

/* True when all active lanes have the same address. */
INLINE bool one_address(const uint64_t *address, uint32_t mask) {
    uint64_t first = address[first_lane(mask)], differs = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        differs |= LANE_ON(mask) ? address[l] ^ first : 0;
    return !differs;
}

INLINE bool is_global(const struct access *a, uint64_t address) {
    return a->space != SPACE_SHARED && address >> WINDOW_SHIFT == 0;
}

/* ---- an operation over the lanes, for each width of value ---- */

#define LANES(bits, T)                                                                                                 \
    typedef T (*next_##bits)(T x, T b, T c, bool global);                                                              \
                                                                                                                       \
    /* One element: the old value is returned. Only global memory is shared with other host threads. `as_global`: */   \
    /* how sums of single precision treat subnormal numbers. */                                                        \
    INLINE T act_##bits(T *at, T b, T c, bool global, bool as_global, next_##bits next) {                              \
        T x;                                                                                                           \
        if (global) {                                                                                                  \
            x = guess_##bits(at);                                                                                      \
            while (!replace_##bits(at, &x, next(x, b, c, as_global)))                                                  \
                ;                                                                                                      \
        } else {                                                                                                       \
            x = *at;                                                                                                   \
            *at = next(x, b, c, as_global);                                                                            \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    /* All active lanes at one address: each sees what the lanes before it left. */                                    \
    INLINE T chain_##bits(T x, T old[WARP_SIZE], const T *b, const T *c, uint32_t mask, bool global,                   \
                          next_##bits next) {                                                                          \
        for (; mask; mask &= mask - 1) {                                                                               \
            int l = first_lane(mask);                                                                                  \
            old[l] = x;                                                                                                \
            x = next(x, b[l], c[l], global);                                                                           \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    INLINE void act_together_##bits(T *at, T old[WARP_SIZE], const T *b, const T *c, uint32_t mask, bool global,       \
                                    next_##bits next) {                                                                \
        if (global) {                                                                                                  \
            T x = guess_##bits(at);                                                                                    \
            while (!replace_##bits(at, &x, chain_##bits(x, old, b, c, mask, true, next)))                              \
                ;                                                                                                      \
        } else {                                                                                                       \
            *at = chain_##bits(*at, old, b, c, mask, false, next);                                                     \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    INLINE const struct insn *run_##bits(struct warp *w, const struct insn *in, next_##bits next, bool has_c) {        \
        const struct access *a = in->extra;                                                                            \
        uint64_t address[WARP_SIZE];                                                                                   \
        access_addresses(w, in, address);                                                                              \
        const T *c = (const T *)(const void *)(w->regs + a->regs2[has_c]); /* b again where there is no c */           \
        uint32_t mask = w->mask;                                                                                       \
        if (a->count == 1 && one_address(address, mask)) {                                                             \
            int first = first_lane(mask);                                                                              \
            uint8_t *host = lane_host(w, in, a, address[first], first);                                                \
            if (!host)                                                                                                 \
                return NULL;                                                                                           \
            T old[WARP_SIZE];                                                                                          \
            act_together_##bits((T *)(void *)host, old, (const T *)(const void *)(w->regs + a->regs2[0]), c, mask,     \
                                is_global(a, address[first]), next);                                                   \
            if (a->regs[0] != ~0u)                                                                                     \
                for (T *d = (T *)(void *)(w->regs + a->regs[0]); mask; mask &= mask - 1)                               \
                    d[first_lane(mask)] = old[first_lane(mask)];                                                       \
            return in + 1;                                                                                             \
        }                                                                                                              \
        for (; mask; mask &= mask - 1) {                                                                               \
            int l = first_lane(mask);                                                                                  \
            uint8_t *host = lane_host(w, in, a, address[l], l);                                                        \
            if (!host)                                                                                                 \
                return NULL;                                                                                           \
            bool global = is_global(a, address[l]);                                                                    \
            T old[8];                                                                                                  \
            for (unsigned i = 0; i < a->count; i++)                                                                    \
                old[i] = act_##bits((T *)(void *)host + i, ((const T *)(const void *)(w->regs + a->data[i]))[l], c[l], \
                                    global, global, next);                                                             \
            for (unsigned i = 0; i < a->count; i++)                                                                    \
                if (a->regs[i] != ~0u)                                                                                 \
                    ((T *)(void *)(w->regs + a->regs[i]))[l] = old[i];                                                 \
        }                                                                                                              \
        return in + 1;                                                                                                 \
    }
LANES(16, uint16_t)
LANES(32, uint32_t)
LANES(64, uint64_t)
LANES(128, uint128_t)

/* ---- the operations ---- */

/* All of them, as X(name, bits of the value, opcode's word, type, forms). The forms that exist: */
enum {
    RED = 1,
    ATOM = 2,
    BOTH = RED | ATOM,
    VECTOR = 4,  /* also with .v2, .v4 or .v8 */
    NOFTZ = 8,   /* is written .noftz */
    WITH_C = 16, /* has a third operand */
    VECTOR_ONLY = 32 | VECTOR,
    HALF = BOTH | NOFTZ | VECTOR,
};
#define OPERATIONS(X)                                                                                                  \
    X(add_32, 32, "add", TYPE_U32, BOTH)                                                                               \
    X(add_32, 32, "add", TYPE_S32, BOTH)                                                                               \
    X(add_64, 64, "add", TYPE_U64, BOTH)                                                                               \
    X(add_f32, 32, "add", TYPE_F32, BOTH | VECTOR)                                                                     \
    X(add_f64, 64, "add", TYPE_F64, BOTH)                                                                              \
    X(add_f16, 16, "add", TYPE_F16, HALF)                                                                              \
    X(add_f16x2, 32, "add", TYPE_F16X2, HALF)                                                                          \
    X(add_bf16, 16, "add", TYPE_BF16, HALF)                                                                            \
    X(add_bf16x2, 32, "add", TYPE_BF16X2, HALF)                                                                        \
    X(min_f16, 16, "min", TYPE_F16, HALF | VECTOR_ONLY)                                                                \
    X(min_f16x2, 32, "min", TYPE_F16X2, HALF | VECTOR_ONLY)                                                            \
    X(min_bf16, 16, "min", TYPE_BF16, HALF | VECTOR_ONLY)                                                              \
    X(min_bf16x2, 32, "min", TYPE_BF16X2, HALF | VECTOR_ONLY)                                                          \
    X(max_f16, 16, "max", TYPE_F16, HALF | VECTOR_ONLY)                                                                \
    X(max_f16x2, 32, "max", TYPE_F16X2, HALF | VECTOR_ONLY)                                                            \
    X(max_bf16, 16, "max", TYPE_BF16, HALF | VECTOR_ONLY)                                                              \
    X(max_bf16x2, 32, "max", TYPE_BF16X2, HALF | VECTOR_ONLY)                                                          \
    X(min_u32, 32, "min", TYPE_U32, BOTH)                                                                              \
    X(min_s32, 32, "min", TYPE_S32, BOTH)                                                                              \
    X(min_u64, 64, "min", TYPE_U64, BOTH)                                                                              \
    X(min_s64, 64, "min", TYPE_S64, BOTH)                                                                              \
    X(max_u32, 32, "max", TYPE_U32, BOTH)                                                                              \
    X(max_s32, 32, "max", TYPE_S32, BOTH)                                                                              \
    X(max_u64, 64, "max", TYPE_U64, BOTH)                                                                              \
    X(max_s64, 64, "max", TYPE_S64, BOTH)                                                                              \
    X(inc_u32, 32, "inc", TYPE_U32, BOTH)                                                                              \
    X(dec_u32, 32, "dec", TYPE_U32, BOTH)                                                                              \
    X(and_32, 32, "and", TYPE_B32, BOTH)                                                                               \
    X(and_64, 64, "and", TYPE_B64, BOTH)                                                                               \
    X(or_32, 32, "or", TYPE_B32, BOTH)                                                                                 \
    X(or_64, 64, "or", TYPE_B64, BOTH)                                                                                 \
    X(xor_32, 32, "xor", TYPE_B32, BOTH)                                                                               \
    X(xor_64, 64, "xor", TYPE_B64, BOTH)                                                                               \
    X(exch_32, 32, "exch", TYPE_B32, ATOM)                                                                             \
    X(exch_64, 64, "exch", TYPE_B64, ATOM)                                                                             \
    X(exch_128, 128, "exch", TYPE_B128, ATOM)                                                                          \
    X(cas_16, 16, "cas", TYPE_B16, ATOM | WITH_C)                                                                      \
    X(cas_32, 32, "cas", TYPE_B32, ATOM | WITH_C)                                                                      \
    X(cas_64, 64, "cas", TYPE_B64, ATOM | WITH_C)                                                                      \
    X(cas_128, 128, "cas", TYPE_B128, ATOM | WITH_C)

typedef uint16_t bits_16;
typedef uint32_t bits_32;
typedef uint64_t bits_64;
typedef uint128_t bits_128;

#define RUN(name, bits, word, type, forms)                                                                             \
    static const struct insn *atomic_##name##_##type(struct warp *w, const struct insn *in) {                          \
        return run_##bits(w, in, next_##name, (forms)&WITH_C);                                                         \
    }
OPERATIONS(RUN)

#define APPLY(name, bits, word, type, forms)                                                                           \
    static void apply_##name##_##type(uint8_t *at, const uint8_t *operands, uint32_t n, bool global, bool as_global) { \
        for (uint32_t i = 0; i < n; i++) {                                                                             \
            bits_##bits b;                                                                                             \
            memcpy(&b, operands + i * sizeof b, sizeof b);                                                             \
            act_##bits((bits_##bits *)(void *)at + i, b, b, global, as_global, next_##name);                           \
        }                                                                                                              \
    }
OPERATIONS(APPLY)

struct operation {
    handler_fn handler;
    void (*apply)(uint8_t *at, const uint8_t *operands, uint32_t n, bool global, bool as_global);
    const char *word;
    uint8_t type, forms;
};
#define ATOMIC(name, bits, word, type, forms) {atomic_##name##_##type, apply_##name##_##type, word, type, forms},
static const struct operation operations[] = {OPERATIONS(ATOMIC)};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

const struct insn *op_atomic(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    if (!w->launch->workspace)
        return operations[a->operation].handler(w, in);
    const struct insn *next = operations[a->operation].handler(w, in);
    stuck_atomic_done(w->launch); /* it may have been an arrival at the grid's barrier */
    return next;
}

/* Sums of single precision keep subnormal numbers here, other than an atom's. Observed on an H200. */
void atomic_apply(const struct access *a, uint8_t *at, const uint8_t *operands, uint32_t n) {
    bool single = operations[a->operation].type == TYPE_F32;
    bool global = a->space == SPACE_GLOBAL;
    operations[a->operation].apply(at, operands, n, global, global && !single);
}

/* ---- reading an opcode ---- */

/* The words of an opcode that do not affect the operation: order, scope and space (the host's atomics have the
 * strongest order anyway), and a hint for the cache. */
static bool is_indifferent(const char *word, size_t length) {
    static const char *const words[] = {"relaxed", "acquire", "release",     "acq_rel",         "cta",
                                        "cluster", "gpu",     "sys",         "global",          "shared",
                                        "noftz",   "v2",      "shared::cta", "shared::cluster", "L2::cache_hint",
                                        "v4",      "v8"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(word, words[i], length) == 0)
            return true;
    return false;
}

/* The meaning of an opcode's words. */
struct words {
    const char *operation; /* not terminated */
    size_t operation_length;
    enum ptx_type type;
    unsigned count;
    bool noftz;
};

static bool read_words(const char *opcode, struct words *out) {
    *out = (struct words){.count = 1};
    for (const char *word = strchr(opcode, '.'); word; word = strchr(word, '.')) {
        size_t length = strcspn(++word, ".");
        enum ptx_type type = ptx_type_by_name(word, length);
        if (type != TYPE_NONE) {
            out->type = type;
        } else if (is_indifferent(word, length)) {
            out->noftz |= length == 5 && memcmp(word, "noftz", 5) == 0;
            if (word[0] == 'v')
                out->count = (unsigned)(word[1] - '0');
        } else if (!out->operation) {
            out->operation = word;
            out->operation_length = length;
        } else {
            return false;
        }
    }
    return out->operation && out->type != TYPE_NONE;
}

/* Whether an operation exists in the form that the opcode specifies. A vector has 16 bytes at most. */
static bool has_form(const struct operation *o, const struct words *words, bool result) {
    if (!(o->forms & (result ? ATOM : RED)) || words->noftz != !!(o->forms & NOFTZ))
        return false;
    if (words->count == 1)
        return (o->forms & VECTOR_ONLY) != VECTOR_ONLY;
    return o->forms & VECTOR && words->count * ptx_type_bits[o->type] <= 128;
}

bool atomic_operation(const char *opcode, bool result, struct access *access) {
    struct words words;
    if (!read_words(opcode, &words))
        return false;
    for (unsigned i = 0; i < OPERATION_COUNT; i++) {
        const struct operation *o = &operations[i];
        bool same =
            strlen(o->word) == words.operation_length && memcmp(o->word, words.operation, words.operation_length) == 0;
        if (!same || o->type != words.type || !has_form(o, &words, result))
            continue;
        access->operation = (uint16_t)i;
        access->type = o->type;
        access->bytes = (uint8_t)(ptx_type_bits[o->type] / 8);
        access->count = (uint8_t)words.count;
        return true;
    }
    return false;
}
