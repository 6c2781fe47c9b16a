/* What decode made of one PTX instruction, as far as it shows what the instruction is. */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/module.h"

struct evidence {
    const struct ptx_insn *p;
    const char *family;         /* in which the coverage's list has it; "": it does not, by itself */
    uint64_t effects;           /* a bit for each enum effect of its executable instructions */
    uint64_t probes;            /* a bit for each enum probe_kind that checks made of them */
    uint32_t steps;             /* a bit for each enum step that the second tier made of them */
    bool form;                  /* one was decoded by a table of forms */
    bool loads, stores, atomic; /* as its struct access says */
    bool reduces;               /* a bulk copy */
    bool first_written;         /* one writes the register that is the first operand */
    bool first_updated;         /* ... and reads it before */
    bool first_is_register;
    bool notes_mask; /* PROBE_NOTES_MASK */
};

static inline bool has_effect(const struct evidence *e, unsigned effect) {
    return e->effects >> effect & 1;
}

/* Calls `see` for each instruction of a kernel that was made of a statement of the coverage's list. */
void evidence_of(struct kernel *kernel, const char *statement, const char *family,
                 void (*see)(const struct evidence *));

#endif
