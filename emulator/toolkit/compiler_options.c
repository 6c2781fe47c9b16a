#include "toolkit/compiler_options.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *option, const char *const *names) {
    for (; *names; names++)
        if (option && strcmp(option, *names) == 0)
            return true;
    return false;
}

bool options_without(struct options *out, int count, const char *const *items, const char *const *unwanted, bool *had) {
    *had = false;
    *out = (struct options){0, malloc(((size_t)count + 1) * sizeof *items)};
    for (int i = 0; out->items && i < count; i++) {
        if (is_one_of(items[i], unwanted))
            *had = true;
        else
            out->items[out->count++] = items[i];
    }
    return out->items;
}

bool options_have(const struct options *o, const char *const *wanted) {
    for (int i = 0; i < o->count; i++)
        if (is_one_of(o->items[i], wanted))
            return true;
    return false;
}
