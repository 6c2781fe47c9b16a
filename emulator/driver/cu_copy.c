/* Copies and fills. */
#include "driver/cu_copy.h"

#include <string.h>

#include "api/transfer.h"
#include "driver/context.h"
#include "driver/cu_array.h"

/* ---- rows of bytes ---- */

#define D(address) driver_pointer(address)

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    CALL(cudaMemcpy(D(to), D(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
    CALL(cudaMemcpy(D(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
    CALL(cudaMemcpy(to, D(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    CALL(cudaMemcpy(D(to), D(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CALL(cudaMemcpyAsync(D(to), D(from), bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    CALL(cudaMemcpyAsync(D(to), from, bytes, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CALL(cudaMemcpyAsync(to, D(from), bytes, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CALL(cudaMemcpyAsync(D(to), D(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

static cudaError_t copy_peer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes,
                             CUstream stream, bool async) {
    int to_device = context_device(there), from_device = context_device(here);
    if (to_device < 0 || from_device < 0)
        return cudaErrorDeviceUninitialized;
    return async ? cudaMemcpyPeerAsync(D(to), to_device, D(from), from_device, bytes, stream)
                 : cudaMemcpyPeer(D(to), to_device, D(from), from_device, bytes);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes) {
    CALL(copy_peer(to, there, from, here, bytes, NULL, false));
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes,
                           CUstream stream) {
    CALL(copy_peer(to, there, from, here, bytes, stream, true));
}

/* ---- boxes ---- */

/* One side of CUDA_MEMCPY2D or 3D, for the runtime's parameters. Offsets in an array count elements there, bytes
 * here. */
struct box_side {
    size_t x, y, z, pitch, height;
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
};

static cudaError_t put_side(const struct box_side *s, struct cudaPitchedPtr *pointer, struct cudaPos *at,
                            cudaArray_t *array) {
    *at = (struct cudaPos){s->x, s->y, s->z};
    switch (s->type) {
    case CU_MEMORYTYPE_HOST:
        *pointer = (struct cudaPitchedPtr){(void *)(uintptr_t)s->host, s->pitch, s->pitch, s->height};
        return s->host ? cudaSuccess : cudaErrorInvalidValue;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        *pointer = (struct cudaPitchedPtr){D(s->device), s->pitch, s->pitch, s->height};
        return s->device ? cudaSuccess : cudaErrorInvalidValue;
    case CU_MEMORYTYPE_ARRAY: {
        struct cudaChannelFormatDesc d;
        cudaError_t error = cudaArrayGetInfo(&d, NULL, NULL, RUNTIME_ARRAY(s->array));
        if (error != cudaSuccess)
            return error;
        *array = RUNTIME_ARRAY(s->array);
        at->x = s->x / array_element_bytes(d);
        if (s->x % array_element_bytes(d))
            return state_refuse(NULL, cudaErrorInvalidValue, "No texel of the array starts at byte %zu of a row.",
                                s->x);
        return cudaSuccess;
    }
    default:
        return cudaErrorInvalidValue;
    }
}

/* The width of a copy that an array takes part in counts elements for the runtime, and both arrays' have the same
 * size. */
static cudaError_t width_in_elements(struct cudaMemcpy3DParms *p) {
    struct cudaChannelFormatDesc to, from;
    cudaArray_t one = p->dstArray ? p->dstArray : p->srcArray;
    cudaError_t error = cudaArrayGetInfo(&to, NULL, NULL, one);
    if (error == cudaSuccess)
        error = cudaArrayGetInfo(&from, NULL, NULL, p->srcArray ? p->srcArray : one);
    if (error != cudaSuccess)
        return error;
    size_t element = array_element_bytes(to);
    if (p->extent.width % element || element != array_element_bytes(from))
        return state_refuse(
            NULL, cudaErrorInvalidValue,
            "Rows of %zu bytes are not whole texels: the source's have %zu bytes, the destination's %zu.",
            p->extent.width, array_element_bytes(from), element);
    p->extent.width /= element;
    return cudaSuccess;
}

static cudaError_t box_parameters(const struct box_side *to, const struct box_side *from, struct cudaExtent extent,
                                  struct cudaMemcpy3DParms *p) {
    *p = (struct cudaMemcpy3DParms){.extent = extent, .kind = cudaMemcpyDefault};
    cudaError_t error = put_side(to, &p->dstPtr, &p->dstPos, &p->dstArray);
    if (error == cudaSuccess)
        error = put_side(from, &p->srcPtr, &p->srcPos, &p->srcArray);
    return error == cudaSuccess && (p->dstArray || p->srcArray) ? width_in_elements(p) : error;
}

static cudaError_t copy_box(const struct box_side *to, const struct box_side *from, struct cudaExtent extent,
                            CUstream stream, bool async) {
    struct cudaMemcpy3DParms p;
    if (!extent.width || !extent.height || !extent.depth)
        return cudaSuccess;
    cudaError_t error = box_parameters(to, from, extent, &p);
    if (error != cudaSuccess)
        return error;
    return async ? cudaMemcpy3DAsync(&p, stream) : cudaMemcpy3D(&p);
}

static cudaError_t copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, bool async) {
    if (!c)
        return cudaErrorInvalidValue;
    size_t rows = c->dstY > c->srcY ? c->dstY : c->srcY;
    const struct box_side to = {.x = c->dstXInBytes,
                                .y = c->dstY,
                                .pitch = c->dstPitch ? c->dstPitch : c->WidthInBytes,
                                .height = rows + c->Height,
                                .type = c->dstMemoryType,
                                .host = c->dstHost,
                                .device = c->dstDevice,
                                .array = c->dstArray};
    const struct box_side from = {.x = c->srcXInBytes,
                                  .y = c->srcY,
                                  .pitch = c->srcPitch ? c->srcPitch : c->WidthInBytes,
                                  .height = rows + c->Height,
                                  .type = c->srcMemoryType,
                                  .host = c->srcHost,
                                  .device = c->srcDevice,
                                  .array = c->srcArray};
    return copy_box(&to, &from, (struct cudaExtent){c->WidthInBytes, c->Height, 1}, stream, async);
}

static struct box_side destination_of(const CUDA_MEMCPY3D *c) {
    return (struct box_side){.x = c->dstXInBytes,
                             .y = c->dstY,
                             .z = c->dstZ,
                             .pitch = c->dstPitch ? c->dstPitch : c->WidthInBytes,
                             .height = c->dstHeight ? c->dstHeight : c->Height,
                             .type = c->dstMemoryType,
                             .host = c->dstHost,
                             .device = c->dstDevice,
                             .array = c->dstArray};
}

static struct box_side source_of(const CUDA_MEMCPY3D *c) {
    return (struct box_side){.x = c->srcXInBytes,
                             .y = c->srcY,
                             .z = c->srcZ,
                             .pitch = c->srcPitch ? c->srcPitch : c->WidthInBytes,
                             .height = c->srcHeight ? c->srcHeight : c->Height,
                             .type = c->srcMemoryType,
                             .host = c->srcHost,
                             .device = c->srcDevice,
                             .array = c->srcArray};
}

static cudaError_t copy_3d(const CUDA_MEMCPY3D *c, CUstream stream, bool async) {
    if (!c || c->srcLOD || c->dstLOD)
        return cudaErrorInvalidValue;
    const struct box_side to = destination_of(c), from = source_of(c);
    return copy_box(&to, &from, (struct cudaExtent){c->WidthInBytes, c->Height, c->Depth}, stream, async);
}

cudaError_t copy_parameters(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p) {
    if (!c || c->srcLOD || c->dstLOD)
        return cudaErrorInvalidValue;
    const struct box_side to = destination_of(c), from = source_of(c);
    cudaError_t error = box_parameters(&to, &from, (struct cudaExtent){c->WidthInBytes, c->Height, c->Depth}, p);
    if (c->dstMemoryType != CU_MEMORYTYPE_UNIFIED && c->srcMemoryType != CU_MEMORYTYPE_UNIFIED) {
        bool to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST, from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST;
        p->kind = from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                  : to_host ? cudaMemcpyDeviceToHost
                            : cudaMemcpyDeviceToDevice;
    }
    return error;
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) {
    CALL(copy_2d(c, NULL, false));
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c) {
    CALL(copy_2d(c, NULL, false));
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream) {
    CALL(copy_2d(c, stream, true));
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c) {
    CALL(copy_3d(c, NULL, false));
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream) {
    CALL(copy_3d(c, stream, true));
}

/* It differs from CUDA_MEMCPY3D by the fields that are reserved there: the contexts. An array itself records which
 * device has it. */
static cudaError_t copy_3d_peer(const CUDA_MEMCPY3D_PEER *c, CUstream stream, bool async) {
    _Static_assert(sizeof *c == sizeof(CUDA_MEMCPY3D), "the same layout");
    if (!c)
        return cudaErrorInvalidValue;
    int here = c->srcMemoryType == CU_MEMORYTYPE_ARRAY ? state_device() : context_device(c->srcContext);
    int there = c->dstMemoryType == CU_MEMORYTYPE_ARRAY ? state_device() : context_device(c->dstContext);
    if (here < 0 || there < 0)
        return cudaErrorDeviceUninitialized;
    if (!c->WidthInBytes || !c->Height || !c->Depth)
        return cudaSuccess;
    CUDA_MEMCPY3D plain;
    struct cudaMemcpy3DParms p;
    memcpy(&plain, c, sizeof plain);
    cudaError_t error = copy_parameters(&plain, &p);
    if (error != cudaSuccess)
        return error;
    const struct cudaMemcpy3DPeerParms peer = {.srcArray = p.srcArray,
                                               .srcPos = p.srcPos,
                                               .srcPtr = p.srcPtr,
                                               .srcDevice = here,
                                               .dstArray = p.dstArray,
                                               .dstPos = p.dstPos,
                                               .dstPtr = p.dstPtr,
                                               .dstDevice = there,
                                               .extent = p.extent};
    return async ? cudaMemcpy3DPeerAsync(&peer, stream) : cudaMemcpy3DPeer(&peer);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c) {
    CALL(copy_3d_peer(c, NULL, false));
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream) {
    CALL(copy_3d_peer(c, stream, true));
}

/* ---- fills ---- */

static cudaError_t fill(const char *function, CUdeviceptr to, size_t pitch, unsigned value, unsigned element,
                        size_t width, size_t height, CUstream stream, bool async) {
    if (width > SIZE_MAX / 4 || to % element || (height > 1 && (pitch % element || pitch < width * element)))
        return cudaErrorInvalidValue;
    const struct fill_request r = {.function = function,
                                   .to = {to, pitch, 0},
                                   .box = {width * element, height, 1},
                                   .value = value,
                                   .element = element,
                                   .stream = stream,
                                   .async = async};
    return transfer_fill(&r);
}

#define FILLS(bits, type)                                                                                              \
    CUresult cuMemsetD##bits(CUdeviceptr to, type value, size_t count) {                                               \
        CALL(fill(__func__, to, 0, value, bits / 8, count, 1, NULL, false));                                           \
    }                                                                                                                  \
    CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream) {                       \
        CALL(fill(__func__, to, 0, value, bits / 8, count, 1, stream, true));                                          \
    }                                                                                                                  \
    CUresult cuMemsetD2D##bits(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) {                \
        CALL(fill(__func__, to, pitch, value, bits / 8, width, height, NULL, false));                                  \
    }                                                                                                                  \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,           \
                                      CUstream stream) {                                                               \
        CALL(fill(__func__, to, pitch, value, bits / 8, width, height, stream, true));                                 \
    }
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)
