/* A tensor map, which programs call CUtensorMap: the location of a tensor, and the box of it that a copy takes. Its 128
 * bytes are opaque on a GPU, so the layout is our own. The driver writes one (cuTensorMapEncodeTiled), kernels change
 * it (tensormap.replace), copies read it. */
#ifndef TENSOR_MAP_H
#define TENSOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_ALIGN 64
#define TENSOR_RANKS     5

/* The numbers that the driver's interface has for them. */
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES, /* after it: packed numbers of 4 and 6 bits, which compute capability 9.0 does not have */
};
enum tensor_interleave { TENSOR_NOT_INTERLEAVED, TENSOR_INTERLEAVE_16, TENSOR_INTERLEAVE_32, TENSOR_INTERLEAVES };
enum tensor_swizzle { TENSOR_NO_SWIZZLE, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128, TENSOR_SWIZZLES };
enum tensor_mode { TENSOR_TILED, TENSOR_IM2COL, TENSOR_IM2COL_WIDE /* no copy of compute capability 9.0 takes it */ };

struct tensor_map {
    uint64_t address;
    uint64_t stride[TENSOR_RANKS - 1]; /* bytes, of dimensions 1 and up */
    uint32_t last[TENSOR_RANKS];       /* the largest coordinate, which is the size - 1 */
    uint16_t box[TENSOR_RANKS];        /* im2col: channels for each pixel, pixels for each column */
    uint8_t step[TENSOR_RANKS];        /* from one element of the box to the next */
    uint8_t rank, type, interleave, swizzle, mode;
    bool fill_nan, reserved;
    int16_t lower[TENSOR_RANKS - 2],
        upper[TENSOR_RANKS - 2]; /* im2col: corners of the bounding box; width, height, depth */
    uint8_t unused[26];
    uint64_t seal; /* of all fields before it: distinguishes a map from other bytes */
};
_Static_assert(sizeof(struct tensor_map) == TENSOR_MAP_BYTES && offsetof(struct tensor_map, seal) == 120,
               "programs have 128 bytes for it");

extern const uint8_t tensor_type_bytes[TENSOR_TYPES];
static inline bool tensor_type_is_float(unsigned type) {
    return type >= TENSOR_F16 && type < TENSOR_TYPES;
}

void tensor_map_seal(struct tensor_map *map);
bool tensor_map_is_sealed(const struct tensor_map *map);
/* The error in its contents, in one sentence for a message; NULL: none. */
const char *tensor_map_problem(const struct tensor_map *map);

/* Bytes of the unit of the first coordinate: an element, or in an interleaved layout the 16 or 32 bytes of a slice. */
uint32_t tensor_map_unit(const struct tensor_map *map);
/* How many of a tiled box's elements are taken along a dimension. Of an interleaved layout the last dimension but one
 * counts slices, and a box has one of them, regardless of the map. */
uint32_t tensor_map_steps(const struct tensor_map *map, unsigned dimension);
/* Bytes of one row of the box in shared memory, and of all of it. */
uint32_t tensor_map_row_bytes(const struct tensor_map *map);
uint32_t tensor_map_box_bytes(const struct tensor_map *map);

#endif
