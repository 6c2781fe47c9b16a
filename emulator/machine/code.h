/* A function as part of one kernel's code: the places of its registers in the frame, and how calls reach it.
 *
 * Calls need no separate frame: a lane has at most one activation of a function that does not recurse, so every
 * function's registers, parameters and return address have a fixed place in the warp's frame, a value per lane.
 * Recursive functions save that place (area_begin .. area_end) at the call and restore it after the return. */
#ifndef CODE_H
#define CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/insn.h"
#include "ptx/ptx.h"

/* Function pointers: the top byte of the address marks "code", the rest is the function's number, times 16. */
#define CODE_WINDOW ((uint64_t)4 << 56)

/* A piece of a function's area: the bytes for each lane; 0 bytes: a predicate, a bit for each lane. */
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
    struct area_part *parts; /* of a recursive function: everything in its area */
    uint32_t part_count;
};

/* A parameter's copy between two places in the frame; `bytes` per lane. */
struct argument {
    uint32_t from, to, bytes;
};

/* The data of a call; extra of a call instruction and of the return landing after it. */
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

#endif
