/* The rules that every tensor map keeps: NVIDIA's manual of the driver states them, and an H200's driver enforces
 * them. */
#include "machine/tensor_map.h"

#include <string.h>

#include "base/limits.h"

const uint8_t tensor_type_bytes[TENSOR_TYPES] = {
    [TENSOR_U8] = 1,      [TENSOR_U16] = 2,  [TENSOR_U32] = 4,     [TENSOR_S32] = 4, [TENSOR_U64] = 8,
    [TENSOR_S64] = 8,     [TENSOR_F16] = 2,  [TENSOR_F32] = 4,     [TENSOR_F64] = 8, [TENSOR_BF16] = 2,
    [TENSOR_F32_FTZ] = 4, [TENSOR_TF32] = 4, [TENSOR_TF32_FTZ] = 4};

static uint64_t seal_of(const struct tensor_map *map) {
    uint64_t words[TENSOR_MAP_BYTES / 8], h = 0x7e45042a9u;
    memcpy(words, map, sizeof words);
    for (size_t i = 0; i + 1 < sizeof words / sizeof *words; i++) {
        h = (h ^ words[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

void tensor_map_seal(struct tensor_map *map) {
    map->seal = seal_of(map);
}

bool tensor_map_is_sealed(const struct tensor_map *map) {
    return map->seal == seal_of(map);
}

/* ---- the rules ---- */

static const char *problem_of_kinds(const struct tensor_map *m) {
    if (m->type >= TENSOR_TYPES)
        return "its data type does not exist in compute capability 9.0";
    if (m->rank < 1 || m->rank > TENSOR_RANKS)
        return "its rank is not 1 to 5";
    if (m->interleave >= TENSOR_INTERLEAVES)
        return "its interleaved layout does not exist in compute capability 9.0";
    if (m->swizzle >= TENSOR_SWIZZLES)
        return "its swizzle mode does not exist in compute capability 9.0";
    if (m->interleave && m->rank < 3)
        return "interleaved layouts need a rank of 3 or more";
    if (m->mode != TENSOR_TILED && m->rank < 3)
        return "im2col needs a rank of 3 or more";
    if (m->fill_nan && !tensor_type_is_float(m->type))
        return "only floating-point tensors can be filled with NaN";
    return NULL;
}

static const char *problem_of_place(const struct tensor_map *m) {
    uint64_t align = m->interleave == TENSOR_INTERLEAVE_32 ? 32 : 16;
    if (m->address % align)
        return align == 16 ? "the tensor's address is not a multiple of 16"
                           : "interleaving by 32 bytes needs an address that is a multiple of 32";
    if (m->address >> 57)
        return "the tensor's address is not valid";
    for (unsigned i = 0; i + 1 < m->rank; i++) {
        if (m->stride[i] % align)
            return align == 16 ? "a stride is not a multiple of 16 bytes"
                               : "interleaving by 32 bytes needs strides that are multiples of 32 bytes";
        if (m->stride[i] >> 40)
            return "a stride is 2^40 bytes or more";
    }
    return NULL;
}

static const char *problem_of_row(const struct tensor_map *m) {
    uint32_t row = (uint32_t)m->box[0] * tensor_type_bytes[m->type];
    if (row % 16)
        return "a row of the box (its first size times the bytes of an element) is not a multiple of 16 bytes";
    if (!m->interleave && m->swizzle && row > 16u << m->swizzle)
        return "a row of the box is longer than the swizzle span";
    if (m->mode == TENSOR_TILED && tensor_map_box_bytes(m) > LIMIT_SHARED_BLOCK_OPTIN)
        return "the box is larger than shared memory";
    return NULL;
}

static const char *problem_of_corners(const struct tensor_map *m) {
    static const int16_t most[] = {32767, 127, 15};
    unsigned n = m->rank - 2u;
    for (unsigned i = 0; i < n; i++) {
        int least = -most[n - 1] - 1;
        if (m->lower[i] < least || m->lower[i] > most[n - 1] || m->upper[i] < least || m->upper[i] > most[n - 1])
            return "a corner of the bounding box is out of range";
        if ((int64_t)m->last[i + 1] + m->upper[i] < m->lower[i])
            return "the bounding box is empty";
    }
    return NULL;
}

static const char *problem_of_box(const struct tensor_map *m) {
    bool tiled = m->mode == TENSOR_TILED;
    for (unsigned i = 0; i < (tiled ? m->rank : 2u); i++)
        if (!m->box[i] || m->box[i] > (tiled || !i ? 256 : 1024))
            return tiled ? "a size of the box is not 1 to 256"
                         : "the channels per pixel are not 1 to 256, or the pixels per column not 1 to 1024";
    for (unsigned i = 0; i < m->rank; i++)
        if (!m->step[i] || m->step[i] > 8)
            return "an element stride is not 1 to 8";
    return m->mode == TENSOR_IM2COL ? problem_of_corners(m) : NULL;
}

const char *tensor_map_problem(const struct tensor_map *m) {
    const char *problem = problem_of_kinds(m);
    problem = problem ? problem : problem_of_place(m);
    problem = problem ? problem : problem_of_box(m);
    return problem ? problem : problem_of_row(m);
}

/* ---- sizes ---- */

uint32_t tensor_map_unit(const struct tensor_map *m) {
    return m->interleave ? 8u << m->interleave : tensor_type_bytes[m->type];
}

uint32_t tensor_map_steps(const struct tensor_map *m, unsigned i) {
    if (m->interleave && i + 2u == m->rank)
        return 1;
    unsigned step = i || m->interleave ? m->step[i] : 1;
    return (m->box[i] + step - 1) / step;
}

uint32_t tensor_map_row_bytes(const struct tensor_map *m) {
    return (m->mode == TENSOR_TILED ? tensor_map_steps(m, 0) : m->box[0]) * tensor_map_unit(m);
}

uint32_t tensor_map_box_bytes(const struct tensor_map *m) {
    uint32_t bytes = tensor_map_row_bytes(m);
    if (m->mode != TENSOR_TILED)
        return bytes * m->box[1];
    for (unsigned i = 1; i < m->rank; i++)
        bytes *= tensor_map_steps(m, i);
    return bytes;
}
