/* Texture objects. */
#include <string.h>

#include "driver/context.h"
#include "driver/cu_resource.h"

/* ---- how texels are read ---- */

_Static_assert((int)CU_TR_ADDRESS_MODE_BORDER == (int)cudaAddressModeBorder &&
                   (int)CU_TR_FILTER_MODE_LINEAR == (int)cudaFilterModeLinear,
               "modes of textures");

#define KNOWN_FLAGS                                                                                                    \
    (CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |                                         \
     CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP)

static bool has_words(const struct cudaChannelFormatDesc *d) {
    return d->x == 32 && d->f != cudaChannelFormatKindFloat;
}

/* Integers of 32 bits are read as such, whatever the flags are. The result does not matter for a format that no array
 * has. */
static bool reads_words(const struct cudaResourceDesc *r) {
    struct cudaChannelFormatDesc d;
    cudaArray_t first;
    switch (r->resType) {
    case cudaResourceTypeLinear:
        return has_words(&r->res.linear.desc);
    case cudaResourceTypePitch2D:
        return has_words(&r->res.pitch2D.desc);
    case cudaResourceTypeMipmappedArray:
        return cudaGetMipmappedArrayLevel(&first, r->res.mipmap.mipmap, 0) == cudaSuccess &&
               cudaGetChannelDesc(&d, first) == cudaSuccess && has_words(&d);
    default:
        return cudaGetChannelDesc(&d, r->res.array.array) == cudaSuccess && has_words(&d);
    }
}

static cudaError_t texture_parameters(const CUDA_TEXTURE_DESC *t, bool words, struct cudaTextureDesc *out) {
    if (!t || t->flags & ~(unsigned)KNOWN_FLAGS)
        return cudaErrorInvalidValue;
    bool as_they_are = words || t->flags & CU_TRSF_READ_AS_INTEGER;
    *out =
        (struct cudaTextureDesc){.filterMode = (enum cudaTextureFilterMode)t->filterMode,
                                 .readMode = as_they_are ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
                                 .sRGB = !!(t->flags & CU_TRSF_SRGB),
                                 .normalizedCoords = !!(t->flags & CU_TRSF_NORMALIZED_COORDINATES),
                                 .maxAnisotropy = t->maxAnisotropy,
                                 .mipmapFilterMode = (enum cudaTextureFilterMode)t->mipmapFilterMode,
                                 .mipmapLevelBias = t->mipmapLevelBias,
                                 .minMipmapLevelClamp = t->minMipmapLevelClamp,
                                 .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
                                 .disableTrilinearOptimization = !!(t->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION),
                                 .seamlessCubemap = !!(t->flags & CU_TRSF_SEAMLESS_CUBEMAP)};
    for (int k = 0; k < 3; k++)
        out->addressMode[k] = (enum cudaTextureAddressMode)t->addressMode[k];
    memcpy(out->borderColor, t->borderColor, sizeof out->borderColor);
    return cudaSuccess;
}

static CUDA_TEXTURE_DESC texture_answer(const struct cudaTextureDesc *t) {
    CUDA_TEXTURE_DESC out = {.filterMode = (CUfilter_mode)t->filterMode,
                             .flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
                                      (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                                      (t->sRGB ? CU_TRSF_SRGB : 0u) |
                                      (t->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
                                      (t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u),
                             .maxAnisotropy = t->maxAnisotropy,
                             .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
                             .mipmapLevelBias = t->mipmapLevelBias,
                             .minMipmapLevelClamp = t->minMipmapLevelClamp,
                             .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
    for (int k = 0; k < 3; k++)
        out.addressMode[k] = (CUaddress_mode)t->addressMode[k];
    return out;
}

/* A view's formats have the runtime's numbers, and the whole has its layout. */
#define VIEW(view) ((const struct cudaResourceViewDesc *)(const void *)(view))
_Static_assert((int)CU_RES_VIEW_FORMAT_FLOAT_4X32 == (int)cudaResViewFormatFloat4 &&
                   offsetof(CUDA_RESOURCE_VIEW_DESC, lastLayer) == offsetof(struct cudaResourceViewDesc, lastLayer),
               "views");

/* ---- the objects ---- */

static cudaError_t destroy_object(void *object) {
    return cudaDestroyTextureObject((uintptr_t)object);
}

static cudaError_t create(const char *function, CUtexObject *out, const CUDA_RESOURCE_DESC *r,
                          const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *view) {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    cudaError_t error = out ? resource_parameters(function, r, &resource) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = texture_parameters(t, reads_words(&resource), &texture);
    if (error == cudaSuccess)
        error = cudaCreateTextureObject(out, &resource, &texture, VIEW(view));
    if (error == cudaSuccess)
        context_keep((void *)(uintptr_t)*out, destroy_object);
    return error;
}

static cudaError_t destroy(CUtexObject object) {
    context_drop((void *)(uintptr_t)object);
    return cudaDestroyTextureObject(object);
}

static cudaError_t describe_resource(CUDA_RESOURCE_DESC *out, CUtexObject object) {
    struct cudaResourceDesc r;
    cudaError_t error = out ? cudaGetTextureObjectResourceDesc(&r, object) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *out = resource_answer(&r);
    return error;
}

static cudaError_t describe_texture(CUDA_TEXTURE_DESC *out, CUtexObject object) {
    struct cudaTextureDesc t;
    cudaError_t error = out ? cudaGetTextureObjectTextureDesc(&t, object) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    CUDA_TEXTURE_DESC answer = texture_answer(&t);
    memcpy(answer.borderColor, out->borderColor, sizeof answer.borderColor); /* an H100's driver does not write it */
    *out = answer;
    return error;
}

/* Zeros where there is no view. */
static cudaError_t describe_view(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject object) {
    struct cudaResourceViewDesc v;
    cudaError_t error = out ? cudaGetTextureObjectResourceViewDesc(&v, object) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *out = (CUDA_RESOURCE_VIEW_DESC){.format = (CUresourceViewFormat)v.format,
                                         .width = v.width,
                                         .height = v.height,
                                         .depth = v.depth,
                                         .firstMipmapLevel = v.firstMipmapLevel,
                                         .lastMipmapLevel = v.lastMipmapLevel,
                                         .firstLayer = v.firstLayer,
                                         .lastLayer = v.lastLayer};
    return error;
}

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view) {
    CALL(create(__func__, out, resource, texture, view));
}
CUresult cuTexObjectDestroy(CUtexObject object) {
    CALL(destroy(object));
}
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject object) {
    CALL(describe_resource(out, object));
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject object) {
    CALL(describe_texture(out, object));
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject object) {
    CALL(describe_view(out, object));
}
