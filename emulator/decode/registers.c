/* Liveness by the textbook's dataflow over basic blocks, then a linear scan over the intervals. A lane's registers are
 * its own even when the warp has diverged (writes touch active lanes only), so only a thread's liveness matters. */
#include "base/out_of_memory.h"
#include "decode/registers.h"

#include <stdlib.h>
#include <string.h>

unsigned register_bits(const struct ptx_register *r) {
    unsigned bits = ptx_type_bits[r->type];
    return bits == 8 ? 16 : bits; /* registers of 8 bits are stored in 16 */
}

#define MAX_LIVENESS_BITS ((uint64_t)1 << 33)

struct interval {
    uint32_t begin, end; /* instruction numbers, both included; begin > end: never live */
};

struct basic_block {
    uint32_t begin, end; /* instructions [begin, end) */
    uint32_t successors[2];
    unsigned successor_count;
    const struct ptx_prototype *table; /* brx: its targets are the successors */
};

struct liveness {
    const struct ptx_function *f;
    struct basic_block *blocks;
    uint32_t block_count;
    uint64_t *in, *use, *def; /* a bit per register, `words` words per block */
    size_t words;
};

static void visit_operand(const struct ptx_operand *o, bool written, visit_fn visit, void *context) {
    bool address = o->kind == OPERAND_ADDRESS;
    if (o->reg)
        visit(o->reg, written && !address, context);
    for (unsigned i = 0; o->items && i < o->count; i++)
        visit_operand(&o->items[i], written && !address, visit, context);
}

/* Sources first, then destinations; a predicated write also reads: the old value may stay. */
void visit_registers(const struct ptx_insn *p, visit_fn visit, void *context) {
    if (!p->opcode)
        return;
    bool writes = p->row->first != FIRST_READ, updates = p->row->first == FIRST_UPDATED;
    if (p->predicate)
        visit(p->predicate, false, context);
    /* The first operand is a source where nothing writes it (stores), where it is updated, and where a predicate may
     * leave the old value. */
    for (unsigned i = 0; i < p->operand_count; i++)
        if (i > 0 || !writes || updates || p->predicate)
            visit_operand(&p->operands[i], false, visit, context);
    if (writes && p->operand_count)
        visit_operand(&p->operands[0], true, visit, context);
}

/* ---- blocks ---- */

static bool ends_block(const struct ptx_insn *p) {
    return p->opcode && instruction_ends_block(p->row);
}

static void find_blocks(struct liveness *v) {
    const struct ptx_function *f = v->f;
    v->blocks = zeroed(f->insn_count + 1, sizeof *v->blocks);
    for (uint32_t i = 0; i < f->insn_count;) {
        struct basic_block *b = &v->blocks[v->block_count];
        b->begin = i;
        v->block_count++;
        do
            i++;
        while (i < f->insn_count && f->insns[i].opcode && !ends_block(&f->insns[i - 1]));
        b->end = i;
    }
}

static uint32_t block_at_label(const struct liveness *v, const char *label) {
    for (uint32_t b = 0; b < v->block_count;
         b++) /* labels begin blocks; several may follow one another, each its own block */
        if (v->f->insns[v->blocks[b].begin].label == label && label)
            return b;
    return v->block_count;
}

static const struct ptx_prototype *branch_targets(const struct ptx_function *f, const char *label) {
    const struct ptx_prototype *t = f->module->prototypes;
    while (t && (t->label != label || t->function != f))
        t = t->next;
    return t;
}

static void find_successors(struct liveness *v) {
    for (uint32_t i = 0; i < v->block_count; i++) {
        struct basic_block *b = &v->blocks[i];
        const struct ptx_insn *last = &v->f->insns[b->end - 1];
        /* A block falls through to the next one unless it ends in a jump or an end; predicated, these may not be
         * taken. */
        bool falls = true;
        if (last->opcode && last->row->control == CONTROL_BRANCH) {
            b->successors[b->successor_count++] = block_at_label(v, last->operands[0].symbol);
            falls = last->predicate != NULL;
        } else if (last->opcode && last->row->control == CONTROL_TABLE) {
            b->table = branch_targets(v->f, last->operands[1].symbol);
            falls = last->predicate != NULL;
        } else if (ends_block(last)) {
            falls = last->predicate != NULL;
        }
        if (falls && i + 1 < v->block_count)
            b->successors[b->successor_count++] = i + 1;
    }
}

/* ---- dataflow ---- */

struct block_sets {
    uint64_t *use, *def;
};

static void collect(struct ptx_register *r, bool written, void *context) {
    struct block_sets *s = context;
    uint64_t bit = (uint64_t)1 << r->number % 64, *def = &s->def[r->number / 64];
    /* Sources are visited first, so that a register that is read and then written by one instruction is in `use`. */
    if (written)
        *def |= bit;
    else if (!(*def & bit))
        s->use[r->number / 64] |= bit;
}

/* out = the union of the successors' in */
static void live_out(const struct liveness *v, uint32_t block, uint64_t *out) {
    const struct basic_block *b = &v->blocks[block];
    memset(out, 0, v->words * sizeof *out);
    size_t n = b->table ? b->table->target_count : 0;
    for (size_t k = 0; k < b->successor_count + n; k++) {
        uint32_t to =
            k < b->successor_count ? b->successors[k] : block_at_label(v, b->table->targets[k - b->successor_count]);
        for (size_t i = 0; to < v->block_count && i < v->words; i++)
            out[i] |= v->in[to * v->words + i];
    }
}

static void solve(struct liveness *v) {
    size_t cells = v->block_count * v->words;
    v->in = zeroed(cells, sizeof *v->in);
    v->use = zeroed(cells, sizeof *v->use);
    v->def = zeroed(cells, sizeof *v->def);
    uint64_t *out = zeroed(v->words, sizeof *out);
    for (uint32_t b = 0; b < v->block_count; b++) {
        struct block_sets sets = {v->use + b * v->words, v->def + b * v->words};
        for (uint32_t i = v->blocks[b].begin; i < v->blocks[b].end; i++)
            visit_registers(&v->f->insns[i], collect, &sets);
    }
    /* in = use | (out & ~def), until nothing changes. From the last block to the first, against the control flow, since
     * liveness propagates backwards: code without loops needs one pass, and another to see that nothing changes. */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = v->block_count; b-- > 0;) {
            live_out(v, b, out);
            for (size_t i = 0; i < v->words; i++) {
                uint64_t *in = &v->in[b * v->words + i];
                uint64_t now = v->use[b * v->words + i] | (out[i] & ~v->def[b * v->words + i]);
                changed |= now != *in;
                *in = now;
            }
        }
    }
    free(out);
}

uint64_t *registers_liveness(const struct ptx_function *f, size_t *words) {
    struct liveness v = {.f = f, .words = (f->register_count + 63) / 64};
    find_blocks(&v);
    find_successors(&v);
    solve(&v);
    uint64_t *live = zeroed(f->insn_count * v.words, sizeof *live), *out = zeroed(v.words, sizeof *out);
    for (uint32_t b = 0; b < v.block_count; b++) {
        live_out(&v, b, out);
        /* The same equation, instruction by instruction, from the end of the block. */
        for (uint32_t i = v.blocks[b].end; i-- > v.blocks[b].begin;) {
            uint64_t *before = live + i * v.words;
            struct block_sets sets = {zeroed(v.words, sizeof *live), zeroed(v.words, sizeof *live)};
            visit_registers(&f->insns[i], collect, &sets);
            for (size_t k = 0; k < v.words; k++)
                before[k] = out[k] = sets.use[k] | (out[k] & ~sets.def[k]);
            free(sets.use);
            free(sets.def);
        }
    }
    *words = v.words;
    free(out);
    free(v.blocks);
    free(v.in);
    free(v.use);
    free(v.def);
    return live;
}

/* ---- intervals ---- */

struct span {
    struct interval *intervals;
    uint32_t at;
};

static void extend(struct interval *i, uint32_t at) {
    i->begin = at < i->begin ? at : i->begin;
    i->end = at > i->end ? at : i->end;
}

static void extend_here(struct ptx_register *r, bool written, void *context) {
    const struct span *s = context;
    (void)written;
    extend(&s->intervals[r->number], s->at);
}

static struct interval *find_intervals(struct liveness *v) {
    size_t n = v->f->register_count;
    struct interval *intervals = zeroed(n, sizeof *intervals);
    uint64_t *out = zeroed(v->words, sizeof *out);
    for (size_t i = 0; i < n; i++)
        intervals[i] = (struct interval){~0u, 0};
    struct span span = {intervals, 0};
    for (span.at = 0; span.at < v->f->insn_count; span.at++)
        visit_registers(&v->f->insns[span.at], extend_here, &span);
    /* The mentions of a value are not enough: a loop-carried value is live from the loop's beginning to its end, also
     * where no instruction mentions it. One interval from the first to the last such place may be more than needed (the
     * live range may have holes), and never less. */
    for (uint32_t b = 0; b < v->block_count; b++) {
        live_out(v, b, out);
        for (size_t i = 0; i < n; i++) {
            uint64_t bit = (uint64_t)1 << i % 64;
            if (v->in[b * v->words + i / 64] & bit)
                extend(&intervals[i], v->blocks[b].begin);
            if (out[i / 64] & bit)
                extend(&intervals[i], v->blocks[b].end - 1);
        }
    }
    free(out);
    return intervals;
}

/* ---- placing ---- */

/* Places of one size, and until when each is taken. */
struct places {
    uint32_t *slots, *taken_until;
    size_t count;
};

static uint32_t place(struct decoder *d, struct places *p, struct interval i, unsigned bytes) {
    /* The first place whose register was last needed before this one begins. No destination takes the place of a
     * source of the same instruction (< and not <=), which handlers may still read after they have begun to write. */
    for (size_t k = 0; k < p->count; k++)
        if (p->taken_until[k] < i.begin) {
            p->taken_until[k] = i.end;
            return p->slots[k];
        }
    p->slots = or_out_of_memory(realloc(p->slots, (p->count + 1) * sizeof *p->slots));
    p->taken_until = or_out_of_memory(realloc(p->taken_until, (p->count + 1) * sizeof *p->taken_until));
    p->slots[p->count] = decode_frame(d, bytes, bytes < 64 ? 4 : 64);
    p->taken_until[p->count] = i.end;
    return p->slots[p->count++];
}

struct order {
    uint32_t begin, number;
};

static int by_begin(const void *a, const void *b) {
    const struct order *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x->number < y->number ? -1 : x->number > y->number);
}

static unsigned size_class(const struct ptx_register *r) {
    switch (register_bits(r)) {
    case 1:
        return 0;
    case 16:
        return 1;
    case 32:
        return 2;
    case 64:
        return 3;
    default:
        return 4;
    }
}

static void scan(struct decoder *d, const struct ptx_function *f, const struct interval *intervals) {
    static const unsigned bytes[] = {4, 2 * WARP_SIZE, 4 * WARP_SIZE, 8 * WARP_SIZE, 16 * WARP_SIZE};
    struct places places[5] = {0};
    struct order *order = zeroed(f->register_count, sizeof *order);
    /* In the order in which they begin, as a linear scan requires: a place that is taken then is taken until
     * taken_until. Each size has separate places, so that every lane of a slot is a lane of the register that has
     * it. */
    for (uint32_t i = 0; i < f->register_count; i++)
        order[i] = (struct order){intervals[i].begin, i};
    qsort(order, f->register_count, sizeof *order, by_begin);
    for (size_t i = 0; i < f->register_count; i++) {
        struct ptx_register *r = f->registers[order[i].number];
        struct interval live = intervals[order[i].number];
        if (r->constant)
            continue;
        unsigned class = size_class(r);
        r->slot = live.begin > live.end ? 0 : place(d, &places[class], live, bytes[class]); /* 0: never mentioned */
    }
    for (size_t i = 0; i < 5; i++) {
        free(places[i].slots);
        free(places[i].taken_until);
    }
    free(order);
}

/* A function that would need more memory than its text explains is refused before any is taken. */
static void check_size(struct decoder *d, const struct ptx_function *f) {
    uint64_t bytes = decode_frame(d, 0, 64) + 1024u, blocks = 1; /* and a little for alignment */
    for (size_t i = 0; i < f->register_count; i++)
        bytes += register_bits(f->registers[i]) * WARP_SIZE / 8u;
    for (size_t i = 0; i < f->insn_count; i++)
        blocks += !f->insns[i].opcode || ends_block(&f->insns[i]);
    if (bytes > MAX_FRAME || blocks * f->register_count > MAX_LIVENESS_BITS)
        decode_fail(d, "'%s' has too many registers", f->name);
}

void registers_place(struct decoder *d, const struct ptx_function *f) {
    struct liveness v = {.f = f, .words = (f->register_count + 63) / 64};
    for (uint32_t i = 0; i < f->register_count; i++)
        f->registers[i]->number = i;
    check_size(d, f);
    find_blocks(&v);
    find_successors(&v);
    solve(&v);
    struct interval *intervals = find_intervals(&v);
    scan(d, f, intervals);
    free(intervals);
    free(v.blocks);
    free(v.in);
    free(v.use);
    free(v.def);
}
