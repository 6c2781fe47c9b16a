/* Translating a kernel: shared by steps.c (what each instruction is), runs.c (what computes), watched.c (what checks look at) and
 * translate.c (the rest). */
#ifndef TRANSLATOR_H
#define TRANSLATOR_H

#include <stdio.h>

#include "decode/module.h"

#define MAX_RUN 200 /* instructions in one loop: the compiler's time grows with it */

enum step {
    STEP_OTHER,     /* the interpreter does it */
    STEP_LANES,     /* computes: lane by lane */
    STEP_PREDICATE, /* a predicate before one that computes: they are one step */
    STEP_INSIDE,    /* the one behind it */
    STEP_MEMORY,    /* a load or store with a fast way */
    STEP_PROBED,    /* the same where checks look first, and have a quick way for it */
    STEP_LABEL,
    STEP_BRANCH,
    STEP_BRANCH_IF,
};

/* A register of the frame, in a run. */
struct place {
    uint32_t slot;
    uint8_t bits; /* 1: predicate */
    bool written, live_in, live_out;
    bool raw;  /* its value is a single whose NaN is not yet the canonical one */
    int value; /* number of the C variable that holds it now, -1: not read yet */
    const struct frame_constant *constant;
};

struct translator {
    const struct kernel *k;
    FILE *out;
    bool full;     /* the copy for whole warps, not for any set of lanes */
    bool counted;  /* the text counts what it executes; only then: */
    bool barriers; /* there are any */
    const struct traits *traits;
    uint32_t *position; /* unpredicated instructions before each */
    uint8_t *steps;     /* enum step of each instruction */
    const char **names; /* of the operations that compute */
    uint64_t *live;     /* registers_liveness of the kernel itself */
    size_t words;
    struct place places[6 * MAX_RUN];
    unsigned place_count;
    int value_count;
};

/* Addresses are others in each process: a text with one in it would be found in the cache by none. */
static inline bool may_be_address(uint64_t value) {
    return value >> 32 && !(value >> 47);
}

struct operand {
    uint32_t slot;
    uint8_t bits, k; /* k: which of insn.op */
    bool written;
};

/* Fills steps and names. */
void steps_classify(struct translator *t);
/* The operands of an instruction that computes, in the order of its form's letters; returns how many. */
unsigned steps_operands(const struct insn *in, struct operand out[INSN_OPERANDS]);
/* The name of a load's or store's fast way (ops/memory_fast.h, without fast_); false when it has none. */
bool steps_fast_memory(const struct insn *in, char name[static 32]);

/* tier/emit_counted.c: what a text that counts says, nothing in others. */
void counted_prepare(struct translator *t);
/* Before a function; at its beginning; where it jumps; before an instruction is executed that asks for more than being counted. */
void counted_emit_begin(const struct translator *t);
void counted_emit_way(const struct translator *t);
void counted_emit_jump(const struct translator *t, uint32_t i, uint32_t to);
void counted_emit_other(const struct translator *t, uint32_t i);
/* An access that is as the one before goes on inside of the brace that this opens, all others are made. */
void counted_emit_access(const struct translator *t, uint32_t i);
/* The predicates of a run: before the loop over the lanes, in it, and behind it. */
void counted_emit_lanes(const struct translator *t, uint32_t predicated);
void counted_emit_lane(const struct translator *t, uint32_t predicated, int value, bool negated);
void counted_emit_predicated(const struct translator *t, uint32_t predicated);

/* Writes the loop over the lanes for the run that begins at an instruction that computes; returns the first one behind it. */
uint32_t run_emit(struct translator *t, uint32_t begin);

/* The same for one that the checks watch: what looks and does it has that name behind watched_, in check/watched_*.h. False: there is
 * nothing quicker than the checks' own operation. */
bool probed_name(const struct kernel *k, const struct insn *in, char name[static 32]);
/* In the copy for whole warps. */
void probed_emit(struct translator *t, uint32_t i);

/* Declares `data` and `a`, the struct fast_access of an instruction. */
void memory_emit_access(struct translator *t, uint32_t i);

#endif
