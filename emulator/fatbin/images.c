#include "fatbin/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "fatbin/place.h"
#include "fatbin/resources.h"

static void append(struct fatbin_images *images, struct fatbin_image image) {
    images->items = or_out_of_memory(realloc(images->items, (images->count + 1) * sizeof image));
    images->items[images->count++] = image;
}

static enum fatbin_result add(struct fatbin_images *images, const void *data, bool resources, char *error,
                              size_t size) {
    struct fatbin_image image;
    if (resources)
        fatbin_each_machine_code(data, fatbin_mapped_bytes(data), resources_note_machine_code);
    enum fatbin_result result =
        fatbin_unpack(data, fatbin_mapped_bytes(data), place_of_code(data), &image, error, size);
    if (result != FATBIN_OK)
        return result;
    append(images, image);
    if (resources)
        resources_note_ptx(image.text, image.length);
    return FATBIN_OK;
}

/* The device linker's output is machine code for one GPU, if anything; but it contains the fat binaries of its input
 * files, and those have their PTX. One may not (a library's, say): a missing function then shows when it is used. The
 * first of them is explained: the program's own files come before the libraries, of which nvcc always adds one
 * (libcudadevrt). */
static enum fatbin_result add_linked(struct fatbin_images *images, void *const *parts, bool resources, char *error,
                                     size_t size) {
    for (; parts && *parts; parts++) {
        char why[1024];
        enum fatbin_result result = add(images, *parts, resources, why, sizeof why);
        if (result == FATBIN_BROKEN) {
            snprintf(error, size, "%s", why);
            return FATBIN_BROKEN;
        }
        if (result == FATBIN_NO_IMAGE && !images->left_out)
            images->left_out = or_out_of_memory(strdup(why));
    }
    snprintf(error, size, "%s",
             images->left_out
                 ? images->left_out
                 : "the executable was linked with -rdc=true, and does not contain the PTX of its object files");
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

/* Where the next text begins: its end if there is none. */
static const char *next_text(const char *text, const char *end) {
    const char *at = memmem(text, (size_t)(end - text), "\n.version", 9);
    return at ? at + 1 : end;
}

void fatbin_text_images(const char *text, size_t length, unsigned arch, struct fatbin_images *images) {
    const char *end = text + length, *first = memmem(text, length, ".version", 8);
    *images = (struct fatbin_images){0};
    for (const char *next; text < end || !images->count; text = first = next) {
        next = next_text(first ? first : text, end);
        size_t bytes = (size_t)(next - text);
        append(images, (struct fatbin_image){or_out_of_memory(strndup(text, bytes)), bytes, arch});
    }
}

void fatbin_images_free(struct fatbin_images *images) {
    for (size_t i = 0; i < images->count; i++)
        free(images->items[i].text);
    free(images->items);
    free(images->left_out);
    *images = (struct fatbin_images){0};
}
