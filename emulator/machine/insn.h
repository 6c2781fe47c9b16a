/* The executable form of an instruction, and the table by which families of instructions are added.
 *
 * A PTX instruction is decoded once per kernel into a struct insn. Its operands are byte offsets into the frame of the
 * warp that executes it; an immediate is a constant vector that the frame already holds, so an operation never checks
 * what kind of operand it has. The dispatch loop is `while ((in = in->handler(w, in)))`: each handler does its work for
 * all active lanes and returns the next instruction, or NULL to return the warp to its scheduler. */
#ifndef INSN_H
#define INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/effect.h"

struct warp;
struct insn;
struct function;

typedef const struct insn *(*handler_fn)(struct warp *w, const struct insn *in);

#define INSN_OPERANDS 6

struct insn {
    handler_fn handler;
    uint32_t op[INSN_OPERANDS]; /* frame offsets: op[0] is the destination */
    union {
        int64_t imm;               /* immediate of the form ('i'), or the offset of an address */
        const struct insn *target; /* branches */
    };
    const void *extra; /* further data of a family (struct access for memory) */
    uint8_t folded;    /* PTX instructions before it that decode folded away: they count, but cost nothing */
    uint8_t effect;    /* enum effect */
    uint16_t flags;    /* INSN_* */
    uint16_t kind;     /* free for the family: a sub-operation, a width */
    uint32_t index;    /* of this instruction in its function's code */
};

enum {
    INSN_MEMORY = 1,         /* extra is a struct access: counted by profile/, instrumented by check/ */
    INSN_BRANCH = 2,         /* conditional branch: may diverge */
    INSN_BARRIER = 4,        /* block barrier */
    INSN_FLOAT = 8,          /* counts as one floating-point operation per lane */
    INSN_FLOAT_FMA = 16,     /* counts as two */
    INSN_PSEUDO = 32,        /* not in the PTX (labels, copies made by decode): not counted */
    INSN_PREDICATE = 64,     /* an @%p: predicates the next instruction */
    INSN_BACKWARD = 128,     /* a branch to an earlier instruction: costs fuel */
    INSN_WARP_BARRIER = 256, /* bar.warp.sync */
    INSN_TARGET = 512,       /* a branch to insn.target */
    INSN_RAW_SOURCES = 1024, /* of a form: its result does not depend on which NaN it gets */
    INSN_CONSTANT = 2048,    /* the last source of its form is in insn.imm */
    INSN_FORM = 4096,        /* extra is the struct form that it was decoded by */
    INSN_RAW_RESULT = 8192,  /* of a form: its NaN may stay as the host made it, by the operation named ..._raw */
    INSN_RAW = INSN_RAW_RESULT | INSN_RAW_SOURCES,
};

/* One legal spelling of an instruction and how to execute it. `operands` has one letter per operand, in order:
 *   p predicate (uint32_t, a bit per lane)   h 16 bits   w 32 bits   l 64 bits   q 128 bits
 *   P a destination p or p|q: takes two op[] entries (the second is a slot that is never read when there is no q)
 *   W a destination register of 32 bits, or d|p: takes two op[] entries likewise
 *   i an integer immediate, stored in insn.imm, takes no op[] entry
 * Decode translates operands by these letters: registers to their slots, immediates to constant vectors of that
 * width, !%p to a negated copy. A predicate (@%p, which PTX calls the guard predicate) is
 * applied outside the operation, by taking lanes out of w->mask. */
struct form {
    const char *name;     /* opcode with all its modifiers: "add.rn.ftz.f32" */
    const char *operands; /* "www" */
    handler_fn handler;
    uint16_t flags; /* INSN_FLOAT ... */
    uint16_t kind;  /* copied to insn.kind */
};

#endif
