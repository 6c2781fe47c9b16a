/* The fundamental types of PTX, their names and sizes. */
#include <string.h>

#include "ptx/ptx.h"

const uint8_t ptx_type_bits[TYPE_COUNT] = {
    [TYPE_PRED] = 1,   [TYPE_B8] = 8,      [TYPE_U8] = 8,          [TYPE_S8] = 8,       [TYPE_B16] = 16,
    [TYPE_U16] = 16,   [TYPE_S16] = 16,    [TYPE_F16] = 16,        [TYPE_BF16] = 16,    [TYPE_B32] = 32,
    [TYPE_U32] = 32,   [TYPE_S32] = 32,    [TYPE_F32] = 32,        [TYPE_F16X2] = 32,   [TYPE_BF16X2] = 32,
    [TYPE_TF32] = 32,  [TYPE_B64] = 64,    [TYPE_U64] = 64,        [TYPE_S64] = 64,     [TYPE_F64] = 64,
    [TYPE_B128] = 128, [TYPE_TEXREF] = 64, [TYPE_SAMPLERREF] = 64, [TYPE_SURFREF] = 64,
};

static const char *const names[TYPE_COUNT] = {
    [TYPE_PRED] = "pred",
    [TYPE_B8] = "b8",
    [TYPE_U8] = "u8",
    [TYPE_S8] = "s8",
    [TYPE_B16] = "b16",
    [TYPE_U16] = "u16",
    [TYPE_S16] = "s16",
    [TYPE_F16] = "f16",
    [TYPE_BF16] = "bf16",
    [TYPE_B32] = "b32",
    [TYPE_U32] = "u32",
    [TYPE_S32] = "s32",
    [TYPE_F32] = "f32",
    [TYPE_F16X2] = "f16x2",
    [TYPE_BF16X2] = "bf16x2",
    [TYPE_TF32] = "tf32",
    [TYPE_B64] = "b64",
    [TYPE_U64] = "u64",
    [TYPE_S64] = "s64",
    [TYPE_F64] = "f64",
    [TYPE_B128] = "b128",
    [TYPE_TEXREF] = "texref",
    [TYPE_SAMPLERREF] = "samplerref",
    [TYPE_SURFREF] = "surfref",
};

const char *ptx_type_name(enum ptx_type type) {
    return names[type];
}

enum ptx_type ptx_type_by_name(const char *name, size_t length) {
    for (int t = TYPE_PRED; t < TYPE_COUNT; t++)
        if (strlen(names[t]) == length && memcmp(names[t], name, length) == 0)
            return (enum ptx_type)t;
    return TYPE_NONE;
}
