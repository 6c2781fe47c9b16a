#include "fatbin/images.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/out_of_memory.h"
#include "fatbin/resources.h"

static enum fatbin_result add(struct fatbin_images *images, const void *data, bool resources, char *error,
                              size_t size) {
    struct fatbin_image image;
    if (resources)
        fatbin_each_machine_code(data, fatbin_mapped_bytes(data), resources_note_machine_code);
    enum fatbin_result result = fatbin_unpack(data, fatbin_mapped_bytes(data), &image, error, size);
    if (result != FATBIN_OK)
        return result;
    struct fatbin_image *items = or_out_of_memory(realloc(images->items, (images->count + 1) * sizeof *items));
    items[images->count++] = image;
    images->items = items;
    if (resources)
        resources_note_ptx(image.text, image.length);
    return FATBIN_OK;
}

/* What the device linker has made is machine code for one GPU, if anything; but it hands on the fat binaries of the files
 * that it was made from, and those have their PTX. One may not (a library's, say): what is missing then shows when it is used. */
static enum fatbin_result add_linked(struct fatbin_images *images, void *const *parts, bool resources, char *error,
                                     size_t size) {
    snprintf(error, size, "the executable was linked with -rdc=true, and the files it was linked from are not in it");
    for (; parts && *parts; parts++) {
        if (add(images, *parts, resources, error, size) == FATBIN_BROKEN)
            return FATBIN_BROKEN;
    }
    return images->count ? FATBIN_OK : FATBIN_NO_IMAGE;
}

enum fatbin_result fatbin_images(const struct fatbin_wrapper *wrapper, struct fatbin_images *images, bool resources,
                                 char *error, size_t error_size) {
    *images = (struct fatbin_images){0};
    enum fatbin_result result = wrapper->version == FATBIN_WRAPPER_LINKED
                                    ? add_linked(images, (void *const *)wrapper->extra, resources, error, error_size)
                                    : add(images, wrapper->data, resources, error, error_size);
    if (result != FATBIN_OK)
        fatbin_images_free(images);
    return result;
}

void fatbin_images_free(struct fatbin_images *images) {
    for (size_t i = 0; i < images->count; i++)
        free(images->items[i].text);
    free(images->items);
    *images = (struct fatbin_images){0};
}
