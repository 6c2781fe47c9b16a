/* Finds the instructions that may touch registers of wgmma at a wrong time: see products.h.
 *
 * A state records for each register how many groups have been committed since a product that writes it, or reads it,
 * was issued, and which instructions have touched it since the last wgmma.fence. The code is traversed from top to
 * bottom with it, again and again; at a label it joins the states of the branches that lead there, until no label's
 * state changes. */
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/products.h"
#include "isa/instruction.h"
#include "machine/code.h"
#include "ops/wgmma.h"

#define OVER       0xff /* no product with this register is in flight */
#define OLDEST     8    /* groups that are distinguished */
#define MOST_STEPS 64   /* passes over the code */
#define NOBODY     (~0u)

enum { WRITTEN_BY, READ_BY }; /* a product */

struct one_register {
    uint8_t age[2];       /* groups committed since, or OVER */
    uint64_t products[2]; /* which of them, modulo 64 */
    /* instructions that have touched it since the last fence, or NOBODY; the first bit: it is a write */
    uint32_t touched[2];
};

struct finder {
    const struct code *code;
    struct products *out;
    const struct ptx_register **registers; /* that are watched: a hash table of their numbers, from 1 on */
    uint32_t *register_numbers;
    uint32_t capacity, count;
    struct one_register *now;
    bool dead;                    /* not reached from above */
    struct one_register **labels; /* by insn.index */
    bool changed, finished;
};

/* ---- registers ---- */

static uint32_t *number_slot(const struct finder *f, const struct ptx_register *r) {
    /* Multiplicative hashing of the pointer, with linear probing. The table has room for twice as many registers as
     * the code names (products_find), so a free slot is always found. Looking one up also makes its entry, with
     * number 0. */
    for (uint64_t at = (uint64_t)(uintptr_t)r * 0x9e3779b97f4a7c15u >> 40;; at++) {
        uint32_t i = (uint32_t)at & (f->capacity - 1);
        if (!f->registers[i] || f->registers[i] == r) {
            f->registers[i] = r;
            return &f->register_numbers[i];
        }
    }
}

/* NULL: it is not watched. */
static struct one_register *state_of(const struct finder *f, const struct ptx_operand *o) {
    uint32_t number = o->kind == OPERAND_REGISTER ? *number_slot(f, o->reg) : 0;
    return number ? &f->now[number - 1] : NULL;
}

static bool watch_register(struct finder *f, const struct ptx_operand *o) {
    uint32_t *number = o->kind == OPERAND_REGISTER ? number_slot(f, o->reg) : NULL;
    if (!number || *number)
        return false;
    *number = ++f->count;
    return true;
}

static bool is_register_copy(const struct ptx_insn *p) {
    return p->row->decoding == DECODING_mov && p->operands[0].kind == OPERAND_REGISTER;
}

static bool is_product(const struct ptx_insn *p) {
    return p->row->memory == MEMORY_DESCRIPTORS;
}

/* The PTX instruction, if this is the last one that was decoded from it. */
static const struct ptx_insn *ends_at(const struct finder *f, uint32_t i) {
    const struct ptx_insn *p = f->code->sources[i];
    /* Decode may have made several instructions of one; sources[] has it for each. Effects count at the last. */
    return p && p->opcode && (i + 1 == f->code->count || f->code->sources[i + 1] != p) ? p : NULL;
}

/* The accumulators and A's fragments, and what is copied from and to them. */
static void find_registers(struct finder *f) {
    for (uint32_t i = 0; i < f->code->count; i++) {
        const struct ptx_insn *p = ends_at(f, i);
        for (unsigned o = 0; p && is_product(p) && o < 2; o++)
            for (unsigned k = 0; p->operands[o].kind == OPERAND_VECTOR && k < p->operands[o].count; k++)
                watch_register(f, &p->operands[o].items[k]);
    }
    /* Copies of copies, until no more are found. Everything else (loads, arithmetic) uses the register, and ends the
     * chain. */
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < f->code->count; i++) {
            const struct ptx_insn *p = ends_at(f, i);
            if (!p || !is_register_copy(p) || p->operands[1].kind != OPERAND_REGISTER)
                continue;
            if (*number_slot(f, p->operands[1].reg))
                more |= watch_register(f, &p->operands[0]);
            else if (*number_slot(f, p->operands[0].reg))
                more |= watch_register(f, &p->operands[1]);
        }
    }
}

/* ---- states ---- */

static void join_touched(struct one_register *to, uint32_t who, bool *changed) {
    if (who == NOBODY || to->touched[0] == who || to->touched[1] == who)
        return;
    int k = to->touched[0] == NOBODY ? 0 : 1;
    if (to->touched[k] != NOBODY)
        return; /* two of them are enough */
    to->touched[k] = who;
    *changed = true;
}

static void join_register(struct one_register *to, const struct one_register *from, bool *changed) {
    for (int k = 0; k < 2; k++) {
        uint64_t products = to->products[k] | from->products[k];
        /* The youngest: fewer groups committed since means that a wait must leave fewer, so a wait that is safe for it
         * is safe for both paths. The products of both may be in flight. */
        uint8_t age = from->age[k] < to->age[k] ? from->age[k] : to->age[k];
        *changed |= age != to->age[k] || products != to->products[k];
        to->age[k] = age;
        to->products[k] = products;
        join_touched(to, from->touched[k], changed);
    }
}

static const struct one_register untouched = {{OVER, OVER}, {0, 0}, {NOBODY, NOBODY}};

static void forget_all(struct finder *f, struct one_register *to) {
    for (uint32_t r = 0; r < f->count; r++)
        to[r] = untouched;
}

/* The current state also reaches that label. */
static void leads_to(struct finder *f, uint32_t target) {
    if (!f->labels[target]) {
        f->labels[target] = zeroed(f->count, sizeof *f->now);
        forget_all(f, f->labels[target]);
        f->changed = true;
    }
    /* Joining only ever adds: ages sink, products and touches are added, each from a finite set. So the iteration over
     * the code terminates; MOST_STEPS cuts it short where it would take too long, and then nothing is reported. */
    for (uint32_t r = 0; r < f->count; r++)
        join_register(&f->labels[target][r], &f->now[r], &f->changed);
}

static void come_to(struct finder *f, uint32_t i) {
    bool ignored = false;
    if (!f->labels[i])
        return;
    /* No path from above, so only the label's own state counts; otherwise both. */
    if (f->dead)
        forget_all(f, f->now);
    f->dead = false;
    for (uint32_t r = 0; r < f->count; r++)
        join_register(&f->now[r], &f->labels[i][r], &ignored);
}

/* ---- findings ---- */

static struct product_site *site(struct products *out, uint32_t insn) {
    if (!out->site_of[insn]) {
        out->sites = or_out_of_memory(realloc(out->sites, (out->site_count + 1) * sizeof *out->sites));
        out->sites[out->site_count] = (struct product_site){.insn = insn};
        out->site_of[insn] = ++out->site_count;
    }
    return &out->sites[out->site_of[insn] - 1];
}

static void suspect(struct finder *f, uint32_t insn, uint64_t products, bool writes) {
    /* While states still grow, a suspicion may lack products. When they have settled, the code is traversed one more
     * time, and only in that pass are sites made. */
    if (!f->finished)
        return;
    struct product_site *s = site(f->out, insn);
    s->products |= products;
    s->writes |= writes;
}

static void note_pair(struct finder *f, uint32_t touch, uint32_t product) {
    struct products *out = f->out;
    if (!f->finished || touch == NOBODY)
        return;
    site(out, touch >> 1);
    struct product_pair new = {out->site_of[touch >> 1] - 1, product, touch & 1};
    /* The pairs of one product are consecutive: searched from the end, as long as they are of this product. */
    for (uint32_t k = out->pair_count; k-- > 0 && out->pairs[k].product == product;)
        if (out->pairs[k].site == new.site)
            return;
    out->pairs = or_out_of_memory(realloc(out->pairs, (out->pair_count + 1) * sizeof *out->pairs));
    out->pairs[out->pair_count++] = new;
}

/* ---- instructions ---- */

static void use_operand(struct finder *f, uint32_t i, const struct ptx_operand *o, bool write) {
    bool changed;
    if (o->kind == OPERAND_ADDRESS && o->reg) {
        struct ptx_operand base = {.kind = OPERAND_REGISTER, .reg = o->reg};
        use_operand(f, i, &base, false);
    }
    for (unsigned k = 0; (o->kind == OPERAND_VECTOR || o->kind == OPERAND_LIST) && k < o->count; k++)
        use_operand(f, i, &o->items[k], write);
    struct one_register *r = state_of(f, o);
    if (!r)
        return;
    if (r->age[WRITTEN_BY] != OVER)
        suspect(f, i, r->products[WRITTEN_BY], write);
    if (write && r->age[READ_BY] != OVER)
        suspect(f, i, r->products[READ_BY], true);
    if (write)
        *r = untouched;
    join_touched(r, i << 1 | write, &changed);
}

/* A copied register is still in flight. An immediate is not a copy but a write. */
static void copy_register(struct finder *f, uint32_t i, const struct ptx_insn *p) {
    struct one_register *to = state_of(f, &p->operands[0]);
    const struct one_register *from = state_of(f, &p->operands[1]);
    if (!to || (from && to == from))
        return;
    bool under_way = from && from->age[WRITTEN_BY] != OVER;
    if (!under_way && to->age[WRITTEN_BY] != OVER)
        suspect(f, i, to->products[WRITTEN_BY], true);
    if (!under_way && to->age[READ_BY] != OVER)
        suspect(f, i, to->products[READ_BY], true);
    *to = from ? *from : untouched;
}

static void issue_operand(struct finder *f, const struct ptx_operand *o, uint32_t i, int how, uint64_t product) {
    for (unsigned k = 0; o->kind == OPERAND_VECTOR && k < o->count; k++) {
        struct one_register *r = state_of(f, &o->items[k]);
        if (!r)
            continue;
        /* Another product is still writing A's fragment. For accumulators that is allowed: wgmmas of one shape into the
         * same registers need no wait in between. */
        if (how == READ_BY && r->age[WRITTEN_BY] != OVER)
            suspect(f, i, r->products[WRITTEN_BY], false);
        note_pair(f, r->touched[0], i);
        note_pair(f, r->touched[1], i);
        r->age[how] = 0;
        r->products[how] = product;
    }
}

static void issue_product(struct finder *f, uint32_t i, const struct ptx_insn *p) {
    uint64_t bit = (uint64_t)1 << (f->out->numbers[i] - 1) % 64;
    issue_operand(f, &p->operands[1], i, READ_BY, bit);
    issue_operand(f, &p->operands[0], i, WRITTEN_BY, bit);
}

static void fence(struct finder *f) {
    for (uint32_t r = 0; r < f->count; r++)
        f->now[r].touched[0] = f->now[r].touched[1] = NOBODY;
}

/* left: after a wait for all but that many groups; a commit makes all of them older. */
static void groups(struct finder *f, bool commit, int64_t left) {
    for (uint32_t r = 0; r < f->count; r++)
        for (int k = 0; k < 2; k++) {
            struct one_register *now = &f->now[r];
            if (now->age[k] == OVER)
                continue;
            /* A commit makes everything one group older, up to OLDEST, beyond which groups are not distinguished.
             * wait_group N leaves the newest N: registers of age 1 to N may be in flight. Age 0 belongs to no group
             * yet, and no wait covers it. */
            now->age[k] = (uint8_t)(now->age[k] + (commit && now->age[k] < OLDEST));
            if (!commit && now->age[k] > left) {
                now->age[k] = OVER;
                now->products[k] = 0;
            }
        }
}

static void use_operands(struct finder *f, uint32_t i, const struct ptx_insn *p) {
    /* Sources first, then the destination: it may be among them. */
    bool writes = p->row->first != FIRST_READ && p->operand_count;
    for (unsigned k = writes; k < p->operand_count; k++)
        use_operand(f, i, &p->operands[k], false);
    if (writes)
        use_operand(f, i, &p->operands[0], true);
}

static void step(struct finder *f, uint32_t i, const struct ptx_insn *p) {
    switch ((enum ordering)p->row->order) {
    case ORDER_PRODUCT_FENCE:
        fence(f);
        break;
    case ORDER_PRODUCT_COMMIT:
        groups(f, true, 0);
        break;
    case ORDER_PRODUCT_WAIT:
        groups(f, false, p->operands[0].value);
        break;
    default:
        is_product(p) ? issue_product(f, i, p) : is_register_copy(p) ? copy_register(f, i, p) : use_operands(f, i, p);
    }
}

static void follow_successors(struct finder *f, uint32_t i) {
    const struct insn *in = &f->code->insns[i];
    const struct branch_table *table = in->extra;
    if (in->effect == EFFECT_BRANCH || in->effect == EFFECT_BRANCH_IF)
        leads_to(f, in->target->index);
    for (uint32_t k = 0; in->effect == EFFECT_BRANCH_TABLE && k < table->count; k++)
        leads_to(f, table->insns[k]);
    f->dead |= in->effect == EFFECT_BRANCH || in->effect == EFFECT_BRANCH_TABLE || in->effect == EFFECT_EXIT ||
               in->effect == EFFECT_TRAP || in->effect == EFFECT_RETURN;
}

static void go_through(struct finder *f) {
    f->dead = false;
    forget_all(f, f->now);
    for (uint32_t i = 0; i < f->code->count; i++) {
        /* After a jump, and without a label that any branch has led to yet: unreachable as far as is known. */
        come_to(f, i);
        if (f->dead)
            continue;
        const struct ptx_insn *p = ends_at(f, i);
        if (p)
            step(f, i, p);
        follow_successors(f, i);
    }
}

/* ---- the whole ---- */

static void number_products(struct finder *f) {
    f->out->numbers = zeroed(f->code->count + 1, sizeof *f->out->numbers);
    f->out->site_of = zeroed(f->code->count + 1, sizeof *f->out->site_of);
    for (uint32_t i = 0; i < f->code->count; i++) {
        const struct ptx_insn *p = ends_at(f, i);
        if (p && is_product(p))
            f->out->numbers[i] = ++f->out->count;
    }
}

static uint32_t registers_named(const struct code *code) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < code->count; i++)
        for (unsigned k = 0; code->sources[i] && k < code->sources[i]->operand_count; k++)
            n += 1u + code->sources[i]->operands[k].count;
    return n;
}

static void iterate(struct finder *f) {
    f->now = zeroed(f->count, sizeof *f->now);
    f->labels = zeroed(f->code->count + 1, sizeof *f->labels);
    f->changed = true;
    for (int i = 0; f->changed && i < MOST_STEPS; i++) {
        f->changed = false;
        go_through(f);
    }
    f->finished = !f->changed;
    go_through(f);
    for (uint32_t i = 0; i < f->code->count; i++)
        free(f->labels[i]);
    free(f->now);
    free(f->labels);
}

struct products *products_find(const struct kernel *kernel) {
    struct finder f = {.code = &kernel->code, .out = zeroed(1, sizeof *f.out), .capacity = 64};
    number_products(&f);
    if (!f.out->count) {
        free(f.out->numbers);
        free(f.out->site_of);
        free(f.out);
        return NULL;
    }
    while (f.capacity < 2 * registers_named(f.code))
        f.capacity *= 2;
    f.registers = zeroed(f.capacity, sizeof *f.registers);
    f.register_numbers = zeroed(f.capacity, sizeof *f.register_numbers);
    find_registers(&f);
    if (!kernel->ptx->module->debug)
        iterate(&f);
    free(f.registers);
    free(f.register_numbers);
    return f.out;
}
