/* Decoding texture and surface instructions. Objects only: their handles are in registers. */
#include <string.h>

#include "decode/decode.h"
#include "decode/registers.h"
#include "ops/texture_fetch.h"

/* The words of an opcode, one after the other. */
struct words {
    const char *at;
};

static bool next_is(struct words *s, const char *word) {
    size_t n = strlen(word);
    if (strncmp(s->at, word, n) != 0 || (s->at[n] != '.' && s->at[n] != '\0'))
        return false;
    s->at += n + (s->at[n] == '.');
    return true;
}

/* After the words of the row. */
static struct words words_of(const struct ptx_insn *p) {
    const char *at = p->opcode + strcspn(p->opcode, ".");
    return (struct words){at + (*at == '.')};
}

static _Noreturn void refuse(struct decoder *d) {
    decode_fail(d, "'%s' is not supported", d->at->opcode);
}

static struct texture_access *new_access(struct decoder *d, struct words *s) {
    static const struct {
        const char *name;
        uint8_t dimensions;
        bool layered, cube;
    } shapes[] = {{"1d", 1, false, false}, {"2d", 2, false, false},  {"3d", 3, false, false}, {"a1d", 1, true, false},
                  {"a2d", 2, true, false}, {"cube", 3, false, true}, {"acube", 3, true, true}};
    struct texture_access *a = arena_alloc(d->arena, sizeof *a);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (next_is(s, shapes[i].name)) {
            a->dimensions = shapes[i].dimensions;
            a->layered = shapes[i].layered;
            a->cube = shapes[i].cube;
            return a;
        }
    refuse(d);
}

/* [handle, {layer, x, y, z}] */
static void decode_place(struct decoder *d, const struct ptx_operand *o, struct texture_access *a) {
    if (o->kind != OPERAND_ADDRESS)
        decode_fail(d, "'%s' needs an object and coordinates in brackets", d->at->opcode);
    if (!o->reg || register_bits(o->reg) != 64 || o->value)
        decode_fail(d,
                    "'%s' with a name instead of an object is not supported: texture and surface references were "
                    "removed from CUDA",
                    d->at->opcode);
    if (o->count > 1)
        decode_fail(d, "'%s' with a separate sampler is not supported", d->at->opcode);
    a->handle = decode_source(d, &(struct ptx_operand){.kind = OPERAND_REGISTER, .reg = o->reg}, 64);
    if (!a->dimensions)
        return;
    if (!o->count)
        decode_fail(d, "'%s' needs coordinates", d->at->opcode);
    const struct ptx_operand *list = &o->items[0], *items = list->kind == OPERAND_VECTOR ? list->items : list;
    unsigned given = list->kind == OPERAND_VECTOR ? list->count : 1;
    if (given < (unsigned)a->dimensions + a->layered)
        decode_fail(d, "'%s' needs %d coordinates", d->at->opcode, a->dimensions + a->layered);
    if (a->layered)
        a->layer = decode_source(d, &items[0], 32);
    for (unsigned k = 0; k < a->dimensions; k++)
        a->coordinates[k] = decode_source(d, &items[k + a->layered], 32);
}

/* The registers that receive or give a vector's elements. */
static void decode_data(struct decoder *d, const struct ptx_operand *o, struct texture_access *a, bool written) {
    const struct ptx_operand *items = o->kind == OPERAND_VECTOR ? o->items : o;
    unsigned n = o->kind == OPERAND_VECTOR ? o->count : 1;
    if (n != a->count)
        decode_fail(d, "'%s' needs %u registers, not %u", d->at->opcode, a->count, n);
    for (unsigned i = 0; i < n; i++)
        a->regs[i] = written ? decode_destination(d, &items[i], 8u * a->reg_bytes)
                             : decode_source(d, &items[i], 8u * a->reg_bytes);
    for (unsigned i = 0; i < n && written; i++)
        if (items[i].kind == OPERAND_REGISTER && a->regs[i] != items[i].reg->slot)
            decode_fail(d, "register '%s' has the wrong width for '%s'", items[i].reg->name, d->at->opcode);
}

static void emit(struct decoder *d, handler_fn handler, const struct texture_access *a) {
    decode_emit(d, handler)->extra = a;
}

static bool next_is_value_type(struct words *s) {
    return next_is(s, "f32") || next_is(s, "u32") || next_is(s, "s32");
}

/* A vector with an element for each dimension; a fourth is ignored. */
static void decode_gradient(struct decoder *d, const struct ptx_operand *o, unsigned dimensions, uint32_t out[3]) {
    const struct ptx_operand *items = o->kind == OPERAND_VECTOR ? o->items : o;
    if ((o->kind == OPERAND_VECTOR ? o->count : 1) < dimensions)
        decode_fail(d, "'%s' needs %u elements in each gradient", d->at->opcode, dimensions);
    for (unsigned k = 0; k < dimensions; k++)
        out[k] = decode_source(d, &items[k], 32);
}

/* tex{.base|.level|.grad}.shape.v4.type.coordinates d{|p}, [object, {...}]{, level or gradients};
 * tld4.component.2d... */
static void texture(struct decoder *d, const struct ptx_insn *p, bool gathers) {
    struct words s = words_of(p);
    unsigned extra = 0, component = 0;
    if (gathers) {
        while (component < 4 && !next_is(&s, (const char *const[]){"r", "g", "b", "a"}[component]))
            component++;
        if (component == 4)
            refuse(d);
    } else {
        bool base = next_is(&s, "base");
        extra = base                   ? LEVEL_FIRST
                : next_is(&s, "level") ? LEVEL_NAMED
                : next_is(&s, "grad")  ? LEVEL_GRADIENT
                                       : LEVEL_FIRST;
    }
    struct texture_access *a = new_access(d, &s);
    a->gather = gathers;
    a->component = (uint8_t)component;
    a->kind = TEXTURE_SAMPLED;
    a->count = 4;
    a->reg_bytes = 4;
    bool known = next_is(&s, "v4") && next_is_value_type(&s);
    a->integers = known && next_is(&s, "s32");
    if (!known || (!a->integers && !next_is(&s, "f32")) || *s.at || (gathers && (a->dimensions != 2 || a->integers)))
        refuse(d);
    if (p->operand_count != 2 + extra) /* offsets, depth comparison */
        refuse(d);
    const struct ptx_operand *to = &p->operands[0];
    a->predicate = d->trash_predicate;
    if (to->kind == OPERAND_PAIR) {
        a->predicate = decode_destination(d, &to->items[1], 1);
        to = &to->items[0];
    }
    decode_place(d, &p->operands[1], a);
    a->levels = (uint8_t)extra;
    if (extra == LEVEL_NAMED)
        a->level = decode_source(d, &p->operands[2], 32);
    for (unsigned i = 0; i < 2 && extra == LEVEL_GRADIENT; i++)
        decode_gradient(d, &p->operands[2 + i], a->dimensions, a->gradient[i]);
    decode_data(d, to, a, true);
    emit(d, op_texture, a);
}

/* suld.b.shape.vector.type.clamp d, [object, {...}]; sust.b.shape.vector.type.clamp [object, {...}], data */
static void surface(struct decoder *d, const struct ptx_insn *p, bool store) {
    static const char *const clamps[] = {"trap", "clamp", "zero"}, *const caches[] = {"ca", "cg", "cs",
                                                                                      "cv", "wb", "wt"};
    static const char *const types[] = {"b8", "b16", "b32", "b64"};
    struct words s = words_of(p);
    if (!next_is(&s, "b"))
        refuse(d);
    struct texture_access *a = new_access(d, &s);
    a->kind = TEXTURE_SURFACE;
    a->store = store;
    for (size_t i = 0; i < sizeof caches / sizeof *caches && !next_is(&s, caches[i]);)
        i++;
    a->count = next_is(&s, "v2") ? 2 : next_is(&s, "v4") ? 4 : 1;
    for (unsigned i = 0; i < 4 && !a->bytes; i++)
        if (next_is(&s, types[i]))
            a->bytes = (uint8_t)(1u << i);
    for (a->clamp = 0; a->clamp < 3 && !next_is(&s, clamps[a->clamp]);)
        a->clamp++;
    if (!a->bytes || a->clamp == 3 || *s.at || a->cube || p->operand_count != 2)
        refuse(d);
    a->reg_bytes = a->bytes < 2 ? 2 : a->bytes;
    decode_place(d, &p->operands[store ? 0 : 1], a);
    decode_data(d, &p->operands[store ? 1 : 0], a, !store);
    emit(d, op_surface, a);
}

static void query(struct decoder *d, const struct ptx_insn *p, enum texture_kind kind) {
    static const char *const names[] = {
        "width", "height", "depth", "array_size", "normalized_coords", "num_mipmap_levels"};
    struct texture_access *a = arena_alloc(d->arena, sizeof *a);
    struct words s = words_of(p);
    while (a->query < 6 && !next_is(&s, names[a->query]))
        a->query++;
    if (a->query == 6 || !next_is(&s, "b32") || *s.at || p->operand_count != 2)
        refuse(d);
    a->kind = (uint8_t)kind;
    a->count = 1;
    a->reg_bytes = 4;
    decode_place(d, &p->operands[1], a);
    decode_data(d, &p->operands[0], a, true);
    emit(d, op_texture_query, a);
}

bool decode_texture(struct decoder *d, const struct ptx_insn *p) {
    texture(d, p, false);
    return true;
}

bool decode_texture_gather(struct decoder *d, const struct ptx_insn *p) {
    texture(d, p, true);
    return true;
}

bool decode_surface_load(struct decoder *d, const struct ptx_insn *p) {
    surface(d, p, false);
    return true;
}

bool decode_surface_store(struct decoder *d, const struct ptx_insn *p) {
    surface(d, p, true);
    return true;
}

bool decode_texture_query(struct decoder *d, const struct ptx_insn *p) {
    query(d, p, TEXTURE_SAMPLED);
    return true;
}

bool decode_surface_query(struct decoder *d, const struct ptx_insn *p) {
    query(d, p, TEXTURE_SURFACE);
    return true;
}
