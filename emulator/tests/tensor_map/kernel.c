/* The kernel of a case, as PTX. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

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

static unsigned rank_of(const struct map_case *c) {
    if (c->wrong && c->wrong[1] == 'd')
        return (unsigned)(c->wrong[0] - '0');
    return c->field == FIELD_RANK ? 1 : c->rank;
}

static void put_box(struct text *t, const struct map_case *c) {
    put(t, "[map, {");
    for (unsigned i = 0; i < rank_of(c); i++)
        put(t, "%s%d", i ? ", " : "", c->at[i]);
    put(t, "}]");
}

/* ---- tensormap.replace ---- */

/* The numbers that elemtype has, by the test's list of types. */
static unsigned replaced_type(unsigned type_index) {
    static const unsigned numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};
    return numbers[type_index];
}

static void put_replace(struct text *t, const char *where, const char *field, const char *type, const char *value) {
    put(t, "  tensormap.replace.tile.%s.%s.b1024.%s [%s], %s;\n", field, where, type, where[0] == 's' ? "smap" : "map",
        value);
}

static void put_numbered(struct text *t, const char *where, const char *field, unsigned number, uint64_t value) {
    bool wide = field[0] == 'g' && field[7] == 's'; /* global_stride */
    put(t, "  mov.%s %s, %llu;\n", wide ? "u64" : "u32", wide ? "word" : "x", (unsigned long long)value);
    put(t, "  tensormap.replace.tile.%s.%s.b1024.%s [%s], %u, %s;\n", field, where, wide ? "b64" : "b32",
        where[0] == 's' ? "smap" : "map", number, wide ? "word" : "x");
}

static void put_one(struct text *t, const struct map_case *c) {
    char value[20];
    unsigned v = c->field_value;
    snprintf(value, sizeof value, "%u", v);
    switch (c->field) {
    case FIELD_ADDRESS:
        put(t, "  add.s64 word, tensor, %u;\n", v);
        put_replace(t, "global", "global_address", "b64", "word");
        break;
    case FIELD_RANK:
        put(t, "  mov.u32 x, 0;\n");
        put_replace(t, "global", "rank", "b32", "x");
        break;
    case FIELD_BOX:
        put_numbered(t, "global", "box_dim", 1, v);
        break;
    case FIELD_SIZE:
        put_numbered(t, "global", "global_dim", 0, v);
        break;
    case FIELD_STRIDE:
        put_numbered(t, "global", "global_stride", 0, v);
        break;
    case FIELD_STEP:
        put_numbered(t, "global", "element_stride", 1, v);
        break;
    case FIELD_TYPE:
        put_replace(t, "global", "elemtype", "b32", value);
        break;
    case FIELD_SWIZZLE:
        put_replace(t, "global", "swizzle_mode", "b32", value);
        break;
    case FIELD_FILL:
        put_replace(t, "global", "fill_mode", "b32", value);
        break;
    default:
        break;
    }
}

static void put_every(struct text *t, const struct map_case *c) {
    char value[20];
    put_replace(t, "shared::cta", "global_address", "b64", "tensor");
    put(t, "  mov.u32 x, %u;\n", c->rank - 1);
    put_replace(t, "shared::cta", "rank", "b32", "x");
    for (unsigned i = 0; i < c->rank; i++) {
        put_numbered(t, "shared::cta", "box_dim", i, c->box[i]);
        put_numbered(t, "shared::cta", "global_dim", i, c->size[i]);
        put_numbered(t, "shared::cta", "element_stride", i, c->step[i]);
        if (i)
            put_numbered(t, "shared::cta", "global_stride", i - 1, c->stride[i - 1]);
    }
    snprintf(value, sizeof value, "%u", replaced_type(c->type_index));
    put_replace(t, "shared::cta", "elemtype", "b32", value);
    put_replace(t, "shared::cta", "interleave_layout", "b32", "0");
    snprintf(value, sizeof value, "%u", (unsigned)c->swizzle);
    put_replace(t, "shared::cta", "swizzle_mode", "b32", value);
    put_replace(t, "shared::cta", "fill_mode", "b32", "0");
}

static void put_changes(struct text *t, const struct map_case *c) {
    if (c->field == FIELD_ALL) {
        put(t, "  setp.ge.u32 more, t, 32;\n  @more bra made;\n  shl.b32 at, t, 2;\n  mov.u32 x, smap;\n"
               "  add.u32 at, at, x;\n  mov.u32 x, 0;\n  st.shared.b32 [at], x;\n  bar.warp.sync 0xffffffff;\n"
               "  @!first bra filled;\n");
        put_every(t, c);
        put(t, "filled:\n  bar.warp.sync 0xffffffff;\n"
               "  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [map], "
               "[smap], 128;\n"
               "made:\n");
    } else if (c->field) {
        put(t, "  @!first bra made;\n");
        put_one(t, c);
        put(t, "  fence.proxy.tensormap::generic.release.gpu;\nmade:\n");
    }
    if (c->field)
        put(t, "  bar.sync 0;\n  fence.proxy.tensormap::generic.acquire.gpu [map], 128;\n");
}

/* ---- the copy ---- */

/* Waits for a while only: a copy that tells nobody must not hold the GPU. */
static void put_load(struct text *t, const struct map_case *c) {
    const char *mode = c->wrong && c->wrong[1] != 'd' ? c->wrong : c->im2col ? "im2col" : "tile";
    put(t, "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], %u;\n", c->box_bytes);
    put(t, "  cp.async.bulk.tensor.%ud.shared::%s.global.%s.mbarrier::complete_tx::bytes [box], ", rank_of(c),
        c->box_bytes % 32 ? "cta" : "cluster", mode);
    put_box(t, c);
    put(t, ", [bar]");
    if (mode[0] == 'i') {
        put(t, ", {");
        for (unsigned i = 0; i + 2 < c->rank; i++)
            put(t, "%so%u", i ? ", " : "", i);
        put(t, "}");
    }
    put(t, ";\n  mov.u32 n, 0;\nagain:\n  mbarrier.test_wait.parity.shared::cta.b64 done, [bar], 0;\n");
    put(t, "  add.u32 n, n, 1;\n  setp.lt.u32 more, n, 20000;\n  @done bra over;\n  @more bra again;\nover:\n");
    put(t, "  selp.u32 n, 1, 0, done;\n  st.global.u32 [out + %u], n;\n", SHARED_BYTES);
}

static void put_store(struct text *t, const struct map_case *c) {
    static const char *const operations[] = {"load", "store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
    const char *mode = c->wrong && c->wrong[1] != 'd' ? c->wrong : c->im2col ? "im2col" : "tile";
    mode = mode[0] == 'i' ? "im2col_no_offs" : mode;
    if (c->operation == STORES)
        put(t, "  cp.async.bulk.tensor.%ud.global.shared::cta.%s.bulk_group ", rank_of(c), mode);
    else
        put(t, "  cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.%s.bulk_group ", rank_of(c),
            operations[c->operation], mode);
    put_box(t, c);
    put(t, ", [box];\n  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n");
}

/* All threads move shared memory's words. */
static void put_moves(struct text *t, const char *label, const char *move) {
    put(t, "  mov.u32 i, t;\n%s:\n  mul.wide.u32 wide, i, 4;\n  shl.b32 at, i, 2;\n  add.u32 at, at, base;\n%s", label,
        move);
    put(t, "  add.u32 i, i, 128;\n  setp.lt.u32 more, i, %u;\n  @more bra %s;\n", SHARED_BYTES / 4, label);
}

static void put_map(struct text *t, const struct map_case *c) {
    if (c->place == MAP_IN_PARAMETER)
        put(t, "  mov.b64 map, pmap;\n  cvta.param.u64 map, map;\n");
    else if (c->place == MAP_IN_CONSTANT)
        put(t, "  mov.b64 map, cmap;\n  cvta.const.u64 map, map;\n");
    else
        put(t, "  ld.param.u64 map, [from_map];\n");
}

void cases_ptx(const struct map_case *c, char *text, unsigned size) {
    struct text t = {text, text + size};
    put(&t, ".version 8.6\n.target sm_90a\n.address_size 64\n.const .align 128 .b8 cmap[128];\n");
    put(&t, ".visible .entry k(.param .u64 from_map, .param .u64 from, .param .u64 to, .param .u64 of, .param .align "
            "64 .b8 pmap[128])\n{\n");
    put(&t, "  .reg .pred done, more, first;\n  .reg .b16 o0, o1, o2;\n  .reg .b32 t, i, n, at, base, box, x;\n"
            "  .reg .b64 map, in, out, tensor, wide, word;\n");
    put(&t, "  .shared .align 1024 .b8 tile[%u];\n  .shared .align 128 .b8 smap[128];\n  .shared .align 8 .b64 bar;\n",
        SHARED_BYTES);
    put_map(&t, c);
    put(&t, "  ld.param.u64 in, [from];\n  ld.param.u64 out, [to];\n  ld.param.u64 tensor, [of];\n");
    put(&t, "  mov.u32 t, %%tid.x;\n  mov.u32 base, tile;\n  add.u32 box, base, %u;\n  setp.eq.u32 first, t, 0;\n",
        c->shared_offset);
    for (unsigned i = 0; i < 3; i++)
        put(&t, "  mov.u16 o%u, %u;\n", i, c->offset[i]);
    put_moves(&t, "fill", "  add.s64 word, in, wide;\n  ld.global.b32 x, [word];\n  st.shared.b32 [at], x;\n");
    put_changes(&t, c);
    put(&t, "  @first mbarrier.init.shared::cta.b64 [bar], 1;\n  fence.proxy.async;\n  bar.sync 0;\n");
    put(&t, "  @!first bra behind;\n");
    if (c->operation == LOADS)
        put_load(&t, c);
    else
        put_store(&t, c);
    put(&t, "behind:\n  bar.sync 0;\n");
    put_moves(&t, "give", "  add.s64 word, out, wide;\n  ld.shared.b32 x, [at];\n  st.global.b32 [word], x;\n");
    put(&t, "  ret;\n}\n");
}
