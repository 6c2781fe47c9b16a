/* How each instruction of a kernel is instrumented: what it means to the checks, read from its PTX once, before the
 * kernel's first launch with checks on. */
#ifndef PROBES_H
#define PROBES_H

#include "check/probed.h"
#include "decode/module.h"
#include "machine/access.h"

enum probe_kind {
    PROBE_NOTHING,
    PROBE_ACCESS,    /* ld, st, atom, red: insn.extra is the struct access */
    PROBE_COPY_READ, /* the two halves of a cp.async */
    PROBE_COPY_WRITE,
    PROBE_BULK,           /* a side of a cp.async.bulk */
    PROBE_ROWS,           /* ldmatrix, stmatrix: 16 bytes per lane */
    PROBE_LINES,          /* wmma.load, wmma.store */
    PROBE_PIECES,         /* wgmma */
    PROBE_WARP_SYNC,      /* lanes of a warp synchronize: bar.warp.sync, mma.sync */
    PROBE_BARRIER,        /* of the block */
    PROBE_CLUSTER_ARRIVE, /* barrier.cluster */
    PROBE_CLUSTER_WAIT,
    PROBE_FENCE,
    PROBE_COMMIT, /* cp.async.commit_group, wait_group, wait_all */
    PROBE_WAIT,
    PROBE_WAIT_ALL,
    PROBE_MBARRIER_INIT,
    PROBE_MBARRIER_ARRIVE,    /* also an arrival of bytes (complete_tx) */
    PROBE_MBARRIER_MULTICAST, /* such bytes in several blocks */
    PROBE_MBARRIER_WAIT,
    PROBE_MBARRIER_COPIES, /* cp.async.mbarrier.arrive: an arrival when the lane's copies are done */
    PROBE_BULK_COMMIT,     /* cp.async.bulk.commit_group, wait_group */
    PROBE_BULK_WAIT,
    PROBE_PRODUCT_FENCE, /* wgmma.fence, commit_group, wait_group */
    PROBE_PRODUCT_COMMIT,
    PROBE_PRODUCT_WAIT,
    PROBE_REGISTERS, /* setmaxnreg */
    PROBE_GRIDS,     /* griddepcontrol.wait */
};

enum {
    PROBE_STRONG = 1, /* volatile, relaxed, acquire, release, or an atomic; a wait for bulk copies without .read */
    PROBE_ACQUIRE = 2,
    PROBE_RELEASE = 4,
    PROBE_BLOCK_SCOPE = 8, /* .cta */
    PROBE_WORDS = 32,      /* a plain load of one register of 32 bits for each lane */
    PROBE_IN_STEP = 64,    /* volatile, but not the test of a waiting loop: may rely on lanes that run in lockstep */
    PROBE_PROXY = 128,     /* a fence of the asynchronous proxy; an arrival of bytes that it has copied */
    PROBE_NOTES_MASK = 16, /* the member mask is the first operand; otherwise the active lanes are the members */
};

struct probe {
    handler_fn handler; /* the handler without instrumentation, which the probe calls; NULL for PROBE_NOTHING */
    uint8_t kind, flags;
    /* of wait_group: the groups left; of a barrier: its number in check/unavoidable.h, or 0; of setmaxnreg: an
     * eighth */
    uint8_t value;
    uint32_t record; /* its part of `packed` in every access record: RECORD_STRONG and the like, and its index */
    const struct ptx_variable
        *variable;                  /* the shared variable that the address was computed from, if there is just one */
    struct probed_access constants; /* of a load or store */
};

struct products;

struct probes {
    uint32_t unit;             /* the smallest access to what may be shared memory: 1, 2 or 4 bytes */
    uint32_t unavoidable;      /* barriers with a number */
    bool registers;            /* setmaxnreg changes how many there are */
    bool async;                /* the asynchronous proxy reads or writes shared memory: async_order.h */
    bool lets_begin;           /* griddepcontrol.launch_dependents: the next grid may begin before this one ends */
    struct products *products; /* registers of wgmma: check/products.h; NULL: there is none */
    bool brief;                /* warps end soon, never wait, and make only plain accesses of global memory */
    struct probe items[];      /* by insn.index */
};

/* Made at the first call for a kernel and kept with it. From then on instructions with a probe are instrumented:
 * insn.handler is the probe's handler, in the interpreter and in the second tier. All others cost what they cost
 * without checks. */
const struct probes *probes_of(const struct kernel *kernel);

/* The instruction's own handler, instrumented or not. */
static inline handler_fn probes_handler(const struct kernel *kernel, const struct insn *in) {
    const struct probe *s = kernel->probes ? &kernel->probes->items[in->index] : NULL;
    return s && s->handler ? s->handler : in->handler;
}

/* Finds the shared variables that the kernel's addresses are computed from, for probe.variable: check/provenance.c. */
void probes_find_variables(const struct kernel *kernel, struct probes *probes);
/* The number, from 1 on, of the parameter whose pointer an access of the kernel's own code computes its address from;
 * 0: not known. `pointers`: which of the first 64 parameters are pointers, a bit for each. */
unsigned probes_find_parameter(const struct kernel *kernel, const struct insn *in, uint64_t pointers);

#endif
