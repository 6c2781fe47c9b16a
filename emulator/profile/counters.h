/* Counting what warps do: instructions, sectors, banks, divergence. Off unless requested. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "check/arrays.h"
#include "machine/grid.h"
#include "profile/counted.h"
#include "profile/counts.h"

struct array_counts;
struct pattern_memory;
struct line_reuse;
struct trace;
struct traits;

/* One access of a warp, kept to be shown: the most expensive that its instruction made. */
struct access_example {
    uint64_t addresses[WARP_SIZE]; /* of shared and local memory: offsets */
    uint64_t block;
    uint32_t mask, warp;
    uint16_t bytes, cost, ideal; /* sectors or wavefronts */
    uint8_t pattern;             /* enum pattern_way */
    uint8_t kind;                /* enum kind_of_access */
};

/* Data that only instructions of one kind have. */
struct insn_details {
    struct pattern_memory *patterns; /* of an access to memory */
    bool lines;                      /* for each line of memory it is recorded which warps have loaded it before */
    bool plain;                      /* a load or store in a space that its opcode names, only its cost is needed */
    struct array_part part;          /* the place of its last access, when arrays are watched */
    struct counts counts;
    struct access_example example;
};

enum { SPECIAL_MEMORY = 1, SPECIAL_ANYTHING };

/* Instructions that the warps of a block have executed since their last barrier (counted.since): shows which warps wait
 * for others. */
struct barrier_epoch {
    uint64_t most, sum;
    uint32_t arrived; /* warps */
};

/* One worker's counts; added up at the end of a launch. Zeros at first. */
struct counters {
    struct counted counted; /* the part that compiled kernels access */
    const struct kernel *kernel;
    const struct traits *traits; /* of its instructions */
    struct array_counts *arrays; /* when some are watched */
    struct line_reuse *reuse;    /* these when a profile is requested, not only sums */
    struct trace *trace;
    bool detailed;
    const struct launch *launch;
    uint64_t epoch_block;
    struct barrier_epoch epoch;
};

bool counters_on(void);
/* A worker's, all zeros; NULL when nothing is counted. */
struct counters *counters_new(void);
/* The functions of emulator.h, when the device is idle: starts from zero, and then returns the first `size` bytes of
 * the sums. */
struct emulatorCounters;
void counters_start(void);
void counters_stop(struct emulatorCounters *out, size_t size);
static inline uint64_t *counters_since(struct counters *c, const struct warp *w) {
    return &c->counted.since[w->index % WARP_SIZE];
}
/* Before a warp's instructions are executed. True when each of them is recorded for a picture: then it has to be
 * interpreted. */
bool counters_warp(struct counters *c, const struct warp *w);
/* Is every instruction of it recorded for a picture? */
static inline bool counters_drawn(const struct counters *c, const struct warp *w) {
    return c->trace && w->block->index == 0;
}
/* A block has ended. */
void counters_block(struct counters *c, const struct block *b);
/* profile/requests.c: counts an instruction's memory requests, before it is executed. */
void counters_memory(struct counters *c, const struct warp *w, const struct insn *in, struct insn_record *r);
/* profile/texels.c: the same for a fetch from a texture, or an access to a surface. */
void counters_texture(struct counters *c, struct counts *counts, const struct warp *w, const struct insn *in);
void counters_surface(struct counters *c, struct counts *counts, const struct warp *w, const struct insn *in);
/* Counts the further requests of some kinds of instructions. */
void counters_special(struct counters *c, const struct warp *w, const struct insn *in);
/* Counts an instruction; if it is a predicate, the predicated one after it, too. */
void counters_count(struct counters *c, struct warp *w, const struct insn *in);
/* The dispatch loop, counting what is executed. */
void counters_run(struct warp *w, const struct insn *in);
/* Called before each instruction is executed (w->mask is what will execute). Compiled kernels count
 * in another way: profile/counted.h. */
static inline void counters_instruction(struct counters *c, const struct warp *w, const struct insn *in) {
    struct insn_record *r = &c->counted.records[in->index];
    r->executed++;
    r->threads += (unsigned)__builtin_popcount(w->mask);
    if (r->special == SPECIAL_MEMORY)
        counters_memory(c, w, in, r);
    else if (r->special)
        counters_special(c, w, in);
}
/* The lanes that execute the instruction after a predicate. */
static inline uint32_t counters_unpredicated(const struct warp *w, const struct insn *predicate) {
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + predicate->op[0]);
    return w->mask & (predicate->kind ? ~p : p);
}
/* A branch by a table has been decided. One by a condition is decided whenever it is executed. */
void counters_branch(struct counters *c, const struct insn *in);
/* The active lanes went both ways at a branch of either kind. */
void counters_diverged(struct counters *c, const struct insn *in);
/* Adds a worker's counts to the process's and frees them, at the end of its part of a launch. Thread-safe. */
void counters_end(struct counters *c);
/* After a launch. */
void counters_launch_done(const struct launch *launch);
/* An instruction's counts in a space: made when first needed. */
struct insn_details *counters_details(struct insn_record *r);

/* One instruction's share of the counts of its line, its launch or the process. */
void counters_add(struct counts *to, const struct insn *in, const struct traits *t, const struct insn_record *r);

/* Adds the patterns' notes to the counts, once, when the worker has done its part. */
void counters_settle(const struct insn *in, struct insn_details *d);

/* Distinct 32-byte sectors touched by the active lanes; `bytes` per lane. */
unsigned count_sectors(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);
/* Sectors of an atomic, which accesses a sector as often as its busiest address has lanes. */
unsigned count_atomic_sectors(const uint64_t addresses[WARP_SIZE], uint32_t mask);
/* cp.async.cg, of 16 bytes: to `to`, in shared memory. */
unsigned count_bypass_sectors(const uint64_t from[WARP_SIZE], const uint64_t to[WARP_SIZE], uint32_t mask);
unsigned count_distinct_bytes(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);
unsigned count_busiest(const uint64_t addresses[WARP_SIZE], uint32_t mask); /* most lanes at one address */

/* Passes over the 32 four-byte banks, and those needed without conflicts: ncu's bank conflicts are the difference. */
struct wavefronts {
    unsigned passes, ideal;
};
struct wavefronts store_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);
struct wavefronts load_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);
/* counts: it adds 1 and its result is unused, which is done for all lanes of an address at once. */
struct wavefronts atomic_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes, bool counts);
struct wavefronts matrix_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask);

/* The passes alone: 1 without conflicts for up to 4 bytes per lane, 2 for 8, 4 for 16; a load may need fewer. */
unsigned count_store_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);
unsigned count_load_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);

#endif
