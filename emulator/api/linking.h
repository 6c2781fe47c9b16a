/* Linking while a program runs: the inputs are PTX, and files that contain PTX; the output is one piece of data that
 * loads as a module. */
#ifndef LINKING_H
#define LINKING_H

#include "api/api.h"
#include "fatbin/bundle.h"

struct linking {
    struct bundle_text *texts;
    size_t count;
};

/* Takes the PTX of an input: PTX text, a bundle (fatbin/bundle.h), a fat binary, machine code that has its PTX beside
 * it, an object file of nvcc's, or a library of these. Refused, with the reason, when there is none. */
cudaError_t linking_add(struct linking *l, const void *data, size_t size);
/* The texts as a bundle, malloc'd. They are checked together, as when they are loaded: unless cudaSuccess there is no
 * bundle, and *why (malloc'd) states what is wrong. A link whose result is linked again may lack functions, and is not
 * checked. */
cudaError_t linking_complete(const struct linking *l, bool again, void **image, size_t *size, char **why);
void linking_truncate(struct linking *l, size_t count); /* removes the texts that were added after the first ones */
void linking_clear(struct linking *l);

#endif
