/* Takes an instruction apart into the accesses of single lanes: loads, stores and atomics, the rows, lines and pieces
 * of matrices, and both sides of asynchronous copies. What the fast paths take is not taken apart. */
#include "check/fast_path.h"
#include "check/lane_access.h"
#include "check/watch_parts.h"
#include "machine/block_cluster.h"
#include "ops/async.h"
#include "ops/matrix.h"
#include "ops/tensor_copy.h"
#include "ops/wgmma.h"

void watch_lanes(struct block_watch *b, struct lane_access *la, uint32_t lanes) {
    uint64_t addresses[WARP_SIZE];
    access_addresses(la->warp, la->in, addresses);
    for (; lanes; lanes &= lanes - 1) {
        la->lane = first_lane(lanes);
        /* A misaligned access is reported by its handler, and not made: nothing to check. */
        if (!(addresses[la->lane] & (la->bytes - 1)))
            lane_access_check(b, la, addresses[la->lane]);
    }
}

static void check_lanes(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    struct lane_access la = lane_access_of(w, in, s);
    bool strong = s->flags & PROBE_STRONG || la.atomic;
    /* A generic address is looked at in the first lane only. Where lanes are in different spaces, the fast path finds
     * no allocation for the others, and leaves them. */
    bool global = a->space == SPACE_GLOBAL ||
                  (a->space == SPACE_GENERIC && !(access_address(w, in, first_lane(w->mask)) >> WINDOW_SHIFT));
    bool shared_atomic = la.atomic && a->space == SPACE_SHARED;
    /* Strong accesses may order something, and take the slow path, but for atomics in shared memory, which are
     * many. */
    uint32_t left = shared_atomic              ? fast_shared_atomic(b, &la)
                    : strong                   ? w->mask
                    : a->space == SPACE_SHARED ? fast_shared(b, &la)
                    : a->space == SPACE_LOCAL  ? fast_local(b, &la)
                    : global                   ? fast_global(b, &la)
                                               : w->mask;
    if (left)
        watch_lanes(b, &la, left);
}

/* ---- matrices ---- */

/* Accesses made for the warp as a whole: span i by lane i. */
static void check_spans(struct block_watch *b, struct lane_access *la, const struct span *spans, unsigned count) {
    enum ptx_space space = access_space(la->in->extra, spans[0].at);
    /* Rows that are written take the slow path: the fast path's values come from registers laid out as a store's. */
    uint32_t left = la->write               ? ~0u
                    : space == SPACE_SHARED ? fast_shared_spans(b, la, spans, count)
                    : space == SPACE_GLOBAL ? fast_global_spans(b, la, spans, count)
                                            : ~0u;
    for (unsigned i = 0; left && i < count; i++)
        if (left >> i & 1) {
            la->lane = spans[i].lane;
            lane_access_check(b, la, spans[i].at);
        }
}

/* ldmatrix and stmatrix: rows of 16 bytes, eight lanes' for each matrix. */
static void check_rows(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const struct matrix_access *m = in->extra;
    struct span spans[WARP_SIZE];
    struct lane_access la = lane_access_of(w, in, s);
    unsigned count = 8u * m->count;
    la.bytes = 16;
    for (unsigned i = 0; i < count && i < WARP_SIZE; i++)
        spans[i] = (struct span){access_address(w, in, (int)i), la.bytes, (uint8_t)i, 1u << i};
    check_spans(b, &la, spans, count);
}

/* wmma.load and wmma.store: the lines of one matrix, shared out among the lanes. */
static void check_lines(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const struct matrix_access *m = in->extra;
    struct span spans[WARP_SIZE];
    struct lane_access la = lane_access_of(w, in, s);
    /* The stride is an operand in elements; lane 0 has the address of the matrix. A line is a row, or a column of a
     * transposed one. */
    uint64_t step = (uint64_t)((const uint32_t *)(const void *)(w->regs + m->stride))[0] * m->bits / 8;
    unsigned count = m->transposed ? m->columns : m->rows;
    la.bytes = (m->transposed ? m->rows : m->columns) * (uint32_t)m->bits / 8;
    for (unsigned i = 0; i < count && i < WARP_SIZE; i++)
        spans[i] = (struct span){access_address(w, in, 0) + i * step, la.bytes, (uint8_t)i, 1u << i};
    check_spans(b, &la, spans, count);
}

/* wgmma: its pieces, shared out among the lanes. */
static void check_pieces(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    struct lane_access la = lane_access_of(w, in, s);
    uint32_t addresses[WGMMA_PIECES];
    unsigned count = wgmma_pieces(w, in->extra, addresses);
    if (b->products[w->index])
        products_before(b->products[w->index], w, in);
    la.bytes = WGMMA_PIECE;
    for (unsigned i = 0; i < count; i++) {
        /* Which lane reads which piece is not specified on a GPU, but a record must name one. */
        la.lane = (int)(i % WARP_SIZE);
        la.address = addresses[i];
        if (!async_read_is_fast(b, &la))
            lane_access_check(b, &la, shared_begin(w->block) + addresses[i]);
    }
}

/* ---- asynchronous copies ---- */

/* A side of a copy by a tensor map is checked part by part: a row of its box is contiguous memory, the box is not. */
struct tensor_side {
    struct block_watch *watch;
    struct lane_access access;
};

static void check_part(void *context, uint64_t address, uint32_t bytes, const uint8_t *from) {
    struct tensor_side *t = context;
    t->access.bytes = bytes;
    t->access.source = from;
    lane_access_check(t->watch, &t->access, address);
}

static void check_tensor(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    struct tensor_side t = {b, lane_access_of(w, in, s)};
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        t.access.lane = first_lane(rest);
        tensor_copy_parts(w, in->extra, t.access.lane, check_part, &t);
    }
}

/* Without .multicast::cluster there is one target. ranks: slot of its mask, or ~0u. */
void check_targets(struct block_watch *b, struct lane_access *la, uint64_t address, uint32_t ranks) {
    struct warp *w = la->warp;
    if (ranks == ~0u) {
        lane_access_check(b, la, address);
        return;
    }
    for (uint32_t left = ((const uint16_t *)(const void *)(w->regs + ranks))[la->lane]; left; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        lane_access_check(b, la, (address & ~(uint64_t)UINT32_MAX) | cluster_address(rank, (uint32_t)address));
    }
}

/* A side of a bulk copy: insn.extra is a struct bulk, whose access looks at one address after another. */
static void check_bulk(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const struct bulk *k = in->extra;
    struct lane_access la = lane_access_of(w, in, s);
    /* Notes when the warp's last such copy began: until it is known to be done, facts about this block include the time
     * from which its copies may be unfinished (async_written). */
    if (b->order.async && la.write && k->access.space == SPACE_GLOBAL)
        b->order.async->wrote[w->index] = b->order.time;
    if (k->tensor) {
        check_tensor(b, w, in, s);
        return;
    }
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        la.lane = first_lane(rest);
        const void *at = w->regs + k->address_reg;
        uint64_t base = k->address_bits == 64 ? ((const uint64_t *)at)[la.lane]
                        : k->address_bits     ? ((const uint32_t *)at)[la.lane]
                                              : 0;
        la.bytes = ((const uint32_t *)(const void *)(w->regs + in->op[1]))[la.lane];
        la.source = lane_access_bulk_source(w, in, la.lane);
        if (la.bytes)
            check_targets(b, &la, base + (uint64_t)k->offset, k->ranks);
    }
}

/* cp.async may read fewer bytes than it writes. */
static void check_copy_read(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    uint64_t addresses[WARP_SIZE];
    struct lane_access la = lane_access_of(w, in, s);
    /* COPY_UNLESS: lanes whose predicate holds read nothing and write zeros. COPY_SOME: the source size is an
     * operand. */
    uint32_t size = la.bytes, skip = in->kind == COPY_UNLESS ? *(uint32_t *)(void *)(w->regs + in->op[2]) : 0;
    access_addresses(w, in, addresses);
    for (uint32_t rest = w->mask & ~skip; rest; rest &= rest - 1) {
        la.lane = first_lane(rest);
        la.bytes = in->kind == COPY_SOME ? ((const uint32_t *)(const void *)(w->regs + in->op[2]))[la.lane] : size;
        if (la.bytes > size)
            la.bytes = size;
        if (la.bytes)
            lane_access_check(b, &la, addresses[la.lane]);
    }
}

/* ---- all of them ---- */

void watch_access(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    watch_lanes_come(b, w, in);
    switch (s->kind) {
    case PROBE_COPY_READ:
        check_copy_read(b, w, in, s);
        break;
    case PROBE_BULK:
        check_bulk(b, w, in, s);
        break;
    case PROBE_ROWS:
        check_rows(b, w, in, s);
        break;
    case PROBE_LINES:
        check_lines(b, w, in, s);
        break;
    case PROBE_PIECES:
        check_pieces(b, w, in, s);
        break;
    default:
        check_lanes(b, w, in, s);
    }
}
