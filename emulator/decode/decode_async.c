/* Decoding copies that a GPU makes in the background, and the mbarriers that wait for them. */
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/decode_async.h"
#include "memory/memory.h"
#include "ops/async.h"
#include "ops/atomic.h"
#include "ops/forms.h"
#include "ops/mbarrier.h"
#include "ops/control.h"

/* The n-th word of an opcode, counted from 0. */
struct word {
    const char *text;
    size_t length;
};

static struct word word_at(const char *opcode, unsigned n) {
    while (n && *opcode) {
        opcode += strcspn(opcode, ".");
        opcode += *opcode == '.';
        n--;
    }
    return (struct word){opcode, strcspn(opcode, ".")};
}

static bool word_is(struct word w, const char *text) {
    return w.length == strlen(text) && memcmp(w.text, text, w.length) == 0;
}

/* Every word of the opcode from the n-th on must be in a list that ends with NULL: an unknown word may matter. */
static void only_words(struct decoder *d, const char *opcode, unsigned n, const char *const *known) {
    for (struct word w; (w = word_at(opcode, n)).length; n++) {
        size_t i = 0;
        while (known[i] && !word_is(w, known[i]))
            i++;
        if (!known[i])
            decode_fail(d, "'%s': '.%.*s' is not supported", opcode, (int)w.length, w.text);
    }
}

static void need_operands(struct decoder *d, const struct ptx_insn *p, unsigned n) {
    if (p->operand_count != n)
        decode_fail(d, "'%s' needs %u operands, not %u", p->opcode, n, p->operand_count);
}

static void fill_access(struct decoder *d, struct access *a, enum access_kind kind, enum ptx_space space,
                        enum ptx_type type, unsigned count) {
    a->kind = (uint8_t)kind;
    a->space = (uint8_t)space;
    a->type = (uint8_t)type;
    a->bytes = (uint8_t)(ptx_type_bits[type] / 8);
    a->count = (uint8_t)count;
    a->slot = d->access_count++;
}

/* ---- cp.async ---- */

static void half_copy(struct decoder *d, handler_fn handler, struct access *a, const struct ptx_operand *where,
                      uint32_t bytes) {
    int64_t offset;
    enum access_kind kind = handler == op_copy_read ? ACCESS_LOAD : ACCESS_STORE;
    fill_access(d, a, kind, kind == ACCESS_LOAD ? SPACE_GLOBAL : SPACE_SHARED, TYPE_B32, bytes / 4);
    offset = decode_address(d, where, a);
    struct insn *in = decode_emit(d, handler);
    in->op[0] = decode_trash(d); /* holds the bytes from here to the next instruction, which is ours, too */
    in->imm = offset;
    in->extra = a;
}

/* cp.async.ca.shared.global [to], [from], size {, bytes to read | predicate} {, cache policy} */
bool decode_copy(struct decoder *d, const struct ptx_insn *p) {
    static const char *const words[] = {"ca",      "cg",       "shared",   "shared::cta",    "global",
                                        "L2::64B", "L2::128B", "L2::256B", "L2::cache_hint", NULL};
    only_words(d, p->opcode, 2, words);
    unsigned n = p->operand_count - opcode_has(p->opcode, "L2::cache_hint");
    if (n < 3 || n > 4)
        decode_fail(d, "'%s' needs 3 or 4 operands", p->opcode);
    int64_t size = decode_immediate(d, &p->operands[2]);
    if (size != 16 && (opcode_has(p->opcode, "cg") || (size != 4 && size != 8)))
        decode_fail(d, "'%s' cannot copy %lld bytes", p->opcode, (long long)size);
    enum copy_kind kind = COPY_ALL;
    uint32_t wanted = 0;
    if (n == 4) {
        const struct ptx_operand *o = &p->operands[3];
        kind = o->kind == OPERAND_REGISTER && o->reg->type == TYPE_PRED ? COPY_UNLESS : COPY_SOME;
        wanted = decode_source(d, o, kind == COPY_UNLESS ? 1 : 32);
    }
    decode_trash(d);
    struct access *from = arena_alloc(d->arena, sizeof *from), *to = arena_alloc(d->arena, sizeof *to);
    half_copy(d, op_copy_read, from, &p->operands[1], (uint32_t)size);
    struct insn *read = &d->insns[d->count - 1];
    read->op[2] = wanted;
    read->kind = (uint16_t)kind;
    read->flags = INSN_MEMORY;
    half_copy(d, op_copy_write, to, &p->operands[0], (uint32_t)size);
    d->insns[d->count - 1].flags = INSN_PSEUDO;
    return true;
}

/* ---- mbarrier ---- */

/* Emits an operation on the mbarrier at an address; `opcode` specifies the space. */
static struct insn *on_mbarrier(struct decoder *d, handler_fn handler, const struct ptx_operand *where,
                                const char *opcode) {
    struct access *a = arena_alloc(d->arena, sizeof *a);
    int64_t window = decode_cluster_window(opcode);
    fill_access(d, a, ACCESS_ATOMIC, opcode_has(opcode, "shared") && !window ? SPACE_SHARED : SPACE_GENERIC, TYPE_B64,
                1);
    int64_t offset = decode_address(d, where, a) + window;
    struct insn *in = decode_emit(d, handler);
    in->imm = offset;
    in->extra = a;
    return in;
}

void decode_arriving_bytes(struct decoder *d, const struct ptx_operand *where, uint32_t bytes) {
    uint32_t count = decode_constant(d, 32, bytes);
    struct insn *in = on_mbarrier(d, op_mbarrier_bytes, where, d->at->opcode);
    in->op[1] = count;
    in->kind = 1;
    in->flags = INSN_PSEUDO;
}

void decode_copied_bytes(struct decoder *d, const struct ptx_operand *where, uint32_t bytes, uint32_t ranks) {
    bool multicast = ranks != ~0u;
    struct insn *in = on_mbarrier(d, multicast ? op_mbarrier_multicast : op_mbarrier_bytes, where, ".shared::cluster");
    in->op[1] = bytes;
    in->op[2] = multicast ? ranks : 0;
    in->kind = 1;
    in->flags = INSN_PSEUDO;
}

static uint32_t source_or(struct decoder *d, const struct ptx_insn *p, unsigned operand, uint32_t value) {
    return operand < p->operand_count ? decode_source(d, &p->operands[operand], 32) : decode_constant(d, 32, value);
}

static void mbarrier_words(struct decoder *d, const struct ptx_insn *p) {
    static const char *const words[] = {
        "shared", "shared::cta", "shared::cluster", "b64",    "relaxed",    "acquire", "release",
        "cta",    "cluster",     "expect_tx",       "parity", "noComplete", NULL};
    only_words(d, p->opcode, 2, words);
}

static void mbarrier_count(struct decoder *d, const struct ptx_insn *p, handler_fn handler, unsigned kind) {
    mbarrier_words(d, p);
    need_operands(d, p, 2);
    uint32_t count = decode_source(d, &p->operands[1], 32);
    struct insn *in = on_mbarrier(d, handler, &p->operands[0], p->opcode);
    in->op[1] = count;
    in->kind = (uint16_t)kind;
}

bool decode_mbarrier_init(struct decoder *d, const struct ptx_insn *p) {
    mbarrier_count(d, p, op_mbarrier_init, 0);
    return true;
}

bool decode_mbarrier_expect(struct decoder *d, const struct ptx_insn *p) {
    mbarrier_count(d, p, op_mbarrier_bytes, 0);
    return true;
}

bool decode_mbarrier_complete(struct decoder *d, const struct ptx_insn *p) {
    mbarrier_count(d, p, op_mbarrier_bytes, 1);
    return true;
}

bool decode_mbarrier_inval(struct decoder *d, const struct ptx_insn *p) {
    mbarrier_words(d, p);
    need_operands(d, p, 1);
    on_mbarrier(d, op_mbarrier_inval, &p->operands[0], p->opcode);
    return true;
}

static void mbarrier_arrive(struct decoder *d, const struct ptx_insn *p, unsigned kind) {
    bool bytes = opcode_has(p->opcode, "expect_tx");
    mbarrier_words(d, p);
    if (p->operand_count < 2)
        decode_fail(d, "'%s' needs more operands", p->opcode);
    uint32_t count = bytes ? decode_constant(d, 32, 1) : source_or(d, p, 2, 1);
    uint32_t expect = bytes ? source_or(d, p, 2, 0) : decode_constant(d, 32, 0);
    uint32_t state = decode_destination(d, &p->operands[0], 64);
    struct insn *in = on_mbarrier(d, op_mbarrier_arrive, &p->operands[1], p->opcode);
    in->op[0] = state;
    in->op[1] = count;
    in->op[2] = expect;
    in->kind = (uint16_t)(kind | (opcode_has(p->opcode, "noComplete") ? MBARRIER_NO_COMPLETE : 0));
}

bool decode_mbarrier_arrive(struct decoder *d, const struct ptx_insn *p) {
    mbarrier_arrive(d, p, 0);
    return true;
}

bool decode_mbarrier_drop(struct decoder *d, const struct ptx_insn *p) {
    mbarrier_arrive(d, p, MBARRIER_DROP);
    return true;
}

/* The last operand, if there is a fourth, is the maximum time to wait: a hint. */
bool decode_mbarrier_wait(struct decoder *d, const struct ptx_insn *p) {
    bool parity = opcode_has(p->opcode, "parity");
    mbarrier_words(d, p);
    if (p->operand_count < 3)
        decode_fail(d, "'%s' needs more operands", p->opcode);
    uint32_t state = decode_source(d, &p->operands[2], parity ? 32 : 64);
    uint32_t over = decode_destination(d, &p->operands[0], 1);
    struct insn *in = on_mbarrier(d, op_mbarrier_wait, &p->operands[1], p->opcode);
    in->op[0] = over;
    in->op[1] = state;
    in->kind = parity;
    return true;
}

bool decode_mbarrier_pending(struct decoder *d, const struct ptx_insn *p) {
    mbarrier_words(d, p);
    need_operands(d, p, 2);
    uint32_t state = decode_source(d, &p->operands[1], 64), count = decode_destination(d, &p->operands[0], 32);
    struct insn *in = decode_emit(d, op_mbarrier_pending);
    in->op[0] = count;
    in->op[1] = state;
    return true;
}

/* cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [mbarrier] */
bool decode_copy_arrive(struct decoder *d, const struct ptx_insn *p) {
    static const char *const words[] = {"noinc", "shared", "shared::cta", "b64", NULL};
    only_words(d, p->opcode, 4, words);
    need_operands(d, p, 1);
    bool arrives = opcode_has(p->opcode, "noinc");
    uint32_t one = decode_constant(d, 32, 1), zero = decode_constant(d, 32, 0);
    handler_fn handler = arrives ? op_mbarrier_arrive : op_mbarrier_touch;
    struct insn *in = on_mbarrier(d, handler, &p->operands[0], p->opcode);
    in->op[0] = decode_trash(d);
    in->op[1] = one;
    in->op[2] = zero;
    return true;
}

/* ---- cp.async.bulk ---- */

/* Generic: in the cluster's shared memory. */
static enum ptx_space bulk_space(struct decoder *d, const struct ptx_insn *p, struct word w) {
    if (word_is(w, "global"))
        return SPACE_GLOBAL;
    if (!word_is(w, "shared::cta") && !word_is(w, "shared::cluster"))
        decode_fail(d, "'%s' is not supported", p->opcode);
    return word_is(w, "shared::cta") ? SPACE_SHARED : SPACE_GENERIC;
}

/* The shared data of a bulk copy's two sides: slots for the addresses under examination, the size and the host
 * pointers. */
struct bulk_slots {
    uint32_t address, size, pointers;
};

static struct bulk *bulk_side(struct decoder *d, enum access_kind kind, enum ptx_space space,
                              const struct ptx_operand *where, const struct bulk_slots *slots) {
    struct bulk *k = arena_alloc(d->arena, sizeof *k);
    k->byte_mask = k->ranks = ~0u;
    fill_access(d, &k->access, kind, space, TYPE_B128, 1);
    k->offset = decode_address(d, where, &k->access) + (int64_t)(space == SPACE_GENERIC ? SHARED_WINDOW : 0);
    k->address_reg = k->access.address_reg;
    k->address_bits = k->access.address_bits;
    k->access.address_reg = slots->address;
    k->access.address_bits = 64;
    struct insn *in = decode_emit(d, kind == ACCESS_LOAD ? op_bulk_read : op_bulk_write);
    in->extra = k;
    in->op[0] = slots->address;
    in->op[1] = slots->size;
    in->op[2] = slots->pointers;
    in->flags = kind == ACCESS_LOAD ? 0 : INSN_PSEUDO;
    return k;
}

/* cp.reduce: the operation by the name that red has for it. Half-precision ones exist as vectors there. */
static void bulk_reduction(struct decoder *d, const struct ptx_insn *p, struct bulk *k) {
    static const char *const names[] = {"and", "or", "xor", "add", "inc", "dec", "min", "max"};
    enum ptx_type type = opcode_type(p->opcode, 0);
    const char *last = strrchr(p->opcode, '.');
    char opcode[64];
    bool half = type == TYPE_F16 || type == TYPE_BF16;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!opcode_has(p->opcode, names[i]))
            continue;
        snprintf(opcode, sizeof opcode, half ? ".global.v2.%s.noftz%s" : ".global.%s%s", names[i], last);
        struct access found = {0};
        if (!atomic_operation(opcode, false, &found))
            break;
        k->reduces = true;
        k->element = (uint8_t)(ptx_type_bits[type] / 8);
        k->access.operation = found.operation;
        k->access.kind = ACCESS_ATOMIC;
        return;
    }
    decode_fail(d, "'%s' is not supported", p->opcode);
}

/* cp.async.bulk.TO.FROM.mbarrier::complete_tx::bytes{.multicast::cluster} [to], [from], size, [mbarrier] {, ranks} {,
 * cache policy} cp.async.bulk.TO.FROM.bulk_group{.cp_mask} [to], [from], size {, cache policy} {, byte mask} */
static void bulk_copy(struct decoder *d, const struct ptx_insn *p, bool reduce) {
    static const char *const words[] = {"mbarrier::complete_tx::bytes", "bulk_group", "L2::cache_hint", "cp_mask",
                                        "multicast::cluster",           NULL};
    unsigned spaces = reduce ? 4 : 3;
    enum ptx_space to = bulk_space(d, p, word_at(p->opcode, spaces));
    enum ptx_space from = bulk_space(d, p, word_at(p->opcode, spaces + 1));
    bool mbarrier = opcode_has(p->opcode, "mbarrier::complete_tx::bytes"), mask = opcode_has(p->opcode, "cp_mask");
    bool multicast = opcode_has(p->opcode, "multicast::cluster");
    if (!reduce)
        only_words(d, p->opcode, spaces + 2, words);
    need_operands(d, p, 3u + mbarrier + mask + multicast + opcode_has(p->opcode, "L2::cache_hint"));
    struct bulk_slots slots = {decode_frame(d, 8 * WARP_SIZE, 64), decode_source(d, &p->operands[2], 32),
                               decode_frame(d, 8 * WARP_SIZE, 64)};
    uint32_t byte_mask = mask ? decode_source(d, &p->operands[p->operand_count - 1], 16) : ~0u;
    uint32_t ranks = multicast ? decode_source(d, &p->operands[4], 16) : ~0u;
    bulk_side(d, ACCESS_LOAD, from, &p->operands[1], &slots);
    struct bulk *k = bulk_side(d, ACCESS_STORE, to, &p->operands[0], &slots);
    k->byte_mask = byte_mask;
    k->ranks = ranks;
    if (reduce)
        bulk_reduction(d, p, k);
    if (!mbarrier)
        return;
    decode_copied_bytes(d, &p->operands[3], slots.size, ranks);
}

bool decode_bulk_copy(struct decoder *d, const struct ptx_insn *p) {
    bulk_copy(d, p, false);
    return true;
}

bool decode_bulk_reduce(struct decoder *d, const struct ptx_insn *p) {
    bulk_copy(d, p, true);
    return true;
}

/* createpolicy: an opaque number that only cache hints take. */
bool decode_cache_policy(struct decoder *d, const struct ptx_insn *p) {
    uint32_t zero = decode_constant(d, 64, 0), slot = decode_destination(d, &p->operands[0], 64);
    struct insn *in = decode_emit(d, form_find("mov.b64")->handler);
    in->op[0] = slot;
    in->op[1] = zero;
    return true;
}
