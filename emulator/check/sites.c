/* See sites.h. */
#include "check/sites.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/order.h"
#include "check/unavoidable.h"
#include "check/watch.h"
#include "isa/instruction.h"
#include "ptx/opcode.h"
#include "ops/async.h"

static bool any_of(const char *opcode, const char *const *modifiers) {
    for (; *modifiers; modifiers++)
        if (opcode_has(opcode, *modifiers))
            return true;
    return false;
}

static uint8_t order_flags(const char *opcode, const struct access *a) {
    static const char *const strong[] = {"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", NULL};
    static const char *const acquires[] = {"acquire", "acq_rel", NULL};
    static const char *const releases[] = {"release", "acq_rel", NULL};
    bool atomic = a && a->kind == ACCESS_ATOMIC;
    uint8_t flags = 0;
    if (atomic || any_of(opcode, strong))
        flags |= SITE_STRONG;
    if (any_of(opcode, acquires))
        flags |= SITE_ACQUIRE;
    if (any_of(opcode, releases))
        flags |= SITE_RELEASE;
    /* .shared::cta names a space; a scope is a word of its own */
    if (opcode_has(opcode, "cta") && (flags & SITE_STRONG))
        flags |= SITE_BLOCK_SCOPE;
    return flags;
}

/* ---- what an instruction is to the checks ---- */

/* By what it does, and how strong it is in itself. */
static const struct {
    uint8_t kind, flags;
} by_effect[EFFECT_END] = {
    [EFFECT_ACCESS] = {SITE_ACCESS, 0},
    [EFFECT_COPY_READ] = {SITE_COPY_READ, 0},
    [EFFECT_COPY_WRITE] = {SITE_COPY_WRITE, 0},
    [EFFECT_BULK_READ] = {SITE_BULK, 0},
    [EFFECT_BULK_WRITE] = {SITE_BULK, 0},
    [EFFECT_MATRIX_ROWS] = {SITE_ROWS, 0},
    [EFFECT_TILE] = {SITE_LINES, 0},
    [EFFECT_BARRIER] = {SITE_BARRIER, 0},
    [EFFECT_CLUSTER_ARRIVE] = {SITE_CLUSTER_ARRIVE, 0},
    [EFFECT_CLUSTER_WAIT] = {SITE_CLUSTER_WAIT, 0},
    [EFFECT_FENCE] = {SITE_FENCE, 0},
    [EFFECT_MBARRIER_INIT] = {SITE_MBARRIER_INIT, 0},
    [EFFECT_MBARRIER_ARRIVE] = {SITE_MBARRIER_ARRIVE, SITE_STRONG | SITE_RELEASE},
    [EFFECT_MBARRIER_WAIT] = {SITE_MBARRIER_WAIT, SITE_STRONG | SITE_ACQUIRE},
};

/* Groups of copies are all there at once here, so their instructions do nothing but to order. */
static uint8_t copy_group(const struct instruction *row) {
    return row->order == ORDER_COPY_COMMIT     ? SITE_COMMIT
           : row->order == ORDER_COPY_WAIT     ? SITE_WAIT
           : row->order == ORDER_COPY_WAIT_ALL ? SITE_WAIT_ALL
                                               : SITE_NOTHING;
}

static uint8_t groups_left(const struct ptx_insn *p) {
    int64_t groups = p->operand_count ? p->operands[0].value : 0;
    return (uint8_t)(groups < 8 ? groups : 8);
}

/* cp.reduce is made of atomic operations. */
static void bulk_flags(const struct insn *in, struct site *s) {
    const struct bulk *k = in->extra;
    if (s->kind == SITE_BULK && k->reduces)
        s->flags |= SITE_STRONG;
}

static struct site classify(const struct insn *in, const struct ptx_insn *p) {
    struct site s = {0};
    if (!p || !p->opcode || p->row->watching == UNWATCHED)
        return s;
    s.kind = by_effect[in->effect].kind;
    s.flags = by_effect[in->effect].flags;
    if (in->effect == EFFECT_NOTHING) {
        s.kind = copy_group(p->row);
        s.value = s.kind ? groups_left(p) : 0;
    } else if (s.kind == SITE_ACCESS) {
        s.flags = order_flags(p->opcode, in->extra);
    } else if (p->row->order == ORDER_MBARRIER_COPIES) {
        s.kind = SITE_MBARRIER_COPIES;
        s.flags = SITE_STRONG | SITE_RELEASE;
    } else if (in->effect == EFFECT_NONE && p->row->lanes == LANES_MEET) {
        s.kind = SITE_MEET;
        s.flags = p->row->order == ORDER_WARP ? SITE_NOTES_MASK : 0;
    }
    bulk_flags(in, &s);
    return s;
}

/* The address of a variable that the instruction names, itself or by a register that holds nothing else; 0: it does not. */
static uint64_t named_address(const struct kernel *k, const struct insn *in) {
    const struct access *x = in->extra;
    if (!x->address_bits)
        return (uint64_t)in->imm;
    for (uint32_t i = 0; i < k->constant_count; i++)
        if (k->constants[i].slot == x->address_reg && k->constants[i].bits == x->address_bits)
            return k->constants[i].value + (uint64_t)in->imm;
    return 0;
}

/* `old = *p; do ... while (atomicCAS(p, old, new) != old)`: the plain read only guesses, and the atomic finds out. */
static bool guesses(const struct kernel *k, const struct insn *a, const struct insn *b) {
    const struct access *x = a->extra, *y = b->extra;
    bool same =
        x->address_bits && x->address_reg == y->address_reg && x->address_bits == y->address_bits && a->imm == b->imm;
    uint64_t named = same ? 0 : named_address(k, a);
    return y->kind == ACCESS_LOAD && x->bytes == y->bytes &&
           (same || (named && x->space == y->space && named == named_address(k, b)));
}

#define GUESS_DISTANCE 200 /* instructions */

static void find_guesses(struct sites *all, const struct kernel *k) {
    for (uint32_t i = 0; i < k->code.count; i++) {
        if (all->items[i].kind != SITE_ACCESS || !opcode_has(k->code.sources[i]->opcode, "cas"))
            continue;
        for (uint32_t j = i < GUESS_DISTANCE ? 0 : i - GUESS_DISTANCE; j < i; j++)
            if (all->items[j].kind == SITE_ACCESS && guesses(k, &k->code.insns[i], &k->code.insns[j]))
                all->items[j].flags |= SITE_STRONG;
    }
}

/* A loop that stores nothing and only looks, from a load to the branch back: it waits for somebody. */
static bool is_waited_for(const struct kernel *k, const struct sites *all, uint32_t load) {
    for (uint32_t i = load; i < k->code.count && i < load + GUESS_DISTANCE; i++) {
        const struct insn *in = &k->code.insns[i];
        const struct access *a = in->extra;
        bool branch = in->effect == EFFECT_BRANCH || in->effect == EFFECT_BRANCH_IF;
        if (branch && in->target->index <= load)
            return true;
        if ((all->items[i].kind == SITE_ACCESS && a->kind != ACCESS_LOAD) || all->items[i].kind == SITE_BARRIER)
            return false;
    }
    return false;
}

static void find_in_step(struct sites *all, const struct kernel *k) {
    for (uint32_t i = 0; i < k->code.count; i++) {
        const struct access *a = k->code.insns[i].extra;
        if (all->items[i].kind != SITE_ACCESS || !opcode_has(k->code.sources[i]->opcode, "volatile"))
            continue;
        if (a->kind == ACCESS_STORE || (a->kind == ACCESS_LOAD && !is_waited_for(k, all, i)))
            all->items[i].flags |= SITE_IN_STEP;
    }
}

static void note_unit(struct sites *all, const struct site *s, const struct insn *in) {
    const struct access *a = in->extra;
    if (s->kind != SITE_ACCESS || (a->space != SPACE_SHARED && a->space != SPACE_GENERIC))
        return;
    if (a->bytes < all->unit)
        all->unit = a->bytes;
}

static uint32_t mark_of(const struct insn *in, const struct site *s) {
    uint32_t number = in->index < 1u << 18 ? in->index : (1u << 18) - 1, mark = number << MARK_SITE_SHIFT;
    mark |= s->flags & SITE_STRONG ? MARK_STRONG : 0;
    mark |= s->flags & SITE_BLOCK_SCOPE ? MARK_BLOCK_SCOPE : 0;
    mark |= s->kind == SITE_COPY_WRITE ? MARK_COPY : 0;
    return mark;
}

static bool loads_words(const struct insn *in, const struct site *s) {
    const struct access *a = in->extra;
    return s->kind == SITE_ACCESS && !(s->flags & SITE_STRONG) && a->kind == ACCESS_LOAD && a->count == 1 &&
           a->bytes == 4 && a->reg_bits == 32 && a->regs[0] != ~0u;
}

static struct watched_access constants_of(const struct kernel *k, const struct site *s, const struct insn *in) {
    const struct access *a = in->extra;
    const struct ptx_variable *v = s->variable;
    struct watched_access x = {(uint32_t)a->bytes * a->count, s->mark, k->reserved_shared, ~0u};
    if (MARK_SITE(s->mark) != in->index) /* too long a kernel for marks: the quickest way is not for it */
        x.end = 0;
    if (v) {
        x.begin = (uint32_t)v->address > x.begin ? (uint32_t)v->address : x.begin;
        x.end = x.end ? (uint32_t)(v->address + v->size) : 0;
    }
    return x;
}

static void take_over(const struct kernel *k, struct site *s, struct insn *in) {
    s->mark = mark_of(in, s);
    if (s->kind == SITE_ACCESS)
        s->constants = constants_of(k, s, in);
    s->flags |= loads_words(in, s) ? SITE_WORDS : 0;
    s->run = in->run;
    in->run = watch_operation(s, in);
}

static bool is_for_all(const struct insn *in) {
    return in->effect == EFFECT_BARRIER && in->kind != BARRIER_ARRIVE && !(in->kind & BARRIER_UNALIGNED);
}

/* Barriers that nobody can avoid get their numbers. */
static void number_barriers(struct sites *all, const struct kernel *k) {
    uint8_t *numbers = calloc(k->code.count + 1, 1);
    if (!numbers)
        abort();
    all->unavoidable = find_unavoidable(&k->code, is_for_all, numbers);
    for (uint32_t i = 0; i < k->code.count; i++)
        if (numbers[i])
            all->items[i].value = numbers[i];
    free(numbers);
}

static struct sites *sites_make(struct kernel *k) {
    struct sites *all = calloc(1, sizeof *all + k->code.count * sizeof *all->items);
    if (!all)
        abort();
    all->unit = 4;
    for (uint32_t i = 0; i < k->code.count; i++) {
        all->items[i] = classify(&k->code.insns[i], k->code.sources[i]);
        note_unit(all, &all->items[i], &k->code.insns[i]);
    }
    find_guesses(all, k);
    find_in_step(all, k);
    sites_find_variables(k, all);
    number_barriers(all, k);
    for (uint32_t i = 0; i < k->code.count; i++)
        if (all->items[i].kind != SITE_NOTHING)
            take_over(k, &all->items[i], &k->code.insns[i]);
    return all;
}

const struct sites *sites_of(const struct kernel *kernel) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct kernel *owner = (struct kernel *)(uintptr_t)kernel; /* it keeps what is made for it */
    pthread_mutex_lock(&lock);
    if (!owner->sites)
        owner->sites = sites_make(owner);
    pthread_mutex_unlock(&lock);
    return owner->sites;
}
