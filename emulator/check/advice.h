/* One plain sentence for each kind of mistake: what the numbers mean and what to try. */
#ifndef ADVICE_H
#define ADVICE_H

#include "check/arguments.h"
#include "check/report.h"
#include "base/text.h"
#include "memory/memory.h"

/* Addresses from here on are taken for the fill of fresh memory plus an index. */
#define ADVICE_NO_POINTER 0xffff000000000000u

/* What is known about a bad access of one thread. */
struct bad_access {
    enum finding finding;
    enum ptx_space space;             /* SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM or SPACE_CONST */
    uint64_t address;                 /* as NVIDIA would print it: an offset for shared and local memory */
    unsigned bytes;                   /* of the whole access */
    unsigned elements;                /* of it: 2 or 4 for vectors */
    unsigned lanes;                   /* of the warp that did the same */
    bool one_dimension;               /* of grid and block */
    bool wild;                        /* far from the allocation that its pointer, `argument`, leads to */
    bool by_tensor_map;               /* a copy whose address a tensor map gave */
    uint64_t space_bytes;             /* size of shared or local memory */
    bool foreign;                     /* the address leads to another block of the cluster, or to none of it, ... */
    uint32_t rank;                    /* by this rank */
    const uint32_t *block;            /* that block's index; NULL: there is none of this rank */
    const struct allocation *nearest; /* NULL when there is none */
    const char *obstacle;             /* of reserved addresses: why these cannot be accessed; NULL */
    uint64_t thread;                  /* blockIdx * blockDim + threadIdx, counted over the grid */
    uint64_t threads;                 /* in the grid */
    struct pointer_argument argument; /* that leads to `nearest`, if there is just one */
};

void advise(struct text *t, const struct bad_access *bad);

#endif
