/* The counters of compiled kernels: tier/lane_operations.c makes this a part of their text, so it stays small.
 *
 * A compiled kernel does not count instruction by instruction. It notes where a path through its instructions begins
 * (+1) and after which one it ends (-1); the sum of these up to an instruction is the number of its executions. A
 * straight piece of code costs nothing, a jump two additions. */
#ifndef COUNTED_H
#define COUNTED_H

#include <stdbool.h>
#include <stdint.h>

struct counted;
struct insn;
struct insn_details;
struct warp;

struct insn_record {
    uint64_t executed, threads; /* by warps, by active threads */
    struct insn_details *details;
    uint8_t special; /* further counts: */
};

/* The layout of the addresses of a half of a warp: enum pattern of ops/memory_fast.h. */
enum { HALF_IRREGULAR, HALF_RUN, HALF_SAME };

/* The pattern that an access of a whole warp met last, when its halves are regular. */
struct counted_access {
    uint64_t step;      /* from the first lane's address to the 16th's */
    uint64_t low, high; /* by half: all bits when it is a run, none when all addresses are the same */
    uint64_t *times;    /* accesses by the place of their first address in a line of 128 bytes, in words */
    uint32_t known;     /* a bit for each place at which that may be noted */
};

/* A worker's. */
struct counted {
    struct insn_record *records;     /* by insn.index, as all of these */
    struct counted_access *accesses; /* those that are more than sums have none */
    int64_t *whole;                  /* begins and ends of the paths of whole warps */
    int64_t *some, *threads;         /* and of others, with their lanes */
    uint32_t *position;              /* unpredicated instructions before this one */
    uint64_t since[32];              /* by warp: instructions since the last barrier */
    /* Counts an instruction's further requests, before it is executed. */
    void (*other)(struct counted *c, struct warp *w, const struct insn *in);
};

struct kernel;
/* Room for the counts of a kernel, which are zeros. */
void counted_begin(struct counted *c, const struct kernel *k);
/* Adds the counts of compiled code to the records. */
void counted_add_up(struct counted *c, const struct kernel *k);
void counted_free(struct counted *c);
/* Is the instruction before it its predicate? */
bool counted_is_predicated(const struct kernel *k, uint32_t index);
/* Unpredicated instructions before each one, and before the end; the caller frees it. */
uint32_t *counted_positions(const struct kernel *k);

/* The working data of a compiled function. */
struct counted_path {
    int64_t *executed, *threads; /* threads: NULL in the function for whole warps */
    int64_t lanes;
    uint64_t *since; /* NULL when no warp waits at barriers */
    const uint32_t *position;
};

/* A path through the instructions begins, or continues after a branch, at `to`. */
static inline void counted_enter(const struct counted_path *path, uint32_t to) {
    path->executed[to]++;
    if (path->threads)
        path->threads[to] += path->lanes;
    if (path->since)
        *path->since -= path->position[to];
}

/* It ends before `next`. */
static inline void counted_leave(const struct counted_path *path, uint32_t next) {
    path->executed[next]--;
    if (path->threads)
        path->threads[next] -= path->lanes;
    if (path->since)
        *path->since += path->position[next];
}

/* Both; unpredicated: instructions from `to` to `next`, possibly negative. */
static inline void counted_jump(const struct counted_path *path, uint32_t next, uint32_t to, int64_t unpredicated) {
    path->executed[next]--;
    path->executed[to]++;
    if (path->threads) {
        path->threads[next] -= path->lanes;
        path->threads[to] += path->lanes;
    }
    if (path->since)
        *path->since += (uint64_t)unpredicated;
}

/* A predicated instruction is executed by the lanes whose predicate holds. */
static inline void counted_predicated(const struct counted *c, const struct counted_path *path, uint32_t index,
                                      uint32_t lanes) {
    c->records[index].executed += lanes != 0;
    c->records[index].threads += (unsigned)__builtin_popcount(lanes);
    if (path->since)
        *path->since += lanes != 0;
}

/* May an access with the layout of the last one be noted when its first address is this? */
static inline bool counted_known(const struct counted_access *a, uint64_t first) {
    return !(first & 3) && a->known >> (first / 4 % 32) & 1;
}

static inline void counted_note(const struct counted_access *a, uint64_t first) {
    a->times[first / 4 % 32]++;
}

#endif
