#include "api/array.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/capture.h"
#include "api/device.h"
#include "base/limits.h"
#include "api/queue.h"
#include "check/allocation_watch.h"

#define KNOWN_FLAGS                                                                                                    \
    (cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather | ARRAY_SPARSE |         \
     ARRAY_DEFERRED)
#define TILE_BYTES 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cudaArray *arrays;

static struct cudaArray **find(cudaArray_const_t array) {
    struct cudaArray **at = &arrays;
    while (*at && *at != array)
        at = &(*at)->next;
    return at;
}

bool array_exists(cudaArray_const_t array) {
    pthread_mutex_lock(&lock);
    bool exists = array && *find(array);
    pthread_mutex_unlock(&lock);
    return exists;
}

size_t array_texel_bytes(cudaArray_const_t array) {
    return (size_t)array->image.channels * array->image.channel_bytes;
}

/* ---- Formats ---- */

bool array_format(struct cudaChannelFormatDesc desc, struct image *out) {
    const int bits[] = {desc.x, desc.y, desc.z, desc.w};
    unsigned n = 0;
    while (n < 4 && bits[n])
        n++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < n ? bits[0] : 0))
            return false;
    bool known = desc.f == cudaChannelFormatKindSigned || desc.f == cudaChannelFormatKindUnsigned ||
                 (desc.f == cudaChannelFormatKindFloat && bits[0] > 8);
    if (!known || !n || n == 3 || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32))
        return false;
    out->channels = (uint8_t)n;
    out->channel_bytes = (uint8_t)(bits[0] / 8);
    out->format = desc.f == cudaChannelFormatKindSigned     ? CHANNEL_SIGNED
                  : desc.f == cudaChannelFormatKindUnsigned ? CHANNEL_UNSIGNED
                                                            : CHANNEL_FLOAT;
    return true;
}

static cudaError_t refuse_format(const char *function) {
    return state_refuse(function, cudaErrorInvalidChannelDescriptor,
                        "A texel has 1, 2 or 4 channels of 8, 16 or 32 bits, all alike, signed, unsigned or (from 16 "
                        "bits on) floating-point. Compressed and normalized formats are not emulated.");
}

/* ---- Making them ---- */

static uint32_t at_least_1(size_t n) {
    return n ? (uint32_t)n : 1;
}

/* Does an H200 have arrays of this extent? */
static bool within_limits(struct cudaExtent e, unsigned flags) {
    bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    if (cube)
        return e.width <= LIMIT_IMAGE_LAYERED && (!layered || e.depth <= LIMIT_CUBE_LAYERS);
    if (layered)
        return e.width <= LIMIT_IMAGE_LAYERED && e.height <= LIMIT_IMAGE_LAYERED && e.depth <= LIMIT_LAYERS;
    if (e.depth)
        return (e.width <= LIMIT_IMAGE_3D && e.height <= LIMIT_IMAGE_3D && e.depth <= LIMIT_IMAGE_3D) ||
               (e.width <= LIMIT_IMAGE_3D_ALT && e.height <= LIMIT_IMAGE_3D_ALT && e.depth <= LIMIT_IMAGE_DEPTH_ALT);
    if (flags & cudaArrayTextureGather)
        return e.width <= LIMIT_IMAGE_LAYERED && e.height <= LIMIT_IMAGE_LAYERED;
    return e.height ? e.width <= LIMIT_IMAGE_WIDTH && e.height <= LIMIT_IMAGE_HEIGHT : e.width <= LIMIT_IMAGE_1D;
}

/* The array's shape. False when there is no such array: a cube map has square faces, six to a cube. */
static bool shape(struct cudaArray *a) {
    struct cudaExtent e = a->extent;
    struct image *m = &a->image;
    bool layered = a->flags & cudaArrayLayered, cube = a->flags & cudaArrayCubemap;
    if (!e.width || !within_limits(e, a->flags))
        return false;
    if (cube ? e.width != e.height || !e.depth || e.depth % 6 || (!layered && e.depth != 6) : layered && !e.depth)
        return false;
    m->width = (uint32_t)e.width;
    m->height = at_least_1(e.height);
    m->cube = cube;
    m->layers = layered || cube ? (uint32_t)e.depth : 0;
    m->depth = m->layers ? 1 : at_least_1(e.depth);
    m->dimensions = m->layers ? (e.height ? 2 : 1) : e.depth ? 3 : e.height ? 2 : 1;
    m->pitch = (uint64_t)m->width * array_texel_bytes(a);
    m->slice = m->pitch * m->height;
    return m->layers || !e.depth || e.height;
}

cudaError_t array_describe(const char *function, struct cudaArray *a, const struct cudaChannelFormatDesc *desc,
                           struct cudaExtent extent, unsigned flags) {
    if (flags & ~(unsigned)KNOWN_FLAGS)
        return state_refuse(function, cudaErrorNotSupported,
                            "Arrays for graphics interoperability are not emulated (flags %#x).", flags);
    *a = (struct cudaArray){.desc = *desc, .extent = extent, .flags = flags};
    if (!array_format(*desc, &a->image))
        return refuse_format(function);
    if (!shape(a))
        return state_refuse(function, cudaErrorInvalidValue, "There is no array of %zu x %zu x %zu with these flags.",
                            extent.width, extent.height, extent.depth);
    return cudaSuccess;
}

size_t array_bytes(const struct cudaArray *a) {
    return a->image.slice * (a->image.layers ? a->image.layers : a->image.depth);
}

/* Nothing can be mapped to a sparse array here: reading one gives zeros, as where nothing is mapped on a GPU. */
const struct allocation *array_memory(const char *function, size_t bytes, unsigned flags) {
    const struct allocation *memory = memory_allocate(bytes, 0, MEMORY_DEVICE, state_device(), NULL);
    if (!memory) {
        state_refuse(function, cudaErrorMemoryAllocation, "The array's %zu bytes exceed the free device memory.",
                     bytes);
        return NULL;
    }
    if (flags & ARRAY_SPARSE) {
        memset(memory->host, 0, bytes);
        allocation_written(memory, memory->base, bytes);
    }
    return memory;
}

void array_add(struct cudaArray *a) {
    pthread_mutex_lock(&lock);
    a->next = arrays;
    arrays = a;
    pthread_mutex_unlock(&lock);
}

bool array_remove(struct cudaArray *a) {
    pthread_mutex_lock(&lock);
    struct cudaArray **at = find(a);
    bool ours = *at != NULL; /* and no other thread has freed it meanwhile */
    if (ours)
        *at = a->next;
    pthread_mutex_unlock(&lock);
    return ours;
}

static cudaError_t make(const char *function, cudaArray_t *out, const struct cudaChannelFormatDesc *desc,
                        struct cudaExtent extent, unsigned flags) {
    ENTER();
    NOT_WHILE_CAPTURING(function);
    struct cudaArray *a = out && desc ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return state_return(out && desc ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    cudaError_t error = array_describe(function, a, desc, extent, flags);
    if (error == cudaSuccess) {
        a->image.memory = array_memory(function, array_bytes(a), flags);
        error = a->image.memory ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (error != cudaSuccess) {
        free(a);
        return error;
    }
    a->image.address = a->image.memory->base;
    array_add(a);
    *out = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned flags) {
    return make(__func__, out, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned flags) {
    return make(__func__, out, desc, extent, flags);
}

/* A level lives as long as its mipmapped array. */
cudaError_t cudaFreeArray(cudaArray_t array) {
    ENTER();
    NOT_WHILE_CAPTURING(__func__);
    if (!array)
        return cudaSuccess;
    if (!array_exists(array))
        return state_refuse(__func__, cudaErrorInvalidValue, "That is not a CUDA array (already freed?).");
    queue_wait_device(array->image.memory->device);
    cudaError_t fault = state_observe(state_device());
    if (!array->level && array_remove(array)) {
        memory_free(array->image.address);
        free(array);
    }
    return state_return(fault);
}

/* ---- Questions ---- */

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array) {
    ENTER();
    if (!array_exists(array))
        return state_return(cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    ENTER();
    if (!desc)
        return state_return(cudaErrorInvalidValue);
    if (!array_exists(array))
        return state_return(cudaErrorInvalidResourceHandle);
    *desc = array->desc;
    return cudaSuccess;
}

/* Formats with several planes are not emulated. */
cudaError_t cudaArrayGetPlane(cudaArray_t *out, cudaArray_t array, unsigned plane) {
    ENTER();
    (void)out, (void)plane;
    return state_return(array_exists(array) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
}

/* Memory that the program has to provide: only an array that was made for that states its requirements. */
cudaError_t array_requirements(struct cudaArrayMemoryRequirements *out, unsigned flags, size_t bytes) {
    if (!out || !(flags & ARRAY_DEFERRED))
        return state_return(cudaErrorInvalidValue);
    *out = (struct cudaArrayMemoryRequirements){.size = (bytes + TILE_BYTES - 1) / TILE_BYTES * TILE_BYTES,
                                                .alignment = TILE_BYTES};
    return cudaSuccess;
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaArray_t array, int device) {
    ENTER();
    if (!array_exists(array))
        return state_return(cudaErrorInvalidResourceHandle);
    if (!device_exists(device))
        return device_missing(__func__, device);
    return array_requirements(out, array->flags, array_bytes(array));
}

/* A tile is 64 KiB, as square as it can be. */
static void find_tile(const struct image *m, struct cudaArraySparseProperties *out) {
    unsigned texels = TILE_BYTES / ((unsigned)m->channels * m->channel_bytes);
    unsigned *const sides[] = {&out->tileExtent.width, &out->tileExtent.height, &out->tileExtent.depth};
    unsigned n = m->dimensions < 3 ? 2 : 3;
    out->tileExtent.width = out->tileExtent.height = out->tileExtent.depth = 1;
    for (unsigned k = 0; texels > 1; k = (k + 1) % n, texels /= 2)
        *sides[k] *= 2;
}

static bool level_holds(uint32_t n, unsigned level, unsigned tile) {
    return (n >> level ? n >> level : 1) >= tile;
}

cudaError_t array_sparse(struct cudaArraySparseProperties *out, const struct cudaArray *a, unsigned levels) {
    if (!out || !(a->flags & ARRAY_SPARSE))
        return state_return(cudaErrorInvalidValue);
    *out = (struct cudaArraySparseProperties){0};
    find_tile(&a->image, out);
    unsigned l = 0; /* the levels share one, beginning with the first that is smaller than a tile */
    while (l < levels && level_holds(a->image.width, l, out->tileExtent.width) &&
           level_holds(a->image.height, l, out->tileExtent.height) &&
           level_holds(a->image.depth, l, out->tileExtent.depth))
        l++;
    if (levels > 1 && l < levels) {
        out->miptailFirstLevel = l;
        out->miptailSize = TILE_BYTES * (a->image.layers ? a->image.layers : 1);
    }
    return cudaSuccess;
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *out, cudaArray_t array) {
    ENTER();
    if (!array_exists(array))
        return state_return(cudaErrorInvalidResourceHandle);
    return array_sparse(out, array, 1);
}

/* ---- For copies, textures and surfaces ---- */

cudaError_t array_side(const char *function, cudaArray_const_t array, size_t x, size_t y, size_t z, struct box box,
                       struct side *out) {
    if (!array_exists(array))
        return state_refuse(function, cudaErrorInvalidValue, "That is not a CUDA array (already freed?).");
    const struct image *m = &array->image;
    size_t slices = m->layers ? m->layers : m->depth;
    if (x > m->pitch || box.width > m->pitch - x || y > m->height || box.height > m->height - y || z > slices ||
        box.depth > slices - z)
        return state_refuse(function, cudaErrorInvalidValue,
                            "The array has %u x %u x %zu texels of %zu bytes; the copy of %zu bytes x %zu rows x %zu "
                            "slices starting at byte %zu, row %zu, slice %zu does not fit.",
                            m->width, m->height, slices, array_texel_bytes(array), box.width, box.height, box.depth, x,
                            y, z);
    *out = (struct side){m->address + z * m->slice + y * m->pitch + x, m->pitch, m->slice};
    return cudaSuccess;
}

static cudaError_t memory_resource(const char *function, const void *pointer, struct cudaChannelFormatDesc desc,
                                   size_t bytes, struct image *out) {
    out->address = (uint64_t)(uintptr_t)pointer;
    if (!array_format(desc, out))
        return refuse_format(function);
    out->memory = memory_find(out->address);
    if (!out->memory || !memory_at(out->memory, out->address, bytes))
        return state_refuse(function, cudaErrorInvalidValue,
                            "The range from 0x%llx of %zu bytes is not inside one allocation of device memory.",
                            (unsigned long long)out->address, bytes);
    return cudaSuccess;
}

cudaError_t array_resource(const char *function, const struct cudaResourceDesc *r, struct image *out) {
    *out = (struct image){.height = 1, .depth = 1, .dimensions = 1};
    switch (r->resType) {
    case cudaResourceTypeArray:
        if (!array_exists(r->res.array.array))
            return state_refuse(function, cudaErrorInvalidResourceHandle,
                                "The resource is not a CUDA array (already freed?).");
        *out = r->res.array.array->image;
        return cudaSuccess;
    case cudaResourceTypeLinear: {
        size_t bytes = r->res.linear.sizeInBytes;
        cudaError_t error = memory_resource(function, r->res.linear.devPtr, r->res.linear.desc, bytes, out);
        if (error == cudaSuccess) {
            size_t texels = bytes / ((size_t)out->channels * out->channel_bytes);
            if (texels > 1 << 28)
                return state_refuse(function, cudaErrorInvalidValue, "Linear memory has at most 2^28 texels.");
            out->linear = true;
            out->width = (uint32_t)texels;
            out->pitch = out->slice = bytes;
        }
        return error;
    }
    case cudaResourceTypePitch2D: {
        size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height, pitch = r->res.pitch2D.pitchInBytes;
        if (!width || !height || width > 131072 || height > 131072 || pitch > (size_t)1 << 32)
            return state_refuse(function, cudaErrorInvalidValue, "There is no pitched memory of %zu x %zu.", width,
                                height);
        cudaError_t error =
            memory_resource(function, r->res.pitch2D.devPtr, r->res.pitch2D.desc, (height - 1) * pitch + width, out);
        if (error != cudaSuccess)
            return error;
        if (width * out->channels * out->channel_bytes > pitch || pitch % 32)
            return state_refuse(function, cudaErrorInvalidValue,
                                "The pitch of %zu bytes is too small for %zu texels, or no multiple of 32.", pitch,
                                width);
        out->dimensions = 2;
        out->pitched = true;
        out->width = (uint32_t)width;
        out->height = (uint32_t)height;
        out->pitch = pitch;
        out->slice = pitch * height;
        return cudaSuccess;
    }
    case cudaResourceTypeMipmappedArray:
        if (!mipmap_exists(r->res.mipmap.mipmap))
            return state_refuse(function, cudaErrorInvalidResourceHandle,
                                "The resource is not a mipmapped array (already freed?).");
        *out = r->res.mipmap.mipmap->levels[0]->image;
        return cudaSuccess;
    default:
        return state_refuse(function, cudaErrorInvalidValue, "There is no resource type %d.", (int)r->resType);
    }
}
