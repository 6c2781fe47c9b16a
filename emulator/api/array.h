/* CUDA arrays: texels that only textures, surfaces and copies reach. Here they are stored row after row like any other
 * memory. */
#ifndef API_ARRAY_H
#define API_ARRAY_H

#include "api/api.h"
#include "api/transfer.h"
#include "memory/texture_object.h"

struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as the program gave it: 0 where it has no such dimension */
    unsigned flags;
    struct image image;
    bool level; /* of a mipmapped array, whose memory it shares */
    struct cudaArray *next;
};

#define ARRAY_SPARSE   cudaArraySparse
#define ARRAY_DEFERRED cudaArrayDeferredMapping

/* A picture in several sizes, each half as large as the one before. */
#define LEVELS_MOST 16
struct cudaMipmappedArray {
    unsigned count;
    struct cudaArray *levels[LEVELS_MOST];
    struct cudaMipmappedArray *next;
};
bool mipmap_exists(cudaMipmappedArray_const_t mipmap);

/* True for an array that exists. */
bool array_exists(cudaArray_const_t array);

/* A position in an array, x in bytes, and the requested bytes and rows from there on. */
cudaError_t array_side(const char *function, cudaArray_const_t array, size_t x, size_t y, size_t z, struct box box,
                       struct side *out);
size_t array_texel_bytes(cudaArray_const_t array);

/* Fills the format of an image. False for a format that we do not have. */
bool array_format(struct cudaChannelFormatDesc desc, struct image *out);

/* Steps of making an array, for a call named in messages. */
cudaError_t array_describe(const char *function, struct cudaArray *a, const struct cudaChannelFormatDesc *desc,
                           struct cudaExtent extent, unsigned flags);
size_t array_bytes(const struct cudaArray *a);
const struct allocation *array_memory(const char *function, size_t bytes, unsigned flags); /* NULL, and reported */
void array_add(struct cudaArray *a);
bool array_remove(struct cudaArray *a); /* false when there was none */

/* Queries for arrays and mipmapped arrays alike. */
cudaError_t array_requirements(struct cudaArrayMemoryRequirements *out, unsigned flags, size_t bytes);
cudaError_t array_sparse(struct cudaArraySparseProperties *out, const struct cudaArray *a, unsigned levels);

/* The resource that a texture or surface reads, for a call named in messages. */
cudaError_t array_resource(const char *function, const struct cudaResourceDesc *resource, struct image *out);

#endif
