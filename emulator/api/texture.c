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
};

/* What the hardware cannot filter or scale. */
static cudaError_t check(const char *function, const struct image *m, const struct cudaTextureDesc *d) {
    bool normalized = d->readMode == cudaReadModeNormalizedFloat && m->format != CHANNEL_FLOAT;
    for (int k = 0; k < 3; k++)
        if ((unsigned)d->addressMode[k] > cudaAddressModeBorder)
            return state_return(cudaErrorInvalidValue);
    if (d->filterMode == cudaFilterModeLinear && m->format != CHANNEL_FLOAT && !normalized)
        return state_refuse(function, cudaErrorInvalidFilterSetting,
                            "Only floating-point values can be filtered: use cudaReadModeNormalizedFloat or "
                            "cudaFilterModePoint for integer texels.");
    if (normalized && m->channel_bytes == 4)
        return state_refuse(function, cudaErrorInvalidNormSetting,
                            "Integers of 32 bits cannot be read as normalized floats.");
    if (m->cube && d->seamlessCubemap && d->filterMode == cudaFilterModeLinear)
        return state_refuse(function, cudaErrorNotSupported, "Filtering across a cube map's edges is not emulated.");
    return cudaSuccess;
}

static struct texture described(const struct image *m, const struct cudaTextureDesc *d) {
    struct texture t = {.image = *m,
                        .filter = d->filterMode == cudaFilterModeLinear,
                        .normalized_coordinates = d->normalizedCoords || m->cube,
                        .normalized_values = d->readMode == cudaReadModeNormalizedFloat && m->format != CHANNEL_FLOAT,
                        .srgb = d->sRGB && m->format == CHANNEL_UNSIGNED && m->channel_bytes == 1};
    for (int k = 0; k < 3; k++)
        t.address_mode[k] = (uint8_t)d->addressMode[k]; /* enum address_mode counts as CUDA does */
    memcpy(t.border, d->borderColor, sizeof t.border);
    return t;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view) {
    ENTER();
    NOT_WHILE_CAPTURING(__func__);
    struct image image;
    if (!out || !resource || !texture)
        return state_return(cudaErrorInvalidValue);
    if (view)
        return state_refuse(__func__, cudaErrorNotSupported, "Resource views are not emulated: pass a null pointer.");
    cudaError_t error = array_resource(__func__, resource, &image);
    if (error == cudaSuccess)
        error = check(__func__, &image, texture);
    if (error != cudaSuccess)
        return error;
    struct descriptions *owner = malloc(sizeof *owner);
    struct texture t = described(&image, texture);
    if (owner)
        *owner = (struct descriptions){*resource, *texture};
    uint64_t handle = owner ? texture_register(&t, TEXTURE_SAMPLED, owner) : 0;
    if (!handle) {
        free(owner);
        return state_return(cudaErrorMemoryAllocation);
    }
    *out = handle;
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
    ENTER();
    if (!handle)
        return cudaSuccess;
    queue_wait_device(state_device());           /* kernels that read it may still be waiting in a stream */
    texture_unregister(handle, TEXTURE_SAMPLED); /* CUDA says nothing when there is no such object */
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

/* No texture here has a view. */
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t handle) {
    ENTER();
    (void)out;
    (void)handle;
    return state_return(cudaErrorInvalidValue);
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
