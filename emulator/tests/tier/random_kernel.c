#include "random_kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS      8 /* %w0... */
#define LONGS      5
#define HALVES     5
#define PREDICATES 4
#define MAX_DEPTH  2 /* of branches and loops */
#define MAX_BYTES  256

struct writer {
    char *out;
    size_t used, room;
    struct random *r;
    const struct plan *plans;
    size_t plan_count;
    int labels, depth, line;
    struct random_shape shape;
};

__attribute__((format(printf, 2, 3))) static void add(struct writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(w->out + w->used, w->room - w->used, format, arguments);
    va_end(arguments);
    w->used += (size_t)n < w->room - w->used ? (size_t)n : w->room - w->used - 1;
}

static unsigned below(struct writer *w, unsigned n) {
    return (unsigned)(random_next(w->r) >> 33) % n;
}

static unsigned resources_registers(char letter) {
    return letter == 'h' ? HALVES : letter == 'l' ? LONGS : letter == 'w' || letter == 'W' ? WORDS : PREDICATES;
}

static void add_register(struct writer *w, char letter) {
    char name = letter == 'W' ? 'w' : letter == 'P' ? 'p' : letter;
    add(w, "%%%c%u", name, below(w, resources_registers(letter)));
}

static void add_predicate(struct writer *w) {
    if (below(w, 4) == 0)
        add(w, "@%s%%p%u ", below(w, 2) ? "!" : "", below(w, PREDICATES));
}

/* ---- instructions ---- */

static bool usable(const struct plan *p) {
    for (int k = 0; k < p->count; k++)
        if (p->operand[k].letter == 'q' || p->operand[k].kind == VALUE_LANES)
            return false;
    return !p->carry_in && !p->carry_out;
}

static bool same_opcode(const struct plan *a, const struct plan *b) {
    size_t n = strcspn(a->name, ".");
    return n == strcspn(b->name, ".") && strncmp(a->name, b->name, n) == 0;
}

static bool single(const struct plan *p) {
    return strstr(p->name, ".f32") && strncmp(p->name, "set", 3) != 0 && strncmp(p->name, "cvt", 3) != 0;
}

/* Any opcode as likely as any other, though some have thousands of forms; and often single precision. */
static const struct plan *any_plan(struct writer *w) {
    bool singles = below(w, 3) == 0;
    const struct plan *p;
    for (int tries = 0;; tries++) {
        p = &w->plans[below(w, (unsigned)w->plan_count)];
        bool many = strncmp(p->name, "set", 3) == 0 || strncmp(p->name, "cvt", 3) == 0 || p->name[0] == 'v';
        if (usable(p) && (!singles || single(p)) && (!many || below(w, 12) == 0))
            break;
    }
    for (int tries = 0; tries < 3 && !singles; tries++) {
        const struct plan *other = p + below(w, 9) - 4;
        if (other >= w->plans && other < w->plans + w->plan_count && same_opcode(p, other) && usable(other))
            p = other;
    }
    return p;
}

static void add_literal(struct writer *w, const struct plan_operand *o) {
    uint64_t bits = below(w, 2) ? value_edge(o->kind, below(w, (unsigned)value_edge_count(o->kind)))
                                : value_everyday(o->kind, w->r);
    if (o->kind == VALUE_F32)
        add(w, "0f%08X", (uint32_t)bits);
    else if (o->kind == VALUE_F64)
        add(w, "0d%016" PRIX64, bits);
    else
        add(w, "%" PRId64, o->letter == 'w' ? (int32_t)bits : o->letter == 'h' ? (int16_t)bits : (int64_t)bits);
}

static bool may_be_literal(const struct plan_operand *o) {
    switch (o->kind) {
    case VALUE_F32:
    case VALUE_F64:
    case VALUE_INT16:
    case VALUE_INT32:
    case VALUE_INT64:
    case VALUE_SHIFT:
    case VALUE_FIELD:
        return !o->output && o->letter != 'i';
    default:
        return false;
    }
}

static void add_instruction(struct writer *w) {
    const struct plan *p = any_plan(w);
    bool literal = below(w, 5) == 0;
    add(w, "    ");
    add_predicate(w);
    add(w, "%s ", p->name);
    for (int k = 0; k < p->count; k++) {
        const struct plan_operand *o = &p->operand[k];
        add(w, k ? ", " : "");
        if (o->letter == 'i') {
            add(w, "%" PRId64, p->immediate);
        } else if (literal && k + 1 == p->count && k && may_be_literal(o)) {
            add_literal(w, o);
        } else if (o->letter == 'P') {
            unsigned first = below(w, PREDICATES);
            add(w, "%%p%u|%%p%u", first, (first + 1 + below(w, PREDICATES - 1)) % PREDICATES);
        } else {
            add_register(w, o->letter);
            if (o->letter == 'W')
                add(w, "|%%p%u", below(w, PREDICATES));
        }
    }
    add(w, ";\n");
}

/* What reads a register as bits, or moves them. */
static void add_move(struct writer *w) {
    static const char *const forms[] = {"mov.b32 w w",   "mov.f32 w w",   "mov.b64 l l",      "mov.b16 h h",
                                        "not.b32 w w",   "mov.pred p p",  "selp.b32 w w w p", "selp.f32 w w w p",
                                        "neg.f32 w w",   "xor.b32 w w w", "cvt.u16.u32 h w",  "cvt.s64.s32 l w",
                                        "and.pred p p p"};
    const char *c = forms[below(w, sizeof forms / sizeof *forms)];
    add(w, "    ");
    add_predicate(w);
    add(w, "%.*s ", (int)strcspn(c, " "), c);
    for (c = strchr(c, ' '); *c; c += 2) {
        add_register(w, c[1]);
        add(w, c[2] ? ", " : ";\n");
    }
}

/* ---- memory: a thread's own words, and shared memory a word for each thread ---- */

static void add_memory(struct writer *w) {
    unsigned slot = below(w, RANDOM_WORDS - 1) & ~1u;
    switch (below(w, 9)) {
    case 0:
        add(w, "    ld.global.b32 %%w%u, [%%in+%u];\n", below(w, WORDS), 8 * slot);
        break;
    case 1:
        add(w, "    ld.global.v2.f32 {%%w%u, %%w%u}, [%%in+%u];\n", below(w, 4), 4 + below(w, 4), 8 * slot);
        break;
    case 2:
        add(w, "    ld.global.b64 %%l%u, [%%in+%u];\n", below(w, LONGS), 8 * slot);
        break;
    case 3:
        add(w, "    ld.global.b16 %%h%u, [%%in+%u];\n", below(w, HALVES), 8 * slot);
        break;
    case 4:
        add(w, "    st.global.b32 [%%out+%u], %%w%u;\n", 8 * slot, below(w, WORDS));
        break;
    case 5:
        add(w, "    st.global.v2.b32 [%%out+%u], {%%w%u, %%w%u};\n", 8 * slot, below(w, WORDS), below(w, WORDS));
        break;
    case 6:
        add(w, "    st.global.b64 [%%out+%u], %%l%u;\n", 8 * slot, below(w, LONGS));
        break;
    case 7:
        add(w, "    st.shared.f32 [%%mine], %%w%u;\n", below(w, WORDS));
        break;
    default:
        add(w, "    ld.shared.f32 %%w%u, [%%mine];\n", below(w, WORDS));
    }
}

/* ---- regular addresses: neighbours in a row, one for all, or either in each half of a warp ---- */

/* Behind a table's or a row's begin, a multiple of `bytes`. */
static void add_place(struct writer *w, const char *base, unsigned bytes) {
    add(w, "[%%%s+%u];\n", base, bytes * below(w, 64));
}

static void add_regular_load(struct writer *w) {
    static const char *const bases[] = {"row", "same", "pairs", "steps", "walk"}, *const shared[] = {"table_row",
                                                                                                     "table_same",
                                                                                                     "table_pairs"};
    switch (below(w, 8)) {
    case 0:
        add(w, "ld.global.v4.b32 {%%w%u, %%w%u, %%w2, %%w3}, ", 4 + below(w, 4), below(w, 2));
        add_place(w, below(w, 2) ? "quads" : "same", 16);
        break;
    case 1:
        add(w, "ld.global.b16 %%h%u, ", below(w, HALVES));
        add_place(w, below(w, 2) ? "halves" : "row", 2);
        break;
    case 2:
    case 3:
    case 4:
        add(w, "ld.shared.b32 %%w%u, ", below(w, WORDS));
        add_place(w, shared[below(w, 3)], 4);
        break;
    default:
        add(w, "ld.global.b32 %%w%u, ", below(w, WORDS));
        add_place(w, bases[below(w, 5)], 4);
    }
}

static void add_regular_store(struct writer *w) {
    unsigned row = 8 * w->shape.threads * below(w, RANDOM_ROWS);
    if (below(w, 2))
        add(w, "st.global.b64 [%%mine_in_rows+%u], %%l%u;\n", row, below(w, LONGS));
    else
        add(w, "st.global.v2.b32 [%%mine_in_rows+%u], {%%w%u, %%w%u};\n", row, below(w, WORDS), below(w, WORDS));
}

static void add_regular(struct writer *w) {
    if (below(w, 4) == 0) {
        add(w, "    add.u32 %%far, %%far, %u;\n    and.b32 %%far, %%far, 1020;\n    cvt.u64.u32 %%walk, %%far;\n",
            4 * below(w, 40));
        add(w, "    add.u64 %%walk, %%walk, %%row;\n");
    }
    add(w, "    ");
    add_predicate(w);
    if (below(w, 4))
        add_regular_load(w);
    else
        add_regular_store(w);
}

/* A neighbour's word: all threads of the block come here. */
static void add_exchange(struct writer *w) {
    add(w, "    bar.sync 0;\n    st.shared.b32 [%%mine], %%w%u;\n    bar.sync 0;\n", below(w, WORDS));
    add(w, "    ld.shared.b32 %%w%u, [%%other];\n    bar.sync 0;\n", below(w, WORDS));
}

/* ---- structure ---- */

static void add_statements(struct writer *w, unsigned count);

static void add_if(struct writer *w) {
    int end = w->labels++, other = w->labels++;
    add(w, "    @%s%%p%u bra L%d;\n", below(w, 2) ? "!" : "", below(w, PREDICATES), other);
    add_statements(w, 1 + below(w, 6));
    if (below(w, 2)) {
        add(w, "    bra L%d;\nL%d:\n", end, other);
        add_statements(w, 1 + below(w, 6));
        add(w, "L%d:\n", end);
    } else {
        add(w, "L%d:\n", other);
    }
}

/* As often for all, or as a register says. */
static void add_loop(struct writer *w) {
    int begin = w->labels++, depth = w->depth;
    if (below(w, 2))
        add(w, "    mov.u32 %%c%d, %u;\n", depth, 1 + below(w, 5));
    else
        add(w, "    and.b32 %%c%d, %%w%u, 3;\n    add.u32 %%c%d, %%c%d, 1;\n", depth, below(w, WORDS), depth, depth);
    add(w, "L%d:\n", begin);
    add_statements(w, 2 + below(w, 8));
    add(w, "    sub.u32 %%c%d, %%c%d, 1;\n    setp.ne.u32 %%more, %%c%d, 0;\n    @%%more bra L%d;\n", depth, depth,
        depth, begin);
}

static void add_statements(struct writer *w, unsigned count) {
    w->depth++;
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = below(w, 44);
        add(w, "    .loc 1 %d 0\n", ++w->line);
        if (kind < 2 && w->depth <= MAX_DEPTH)
            add_if(w);
        else if (kind < 4 && w->depth <= MAX_DEPTH)
            add_loop(w);
        else if (kind < 5 && w->depth == 1)
            add_exchange(w);
        else if (kind < 8)
            add_memory(w);
        else if (kind < 15)
            add_move(w);
        else if (kind < 19)
            add_regular(w);
        else
            add_instruction(w);
    }
    w->depth--;
}

/* A table in shared memory that is only read, and where regular accesses begin. */
static void add_regular_begin(struct writer *w) {
    add(w,
        "    .reg .b32 %%far, %%half, %%inside, %%table_row, %%table_same, %%table_pairs;\n"
        "    .reg .b64 %%row, %%same, %%pairs, %%steps, %%walk, %%quads, %%halves, %%mine_in_rows;\n"
        "    .shared .b32 table[%d];\n",
        2 * MAX_BYTES);
    add(w,
        "    mov.u32 %%t1, %%tid.x;\n    mov.u32 %%table_same, table;\n    mad.lo.u32 %%table_row, %%t1, 4, "
        "%%table_same;\n"
        "    st.shared.u32 [%%table_row], %%t1;\n    shr.u32 %%half, %%t1, 4;\n    and.b32 %%inside, %%t1, 15;\n"
        "    mad.lo.u32 %%table_pairs, %%inside, 4, %%table_same;\n    mad.lo.u32 %%table_pairs, %%half, %u, "
        "%%table_pairs;\n"
        "    ld.param.u64 %%same, [inputs];\n    mad.wide.u32 %%row, %%t1, 4, %%same;\n"
        "    mad.wide.u32 %%halves, %%t1, 2, %%same;\n    mad.wide.u32 %%quads, %%t1, 16, %%same;\n"
        "    mad.wide.u32 %%steps, %%half, %u, %%same;\n    mad.wide.u32 %%pairs, %%inside, 4, %%steps;\n"
        "    mov.u64 %%walk, %%row;\n    mov.u32 %%far, 0;\n    ld.param.u64 %%mine_in_rows, [outputs];\n"
        "    mad.wide.u32 %%mine_in_rows, %%t0, 8, %%mine_in_rows;\n"
        "    add.u64 %%mine_in_rows, %%mine_in_rows, %u;\n    bar.sync 0;\n",
        4 * below(w, 40), 4 * below(w, 100), 8 * RANDOM_WORDS * w->shape.threads);
}

static void add_begin(struct writer *w) {
    add(w,
        "    .reg .pred %%p<%d>, %%more;\n    .reg .b16 %%h<%d>;\n    .reg .b32 %%w<%d>, %%t<3>, %%c<%d>, %%mine, "
        "%%other;\n    .reg .b64 %%l<%d>, %%u, %%in, %%out;\n    .shared .b32 shared[%d];\n",
        PREDICATES, HALVES, WORDS, MAX_DEPTH + 2, LONGS, MAX_BYTES);
    add(w,
        "    mov.u32 %%t0, %%tid.x;\n    mov.u32 %%t1, %%ntid.x;\n    mov.u32 %%t2, %%ctaid.x;\n"
        "    mov.u32 %%mine, shared;\n    mad.lo.u32 %%mine, %%t0, 4, %%mine;\n    st.shared.u32 [%%mine], %%t0;\n"
        "    add.u32 %%other, %%t0, 37;\n    rem.u32 %%other, %%other, %%t1;\n    mov.u32 %%c0, shared;\n"
        "    mad.lo.u32 %%other, %%other, 4, %%c0;\n    mad.lo.u32 %%t0, %%t2, %%t1, %%t0;\n"
        "    mul.wide.u32 %%u, %%t0, %d;\n    ld.param.u64 %%in, [inputs];\n    add.u64 %%in, %%in, %%u;\n"
        "    ld.param.u64 %%out, [outputs];\n    add.u64 %%out, %%out, %%u;\n",
        8 * RANDOM_WORDS);
    add_regular_begin(w);
    unsigned slot = 0;
    for (int i = 0; i < WORDS; i++)
        add(w, "    ld.global.b32 %%w%d, [%%in+%u];\n", i, 8 * slot++);
    for (int i = 0; i < LONGS; i++)
        add(w, "    ld.global.b64 %%l%d, [%%in+%u];\n", i, 8 * slot++);
    for (int i = 0; i < HALVES; i++)
        add(w, "    ld.global.b16 %%h%d, [%%in+%u];\n", i, 8 * slot++);
    for (int i = 0; i < PREDICATES; i++)
        add(w, "    ld.global.b32 %%t0, [%%in+%u];\n    and.b32 %%t0, %%t0, 1;\n    setp.ne.u32 %%p%d, %%t0, 0;\n",
            8 * slot++, i);
}

static void add_end(struct writer *w) {
    unsigned slot = 0;
    for (int i = 0; i < WORDS; i++)
        add(w, "    st.global.b32 [%%out+%u], %%w%d;\n", 8 * slot++, i);
    for (int i = 0; i < LONGS; i++)
        add(w, "    st.global.b64 [%%out+%u], %%l%d;\n", 8 * slot++, i);
    for (int i = 0; i < HALVES; i++)
        add(w, "    st.global.b16 [%%out+%u], %%h%d;\n", 8 * slot++, i);
    for (int i = 0; i < PREDICATES; i++)
        add(w, "    selp.u32 %%t0, 1, 0, %%p%d;\n    st.global.b32 [%%out+%u], %%t0;\n", i, 8 * slot++);
}

size_t random_kernel(const struct plan *plans, size_t plan_count, struct random *r, struct random_shape shape,
                     const char *name, char *out, size_t room) {
    struct writer w = {.out = out, .room = room, .r = r, .plans = plans, .plan_count = plan_count, .shape = shape};
    add(&w, ".visible .entry %s(.param .u64 inputs, .param .u64 outputs)\n{\n", name);
    add_begin(&w);
    add_statements(&w, 25);
    add_end(&w);
    add(&w, "    ret;\n}\n");
    return w.used;
}

void random_inputs(struct random *r, uint64_t *inputs, size_t threads) {
    static const enum value_kind kinds[] = {VALUE_F32,   VALUE_F32,   VALUE_F32,  VALUE_F64,
                                            VALUE_F16X2, VALUE_INT32, VALUE_INT64};
    for (size_t i = 0; i < threads * RANDOM_WORDS; i++) {
        enum value_kind kind = kinds[random_next(r) % (sizeof kinds / sizeof *kinds)];
        switch (random_next(r) % 4) {
        case 0:
            inputs[i] = value_everyday(kind, r);
            break;
        case 1:
            inputs[i] = value_random(kind, r);
            break;
        default:
            inputs[i] = value_edge(kind, random_next(r) % value_edge_count(kind));
        }
    }
}
