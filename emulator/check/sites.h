/* What each instruction of a kernel means to the checks: read from its PTX once, before the kernel's first launch
 * with checks on. */
#ifndef SITES_H
#define SITES_H

#include "check/watched.h"
#include "decode/module.h"
#include "machine/access.h"

enum site_kind {
    SITE_NOTHING,
    SITE_ACCESS,    /* ld, st, atom, red: insn.extra is the struct access */
    SITE_COPY_READ, /* the two halves of a cp.async */
    SITE_COPY_WRITE,
    SITE_BULK,           /* a side of a cp.async.bulk */
    SITE_ROWS,           /* ldmatrix, stmatrix: 16 bytes per lane */
    SITE_LINES,          /* wmma.load, wmma.store */
    SITE_MEET,           /* lanes of a warp meet: bar.warp.sync, mma.sync */
    SITE_BARRIER,        /* of the block */
    SITE_CLUSTER_ARRIVE, /* barrier.cluster */
    SITE_CLUSTER_WAIT,
    SITE_FENCE,
    SITE_COMMIT, /* cp.async.commit_group, wait_group, wait_all */
    SITE_WAIT,
    SITE_WAIT_ALL,
    SITE_MBARRIER_INIT,
    SITE_MBARRIER_ARRIVE, /* also: bytes have come */
    SITE_MBARRIER_WAIT,
    SITE_MBARRIER_COPIES, /* cp.async.mbarrier.arrive: when the lane's copies are done */
};

enum {
    SITE_STRONG = 1, /* volatile, relaxed, acquire, release, or an atomic */
    SITE_ACQUIRE = 2,
    SITE_RELEASE = 4,
    SITE_BLOCK_SCOPE = 8, /* .cta */
    SITE_WORDS = 32,      /* a plain load of one register of 32 bits for each lane */
    SITE_IN_STEP =
        64, /* volatile, and no test in a loop that waits: counts on a warp whose lanes run in step, perhaps */
    SITE_NOTES_MASK = 16, /* the member mask is the first operand; otherwise all who are there meet */
};

struct site {
    op_fn run; /* what the instruction does: its own `run` looks first, and then calls this; NULL for SITE_NOTHING */
    uint8_t kind, flags;
    uint8_t
        value; /* groups that wait_group leaves; of a barrier of the block: its number in check/unavoidable.h, or 0 */
    uint32_t mark; /* what it leaves in every mark: MARK_STRONG and the like, and its number */
    const struct ptx_variable
        *variable;                   /* the shared variable that the address was computed from, if there is just one */
    struct watched_access constants; /* of a load or store */
};

struct sites {
    uint32_t unit;        /* the smallest access to what may be shared memory: 1, 2 or 4 bytes */
    uint32_t unavoidable; /* barriers with a number */
    struct site items[];  /* by insn.index */
};

/* Made at the first call for a kernel and kept with it. From then on its instructions that mean something are watched whenever they
 * are executed, by the interpreter or by the second tier: insn.run is exchanged. All others cost what they cost without checks. */
const struct sites *sites_of(const struct kernel *kernel);

/* What an instruction does, watched or not. */
static inline op_fn sites_operation(const struct kernel *kernel, const struct insn *in) {
    const struct site *s = kernel->sites ? &kernel->sites->items[in->index] : NULL;
    return s && s->run ? s->run : in->run;
}

/* The shared variables that the kernel's addresses come from: fills site.variable. check/provenance.c */
void sites_find_variables(const struct kernel *kernel, struct sites *sites);

#endif
