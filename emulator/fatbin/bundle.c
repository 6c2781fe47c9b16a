#include "fatbin/bundle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

/* The header, and then for each text its length in 8 bytes, and the text with its zero. */
struct header {
    char magic[8];
    uint64_t bytes, count;
};
static const char MAGIC[8] = "\177PTXset";

void *bundle_make(const struct bundle_text *texts, size_t count, size_t *size) {
    struct header h = {.bytes = sizeof h, .count = count};
    for (size_t i = 0; i < count; i++)
        h.bytes += sizeof(uint64_t) + texts[i].length + 1;
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    char *data = malloc(h.bytes), *to = data;
    if (!data)
        return NULL;
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    for (size_t i = 0; i < count; i++) {
        uint64_t length = texts[i].length;
        memcpy(to, &length, sizeof length);
        memcpy(to + sizeof length, texts[i].text, length);
        to[sizeof length + length] = '\0';
        to += sizeof length + length + 1;
    }
    *size = h.bytes;
    return data;
}

bool bundle_is(const void *data) {
    return memcmp(data, MAGIC, sizeof MAGIC) == 0;
}

size_t bundle_size(const void *data) {
    struct header h;
    memcpy(&h, data, sizeof h);
    return h.bytes;
}

bool bundle_images(const void *data, size_t size, unsigned arch, struct fatbin_images *images) {
    struct header h;
    if (size < sizeof h || !bundle_is(data))
        return false;
    memcpy(&h, data, sizeof h);
    const char *at = (const char *)data + sizeof h, *end = (const char *)data + size;
    if (!h.count || h.count > size / (sizeof(uint64_t) + 1))
        return false;
    *images = (struct fatbin_images){zeroed(h.count, sizeof *images->items), 0};
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
