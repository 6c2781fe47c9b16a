#include "fatbin/bundle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "fatbin/bundle_layout.h"

bool bundle_is(const void *data) {
    return memcmp(data, BUNDLE_MAGIC, BUNDLE_MAGIC_BYTES) == 0;
}

size_t bundle_size(const void *data) {
    struct bundle_header h;
    memcpy(&h, data, sizeof h);
    return h.bytes;
}

bool bundle_images(const void *data, size_t size, unsigned arch, struct fatbin_images *images) {
    struct bundle_header h;
    if (size < sizeof h || !bundle_is(data))
        return false;
    memcpy(&h, data, sizeof h);
    const char *at = (const char *)data + sizeof h, *end = (const char *)data + size;
    if (!h.count || h.count > size / (sizeof(uint64_t) + 1))
        return false;
    *images = (struct fatbin_images){.items = zeroed(h.count, sizeof *images->items)};
    while (images->count < h.count) {
        uint64_t length;
        if ((size_t)(end - at) < sizeof length + 1)
            break;
        memcpy(&length, at, sizeof length);
        at += sizeof length;
        if (length >= (size_t)(end - at))
            break;
        char *text = or_out_of_memory(malloc(length + 1));
        memcpy(text, at, length);
        text[length] = '\0';
        images->items[images->count++] = (struct fatbin_image){text, length, arch};
        at += length + 1;
    }
    if (images->count == h.count)
        return true;
    fatbin_images_free(images);
    return false;
}
