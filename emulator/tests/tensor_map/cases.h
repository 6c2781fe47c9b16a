/* The cases of tensor maps: a tensor, a box of it, and what is done with the box. */
#ifndef CASES_H
#define CASES_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

enum { RANKS = 5, SHARED_BYTES = 32768, MAP_IN_SHARED = SHARED_BYTES, WORDS_BEHIND = 1 };

enum operation { LOADS, STORES, ADDS, MINS, MAXES, INCREMENTS, DECREMENTS, ANDS, ORS, XORS, OPERATIONS };

/* What a case is about. */
enum about {
    ABOUT_TILES,
    ABOUT_REDUCTIONS, /* each operation with each type */
    ABOUT_IM2COL,
    ABOUT_INTERLEAVE,
    ABOUT_PLACES, /* in shared memory, and of the map */
    ABOUT_REPLACE,
    ABOUT_WRONG, /* instructions that do not fit the map */
    ABOUTS
};

enum place { MAP_IN_GLOBAL, MAP_IN_PARAMETER, MAP_IN_CONSTANT };

/* What tensormap.replace changes before the copy. */
enum field {
    FIELD_NONE,
    FIELD_ADDRESS,
    FIELD_RANK,
    FIELD_BOX,
    FIELD_SIZE,
    FIELD_STRIDE,
    FIELD_STEP,
    FIELD_TYPE,
    FIELD_SWIZZLE,
    FIELD_FILL,
    FIELD_ALL, /* of a map that was zeros */
    FIELDS
};

struct map_case {
    enum about about;
    enum operation operation;
    CUtensorMapDataType type;
    unsigned type_index; /* in this test's list of types */
    unsigned element;    /* bytes */
    unsigned rank;
    uint64_t size[RANKS], stride[RANKS - 1]; /* stride: bytes, of dimensions 1 and up */
    uint32_t box[RANKS], step[RANKS];
    int32_t at[RANKS];
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
    bool im2col;
    int lower[RANKS - 2], upper[RANKS - 2]; /* as the driver takes them: depth, height, width */
    unsigned offset[RANKS - 2], channels, pixels;
    enum place place;
    enum field field;
    unsigned field_value;
    unsigned shared_offset; /* of the box, from a multiple of 1024 */
    const char *wrong;      /* the instruction's words instead of the right ones; NULL: right */
    bool positions;         /* each word of memory holds where it is */
    uint64_t bytes;         /* of the tensor */
    uint32_t box_bytes;     /* that are copied */
};

extern const unsigned case_count;

struct map_case cases_at(unsigned number);
void cases_name(const struct map_case *c, unsigned number, char *name, unsigned size);
/* The kernel `k(map, in, out, tensor)`: `in` has SHARED_BYTES for shared memory; afterwards shared memory goes to `out`, and of a load a word behind it
 * that says whether the copy has told its mbarrier. */
void cases_ptx(const struct map_case *c, char *text, unsigned size);

#endif
