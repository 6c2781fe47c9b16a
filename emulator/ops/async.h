/* Copies that a GPU makes in the background: cp.async, cp.async.bulk, cp.reduce.async.bulk.
 *
 * Here a copy is done at once, in the order of the program: a legal moment for it, since a thread may not read the
 * destination before it has waited, nor change the source. racecheck finds a missing wait (check/async_order.h).
 *
 * Decode makes a copy of two or three instructions, one per address, so that each is checked, reported and counted like
 * any other access: the bytes read wait in the frame for the instruction that writes them. */
#ifndef OPS_ASYNC_H
#define OPS_ASYNC_H

#include "machine/warp.h"
#include "machine/access.h"

/* cp.async. op[0]: the place in the frame, access->bytes * access->count bytes per lane. insn.kind of the read: */
enum copy_kind {
    COPY_ALL,
    COPY_SOME,   /* op[2] bytes, and zeros for the rest */
    COPY_UNLESS, /* only zeros where the predicate op[2] holds */
};
const struct insn *op_copy_read(struct warp *w, const struct insn *in);
const struct insn *op_copy_write(struct warp *w, const struct insn *in);

/* cp.async.bulk: one side of it. op[0]: the slot of the address under examination (uint64_t[32], also
 * access.address_reg); op[1]: bytes to copy; op[2]: host pointers of the sources (uint64_t[32]), written by the
 * read. */
struct bulk {
    struct access access; /* of 16 bytes, first: insn.extra is this structure */
    uint32_t address_reg, address_bits;
    int64_t offset;
    bool reduces; /* cp.reduce: access.operation is the operation, element the bytes of a number */
    uint8_t element;
    uint32_t byte_mask;               /* slot of .cp_mask's operand (uint16_t[32]); ~0u: none */
    uint32_t ranks;                   /* slot of .multicast::cluster's (uint16_t[32]); ~0u: none */
    const struct tensor_copy *tensor; /* of a copy by a tensor map (ops/tensor_copy.h), else NULL */
};
const struct insn *op_bulk_read(struct warp *w, const struct insn *in);
const struct insn *op_bulk_write(struct warp *w, const struct insn *in);

/* The address of this side of a lane's copy. */
uint64_t bulk_address(const struct warp *w, const struct bulk *k, int lane);

/* Has the cluster all blocks of .multicast::cluster's mask? False after a report. */
bool cluster_has_ranks(struct warp *w, const struct insn *in, uint32_t ranks, int lane);

#endif
