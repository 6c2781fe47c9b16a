/* Makes up tensors, boxes and what is done with them. */
#include "cases.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tensor/values.h"

static const struct {
    CUtensorMapDataType type;
    unsigned bytes;
    bool is_float;
} types[] = {{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, false},      {CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, false},
             {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, false},     {CU_TENSOR_MAP_DATA_TYPE_INT32, 4, false},
             {CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, false},     {CU_TENSOR_MAP_DATA_TYPE_INT64, 8, false},
             {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, true},     {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, true},
             {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, true},     {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, true},
             {CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 4, true}, {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, true},
             {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 4, true}};
enum { TYPES = sizeof types / sizeof *types, ROOM = SHARED_BYTES - 2048 };

/* How many cases there are of each kind. */
static const unsigned counts[ABOUTS] = {[ABOUT_TILES] = 520,  [ABOUT_REDUCTIONS] = (OPERATIONS - ADDS) * TYPES + 60,
                                        [ABOUT_IM2COL] = 180, [ABOUT_INTERLEAVE] = 96,
                                        [ABOUT_PLACES] = 48,  [ABOUT_REPLACE] = 3 * (FIELDS - 1),
                                        [ABOUT_WRONG] = 12};
const unsigned case_count = 520 + (OPERATIONS - ADDS) * TYPES + 60 + 180 + 96 + 48 + 3 * (FIELDS - 1) + 12;

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static void set_type(struct map_case *c, unsigned i) {
    c->type_index = i;
    c->type = types[i].type;
    c->element = types[i].bytes;
}

/* ---- tensors ---- */

/* Rows are a little longer than they need to be. */
static void set_strides(struct map_case *c, unsigned align, struct value_random *r) {
    uint64_t bytes = c->element * c->size[0];
    for (unsigned i = 0; i + 1 < c->rank; i++) {
        bytes = (bytes + align - 1) / align * align + align * value_below(r, 3);
        c->stride[i] = bytes;
        bytes *= c->size[i + 1];
    }
    c->bytes = bytes;
}

static void make_tensor(struct map_case *c, struct value_random *r) {
    unsigned most[] = {100, 20, 8, 4, 3};
    for (unsigned i = 0; i < c->rank; i++)
        c->size[i] = 1 + value_below(r, c->rank < 3 ? 2 * most[i] : most[i]);
    set_strides(c, 16, r);
}

static unsigned pitch_of(const struct map_case *c, unsigned row) {
    return c->swizzle ? 16u << c->swizzle : row;
}

static void make_box(struct map_case *c, struct value_random *r) {
    unsigned unit = 16 / c->element, units = 1 + value_below(r, c->swizzle ? 1u << c->swizzle : 8);
    c->box[0] = least(units * unit, 256 / unit * unit);
    c->step[0] = 1;
    c->box_bytes = c->box[0] * c->element;
    unsigned taken = pitch_of(c, c->box_bytes);
    for (unsigned i = 1; i < c->rank; i++) {
        unsigned most[] = {0, 24, 8, 4, 3};
        c->step[i] = value_below(r, 5) ? 1 : 2 + value_below(r, 2);
        c->box[i] = 1 + value_below(r, least(most[i], ROOM / taken));
        unsigned n = (c->box[i] + c->step[i] - 1) / c->step[i];
        c->box_bytes *= n;
        taken *= n;
    }
}

/* Anywhere, for the first coordinate mostly at multiples of 16 bytes, and for stores mostly not before the tensor. */
static void choose_place(struct map_case *c, struct value_random *r) {
    bool any = !value_below(r, 12);
    for (unsigned i = 0; i < c->rank; i++) {
        unsigned kind = value_below(r, 4), size = (unsigned)c->size[i];
        c->at[i] = kind == 0   ? 0
                   : kind == 1 ? (int32_t)value_below(r, size)
                               : (int32_t)value_below(r, size + c->box[i] + 2) - (int32_t)c->box[i];
        if (!any && c->operation != LOADS && c->at[i] < 0)
            c->at[i] = -c->at[i] % (int32_t)size;
    }
    int32_t unit = (int32_t)(16 / c->element);
    if (!any)
        c->at[0] = c->at[0] / unit * unit;
}

static void tiles(struct map_case *c, unsigned n, struct value_random *r) {
    c->rank = 1 + n % RANKS;
    set_type(c, n / RANKS % TYPES);
    c->operation = n % 3 == 1 ? STORES : LOADS;
    c->swizzle = (CUtensorMapSwizzle)value_below(r, 4);
    c->fill = types[c->type_index].is_float && value_below(r, 2) ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                                                 : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    make_tensor(c, r);
    make_box(c, r);
    choose_place(c, r);
}

static void reductions(struct map_case *c, unsigned n, struct value_random *r) {
    c->operation = (enum operation)(ADDS + n % (OPERATIONS - ADDS));
    set_type(c, n / (OPERATIONS - ADDS) % TYPES);
    if (n >= (OPERATIONS - ADDS) * TYPES) { /* once more those that every GPU has */
        static const unsigned some_types[] = {2, 3, 4, 5, 6, 9, 7, 10};
        set_type(c, some_types[n % 8]);
        c->operation = n % 8 == 3 ? MINS : n % 8 >= 6 ? ADDS : (enum operation)(ADDS + n / 8 % 3);
    }
    c->rank = 2 + value_below(r, 2);
    c->swizzle = (CUtensorMapSwizzle)value_below(r, 4);
    make_tensor(c, r);
    make_box(c, r);
    c->box_bytes = c->box[0] * c->element;
    for (unsigned i = 0; i < c->rank; i++) {
        c->at[i] = 0;
        c->step[i] = 1;
        c->box_bytes *= i ? c->box[i] : 1;
    }
    while (c->box_bytes / (c->box[0] * c->element) * pitch_of(c, c->box[0] * c->element) > ROOM) {
        c->box_bytes /= c->box[c->rank - 1];
        c->box_bytes *= --c->box[c->rank - 1];
    }
}

/* ---- im2col ---- */

static void bounding_box(struct map_case *c, struct value_random *r) {
    for (unsigned i = 0; i + 2 < c->rank; i++) { /* of dimension 1 + i */
        unsigned turned = c->rank - 3 - i, filter = 1 + value_below(r, 4), before = value_below(r, filter + 1);
        c->lower[turned] = -(int)before;
        c->upper[turned] = (int)value_below(r, filter + 1) - (int)filter + 1;
        if ((int)c->size[1 + i] - 1 + c->upper[turned] < c->lower[turned])
            c->upper[turned] = 0;
        int last = (int)c->size[1 + i] - 1 + c->upper[turned];
        c->at[1 + i] = c->lower[turned] + (int)value_below(r, (unsigned)(last - c->lower[turned] + 1));
        c->offset[i] = c->operation == LOADS ? value_below(r, filter) : 0;
    }
}

static void im2col(struct map_case *c, unsigned n, struct value_random *r) {
    static const unsigned some_types[] = {1, 2, 6, 7, 0, 9};
    c->im2col = c->positions = true;
    c->rank = 3 + n % 3;
    c->operation = n % 9 == 4 ? STORES : n % 9 == 7 ? ADDS : LOADS;
    set_type(c, c->operation == ADDS ? 2 : some_types[value_below(r, 6)]);
    c->swizzle = (CUtensorMapSwizzle)value_below(r, 4);
    unsigned unit = 16 / c->element;
    c->size[0] = unit * (1 + value_below(r, 4)) - (n % 4 == 3 ? 1 + value_below(r, unit) % unit : 0);
    c->size[0] += !c->size[0];
    for (unsigned i = 1; i < c->rank; i++)
        c->size[i] = i + 1 == c->rank ? 1 + value_below(r, 3) : 2 + value_below(r, c->rank == 3 ? 20 : 7);
    set_strides(c, 16, r);
    for (unsigned i = 0; i < c->rank; i++)
        c->step[i] = i && i + 1 < c->rank && !value_below(r, 4) ? 2 + value_below(r, 2) : 1;
    c->channels = unit * (1 + value_below(r, c->swizzle ? 1u << c->swizzle : 4));
    c->pixels = 1 + value_below(r, 96);
    c->box_bytes = c->channels * c->element * c->pixels;
    bounding_box(c, r);
    c->at[0] = value_below(r, 2) ? (int32_t)(unit * value_below(r, 2)) : 0;
    c->at[c->rank - 1] = (int32_t)value_below(r, (unsigned)c->size[c->rank - 1]);
    if (n % 10 == 9) /* outside the bounding box */
        c->at[1] += value_below(r, 2) ? 30 : -30;
}

/* ---- interleaved layouts ---- */

static void interleaved(struct map_case *c, unsigned n, struct value_random *r) {
    static const unsigned some_types[] = {1, 0, 2, 6};
    unsigned slice = n % 2 ? 32 : 16;
    c->positions = true;
    c->rank = 3 + n / 2 % 3;
    c->interleave = n % 2 ? CU_TENSOR_MAP_INTERLEAVE_32B : CU_TENSOR_MAP_INTERLEAVE_16B;
    c->swizzle = n % 2 ? CU_TENSOR_MAP_SWIZZLE_32B : (CUtensorMapSwizzle)(n / 6 % 4);
    c->operation = n % 8 == 5 ? STORES : LOADS;
    set_type(c, some_types[value_below(r, 4)]);
    unsigned most[] = {0, 7, 5, 3, 3};
    c->size[0] = 1 + value_below(r, 4); /* in slices or in elements: that is the question */
    if (n / 6 % 2)
        c->size[0] *= slice / c->element;
    for (unsigned i = 1; i < c->rank; i++)
        c->size[i] = 2 + value_below(r, most[i]);
    for (unsigned i = 0; i + 1 < c->rank; i++)
        c->stride[i] = (i ? c->stride[i - 1] : slice) * (2 + i + value_below(r, 3));
    c->bytes = 65536;
    for (unsigned i = 0; i < c->rank; i++) {
        c->step[i] = n % 5 == 4 ? 1 + value_below(r, 2) : 1;
        c->box[i] = 1 + value_below(r, i ? 4 : 3);
        if (!i && n / 6 % 2)
            c->box[i] *= slice / c->element;
        c->at[i] = (int32_t)value_below(r, i ? 3 : 2) - (i && n % 8 == 3);
        if (!i && n / 6 % 2)
            c->at[0] *= (int32_t)(slice / c->element);
        unsigned whole = i ? c->box[i] : (c->box[0] * c->element + slice - 1) / slice * slice;
        c->box_bytes = (i ? c->box_bytes : 1) * ((whole + (i ? c->step[i] - 1 : 0)) / (i ? c->step[i] : 1));
    }
}

/* ---- a plain copy, with something about it ---- */

static void plain(struct map_case *c, struct value_random *r) {
    set_type(c, 2);
    c->rank = 2;
    c->size[0] = 40 + value_below(r, 30);
    c->size[1] = 10 + value_below(r, 30);
    set_strides(c, 16, r);
    c->box[0] = 8;
    c->box[1] = 8;
    c->step[0] = c->step[1] = 1;
    c->at[0] = (int32_t)(4 * value_below(r, 8));
    c->at[1] = (int32_t)value_below(r, 20);
    c->box_bytes = 256;
    c->swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
}

static void places(struct map_case *c, unsigned n, struct value_random *r) {
    static const unsigned offsets[] = {0, 16, 32, 64, 128, 256, 512, 640};
    plain(c, r);
    if (n < 6) {
        c->place = n % 2 ? MAP_IN_PARAMETER : MAP_IN_CONSTANT;
        c->operation = n / 2 == 1 ? STORES : n / 2 == 2 ? ADDS : LOADS;
        return;
    }
    c->swizzle = (CUtensorMapSwizzle)(n % 4);
    c->shared_offset = offsets[n / 4 % 8];
    c->operation = n >= 38 ? STORES : LOADS;
}

/* A field's value is what the instruction gets. */
static void replace(struct map_case *c, unsigned n, struct value_random *r) {
    c->field = (enum field)(1 + n % (FIELDS - 1));
    plain(c, r);
    unsigned which = n / (FIELDS - 1);
    c->swizzle = which == 2 ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_32B;
    c->operation = which == 1 ? STORES : LOADS;
    c->at[0] = 32;
    switch (c->field) {
    case FIELD_ADDRESS:
        c->field_value = 16 * (1 + which);
        break;
    case FIELD_SIZE:
        c->field_value = 36 + which;
        break;
    case FIELD_STRIDE:
        c->field_value = which == 2 ? 2 : 32 + 16 * which;
        break;
    case FIELD_STEP:
        c->field_value = 2;
        break;
    case FIELD_BOX:
        c->field_value = 5;
        break;
    case FIELD_SWIZZLE:
        c->field_value = which == 0 ? 0 : which == 1 ? 2 : 3;
        break;
    case FIELD_TYPE:
        c->field_value = which == 0 ? 7 : which == 1 ? 3 : 11;
        break;
    case FIELD_FILL:
        set_type(c, 7);
        c->field_value = 1;
        break;
    default:
        break;
    }
    if (c->field == FIELD_STEP || c->field == FIELD_BOX)
        c->box_bytes = c->box[0] * c->element * (c->field == FIELD_BOX ? 5 : 4);
}

static void wrong(struct map_case *c, unsigned n, struct value_random *r) {
    static const char *const words[] = {"1d", "3d", "4d", "5d"};
    plain(c, r);
    c->operation = n >= 6 ? STORES : LOADS;
    n %= 6;
    if (n < 4) {
        c->wrong = words[n];
        return;
    }
    c->rank = 3;
    c->size[2] = 3;
    set_strides(c, 16, r);
    c->box[2] = c->step[2] = 1;
    if (n == 5) {
        c->im2col = true;
        c->channels = c->box[0];
        c->pixels = c->box[1];
    }
    c->wrong = n == 4 ? "im2col" : "tile";
}

struct map_case cases_at(unsigned number) {
    static void (*const makers[ABOUTS])(struct map_case *, unsigned, struct value_random *) = {
        [ABOUT_TILES] = tiles,   [ABOUT_REDUCTIONS] = reductions,
        [ABOUT_IM2COL] = im2col, [ABOUT_INTERLEAVE] = interleaved,
        [ABOUT_PLACES] = places, [ABOUT_REPLACE] = replace,
        [ABOUT_WRONG] = wrong};
    struct value_random r = {(uint64_t)number << 20 | 0x7a};
    struct map_case c = {0};
    unsigned n = number;
    while (n >= counts[c.about])
        n -= counts[c.about++];
    makers[c.about](&c, n, &r);
    return c;
}

void cases_name(const struct map_case *c, unsigned number, char *name, unsigned size) {
    static const char *const operations[] = {"load", "store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static const char *const names[] = {"u8",  "u16", "u32",  "s32",     "u64",  "s64",     "f16",
                                        "f32", "f64", "bf16", "f32 ftz", "tf32", "tf32 ftz"};
    static const char *const abouts[ABOUTS] = {"tiles",  "reductions", "im2col", "interleave",
                                               "places", "replace",    "wrong"};
    int n = snprintf(name, size, "%u: %s, %s %s %ud, swizzle %u, interleave %u%s", number, abouts[c->about],
                     operations[c->operation], names[c->type_index], c->rank, c->swizzle ? 16 << c->swizzle : 0,
                     16 * c->interleave, c->fill ? ", NaN" : "");
    if (c->about >= ABOUT_PLACES)
        n += snprintf(name + n, size - (unsigned)n, ", place %d, field %d = %u, shared + %u%s%s", c->place, c->field,
                      c->field_value, c->shared_offset, c->wrong ? ", " : "", c->wrong ? c->wrong : "");
    if (c->im2col)
        n += snprintf(name + n, size - (unsigned)n,
                      ", %u channels, %u pixels, corners %d,%d,%d to %d,%d,%d, offset %u,%u,%u", c->channels, c->pixels,
                      c->lower[0], c->lower[1], c->lower[2], c->upper[0], c->upper[1], c->upper[2], c->offset[0],
                      c->offset[1], c->offset[2]);
    n += snprintf(name + n, size - (unsigned)n, ", box");
    for (unsigned i = 0; i < c->rank; i++)
        n += snprintf(name + n, size - (unsigned)n, " %u/%u", c->box[i], c->step[i]);
    n += snprintf(name + n, size - (unsigned)n, " at");
    for (unsigned i = 0; i < c->rank; i++)
        n += snprintf(name + n, size - (unsigned)n, " %d", c->at[i]);
    n += snprintf(name + n, size - (unsigned)n, " of");
    for (unsigned i = 0; i < c->rank; i++)
        n += snprintf(name + n, size - (unsigned)n, " %llu", (unsigned long long)c->size[i]);
    n += snprintf(name + n, size - (unsigned)n, ", strides");
    for (unsigned i = 0; i + 1 < c->rank; i++)
        n += snprintf(name + n, size - (unsigned)n, " %llu", (unsigned long long)c->stride[i]);
}
