/* Texture and surface instructions. insn.extra is a struct texture_access. */
#ifndef TEXTURE_FETCH_H
#define TEXTURE_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/insn.h"
#include "machine/warp.h"
#include "memory/texture_object.h"

enum surface_clamp { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
/* Which level of a mipmapped array a sample is of: the first, one that the instruction names, or the one whose texels
 * are as large as the step from thread to thread that it gives. */
enum texture_levels { LEVEL_FIRST, LEVEL_NAMED, LEVEL_GRADIENT };
enum texture_query {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_ARRAY_SIZE,
    QUERY_NORMALIZED,
    QUERY_LEVELS,
};

struct texture_access {
    uint8_t dimensions; /* 1, 2, 3; a cube map has 3 coordinates */
    bool layered;       /* the first coordinate is a layer */
    bool cube;
    bool integers; /* coordinates are s32 */
    bool gather;   /* tld4 of this component */
    uint8_t component;
    uint8_t levels;    /* enum texture_levels */
    bool store;        /* sust */
    uint8_t clamp;     /* enum surface_clamp */
    uint8_t query;     /* enum texture_query */
    uint8_t kind;      /* enum texture_kind */
    uint8_t bytes;     /* of an element of a surface access */
    uint8_t count;     /* elements */
    uint8_t reg_bytes; /* of a data register */
    uint32_t handle;   /* frame offsets, here and below */
    uint32_t layer;
    uint32_t coordinates[3];
    uint32_t level;
    uint32_t gradient[2][3];
    uint32_t regs[4];
    uint32_t predicate; /* of d|p: whether the texels are resident, which they always are */
};

const struct insn *op_texture(struct warp *w, const struct insn *in);
const struct insn *op_surface(struct warp *w, const struct insn *in);
const struct insn *op_texture_query(struct warp *w, const struct insn *in);

/* The object that a lane's handle names. NULL after the fault has been reported. */
const struct texture *texture_of_lane(struct warp *w, const struct insn *in, int lane);

/* The result of a texture read: four values of 32 bits. */
struct texel {
    uint32_t v[4];
    uint64_t unwritten; /* the address of one that was read but never written; 0: there is none */
};
struct sample_point {
    double x[3]; /* as the kernel passes them */
    uint32_t layer;
    float level;
    float gradient[2][3];
};
/* The 32-byte sectors that contain the texels of a fetch, as a GPU lays them out: in linear and pitched memory a run of
 * bytes, in an array 16 bytes of each of two rows. */
#define MOST_TEXELS 16 /* eight in each of two levels */
struct texels_touched {
    uint64_t sectors[MOST_TEXELS];
    unsigned count;
};
void touch_texel(struct texels_touched *touched, const struct image *m, uint64_t x_bytes, uint64_t y, uint64_t z);

/* The sectors of a lane's fetch. False when they are not known: the handle is invalid, or it filters in a way that a
 * GPU does in several passes (three dimensions, two levels, edges of cubes, more than 4 bytes to a texel). */
bool texture_touches(const struct warp *w, const struct insn *in, int lane, struct texels_touched *out);
bool surface_touches(const struct warp *w, const struct insn *in, int lane, struct texels_touched *out);
/* How many lanes share a request. */
unsigned texture_request_lanes(const struct warp *w, const struct insn *in);
unsigned surface_request_lanes(const struct insn *in);

/* False when the texture's memory has been freed. */
bool texture_sample(const struct texture *t, const struct texture_access *a, struct sample_point p, struct texel *out);

#endif
