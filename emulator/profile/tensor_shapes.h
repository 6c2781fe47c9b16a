/* Products on tensor cores by shape and type, as PTX names them: "wgmma m64n256k16 f32.bf16.bf16". */
#ifndef TENSOR_SHAPES_H
#define TENSOR_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/ptx.h"

#define SHAPE_NAME 64

/* How often products of one shape were executed: by a warp, or, of wgmma, by a warpgroup. */
struct tensor_count {
    char name[SHAPE_NAME];
    uint64_t count;
};

struct tensor_counts {
    struct tensor_count *items; /* in the order in which they were added first */
    size_t count;
};

/* False when the instruction is no product: wgmma.fence, or anything else. */
bool tensor_shape_name(const struct ptx_insn *p, char name[SHAPE_NAME]);
void tensor_counts_add(struct tensor_counts *to, const struct ptx_insn *p, uint64_t times);
/* "warpgroup", or "warp". */
const char *tensor_count_unit(const struct tensor_count *c);
/* The name as a metric's: "emulator__wgmma_m64n256k16_f32_bf16_bf16.sum". It is no metric of ncu's. */
void tensor_count_metric(const struct tensor_count *c, char metric[2 * SHAPE_NAME]);

#endif
