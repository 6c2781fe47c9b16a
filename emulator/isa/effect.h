/* The effects of one executable instruction besides computing in registers. Decode makes several of some PTX
 * instructions: operands are widened before, results narrowed after, a copy reads and then writes. Passes that must
 * distinguish them look up the effect; ops/effects.c lists it once for each operation. */
#ifndef EFFECT_H
#define EFFECT_H

enum effect {
    EFFECT_NONE, /* registers to registers */
    EFFECT_NOTHING,
    EFFECT_PAUSE, /* passes the warp's turn to others */

    /* helpers that decode adds */
    EFFECT_LABEL,
    EFFECT_PREDICATE,     /* @%p: narrows the mask for the next instruction */
    EFFECT_MOVE,          /* elements, as they are: to another width, to or from a parameter in the frame */
    EFFECT_NEGATION,      /* of a predicate */
    EFFECT_SPECIAL,       /* a special register's value */
    EFFECT_LOCAL_ADDRESS, /* a local variable's address */
    EFFECT_BARRIER_RESULT,

    EFFECT_GENERIC_ADDRESS, /* cvta */

    /* control */
    EFFECT_BRANCH,
    EFFECT_BRANCH_IF,
    EFFECT_BRANCH_TABLE,
    EFFECT_CALL,
    EFFECT_CALL_INDIRECT,
    EFFECT_BUILTIN, /* a call of a function that the emulator has itself */
    EFFECT_LANDING, /* after a call */
    EFFECT_RETURN,
    EFFECT_EXIT,
    EFFECT_TRAP,

    /* memory */
    EFFECT_ACCESS, /* of each lane by itself: extra is a struct access */
    EFFECT_COPY_READ,
    EFFECT_COPY_WRITE, /* the two halves of cp.async */
    EFFECT_BULK_READ,
    EFFECT_BULK_WRITE,  /* the two sides of cp.async.bulk */
    EFFECT_MATRIX_ROWS, /* ldmatrix, stmatrix: 16 bytes of each lane */
    EFFECT_TILE,        /* wmma.load, wmma.store */
    EFFECT_DESCRIPTORS, /* wgmma: pieces of shared memory */
    EFFECT_TEXTURE,
    EFFECT_SURFACE,
    EFFECT_TEXTURE_QUERY, /* a size: nothing is read */
    EFFECT_STACK,

    /* order */
    EFFECT_BARRIER,
    EFFECT_CLUSTER_ARRIVE,
    EFFECT_CLUSTER_WAIT,
    EFFECT_FENCE,
    EFFECT_MBARRIER_INIT,
    EFFECT_MBARRIER_ARRIVE,    /* also: bytes have arrived */
    EFFECT_MBARRIER_MULTICAST, /* bytes have arrived, in several blocks */
    EFFECT_MBARRIER_TOUCH,     /* checks that it is one */
    EFFECT_MBARRIER_INVAL,
    EFFECT_MBARRIER_WAIT,

    EFFECT_END
};

#endif
