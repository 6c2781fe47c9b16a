/* Chooses the probes of a kernel's instructions. */
#include "check/probes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/order.h"
#include "check/products.h"
#include "check/unavoidable.h"
#include "check/watch.h"
#include "isa/instruction.h"
#include "ops/async.h"
#include "ptx/opcode.h"

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
        flags |= PROBE_STRONG;
    if (any_of(opcode, acquires))
        flags |= PROBE_ACQUIRE;
    if (any_of(opcode, releases))
        flags |= PROBE_RELEASE;
    /* .shared::cta names a space; a scope is a word of its own */
    if (opcode_has(opcode, "cta") && (flags & PROBE_STRONG))
        flags |= PROBE_BLOCK_SCOPE;
    return flags;
}

/* what an instruction means to the checks */

/* By the instruction's effect; flags are those of the effect itself. */
static const struct {
    uint8_t kind, flags;
} by_effect[EFFECT_END] = {
    [EFFECT_ACCESS] = {PROBE_ACCESS, 0},
    [EFFECT_COPY_READ] = {PROBE_COPY_READ, 0},
    [EFFECT_COPY_WRITE] = {PROBE_COPY_WRITE, 0},
    [EFFECT_BULK_READ] = {PROBE_BULK, 0},
    [EFFECT_BULK_WRITE] = {PROBE_BULK, 0},
    [EFFECT_MATRIX_ROWS] = {PROBE_ROWS, 0},
    [EFFECT_TILE] = {PROBE_LINES, 0},
    [EFFECT_DESCRIPTORS] = {PROBE_PIECES, 0},
    [EFFECT_BARRIER] = {PROBE_BARRIER, 0},
    [EFFECT_CLUSTER_ARRIVE] = {PROBE_CLUSTER_ARRIVE, 0},
    [EFFECT_CLUSTER_WAIT] = {PROBE_CLUSTER_WAIT, 0},
    [EFFECT_FENCE] = {PROBE_FENCE, 0},
    [EFFECT_MBARRIER_INIT] = {PROBE_MBARRIER_INIT, 0},
    [EFFECT_MBARRIER_ARRIVE] = {PROBE_MBARRIER_ARRIVE, PROBE_STRONG | PROBE_RELEASE},
    [EFFECT_MBARRIER_MULTICAST] = {PROBE_MBARRIER_MULTICAST, PROBE_STRONG | PROBE_RELEASE | PROBE_PROXY},
    [EFFECT_MBARRIER_WAIT] = {PROBE_MBARRIER_WAIT, PROBE_STRONG | PROBE_ACQUIRE},
};

/* Copies and products are done at once here, so the instructions of their groups only order. */
static uint8_t group_probe(const struct instruction *row) {
    static const uint8_t kinds[] = {[ORDER_COPY_COMMIT] = PROBE_COMMIT,
                                    [ORDER_COPY_WAIT] = PROBE_WAIT,
                                    [ORDER_COPY_WAIT_ALL] = PROBE_WAIT_ALL,
                                    [ORDER_BULK_COMMIT] = PROBE_BULK_COMMIT,
                                    [ORDER_BULK_WAIT] = PROBE_BULK_WAIT,
                                    [ORDER_PRODUCT_FENCE] = PROBE_PRODUCT_FENCE,
                                    [ORDER_PRODUCT_COMMIT] = PROBE_PRODUCT_COMMIT,
                                    [ORDER_PRODUCT_WAIT] = PROBE_PRODUCT_WAIT,
                                    [ORDER_REGISTERS] = PROBE_REGISTERS,
                                    [ORDER_GRIDS] = PROBE_GRIDS};
    return row->order < sizeof kinds ? kinds[row->order] : PROBE_NOTHING;
}

static uint8_t groups_left(const struct ptx_insn *p) {
    int64_t groups = p->operand_count ? p->operands[0].value : 0;
    return (uint8_t)(groups < 8 ? groups : 8);
}

static bool is_store_async(const struct ptx_insn *p) {
    return p->row->memory == MEMORY_ASYNC_STORE;
}

/* fence.proxy.async, and the arrival that is part of a bulk copy or of st.async. */
static uint8_t proxy_flag(const struct ptx_insn *p) {
    bool fence = opcode_has(p->opcode, "proxy") && strstr(p->opcode, ".async");
    return fence || p->row->memory == MEMORY_BULK_COPY || is_store_async(p) ? PROBE_PROXY : 0;
}

/* cp.reduce.async.bulk consists of atomic operations. */
static void bulk_flags(const struct insn *in, struct probe *s) {
    const struct bulk *k = in->extra;
    if (s->kind == PROBE_BULK && k->reduces)
        s->flags |= PROBE_STRONG;
}

static struct probe classify(const struct insn *in, const struct ptx_insn *p) {
    struct probe s = {0};
    if (!p || !p->opcode || p->row->probing == NOT_PROBED)
        return s;
    s.kind = by_effect[in->effect].kind;
    s.flags = by_effect[in->effect].flags;
    /* An instruction that only orders, as its row states. What is left of it after decode need not be one operation. */
    if (group_probe(p->row)) {
        s.kind = group_probe(p->row);
        s.value = groups_left(p);
        s.flags = s.kind == PROBE_BULK_WAIT && !opcode_has(p->opcode, "read") ? PROBE_STRONG : 0;
        if (s.kind == PROBE_REGISTERS) {
            s.value = (uint8_t)(p->operands[0].value / 8);
            s.flags = opcode_has(p->opcode, "inc") ? PROBE_ACQUIRE : PROBE_RELEASE;
        }
    } else if (s.kind == PROBE_ACCESS) {
        s.flags = order_flags(p->opcode, in->extra);
    } else if (p->row->order == ORDER_MBARRIER_COPIES) {
        s.kind = PROBE_MBARRIER_COPIES;
        s.flags = PROBE_STRONG | PROBE_RELEASE;
    } else if (in->effect == EFFECT_NONE && p->row->lanes == LANES_SYNC) {
        s.kind = PROBE_WARP_SYNC;
        /* bar.warp.sync names its members; mma.sync and its like are executed by all lanes that are active. */
        s.flags = p->row->order == ORDER_WARP ? PROBE_NOTES_MASK : 0;
    }
    bulk_flags(in, &s);
    if (s.kind == PROBE_FENCE || s.kind == PROBE_MBARRIER_ARRIVE)
        s.flags |= proxy_flag(p);
    return s;
}

/* The address of a variable that the instruction names, itself or by a register that holds nothing else; 0: it does
 * not. */
static uint64_t named_address(const struct kernel *k, const struct insn *in) {
    const struct access *x = in->extra;
    unsigned shared = x->address_bits == 32 ? FRAME_SHARED_32 : FRAME_SHARED_64;
    if (!x->address_bits)
        return (uint64_t)in->imm;
    for (uint32_t i = 0; i < k->constant_count; i++)
        if (k->constants[i].slot == x->address_reg &&
            (k->constants[i].bits == x->address_bits || k->constants[i].bits == shared))
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

static void find_guesses(struct probes *all, const struct kernel *k) {
    for (uint32_t i = 0; i < k->code.count; i++) {
        if (all->items[i].kind != PROBE_ACCESS || !opcode_has(k->code.sources[i]->opcode, "cas"))
            continue;
        for (uint32_t j = i < GUESS_DISTANCE ? 0 : i - GUESS_DISTANCE; j < i; j++)
            if (all->items[j].kind == PROBE_ACCESS && guesses(k, &k->code.insns[i], &k->code.insns[j]))
                /* Strong, so that it does not race with the atomics of others; it acquires nothing. */
                all->items[j].flags |= PROBE_STRONG;
    }
}

/* A loop that stores nothing and only reads, from a load to the branch back: it waits for another thread. */
static bool is_waited_for(const struct kernel *k, const struct probes *all, uint32_t load) {
    for (uint32_t i = load; i < k->code.count && i < load + GUESS_DISTANCE; i++) {
        const struct insn *in = &k->code.insns[i];
        const struct access *a = in->extra;
        bool branch = in->effect == EFFECT_BRANCH || in->effect == EFFECT_BRANCH_IF;
        /* Back to the load or before it, and nothing was stored on the way. */
        if (branch && in->target->index <= load)
            return true;
        if ((all->items[i].kind == PROBE_ACCESS && a->kind != ACCESS_LOAD) || all->items[i].kind == PROBE_BARRIER)
            return false;
    }
    return false;
}

static void find_in_step(struct probes *all, const struct kernel *k) {
    for (uint32_t i = 0; i < k->code.count; i++) {
        const struct access *a = k->code.insns[i].extra;
        if (all->items[i].kind != PROBE_ACCESS || !opcode_has(k->code.sources[i]->opcode, "volatile"))
            continue;
        if (a->kind == ACCESS_STORE || (a->kind == ACCESS_LOAD && !is_waited_for(k, all, i)))
            all->items[i].flags |= PROBE_IN_STEP;
    }
}

static void note_unit(struct probes *all, const struct probe *s, const struct insn *in) {
    const struct access *a = in->extra;
    if (s->kind != PROBE_ACCESS || (a->space != SPACE_SHARED && a->space != SPACE_GENERIC))
        return;
    /* A generic access counts as well, since it may go to shared memory. Shadow words of the smallest access keep
     * neighbours apart that different threads write. */
    if (a->bytes < all->unit)
        all->unit = a->bytes;
}

/* Does the asynchronous proxy read or write shared memory there, or write global memory, and is there a wait that ends
 * that? For a copy between blocks, an mbarrier reports that its data has been written. The data of st.async is complete
 * when its bytes have arrived, too. */
static bool is_async(const struct kernel *k, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    if (s->kind == PROBE_ACCESS)
        return a->kind == ACCESS_STORE && is_store_async(k->code.sources[in->index]);
    if (s->kind != PROBE_BULK || a->space == SPACE_GLOBAL)
        return s->kind == PROBE_PIECES || (s->kind == PROBE_BULK && a->kind == ACCESS_STORE);
    bool arrives = strstr(k->code.sources[in->index]->opcode, ".mbarrier::complete_tx");
    return arrives ? a->kind == ACCESS_STORE : a->kind == ACCESS_LOAD;
}

static uint32_t record_of(const struct kernel *k, const struct insn *in, const struct probe *s) {
    /* 18 bits. Beyond that all instructions share the last number, and a report may name another line. */
    uint32_t number = in->index < 1u << 18 ? in->index : (1u << 18) - 1, record = number << RECORD_INSN_SHIFT;
    record |= s->flags & PROBE_STRONG ? RECORD_STRONG : 0;
    record |= s->flags & PROBE_BLOCK_SCOPE ? RECORD_BLOCK_SCOPE : 0;
    record |= s->kind == PROBE_COPY_WRITE || is_async(k, in, s) ? RECORD_COPY : 0;
    return record;
}

static bool loads_words(const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    return s->kind == PROBE_ACCESS && !(s->flags & PROBE_STRONG) && a->kind == ACCESS_LOAD && a->count == 1 &&
           a->bytes == 4 && a->reg_bits == 32 && a->regs[0] != ~0u;
}

static struct probed_access constants_of(const struct kernel *k, const struct probe *s, const struct insn *in) {
    const struct access *a = in->extra;
    const struct ptx_variable *v = s->variable;
    struct probed_access x = {(uint32_t)a->bytes * a->count, s->record, k->reserved_shared, ~0u};
    if (RECORD_INSN(s->record) != in->index) /* the index does not fit into a record: no fastest path */
        x.end = 0;
    /* An address computed from one variable may only access that one, and the fastest path checks its bounds in
     * passing. */
    if (v) {
        x.begin = (uint32_t)v->address > x.begin ? (uint32_t)v->address : x.begin;
        x.end = x.end ? (uint32_t)(v->address + v->size) : 0;
    }
    return x;
}

static void instrument(const struct kernel *k, struct probe *s, struct insn *in) {
    s->record = record_of(k, in, s);
    if (s->kind == PROBE_ACCESS)
        s->constants = constants_of(k, s, in);
    s->flags |= loads_words(in, s) ? PROBE_WORDS : 0;
    s->handler = in->handler;
    in->handler = probe_handler(s, in);
}

static bool is_for_all(const struct insn *in) {
    return in->effect == EFFECT_BARRIER && in->kind != BARRIER_ARRIVE && !(in->kind & BARRIER_UNALIGNED);
}

/* Numbers the barriers that no thread can avoid. */
static void number_barriers(struct probes *all, const struct kernel *k) {
    uint8_t *numbers = zeroed(k->code.count + 1, 1);
    all->unavoidable = find_unavoidable(&k->code, is_for_all, numbers);
    for (uint32_t i = 0; i < k->code.count; i++)
        if (numbers[i])
            all->items[i].value = numbers[i];
    free(numbers);
}

static bool is_brief(const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    switch (in->effect) {
    case EFFECT_ACCESS:
        return a->space == SPACE_PARAM ||
               (a->space == SPACE_GLOBAL && a->kind != ACCESS_ATOMIC && !(s->flags & PROBE_STRONG));
    case EFFECT_BRANCH:
    case EFFECT_BRANCH_IF:
        return in->target->index > in->index;
    /* Effects before EFFECT_BRANCH compute, or do nothing. Of those after it only an exit is brief: others may wait,
     * synchronize, call, or access other memory. */
    default:
        return in->effect < EFFECT_BRANCH ? in->effect != EFFECT_PAUSE : in->effect == EFFECT_EXIT;
    }
}

static bool all_brief(const struct probes *all, const struct kernel *k) {
    enum { MOST = 1000 };
    bool brief = k->code.count <= MOST;
    for (uint32_t i = 0; brief && i < k->code.count; i++)
        brief = is_brief(&k->code.insns[i], &all->items[i]);
    return brief;
}

static struct probes *probes_make(struct kernel *k) {
    struct probes *all = zeroed(1, sizeof *all + k->code.count * sizeof *all->items);
    all->unit = 4;
    for (uint32_t i = 0; i < k->code.count; i++) {
        all->items[i] = classify(&k->code.insns[i], k->code.sources[i]);
        note_unit(all, &all->items[i], &k->code.insns[i]);
        all->registers |= all->items[i].kind == PROBE_REGISTERS;
        all->async |= is_async(k, &k->code.insns[i], &all->items[i]);
        all->lets_begin |=
            k->code.sources[i] && k->code.sources[i]->opcode && k->code.sources[i]->row->order == ORDER_NEXT_GRID;
    }
    /* These change flags and variables that instrument() puts into records and constants, hence before it. */
    find_guesses(all, k);
    find_in_step(all, k);
    probes_find_variables(k, all);
    number_barriers(all, k);
    all->brief = all_brief(all, k);
    for (uint32_t i = 0; i < k->code.count; i++)
        if (all->items[i].kind != PROBE_NOTHING)
            instrument(k, &all->items[i], &k->code.insns[i]);
    /* Last: a site's handler calls the probe's, if there is one, which it replaces. */
    all->products = products_find(k);
    if (all->products)
        products_instrument(all->products, k->code.insns);
    return all;
}

const struct probes *probes_of(const struct kernel *kernel) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct kernel *owner = (struct kernel *)(uintptr_t)kernel; /* it keeps what is made for it */
    pthread_mutex_lock(&lock);
    if (!owner->probes)
        owner->probes = probes_make(owner);
    pthread_mutex_unlock(&lock);
    return owner->probes;
}
