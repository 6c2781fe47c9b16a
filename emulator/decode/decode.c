/* Turns a kernel's PTX, and that of the functions it calls, into executable instructions. */
#include "decode/decode.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checks.h"
#include "base/limits.h"
#include "base/out_of_memory.h"
#include "decode/fold.h"
#include "decode/registers.h"
#include "decode/typing.h"
#include "fatbin/resources.h"
#include "ops/call.h"
#include "ops/control.h"
#include "ops/effects.h"
#include "ops/stack.h"

#define MAX_SHARED (16u << 20)

_Noreturn void decode_fail(struct decoder *d, const char *format, ...) {
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const struct ptx_location *l = d->at ? d->at->location : NULL;
    if (l && l->file < d->ptx->file_count && d->ptx->files[l->file])
        snprintf(d->error, d->error_size, "%s (%s:%u)", what, d->ptx->files[l->file], l->line);
    else
        snprintf(d->error, d->error_size, "%s (PTX line %u)", what, d->at ? d->at->ptx_line : 0);
    longjmp(d->failed, 1);
}

/* Grows an array of elements to hold at least n + 1. */
static void *grown(void *array, size_t *capacity, size_t n, size_t element) {
    if (n < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 64;
    return or_out_of_memory(realloc(array, *capacity * element));
}

uint32_t decode_frame(struct decoder *d, uint32_t bytes, uint32_t align) {
    uint32_t slot = (d->frame_bytes + align - 1) & ~(align - 1);
    if (slot > MAX_FRAME || bytes > MAX_FRAME - slot)
        decode_fail(d, "the kernel needs too many registers");
    d->frame_bytes = slot + bytes;
    return slot;
}

uint32_t decode_trash(struct decoder *d) {
    if (d->trash_slot == ~0u)
        d->trash_slot = decode_frame(d, 16 * WARP_SIZE, 64);
    return d->trash_slot;
}

uint32_t decode_constant(struct decoder *d, unsigned bits, uint64_t value) {
    if (bits == 16 || bits == 32)
        value &= ((uint64_t)1 << bits) - 1;
    for (size_t i = 0; i < d->constant_count; i++)
        if (d->constants[i].bits == bits && d->constants[i].value == value)
            return d->constants[i].slot;
    d->constants = grown(d->constants, &d->constant_capacity, d->constant_count, sizeof *d->constants);
    unsigned bytes = bits == FRAME_SPECIAL || bits == FRAME_PARAM_32 || bits == FRAME_SHARED_32 ? 4
                     : bits == FRAME_PARAM_64 || bits == FRAME_SHARED_64                        ? 8
                                                                                                : bits / 8;
    uint32_t slot = bits == 1 ? decode_frame(d, 4, 4) : decode_frame(d, bytes * WARP_SIZE, 64);
    d->constants[d->constant_count++] = (struct frame_constant){slot, (uint8_t)bits, value};
    return slot;
}

struct insn *decode_emit(struct decoder *d, handler_fn handler) {
    if (d->count == d->capacity) {
        d->capacity = d->capacity ? 2 * d->capacity : 256;
        d->insns = or_out_of_memory(realloc(d->insns, d->capacity * sizeof *d->insns));
        d->sources = or_out_of_memory(realloc(d->sources, d->capacity * sizeof *d->sources));
    }
    struct insn *in = &d->insns[d->count];
    memset(in, 0, sizeof *in);
    in->handler = handler;
    in->effect = (uint8_t)operation_effect(handler);
    in->index = d->count;
    in->folded = d->folded;
    d->folded = 0;
    d->sources[d->count++] = d->at;
    return in;
}

void decode_patch(struct decoder *d, const char *label, uint32_t *where) {
    d->patches = grown(d->patches, &d->patch_capacity, d->patch_count, sizeof *d->patches);
    d->patches[d->patch_count++] = (struct patch){d->count - 1, label, where};
}

/* ---- reachable functions ---- */

static struct function *reach(struct decoder *d, const struct ptx_function *ptx) {
    for (uint32_t i = 0; i < d->function_count; i++)
        if (d->functions[i]->ptx == ptx)
            return d->functions[i];
    struct function *f = arena_alloc(d->arena, sizeof *f);
    f->ptx = ptx;
    d->functions = or_out_of_memory(realloc(d->functions, (d->function_count + 1) * sizeof *d->functions));
    return d->functions[d->function_count++] = f;
}

static bool callable(const struct ptx_function *f) {
    return f && !f->external && !f->entry;
}

static void reach_operands(struct decoder *d, const struct ptx_operand *o, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (o[i].kind == OPERAND_SYMBOL && callable(o[i].function))
            reach(d, o[i].function);
        if (o[i].items)
            reach_operands(d, o[i].items, o[i].count);
    }
}

/* An indirect call may reach any function whose address a module takes: by mov, or in an initialiser. */
static void reach_address_taken(struct decoder *d, const struct ptx_module *m) {
    for (const struct ptx_variable *v = m->variables; v; v = v->next)
        for (const struct ptx_initializer_address *a = v->addresses; a; a = a->next)
            if (callable(a->function))
                reach(d, a->function);
    for (const struct ptx_function *f = m->functions; f; f = f->next)
        for (size_t i = 0; i < f->insn_count; i++)
            if (f->insns[i].opcode && f->insns[i].row->decoding == DECODING_mov)
                reach_operands(d, f->insns[i].operands, f->insns[i].operand_count);
}

static bool is_call(const struct ptx_insn *p) {
    return p->opcode && p->row->control == CONTROL_CALL;
}

static bool is_indirect_call(const struct ptx_insn *p) {
    if (!is_call(p))
        return false;
    for (unsigned i = 0; i < p->operand_count; i++)
        if (p->operands[i].kind == OPERAND_REGISTER)
            return true;
    return false;
}

static void reach_all(struct decoder *d) {
    bool taken = false;
    for (uint32_t i = 0; i < d->function_count; i++) {
        const struct ptx_function *f = d->functions[i]->ptx;
        for (size_t k = 0; k < f->insn_count; k++) {
            reach_operands(d, f->insns[k].operands, f->insns[k].operand_count);
            if (is_indirect_call(&f->insns[k]) && !taken) {
                taken = true;
                for (const struct ptx_module *m = d->ptx; m; m = m->next)
                    reach_address_taken(d, m);
            }
        }
    }
}

/* calls[i][k]: function i may call function k. Closed transitively, its diagonal shows which functions recurse. */
static void find_recursion(struct decoder *d) {
    uint32_t n = d->function_count;
    bool *calls = zeroed((size_t)n * n, 1);
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_function *f = d->functions[i]->ptx;
        for (size_t k = 0; k < f->insn_count; k++) {
            if (!is_call(&f->insns[k]))
                continue;
            bool indirect = is_indirect_call(&f->insns[k]);
            for (uint32_t j = 1; j < n; j++)
                for (unsigned o = 0; o < f->insns[k].operand_count; o++)
                    if (indirect || f->insns[k].operands[o].function == d->functions[j]->ptx)
                        calls[i * n + j] = true;
        }
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n && calls[i * n + k]; j++)
                calls[i * n + j] |= calls[k * n + j];
    for (uint32_t i = 0; i < n; i++)
        d->functions[i]->recursive = calls[i * n + i];
    free(calls);
}

/* ---- layout ---- */

static uint64_t aligned(uint64_t n, uint64_t align) {
    return align > 1 ? (n + align - 1) / align * align : n;
}

static void layout_variables(struct decoder *d, struct function *f) {
    uint64_t local = 0;
    for (struct ptx_variable *v = f->ptx->variables; v; v = v->next) {
        if (v->space == SPACE_LOCAL) {
            local = aligned(local, v->align);
            v->address = local;
            local += v->size;
            if (v->align > f->local_align)
                f->local_align = v->align < 16 ? (uint32_t)v->align : 16;
        } else if (v->space == SPACE_PARAM) {
            v->address = decode_frame(d, (uint32_t)aligned(v->size, 16) * WARP_SIZE, 64);
        }
    }
    if (local > 1 << 20)
        decode_fail(d, "'%s' needs %llu bytes of local memory per thread", f->ptx->name, (unsigned long long)local);
    f->local_bytes = (uint32_t)aligned(local, 16);
    f->stack_bytes = (uint32_t)aligned(local, 8) + (f->recursive ? LIMIT_STACK_RETURN : 0);
    if (f->ptx->entry)
        return;
    for (int list = 0; list < 2; list++)
        for (struct ptx_variable *v = list ? f->ptx->returns : f->ptx->params; v; v = v->next)
            v->address = decode_frame(d, (uint32_t)aligned(v->size, 16) * WARP_SIZE, 64);
}

static void add_part(struct function *f, uint64_t slot, uint64_t bytes) {
    for (uint32_t i = 0; i < f->part_count; i++)
        if (f->parts[i].slot == slot) /* registers share slots */
            return;
    f->parts[f->part_count++] = (struct area_part){(uint32_t)slot, (uint32_t)bytes};
}

/* The data that a recursive call must save for a lane. */
static void list_parts(struct decoder *d, struct function *f) {
    const struct ptx_variable *lists[] = {f->ptx->variables, f->ptx->params, f->ptx->returns};
    size_t n = f->ptx->register_count + 2;
    for (size_t i = 0; i < 3; i++)
        for (const struct ptx_variable *v = lists[i]; v; v = v->next)
            n++;
    f->parts = arena_alloc(d->arena, n * sizeof *f->parts);
    add_part(f, f->return_slot, 4);
    add_part(f, f->depot_slot, 4);
    for (size_t i = 0; i < 3; i++)
        for (const struct ptx_variable *v = lists[i]; v; v = v->next)
            if (v->space == SPACE_PARAM)
                add_part(f, v->address, aligned(v->size, 16));
    for (size_t i = 0; i < f->ptx->register_count; i++) {
        const struct ptx_register *r = f->ptx->registers[i];
        if (!r->constant && r->slot >= f->area_begin)
            add_part(f, r->slot, register_bits(r) / 8);
    }
}

static void layout_function(struct decoder *d, struct function *f) {
    f->area_begin = decode_frame(d, 0, 64);
    f->return_slot = f->ptx->entry ? 0 : decode_frame(d, 4 * WARP_SIZE, 64);
    f->depot_slot = f->ptx->entry ? decode_constant(d, 32, 0) : decode_frame(d, 4 * WARP_SIZE, 64);
    layout_variables(d, f);
    fold_constants(d, f->ptx);
    registers_place(d, f->ptx);
    f->area_end = decode_frame(d, 0, 64);
    if (f->recursive)
        list_parts(d, f);
}

/* Gives an address to a shared variable the first time that the kernel mentions it. ~0 marks those not yet placed. */
static void place_shared(struct ptx_variable *v, uint64_t *bytes) {
    if (v->space != SPACE_SHARED || v->address != ~(uint64_t)0 || (v->external && !v->size))
        return;
    *bytes = aligned(*bytes, v->align);
    v->address = *bytes;
    *bytes += v->size;
}

/* Some bytes at the beginning are the system's, and cooperative groups keep their barriers there. They can be left out
 * in a kernel that does not query their address. */
static bool reserves_shared(const struct ptx_operand *o, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if ((o[i].kind == OPERAND_SPECIAL && strncmp(o[i].symbol, "%reserved_smem_", 15) == 0) ||
            (o[i].items && reserves_shared(o[i].items, o[i].count)))
            return true;
    return false;
}

static uint32_t find_reserved(const struct decoder *d) {
    for (uint32_t i = 0; i < d->function_count; i++) {
        const struct ptx_function *f = d->functions[i]->ptx;
        for (size_t k = 0; k < f->insn_count; k++)
            if (reserves_shared(f->insns[k].operands, f->insns[k].operand_count))
                return LIMIT_SHARED_RESERVED;
    }
    return 0;
}

static void place_shared_operands(const struct ptx_operand *o, unsigned n, uint64_t *bytes) {
    for (unsigned i = 0; i < n; i++) {
        if (o[i].variable)
            place_shared(o[i].variable, bytes);
        if (o[i].items)
            place_shared_operands(o[i].items, o[i].count, bytes);
    }
}

/* extern __shared__ x[], in any file: they all begin at the same place, after the static ones. */
static uint64_t place_dynamic_shared(const struct decoder *d, uint64_t bytes) {
    uint64_t align = 16;
    for (const struct ptx_module *m = d->ptx; m; m = m->next)
        for (const struct ptx_variable *v = m->variables; v; v = v->next)
            if (v->space == SPACE_SHARED && v->external && !v->size) {
                d->kernel->has_dynamic_shared = true;
                align = v->align > align ? v->align : align;
            }
    bytes = aligned(bytes, align);
    for (const struct ptx_module *m = d->ptx; m; m = m->next)
        for (struct ptx_variable *v = m->variables; v; v = v->next)
            if (v->space == SPACE_SHARED && v->external && !v->size)
                v->address = bytes;
    return bytes;
}

static uint64_t place_static_shared(struct decoder *d) {
    uint64_t bytes = d->kernel->reserved_shared = find_reserved(d);
    for (const struct ptx_module *m = d->ptx; m; m = m->next)
        for (struct ptx_variable *v = m->variables; v; v = v->next)
            if (v->space == SPACE_SHARED)
                v->address = ~(uint64_t)0;
    for (uint32_t i = 0; i < d->function_count; i++)
        for (struct ptx_variable *v = d->functions[i]->ptx->variables; v; v = v->next)
            if (v->space == SPACE_SHARED)
                v->address = ~(uint64_t)0;
    for (uint32_t i = 0; i < d->function_count; i++) {
        const struct ptx_function *f = d->functions[i]->ptx;
        for (size_t k = 0; k < f->insn_count; k++)
            place_shared_operands(f->insns[k].operands, f->insns[k].operand_count, &bytes);
    }
    return bytes;
}

static void layout_shared(struct decoder *d) {
    uint64_t bytes = place_static_shared(d);
    if (bytes > MAX_SHARED) /* beyond what any launch could be given; the launch checks the exact limit */
        decode_fail(d, "the kernel needs %llu bytes of shared memory", (unsigned long long)bytes);
    d->kernel->static_shared = (uint32_t)bytes - d->kernel->reserved_shared;
    d->kernel->dynamic_start = (uint32_t)place_dynamic_shared(d, bytes);
}

static void layout_params(struct kernel *k) {
    for (struct ptx_variable *v = k->ptx->params; v; v = v->next) {
        uint32_t i = 0;
        for (struct ptx_variable *p = k->ptx->params; p != v; p = p->next)
            i++;
        v->address = k->params[i].offset;
    }
}

/* ---- code ---- */

static void resolve_branches(struct decoder *d, size_t first_patch) {
    for (size_t i = first_patch; i < d->patch_count; i++) {
        size_t k = 0;
        while (k < d->label_count && d->labels[k].name != d->patches[i].label)
            k++;
        d->at = d->sources[d->patches[i].insn];
        if (k == d->label_count)
            decode_fail(d, "label '%s' does not exist", d->patches[i].label);
        if (d->patches[i].where)
            *d->patches[i].where = d->labels[k].insn;
        else
            d->insns[d->patches[i].insn].imm = d->labels[k].insn;
    }
}

static void decode_label(struct decoder *d, const char *name) {
    d->labels = grown(d->labels, &d->label_capacity, d->label_count, sizeof *d->labels);
    d->labels[d->label_count++] = (struct label){name, d->count};
    decode_emit(d, op_label)->flags = INSN_PSEUDO;
}

static void decode_by_row(struct decoder *d, const struct ptx_insn *p) {
#define DECODING(name) [DECODING_##name] = decode_##name,
    static bool (*const decoders[])(struct decoder *, const struct ptx_insn *) = {DECODINGS(DECODING)};
#undef DECODING
    if (!decoders[p->row->decoding](d, p))
        decode_form(d, p);
}

/* @p on an ordinary instruction narrows the mask for it; on a control-flow instruction it becomes a branch around
 * it. */
static void decode_predicated(struct decoder *d, const struct ptx_insn *p) {
    uint32_t predicate = p->predicate->slot, begin = d->count;
    bool around = instruction_is_branched_around(p->row);
    if (around) {
        struct insn *in = decode_emit(d, op_branch_if);
        in->op[0] = predicate;
        in->kind = !p->predicate_negated;
        in->flags = INSN_BRANCH;
    }
    struct ptx_insn unpredicated = *p;
    unpredicated.predicate = NULL;
    decode_by_row(d, &unpredicated);
    if (around) {
        d->insns[begin].imm = d->count; /* already an index, as resolve_branches leaves it */
        decode_emit(d, op_label)->flags = INSN_PSEUDO;
        return;
    }
    /* put a predicate before each instruction emitted: temporaries filled under it are read under it only */
    uint32_t made = d->count - begin;
    for (uint32_t i = 0; i < made; i++)
        decode_emit(d, op_predicate);
    for (uint32_t i = made; i-- > 0;) {
        struct insn inner = d->insns[begin + i];
        inner.index = begin + 2 * i + 1;
        d->insns[begin + 2 * i + 1] = inner;
        d->insns[begin + 2 * i + 1].folded = 0;
        d->insns[begin + 2 * i] = (struct insn){.handler = op_predicate,
                                                .op = {predicate},
                                                .folded = inner.folded,
                                                .kind = p->predicate_negated,
                                                .effect = EFFECT_PREDICATE,
                                                .flags = INSN_PSEUDO | INSN_PREDICATE,
                                                .index = begin + 2 * i};
    }
}

static void decode_insn(struct decoder *d, const struct ptx_insn *p) {
    d->at = p;
    if (p->folded)
        d->folded += d->folded < 255;
    else if (!p->opcode)
        decode_label(d, p->label);
    else if (p->predicate && p->row->control != CONTROL_BRANCH)
        decode_predicated(d, p);
    else
        decode_by_row(d, p);
}

static void decode_function(struct decoder *d, struct function *f) {
    d->function = f;
    d->label_count = 0;
    size_t first_patch = d->patch_count;
    f->first = d->count;
    for (size_t i = 0; i < f->ptx->insn_count; i++)
        decode_insn(d, &f->ptx->insns[i]);
    d->at = f->ptx->insn_count ? &f->ptx->insns[f->ptx->insn_count - 1] : NULL;
    decode_emit(d, f->ptx->entry ? op_exit : op_return)->extra = f; /* a body without ret at its end */
    resolve_branches(d, first_patch);
}

static bool has_target(const struct insn *in) {
    return in->effect == EFFECT_BRANCH || in->effect == EFFECT_BRANCH_IF;
}

static void finish(struct decoder *d) {
    struct kernel *k = d->kernel;
    k->code.insns = arena_alloc(d->arena, d->count * sizeof *d->insns);
    k->code.sources = arena_alloc(d->arena, d->count * sizeof *d->sources);
    memcpy(k->code.insns, d->insns, d->count * sizeof *d->insns);
    memcpy(k->code.sources, d->sources, d->count * sizeof *d->sources);
    k->code.count = d->count;
    for (uint32_t i = 0; i < d->count; i++)
        if (has_target(&k->code.insns[i])) {
            assert(k->code.insns[i].imm >= 0 && k->code.insns[i].imm < d->count);
            bool backward = k->code.insns[i].imm <= (int64_t)i;
            k->code.insns[i].target = &k->code.insns[k->code.insns[i].imm];
            k->code.insns[i].flags |= INSN_TARGET | (backward ? INSN_BACKWARD : 0);
        }
    uint32_t local = 0;
    k->calls = d->function_count > 1;
    for (uint32_t i = 0; i < d->function_count; i++) {
        d->functions[i]->entry = &k->code.insns[d->functions[i]->first];
        local += d->functions[i]->local_bytes;
        k->recursive |= d->functions[i]->recursive;
    }
    k->entry_local = d->functions[0]->local_bytes;
    k->stack_least = local - k->entry_local;
    k->has_stack |= k->calls && k->recursive;
    k->local_bytes = k->calls && k->recursive ? k->entry_local : local;
    k->frame_bytes = (d->frame_bytes + 63) & ~63u;
    k->constants = arena_alloc(d->arena, (d->constant_count + 1) * sizeof *k->constants);
    if (d->constant_count)
        memcpy(k->constants, d->constants, d->constant_count * sizeof *k->constants);
    k->constant_count = (uint32_t)d->constant_count;
    k->access_count = d->access_count;
    if (!k->max_dynamic_shared && k->static_shared < LIMIT_SHARED_BLOCK)
        k->max_dynamic_shared = LIMIT_SHARED_BLOCK - k->static_shared;
}

/* PTX gives a lower bound of the stack; memcheck uses the size that the machine code takes. */
static void ask_frames(struct decoder *d) {
    for (uint32_t i = 1; d->kernel->recursive && check_is_on(CHECK_MEMORY) && i < d->function_count; i++) {
        struct function *f = d->functions[i];
        unsigned frame = resources_frame(f->ptx->name);
        f->stack_bytes = frame > f->stack_bytes ? frame : f->stack_bytes;
    }
}

static struct decoder *decoder_new(struct kernel *k, struct ptx_module *ptx, char *error, size_t size) {
    struct decoder *d = zeroed(1, sizeof *d);
    d->kernel = k;
    d->ptx = ptx;
    d->arena = ptx->arena;
    d->error = error;
    d->error_size = size;
    return d;
}

static void decoder_free(struct decoder *d) {
    free(d->insns);
    free(d->sources);
    free(d->functions);
    free(d->patches);
    free(d->labels);
    free(d->constants);
    free(d);
}

uint64_t kernel_shared_bytes(struct kernel *k, struct ptx_module *ptx) {
    char error[512];
    struct decoder *d = decoder_new(k, ptx, error, sizeof error);
    volatile uint64_t bytes = 0;
    if (setjmp(d->failed) == 0) {
        reach(d, k->ptx);
        reach_all(d);
        bytes = place_static_shared(d) - k->reserved_shared;
    }
    decoder_free(d);
    return bytes;
}

bool kernel_decode(struct kernel *k, struct ptx_module *ptx) {
    char error[512];
    struct decoder *d = decoder_new(k, ptx, error, sizeof error);
    bool good = setjmp(d->failed) == 0;
    if (good) {
        d->trash_slot = ~0u;
        d->trash_predicate = decode_frame(d, 4, 64); /* the first of all: TRASH_PREDICATE */
        reach(d, k->ptx);
        reach_all(d);
        for (uint32_t i = 0; i < d->function_count; i++)
            typing_check(d, d->functions[i]->ptx);
        d->at = NULL;
        find_recursion(d);
        layout_shared(d);
        layout_params(k);
        for (uint32_t i = 0; i < d->function_count; i++)
            layout_function(d, d->functions[i]);
        for (uint32_t i = 0; i < d->function_count; i++)
            decode_function(d, d->functions[i]);
        finish(d);
        ask_frames(d);
    } else {
        k->error = (char *)arena_intern(d->arena, error, strlen(error));
    }
    decoder_free(d);
    return good;
}
