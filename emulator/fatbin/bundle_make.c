/* In a separate file: the libraries in toolkit/ make bundles, and read none. */
#include <stdlib.h>
#include <string.h>

#include "fatbin/bundle.h"
#include "fatbin/bundle_layout.h"

void *bundle_make(const struct bundle_text *texts, size_t count, size_t *size) {
    struct bundle_header h = {.bytes = sizeof h, .count = count};
    for (size_t i = 0; i < count; i++)
        h.bytes += sizeof(uint64_t) + texts[i].length + 1;
    memcpy(h.magic, BUNDLE_MAGIC, BUNDLE_MAGIC_BYTES);
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
