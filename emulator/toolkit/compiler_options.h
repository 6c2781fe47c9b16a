/* A compiler's options, changed so that PTX is what it makes. */
#ifndef COMPILER_OPTIONS_H
#define COMPILER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct options {
    int count;
    const char **items;
};

/* A copy without `unwanted` (a list that ends with NULL), and with room for one more; false when there is no memory.
 * *had is whether one was there. */
bool options_without(struct options *out, int count, const char *const *items, const char *const *unwanted, bool *had);
bool options_have(const struct options *o, const char *const *wanted);

#endif
