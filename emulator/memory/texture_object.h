/* The objects of textures and surfaces: texels in the device's memory, and how to read them. The runtime API makes
 * these objects, instructions find them by the 64-bit handle that a kernel holds. */
#ifndef TEXTURE_OBJECT_H
#define TEXTURE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/memory.h"

enum channel_format { CHANNEL_UNSIGNED, CHANNEL_SIGNED, CHANNEL_FLOAT };

/* Texels in rows, rows in slices: a CUDA array, linear memory or pitched memory. */
struct image {
    const struct allocation *memory;
    uint64_t address;              /* of the first texel */
    uint64_t pitch, slice;         /* bytes from row to row; from one slice, layer or face to the next */
    uint32_t width, height, depth; /* texels; 1 where the image has no such dimension */
    uint32_t layers;               /* 0: not layered. A cube map has 6 to each cube */
    uint8_t dimensions;            /* 1, 2, 3 */
    bool cube;
    bool linear;  /* cudaResourceTypeLinear */
    bool pitched; /* cudaResourceTypePitch2D; neither: an array, which a GPU lays out in blocks */
    uint8_t format, channels, channel_bytes;
};

/* As cudaTextureAddressMode numbers them. */
enum address_mode { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

struct mipmap;
struct texels_touched;

struct texture {
    struct image image;
    uint8_t address_mode[3];
    bool filter;                 /* linear */
    bool normalized_coordinates; /* 0 to 1 */
    bool normalized_values;      /* integers become fractions */
    bool srgb;
    bool seamless;    /* filters across the edges of a cube map */
    bool anisotropic; /* requests more than one sample along a long footprint, which is not supported */
    float border[4];
    const struct mipmap *mipmap;    /* in the owner's memory; NULL: there is one size only */
    struct texels_touched *touched; /* records which texels are read; NULL: not recorded */
};

/* The smaller sizes of a mipmapped array; the texture's image is the largest. */
#define MIPMAP_LEVELS 16
struct mipmap {
    unsigned count;
    struct image levels[MIPMAP_LEVELS];
    bool blend;              /* between two levels */
    float bias, least, most; /* of the level */
};

enum texture_kind { TEXTURE_SAMPLED, TEXTURE_SURFACE };

/* Gives the object a handle; 0 when there are too many. `owner` is malloc'd and freed with it. */
uint64_t texture_register(const struct texture *t, enum texture_kind kind, void *owner);
bool texture_unregister(uint64_t handle, enum texture_kind kind);
void *texture_owner(uint64_t handle, enum texture_kind kind); /* NULL when there is no such object */

/* Any thread, no lock. NULL when the handle is none, or of the other kind, or the object was destroyed. */
const struct texture *texture_find(uint64_t handle, enum texture_kind kind);

#endif
