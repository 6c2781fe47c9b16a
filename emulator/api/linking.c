#include "api/linking.h"

#include <stdlib.h>
#include <string.h>

#include "api/device_code.h"
#include "base/out_of_memory.h"
#include "fatbin/containers.h"

static void take(struct linking *l, const char *text, size_t length) {
    char *copy = or_out_of_memory(malloc(length + 1));
    memcpy(copy, text, length);
    copy[length] = '\0';
    l->texts = or_out_of_memory(realloc(l->texts, (l->count + 1) * sizeof *l->texts));
    l->texts[l->count++] = (struct bundle_text){copy, length};
}

static void take_image(const struct fatbin_image *image, void *linking) {
    take(linking, image->text, image->length);
}

cudaError_t linking_add(struct linking *l, const void *data, size_t size) {
    char why[1024];
    switch (containers_each(data, size, take_image, l, why, sizeof why)) {
    case FATBIN_OK:
        return cudaSuccess;
    case FATBIN_NO_IMAGE:
        return state_refuse(NULL, cudaErrorNoKernelImageForDevice, "%s.", why);
    default:
        return state_refuse(NULL, cudaErrorInvalidKernelImage, "%s.", why);
    }
}

cudaError_t linking_complete(const struct linking *l, bool again, void **image, size_t *size, char **why) {
    *why = NULL;
    void *data = bundle_make(l->texts, l->count, size), *copy = data ? malloc(*size) : NULL;
    if (!copy) {
        free(data);
        return state_return(cudaErrorMemoryAllocation);
    }
    memcpy(copy, data, *size);
    struct binary *b = registration_open(copy, *size, "the device code");
    cudaError_t error = again || !l->count ? cudaSuccess : registration_library_check(b);
    if (error != cudaSuccess) {
        const char *text = registration_library_error(b);
        *why = or_out_of_memory(strdup(text ? text : cudaGetErrorString(error)));
        free(data);
        data = NULL;
    }
    registration_close(b);
    *image = data;
    return error;
}

void linking_truncate(struct linking *l, size_t count) {
    while (l->count > count)
        free((char *)l->texts[--l->count].text);
}

void linking_clear(struct linking *l) {
    linking_truncate(l, 0);
    free(l->texts);
    *l = (struct linking){0};
}
