/* All PTX of a program or library: one image, or one for each file that was linked with -rdc=true. */
#ifndef IMAGES_H
#define IMAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "fatbin/fatbin.h"

struct fatbin_images {
    struct fatbin_image *items;
    size_t count;
    char *left_out; /* why the first file that has no image here has none; NULL: all have one */
};

/* Collects the images that __cudaRegisterFatBinary's argument refers to. Linked files without PTX are left out, unless
 * that is all of them. With `resources` they are also noted for fatbin/resources.h. Unless FATBIN_OK, `error` holds one
 * line and there are no items. */
enum fatbin_result fatbin_images(const struct fatbin_wrapper *wrapper, struct fatbin_images *images, bool resources,
                                 char *error, size_t error_size);
/* A PTX text, or several in a row, as a linker outputs them: each begins with its .version line. */
void fatbin_text_images(const char *text, size_t length, unsigned arch, struct fatbin_images *images);
void fatbin_images_free(struct fatbin_images *images);

#endif
