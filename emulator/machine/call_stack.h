/* The saved activations of recursive functions, which wait for lanes to return. ops/call.c saves and restores them. */
#ifndef CALL_STACK_H
#define CALL_STACK_H

#include "machine/warp.h"

/* A saved activation of a recursive function, for the lanes in mask. The warp's lanes may be at different depths, so
 * each lane has a separate chain through these records. */
struct saved {
    struct saved *below[WARP_SIZE]; /* by lane: the record below this one */
    uint32_t mask;                  /* lanes that have not returned to it */
    uint8_t area[];                 /* of the frame, and then of its shadow: warp.h */
};

struct call_stack {
    struct saved *top[WARP_SIZE];
};

void call_stack_free(struct call_stack *stack); /* with the records of lanes that never returned */

#endif
