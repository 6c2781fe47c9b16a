/* Mipmapped arrays: an array for each size, all of them in one block of memory. */
#include <pthread.h>
#include <stdlib.h>

#include "api/array.h"
#include "api/capture.h"
#include "api/device.h"
#include "api/queue.h"

#define ALIGNMENT 512

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cudaMipmappedArray *mipmaps;

static struct cudaMipmappedArray **find(cudaMipmappedArray_const_t mipmap) {
    struct cudaMipmappedArray **at = &mipmaps;
    while (*at && *at != mipmap)
        at = &(*at)->next;
    return at;
}

bool mipmap_exists(cudaMipmappedArray_const_t mipmap) {
    pthread_mutex_lock(&lock);
    bool exists = mipmap && *find(mipmap);
    pthread_mutex_unlock(&lock);
    return exists;
}

static size_t halved(size_t n, unsigned level) {
    return !n ? 0 : n >> level ? n >> level : 1;
}

/* The extent of a level: the number of layers and faces stays the same. */
static struct cudaExtent extent_of(struct cudaExtent e, unsigned flags, unsigned level) {
    bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
    return (struct cudaExtent){halved(e.width, level), halved(e.height, level),
                               layers ? e.depth : halved(e.depth, level)};
}

/* The requested number, at least one, at most down to a single texel. */
static unsigned level_count(struct cudaExtent e, unsigned flags, unsigned wanted) {
    unsigned n = 1;
    struct cudaExtent last = e;
    while (n < wanted && n < LEVELS_MOST) {
        struct cudaExtent next = extent_of(e, flags, n);
        if (next.width == last.width && next.height == last.height && next.depth == last.depth)
            break;
        last = next;
        n++;
    }
    return n;
}

static size_t aligned(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void forget(struct cudaMipmappedArray *m) {
    for (unsigned l = 0; l < m->count; l++)
        free(m->levels[l]);
    free(m);
}

/* Describes all levels and gives them memory. */
static cudaError_t make_levels(const char *function, struct cudaMipmappedArray *m, unsigned count,
                               const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags) {
    size_t bytes = 0;
    for (; m->count < count; m->count++) {
        struct cudaArray *a = m->levels[m->count] = calloc(1, sizeof *a);
        if (!a)
            return state_return(cudaErrorMemoryAllocation);
        cudaError_t error = array_describe(function, a, desc, extent_of(extent, flags, m->count), flags);
        if (error != cudaSuccess) {
            free(a);
            return error;
        }
        a->level = true;
        a->image.address = bytes;
        bytes += aligned(array_bytes(a));
    }
    const struct allocation *memory = array_memory(function, bytes, flags);
    for (unsigned l = 0; l < count && memory; l++) {
        m->levels[l]->image.memory = memory;
        m->levels[l]->image.address += memory->base;
    }
    return memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned levels, unsigned flags) {
    ENTER();
    NOT_WHILE_CAPTURING(__func__);
    struct cudaMipmappedArray *m = out && desc ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return state_return(out && desc ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    cudaError_t error = make_levels(__func__, m, level_count(extent, flags, levels), desc, extent, flags);
    if (error != cudaSuccess) {
        forget(m);
        return error;
    }
    for (unsigned l = 0; l < m->count; l++)
        array_add(m->levels[l]);
    pthread_mutex_lock(&lock);
    m->next = mipmaps;
    mipmaps = *out = m;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t m) {
    ENTER();
    NOT_WHILE_CAPTURING(__func__);
    if (!m)
        return cudaSuccess;
    if (!mipmap_exists(m))
        return state_refuse(__func__, cudaErrorInvalidValue, "That is not a mipmapped array (already freed?).");
    queue_wait_device(m->levels[0]->image.memory->device);
    cudaError_t fault = state_observe(state_device());
    pthread_mutex_lock(&lock);
    struct cudaMipmappedArray **at = find(m);
    bool ours = *at != NULL;
    if (ours)
        *at = m->next;
    pthread_mutex_unlock(&lock);
    if (ours) {
        for (unsigned l = 0; l < m->count; l++)
            array_remove(m->levels[l]);
        memory_free(m->levels[0]->image.memory->base);
        forget(m);
    }
    return state_return(fault);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_const_t m, unsigned level) {
    ENTER();
    if (!out)
        return state_return(cudaErrorInvalidValue);
    if (!mipmap_exists(m))
        return state_return(cudaErrorInvalidResourceHandle);
    if (level >= m->count)
        return state_refuse(__func__, cudaErrorInvalidValue, "There is no level %u: the array has %u, numbered from 0.",
                            level, m->count);
    *out = m->levels[level];
    return cudaSuccess;
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaMipmappedArray_t m,
                                                    int device) {
    ENTER();
    if (!mipmap_exists(m))
        return state_return(cudaErrorInvalidResourceHandle);
    if (!device_exists(device))
        return device_missing(__func__, device);
    return array_requirements(out, m->levels[0]->flags, m->levels[0]->image.memory->size);
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *out, cudaMipmappedArray_t m) {
    ENTER();
    if (!mipmap_exists(m))
        return state_return(cudaErrorInvalidResourceHandle);
    return array_sparse(out, m->levels[0], m->count);
}
