/* The activity of block 0 of a launch, recorded for pictures: which lanes of each warp were active, instruction by
 * instruction, and how often each element of each buffer was touched. */
#ifndef TRACE_H
#define TRACE_H

#include <stddef.h>

#include "machine/grid.h"
#include "machine/access.h"

#define TRACE_STEPS 20000 /* of a warp; later ones are not drawn */

struct trace_step {
    uint32_t insn, mask; /* insn: index in the kernel's code; later the source line */
};

struct trace_warp {
    struct trace_step *steps;
    uint32_t count;
    bool cut; /* there were more */
};

/* Touches of a buffer's elements. */
struct heat {
    char name[80];
    uint64_t base;    /* address, or offset in shared memory */
    uint32_t element; /* bytes */
    uint32_t elements;
    uint64_t pitch;           /* bytes from row to row; 0: not known */
    uint32_t *loads, *stores; /* by element */
    bool shared;
    struct heat *next;
};

struct trace {
    struct trace_warp warps[WARP_SIZE];
    struct heat *heats;
};

struct trace *trace_new(void);
void trace_free(struct trace *t);
void trace_instruction(struct trace *t, const struct warp *w, const struct insn *in);
/* An access by these lanes; addresses as access_addresses gives them. */
void trace_access(struct trace *t, const struct warp *w, const struct access *a, const uint64_t *addresses,
                  uint32_t mask, unsigned bytes);

#endif
