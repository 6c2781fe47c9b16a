/* Fuzzes the reader of fat binaries: whatever bytes an executable holds, it must answer without reading beyond them. They are
 * read as one fat binary, and as those of several linked files: one wherever the magic number stands. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/images.h"

#define MOST_FILES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t __wrap_fatbin_mapped_bytes(const void *address);

static void must(bool right, const char *what) {
    if (!right) {
        fprintf(stderr, "fuzz_fatbin: %s\n", what);
        abort();
    }
}

/* In place of the segment of an executable (by the linker's --wrap). */
static const uint8_t *segment;
static size_t segment_bytes;

size_t __wrap_fatbin_mapped_bytes(const void *address) {
    return segment_bytes - (size_t)((const uint8_t *)address - segment);
}

static void read_images(const struct fatbin_wrapper *wrapper) {
    char error[256] = "";
    struct fatbin_images images;
    if (fatbin_images(wrapper, &images, false, error, sizeof error) == FATBIN_OK) {
        must(images.count, "no images, and no reason");
        for (size_t i = 0; i < images.count; i++) {
            const struct fatbin_image *image = &images.items[i];
            must(image->text && image->text[image->length] == '\0', "the text does not end where it says");
        }
    } else {
        must(error[0] && !strchr(error, '\n'), "a failure needs one line that says why");
        must(!images.count && !images.items, "a failure leaves images behind");
    }
    fatbin_images_free(&images);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t magic[] = {0x50, 0xed, 0x55, 0xba};
    const void *files[MOST_FILES + 1] = {data};
    size_t count = 1;
    for (size_t i = 1; i + sizeof magic <= size && count < MOST_FILES; i++)
        if (memcmp(data + i, magic, sizeof magic) == 0)
            files[count++] = data + i;
    segment = data;
    segment_bytes = size;
    read_images(&(struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, 1, data, NULL});
    read_images(&(struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, FATBIN_WRAPPER_LINKED, NULL, files});
    return 0;
}
