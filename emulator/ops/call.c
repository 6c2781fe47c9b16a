/* Calls of functions, direct, indirect and recursive. See machine/code.h for the layout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "machine/call_stack.h"
#include "machine/code.h"
#include "machine/finding.h"
#include "machine/grid.h"
#include "ops/call.h"

static void copy_in(uint8_t *frame, const struct argument *a, uint32_t n, uint32_t mask) {
    for (uint32_t i = 0; i < n; i++)
        for (int l = 0; l < WARP_SIZE; l++)
            if (LANE_ON(mask))
                memcpy(frame + a[i].to + (size_t)l * a[i].bytes, frame + a[i].from + (size_t)l * a[i].bytes,
                       a[i].bytes);
}

static void copy_lanes(struct warp *w, const struct argument *a, uint32_t n) {
    copy_in(w->regs, a, n, w->mask);
    if (w->shadow)
        copy_in(w->shadow, a, n, w->mask);
}

static void push(struct warp *w, const struct function *f) {
    size_t bytes = f->area_end - f->area_begin;
    size_t beside = w->block->watch ? bytes : 0;
    struct saved *s = or_out_of_memory(malloc(sizeof *s + bytes + beside));
    if (!w->call_stack)
        w->call_stack = zeroed(1, sizeof(struct call_stack));
    struct call_stack *stack = w->call_stack;
    s->mask = w->mask;
    memcpy(s->area, w->regs + f->area_begin, bytes);
    if (w->shadow)
        memcpy(s->area + bytes, w->shadow + f->area_begin, bytes);
    else
        memset(s->area + bytes, 0, beside);
    /* One copy of the whole area for all lanes that call now. They may return at different times, so each lane has a
     * separate stack of such copies; one is freed when its last lane has restored its share. */
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask)) {
            s->below[l] = stack->top[l];
            stack->top[l] = s;
        }
}

/* Restores lane l's share of the saved area. */
static void restore_lane(uint8_t *frame, const struct function *f, const uint8_t *area, int l) {
    for (uint32_t i = 0; i < f->part_count; i++) {
        const struct area_part *part = &f->parts[i];
        const uint8_t *from = area + (part->slot - f->area_begin);
        uint8_t *to = frame + part->slot;
        if (part->bytes) {
            memcpy(to + (size_t)l * part->bytes, from + (size_t)l * part->bytes, part->bytes);
            continue;
        }
        /* A predicate: this lane's bit of the word. */
        uint32_t old, now;
        memcpy(&old, from, sizeof old);
        memcpy(&now, to, sizeof now);
        now = (now & ~(1u << l)) | (old & 1u << l);
        memcpy(to, &now, sizeof now);
    }
}

static void pop(struct warp *w, const struct function *f) {
    struct call_stack *stack = w->call_stack;
    for (int l = 0; l < WARP_SIZE; l++) {
        if (!LANE_ON(w->mask))
            continue;
        struct saved *s = stack->top[l];
        restore_lane(w->regs, f, s->area, l);
        if (w->shadow)
            restore_lane(w->shadow, f, s->area + (f->area_end - f->area_begin), l);
        stack->top[l] = s->below[l];
        s->mask &= ~(1u << l);
        if (!s->mask)
            free(s);
    }
}

/* Where an activation's variables begin in a lane's local memory. */
static uint32_t depot_begin(const struct warp *w, const struct function *f, int l) {
    uint32_t align = f->local_align ? f->local_align : 1;
    return (w->local_sp[l] + align - 1) / align * align;
}

/* The lanes that would need more local memory than exists. */
static uint32_t overflowing(const struct warp *w, const struct function *f) {
    uint32_t lanes = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask) && depot_begin(w, f, l) + f->stack_bytes > w->launch->local_bytes)
            lanes |= 1u << l;
    return lanes;
}

static const struct insn *stack_overflow(struct warp *w, const struct insn *in, const struct function *f,
                                         uint32_t lanes) {
    char advice[320];
    snprintf(
        advice, sizeof advice,
        "This thread is %u calls deep, and one such call takes %u bytes or more; its stack has %u. Does the recursion "
        "terminate? Call cudaDeviceSetLimit(cudaLimitStackSize, bytes) before the launch for a larger stack.",
        w->splits[w->current].depth, f->stack_bytes, w->launch->local_bytes - w->launch->kernel->entry_local);
    return warp_fault(w, report_insn(w, in, FINDING_STACK_OVERFLOW, lanes, "Stack overflow", advice));
}

#define DEEPEST 65000 /* calls: split.depth has 16 bits */

static const struct insn *enter(struct warp *w, const struct insn *in, const struct call_site *site) {
    struct function *f = site->callee;
    struct warp_split *split = &w->splits[w->current];
    uint32_t lanes = overflowing(w, f);
    if (lanes || split->depth > DEEPEST)
        return stack_overflow(w, in, f, lanes ? lanes : w->mask);
    /* In this order: the arguments may be in the very area that is saved (the caller may be the same function), and are
     * copied to the callee's parameters only then. */
    if (f->recursive)
        push(w, f);
    copy_lanes(w, site->arguments, site->argument_count);
    uint32_t *returns = (uint32_t *)(void *)(w->regs + f->return_slot);
    uint32_t *depot = (uint32_t *)(void *)(w->regs + f->depot_slot);
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask)) {
            returns[l] = in->index + 1;
            depot[l] = depot_begin(w, f, l);
            w->local_sp[l] = depot[l] + f->stack_bytes;
        }
    split->depth++;
    /* A recursion has no backward branch: calls use up fuel as well. */
    if (--w->fuel <= 0)
        return warp_yield(w, f->entry);
    return w->count == 1 ? f->entry : warp_reconverge(w, f->entry);
}

const struct insn *op_call(struct warp *w, const struct insn *in) {
    return enter(w, in, in->extra);
}

static uint32_t candidate_of(const struct call_site *site, uint64_t address) {
    uint32_t i = 0;
    while (i < site->candidate_count && address != CODE_WINDOW + 16 * site->candidates[i].callee->ptx->number)
        i++;
    return i;
}

/* The active lanes in which a per-lane value equals that of the first. */
static uint32_t same_as_first(const struct warp *w, const uint64_t *values) {
    uint64_t first = values[first_lane(w->mask)];
    uint32_t same = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        same |= (uint32_t)(values[l] == first) << l;
    return same & w->mask;
}

const struct insn *op_call_indirect(struct warp *w, const struct insn *in) {
    const struct call_site *site = in->extra;
    const uint64_t *target = REG(uint64_t, 0);
    uint32_t same = same_as_first(w, target), candidate = candidate_of(site, target[first_lane(same)]);
    if (candidate == site->candidate_count) {
        int error = report_insn(w, in, FINDING_LAUNCH_FAILURE, same, "Call through an invalid function pointer",
                                "Take the address of a function in device code (in a __device__ variable, for "
                                "example): a kernel cannot call a function through an address taken on the host.");
        return warp_fault(w, error);
    }
    /* One function after the other: lanes that call another one stay at this instruction, as a separate split. */
    if (same != w->mask)
        warp_diverge(w, same, in); /* the others execute this instruction again */
    return enter(w, in, &site->candidates[candidate]);
}

static uint8_t *keep(const uint8_t *frame, const struct argument *result) {
    size_t bytes = result ? (size_t)result->bytes * WARP_SIZE : 0;
    uint8_t *kept = or_out_of_memory(malloc(bytes + 1));
    if (result)
        memcpy(kept, frame + result->from, bytes);
    return kept;
}

static void give_back(uint8_t *frame, const struct argument *result, uint8_t *kept, uint32_t mask) {
    for (int l = 0; result && l < WARP_SIZE; l++)
        if (LANE_ON(mask))
            memcpy(frame + result->to + (size_t)l * result->bytes, kept + (size_t)l * result->bytes, result->bytes);
    free(kept);
}

static void return_from_call(struct warp *w, const struct call_site *site, const struct function *f) {
    const uint32_t *depot = (const uint32_t *)(const void *)(w->regs + f->depot_slot);
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask))
            w->local_sp[l] = depot[l];
    if (!f->recursive) {
        copy_lanes(w, site->results, site->result_count);
        return;
    }
    /* The caller may be the same function: its place for the result is restored with the rest, so the result is kept
     * outside (PTX functions return one parameter). */
    const struct argument *result = site->result_count ? &site->results[0] : NULL;
    uint8_t *kept = keep(w->regs, result), *beside = w->shadow ? keep(w->shadow, result) : NULL;
    pop(w, f);
    give_back(w->regs, result, kept, w->mask);
    if (beside)
        give_back(w->shadow, result, beside, w->mask);
}

/* After a call: copies the results and restores the callee's place. After an indirect call the lanes may return from
 * different functions. */
const struct insn *op_call_landing(struct warp *w, const struct insn *in) {
    const struct call_site *site = in->extra;
    if (site->callee) {
        return_from_call(w, site, site->callee);
        return in + 1;
    }
    uint32_t all = w->mask;
    /* Lanes that have reconverged here may have returned from different functions, whose results are in different
     * places. */
    for (uint32_t i = 0; i < site->candidate_count; i++) {
        w->mask = 0;
        for (int l = 0; l < WARP_SIZE; l++)
            w->mask |= (uint32_t)(w->returned[l] == site->candidates[i].callee) << l;
        w->mask &= all;
        if (w->mask)
            return_from_call(w, &site->candidates[i], site->candidates[i].callee);
    }
    w->mask = all;
    return in + 1;
}

const struct insn *op_return(struct warp *w, const struct insn *in) {
    const struct function *f = in->extra;
    const uint32_t *returns = (const uint32_t *)(const void *)(w->regs + f->return_slot);
    uint32_t first = returns[first_lane(w->mask)], same = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        same |= (uint32_t)(returns[l] == first) << l;
    same &= w->mask;
    /* Lanes that were called from different places: those with the first one's return address continue, the others
     * execute this again. */
    if (same != w->mask)
        warp_diverge(w, same, in);
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(same))
            w->returned[l] = f;
    w->splits[w->current].depth--;
    const struct insn *label = &w->launch->kernel->code.insns[first];
    return w->count == 1 ? label + 1 : warp_reconverge(w, label + 1);
}
