/* A function as part of one kernel's code: where its registers lie in the frame, and how calls reach it.
 *
 * Calls need no frame of their own: a lane has at most one activation of a function that does not recurse, so every function's
 * registers, parameters and return address have a fixed place in the warp's frame, a value per lane. Recursive
 * functions save that place (area_begin .. area_end) at the call and get it back after the return. */
#ifndef FUNCTION_H
#define FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/insn.h"
#include "ptx/ptx.h"

/* Function pointers: the top byte of the address says "code", the rest is the function's number, times 16. */
#define CODE_WINDOW ((uint64_t)4 << 56)

/* A piece of a function's area: so many bytes for each lane; 0 bytes: a predicate, a bit for each lane. */
struct area_part {
    uint32_t slot, bytes;
};

struct function {
    const struct ptx_function *ptx;
    uint32_t first; /* index of its first instruction in the kernel's code */
    const struct insn *entry;
    uint32_t area_begin, area_end; /* its bytes in the frame */
    uint32_t return_slot;          /* uint32_t[32]: index of the instruction to return to */
    uint32_t depot_slot;           /* uint32_t[32]: offset of its local variables in each lane's local memory */
    uint32_t local_bytes, local_align;
    uint32_t stack_bytes; /* that an activation takes of a thread's stack: see ops/stack.h */
    bool recursive;
    struct area_part *parts; /* of a recursive function: all that its area holds */
    uint32_t part_count;
};

/* A parameter's copy between two places in the frame; `bytes` per lane. */
struct argument {
    uint32_t from, to, bytes;
};

/* What call needs to know; extra of a call instruction and of the return landing after it. */
struct call_site {
    struct function *callee; /* NULL for an indirect call */
    struct argument *arguments, *results;
    uint32_t argument_count, result_count;
    /* indirect: one site per possible callee, chosen by number */
    struct call_site *candidates;
    uint32_t candidate_count;
};

/* extra of op_branch_table: brx.idx */
struct branch_table {
    uint32_t count;
    uint32_t insns[]; /* indices in the kernel's code */
};

/* Builtins that PTX calls like functions: vprintf, malloc, free, __assertfail. NULL if there is none by that name.
 * The arguments and the result are in the call site. */
op_fn builtin_find(const char *name);

/* ops/call.c */
const struct insn *op_call(struct warp *w, const struct insn *in);
const struct insn *op_call_indirect(struct warp *w, const struct insn *in);
const struct insn *op_call_landing(struct warp *w, const struct insn *in);
const struct insn *op_return(struct warp *w, const struct insn *in);

/* ops/control.c */
const struct insn *op_guard(struct warp *w, const struct insn *in);
const struct insn *op_label(struct warp *w, const struct insn *in);
const struct insn *op_branch(struct warp *w, const struct insn *in);
const struct insn *op_branch_if(struct warp *w, const struct insn *in);
const struct insn *op_branch_table(struct warp *w, const struct insn *in);
const struct insn *op_exit(struct warp *w, const struct insn *in);
const struct insn *op_trap(struct warp *w, const struct insn *in);
const struct insn *op_barrier_all(struct warp *w, const struct insn *in);
const struct insn *op_barrier(struct warp *w, const struct insn *in);
const struct insn *op_barrier_result(struct warp *w, const struct insn *in);
const struct insn *op_fence(struct warp *w, const struct insn *in);
const struct insn *op_nanosleep(struct warp *w, const struct insn *in);
const struct insn *op_nothing(struct warp *w, const struct insn *in);
const struct insn *op_special(struct warp *w, const struct insn *in);
const struct insn *op_widen(struct warp *w, const struct insn *in);
/* insert: element imm of the wide op[0] from op[1]; extract: op[0] from element imm of the wide op[1] */
const struct insn *op_insert(struct warp *w, const struct insn *in);
const struct insn *op_extract(struct warp *w, const struct insn *in);
const struct insn *op_not_pred(struct warp *w, const struct insn *in);
const struct insn *op_local_address(struct warp *w, const struct insn *in);

/* insn.kind of op_special */
enum special {
    SPECIAL_CLOCK,
    SPECIAL_CLOCK_HI,
    SPECIAL_CLOCK64,
    SPECIAL_GLOBALTIMER,
    SPECIAL_GLOBALTIMER_LO,
    SPECIAL_GLOBALTIMER_HI,
    SPECIAL_WARPID,
    SPECIAL_SMID,
    SPECIAL_GRIDID,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
};

/* insn.kind of op_barrier */
enum barrier_kind {
    BARRIER_SYNC,
    BARRIER_ARRIVE,
    BARRIER_RED_POPC,
    BARRIER_RED_AND,
    BARRIER_RED_OR,
    BARRIER_UNALIGNED = 16
};

/* insn.kind of op_widen, op_insert and op_extract: the widths in bytes of source and destination elements */
#define WIDEN(from, to, is_signed) ((uint16_t)((from) | (to) << 6 | (is_signed) << 15))
#define WIDEN_FROM(kind)           ((kind)&63)
#define WIDEN_TO(kind)             ((kind) >> 6 & 63)
#define WIDEN_SIGNED(kind)         ((kind) >> 15)

#endif
