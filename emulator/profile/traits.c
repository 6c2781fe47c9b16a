/* See traits.h. */
#include "profile/traits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/sites.h"
#include "ptx/opcode.h"
#include "decode/registers.h"
#include "ops/async.h"
#include "ops/matrix.h"
#include "ops/texture_fetch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- classes ---- */

static bool one_of(const char *opcode, const char *const *names) {
    for (; *names; names++)
        if (opcode_is(opcode, *names))
            return true;
    return false;
}

static enum insn_class class_by_type(const char *opcode) {
    switch (opcode_type(opcode, 0)) {
    case TYPE_F32:
        return CLASS_FP32;
    case TYPE_F64:
        return CLASS_FP64;
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F16X2:
    case TYPE_BF16X2:
        return CLASS_FP16;
    default:
        return CLASS_INTEGER;
    }
}

/* By the opcode's beginning; what is in no list computes, and its type says in which unit. */
static enum insn_class class_of(const char *opcode) {
    static const char *const memory[] = {"ld",         "st", "ldu",      "ldmatrix",  "stmatrix",      "wmma.load",
                                         "wmma.store", "cp", "prefetch", "prefetchu", "applypriority", "discard",
                                         NULL};
    static const char *const atomic[] = {"atom", "red", NULL}, *const texture[] = {"tex",  "tld4", "txq",   "suld",
                                                                                   "sust", "suq",  "sured", NULL};
    static const char *const control[] = {"bra", "brx", "call", "ret", "exit", "trap", "brkpt", NULL};
    static const char *const sync[] = {"bar", "barrier", "membar", "fence", "mbarrier", "nanosleep", NULL};
    static const char *const warp[] = {"shfl", "vote", "match", "activemask", "redux", "elect", "movmatrix", NULL};
    static const char *const move[] = {"mov", "selp", "slct", "cvta", "isspacep", "prmt", "mapa", "createpolicy", NULL};
    static const char *const special[] = {"rcp", "sqrt", "rsqrt",    "sin",        "cos", "lg2",
                                          "ex2", "tanh", "div.full", "div.approx", NULL};
    static const char *const tensor[] = {"mma", "wmma.mma", NULL};
    static const struct {
        const char *const *names;
        enum insn_class class;
    } lists[] = {{memory, CLASS_MEMORY},   {atomic, CLASS_ATOMIC},   {texture, CLASS_TEXTURE},
                 {control, CLASS_CONTROL}, {sync, CLASS_SYNC},       {warp, CLASS_WARP},
                 {move, CLASS_MOVE},       {special, CLASS_SPECIAL}, {tensor, CLASS_TENSOR}};
    if (opcode_is(opcode, "cvt"))
        return CLASS_CONVERSION;
    if (opcode_is(opcode, "bar.warp"))
        return CLASS_WARP;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (one_of(opcode, lists[i].names))
            return lists[i].class;
    return class_by_type(opcode);
}

/* ---- ways to memory ---- */

static enum insn_shape shape_of(const struct kernel *k, const struct insn *in) {
    op_fn run = sites_operation(k, in);
    static const struct {
        op_fn run;
        enum insn_shape shape;
    } special[] = {{op_copy_read, SHAPE_COPY_READ}, {op_copy_write, SHAPE_COPY_WRITE}, {op_bulk_write, SHAPE_BULK},
                   {op_ldmatrix, SHAPE_MATRIX},     {op_stmatrix, SHAPE_MATRIX},       {op_wmma_load, SHAPE_WMMA},
                   {op_wmma_store, SHAPE_WMMA},     {op_texture, SHAPE_TEXTURE},       {op_surface, SHAPE_SURFACE}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i].run == run)
            return special[i].shape;
    return in->flags & INSN_MEMORY && run != op_bulk_read ? SHAPE_ACCESS : SHAPE_NONE;
}

/* ---- atomics whose result nobody reads: ptxas makes reductions of them ---- */

struct search {
    const struct ptx_register *wanted;
    bool read;
};

static void note_read(struct ptx_register *r, bool written, void *context) {
    struct search *s = context;
    s->read |= r == s->wanted && !written;
}

static bool is_read(const struct kernel *k, const struct ptx_insn *atomic, const struct ptx_register *r) {
    struct search s = {r, false};
    const struct ptx_insn *last = NULL;
    for (uint32_t i = 0; i < k->code.count && !s.read; i++) {
        const struct ptx_insn *p = k->code.sources[i];
        if (!p || p == last || p == atomic)
            continue;
        last = p;
        visit_registers(p, note_read, &s);
    }
    return s.read;
}

static bool result_is_unseen(const struct kernel *k, const struct ptx_insn *p) {
    if (opcode_is(p->opcode, "red") || p->operands[0].kind == OPERAND_SINK)
        return true;
    bool exchanges = opcode_has(p->opcode, "cas") || opcode_has(p->opcode, "exch"); /* there are no such reductions */
    return !exchanges && p->operands[0].kind == OPERAND_REGISTER && !is_read(k, p, p->operands[0].reg);
}

/* The constant 1: in the instruction, or in a register that fold.c knows to hold it. */
static bool is_one(const struct kernel *k, const struct ptx_operand *o) {
    if (o->kind == OPERAND_INTEGER)
        return o->value == 1;
    if (o->kind != OPERAND_REGISTER || !o->reg->constant)
        return false;
    for (uint32_t i = 0; i < k->constant_count; i++)
        if (k->constants[i].slot == o->reg->slot)
            return k->constants[i].bits == 32 && k->constants[i].value == 1;
    return false;
}

static void look_at_atomic(const struct kernel *k, const struct ptx_insn *p, struct insn_traits *t) {
    t->unseen = result_is_unseen(k, p);
    t->compares = opcode_has(p->opcode, "cas");
    bool adds = opcode_has(p->opcode, "add") && (opcode_has(p->opcode, "u32") || opcode_has(p->opcode, "s32"));
    t->counts = t->unseen && adds && is_one(k, &p->operands[p->operand_count - 1]);
}

static struct traits *make(const struct kernel *k) {
    struct traits *t = calloc(1, sizeof *t + k->code.count * sizeof *t->insns);
    if (!t)
        abort();
    for (uint32_t i = 0; i < k->code.count; i++) {
        const struct ptx_insn *p = k->code.sources[i];
        struct insn_traits *now = &t->insns[i];
        now->class = (uint8_t)(p && p->opcode ? class_of(p->opcode) : CLASS_OTHER);
        now->shape = (uint8_t)shape_of(k, &k->code.insns[i]);
        now->bypasses = now->shape == SHAPE_COPY_READ && opcode_has(p->opcode, "cg");
        if (now->shape == SHAPE_ACCESS && p && p->opcode && now->class == CLASS_ATOMIC)
            look_at_atomic(k, p, now);
    }
    return t;
}

const struct traits *traits_of(const struct kernel *k) {
    struct kernel *owner =
        (struct kernel *)(uintptr_t)k; /* the launch only reads it, and this is no part of what it reads */
    pthread_mutex_lock(&lock);
    if (!owner->traits)
        owner->traits = make(k);
    pthread_mutex_unlock(&lock);
    return owner->traits;
}
