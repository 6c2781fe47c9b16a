/* Copies by tensor maps: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor. Done at once, as all copies here are
 * (ops/async.h).
 *
 * Decode makes three or four instructions of one: the first checks the map and the coordinates, the next two are the
 * sides of a bulk copy (struct bulk, whose `tensor` is set), and a last one signals the mbarrier. */
#ifndef OPS_TENSOR_COPY_H
#define OPS_TENSOR_COPY_H

#include "machine/access.h"
#include "ops/async.h"
#include "ops/tensor_walk.h"

/* The operands of an instruction; its parts share them. Slots are offsets in the frame. */
struct tensor_copy {
    struct access map; /* first: extra of the instruction that checks the map */
    int64_t map_offset;
    uint32_t coordinates[TENSOR_RANKS];
    uint32_t offsets[TENSOR_RANKS - 2]; /* of im2col, 16 bits each */
    uint8_t rank, mode;                 /* mode: enum tensor_mode */
    bool has_offsets;
    bool store;                      /* from shared memory to global memory */
    const struct bulk *shared;       /* its side there */
    uint32_t bytes;                  /* slot: those in shared memory, whose number is signaled to an mbarrier */
    uint32_t global_bytes;           /* slot: those inside the tensor */
    const struct access *reductions; /* of each enum tensor_type; operation ~0: the type has none; NULL: no reduction */
};
#define TENSOR_NO_REDUCTION 0xffff

/* extra: the struct tensor_copy */
const struct insn *op_tensor_map(struct warp *w, const struct insn *in);
/* extra: a struct bulk; op[0]: the slot of the address under examination, as for op_bulk_read */
const struct insn *op_tensor_read(struct warp *w, const struct insn *in);
const struct insn *op_tensor_write(struct warp *w, const struct insn *in);

/* Calls visit for each contiguous part of what a lane's side of the copy reads or writes, in its own space; `from`: the
 * bytes that a store writes there, NULL where they are not known. Does nothing where the copy is wrong and will be
 * reported. For the checks. */
typedef void visit_part(void *context, uint64_t address, uint32_t bytes, const uint8_t *from);
void tensor_copy_parts(struct warp *w, const struct bulk *side, int lane, visit_part *visit, void *context);

#endif
