/* A register's level is the number of dependent loads, one after the other, that it was computed from; loads of one
 * level are in flight together. */
#include "profile/in_flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "decode/module.h"
#include "decode/registers.h"
#include "isa/instruction.h"
#include "machine/code.h"
#include "ptx/opcode.h"

#define MOST_LEVELS 64

struct search {
    uint16_t *together;
    uint8_t *levels; /* by ptx_register.number: in this piece of code */
    size_t registers;
    struct pending {
        uint32_t at;
        uint8_t level;
    } * loads; /* of this piece */
    size_t count;
    uint8_t read; /* the highest level that the instruction reads */
    uint8_t result;
    bool *ends; /* by index: a label here ends the piece */
};

static void note_level(struct ptx_register *r, bool written, void *context) {
    struct search *s = context;
    if (r->number >= s->registers)
        return;
    if (written)
        s->levels[r->number] = s->result;
    else if (s->levels[r->number] > s->read)
        s->read = s->levels[r->number];
}

/* Reads come first; a load that depends on nothing has level 0, and its result level 1. */
static void pass_levels(struct search *s, const struct ptx_insn *p, bool load) {
    s->read = s->result = 0;
    visit_registers(p, note_level, s);
    /* The first visit has found what is read (and has set the results' level to 0, which the second one puts
     * right). */
    s->result = (uint8_t)(s->read + load);
    s->result = s->result < MOST_LEVELS ? s->result : MOST_LEVELS - 1;
    uint8_t read = s->read;
    visit_registers(p, note_level, s); /* again: now the result's level is known */
    s->read = read;
}

static void end_piece(struct search *s) {
    size_t of_level[MOST_LEVELS] = {0};
    for (size_t i = 0; i < s->count; i++)
        /* Loads of one level do not depend on each other: all of them may be in flight at once. */
        of_level[s->loads[i].level]++;
    for (size_t i = 0; i < s->count; i++)
        s->together[s->loads[i].at] = (uint16_t)of_level[s->loads[i].level];
    s->count = 0;
    memset(s->levels, 0, s->registers);
}

static bool is_global(const struct ptx_insn *p) {
    return opcode_has(p->opcode, "global") || (!opcode_has(p->opcode, "shared") && !opcode_has(p->opcode, "local") &&
                                               !opcode_has(p->opcode, "param") && !opcode_has(p->opcode, "const"));
}

/* Loads after it wait for those before it, or are another piece of code. */
static bool ends_piece(const struct ptx_insn *p) {
    const struct instruction *row = p->row;
    return row->control != CONTROL_NEXT || row->order == ORDER_BLOCK || row->order == ORDER_FENCE ||
           (row->memory == MEMORY_ATOMIC && is_global(p));
}

/* Around a jump forward that no loaded value decides, the loads on both sides belong together, since none waits for the
 * jump: a guard such as `i < n ? x[i] : 0`, or an early return. */
static bool goes_on(const struct search *s, const struct insn *in, const struct ptx_insn *p) {
    /* An unconditional jump ends the piece, and so does one that a loaded value decides (level above 0). */
    if (!p->predicate || p->predicate->number >= s->registers || s->levels[p->predicate->number])
        return false;
    return p->row->control == CONTROL_EXIT || p->row->control == CONTROL_RETURN ||
           (in->effect == EFFECT_BRANCH_IF && in->target > in);
}

/* Where a jump that ends its piece arrives, another one begins. */
static void mark_targets(struct search *s, const struct insn *insns, const struct insn *in) {
    if (in->effect == EFFECT_BRANCH || in->effect == EFFECT_BRANCH_IF)
        s->ends[in->target - insns] = true;
    if (in->effect != EFFECT_BRANCH_TABLE)
        return;
    const struct branch_table *table = in->extra;
    for (uint32_t i = 0; i < table->count; i++)
        s->ends[table->insns[i]] = true;
}

static void mark_loops(struct search *s, const struct code *code) {
    for (uint32_t i = 0; i < code->count; i++)
        if ((code->insns[i].effect == EFFECT_BRANCH || code->insns[i].effect == EFFECT_BRANCH_IF) &&
            code->insns[i].target <= &code->insns[i])
            s->ends[code->insns[i].target - code->insns] = true;
}

bool in_flight_polls(const struct ptx_insn *p) {
    return p->row->memory == MEMORY_LOAD && is_global(p) &&
           (opcode_has(p->opcode, "volatile") || opcode_has(p->opcode, "relaxed") || opcode_has(p->opcode, "acquire"));
}

static bool is_plain_load(const struct ptx_insn *p) {
    return p->row->memory == MEMORY_LOAD && is_global(p) && !in_flight_polls(p);
}

/* A store ends a group of plain loads; .nc loads may pass it. */
static void look_at(struct search *s, const struct ptx_insn *p, uint32_t at, bool *stored) {
    /* A later plain load may read what the store has written, so it waits for the store; .nc promises that nothing
     * writes there. */
    bool load = is_plain_load(p), moves = load && opcode_has(p->opcode, "nc");
    if (load && *stored && !moves) {
        end_piece(s);
        *stored = false;
    }
    pass_levels(s, p, load);
    if (load)
        s->loads[s->count++] = (struct pending){at, s->read};
    *stored |= p->row->memory == MEMORY_STORE && is_global(p);
}

/* One instruction of the text at its place in the code. `first`: of those that it became. */
static void look_at_insn(struct search *s, const struct code *code, uint32_t at, bool first, bool *stored) {
    const struct ptx_insn *p = code->sources[at];
    const struct insn *in = &code->insns[at];
    bool label = in->effect == EFFECT_LABEL || (p && !p->opcode), access = in->effect == EFFECT_ACCESS;
    if (label ? s->ends[at] : ends_piece(p) && !goes_on(s, in, p)) {
        end_piece(s);
        *stored = false;
        if (!label)
            mark_targets(s, code->insns, in);
    } else if (!label && (access || (first && !is_plain_load(p)))) {
        look_at(s, p, at, stored);
    }
}

uint16_t *in_flight_find(const struct kernel *k) {
    struct search s = {.together = zeroed(k->code.count, sizeof *s.together),
                       .loads = zeroed(k->code.count, sizeof *s.loads),
                       .ends = zeroed(k->code.count, sizeof *s.ends)};
    const struct ptx_insn *last = NULL;
    bool stored = false;
    s.registers = k->ptx->register_count;
    s.levels = zeroed(s.registers, 1);
    mark_loops(&s, &k->code);
    for (uint32_t i = 0; i < k->code.count; i++) {
        const struct ptx_insn *p = k->code.sources[i];
        bool label = k->code.insns[i].effect == EFFECT_LABEL || (p && !p->opcode);
        bool access = k->code.insns[i].effect == EFFECT_ACCESS;
        if (!label && (!p || (p == last && !access)))
            continue;
        bool first = p != last;
        last = p;
        look_at_insn(&s, &k->code, i, first, &stored);
    }
    end_piece(&s);
    free(s.loads);
    free(s.levels);
    free(s.ends);
    return s.together;
}
