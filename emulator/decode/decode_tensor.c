/* Decoding copies by tensor maps: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tensormap.replace and related
 * instructions. */
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/decode_async.h"
#include "memory/memory.h"
#include "ops/atomic.h"
#include "ops/control.h"
#include "ops/tensor_copy.h"
#include "ops/tensor_replace.h"

/* ---- the words ---- */

static bool is_known(const char *word, size_t length) {
    static const char *const words[] = {"async",
                                        "bulk",
                                        "tensor",
                                        "1d",
                                        "2d",
                                        "3d",
                                        "4d",
                                        "5d",
                                        "global",
                                        "shared::cta",
                                        "shared::cluster",
                                        "tile",
                                        "im2col",
                                        "im2col_no_offs",
                                        "bulk_group",
                                        "mbarrier::complete_tx::bytes",
                                        "multicast::cluster",
                                        "L2::cache_hint",
                                        "reduce",
                                        "add",
                                        "min",
                                        "max",
                                        "inc",
                                        "dec",
                                        "and",
                                        "or",
                                        "xor"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(word, words[i], length) == 0)
            return true;
    return false;
}

static bool is_of_a_later_gpu(const char *word) {
    static const char *const beginnings[] = {"tile::gather4", "tile::scatter4", "im2col::w", "cta_group"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void check_words(struct decoder *d, const char *opcode) {
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at, '.')) {
        size_t length = strcspn(++at, ".");
        if (is_of_a_later_gpu(at))
            decode_fail(d, "'%s': '.%.*s' needs compute capability 10.0", opcode, (int)length, at);
        if (!is_known(at, length))
            decode_fail(d, "'%s': '.%.*s' is not supported", opcode, (int)length, at);
    }
}

static uint8_t rank_of(struct decoder *d, const char *opcode) {
    static const char *const ranks[TENSOR_RANKS] = {"1d", "2d", "3d", "4d", "5d"};
    for (uint8_t i = 0; i < TENSOR_RANKS; i++)
        if (opcode_has(opcode, ranks[i]))
            return (uint8_t)(i + 1);
    decode_fail(d, "'%s' does not specify the number of dimensions", opcode);
}

/* ---- the operands ---- */

/* An address that may be any space's: a symbol is an offset in its own space. */
static int64_t generic_address(struct decoder *d, const struct ptx_operand *o, struct access *a) {
    int64_t offset = decode_address(d, o, a);
    if (!o->reg && o->variable)
        offset += o->variable->space == SPACE_PARAM    ? (int64_t)PARAM_WINDOW
                  : o->variable->space == SPACE_SHARED ? (int64_t)SHARED_WINDOW
                                                       : 0;
    return offset;
}

static void some_access(struct decoder *d, struct access *a, enum access_kind kind, enum ptx_space space,
                        uint8_t count) {
    a->kind = (uint8_t)kind;
    a->space = (uint8_t)space;
    a->type = TYPE_B128;
    a->bytes = 16;
    a->count = count;
    a->slot = d->access_count++;
}

static void coordinates(struct decoder *d, const struct ptx_operand *o, struct tensor_copy *t) {
    const struct ptx_operand *list = o->items;
    bool is_list = list && list->kind == OPERAND_VECTOR;
    if (!list || (is_list ? list->count : 1) != t->rank)
        decode_fail(d, "'%s' needs %u coordinates after the tensor map", d->at->opcode, t->rank);
    for (unsigned i = 0; i < t->rank; i++)
        t->coordinates[i] = decode_source(d, is_list ? &list->items[i] : list, 32);
}

/* {w, h, d} of im2col. */
static void filter_offsets(struct decoder *d, const struct ptx_operand *o, struct tensor_copy *t) {
    bool is_list = o->kind == OPERAND_VECTOR;
    if (t->rank < 3 || (is_list ? o->count : 1u) != t->rank - 2u)
        decode_fail(d, "'%s' needs %d offsets", d->at->opcode, t->rank - 2);
    for (unsigned i = 0; i + 2 < t->rank; i++)
        t->offsets[i] = decode_source(d, is_list ? &o->items[i] : o, 16);
    t->has_offsets = true;
}

/* The first instruction: checks the map. */
static void look_at_map(struct decoder *d, const struct ptx_operand *where, struct tensor_copy *t) {
    some_access(d, &t->map, ACCESS_LOAD, SPACE_GENERIC, TENSOR_MAP_ALIGN / 16);
    t->map_offset = generic_address(d, where, &t->map);
    coordinates(d, where, t);
    t->bytes = decode_frame(d, 4 * WARP_SIZE, 64);
    t->global_bytes = decode_frame(d, 4 * WARP_SIZE, 64);
    struct insn *in = decode_emit(d, op_tensor_map);
    in->extra = t;
    in->imm = t->map_offset;
    in->flags = INSN_PSEUDO;
}

/* ---- the sides ---- */

static struct bulk *new_side(struct decoder *d, enum access_kind kind, enum ptx_space space, struct tensor_copy *t) {
    struct bulk *k = arena_alloc(d->arena, sizeof *k);
    k->byte_mask = k->ranks = ~0u;
    k->tensor = t;
    some_access(d, &k->access, kind, space, 1);
    return k;
}

static void emit_side(struct decoder *d, struct bulk *k, uint32_t address) {
    bool load = k->access.kind == ACCESS_LOAD;
    k->access.address_reg = address;
    k->access.address_bits = 64;
    struct insn *in = decode_emit(d, load ? op_tensor_read : op_tensor_write);
    in->extra = k;
    in->op[0] = address;
    in->op[1] = k->tensor->bytes;
    in->flags = load ? 0 : INSN_PSEUDO;
}

/* Both sides. A load may write to another block of the cluster, or with ranks (a slot, else ~0u) to several. */
static struct bulk *emit_sides(struct decoder *d, const struct ptx_operand *shared, struct tensor_copy *t,
                               uint32_t ranks) {
    int64_t window = t->store ? 0 : decode_cluster_window(d->at->opcode);
    struct bulk *in_shared =
        new_side(d, t->store ? ACCESS_LOAD : ACCESS_STORE, window ? SPACE_GENERIC : SPACE_SHARED, t);
    struct bulk *in_global = new_side(d, t->store ? ACCESS_STORE : ACCESS_LOAD, SPACE_GLOBAL, t);
    in_shared->offset = decode_address(d, shared, &in_shared->access) + window;
    in_shared->address_reg = in_shared->access.address_reg;
    in_shared->address_bits = in_shared->access.address_bits;
    in_shared->ranks = ranks;
    t->shared = in_shared;
    uint32_t address = decode_frame(d, 8 * WARP_SIZE, 64);
    emit_side(d, t->store ? in_shared : in_global, address);
    emit_side(d, t->store ? in_global : in_shared, address);
    return in_global;
}

/* The operation for tensors of each type, by the name that red has for it. */
static void reductions(struct decoder *d, const char *operation, struct bulk *k, struct tensor_copy *t) {
    static const char *const types[TENSOR_TYPES] = {
        [TENSOR_U32] = "u32",  [TENSOR_S32] = "s32",      [TENSOR_U64] = "u64",    [TENSOR_S64] = "s64",
        [TENSOR_F16] = "f16",  [TENSOR_BF16] = "bf16",    [TENSOR_F32] = "f32",    [TENSOR_F64] = "f64",
        [TENSOR_TF32] = "f32", [TENSOR_TF32_FTZ] = "f32", [TENSOR_F32_FTZ] = "f32"};
    struct access *of_type = arena_alloc(d->arena, TENSOR_TYPES * sizeof *of_type);
    bool bits = strcmp(operation, "and") == 0 || strcmp(operation, "or") == 0 || strcmp(operation, "xor") == 0;
    for (unsigned i = 0; i < TENSOR_TYPES; i++) {
        char opcode[64];
        bool half = i == TENSOR_F16 || i == TENSOR_BF16;
        const char *type = !bits || half || i >= TENSOR_F32     ? types[i]
                           : i == TENSOR_U64                    ? "b64"
                           : i >= TENSOR_U32 && i <= TENSOR_S32 ? "b32"
                                                                : NULL;
        snprintf(opcode, sizeof opcode, half ? ".global.v2.%s.noftz.%s" : ".global.%s.%s", operation, type ? type : "");
        of_type[i] = k->access;
        if (!type || !atomic_operation(opcode, false, &of_type[i]))
            of_type[i].operation = TENSOR_NO_REDUCTION;
    }
    k->reduces = true;
    k->access.kind = ACCESS_ATOMIC;
    t->reductions = of_type;
}

/* ---- the instructions ---- */

static struct tensor_copy *new_copy(struct decoder *d, const struct ptx_insn *p, bool store) {
    struct tensor_copy *t = arena_alloc(d->arena, sizeof *t);
    check_words(d, p->opcode);
    t->rank = rank_of(d, p->opcode);
    t->mode = opcode_has(p->opcode, "im2col") || opcode_has(p->opcode, "im2col_no_offs") ? TENSOR_IM2COL : TENSOR_TILED;
    t->store = store;
    return t;
}

/* ... [to], [map, {coordinates}], [mbarrier] {, {offsets}} {, ranks} {, cache policy} */
static void tensor_load(struct decoder *d, const struct ptx_insn *p) {
    struct tensor_copy *t = new_copy(d, p, false);
    bool multicast = opcode_has(p->opcode, "multicast::cluster");
    unsigned n = p->operand_count - opcode_has(p->opcode, "L2::cache_hint") - multicast;
    bool offsets = t->mode == TENSOR_IM2COL && n == 4;
    if (n != 3u + offsets)
        decode_fail(d, "'%s' needs an address, a tensor map with coordinates and an mbarrier", p->opcode);
    if (offsets)
        filter_offsets(d, &p->operands[3], t);
    uint32_t ranks = multicast ? decode_source(d, &p->operands[n], 16) : ~0u;
    look_at_map(d, &p->operands[1], t);
    emit_sides(d, &p->operands[0], t, ranks);
    decode_copied_bytes(d, &p->operands[2], t->bytes, ranks);
}

/* ... [map, {coordinates}], [from] {, cache policy} */
static void tensor_store(struct decoder *d, const struct ptx_insn *p, const char *operation) {
    struct tensor_copy *t = new_copy(d, p, true);
    if (p->operand_count != 2u + opcode_has(p->opcode, "L2::cache_hint") || !opcode_has(p->opcode, "bulk_group"))
        decode_fail(d, "'%s' needs a tensor map with coordinates and an address", p->opcode);
    look_at_map(d, &p->operands[0], t);
    struct bulk *global = emit_sides(d, &p->operands[1], t, ~0u);
    if (operation)
        reductions(d, operation, global, t);
}

bool decode_tensor_copy(struct decoder *d, const struct ptx_insn *p) {
    if (opcode_has(p->opcode, "mbarrier::complete_tx::bytes"))
        tensor_load(d, p);
    else
        tensor_store(d, p, NULL);
    return true;
}

bool decode_tensor_reduce(struct decoder *d, const struct ptx_insn *p) {
    static const char *const operations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (opcode_has(p->opcode, operations[i])) {
            tensor_store(d, p, operations[i]);
            return true;
        }
    decode_fail(d, "'%s' does not name an operation", p->opcode);
}

/* Nothing is read: only the form is checked. */
bool decode_tensor_prefetch(struct decoder *d, const struct ptx_insn *p) {
    struct tensor_copy t = {.rank = rank_of(d, p->opcode)};
    struct ptx_operand map = p->operands[0];
    coordinates(d, &map, &t);
    decode_emit(d, op_nothing);
    return true;
}

/* ---- maps that kernels change ---- */

static const char *const fields[TENSOR_FIELDS] = {
    "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
    "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
    "fill_mode"};

static enum tensor_field field_of(struct decoder *d, const char *opcode) {
    for (unsigned i = 0; i < TENSOR_FIELDS; i++)
        if (opcode_has(opcode, fields[i]))
            return (enum tensor_field)i;
    decode_fail(d, "'%s' does not name a field of a tensor map", opcode);
}

static struct access *map_access(struct decoder *d, enum access_kind kind, enum ptx_space space,
                                 const struct ptx_operand *where, int64_t *offset) {
    struct access *a = arena_alloc(d->arena, sizeof *a);
    some_access(d, a, kind, space, TENSOR_MAP_ALIGN / 16);
    *offset = space == SPACE_GENERIC ? generic_address(d, where, a) : decode_address(d, where, a);
    return a;
}

/* tensormap.replace.tile.FIELD{.global|.shared::cta}.b1024.b32|b64 [map], {which dimension,} value */
bool decode_tensor_replace(struct decoder *d, const struct ptx_insn *p) {
    enum tensor_field field = field_of(d, p->opcode);
    bool numbered = field >= TENSOR_FIELD_BOX && field <= TENSOR_FIELD_STEP;
    enum ptx_space space = opcode_has(p->opcode, "global")        ? SPACE_GLOBAL
                           : opcode_has(p->opcode, "shared::cta") ? SPACE_SHARED
                                                                  : SPACE_GENERIC;
    if (p->operand_count != 2u + numbered)
        decode_fail(d, "'%s' needs %u operands, not %u", p->opcode, 2u + numbered, p->operand_count);
    int64_t offset, dimension = numbered ? decode_immediate(d, &p->operands[1]) : 0;
    if (dimension < 0 || dimension >= TENSOR_RANKS - (field == TENSOR_FIELD_STRIDE))
        decode_fail(d, "'%s': there is no dimension %lld", p->opcode, (long long)dimension);
    uint32_t value = decode_source(d, &p->operands[1 + numbered], 64);
    struct access *a = map_access(d, ACCESS_STORE, space, &p->operands[0], &offset);
    struct insn *in = decode_emit(d, op_tensor_replace);
    in->extra = a;
    in->imm = offset;
    in->op[0] = value;
    in->kind = (uint16_t)((unsigned)field | (unsigned)dimension << 8);
    return true;
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned [to], [from], 128 */
bool decode_tensor_map_copy(struct decoder *d, const struct ptx_insn *p) {
    int64_t from, to;
    if (p->operand_count != 3 || decode_immediate(d, &p->operands[2]) != TENSOR_MAP_BYTES)
        decode_fail(d, "'%s' copies 128 bytes", p->opcode);
    struct access *shared = map_access(d, ACCESS_LOAD, SPACE_SHARED, &p->operands[1], &from);
    struct access *global = map_access(d, ACCESS_STORE, SPACE_GLOBAL, &p->operands[0], &to);
    uint32_t hosts = decode_frame(d, 8 * WARP_SIZE, 64);
    struct insn *in = decode_emit(d, op_tensor_map_read);
    in->extra = shared;
    in->imm = from;
    in->op[0] = hosts;
    in = decode_emit(d, op_tensor_map_write);
    in->extra = global;
    in->imm = to;
    in->op[0] = hosts;
    in->flags = INSN_PSEUDO;
    return true;
}
