/* See unavoidable.h. Control flow of a kernel by instruction: what can be reached from where. */
#include "check/unavoidable.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "machine/code.h"

#define MOST_BARRIERS 64 /* the rest are not looked at */

/* The kernel's own instructions and their successors, also backwards. */
struct flow {
    const struct code *code;
    uint32_t *first, *before; /* before[first[i] .. first[i + 1]]: the predecessors of i */
    uint32_t *stack;
    uint8_t *own; /* is reached from the entry: not an instruction of a function that is called */
};

enum { FROM = 1, TO = 2, SEEN = 4 }; /* bits of an instruction for one barrier: reached from it, leads to it */

/* Calls a function for each successor. */
static void successors(const struct code *code, uint32_t i, void (*visit)(void *, uint32_t, uint32_t), void *data) {
    const struct insn *in = &code->insns[i];
    const struct branch_table *table = in->extra;
    if (in->effect == EFFECT_EXIT || in->effect == EFFECT_TRAP || in->effect == EFFECT_RETURN)
        return;
    for (uint32_t k = 0; in->effect == EFFECT_BRANCH_TABLE && k < table->count; k++)
        visit(data, i, table->insns[k]);
    if (in->effect == EFFECT_BRANCH_TABLE)
        return;
    if (in->effect == EFFECT_BRANCH || in->effect == EFFECT_BRANCH_IF)
        visit(data, i, in->target->index);
    if (in->effect != EFFECT_BRANCH && i + 1 < code->count)
        visit(data, i, i + 1);
}

static void count_edge(void *data, uint32_t from, uint32_t to) {
    (void)from;
    ((struct flow *)data)->first[to + 1]++;
}

static void note_edge(void *data, uint32_t from, uint32_t to) {
    struct flow *f = data;
    f->before[f->first[to]++] = from;
}

static void flow_make(struct flow *f, const struct code *code) {
    uint32_t n = code->count;
    *f = (struct flow){.code = code, .first = zeroed(n + 2, sizeof *f->first)};
    /* Edges backwards in one array (compressed sparse rows): count the predecessors of each instruction, sum the
     * counts up to the beginnings of their lists, fill the lists. Filling moves each beginning to the next one's,
     * hence the memmove. */
    for (uint32_t i = 0; i < n; i++)
        successors(code, i, count_edge, f);
    for (uint32_t i = 0; i < n; i++)
        f->first[i + 1] += f->first[i];
    f->before = zeroed(f->first[n] + 1, sizeof *f->before);
    for (uint32_t i = 0; i < n; i++)
        successors(code, i, note_edge, f);
    memmove(f->first + 1, f->first, n * sizeof *f->first); /* each has moved to the next one's beginning */
    f->first[0] = 0;
    f->stack = zeroed(n + 1, sizeof *f->stack);
    f->own = zeroed(n + 1, 1);
}

static void flow_free(struct flow *f) {
    free(f->first);
    free(f->before);
    free(f->stack);
    free(f->own);
}

/* ---- searches ---- */

struct search {
    struct flow *flow;
    uint8_t *marks, mark;
    uint32_t barrier, count; /* count: of the stack */
    bool around, leaves;     /* around: not through the barrier or code after it */
};

/* From here on the code does nothing but leave the kernel. */
static bool only_leaves(const struct code *code, uint32_t i) {
    /* A chain of jumps and labels that ends in an exit; the count ends it where the chain is a loop. */
    for (uint32_t steps = 0; steps < code->count; steps++) {
        const struct insn *in = &code->insns[i];
        if (in->effect == EFFECT_EXIT)
            return true;
        if (in->effect != EFFECT_BRANCH && in->effect != EFFECT_LABEL && in->effect != EFFECT_NOTHING)
            return false;
        i = in->effect == EFFECT_BRANCH ? in->target->index : i + 1;
    }
    return false;
}

static bool is_behind(const struct search *s, uint32_t i) {
    /* Reached from the barrier and no way back to it: not the rest of a loop's body around the barrier, which a
     * thread executes before the barrier as well. */
    return (s->marks[i] & (FROM | TO)) == FROM && !only_leaves(s->flow->code, i);
}

static void mark_reached(void *data, uint32_t from, uint32_t to) {
    struct search *s = data;
    (void)from;
    if (s->marks[to] & s->mark || (s->around && (to == s->barrier || is_behind(s, to))))
        return;
    s->marks[to] |= s->mark;
    s->leaves |= s->flow->code->insns[to].effect == EFFECT_EXIT;
    s->flow->stack[s->count++] = to;
}

static void search(struct search *s, uint32_t start) {
    const struct flow *f = s->flow;
    /* Depth first with an explicit stack, forwards along successors or, for TO, backwards. */
    if (s->mark != FROM) /* from the barrier on: it is itself reached only in a loop */
        mark_reached(s, start, start);
    else
        successors(f->code, start, mark_reached, s);
    while (s->count) {
        uint32_t i = f->stack[--s->count];
        if (s->mark != TO)
            successors(f->code, i, mark_reached, s);
        for (uint32_t k = f->first[i]; s->mark == TO && k < f->first[i + 1]; k++)
            mark_reached(s, f->before[k], f->before[k]);
    }
}

/* Does every path from the kernel's entry to its end pass the barrier, or else code that is reached only after it? */
static bool is_unavoidable(struct flow *f, uint8_t *marks, uint32_t barrier) {
    memset(marks, 0, f->code->count);
    /* Three searches: what is reached from the barrier; what leads to it; and, from the entry, what is reached without
     * the barrier and without code that is only after it. If that third one finds an exit, a thread may end legally
     * without the barrier. */
    struct search s = {.flow = f, .marks = marks, .mark = FROM, .barrier = barrier};
    search(&s, barrier);
    s.mark = TO;
    search(&s, barrier);
    s.mark = SEEN;
    s.around = true;
    s.leaves = false;
    if (barrier)
        search(&s, 0);
    return !s.leaves;
}

static bool called_function_exits(const struct flow *f) {
    for (uint32_t i = 0; i < f->code->count; i++)
        /* An exit in a function that is called: which callers it ends is not known, so no barrier is numbered. */
        if (!f->own[i] && f->code->insns[i].effect == EFFECT_EXIT && f->code->insns[i].extra == NULL)
            return true;
    return false;
}

uint32_t find_unavoidable(const struct code *code, bool (*is_barrier)(const struct insn *), uint8_t *numbers) {
    struct flow f;
    uint32_t found = 0, looked_at = 0;
    flow_make(&f, code);
    struct search whole = {.flow = &f, .marks = f.own, .mark = SEEN, .barrier = ~0u};
    search(&whole, 0);
    uint8_t *marks = zeroed(code->count + 1, 1);
    uint32_t until = called_function_exits(&f) ? 0 : code->count;
    for (uint32_t i = 0; i < until && looked_at < MOST_BARRIERS; i++)
        if (f.own[i] && is_barrier(&code->insns[i])) {
            looked_at++;
            numbers[i] = is_unavoidable(&f, marks, i) ? (uint8_t)++found : 0;
        }
    free(marks);
    flow_free(&f);
    return found;
}
