/* The static properties of a kernel's instructions: the class of each, and how it accesses memory. */
#ifndef TRAITS_H
#define TRAITS_H

#include "decode/module.h"
#include "profile/counts.h"

enum insn_shape {
    SHAPE_NONE,
    SHAPE_ACCESS, /* ld, st, atom, red: struct access */
    SHAPE_COPY_READ,
    SHAPE_COPY_WRITE, /* the two halves of cp.async */
    SHAPE_BULK,       /* cp.async.bulk and similar copies */
    SHAPE_MATRIX,     /* ldmatrix, stmatrix */
    SHAPE_WMMA,
    SHAPE_PRODUCT, /* wgmma */
    SHAPE_TENSOR,  /* mma, wmma.mma: accesses no memory, and is counted when all lanes have arrived */
    SHAPE_MBARRIER_WAIT,
    SHAPE_TEXTURE,
    SHAPE_SURFACE,
};

struct insn_traits {
    uint8_t class; /* enum insn_class */
    uint8_t shape; /* enum insn_shape */
    bool unseen;   /* an atomic whose result is unused: a reduction */
    bool counts;   /* and that adds the constant 1 */
    bool bypasses; /* cp.async.cg */
    bool commits;  /* makes a group of cp.async */
    bool waits;    /* for groups of cp.async, ... */
    uint32_t left; /* ... and for all but so many */
    /* a volatile, relaxed or acquire load: a kernel may execute it again and again until another one has stored */
    bool polls;
    uint16_t together; /* global loads of a warp in flight with it, itself included: in_flight.h */
    bool compares;     /* compare and swap: shared memory is read in one pass and written in another */
};

struct traits {
    struct insn_traits insns[1]; /* by insn.index */
};

/* Of a prepared kernel, as long as that is loaded. Any thread. */
const struct traits *traits_of(const struct kernel *kernel);

#endif
