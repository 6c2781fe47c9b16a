#include "driver/cu_resource.h"

#include "driver/cu_array.h"

_Static_assert((int)CU_RESOURCE_TYPE_ARRAY == (int)cudaResourceTypeArray &&
                   (int)CU_RESOURCE_TYPE_MIPMAPPED_ARRAY == (int)cudaResourceTypeMipmappedArray &&
                   (int)CU_RESOURCE_TYPE_LINEAR == (int)cudaResourceTypeLinear &&
                   (int)CU_RESOURCE_TYPE_PITCH2D == (int)cudaResourceTypePitch2D,
               "types of resources");

cudaError_t resource_parameters(const char *function, const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *out) {
    if (!r || r->flags)
        return cudaErrorInvalidValue;
    *out = (struct cudaResourceDesc){.resType = (enum cudaResourceType)r->resType};
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        out->res.array.array = RUNTIME_ARRAY(r->res.array.hArray);
        return cudaSuccess;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        out->res.mipmap.mipmap = (cudaMipmappedArray_t)(void *)r->res.mipmap.hMipmappedArray;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = driver_pointer(r->res.linear.devPtr);
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return array_channels(function, r->res.linear.format, r->res.linear.numChannels, &out->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        out->res.pitch2D.devPtr = driver_pointer(r->res.pitch2D.devPtr);
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return array_channels(function, r->res.pitch2D.format, r->res.pitch2D.numChannels, &out->res.pitch2D.desc);
    default:
        return cudaErrorInvalidValue;
    }
}

CUDA_RESOURCE_DESC resource_answer(const struct cudaResourceDesc *r) {
    CUDA_RESOURCE_DESC out = {.resType = (CUresourcetype)r->resType};
    switch (r->resType) {
    case cudaResourceTypeArray:
        out.res.array.hArray = DRIVER_ARRAY(r->res.array.array);
        break;
    case cudaResourceTypeMipmappedArray:
        out.res.mipmap.hMipmappedArray = (CUmipmappedArray)(void *)r->res.mipmap.mipmap;
        break;
    case cudaResourceTypeLinear:
        out.res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
        out.res.linear.format = array_driver_format(r->res.linear.desc);
        out.res.linear.numChannels = array_channel_count(r->res.linear.desc);
        out.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    case cudaResourceTypePitch2D:
        out.res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
        out.res.pitch2D.format = array_driver_format(r->res.pitch2D.desc);
        out.res.pitch2D.numChannels = array_channel_count(r->res.pitch2D.desc);
        out.res.pitch2D.width = r->res.pitch2D.width;
        out.res.pitch2D.height = r->res.pitch2D.height;
        out.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        break;
    }
    return out;
}
