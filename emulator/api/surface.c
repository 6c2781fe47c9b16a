/* Surface objects. */
#include <stdlib.h>

#include "api/array.h"
#include "api/queue.h"

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *resource) {
    ENTER();
    if (!out || !resource)
        return state_return(cudaErrorInvalidValue);
    if (resource->resType != cudaResourceTypeArray)
        return state_refuse(__func__, cudaErrorInvalidValue, "A surface needs a CUDA array.");
    struct texture t = {0};
    cudaError_t error = array_resource(__func__, resource, &t.image);
    if (error != cudaSuccess)
        return error;
    struct cudaResourceDesc *owner = malloc(sizeof *owner);
    if (owner)
        *owner = *resource;
    uint64_t handle = owner ? texture_register(&t, TEXTURE_SURFACE, owner) : 0;
    if (!handle) {
        free(owner);
        return state_return(cudaErrorMemoryAllocation);
    }
    *out = handle;
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
    ENTER();
    if (!handle)
        return cudaSuccess;
    queue_wait_device(state_device());           /* kernels that use it may still be waiting in a stream */
    texture_unregister(handle, TEXTURE_SURFACE); /* CUDA reports no error when the object does not exist */
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t handle) {
    ENTER();
    const struct cudaResourceDesc *owner = texture_owner(handle, TEXTURE_SURFACE);
    if (!out || !owner)
        return state_return(cudaErrorInvalidValue);
    *out = *owner;
    return cudaSuccess;
}
