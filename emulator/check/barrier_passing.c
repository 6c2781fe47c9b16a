/* A __syncthreads() that only some threads execute. The machine opens a barrier when the others have left the kernel,
 * so the mistake may pass; here lanes are noted that continue their work past a barrier at which others wait, and that
 * leave the kernel without having arrived at it. Threads that return early and do no more are not reported. And a
 * barrier opens when as many threads wait as there are, even at different __syncthreads(): that is detected when it
 * opens. */
#include <stdio.h>
#include <string.h>

#include "check/block_watch.h"
#include "check/report_parts.h"
#include "machine/code.h"

void barrier_start(struct block_watch *b, uint32_t warps) {
    memset(b->sync.visitors, 0, (size_t)b->launch->probes->unavoidable * warps * sizeof *b->sync.visitors);
    memset(b->sync.passed, 0, sizeof b->sync.passed);
    memset(b->sync.arrived, 0, sizeof b->sync.arrived);
    b->reads.easy = b->reads.ready = 0;
}

void barrier_arrives(struct block_watch *b, const struct warp *w, const struct insn *in) {
    uint8_t number = b->launch->probes->items[in->index].value;
    if (number)
        b->sync.visitors[(number - 1u) * w->launch->warps_per_block + w->index] |= w->mask;
    /* A lower bound that only sinks while barriers wait: accesses before it need not be looked at
     * (watch_whole_comes_to). */
    b->sync.first_wait = in->index < b->sync.first_wait ? in->index : b->sync.first_wait;
    /* They have arrived after all. */
    b->sync.passed[w->index] &= ~w->mask;
    b->sync.arrived[w->index] |= w->mask;
}

/* While other barriers stay closed, the first of those awaited is not searched for again. */
void barrier_opens(struct block_watch *b, const struct block *block) {
    b->sync.first_wait = block->awaited ? b->sync.first_wait : ~0u;
}

static bool waits_before(const struct warp_split *f, const struct insn *in) {
    /* The pc of a waiting split is the instruction after its barrier. Code further down counts as after the barrier. A
     * lane further up may be late in an earlier iteration of a loop, and is not reported. */
    return f->state == SPLIT_AT_BARRIER && in >= f->pc && !((f->pc - 1)->kind & BARRIER_UNALIGNED);
}

static bool any_waits_before(const struct warp *w, const struct insn *in) {
    for (unsigned i = 0; i < w->count; i++)
        if (waits_before(&w->splits[i], in))
            return true;
    return false;
}

void barrier_note_passing(struct block_watch *b, const struct warp *w, const struct insn *in) {
    const struct block *block = w->block;
    if (!block->awaited)
        return;
    /* Within its own warp: some lanes wait at a barrier, and these, which have diverged, work past it. */
    if (any_waits_before(w, in))
        b->sync.passed[w->index] |= w->mask;
    /* Where other warps wait, only lanes that have arrived at no barrier yet are sure to have gone around theirs: any
     * other may have passed it in the previous iteration. */
    if (!(w->mask & ~b->sync.arrived[w->index]))
        return; /* it may be late in the previous iteration */
    for (uint32_t i = 0; i < block->launch->warps_per_block; i++)
        if (i != w->index && any_waits_before(&block->warps[i], in))
            b->sync.passed[w->index] |= w->mask & ~b->sync.arrived[w->index];
}

static const struct warp_split *waiting(const struct warp *w, unsigned barrier) {
    for (unsigned i = 0; i < w->count; i++)
        if (w->splits[i].state == SPLIT_AT_BARRIER && w->splits[i].barrier == barrier)
            return &w->splits[i];
    return NULL;
}

/* Lanes that have left the kernel without arriving at this barrier. */
static uint32_t exited_past_barrier(const struct block_watch *b, const struct warp *w, const struct insn *barrier) {
    uint8_t number = b->launch->probes->items[barrier->index].value;
    uint32_t passed = b->sync.passed[w->index];
    /* At an unavoidable barrier it is enough not to have arrived: a thread that ends without it has executed something
     * that is reached only after it (check/unavoidable.h). */
    if (number)
        passed |= w->threads & ~b->sync.visitors[(number - 1u) * w->launch->warps_per_block + w->index];
    return passed & ~w->live;
}

/* ---- when it opens ---- */

/* Two groups of threads that open a barrier together. */
struct sides {
    const struct warp *warps[2];
    const struct warp_split *at[2];
    uint32_t calls[2]; /* where they have been called from, at one barrier */
};

static bool is_aligned(const struct warp_split *f) {
    return !((f->pc - 1)->kind & BARRIER_UNALIGNED);
}

/* The function that an instruction is in, by the return at its end; NULL: the kernel itself. */
static const struct function *function_at(const struct code *code, uint32_t index) {
    /* The next return or exit further down: in nvcc's PTX a function has one return, at its end. */
    while (index < code->count && code->insns[index].effect != EFFECT_RETURN &&
           code->insns[index].effect != EFFECT_EXIT)
        index++;
    return index < code->count && code->insns[index].effect == EFFECT_RETURN ? code->insns[index].extra : NULL;
}

#define MOST_CALLS 16

static uint32_t returns_to(const struct sides *s, unsigned k, const struct function *f) {
    return ((const uint32_t *)(const void *)(s->warps[k]->regs + f->return_slot))[first_lane(s->at[k]->mask)];
}

/* At one barrier: have they been called from the same places? */
static bool called_alike(struct sides *s) {
    const struct kernel *k = s->warps[0]->launch->kernel;
    const struct code *code = &k->code;
    uint32_t index = s->at[0]->pc->index;
    /* The return addresses of the first waiting lane of each side, from the innermost call outwards: registers of
     * their functions, since calls need no stack (machine/code.h). They are instructions' indices. */
    for (int depth = 0; depth < MOST_CALLS && k->calls; depth++) {
        const struct function *f = function_at(code, index);
        if (!f)
            return true;
        s->calls[0] = index = returns_to(s, 0, f);
        s->calls[1] = returns_to(s, 1, f);
        if (s->calls[0] != s->calls[1])
            return false;
    }
    return true;
}

static bool wait_apart(const struct block *block, unsigned barrier, struct sides *s) {
    *s = (struct sides){{0}, {0}, {0}};
    for (uint32_t i = 0; i < block->launch->warps_per_block; i++) {
        const struct warp_split *f = waiting(&block->warps[i], barrier);
        if (!f || !is_aligned(f))
            continue;
        /* The first split found is one side; each further one is compared with it. */
        unsigned k = s->at[0] ? 1 : 0;
        s->warps[k] = &block->warps[i];
        s->at[k] = f;
        if (k && (f->pc != s->at[0]->pc || !called_alike(s)))
            return true;
    }
    return false;
}

#define TO_REACH "Every thread of the block has to reach the same barriers: move them out of the if or the loop."

static void report_called(const struct sides *s) {
    const struct kernel *k = s->warps[0]->launch->kernel;
    struct source_position one = own_line(k, insn_position(k, &k->code.insns[s->calls[0]])),
                           other = own_line(k, insn_position(k, &k->code.insns[s->calls[1]]));
    char advice[400];
    snprintf(advice, sizeof advice,
             "Threads of a block wait for each other here in calls from different lines, %u and %u, as if these were "
             "two __syncthreads(). " TO_REACH,
             one.line, other.line);
    report_insn(s->warps[0], s->at[0]->pc - 1, FINDING_DIVERGENT_BARRIER, s->at[0]->mask,
                "Barrier error detected. Divergent thread(s) in block.", advice);
}

static void report_apart(const struct sides *s) {
    bool swap = s->at[1]->pc < s->at[0]->pc;
    const struct warp_split *f = s->at[swap], *g = s->at[!swap];
    struct report_side other = {s->warps[!swap], g->pc - 1, g->mask};
    report_sides(s->warps[swap], f->pc - 1, FINDING_DIVERGENT_BARRIER, f->mask, &other,
                 "Barrier error detected. Divergent thread(s) in block.",
                 "Threads of a block wait for each other at two different __syncthreads(): the barrier completes "
                 "because enough threads have arrived, but does not give the intended order. " TO_REACH);
}

/* Lanes that went around the barrier and have left. */
struct absent {
    const struct warp *warp;
    uint32_t lanes;
    unsigned count;
};

static void report_around(const struct warp *w, const struct warp_split *where, const struct absent *absent) {
    char advice[400], others[40] = "";
    uint32_t tid[3];
    bool own_warp = absent->warp == w;
    lane_thread_index(absent->warp, first_lane(absent->lanes), tid);
    if (absent->count > 1)
        snprintf(others, sizeof others, " and %u other%s", absent->count - 1, absent->count == 2 ? "" : "s");
    snprintf(advice, sizeof advice,
             "These threads wait at a __syncthreads() that thread (%u,%u,%u)%s of the block skipped: every thread of "
             "the block has to reach it. Move it out of the if or the loop.",
             tid[0], tid[1], tid[2], others);
    report_insn(w, where->pc - 1, FINDING_DIVERGENT_BARRIER, where->mask,
                own_warp ? "Barrier error detected. Divergent thread(s) in warp."
                         : "Barrier error detected. Divergent thread(s) in block.",
                advice);
}

/* Lanes of a warp that waits itself are reported in preference to others; where a barrier has a count, other warps need
 * not arrive. */
static bool someone_went_around(const struct block_watch *b, const struct block *block, unsigned barrier,
                                const struct insn *in, struct absent *absent) {
    bool counted = block->barriers[barrier].expected != 0;
    *absent = (struct absent){0};
    for (uint32_t i = 0; i < block->launch->warps_per_block; i++) {
        const struct warp *w = &block->warps[i];
        uint32_t lanes = counted && !waiting(w, barrier) ? 0 : exited_past_barrier(b, w, in);
        absent->count += (unsigned)__builtin_popcount(lanes);
        /* Preferably lanes of a warp that is still live: the report can then show both sides of the branch in one
         * warp. */
        if (lanes && (!absent->lanes || (w->live && !absent->warp->live))) {
            absent->warp = w;
            absent->lanes = lanes;
        }
    }
    return absent->lanes != 0;
}

static void check_around(struct block_watch *b, const struct block *block, unsigned barrier) {
    const struct warp_split *where = NULL;
    const struct warp *w = NULL;
    struct absent absent;
    for (uint32_t i = 0; !where && i < block->launch->warps_per_block; i++) {
        w = &block->warps[i];
        where = waiting(w, barrier);
    }
    if (!where || !is_aligned(where) || !someone_went_around(b, block, barrier, where->pc - 1, &absent))
        return;
    const struct warp_split *own = waiting(absent.warp, barrier);
    report_around(own ? absent.warp : w, own ? own : where, &absent);
    /* Reported once: the next barriers would find the same lanes again. */
    memset(b->sync.passed, 0, sizeof b->sync.passed);
}

/* PTX identifies a barrier by its number: a named one may be in several places. But CUDA C++ requires all threads of a
 * block to reach the same __syncthreads(), which is barrier 0. */
void barrier_check_passed(struct block_watch *b, const struct block *block, unsigned barrier) {
    const uint32_t *n = block->launch->config.block;
    struct sides sides;
    if (!barrier && !block->barriers[barrier].expected && wait_apart(block, barrier, &sides))
        (sides.at[0]->pc == sides.at[1]->pc ? report_called : report_apart)(&sides);
    /* While all threads are live, none has left: the cheap test nearly always ends it here. */
    else if (block->live_lanes != n[0] * n[1] * n[2])
        check_around(b, block, barrier);
}
