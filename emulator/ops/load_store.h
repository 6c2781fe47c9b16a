/* Memory access from operations: addresses, checks, and their host pointers. */
#ifndef LOAD_STORE_H
#define LOAD_STORE_H

#include "machine/grid.h"
#include "machine/access.h"
#include "memory/memory.h"

/* Host pointer to `bytes` bytes at a lane's address, in the access's space (generic addresses by their window).
 * NULL after the fault has been reported and the launch stopped: return NULL from the operation then. */
uint8_t *access_lane_host(struct warp *w, const struct insn *in, uint64_t address, uint32_t bytes, int lane);

/* The executable operation for a decoded ld or st. */
handler_fn memory_operation(const struct access *access);
/* The name of its fast path in memory_fast.h, without fast_: "load_global_v4_32"; false when it has none. */
bool memory_fast_name(const struct access *access, char name[static 32]);
/* The handler of a load or store of a function's parameter, which is in the frame: op[1] is its slot, insn.imm the
 * offset in it. */
handler_fn memory_frame_operation(const struct access *access);

const struct insn *op_cvta(struct warp *w, const struct insn *in); /* op[0] = op[1] + imm */
/* op[0] = op[1] is in the window imm; kind 1: and in the block's own part of it */
const struct insn *op_isspacep(struct warp *w, const struct insn *in);
const struct insn *op_isspacep_const(struct warp *w, const struct insn *in);
const struct insn *op_isspacep_global(struct warp *w, const struct insn *in);

#endif
