/* Several PTX texts as one piece of data: the output of our linker, and of the libraries in toolkit/, where NVIDIA's
 * output is machine code. */
#ifndef BUNDLE_H
#define BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "fatbin/images.h"

struct bundle_text {
    const char *text; /* zero-terminated */
    size_t length;
};

/* malloc'd; NULL: no memory. */
void *bundle_make(const struct bundle_text *texts, size_t count, size_t *size);
bool bundle_is(const void *data); /* eight bytes are enough */
size_t bundle_size(const void *data);
/* The texts, as images of an architecture. False: the data is damaged, or there is no memory. */
bool bundle_images(const void *data, size_t size, unsigned arch, struct fatbin_images *images);

#endif
