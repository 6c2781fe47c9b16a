/* The observers of the machine. The machine, its operations and its decoder call nothing above them: the checks, the
 * counters and the second tier fill their parts of this struct when the library is loaded (observe.c in check/,
 * profile/ and tier/). A NULL function is not called; a machine without observers runs kernels and returns errors
 * silently.
 *
 * A function that is called often is guarded by a test of a pointer that its owner has set in the machine:
 * launch.watch, block.watch and warp.shadow belong to the checks, worker.counters to the counters. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include <stddef.h>

#include "machine/finding.h"
#include "machine/grid.h"

struct observer {
    /* ---- the checks: findings, see finding.h ---- */

    /* Returns the finding that it turned out to be. */
    enum finding (*found_access)(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                                 const uint64_t addresses[WARP_SIZE]);
    void (*found)(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                  const struct report_side *other, const char *detail, const char *advice);
    void (*found_in_launch)(const char *kernel_name, enum finding finding, const char *detail, const char *advice);

    /* "x.cu:12", the program's own line of an instruction; "" where it is not known. */
    void (*line)(const struct kernel *kernel, const struct insn *in, char *out, size_t size);

    /* ---- the checks: events ---- */

    void (*launch_begins)(struct launch *launch); /* may set its watch */
    void (*launch_ended)(struct launch *launch);
    /* Where the launch has a watch: */
    void (*block_begins)(struct block *b);
    /* An instruction reads global memory in another way than a load does: by a texture, a surface, or to print it. */
    void (*memory_read)(const struct warp *w, const struct insn *in, int lane, uint64_t address, uint32_t bytes);
    /* Where the block has one: */
    void (*block_ended)(struct block *b);
    void (*barrier_opens)(struct block *b, unsigned barrier); /* all have arrived, and none has been released */
    void (*cluster_opens)(struct block *b);                   /* the barrier of b's cluster, likewise */
    void (*block_exits)(struct block *b);                     /* its last lanes exit */
    void (*sync_executes)(const struct warp *w, const struct insn *in, uint32_t named); /* a *.sync, with its mask */
    void (*argument_printed)(const struct warp *w, const struct insn *in, int lane, uint64_t address, size_t bytes);

    /* ---- the checks: warps whose undefined values are followed (check/follow.h) ---- */

    void (*follow)(struct warp *w); /* from now on: gives it a shadow */
    /* The shadow may have become empty: then the warp is no longer followed. */
    void (*follow_on)(struct warp *w);
    /* Instead of the dispatch loop. */
    void (*run_followed)(struct warp *w, const struct insn *in);
    /* Where the block has a watch: lane l reads from lane source[l]; `answered`: the lanes whose result that
     * defines. */
    void (*shuffle)(struct warp *w, const struct insn *in, const uint8_t source[WARP_SIZE], uint32_t answered);
    /* Where the warp has a shadow: the lanes whose votes, operand `value`, are undefined; then the result of the
     * vote. */
    uint32_t (*voters)(const struct warp *w, const struct insn *in, unsigned value, unsigned mask);
    void (*verdict)(const struct warp *w, const struct insn *in, uint32_t voters, uint32_t changed);
    void (*ballot)(const struct warp *w, const struct insn *in, uint32_t voters);
    /* The result of each lane depends on operand `value` of all that its mask names. */
    void (*gather)(const struct warp *w, const struct insn *in, unsigned value, unsigned bytes, unsigned mask);

    /* ---- the counters ---- */

    struct counters *(*counters_new)(void);   /* a worker's; NULL: nothing is counted */
    void (*counters_end)(struct counters *c); /* the worker has done its part */
    void (*launch_counted)(const struct launch *launch);
    void (*block_counted)(struct counters *c, const struct block *b); /* its last warp has ended */
    /* Before a warp runs. True when it has to be interpreted, to be seen instruction by instruction. */
    bool (*count_warp)(struct counters *c, const struct warp *w);
    /* An instruction is executed; if it is a predicate, the predicated one after it, too. */
    void (*count)(struct counters *c, struct warp *w, const struct insn *in);
    /* Instead of the dispatch loop. */
    void (*run_counted)(struct warp *w, const struct insn *in);
    /* A branch by a table has been decided. One by a condition is decided whenever it is executed. */
    void (*branch)(struct counters *c, const struct insn *in);
    void (*diverged)(struct counters *c, const struct insn *in); /* the active lanes went both ways */

    /* ---- the second tier ---- */

    void (*launch_prepares)(const struct kernel *kernel);
    void (*interpreted)(const struct kernel *kernel, bool counted, uint64_t nanoseconds); /* by one worker */
};

extern struct observer observer;

#endif
