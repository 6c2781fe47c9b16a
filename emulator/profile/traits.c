/* Finds the class and the kind of memory access of each instruction, once for each kernel. */
#include "profile/traits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "decode/registers.h"
#include "isa/instruction.h"
#include "profile/in_flight.h"
#include "profile/tensor_shapes.h"
#include "ptx/opcode.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* How it accesses memory. */
static enum insn_shape shape_of(const struct insn *in) {
    static const uint8_t shapes[EFFECT_END] = {
        [EFFECT_ACCESS] = SHAPE_ACCESS,         [EFFECT_COPY_READ] = SHAPE_COPY_READ,
        [EFFECT_COPY_WRITE] = SHAPE_COPY_WRITE, [EFFECT_BULK_WRITE] = SHAPE_BULK,
        [EFFECT_MATRIX_ROWS] = SHAPE_MATRIX,    [EFFECT_TILE] = SHAPE_WMMA,
        [EFFECT_TEXTURE] = SHAPE_TEXTURE,       [EFFECT_SURFACE] = SHAPE_SURFACE,
        [EFFECT_DESCRIPTORS] = SHAPE_PRODUCT,   [EFFECT_MBARRIER_WAIT] = SHAPE_MBARRIER_WAIT,
    };
    return (enum insn_shape)shapes[in->effect];
}

/* ---- atomics whose result is unused: ptxas makes reductions of them ---- */

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
    if (p->row->first == FIRST_READ || p->operands[0].kind == OPERAND_SINK)
        return true;
    bool exchanges = opcode_has(p->opcode, "cas") || opcode_has(p->opcode, "exch"); /* there are no such reductions */
    return !exchanges && p->operands[0].kind == OPERAND_REGISTER && !is_read(k, p, p->operands[0].reg);
}

/* The constant 1: in the instruction, or in a register that fold.c has found to hold it. */
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

/* cp.async.wait_all waits for all groups, cp.async.wait_group for all but the newest. */
static void look_at_wait(const struct ptx_insn *p, struct insn_traits *t) {
    t->commits = p->row->order == ORDER_COPY_COMMIT;
    t->waits = p->row->order == ORDER_COPY_WAIT || p->row->order == ORDER_COPY_WAIT_ALL;
    if (p->row->order == ORDER_COPY_WAIT && p->operand_count)
        t->left = (uint32_t)p->operands[0].value;
}

/* Of the instructions that decode makes of a product, the one that multiplies; not for wgmma: that has a shape. */
static bool is_tensor_product(const struct insn *in, const struct ptx_insn *p) {
    char name[SHAPE_NAME];
    return p && !(in->flags & INSN_PSEUDO) && shape_of(in) == SHAPE_NONE && tensor_shape_name(p, name);
}

static struct traits *make_traits(const struct kernel *k) {
    struct traits *t = zeroed(1, sizeof *t + k->code.count * sizeof *t->insns);
    uint16_t *together = in_flight_find(k);
    for (uint32_t i = 0; i < k->code.count; i++) {
        const struct ptx_insn *p = k->code.sources[i];
        struct insn_traits *now = &t->insns[i];
        now->class = (uint8_t)(p && p->opcode ? instruction_class(p->row, p->opcode) : CLASS_OTHER);
        now->shape = (uint8_t)shape_of(&k->code.insns[i]);
        now->bypasses = now->shape == SHAPE_COPY_READ && opcode_has(p->opcode, "cg");
        if (now->shape == SHAPE_ACCESS && p && p->opcode && now->class == CLASS_ATOMIC)
            look_at_atomic(k, p, now);
        if (is_tensor_product(&k->code.insns[i], p))
            now->shape = SHAPE_TENSOR;
        now->together = together[i];
        if (p && p->opcode) {
            look_at_wait(p, now);
            now->polls = in_flight_polls(p);
        }
    }
    free(together);
    return t;
}

const struct traits *traits_of(const struct kernel *k) {
    struct kernel *owner =
        (struct kernel *)(uintptr_t)k; /* the launch only reads it, and this is not part of that input */
    pthread_mutex_lock(&lock);
    if (!owner->traits)
        owner->traits = make_traits(k);
    pthread_mutex_unlock(&lock);
    return owner->traits;
}
