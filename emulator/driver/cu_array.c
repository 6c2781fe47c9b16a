/* Arrays and mipmapped arrays, which are the runtime's: each interface can use those made by the other. */
#include "driver/cu_array.h"

#include "api/array.h"
#include "driver/context.h"

/* ---- formats ---- */

static const struct {
    CUarray_format format;
    enum cudaChannelFormatKind kind;
    int bits;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Formats of graphics and video: their numbers, for toolkits of any age. */
static bool is_format_of_graphics(unsigned format) {
    return format == 0x50 || (format >= 0x91 && format <= 0xb5) || (format >= 0xc0 && format <= 0xcb);
}

cudaError_t array_channels(const char *function, CUarray_format format, unsigned channels,
                           struct cudaChannelFormatDesc *out) {
    if (is_format_of_graphics((unsigned)format))
        return state_refuse(function, cudaErrorNotSupported,
                            "Normalized, compressed and planar formats are not emulated (CUarray_format 0x%x).",
                            (unsigned)format);
    unsigned i = 0;
    while (i < FORMATS && formats[i].format != format)
        i++;
    if (i == FORMATS || (channels != 1 && channels != 2 && channels != 4))
        return state_refuse(function, cudaErrorInvalidValue,
                            "There are no texels of %u channels with CUarray_format 0x%x.", channels, (unsigned)format);
    int bits = formats[i].bits;
    *out = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                          channels > 2 ? bits : 0, formats[i].kind};
    return cudaSuccess;
}

CUarray_format array_driver_format(struct cudaChannelFormatDesc desc) {
    unsigned i = 0;
    while (i < FORMATS - 1 && (formats[i].kind != desc.f || formats[i].bits != desc.x))
        i++;
    return formats[i].format;
}

unsigned array_channel_count(struct cudaChannelFormatDesc d) {
    return (unsigned)(!!d.x + !!d.y + !!d.z + !!d.w);
}

/* ---- making and destroying ---- */

/* The flags have the runtime's numbers. */
_Static_assert(CUDA_ARRAY3D_LAYERED == cudaArrayLayered && CUDA_ARRAY3D_SURFACE_LDST == cudaArraySurfaceLoadStore &&
                   CUDA_ARRAY3D_CUBEMAP == cudaArrayCubemap && CUDA_ARRAY3D_TEXTURE_GATHER == cudaArrayTextureGather &&
                   CUDA_ARRAY3D_SPARSE == cudaArraySparse && CUDA_ARRAY3D_DEFERRED_MAPPING == cudaArrayDeferredMapping,
               "flags of arrays");

static cudaError_t free_array(void *array) {
    return cudaFreeArray(array);
}
static cudaError_t free_mipmapped(void *mipmap) {
    return cudaFreeMipmappedArray(mipmap);
}

static cudaError_t create_3d(const char *function, CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    struct cudaChannelFormatDesc texel;
    cudaArray_t array;
    if (!out || !d)
        return cudaErrorInvalidValue;
    cudaError_t error = array_channels(function, d->Format, d->NumChannels, &texel);
    if (error == cudaSuccess)
        error = cudaMalloc3DArray(&array, &texel, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags);
    if (error != cudaSuccess)
        return error;
    context_keep(array, free_array);
    *out = DRIVER_ARRAY(array);
    return cudaSuccess;
}

static cudaError_t create_2d(const char *function, CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
    if (!d)
        return cudaErrorInvalidValue;
    const CUDA_ARRAY3D_DESCRIPTOR same = {
        .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return create_3d(function, out, &same);
}

static cudaError_t destroy(CUarray array) {
    if (!array_exists(RUNTIME_ARRAY(array)))
        return cudaErrorInvalidResourceHandle; /* a wrong handle here, and a wrong value for the runtime */
    context_drop(array);
    return cudaFreeArray(RUNTIME_ARRAY(array));
}

CUresult cuArrayCreate(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
    CALL(create_2d(__func__, out, d));
}
CUresult cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    CALL(create_3d(__func__, out, d));
}
CUresult cuArrayDestroy(CUarray array) {
    CALL(destroy(array));
}

/* ---- questions ---- */

static cudaError_t describe_3d(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array) {
    struct cudaChannelFormatDesc texel;
    struct cudaExtent e;
    unsigned flags;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaArrayGetInfo(&texel, &e, &flags, RUNTIME_ARRAY(array));
    if (error == cudaSuccess)
        *out = (CUDA_ARRAY3D_DESCRIPTOR){.Width = e.width,
                                         .Height = e.height,
                                         .Depth = e.depth,
                                         .Format = array_driver_format(texel),
                                         .NumChannels = array_channel_count(texel),
                                         .Flags = flags};
    return error;
}

static cudaError_t describe_2d(CUDA_ARRAY_DESCRIPTOR *out, CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t error = out ? describe_3d(&d, array) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *out = (CUDA_ARRAY_DESCRIPTOR){
            .Width = d.Width, .Height = d.Height, .Format = d.Format, .NumChannels = d.NumChannels};
    return error;
}

/* The structures that the next functions fill have the runtime's layout. */
#define REQUIREMENTS(out) ((struct cudaArrayMemoryRequirements *)(void *)(out))
#define SPARSE(out)       ((struct cudaArraySparseProperties *)(void *)(out))
_Static_assert(sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS) == sizeof(struct cudaArrayMemoryRequirements) &&
                   sizeof(CUDA_ARRAY_SPARSE_PROPERTIES) == sizeof(struct cudaArraySparseProperties),
               "layouts");

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *out, CUarray array) {
    CALL(describe_2d(out, array));
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array) {
    CALL(describe_3d(out, array));
}
CUresult cuArrayGetPlane(CUarray *out, CUarray array, unsigned plane) {
    CALL(cudaArrayGetPlane((cudaArray_t *)(void *)out, RUNTIME_ARRAY(array), plane));
}
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUarray array, CUdevice device) {
    CALL(cudaArrayGetMemoryRequirements(REQUIREMENTS(out), RUNTIME_ARRAY(array), device));
}
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *out, CUarray array) {
    CALL(cudaArrayGetSparseProperties(SPARSE(out), RUNTIME_ARRAY(array)));
}

/* ---- mipmapped arrays ---- */

#define RUNTIME_MIPMAP(mipmap) ((cudaMipmappedArray_t)(void *)(mipmap))

static cudaError_t create_mipmapped(const char *function, CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                    unsigned levels) {
    struct cudaChannelFormatDesc texel;
    cudaMipmappedArray_t mipmap;
    if (!out || !d)
        return cudaErrorInvalidValue;
    cudaError_t error = array_channels(function, d->Format, d->NumChannels, &texel);
    if (error == cudaSuccess)
        error = cudaMallocMipmappedArray(&mipmap, &texel, (struct cudaExtent){d->Width, d->Height, d->Depth}, levels,
                                         d->Flags);
    if (error != cudaSuccess)
        return error;
    context_keep(mipmap, free_mipmapped);
    *out = (CUmipmappedArray)(void *)mipmap;
    return cudaSuccess;
}

static cudaError_t destroy_mipmapped(CUmipmappedArray mipmap) {
    cudaArray_t first;
    cudaError_t error = cudaGetMipmappedArrayLevel(&first, RUNTIME_MIPMAP(mipmap), 0);
    if (error != cudaSuccess)
        return error;
    context_drop(mipmap);
    return cudaFreeMipmappedArray(RUNTIME_MIPMAP(mipmap));
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels) {
    CALL(create_mipmapped(__func__, out, d, levels));
}
CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray mipmap, unsigned level) {
    CALL(cudaGetMipmappedArrayLevel((cudaArray_t *)(void *)out, RUNTIME_MIPMAP(mipmap), level));
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap) {
    CALL(destroy_mipmapped(mipmap));
}
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUmipmappedArray mipmap,
                                               CUdevice device) {
    CALL(cudaMipmappedArrayGetMemoryRequirements(REQUIREMENTS(out), RUNTIME_MIPMAP(mipmap), device));
}
CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *out, CUmipmappedArray mipmap) {
    CALL(cudaMipmappedArrayGetSparseProperties(SPARSE(out), RUNTIME_MIPMAP(mipmap)));
}
