/* CUDA arrays: texels that only textures, surfaces and copies reach. Here they lie row after row like any other memory. */
#ifndef API_ARRAY_H
#define API_ARRAY_H

#include "api/api.h"
#include "api/transfer.h"
#include "memory/texture.h"

struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as the program gave it: 0 where it has no such dimension */
    unsigned flags;
    struct image image;
    struct cudaArray *next;
};

/* True for an array that exists. */
bool array_exists(cudaArray_const_t array);

/* A place in an array, x in bytes, and the bytes and rows from there on that are wanted. */
cudaError_t array_side(const char *function, cudaArray_const_t array, size_t x, size_t y, size_t z, struct box box,
                       struct side *out);
size_t array_texel_bytes(cudaArray_const_t array);

/* Fills the format of an image. False for a format that we do not have. */
bool array_format(struct cudaChannelFormatDesc desc, struct image *out);

/* What a texture or surface reads, for a call named in messages. */
cudaError_t array_resource(const char *function, const struct cudaResourceDesc *resource, struct image *out);

#endif
