/* variant.h - what a variant (one.cu) and the program that times it (sweep.cu) agree on. */
#ifndef VARIANT_H
#define VARIANT_H

#include "../../../../common/gelu_layer.h"

struct variant {
    const char *name;
    int BM, BN, BK, threads, shared, blocks; /* blocks: on a multiprocessor, as asked for */
    int version;                             /* 6, 7 or 8 */
    void (*launch)(struct layer l, int parts, int *ready, cudaStream_t stream);
    const struct variant *next;
};

/* Every object file that is linked into the sweep adds its variant here before main. */
extern const struct variant *variants;

#endif
