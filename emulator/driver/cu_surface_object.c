/* Surface objects. */
#include "driver/context.h"
#include "driver/cu_resource.h"

static cudaError_t destroy_object(void *object) {
    return cudaDestroySurfaceObject((uintptr_t)object);
}

static cudaError_t create(const char *function, CUsurfObject *out, const CUDA_RESOURCE_DESC *r) {
    struct cudaResourceDesc resource;
    cudaError_t error = out ? resource_parameters(function, r, &resource) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cudaCreateSurfaceObject(out, &resource);
    if (error == cudaSuccess)
        context_keep((void *)(uintptr_t)*out, destroy_object);
    return error;
}

static cudaError_t destroy(CUsurfObject object) {
    context_drop((void *)(uintptr_t)object);
    return cudaDestroySurfaceObject(object);
}

static cudaError_t describe_resource(CUDA_RESOURCE_DESC *out, CUsurfObject object) {
    struct cudaResourceDesc r;
    cudaError_t error = out ? cudaGetSurfaceObjectResourceDesc(&r, object) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *out = resource_answer(&r);
    return error;
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource) {
    CALL(create(__func__, out, resource));
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
    CALL(destroy(object));
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject object) {
    CALL(describe_resource(out, object));
}
