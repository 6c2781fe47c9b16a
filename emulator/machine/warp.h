/* A warp: 32 lanes, their registers, and the splits they have diverged into.
 *
 * A register is a vector of 32 lanes at a fixed offset in the warp's frame: uint32_t[32], uint64_t[32], uint16_t[32]; a
 * predicate is one uint32_t with a bit per lane. A split is a set of lanes at one pc. The split deepest in calls runs,
 * and among those the one with the lowest pc (min-PC scheduling); two that are at the same label reconverge; one that
 * spins lets the others run. */
#ifndef WARP_H
#define WARP_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/insn.h"

#ifndef WARP_SIZE /* the second tier compiles operations for one lane: see machine/operation.h */
#define WARP_SIZE 32
#endif
#define FULL_MASK (WARP_SIZE == 32 ? 0xffffffffu : 1u)

#include "machine/operation.h"

struct block;
struct call_stack;
struct function;
struct worker;
struct launch;

enum split_state {
    SPLIT_READY,
    SPLIT_AT_BARRIER, /* waits for the block, at `barrier` */
    SPLIT_AT_SYNC,    /* waits for lanes of its warp at a *.sync instruction: pc is that instruction */
    SPLIT_AT_CLUSTER, /* waits for its cluster at barrier.cluster.wait: pc is that instruction */
};

struct warp_split {
    const struct insn *pc;
    uint32_t mask;
    uint16_t depth; /* of calls */
    uint8_t state;
    uint8_t barrier;
    uint32_t sync_mask; /* for SPLIT_AT_SYNC: the lanes it waits for */
};

enum warp_state { WARP_READY, WARP_WAITING, WARP_DONE };

struct warp {
    uint8_t *regs;            /* the frame */
    uint32_t mask;            /* lanes that execute now: never 0 in an operation */
    uint32_t live;            /* lanes that have not exited */
    uint32_t threads;         /* lanes that exist (the last warp of a block may be partial) */
    uint32_t carry;           /* the carry flag (CC.CF) of each lane */
    int32_t fuel;             /* backward branches left before the warp must let others run */
    uint16_t count;           /* of splits */
    uint16_t current;         /* index of the running one */
    uint16_t index;           /* of the warp in its block */
    uint16_t turns;           /* choices left before another split must get its turn */
    uint16_t rotated;         /* index of the last split that got such a turn */
    uint8_t state;            /* enum warp_state */
    bool hand_on;             /* it yields only so that the dispatch loop for undefined values takes over: see shadow */
    const struct insn *rival; /* lowest pc of another split that could run and is as deep in calls; NULL: not known */
    struct block *block;
    struct worker *worker;
    struct launch *launch;
    uint8_t *local;               /* local memory: lane after lane, launch->local_bytes each */
    uint32_t local_sp[WARP_SIZE]; /* stack pointer of each lane, offset in its local memory */
    /* While something in its registers is undefined: a frame like `regs` with the origin of each undefined byte, and
     * observer.run_followed is the dispatch loop. Otherwise NULL. */
    uint8_t *shadow;
    struct call_stack *call_stack;              /* saved activations of recursive functions, see machine/call_stack.h */
    const struct function *returned[WARP_SIZE]; /* the function each lane last returned from */
    const struct insn *unfinished; /* the last test of an mbarrier, if it found the phase unfinished; otherwise NULL */
    const uint64_t *unfinished_object;
    uint64_t unfinished_state; /* the state that this test saw */
    uint32_t product_groups;   /* wgmma.commit_group: how many groups it has committed */
    uint32_t product_looks;    /* times that it has found that the others of its warpgroup have not */
    struct warp_split splits[WARP_SIZE];
};

/* Register k of the instruction, as an array of 32 lanes of type T. For use in operations, which name their
 * parameters w and in. */
#define REG(T, k) ((T *)(void *)(w->regs + in->op[k]))
/* Predicate operand k: a bit per lane. */
#define PRED(k) (*(uint32_t *)(void *)(w->regs + in->op[k]))

#if WARP_SIZE == 1
enum { l = 0 }; /* the only lane; a loop, even of one turn, would be in the compiler's way */
#define LANE_LOOP
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a lane loop that cannot become vector code is not an error */
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < WARP_SIZE; l++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int l = 0; l < WARP_SIZE; l++)
#endif

/* bit l of a mask as a test that compilers turn into a vector mask */
#define LANE_ON(mask) (((mask) >> l) & 1)

/* Writes `expr` (which may use the lane number l) to destination register 0 of type T, in the active lanes only.
 * The full mask has its own loop because it is nearly always full. A source may be the destination. */
#define WRITE_LANES(T, expr)                                                                                           \
    do {                                                                                                               \
        T *restrict_d = REG(T, 0);                                                                                     \
        uint32_t active = w->mask;                                                                                     \
        if (active == FULL_MASK) {                                                                                     \
            LANE_LOOP restrict_d[l] = (T)(expr);                                                                       \
        } else {                                                                                                       \
            LANE_LOOP restrict_d[l] = LANE_ON(active) ? (T)(expr) : restrict_d[l];                                     \
        }                                                                                                              \
    } while (0)

/* Writes predicate operand k: the bits of the active lanes; the others keep theirs. */
#define WRITE_PRED(k, bits) (PRED(k) = (PRED(k) & ~w->mask) | ((bits)&w->mask))

static inline int first_lane(uint32_t mask) {
    return __builtin_ctz(mask);
}

/* True when the running split, now at pc, would be chosen again and reconverges with no split there: the usual case,
 * without the choice. */
static inline bool warp_goes_on(struct warp *w, const struct insn *pc) {
    if (w->count == 1)
        return true;
    if (w->rival <= pc || w->turns <= 1)
        return false;
    w->turns--;
    return true;
}

/* Divergence (machine/warp.c). Each of these functions leaves w->mask and w->current right and returns the
 * instruction to run next, or NULL when nothing in this warp can run. */
const struct insn *warp_branch(struct warp *w, const struct insn *taken_pc, uint32_t taken,
                               const struct insn *other_pc);
/* Diverges the running split: it keeps these lanes, and the others get a split at other_pc. Chooses no split. */
void warp_diverge(struct warp *w, uint32_t keep, const struct insn *other_pc);
const struct insn *warp_reconverge(struct warp *w, const struct insn *label);
const struct insn *warp_exit_lanes(struct warp *w);
const struct insn *warp_wait_barrier(struct warp *w, const struct insn *next, unsigned barrier);
/* The split waits at this instruction for the barrier of its cluster, and executes it again when that opens. */
const struct insn *warp_wait_cluster(struct warp *w, const struct insn *in);

/* For *.sync instructions: true when all live lanes of `members` are in the running split, so that the
 * instruction may execute. Otherwise the split waits: return *next from the operation. */
bool warp_sync_ready(struct warp *w, const struct insn *in, uint32_t members, const struct insn **next);

/* The return value of a handler that may have given the warp a shadow: from `next` on another dispatch loop has to run
 * it. */
static inline const struct insn *warp_hand_on(struct warp *w, const struct insn *next) {
    if (!w->hand_on || !next)
        return next;
    w->splits[w->current].pc = next;
    return (const struct insn *)0;
}

/* Returns the warp to the block's scheduler, to continue at `next`: it has run long enough. Returns NULL. */
const struct insn *warp_yield(struct warp *w, const struct insn *next);
/* Also yields, after a failed test that another thread has to make true: other lanes of the warp run first. */
const struct insn *warp_spin(struct warp *w, const struct insn *next);
/* One split with all threads at the entry. The caller is responsible for the frame's contents. */
void warp_start(struct warp *w, const struct insn *entry, uint32_t threads);
/* Runs the warp until it waits, ends or has used up its fuel. */
void warp_run(struct warp *w);
/* The block's barrier has opened: the splits that waited for it may run. */
void warp_release(struct warp *w, unsigned barrier);

/* Backward branches and calls a warp may execute before the others of its block get their turn, and the choices between
 * splits after which one that keeps running lets the others run (it may be waiting for them). */
#define WARP_FUEL   20000
#define SPLIT_TURNS 4096

/* insn.kind of op_barrier (ops/control.h) */
enum barrier_kind {
    BARRIER_SYNC,
    BARRIER_ARRIVE,
    BARRIER_RED_POPC,
    BARRIER_RED_AND,
    BARRIER_RED_OR,
    BARRIER_UNALIGNED = 16
};

/* Ends the launch with an error that has already been reported (machine/finding.h). Returns NULL. */
const struct insn *warp_fault(struct warp *w, int cuda_error);

#endif
