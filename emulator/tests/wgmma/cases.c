/* Puts operands where each case of wgmma wants them, and writes its kernel. */
#include "cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(d, a, b, k, d_values, transpose)                                                                             \
    { d, #a, #b, "", k, VALUE_##a, VALUE_##b, d_values, false, transpose }
#define FP8(a, b) F("f32", a, b, 32, VALUE_f32, false), F("f16", a, b, 32, VALUE_f16, false)
#define I(a, b, modifier)                                                                                              \
    { "s32", #a, #b, modifier, 32, VALUE_##a, VALUE_##b, VALUE_s32, true, false }
static const struct form forms[] = {
    F("f32", f16, f16, 16, VALUE_f32, true),
    F("f16", f16, f16, 16, VALUE_f16, true),
    F("f32", bf16, bf16, 16, VALUE_f32, true),
    F("f32", tf32, tf32, 8, VALUE_f32, false),
    FP8(e4m3, e4m3),
    FP8(e4m3, e5m2),
    FP8(e5m2, e4m3),
    FP8(e5m2, e5m2),
    I(s8, s8, ""),
    I(s8, u8, ""),
    I(u8, s8, ""),
    I(u8, u8, ""),
    I(s8, s8, ".satfinite"),
    I(u8, u8, ".satfinite"),
    {"s32", "b1", "b1", ".and.popc", 256, VALUE_b1, VALUE_b1, VALUE_s32, true, false},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* What each form is tried with. Which of these there are for a form: fits. */
static const struct wgmma_case plans[] = {
    {.n = 8},
    {.n = 24},
    {.n = 48},
    {.n = 256},
    {.n = 8, .a_in_registers = true},
    {.n = 48, .a_in_registers = true, .swizzle = 128},
    {.n = 48, .swizzle = 32},
    {.n = 48, .swizzle = 64},
    {.n = 48, .swizzle = 128},
    {.n = 24, .swizzle = 64, .advance = 32},
    {.n = 24, .swizzle = 128, .advance = 32},
    {.n = 24, .swizzle = 128, .advance = 64},
    {.n = 24, .swizzle = 128, .advance = 96},
    {.n = 8, .overwrite = true},
    {.n = 8, .negate_a = true},
    {.n = 8, .negate_b = true, .a_in_registers = true},
    {.n = 8, .negate_a = true, .negate_b = true, .a_in_registers = true},
    {.n = 128, .transpose_b = true},
    {.n = 128, .transpose_a = true},
    {.n = 128, .transpose_a = true, .transpose_b = true},
    {.n = 128, .transpose_b = true, .swizzle = 32},
    {.n = 128, .transpose_b = true, .swizzle = 64},
    {.n = 128, .transpose_b = true, .swizzle = 128},
    {.n = 128, .transpose_a = true, .swizzle = 32},
    {.n = 128, .transpose_a = true, .transpose_b = true, .swizzle = 64},
    {.n = 128, .transpose_a = true, .transpose_b = true, .swizzle = 128},
    {.n = 128, .transpose_b = true, .swizzle = 128, .a_in_registers = true},
    {.n = 8, .sparse = true},
    {.n = 48, .sparse = true},
    {.n = 24, .sparse = true, .selector = 1},
    {.n = 24, .sparse = true, .a_in_registers = true},
    {.n = 24, .sparse = true, .swizzle = 64},
    {.n = 48, .sparse = true, .swizzle = 128, .advance = 64},
    {.n = 128, .sparse = true, .transpose_a = true, .transpose_b = true, .swizzle = 128},
    {.n = 128, .sparse = true, .transpose_b = true},
};
enum { PLANS = sizeof plans / sizeof *plans };

/* Where operands lie is tried with some forms: it is the same for all of a width. */
static bool fits(const struct form *f, const struct wgmma_case *c) {
    bool other =
        strcmp(f->d, "f16") == 0 || f->b_values == VALUE_e5m2 || f->a_values == VALUE_e5m2 || *f->modifier == '.';
    if (c->swizzle && (other || f->a_values == VALUE_u8 || f->b_values == VALUE_u8) && f->k != 256)
        return false;
    if (f->integer && (c->negate_a || c->negate_b))
        return false;
    if (c->sparse && (f->k == 256 || (c->selector && f->k == 32))) /* of 8-bit types all lanes have metadata */
        return false;
    return f->may_transpose || !(c->transpose_a || c->transpose_b);
}

static unsigned list(struct wgmma_case *out, unsigned wanted) {
    unsigned n = 0;
    for (unsigned f = 0; f < FORMS; f++)
        for (unsigned p = 0; p < PLANS; p++) {
            if (!fits(&forms[f], &plans[p]))
                continue;
            if (n++ == wanted) {
                *out = plans[p];
                out->form = &forms[f];
            }
        }
    return n;
}

unsigned cases_count(void) {
    struct wgmma_case ignored;
    return list(&ignored, ~0u);
}

struct wgmma_case cases_at(unsigned i) {
    struct wgmma_case c = {0};
    list(&c, i);
    return c;
}

static void opcode(const struct wgmma_case *c, char *text, unsigned size) {
    const struct form *f = c->form;
    bool bits = f->k == 256;
    snprintf(text, size, "wgmma.mma_async%s.sync.aligned.m64n%uk%u%s.%s.%s.%s%s", c->sparse ? ".sp" : "", c->n,
             f->k << c->sparse, bits ? "" : f->modifier, f->d, f->a, f->b, bits ? f->modifier : "");
}

void cases_name(const struct wgmma_case *c, char *name, unsigned size) {
    char instruction[100], swizzle[20] = "", advance[20] = "", selector[20] = "";
    opcode(c, instruction, sizeof instruction);
    if (c->swizzle)
        snprintf(swizzle, sizeof swizzle, " swizzle%u", c->swizzle);
    if (c->advance)
        snprintf(advance, sizeof advance, " from%u", c->advance);
    if (c->selector)
        snprintf(selector, sizeof selector, " selector%u", c->selector);
    snprintf(name, size, "%s%s%s%s%s%s%s%s%s%s", instruction, selector, c->a_in_registers ? " registers" : "", swizzle,
             advance, c->overwrite ? " overwrite" : "", c->negate_a ? " -a" : "", c->negate_b ? " -b" : "",
             c->transpose_a ? " ta" : "", c->transpose_b ? " tb" : "");
}

/* Strides that no other can be mistaken for. */
static struct layout layout_of(const struct wgmma_case *c, unsigned base, unsigned rows, unsigned row_bytes,
                               bool transposed) {
    struct layout l = {
        .base = base, .rows = rows, .swizzle = c->swizzle, .row_bytes = row_bytes, .transposed = transposed};
    unsigned groups = rows / 8, pattern = 8 * c->swizzle, wide = row_bytes / ROW_BYTES;
    if (transposed && !c->swizzle) {
        l.stride = 256;
        l.leading = 256 * groups + 128;
        l.bytes = 2 * wide * l.leading;
    } else if (transposed) { /* a pattern: 8 along k, swizzle / 2 rows; two of them along k */
        l.stride = pattern;
        l.leading = (2 * wide + 1) * pattern;
        l.bytes = rows / (c->swizzle / 2) * l.leading;
    } else if (c->swizzle) {
        l.advance = c->advance;
        l.stride = groups > 1 ? 2 * pattern : pattern;
        l.leading = 16;
        l.bytes = groups * l.stride;
    } else {
        l.stride = 256 * wide + 16 * 8;
        l.leading = 128;
        l.bytes = groups * l.stride;
    }
    l.bytes = (l.bytes + 1023) / 1024 * 1024;
    return l;
}

void cases_layouts(const struct wgmma_case *c, struct layout *a, struct layout *b) {
    *a = layout_of(c, 0, ROWS, ROW_BYTES, c->transpose_a);
    if (c->a_in_registers)
        a->bytes = 0;
    *b = layout_of(c, a->bytes, c->n, ROW_BYTES << c->sparse, c->transpose_b);
}

unsigned cases_place(const struct layout *l, unsigned row, unsigned at) {
    unsigned k = at / 2, place;
    if (l->transposed && !l->swizzle)
        place = row / 8 * l->stride + k / 8 * l->leading + k % 8 * 16 + row % 8 * 2 + at % 2;
    else if (l->transposed)
        place = row / (l->swizzle / 2) * l->leading + k / 8 * l->stride + k % 8 * l->swizzle +
                row % (l->swizzle / 2) * 2 + at % 2;
    else if (l->swizzle)
        place = row / 8 * l->stride + row % 8 * l->swizzle + at + l->advance;
    else
        place = row / 8 * l->stride + at / 16 * l->leading + row % 8 * 16 + at % 16;
    unsigned mask = l->swizzle == 128 ? 7 : l->swizzle == 64 ? 3 : l->swizzle == 32 ? 1 : 0;
    place += l->base;
    return place ^ (place >> 7 & mask) << 4;
}

uint64_t cases_descriptor(const struct layout *l) {
    uint64_t mode = l->swizzle == 128 ? 1 : l->swizzle == 64 ? 2 : l->swizzle == 32 ? 3 : 0;
    return (uint64_t)(l->base + l->advance) / 16 | (uint64_t)(l->leading / 16) << 16 |
           (uint64_t)(l->stride / 16) << 32 | mode << 62;
}

unsigned cases_registers(const struct wgmma_case *c) {
    return c->n / (strcmp(c->form->d, "f16") == 0 ? 4 : 2);
}

/* ---- the kernel ---- */

struct text {
    char *to, *end;
};

static void put(struct text *t, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int n = vsnprintf(t->to, (size_t)(t->end - t->to), format, values);
    va_end(values);
    if (n < 0 || n >= t->end - t->to)
        abort();
    t->to += n;
}

static void put_registers(struct text *t, const char *name, unsigned count) {
    put(t, "{");
    for (unsigned i = 0; i < count; i++)
        put(t, "%s%s%u", i ? ", " : "", name, i);
    put(t, "}");
}

static void put_instruction(struct text *t, const struct wgmma_case *c) {
    char instruction[100];
    opcode(c, instruction, sizeof instruction);
    put(t, "  %s ", instruction);
    put_registers(t, "d", cases_registers(c));
    put(t, ", ");
    if (c->a_in_registers)
        put_registers(t, "a", 4);
    else
        put(t, "desc_a");
    put(t, ", desc_b");
    if (c->sparse)
        put(t, ", meta, %u", c->selector);
    put(t, ", add");
    if (!c->form->integer)
        put(t, ", %d, %d", c->negate_a ? -1 : 1, c->negate_b ? -1 : 1);
    if (c->form->may_transpose && !c->a_in_registers)
        put(t, ", %d", c->transpose_a);
    if (c->form->may_transpose)
        put(t, ", %d", c->transpose_b);
    put(t, ";\n");
}

/* Every thread has `count` words, one register after the other. */
static void put_moves(struct text *t, const char *name, unsigned count, unsigned first_word, bool load) {
    for (unsigned i = 0; i < count; i++) {
        unsigned at = 4 * (first_word + i * WARPGROUP);
        if (load)
            put(t, "  ld.global.b32 %s%u, [in + %u];\n", name, i, at);
        else
            put(t, "  st.global.b32 [out + %u], %s%u;\n", at, name, i);
    }
}

void cases_ptx(const struct wgmma_case *c, char *text, unsigned size) {
    struct text t = {text, text + size};
    struct layout a, b;
    cases_layouts(c, &a, &b);
    unsigned image = (a.bytes + b.bytes) / 4, registers = cases_registers(c), a_words = c->a_in_registers ? 4 : 0;
    unsigned in_words = image + (a_words + registers + c->sparse) * WARPGROUP;
    put(&t, ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n");
    put(&t, "  .reg .pred add, more;\n  .reg .b32 t, i, block, x, base, at, meta, a<4>, d<%u>;\n", registers);
    put(&t, "  .reg .b64 in, out, wide, desc_a, desc_b, word;\n  .shared .align 1024 .b8 tile[%u];\n", 4 * image);
    put(&t,
        "  ld.param.u64 in, [from];\n  ld.param.u64 out, [to];\n  mov.u32 t, %%tid.x;\n  mov.u32 block, %%ctaid.x;\n");
    put(&t, "  mul.wide.u32 wide, block, %u;\n  add.s64 in, in, wide;\n", 4 * in_words);
    put(&t, "  mul.wide.u32 wide, block, %u;\n  add.s64 out, out, wide;\n", 4 * registers * WARPGROUP);
    put(&t, "  mov.u32 base, tile;\n  mov.u32 i, t;\ncopy:\n  mul.wide.u32 wide, i, 4;\n  add.s64 word, in, wide;\n");
    put(&t, "  ld.global.b32 x, [word];\n  shl.b32 at, i, 2;\n  add.u32 at, at, base;\n  st.shared.b32 [at], x;\n");
    put(&t, "  add.u32 i, i, %u;\n  setp.lt.u32 more, i, %u;\n  @more bra copy;\n", WARPGROUP, image);
    put(&t, "  mul.wide.u32 wide, t, 4;\n  add.s64 in, in, wide;\n  add.s64 out, out, wide;\n");
    put_moves(&t, "a", a_words, image, true);
    put_moves(&t, "d", registers, image + a_words * WARPGROUP, true);
    if (c->sparse)
        put(&t, "  ld.global.b32 meta, [in + %u];\n", 4 * (image + (a_words + registers) * WARPGROUP));
    put(&t, "  shr.u32 at, base, 4;\n  and.b32 at, at, 0x3fff;\n  cvt.u64.u32 wide, at;\n");
    put(&t, "  add.s64 desc_a, wide, 0x%llx;\n", (unsigned long long)cases_descriptor(&a));
    put(&t, "  add.s64 desc_b, wide, 0x%llx;\n", (unsigned long long)cases_descriptor(&b));
    put(&t, "  setp.%s.u32 add, t, 0xffffffff;\n", c->overwrite ? "eq" : "ne");
    put(&t, "  fence.proxy.async;\n  bar.sync 0;\n  wgmma.fence.sync.aligned;\n");
    put_instruction(&t, c);
    put(&t, "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n");
    put_moves(&t, "d", registers, 0, false);
    put(&t, "  ret;\n}\n");
}
