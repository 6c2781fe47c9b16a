/* Branches, exits, barriers, special registers, and the small copies that decode makes. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "machine/observer.h"
#include "machine/code.h"
#include "machine/grid.h"
#include "ops/control.h"

/* ---- branches ---- */

const struct insn *op_nothing(struct warp *w, const struct insn *in) {
    (void)w;
    return in + 1;
}

/* A place where splits may reconverge. Falls through at once while the warp has not diverged. */
const struct insn *op_label(struct warp *w, const struct insn *in) {
    return warp_goes_on(w, in + 1) ? in + 1 : warp_reconverge(w, in + 1);
}

/* All splits that reach a label are at the instruction after it. */
static const struct insn *behind(const struct insn *target) {
    return target + (target->handler == op_label);
}

static const struct insn *jump(struct warp *w, const struct insn *in, const struct insn *target) {
    target = behind(target);
    if (in->flags & INSN_BACKWARD && --w->fuel <= 0)
        return warp_yield(w, target);
    return warp_goes_on(w, target) ? target : warp_reconverge(w, target);
}

const struct insn *op_branch(struct warp *w, const struct insn *in) {
    return jump(w, in, in->target);
}

const struct insn *op_branch_if(struct warp *w, const struct insn *in) {
    uint32_t p = PRED(0), taken = w->mask & (in->kind ? ~p : p);
    bool diverged = taken != 0 && taken != w->mask;
    if (diverged && w->worker->counters)
        observer.diverged(w->worker->counters, in);
    if (!taken) /* splits that left a loop earlier may wait here, where there is no label */
        return warp_goes_on(w, in + 1) ? in + 1 : warp_reconverge(w, in + 1);
    if (!diverged)
        return jump(w, in, in->target);
    if (in->flags & INSN_BACKWARD)
        w->fuel--;
    return warp_branch(w, behind(in->target), taken, in + 1);
}

const struct insn *op_branch_table(struct warp *w, const struct insn *in) {
    const struct branch_table *table = in->extra;
    const uint32_t *index = REG(uint32_t, 0);
    const struct insn *code = w->launch->kernel->code.insns;
    uint32_t first = index[first_lane(w->mask)], same = 0;
    if (first >= table->count) {
        report_insn(w, in, FINDING_LAUNCH_FAILURE, w->mask, "A switch jumped outside its table.", "");
        return warp_fault(w, 719);
    }
    for (int l = 0; l < WARP_SIZE; l++)
        same |= (uint32_t)(index[l] == first) << l;
    same &= w->mask;
    const struct insn *target = behind(&code[table->insns[first]]);
    if (--w->fuel <= 0 && same == w->mask)
        return warp_yield(w, target);
    if (w->worker->counters)
        observer.branch(w->worker->counters, in);
    if (w->worker->counters && same != w->mask)
        observer.diverged(w->worker->counters, in);
    if (same == w->mask)
        return w->count == 1 ? target : warp_reconverge(w, target);
    return warp_branch(w, target, same, in); /* the others evaluate the table again */
}

/* A sleeping thread waits for another one: others run at once, and time does not matter here. */
const struct insn *op_nanosleep(struct warp *w, const struct insn *in) {
    return warp_spin(w, in + 1);
}

const struct insn *op_exit(struct warp *w, const struct insn *in) {
    (void)in;
    return warp_exit_lanes(w);
}

const struct insn *op_trap(struct warp *w, const struct insn *in) {
    report_insn(w, in, FINDING_TRAP, w->mask, "The kernel executed a trap instruction.",
                "nvcc emits one where it can prove that the code is wrong, for example a write through a null pointer; "
                "__trap() emits one too.");
    return warp_fault(w, 719);
}

/* Runs the next instruction for the lanes whose predicate holds. */
const struct insn *op_predicate(struct warp *w, const struct insn *in) {
    uint32_t all = w->mask, p = PRED(0), some = all & (in->kind ? ~p : p);
    if (!some)
        return in + 2;
    w->mask = some;
    const struct insn *next = in[1].handler(w, in + 1);
    w->mask = all;
    return next;
}

/* ---- barriers ---- */

static void vote(struct warp *w, const struct insn *in, struct block_barrier *bar) {
    bar->votes += (uint32_t)__builtin_popcount(w->mask);
    bar->trues += (uint32_t)__builtin_popcount(w->mask & PRED(3));
}

/* A named barrier's count: with a wrong one an H200 either raises an illegal instruction or waits forever. */
static bool count_fits(struct warp *w, const struct insn *in, const struct block_barrier *bar, uint32_t count) {
    char advice[200];
    if (count % WARP_SIZE) {
        snprintf(advice, sizeof advice, "The count is %u, and has to be a multiple of %u.", count, WARP_SIZE);
        report_insn(w, in, FINDING_LAUNCH_FAILURE, w->mask, "The count of a barrier is not valid.", advice);
        warp_fault(w, 715);
        return false;
    }
    const uint32_t *n = w->launch->config.block;
    uint32_t all = (n[0] * n[1] * n[2] + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE, before = bar->expected;
    if (!bar->arrived || (before ? before : all) == (count ? count : all))
        return true;
    snprintf(advice, sizeof advice,
             "Threads arrive at the same barrier with the counts %u and %u: every thread has to pass the same count, "
             "that of all threads that arrive.",
             before ? before : all, count ? count : all);
    report_insn(w, in, FINDING_DIVERGENT_BARRIER, w->mask, "Barrier error detected. Invalid arguments.", advice);
    warp_fault(w, 719);
    return false;
}

/* __syncthreads(): all threads of the block, at barrier 0. Where a warp already waits there with a count of threads, or
 * this warp may end the wait, the general path decides. */
const struct insn *op_barrier_all(struct warp *w, const struct insn *in) {
    struct block_barrier *bar = &w->block->barriers[0];
    if (bar->arrived && bar->expected)
        return op_barrier(w, in);
    uint32_t lanes = (uint32_t)__builtin_popcount(w->mask);
    bar->expected = 0;
    if (w->count != 1 || bar->arrived + lanes == w->block->live_lanes)
        return warp_wait_barrier(w, in + 1, 0);
    struct warp_split *f = &w->splits[0];
    f->pc = in + 1;
    f->state = SPLIT_AT_BARRIER;
    f->barrier = 0;
    w->state = WARP_WAITING;
    bar->arrived += lanes;
    w->block->awaited |= 1;
    return NULL;
}

const struct insn *op_barrier(struct warp *w, const struct insn *in) {
    int lane = first_lane(w->mask);
    uint32_t number = REG(uint32_t, 1)[lane], count = REG(uint32_t, 2)[lane];
    unsigned kind = in->kind & ~(unsigned)BARRIER_UNALIGNED;
    if (number > 15) {
        report_insn(w, in, FINDING_LAUNCH_FAILURE, w->mask, "A block has only barriers 0 to 15.", "");
        return warp_fault(w, 719);
    }
    struct block_barrier *bar = &w->block->barriers[number];
    if (!count_fits(w, in, bar, count))
        return NULL;
    bar->expected = bar->arrived && !bar->expected ? 0 : count;
    if (kind == BARRIER_ARRIVE) {
        bar->arrived += w->mask == w->live ? WARP_SIZE : (uint32_t)__builtin_popcount(w->mask);
        block_check_barrier(w->block, number);
        return in + 1;
    }
    if (kind != BARRIER_SYNC)
        vote(w, in, bar);
    return warp_wait_barrier(w, in + 1, number);
}

const struct insn *op_barrier_result(struct warp *w, const struct insn *in) {
    const struct block_barrier *bar = &w->block->barriers[REG(uint32_t, 1)[first_lane(w->mask)]];
    bool all = bar->result_trues == bar->result_votes, any = bar->result_trues != 0;
    if (in->kind == BARRIER_RED_POPC)
        WRITE_LANES(uint32_t, bar->result_trues);
    else
        WRITE_PRED(0, (in->kind == BARRIER_RED_AND ? all : any) ? FULL_MASK : 0);
    return in + 1;
}

const struct insn *op_fence(struct warp *w, const struct insn *in) {
    (void)w;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return in + 1;
}

/* ---- special registers ---- */

/* The time of day, as PTX defines it: it also advances while no kernel runs. */
static uint64_t global_timer(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t special(const struct warp *w, unsigned kind) {
    switch (kind) {
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64:
        return block_clock(w->block);
    case SPECIAL_CLOCK_HI:
        return block_clock(w->block) >> 32;
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
        return global_timer();
    case SPECIAL_GLOBALTIMER_HI:
        return global_timer() >> 32;
    case SPECIAL_WARPID:
        return w->index;
    case SPECIAL_SMID:
        return (uint64_t)w->worker->index;
    case SPECIAL_GRIDID:
        return w->launch->id;
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return w->block->ctaid[kind - SPECIAL_CTAID_X];
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
        return w->block->ctaid[kind - SPECIAL_CLUSTERID_X] / w->launch->cluster[kind - SPECIAL_CLUSTERID_X];
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
        return w->block->ctaid[kind - SPECIAL_CLUSTER_CTAID_X] % w->launch->cluster[kind - SPECIAL_CLUSTER_CTAID_X];
    default:
        return w->block->rank;
    }
}

const struct insn *op_special(struct warp *w, const struct insn *in) {
    uint64_t value = special(w, in->kind);
    bool wide = in->kind == SPECIAL_CLOCK64 || in->kind == SPECIAL_GLOBALTIMER || in->kind == SPECIAL_GRIDID;
    if (wide)
        WRITE_LANES(uint64_t, value);
    else
        WRITE_LANES(uint32_t, (uint32_t)value);
    return in + 1;
}

/* ---- copies that decode makes ---- */

const struct insn *op_not_pred(struct warp *w, const struct insn *in) {
    WRITE_PRED(0, ~PRED(1));
    return in + 1;
}

/* Changes the width: truncates, or extends with zeros or the sign. */
const struct insn *op_widen(struct warp *w, const struct insn *in) {
    unsigned from = WIDEN_FROM(in->kind), to = WIDEN_TO(in->kind);
    const uint8_t *source = REG(uint8_t, 1);
    uint8_t *target = REG(uint8_t, 0);
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!LANE_ON(w->mask))
            continue;
        const uint8_t *at = source + l * from;
        bool negative = WIDEN_SIGNED(in->kind) && at[from - 1] >> 7;
        uint8_t value[16];
        memset(value, negative ? 0xff : 0, sizeof value);
        memcpy(value, at, from);
        memcpy(target + l * to, value, to);
    }
    return in + 1;
}

const struct insn *op_insert(struct warp *w, const struct insn *in) {
    unsigned part = WIDEN_FROM(in->kind), whole = WIDEN_TO(in->kind), stride = part == 1 ? 2 : part;
    const uint8_t *source = REG(uint8_t, 1);
    uint8_t *target = REG(uint8_t, 0) + (size_t)in->imm * part;
    for (unsigned l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask))
            memcpy(target + l * whole, source + l * stride, part);
    return in + 1;
}

const struct insn *op_extract(struct warp *w, const struct insn *in) {
    unsigned whole = WIDEN_FROM(in->kind), part = WIDEN_TO(in->kind), stride = part == 1 ? 2 : part;
    const uint8_t *source = REG(uint8_t, 1) + (size_t)in->imm * part;
    uint8_t *target = REG(uint8_t, 0);
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!LANE_ON(w->mask))
            continue;
        if (part == 1)
            target[l * stride + 1] = 0;
        memcpy(target + l * stride, source + l * whole, part);
    }
    return in + 1;
}

/* The place of a local variable: the beginning of the activation's variables, plus its offset. */
const struct insn *op_local_address(struct warp *w, const struct insn *in) {
    const uint32_t *depot = REG(uint32_t, 1);
    uint32_t offset = (uint32_t)in->imm;
    if (in->kind == 64)
        WRITE_LANES(uint64_t, (uint64_t)(depot[l] + offset));
    else
        WRITE_LANES(uint32_t, depot[l] + offset);
    return in + 1;
}
