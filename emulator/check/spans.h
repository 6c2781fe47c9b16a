/* The addresses of a load or store as spans: contiguous memory, accessed by consecutive lanes element after element.
 * Nearly every access of a warp is one span or two, and is checked span by span. */
#ifndef SPANS_H
#define SPANS_H

#include "machine/simd.h"
#include "machine/access.h"

struct span {
    uint64_t at; /* where its first lane accesses */
    uint32_t bytes;
    uint8_t lane;   /* its first lane */
    uint32_t lanes; /* its lanes: consecutive elements, or all at one address */
};

#define SPAN_HALF 16

/* The pattern of the addresses of half a warp. */
struct span_half {
    uint64_t first;
    bool is_contiguous, is_same;
};

static inline struct span_half span_look(const struct warp *w, const struct access *a, int half, uint32_t bytes) {
    if (a->address_bits == 64) {
        const uint64_t *at = (const uint64_t *)(const void *)(w->regs + a->address_reg) + half;
        bool run = simd_is_strided64(at, bytes);
        return (struct span_half){at[0], run, !run && simd_is_strided64(at, 0)};
    }
    const uint32_t *at = (const uint32_t *)(const void *)(w->regs + a->address_reg) + half;
    bool run = simd_is_strided32(at, bytes);
    return (struct span_half){at[0], run, !run && simd_is_strided32(at, 0)};
}

/* Does each lane access a separate element? */
static inline bool span_is_exclusive(const struct span *s, uint32_t bytes) {
    return (uint32_t)__builtin_popcount(s->lanes) * bytes == s->bytes;
}

/* The spans of any pattern, found lane by lane. */
static inline unsigned spans_lane_by_lane(const struct warp *w, const struct insn *in, uint32_t mask, uint32_t bytes,
                                          bool load, struct span *spans) {
    unsigned n = 0;
    for (; mask; mask &= mask - 1) {
        int l = first_lane(mask);
        uint64_t at = access_address(w, in, l);
        struct span *s = n ? &spans[n - 1] : NULL;
        bool next = s && at == s->at + s->bytes && s->lanes >> (l - 1) == 1 && s->bytes == (l - s->lane) * bytes;
        bool again = load && s && at == s->at && s->bytes == bytes; /* the same address as the lane before */
        if (!next && !again) {
            s = &spans[n++];
            *s = (struct span){.at = at, .lane = (uint8_t)l};
        }
        s->bytes += again ? 0 : bytes;
        s->lanes |= 1u << l;
    }
    return n;
}

/* The spans of the active lanes, at most one for each. Lanes that load from one address are in one span, of one
 * element. */
static inline __attribute__((always_inline)) unsigned spans_find(const struct warp *w, const struct insn *in,
                                                                 struct span spans[WARP_SIZE]) {
    const struct access *a = in->extra;
    uint32_t bytes = (uint32_t)a->bytes * a->count;
    bool load = a->kind == ACCESS_LOAD;
    spans[0] = (struct span){0};
    if (w->mask != FULL_MASK || !a->address_bits)
        return spans_lane_by_lane(w, in, w->mask, bytes, load, spans);
    struct span_half low = span_look(w, a, 0, bytes), high = span_look(w, a, SPAN_HALF, bytes);
    uint64_t imm = (uint64_t)in->imm;
    if (low.is_contiguous && high.is_contiguous) {
        if (high.first == low.first + SPAN_HALF * bytes) {
            spans[0] = (struct span){low.first + imm, WARP_SIZE * bytes, 0, FULL_MASK};
            return 1;
        }
        spans[0] = (struct span){low.first + imm, SPAN_HALF * bytes, 0, 0xffffu};
        spans[1] = (struct span){high.first + imm, SPAN_HALF * bytes, SPAN_HALF, 0xffff0000u};
    } else if (load && low.is_same && high.is_same) {
        spans[0] = (struct span){low.first + imm, bytes, 0, 0xffffu};
        spans[1] = (struct span){high.first + imm, bytes, SPAN_HALF, 0xffff0000u};
    } else {
        return spans_lane_by_lane(w, in, w->mask, bytes, load, spans);
    }
    if (!low.is_same || low.first != high.first)
        return 2;
    spans[0].lanes = FULL_MASK;
    return 1;
}

#endif
