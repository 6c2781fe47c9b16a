/* Tensor maps: the arguments are checked as an H200's driver does (tests/tensor_map), and stored in our own layout. */
#include "driver/driver.h"

#include <string.h>

#include "api/state.h"
#include "machine/tensor_map.h"

#if CUDA_VERSION < 12080 /* its header does not have the function yet */
typedef int CUtensorMapIm2ColWideMode;
__attribute__((visibility("default"))) CUresult
cuTensorMapEncodeIm2colWide(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                            const cuuint64_t *size, const cuuint64_t *stride, int lower, int upper, cuuint32_t channels,
                            cuuint32_t pixels, const cuuint32_t *step, CUtensorMapInterleave interleave,
                            CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                            CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
#endif

static cudaError_t refuse(const char *function, const char *why) {
    return state_refuse(function, cudaErrorInvalidValue, "%s", why);
}

/* The part that tiles and im2col have in common. */
struct arguments {
    const char *function;
    CUtensorMap *out;
    unsigned type, rank, interleave, swizzle, promotion, fill;
    const void *address;
    const cuuint64_t *size, *stride;
    const cuuint32_t *step;
};

static uint16_t narrow(uint64_t x, uint16_t most) {
    return x < most ? (uint16_t)x : most;
}

static cudaError_t begin(const struct arguments *a, struct tensor_map *map) {
    if (a->rank < 1 || a->rank > TENSOR_RANKS)
        return refuse(a->function, "the rank is not 1 to 5");
    if (!a->out || !a->size || !a->step || (a->rank > 1 && !a->stride))
        return refuse(a->function, "an argument is a null pointer");
    if (a->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        a->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return refuse(a->function, "an argument is not a value of its enumeration");
    *map = (struct tensor_map){.address = (uintptr_t)a->address,
                               .rank = (uint8_t)a->rank,
                               .type = (uint8_t)narrow(a->type, 0xff),
                               .interleave = (uint8_t)narrow(a->interleave, 0xff),
                               .swizzle = (uint8_t)narrow(a->swizzle, 0xff),
                               .fill_nan = a->fill != 0};
    for (unsigned i = 0; i < a->rank; i++) {
        if (!a->size[i] || a->size[i] > (uint64_t)1 << 32)
            return refuse(a->function, "a size of the tensor is not 1 to 2^32");
        map->last[i] = (uint32_t)(a->size[i] - 1);
        map->step[i] = (uint8_t)narrow(a->step[i], 0xff);
        if (i)
            map->stride[i - 1] = a->stride[i - 1];
    }
    return cudaSuccess;
}

static cudaError_t finish(const struct arguments *a, struct tensor_map *map) {
    const char *problem = tensor_map_problem(map);
    if (problem)
        return refuse(a->function, problem);
    tensor_map_seal(map);
    memcpy(a->out, map, sizeof *map);
    return cudaSuccess;
}

static cudaError_t tiled(const struct arguments *a, const cuuint32_t *box) {
    struct tensor_map map;
    cudaError_t error = begin(a, &map);
    if (error != cudaSuccess)
        return error;
    if (!box)
        return refuse(a->function, "an argument is a null pointer");
    for (unsigned i = 0; i < a->rank; i++)
        map.box[i] = narrow(box[i], 0xffff);
    return finish(a, &map);
}

static bool fits_16_bits(const int *x, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (x[i] < INT16_MIN || x[i] > INT16_MAX)
            return false;
    return true;
}

/* The corners of the bounding box: width, height, depth. An H200 takes them in this order, though the manual names
 * them in the other. */
static cudaError_t im2col(const struct arguments *a, enum tensor_mode mode, const int *lower, const int *upper,
                          unsigned channels, unsigned pixels) {
    struct tensor_map map;
    unsigned corners = mode == TENSOR_IM2COL ? a->rank - 2 : 1;
    cudaError_t error = begin(a, &map);
    if (error != cudaSuccess)
        return error;
    if (a->rank < 3 || !lower || !upper)
        return refuse(a->function, "im2col needs a rank of 3 or more, and the corners of a bounding box");
    if (!fits_16_bits(lower, corners) || !fits_16_bits(upper, corners))
        return refuse(a->function, "a corner of the bounding box is out of range");
    map.mode = (uint8_t)mode;
    map.box[0] = narrow(channels, 0xffff);
    map.box[1] = narrow(pixels, 0xffff);
    for (unsigned i = 0; i < corners; i++) {
        map.lower[i] = (int16_t)lower[i];
        map.upper[i] = (int16_t)upper[i];
    }
    return finish(a, &map);
}

/* The driver makes no map of zeros, but lets them have an address; so does ours. */
static cudaError_t replace(CUtensorMap *out, const void *address) {
    static const struct tensor_map zeros;
    struct arguments a = {.function = "cuTensorMapReplaceAddress", .out = out};
    struct tensor_map map;
    if (!out || !address || (uintptr_t)address % 16)
        return refuse(a.function, "an argument is a null pointer, or the tensor's address is not a multiple of 16");
    memcpy(&map, out, sizeof map);
    if (memcmp(&map, &zeros, sizeof map) == 0)
        return cudaSuccess;
    if (!tensor_map_is_sealed(&map))
        return refuse(a.function, "the argument is not a tensor map created by cuTensorMapEncode...");
    map.address = (uintptr_t)address;
    return finish(&a, &map);
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box,
                                const cuuint32_t *step, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    struct arguments a = {__func__, out, type, rank, interleave, swizzle, promotion, fill, address, size, stride, step};
    CALL(tiled(&a, box));
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *size, const cuuint64_t *stride, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    struct arguments a = {__func__, out, type, rank, interleave, swizzle, promotion, fill, address, size, stride, step};
    CALL(im2col(&a, TENSOR_IM2COL, lower, upper, channels, pixels));
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                     const cuuint64_t *size, const cuuint64_t *stride, int lower, int upper,
                                     cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step,
                                     CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                     CUtensorMapFloatOOBfill fill) {
    struct arguments a = {__func__, out, type, rank, interleave, swizzle, promotion, fill, address, size, stride, step};
    (void)mode; /* the instruction also determines how many pixels a copy takes */
    CALL(im2col(&a, TENSOR_IM2COL_WIDE, &lower, &upper, channels, pixels));
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *out, void *address) {
    CALL(replace(out, address));
}
