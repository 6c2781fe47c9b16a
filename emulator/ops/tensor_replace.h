/* Changing a tensor map in a kernel: tensormap.replace, and tensormap.cp_fenceproxy, which copies the changed one to
 * global memory. */
#ifndef OPS_TENSOR_REPLACE_H
#define OPS_TENSOR_REPLACE_H

#include "machine/access.h"

enum tensor_field {
    TENSOR_FIELD_ADDRESS,
    TENSOR_FIELD_RANK,
    TENSOR_FIELD_BOX,
    TENSOR_FIELD_SIZE,
    TENSOR_FIELD_STRIDE,
    TENSOR_FIELD_STEP,
    TENSOR_FIELD_TYPE,
    TENSOR_FIELD_INTERLEAVE,
    TENSOR_FIELD_SWIZZLE,
    TENSOR_FIELD_ATOM, /* the unit that swizzling keeps together */
    TENSOR_FIELD_FILL,
    TENSOR_FIELDS
};

/* extra: the access to the map. kind: enum tensor_field, and << 8 which dimension; op[0]: the value, uint64_t[32]. */
const struct insn *op_tensor_replace(struct warp *w, const struct insn *in);

/* extra: the access to the 128 bytes. op[0]: host pointers (uint64_t[32]), from the first to the second. */
const struct insn *op_tensor_map_read(struct warp *w, const struct insn *in);
const struct insn *op_tensor_map_write(struct warp *w, const struct insn *in);

#endif
