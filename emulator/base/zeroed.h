/* Memory that is zeros. */
#ifndef ZEROED_H
#define ZEROED_H

#include <stdlib.h>

/* n times `size` bytes, which free() frees; never NULL. */
static inline void *zeroed(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size);
    if (!p)
        abort();
    return p;
}

#endif
