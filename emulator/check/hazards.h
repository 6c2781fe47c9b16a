/* What the checks found in a launch: collected while it runs, one entry per pair of lines, and reported when it has
 * ended. */
#ifndef HAZARDS_H
#define HAZARDS_H

#include <pthread.h>

#include "check/async_order.h"
#include "check/report.h"
#include "check/stream_order.h"

enum hazard_kind {
    HAZARD_RACE,  /* two accesses, at least one a write, that nothing orders */
    HAZARD_COPY,  /* an access to what a cp.async may still be writing */
    HAZARD_ASYNC, /* one to what the asynchronous proxy may still be reading or writing, by enum async_fact */
    HAZARD_UNFENCED = HAZARD_ASYNC + ASYNC_FENCED, /* a read by that proxy of what the generic one has written */
    HAZARD_PLAIN_READ =
        HAZARD_ASYNC + ASYNC_FACTS, /* a race of a plain read with an atomic, in global memory: may be intended */
    HAZARD_EXIT,                    /* an access to shared memory of a block that may have exited by then */
    HAZARD_ALLOCATED,               /* an access (`then`) to memory that another stream may not have allocated yet */
    HAZARD_FREED,                   /* or may have freed by then */
    HAZARD_UNWRITTEN,               /* memory that was never written is read, and the value is used */
    HAZARD_NOBODY,                  /* a shuffle reads from a lane that does not take part, and the result is used */
    HAZARD_REGISTERS,               /* of a wgmma in flight are touched */
    /* no wgmma.fence between a wgmma and the access to its registers; then: NULL, before the first one */
    HAZARD_NO_FENCE,
    HAZARD_SETMAXNREG,  /* used wrongly, by enum register_mistake in `use` */
    HAZARD_SKIPPED_SYNC /* lanes named by a mask do work past the *_sync function, and never execute it */
};

/* What is wrong with a setmaxnreg; numbers are in `asked` and `bytes`. */
enum register_mistake {
    REGISTERS_OF_SOME_LANES, /* `asked` lanes of the warp do not execute it */
    REGISTERS_OF_SOME_WARPS, /* of the warpgroup */
    REGISTERS_THE_OTHER_WAY, /* .dec to more than the `asked` it has, or .inc to fewer */
    REGISTERS_TOO_MANY,      /* all warps together request `bytes` registers more than the block was launched with */
};

/* How far apart the two accesses are, which determines what is missing between them. */
enum hazard_relation {
    RELATION_WARP,
    RELATION_BLOCK,
    RELATION_CLUSTER,
    RELATION_GRID,
    RELATION_LAUNCHES,
    RELATION_HOST
};

struct hazard_thread {
    uint32_t block[3], thread[3];
};

struct hazard {
    enum hazard_kind kind;
    enum hazard_relation relation;
    bool warning;
    const struct kernel *kernel, *kernel_then; /* then: NULL for a copy or fill by the host */
    const struct insn *now, *then;             /* NULL: unknown */
    struct hazard_thread who, who_then;
    uint32_t owner[3]; /* the block whose shared memory it is */
    bool foreign;      /* which is not that of `who` */
    enum ptx_space space;
    uint64_t address; /* an offset in shared and local memory */
    uint32_t bytes;
    bool write, write_then;
    bool beside;   /* of two launches in one stream, of which the second may begin while the first runs */
    bool host_now; /* the second is a copy or a fill by the host, or the host's own access */
    const char *host_function;
    struct submission submitted, submitted_then; /* of launches and copies, where they are two */
    const struct allocation *allocation;         /* of global memory */
    const struct insn *used; /* the use of an undefined value, or the work past a *_sync function; NULL: no other */
    unsigned use;            /* enum use: check/follow.h */
    unsigned asked;          /* the lane that a shuffle read from, or that has gone around it */
    uint64_t count;
    bool again; /* reported by an earlier launch of the kernel */
    struct source_position at, at_then, at_use;
};

#define MAX_HAZARDS 64

struct hazards {
    pthread_mutex_t lock;
    struct hazard items[MAX_HAZARDS];
    unsigned count;
    uint64_t left_out;
    const struct launch *launch; /* whose arguments have names; NULL: none */
};

void hazards_note(struct hazards *all, const struct hazard *h);
void hazards_report(struct hazards *all);
bool hazard_is_of_proxy(const struct hazard *h);
bool hazard_is_atomic(const struct insn *in);
struct hazard_thread hazard_thread(const struct warp *w, int lane);
/* That thread by its block's number and a warp and lane in it. */
struct hazard_thread hazard_thread_at(const struct launch *l, uint64_t block, uint32_t warp, uint32_t lane);

#endif
