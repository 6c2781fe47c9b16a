/* Translating a kernel to C; shared by steps.c (classification), regions.c (computation), emit_probed.c (accesses that
 * the checks instrument), emit_counted.c (counting) and translate.c (the rest). */
#ifndef TRANSLATOR_H
#define TRANSLATOR_H

#include <stdio.h>

#include "decode/module.h"

#define MAX_REGION 200 /* instructions in one loop: the compiler's time grows with it */

enum step {
    STEP_OTHER,     /* done by the interpreter's handler */
    STEP_LANES,     /* computes: lane by lane */
    STEP_PREDICATE, /* a predicate and, after it, an instruction that computes */
    STEP_INSIDE,    /* the instruction after a STEP_PREDICATE */
    STEP_MEMORY,    /* a load or store with a fast path */
    STEP_PROBED,    /* an instrumented load or store whose checks have a fast path */
    STEP_LABEL,
    STEP_BRANCH,
    STEP_BRANCH_IF,
};

/* A register of the frame, as a C variable of the region. */
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
    bool counted;  /* the generated C counts what it executes; only then: */
    bool barriers; /* there are any */
    const struct traits *traits;
    uint32_t *position; /* unpredicated instructions before each instruction */
    uint8_t *steps;     /* enum step of each instruction */
    const char **names; /* of the operations that compute */
    uint64_t *live;     /* registers_liveness of the kernel itself */
    size_t words;
    /* At most six operands for each instruction of a region. A predicated one also has its predicate, but it counts
     * as two. */
    struct place places[6 * MAX_REGION];
    unsigned place_count;
    int value_count;
};

/* Addresses differ from process to process: generated C that contains one would never be found in the cache. */
static inline bool may_be_address(uint64_t value) {
    /* User space on x86-64: beyond 4 GiB, and below 2^47. A number that looks like an address is only read at run
     * time. */
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
/* The name of the fast path of a load or store (ops/memory_fast.h, without fast_). False: it has none. */
bool steps_fast_memory(const struct insn *in, char name[static 32]);

/* tier/emit_counted.c: the counting parts of the generated C; they write nothing where it does not count. */
void counted_prepare(struct translator *t);
/* Before a function; at its beginning; where it jumps; before the execution of an instruction that needs more than
 * being counted. */
void counted_emit_begin(const struct translator *t);
void counted_emit_path(const struct translator *t);
void counted_emit_jump(const struct translator *t, uint32_t i, uint32_t to);
void counted_emit_other(const struct translator *t, uint32_t i);
/* An access with the pattern of the previous one continues inside the brace that this opens, the handler executes all
 * others. */
void counted_emit_access(const struct translator *t, uint32_t i);
/* The predicates of a region: before the loop over the lanes, in it, and after it. */
void counted_emit_lanes(const struct translator *t, uint32_t predicated);
void counted_emit_lane(const struct translator *t, uint32_t predicated, int value, bool negated);
void counted_emit_predicated(const struct translator *t, uint32_t predicated);

/* Writes the loop over the lanes for the region that begins at this instruction; returns the first one after it. */
uint32_t region_emit(struct translator *t, uint32_t begin);

/* The name of the fast path of an instrumented load or store (check/probed_*.h, without probed_). False: it has none
 * but its probe. */
bool probed_name(const struct kernel *k, const struct insn *in, char name[static 32]);
/* In the copy for whole warps. */
void probed_emit(struct translator *t, uint32_t i);

/* Declares `data` and `a`, the struct fast_access of an instruction. */
void memory_emit_access(struct translator *t, uint32_t i);

#endif
