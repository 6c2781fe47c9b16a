/* Texture objects. */
#include <stdlib.h>
#include <string.h>

#include "api/array.h"
#include "api/capture.h"
#include "api/device.h"
#include "api/queue.h"

struct descriptions {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    struct mipmap mipmap;
};

/* ---- Views: part of an array, or its bytes in another format ---- */

/* cudaResourceViewFormat counts formats in threes (1, 2, 4 channels), kind by kind. */
static bool view_format(enum cudaResourceViewFormat format, struct image *m) {
    static const struct {
        uint8_t format, bytes;
    } kinds[] = {{CHANNEL_UNSIGNED, 1}, {CHANNEL_SIGNED, 1}, {CHANNEL_UNSIGNED, 2}, {CHANNEL_SIGNED, 2},
                 {CHANNEL_UNSIGNED, 4}, {CHANNEL_SIGNED, 4}, {CHANNEL_FLOAT, 2},    {CHANNEL_FLOAT, 4}};
    unsigned n = (unsigned)format - cudaResViewFormatUnsignedChar1;
    if (n >= 3 * sizeof kinds / sizeof *kinds)
        return false;
    m->format = kinds[n / 3].format;
    m->channel_bytes = kinds[n / 3].bytes;
    m->channels = (uint8_t)(1u << n % 3);
    return true;
}

static cudaError_t check_view(const char *function, const struct cudaResourceViewDesc *v, const struct image *m,
                              unsigned levels) {
    struct image other = *m;
    if (v->format >= cudaResViewFormatUnsignedBlockCompressed1)
        return state_refuse(function, cudaErrorNotSupported, "Compressed formats are not emulated.");
    if (!view_format(v->format, &other) || other.channels * other.channel_bytes != m->channels * m->channel_bytes)
        return state_refuse(function, cudaErrorInvalidValue, "A view's texels must have as many bytes as the array's.");
    size_t height = m->dimensions > 1 ? m->height : 0, depth = m->layers ? m->layers : m->dimensions > 2 ? m->depth : 0;
    if (v->width != m->width || v->height != height || v->depth != depth)
        return state_refuse(function, cudaErrorInvalidValue,
                            "A view has to have the extent of the whole array, %u x %zu x %zu, even for a subset of "
                            "the levels or layers.",
                            m->width, height, depth);
    if (v->firstMipmapLevel > v->lastMipmapLevel || v->lastMipmapLevel >= levels || v->firstLayer > v->lastLayer ||
        v->lastLayer >= (m->layers ? m->layers : 1) || (m->cube && (v->lastLayer - v->firstLayer + 1) % 6))
        return state_refuse(function, cudaErrorInvalidValue, "The array has %u levels and %u layers.", levels,
                            m->layers ? m->layers : 1);
    return cudaSuccess;
}

static void apply_view(const struct cudaResourceViewDesc *v, struct image *m) {
    view_format(v->format, m);
    if (m->layers) {
        m->address += v->firstLayer * m->slice;
        m->layers = v->lastLayer - v->firstLayer + 1;
    }
}

/* All sizes of a resource; one that is not a mipmapped array has one. */
static void collect_levels(const struct cudaResourceDesc *r, const struct image *first, struct mipmap *out) {
    out->count = 1;
    out->levels[0] = *first;
    if (r->resType != cudaResourceTypeMipmappedArray)
        return;
    out->count = r->res.mipmap.mipmap->count;
    for (unsigned l = 1; l < out->count; l++)
        out->levels[l] = r->res.mipmap.mipmap->levels[l]->image;
}

static void narrow_levels(const struct cudaResourceViewDesc *v, struct mipmap *m) {
    m->count = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    memmove(m->levels, m->levels + v->firstMipmapLevel, m->count * sizeof *m->levels);
    for (unsigned l = 0; l < m->count; l++)
        apply_view(v, &m->levels[l]);
}

/* ---- Objects ---- */

/* Formats that the hardware cannot filter or scale. */
static cudaError_t check(const char *function, const struct image *m, const struct cudaTextureDesc *d) {
    bool normalized = d->readMode == cudaReadModeNormalizedFloat && m->format != CHANNEL_FLOAT;
    for (int k = 0; k < 3; k++)
        if ((unsigned)d->addressMode[k] > cudaAddressModeBorder)
            return state_return(cudaErrorInvalidValue);
    if ((unsigned)d->filterMode > cudaFilterModeLinear || (unsigned)d->mipmapFilterMode > cudaFilterModeLinear)
        return state_return(cudaErrorInvalidValue);
    if (d->filterMode == cudaFilterModeLinear && m->format != CHANNEL_FLOAT && !normalized)
        return state_refuse(function, cudaErrorInvalidFilterSetting,
                            "Only floating-point values can be filtered: use cudaReadModeNormalizedFloat or "
                            "cudaFilterModePoint for integer texels.");
    if (normalized && m->channel_bytes == 4)
        return state_refuse(function, cudaErrorInvalidNormSetting,
                            "Integers of 32 bits cannot be read as normalized floats.");
    return cudaSuccess;
}

static struct texture described(const struct image *m, const struct cudaTextureDesc *d) {
    struct texture t = {.image = *m,
                        .filter = d->filterMode == cudaFilterModeLinear,
                        .normalized_coordinates = d->normalizedCoords || m->cube,
                        .normalized_values = d->readMode == cudaReadModeNormalizedFloat && m->format != CHANNEL_FLOAT,
                        .seamless = d->seamlessCubemap && m->cube,
                        .anisotropic = d->maxAnisotropy > 1,
                        .srgb = d->sRGB && m->format == CHANNEL_UNSIGNED && m->channel_bytes == 1};
    for (int k = 0; k < 3; k++)
        t.address_mode[k] = (uint8_t)d->addressMode[k]; /* enum address_mode counts as CUDA does */
    memcpy(t.border, d->borderColor, sizeof t.border);
    return t;
}

static cudaError_t create(const char *function, cudaTextureObject_t *out, struct descriptions *owner, bool has_view) {
    struct image image;
    cudaError_t error = array_resource(function, &owner->resource, &image);
    if (error != cudaSuccess)
        return error;
    struct mipmap *m = &owner->mipmap;
    const struct cudaTextureDesc *d = &owner->texture;
    collect_levels(&owner->resource, &image, m);
    if (has_view && (error = check_view(function, &owner->view, &image, m->count)) != cudaSuccess)
        return error;
    if (has_view)
        narrow_levels(&owner->view, m);
    if ((error = check(function, &m->levels[0], d)) != cudaSuccess)
        return error;
    m->blend = d->mipmapFilterMode == cudaFilterModeLinear;
    m->bias = d->mipmapLevelBias;
    m->least = d->minMipmapLevelClamp;
    m->most = d->maxMipmapLevelClamp;
    struct texture t = described(&m->levels[0], d);
    t.mipmap = owner->resource.resType == cudaResourceTypeMipmappedArray ? m : NULL;
    *out = texture_register(&t, TEXTURE_SAMPLED, owner);
    return *out ? cudaSuccess : state_return(cudaErrorMemoryAllocation);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view) {
    ENTER();
    NOT_WHILE_CAPTURING(__func__);
    if (!out || !resource)
        return state_return(cudaErrorInvalidValue);
    if (!texture)
        return state_return(cudaErrorInvalidResourceHandle);
    struct descriptions *owner = calloc(1, sizeof *owner);
    if (!owner)
        return state_return(cudaErrorMemoryAllocation);
    owner->resource = *resource;
    owner->texture = *texture;
    if (view)
        owner->view = *view;
    cudaError_t error = create(__func__, out, owner, view != NULL);
    if (error != cudaSuccess)
        free(owner);
    return error;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
    ENTER();
    if (!handle)
        return cudaSuccess;
    queue_wait_device(state_device());           /* kernels that read it may still be waiting in a stream */
    texture_unregister(handle, TEXTURE_SAMPLED); /* CUDA reports no error when the object does not exist */
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t handle) {
    ENTER();
    const struct descriptions *owner = texture_owner(handle, TEXTURE_SAMPLED);
    if (!out || !owner)
        return state_return(cudaErrorInvalidValue);
    *out = owner->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t handle) {
    ENTER();
    const struct descriptions *owner = texture_owner(handle, TEXTURE_SAMPLED);
    if (!out || !owner)
        return state_return(cudaErrorInvalidValue);
    *out = owner->texture;
    return cudaSuccess;
}

/* Zeros where there is no view. */
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t handle) {
    ENTER();
    const struct descriptions *owner = texture_owner(handle, TEXTURE_SAMPLED);
    if (!out || !owner)
        return state_return(cudaErrorInvalidValue);
    *out = owner->view;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *out, const struct cudaChannelFormatDesc *desc, int device) {
    struct image format;
    if (!out || !desc)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device))
        return device_missing(__func__, device);
    if (!array_format(*desc, &format))
        return state_return(cudaErrorInvalidChannelDescriptor);
    size_t texels = ((size_t)1 << 32) / ((size_t)format.channels * format.channel_bytes);
    *out = texels < (size_t)1 << 30 ? texels : (size_t)1 << 30;
    return cudaSuccess;
}
