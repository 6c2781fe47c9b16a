/* The traversal of a tensor map's box: which bytes of shared memory correspond to which bytes of global memory. */
#ifndef OPS_TENSOR_WALK_H
#define OPS_TENSOR_WALK_H

#include "machine/tensor_map.h"

/* Contiguous in shared memory, and in global memory where it is inside the tensor; outside it is filled, or nothing. */
struct tensor_piece {
    uint64_t global;
    uint32_t shared; /* from the box's beginning, not swizzled */
    uint32_t bytes;
    bool inside;
};

struct tensor_walk {
    const struct tensor_map *map;
    /* coordinates of the box's first element, or im2col's first pixel, its filter's offset not added */
    int64_t first[TENSOR_RANKS];
    int64_t offset[TENSOR_RANKS];
    int64_t at[TENSOR_RANKS];
    uint32_t rows, row; /* how many there are; the one that is next */
    uint32_t row_bytes, done;
    uint32_t pitch; /* from row to row in shared memory: swizzled rows are as long as the span */
    bool row_inside;
    uint64_t row_global; /* the position of its element 0 */
};

/* coordinates: one for each dimension; offsets: im2col's, of width, height and depth; NULL: none. The map is valid. */
void tensor_walk_begin(struct tensor_walk *walk, const struct tensor_map *map, const int32_t *coordinates,
                       const uint16_t *offsets);
/* False when the box is at its end. */
bool tensor_walk_next(struct tensor_walk *walk, struct tensor_piece *piece);

/* The swizzled place of a byte at this shared address. It stays within its 16 bytes, and these in their 128. */
static inline uint32_t tensor_swizzle(const struct tensor_map *map, uint32_t address) {
    return address ^ (address >> 3 & ((1u << map->swizzle) - 1) << 4);
}

#endif
