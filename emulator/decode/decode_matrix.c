/* Decoding the tensor core instructions: mma, wmma, ldmatrix, stmatrix, movmatrix, wgmma. */
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "memory/memory.h"
#include "ops/matrix.h"
#include "ops/wgmma.h"

/* ---- the opcode's words ---- */

struct spelling {
    unsigned m, n, k;
    unsigned type_count;
    uint8_t types[4]; /* enum matrix_type, in order */
    unsigned layout_count;
    bool by_columns[2]; /* .row or .col, in order */
};

static enum matrix_type type_named(const char *name, size_t length) {
    static const char *const names[] = {
        [MATRIX_F16] = "f16",   [MATRIX_BF16] = "bf16", [MATRIX_TF32] = "tf32", [MATRIX_E4M3] = "e4m3",
        [MATRIX_E5M2] = "e5m2", [MATRIX_F32] = "f32",   [MATRIX_F64] = "f64",   [MATRIX_S8] = "s8",
        [MATRIX_U8] = "u8",     [MATRIX_S4] = "s4",     [MATRIX_U4] = "u4",     [MATRIX_B1] = "b1",
        [MATRIX_S32] = "s32",   [MATRIX_B16] = "b16"};
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return (enum matrix_type)i;
    return MATRIX_NONE;
}

static void read_word(struct decoder *d, const char *word, size_t length, struct spelling *s) {
    enum matrix_type type = type_named(word, length);
    bool row = length == 3 && memcmp(word, "row", 3) == 0, column = length == 3 && memcmp(word, "col", 3) == 0;
    unsigned m, n, k;
    if (type && s->type_count < 4)
        s->types[s->type_count++] = (uint8_t)type;
    else if ((row || column) && s->layout_count < 2)
        s->by_columns[s->layout_count++] = column;
    else if (type || row || column)
        decode_fail(d, "'%s' is not supported", d->at->opcode);
    else if (sscanf(word, "m%un%uk%u", &m, &n, &k) == 3)
        s->m = m, s->n = n, s->k = k;
}

static struct spelling read_opcode(struct decoder *d, const char *opcode) {
    struct spelling s = {0};
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
        read_word(d, dot + 1, strcspn(dot + 1, "."), &s);
    return s;
}

/* Every modifier must be one of these, or one that read_word knows: an instruction with an unknown modifier is not
 * executed. */
static void only_modifiers(struct decoder *d, const char *opcode, const char *const *known) {
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.')) {
        const char *word = dot + 1;
        size_t length = strcspn(word, ".");
        unsigned m, n, k;
        bool found = type_named(word, length) || sscanf(word, "m%un%uk%u", &m, &n, &k) == 3;
        for (const char *const *p = known; *p; p++)
            found |= strlen(*p) == length && memcmp(*p, word, length) == 0;
        if (!found)
            decode_fail(d, "'%s' is not supported: '.%.*s'", opcode, (int)length, word);
    }
}

/* ---- shapes ---- */

#define TYPE(t) (1u << MATRIX_##t)
#define HALF    TYPE(F16)
#define BHALF   TYPE(BF16)
#define TF32    TYPE(TF32)
#define DOUBLE  TYPE(F64)
#define FP8     (TYPE(E4M3) | TYPE(E5M2))
#define BYTE    (TYPE(S8) | TYPE(U8))
#define NIBBLE  (TYPE(S4) | TYPE(U4))
#define BIT     TYPE(B1)

struct shape {
    unsigned m, n, k, types; /* a bit per type of A and B */
};

static const struct shape mma_shapes[] = {{8, 8, 4, HALF | DOUBLE},
                                          {16, 8, 4, TF32 | DOUBLE},
                                          {16, 8, 8, HALF | BHALF | TF32 | DOUBLE},
                                          {16, 8, 16, HALF | BHALF | FP8 | BYTE | DOUBLE},
                                          {16, 8, 32, FP8 | BYTE | NIBBLE},
                                          {16, 8, 64, NIBBLE},
                                          {8, 8, 16, BYTE},
                                          {8, 8, 32, NIBBLE},
                                          {8, 8, 128, BIT},
                                          {16, 8, 128, BIT},
                                          {16, 8, 256, BIT},
                                          {0}};
static const struct shape wmma_shapes[] = {{16, 16, 16, HALF | BHALF | BYTE},
                                           {8, 32, 16, HALF | BHALF | BYTE},
                                           {32, 8, 16, HALF | BHALF | BYTE},
                                           {16, 16, 8, TF32},
                                           {8, 8, 4, DOUBLE},
                                           {8, 8, 32, NIBBLE},
                                           {8, 8, 128, BIT},
                                           {0}};

static const struct shape sparse_shapes[] = {{16, 8, 8, TF32},
                                             {16, 8, 16, HALF | BHALF | TF32},
                                             {16, 8, 32, HALF | BHALF | BYTE},
                                             {16, 8, 64, FP8 | BYTE | NIBBLE},
                                             {16, 8, 128, NIBBLE},
                                             {0}};

static const struct shape *find_shape(struct decoder *d, const struct shape *shapes, const struct spelling *s) {
    for (const struct shape *p = shapes; p->m; p++)
        if (p->m == s->m && p->n == s->n && p->k == s->k)
            return p;
    decode_fail(d, "'%s': there is no such shape", d->at->opcode);
}

/* Registers per lane for this many elements of a type. */
static unsigned register_count(unsigned elements, enum matrix_type type) {
    unsigned bits = matrix_type_bits(type);
    return elements * bits / (bits == 64 ? 64 : 32) / WARP_SIZE;
}

/* ---- operands ---- */

static void registers(struct decoder *d, const struct ptx_operand *o, unsigned n, unsigned bits, bool written,
                      uint32_t *out) {
    const struct ptx_operand *items = o->kind == OPERAND_VECTOR ? o->items : o;
    unsigned count = o->kind == OPERAND_VECTOR ? o->count : 1;
    if (count != n)
        decode_fail(d, "'%s' needs %u registers, not %u", d->at->opcode, n, count);
    for (unsigned i = 0; i < n; i++)
        out[i] = written ? decode_destination(d, &items[i], bits) : decode_source(d, &items[i], bits);
}

static void need_operands(struct decoder *d, const struct ptx_insn *p, unsigned least, unsigned most) {
    if (p->operand_count < least || p->operand_count > most)
        decode_fail(d, "'%s' cannot have %u operands", p->opcode, p->operand_count);
}

/* ---- mma, wmma.mma ---- */

static int rounding_of(const char *opcode) {
    return opcode_has(opcode, "rz")   ? FE_TOWARDZERO
           : opcode_has(opcode, "rm") ? FE_DOWNWARD
           : opcode_has(opcode, "rp") ? FE_UPWARD
                                      : FE_TONEAREST;
}

/* D and C go with A and B? */
static bool types_fit(const struct mma *m, bool free_c) {
    switch (m->a) {
    case MATRIX_F16:
        return (m->d == MATRIX_F16 || m->d == MATRIX_F32) &&
               (m->c == m->d || (free_c && m->c == MATRIX_F16) || (free_c && m->c == MATRIX_F32)) && m->b == m->a;
    case MATRIX_E4M3:
    case MATRIX_E5M2:
        return (m->d == MATRIX_F16 || m->d == MATRIX_F32) && m->c == m->d;
    case MATRIX_F64:
        return m->b == m->a && m->d == MATRIX_F64 && m->c == MATRIX_F64;
    case MATRIX_BF16:
    case MATRIX_TF32:
        return m->b == m->a && m->d == MATRIX_F32 && m->c == MATRIX_F32;
    default:
        return m->d == MATRIX_S32 && m->c == MATRIX_S32;
    }
}

static void take_types(struct decoder *d, const struct spelling *s, const struct shape *shapes, struct mma *m) {
    bool is_wmma = shapes == wmma_shapes;
    if (is_wmma && s->type_count == 2) { /* f16: D and C only */
        m->d = s->types[0];
        m->a = m->b = MATRIX_F16;
        m->c = s->types[1];
    } else if (s->type_count == 4) {
        m->d = s->types[0];
        m->a = s->types[1];
        m->b = s->types[2];
        m->c = s->types[3];
    } else {
        decode_fail(d, "'%s' has no types", d->at->opcode);
    }
    unsigned types = find_shape(d, shapes, s)->types;
    if (!(types >> m->a & 1) || !(types >> m->b & 1) || !types_fit(m, is_wmma || s->k == 4))
        decode_fail(d, "'%s': these types cannot be combined with each other or with the shape", d->at->opcode);
}

/* wider than high: D's transpose is computed */
static void swap(struct mma *m) {
    uint32_t regs[MATRIX_REGISTERS];
    uint8_t rows = m->rows, a = m->a;
    m->rows = m->columns;
    m->columns = rows;
    m->a = m->b;
    m->b = a;
    memcpy(regs, m->a_regs, sizeof regs);
    memcpy(m->a_regs, m->b_regs, sizeof regs);
    memcpy(m->b_regs, regs, sizeof regs);
}

static void multiply(struct decoder *d, const struct ptx_insn *p, bool is_wmma) {
    static const char *const known[] = {"mma", "sync", "aligned", "row", "col", "satfinite", "rn",
                                        "rz",  "rm",   "rp",      "xor", "and", "popc",      NULL};
    struct spelling s = read_opcode(d, p->opcode);
    struct mma *m = arena_alloc(d->arena, sizeof *m);
    only_modifiers(d, p->opcode, known);
    need_operands(d, p, 4, 4);
    take_types(d, &s, is_wmma ? wmma_shapes : mma_shapes, m);
    m->rows = (uint8_t)s.m;
    m->columns = (uint8_t)s.n;
    m->depth = (uint16_t)s.k;
    m->satfinite = opcode_has(p->opcode, "satfinite");
    m->and = opcode_has(p->opcode, "and");
    m->a_by_columns = s.by_columns[0];
    m->b_by_rows = s.layout_count == 2 && !s.by_columns[1];
    m->rounding = rounding_of(p->opcode);
    unsigned volta = m->a == MATRIX_F16 && s.k == 4 ? 4 : 1; /* four matrices at once */
    unsigned bits = m->a == MATRIX_F64 ? 64 : 32;
    unsigned na = register_count(volta * s.m * s.k, m->a), nb = register_count(volta * s.k * s.n, m->b);
    bool doubled = is_wmma && m->a == MATRIX_F16;
    registers(d, &p->operands[1], doubled ? 8 : na, bits, false, m->a_regs);
    registers(d, &p->operands[2], doubled ? 8 : nb, bits, false, m->b_regs);
    registers(d, &p->operands[3], register_count(volta * s.m * s.n, m->c), bits, false, m->c_regs);
    registers(d, &p->operands[0], register_count(volta * s.m * s.n, m->d), bits, true, m->d_regs);
    if (s.n > s.m)
        swap(m);
    decode_emit(d, mma_operation(m))->extra = m;
}

bool decode_mma(struct decoder *d, const struct ptx_insn *p) {
    multiply(d, p, false);
    return true;
}

bool decode_wmma_mma(struct decoder *d, const struct ptx_insn *p) {
    multiply(d, p, true);
    return true;
}

/* mma.sp d, a, b, c, metadata, selector: A has half of its elements. Lanes with metadata, of four: 1, 2 or all. */
bool decode_mma_sparse(struct decoder *d, const struct ptx_insn *p) {
    static const char *const known[] = {"sp", "sp::ordered_metadata", "sync", "aligned", "row", "col", "satfinite",
                                        NULL};
    struct spelling s = read_opcode(d, p->opcode);
    struct mma *m = arena_alloc(d->arena, sizeof *m);
    only_modifiers(d, p->opcode, known);
    need_operands(d, p, 6, 6);
    take_types(d, &s, sparse_shapes, m);
    m->rows = (uint8_t)s.m;
    m->columns = (uint8_t)s.n;
    m->depth = (uint16_t)(s.k / 2);
    m->dense_depth = (uint16_t)s.k;
    m->satfinite = opcode_has(p->opcode, "satfinite");
    unsigned bits = matrix_type_bits(m->a), lanes = s.k * bits / (bits < 16 ? 128 : 256);
    int64_t selector = decode_immediate(d, &p->operands[5]);
    if (selector < 0 || selector * lanes >= 4)
        decode_fail(d, "'%s' cannot have %lld as its selector", p->opcode, (long long)selector);
    m->selector = (uint8_t)selector;
    registers(d, &p->operands[1], register_count(s.m * s.k / 2, m->a), 32, false, m->a_regs);
    registers(d, &p->operands[2], register_count(s.k * s.n, m->b), 32, false, m->b_regs);
    registers(d, &p->operands[3], register_count(s.m * s.n, m->c), 32, false, m->c_regs);
    m->metadata = decode_source(d, &p->operands[4], 32);
    registers(d, &p->operands[0], register_count(s.m * s.n, m->d), 32, true, m->d_regs);
    decode_emit(d, mma_operation(m))->extra = m;
    return true;
}

/* ---- addresses ---- */

static struct matrix_access *new_access(struct decoder *d, const struct ptx_insn *p, enum access_kind kind) {
    struct matrix_access *m = arena_alloc(d->arena, sizeof *m);
    struct access *a = &m->access;
    a->kind = (uint8_t)kind;
    a->space = (uint8_t)(opcode_has(p->opcode, "shared") || opcode_has(p->opcode, "shared::cta") ? SPACE_SHARED
                         : opcode_has(p->opcode, "global")                                       ? SPACE_GLOBAL
                                                                                                 : SPACE_GENERIC);
    a->type = TYPE_B128;
    a->bytes = 16;
    a->count = 1;
    a->slot = d->access_count++;
    return m;
}

static void emit_access(struct decoder *d, handler_fn handler, struct matrix_access *m, int64_t offset) {
    struct insn *in = decode_emit(d, handler);
    in->imm = offset;
    in->extra = m;
    in->op[0] = m->regs[0];
    in->op[1] = m->access.address_reg;
}

/* ---- wmma.load, wmma.store ---- */

/* The matrix's own rows and columns, and its layout in memory. */
static void take_matrix(struct decoder *d, const struct spelling *s, struct matrix_access *m, enum matrix_type type) {
    bool wide = s->n > s->m, by_columns = s->by_columns[0];
    m->bits = (uint8_t)matrix_type_bits(type);
    if (m->role == ROLE_C) {
        m->rows = (uint8_t)(wide ? s->n : s->m);
        m->columns = (uint8_t)(wide ? s->m : s->n);
        m->transposed = by_columns != wide;
        return;
    }
    bool is_a = m->role == ROLE_A;
    m->rows = (uint8_t)(is_a ? s->m : s->n);
    m->columns = (uint8_t)s->k;
    m->transposed = is_a ? by_columns : !by_columns;
    if (wide) /* A and B change places */
        m->role = is_a ? ROLE_B : ROLE_A;
    if (m->transposed && m->bits < 8)
        decode_fail(d, "'%s': there is no such layout", d->at->opcode);
}

/* C and D: in these types for these shapes */
static bool accumulator_fits(const struct shape *shape, enum matrix_type type) {
    switch (type) {
    case MATRIX_F16:
        return shape->types & HALF;
    case MATRIX_F32:
        return shape->types & (HALF | BHALF | TF32);
    case MATRIX_F64:
        return shape->types & DOUBLE;
    case MATRIX_S32:
        return shape->types & (BYTE | NIBBLE | BIT);
    default:
        return false;
    }
}

static void load_or_store(struct decoder *d, const struct ptx_insn *p, bool load) {
    static const char *const known[] = {"load",    "store", "a",   "b",      "c",      "d",           "sync",
                                        "aligned", "row",   "col", "global", "shared", "shared::cta", NULL};
    struct spelling s = read_opcode(d, p->opcode);
    only_modifiers(d, p->opcode, known);
    need_operands(d, p, 2, 3);
    const struct shape *shape = find_shape(d, wmma_shapes, &s);
    enum matrix_type type = (enum matrix_type)s.types[0];
    struct matrix_access *m = new_access(d, p, load ? ACCESS_LOAD : ACCESS_STORE);
    m->role = opcode_has(p->opcode, "a") ? ROLE_A : opcode_has(p->opcode, "b") ? ROLE_B : ROLE_C;
    bool fits = m->role == ROLE_C ? accumulator_fits(shape, type) : shape->types >> type & 1;
    if (s.type_count != 1 || s.layout_count != 1 || !fits)
        decode_fail(d, "'%s': these types and shapes cannot be combined", p->opcode);
    take_matrix(d, &s, m, type);
    m->count = (uint8_t)(m->role != ROLE_C && type == MATRIX_F16 ? 8 : register_count(m->rows * m->columns, type));
    const struct ptx_operand *where = &p->operands[load ? 1 : 0], *data = &p->operands[load ? 0 : 1];
    int64_t offset = decode_address(d, where, &m->access);
    unsigned length = m->transposed ? m->rows : m->columns, bytes = length * m->bits / 8;
    m->access.bytes = (uint8_t)(bytes < 16 ? bytes : 16); /* what a line must be aligned to */
    m->stride = p->operand_count == 3 ? decode_source(d, &p->operands[2], 32) : decode_constant(d, 32, length);
    registers(d, data, m->count, m->bits == 64 ? 64 : 32, load, m->regs);
    emit_access(d, load ? op_wmma_load : op_wmma_store, m, offset);
}

bool decode_wmma_load(struct decoder *d, const struct ptx_insn *p) {
    load_or_store(d, p, true);
    return true;
}

bool decode_wmma_store(struct decoder *d, const struct ptx_insn *p) {
    load_or_store(d, p, false);
    return true;
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static void move_matrices(struct decoder *d, const struct ptx_insn *p, bool load) {
    static const char *const known[] = {"sync", "aligned", "m8n8",   "x1",          "x2",
                                        "x4",   "trans",   "shared", "shared::cta", NULL};
    only_modifiers(d, p->opcode, known);
    need_operands(d, p, 2, 2);
    if (!opcode_has(p->opcode, "m8n8") || !opcode_has(p->opcode, "b16"))
        decode_fail(d, "'%s' is not supported", p->opcode);
    struct matrix_access *m = new_access(d, p, load ? ACCESS_LOAD : ACCESS_STORE);
    m->count = opcode_has(p->opcode, "x4") ? 4 : opcode_has(p->opcode, "x2") ? 2 : 1;
    m->transposed = opcode_has(p->opcode, "trans");
    int64_t offset = decode_address(d, &p->operands[load ? 1 : 0], &m->access);
    registers(d, &p->operands[load ? 0 : 1], m->count, 32, load, m->regs);
    emit_access(d, load ? op_ldmatrix : op_stmatrix, m, offset);
}

bool decode_ldmatrix(struct decoder *d, const struct ptx_insn *p) {
    move_matrices(d, p, true);
    return true;
}

bool decode_stmatrix(struct decoder *d, const struct ptx_insn *p) {
    move_matrices(d, p, false);
    return true;
}

bool decode_movmatrix(struct decoder *d, const struct ptx_insn *p) {
    static const char *const known[] = {"sync", "aligned", "m8n8", "trans", NULL};
    only_modifiers(d, p->opcode, known);
    need_operands(d, p, 2, 2);
    uint32_t from, to;
    registers(d, &p->operands[1], 1, 32, false, &from);
    registers(d, &p->operands[0], 1, 32, true, &to);
    struct insn *in = decode_emit(d, op_movmatrix);
    in->op[0] = to;
    in->op[1] = from;
    return true;
}

/* ---- wgmma ---- */

/* m64nNkK: K elements are 32 bytes. Wider than 32, integers have only multiples of 16. */
static void wgmma_shape(struct decoder *d, const struct spelling *s, const struct wgmma *m) {
    unsigned depth = (8 * WGMMA_ROW_BYTES << m->sparse) / matrix_type_bits(m->a);
    bool narrow = s->n % 8 == 0 && s->n >= 8 && s->n <= WGMMA_COLUMNS;
    if (s->m != 64 || s->k != depth || !narrow || (m->d == MATRIX_S32 && s->n > 32 && s->n % 16))
        decode_fail(d, "'%s': there is no such shape", d->at->opcode);
}

static bool wgmma_types_fit(const struct wgmma *m) {
    unsigned a = 1u << m->a, b = 1u << m->b;
    if (a & FP8)
        return b & FP8 && (m->d == MATRIX_F16 || m->d == MATRIX_F32);
    if (a & BYTE)
        return b & BYTE && m->d == MATRIX_S32;
    return a == b && (a & HALF             ? m->d == MATRIX_F16 || m->d == MATRIX_F32
                      : a & (BHALF | TF32) ? m->d == MATRIX_F32
                                           : a == BIT && m->d == MATRIX_S32);
}

/* -1 or 1, or whether it is transposed. */
static int small_immediate(struct decoder *d, const struct ptx_operand *o, int least) {
    int64_t value = decode_immediate(d, o);
    if (value != 1 && value != least)
        decode_fail(d, "'%s' cannot have the operand %lld", d->at->opcode, (long long)value);
    return (int)value;
}

/* sp-meta, sp-sel: of 8-bit types all lanes have metadata, of others two of four. */
static void wgmma_metadata(struct decoder *d, const struct ptx_operand *o, struct wgmma *m) {
    int64_t selector = decode_immediate(d, &o[1]);
    if (selector < 0 || selector > (matrix_type_bits(m->a) == 8 ? 0 : 1))
        decode_fail(d, "'%s' cannot have %lld as its selector", d->at->opcode, (long long)selector);
    m->selector = (uint8_t)selector;
    m->metadata = decode_source(d, o, 32);
}

/* d, a, b, perhaps metadata, scale-d; of floating point then the signs of A and B; of 16 bits then whether A (in
 * memory) and B are transposed. */
static void wgmma_operands(struct decoder *d, const struct ptx_insn *p, struct wgmma *m) {
    bool floats = m->d != MATRIX_S32, halves = matrix_type_bits(m->a) == 16;
    m->a_in_registers = p->operands[1].kind == OPERAND_VECTOR;
    unsigned transposes = halves ? 2u - m->a_in_registers : 0, count = 4 + 2 * floats + transposes;
    const struct ptx_operand *last = p->operands + 3 + 2 * m->sparse; /* scale-d and what follows */
    need_operands(d, p, count + 2 * m->sparse, count + 2 * m->sparse);
    if (m->sparse)
        wgmma_metadata(d, &p->operands[3], m);
    if (floats)
        m->negate = small_immediate(d, &last[1], -1) != small_immediate(d, &last[2], -1);
    if (transposes == 2)
        m->transpose_a = small_immediate(d, &last[3], 0);
    if (transposes)
        m->transpose_b = small_immediate(d, &last[2 + transposes], 0);
    if (m->a_in_registers)
        registers(d, &p->operands[1], 4, 32, false, m->a_regs);
    else
        m->descriptor_a = decode_source(d, &p->operands[1], 64);
    m->descriptor_b = decode_source(d, &p->operands[2], 64);
    m->add = decode_source(d, last, 1);
    registers(d, &p->operands[0], m->columns / (m->d == MATRIX_F16 ? 4 : 2), 32, true, m->d_regs);
}

bool decode_wgmma(struct decoder *d, const struct ptx_insn *p) {
    static const char *const known[] = {"mma_async", "sync", "aligned", "satfinite", "and", "popc", "sp", NULL};
    struct spelling s = read_opcode(d, p->opcode);
    struct wgmma *m = arena_alloc(d->arena, sizeof *m);
    only_modifiers(d, p->opcode, known);
    if (s.type_count != 3)
        decode_fail(d, "'%s' has no types", p->opcode);
    m->d = s.types[0], m->a = s.types[1], m->b = s.types[2];
    m->sparse = opcode_has(p->opcode, "sp");
    if (!wgmma_types_fit(m) || (m->sparse && m->a == MATRIX_B1))
        decode_fail(d, "'%s': these types cannot be combined", p->opcode);
    wgmma_shape(d, &s, m);
    m->columns = (uint16_t)s.n;
    m->depth = (uint16_t)(s.k >> m->sparse);
    m->satfinite = opcode_has(p->opcode, "satfinite");
    wgmma_operands(d, p, m);
    m->access = (struct access){.kind = ACCESS_LOAD,
                                .space = SPACE_SHARED,
                                .type = TYPE_B128,
                                .bytes = WGMMA_PIECE,
                                .count = 1,
                                .slot = d->access_count++};
    decode_emit(d, op_wgmma)->extra = m;
    return true;
}

bool decode_wgmma_commit(struct decoder *d, const struct ptx_insn *p) {
    need_operands(d, p, 0, 0);
    decode_emit(d, op_wgmma_commit);
    return true;
}

bool decode_wgmma_wait(struct decoder *d, const struct ptx_insn *p) {
    need_operands(d, p, 1, 1);
    int64_t left = decode_immediate(d, &p->operands[0]);
    decode_emit(d, op_wgmma_wait)->imm = left;
    return true;
}
