#include "arguments.h"

#include <cuda.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct arguments {
    unsigned type, rank, interleave, swizzle, promotion, fill;
    uint64_t address;
    cuuint64_t size[6], stride[6];
    cuuint32_t box[6], step[6];
    int lower[3], upper[3];
    unsigned channels, pixels;
    bool no_size, no_stride, no_box, no_step, no_map;
    unsigned map_offset;
};

/* Tiles: a tensor of 64 x 32 x 16 x 8 x 4 floats, of which the rank takes as many dimensions as it says. */
static const struct arguments usual = {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                       .rank = 3,
                                       .size = {64, 32, 16, 8, 4, 2},
                                       .stride = {256, 8192, 131072, 1048576, 4194304, 8388608},
                                       .box = {8, 4, 2, 1, 1, 1},
                                       .step = {1, 1, 1, 1, 1, 1},
                                       .lower = {-1, -1, -1},
                                       .upper = {-1, -1, -1},
                                       .channels = 8,
                                       .pixels = 16};

/* What both kinds of map are asked: a name, and what it changes. */
#define COMMON(X)                                                                                                      \
    X("nothing", (void)a)                                                                                              \
    X("no map", a->no_map = true)                                                                                      \
    X("map at 16", a->map_offset = 16)                                                                                 \
    X("map at 32", a->map_offset = 32)                                                                                 \
    X("type 13", a->type = 13, a->size[0] = 128, a->box[0] = 128)                                                      \
    X("type 14", a->type = 14, a->size[0] = 128, a->box[0] = 128)                                                      \
    X("type 15", a->type = 15, a->size[0] = 128, a->box[0] = 128)                                                      \
    X("type 16", a->type = 16)                                                                                         \
    X("rank 0", a->rank = 0)                                                                                           \
    X("rank 1", a->rank = 1)                                                                                           \
    X("rank 2", a->rank = 2)                                                                                           \
    X("rank 4", a->rank = 4)                                                                                           \
    X("rank 5", a->rank = 5)                                                                                           \
    X("rank 6", a->rank = 6)                                                                                           \
    X("address 0", a->address = 0)                                                                                     \
    X("address + 8", a->address += 8)                                                                                  \
    X("address + 16", a->address += 16)                                                                                \
    X("address + 32, interleave 32", a->address += 32, a->interleave = 2, a->swizzle = 1)                              \
    X("address + 16, interleave 32", a->address += 16, a->interleave = 2, a->swizzle = 1)                              \
    X("address of nobody", a->address = 0x10)                                                                          \
    X("address 2^47", a->address = (uint64_t)1 << 47)                                                                  \
    X("address 2^57", a->address = (uint64_t)1 << 57)                                                                  \
    X("no sizes", a->no_size = true)                                                                                   \
    X("no strides", a->no_stride = true)                                                                               \
    X("no element strides", a->no_step = true)                                                                         \
    X("size 0: 0", a->size[0] = 0)                                                                                     \
    X("size 1: 0", a->size[1] = 0)                                                                                     \
    X("size 2: 0", a->size[2] = 0)                                                                                     \
    X("size 2: 2^32", a->size[2] = (uint64_t)1 << 32)                                                                  \
    X("size 2: 2^32 + 1", a->size[2] = ((uint64_t)1 << 32) + 1)                                                        \
    X("stride 0: 0", a->stride[0] = 0)                                                                                 \
    X("stride 0: 8", a->stride[0] = 8)                                                                                 \
    X("stride 0: 16", a->stride[0] = 16)                                                                               \
    X("stride 0: 264", a->stride[0] = 264)                                                                             \
    X("stride 0: 272", a->stride[0] = 272)                                                                             \
    X("stride 1: 16", a->stride[1] = 16)                                                                               \
    X("stride 1: 2^40", a->stride[1] = (uint64_t)1 << 40)                                                              \
    X("stride 1: 2^40 - 16", a->stride[1] = ((uint64_t)1 << 40) - 16)                                                  \
    X("stride 0: 272, interleave 32", a->stride[0] = 272, a->interleave = 2, a->swizzle = 1)                           \
    X("step 0: 0", a->step[0] = 0)                                                                                     \
    X("step 0: 2", a->step[0] = 2)                                                                                     \
    X("step 0: 9", a->step[0] = 9)                                                                                     \
    X("step 1: 0", a->step[1] = 0)                                                                                     \
    X("step 1: 2", a->step[1] = 2)                                                                                     \
    X("step 1: 8", a->step[1] = 8)                                                                                     \
    X("step 1: 9", a->step[1] = 9)                                                                                     \
    X("step 2: 0", a->step[2] = 0)                                                                                     \
    X("interleave 16", a->interleave = 1)                                                                              \
    X("interleave 16, step 0: 2", a->interleave = 1, a->step[0] = 2)                                                   \
    X("interleave 16, step 0: 9", a->interleave = 1, a->step[0] = 9)                                                   \
    X("interleave 16, swizzle 32", a->interleave = 1, a->swizzle = 1)                                                  \
    X("interleave 16, swizzle 64", a->interleave = 1, a->swizzle = 2)                                                  \
    X("interleave 16, swizzle 128", a->interleave = 1, a->swizzle = 3)                                                 \
    X("interleave 16, rank 2", a->interleave = 1, a->rank = 2)                                                         \
    X("interleave 32", a->interleave = 2)                                                                              \
    X("interleave 32, swizzle 32", a->interleave = 2, a->swizzle = 1)                                                  \
    X("interleave 32, swizzle 64", a->interleave = 2, a->swizzle = 2)                                                  \
    X("interleave 3", a->interleave = 3)                                                                               \
    X("swizzle 32", a->swizzle = 1)                                                                                    \
    X("swizzle 4", a->swizzle = 4)                                                                                     \
    X("swizzle 5", a->swizzle = 5)                                                                                     \
    X("swizzle 6", a->swizzle = 6)                                                                                     \
    X("swizzle 7", a->swizzle = 7)                                                                                     \
    X("promotion 3", a->promotion = 3)                                                                                 \
    X("promotion 4", a->promotion = 4)                                                                                 \
    X("fill 1", a->fill = 1)                                                                                           \
    X("fill 1, type u32", a->fill = 1, a->type = 2)                                                                    \
    X("fill 1, type u8", a->fill = 1, a->type = 0, a->box[0] = 16, a->channels = 16)                                   \
    X("fill 1, type f16", a->fill = 1, a->type = 6)                                                                    \
    X("fill 1, type f64", a->fill = 1, a->type = 8)                                                                    \
    X("fill 1, type tf32", a->fill = 1, a->type = 11)                                                                  \
    X("fill 2", a->fill = 2)

#define TILES(X)                                                                                                       \
    X("no box", a->no_box = true)                                                                                      \
    X("box 0: 0", a->box[0] = 0)                                                                                       \
    X("box 1: 0", a->box[1] = 0)                                                                                       \
    X("box 0: 3", a->box[0] = 3)                                                                                       \
    X("box 0: 4", a->box[0] = 4)                                                                                       \
    X("box 0: 256", a->box[0] = 256)                                                                                   \
    X("box 0: 260", a->box[0] = 260)                                                                                   \
    X("box 1: 256", a->box[1] = 256)                                                                                   \
    X("box 1: 257", a->box[1] = 257)                                                                                   \
    X("box 256 x 256", a->box[0] = 256, a->box[1] = 256)                                                               \
    X("box 256 x 256 x 256", a->box[0] = 256, a->box[1] = 256, a->box[2] = 256)                                        \
    X("box larger than the tensor", a->box[0] = 128, a->box[1] = 64)                                                   \
    X("box 0: 8, swizzle 32", a->box[0] = 8, a->swizzle = 1)                                                           \
    X("box 0: 12, swizzle 32", a->box[0] = 12, a->swizzle = 1)                                                         \
    X("box 0: 16, swizzle 64", a->box[0] = 16, a->swizzle = 2)                                                         \
    X("box 0: 20, swizzle 64", a->box[0] = 20, a->swizzle = 2)                                                         \
    X("box 0: 32, swizzle 128", a->box[0] = 32, a->swizzle = 3)                                                        \
    X("box 0: 36, swizzle 128", a->box[0] = 36, a->swizzle = 3)                                                        \
    X("box 0: 32, swizzle 4", a->box[0] = 32, a->swizzle = 4)                                                          \
    X("box 0: 3, interleave 16", a->box[0] = 3, a->interleave = 1)                                                     \
    X("box 0: 256, interleave 16, swizzle 128", a->box[0] = 256, a->interleave = 1, a->swizzle = 3)

#define IM2COL(X)                                                                                                      \
    X("channels 0", a->channels = 0)                                                                                   \
    X("channels 3", a->channels = 3)                                                                                   \
    X("channels 4", a->channels = 4)                                                                                   \
    X("channels 256", a->channels = 256)                                                                               \
    X("channels 260", a->channels = 260)                                                                               \
    X("channels 64 of 64, swizzle 128", a->channels = 64, a->swizzle = 3)                                              \
    X("channels 32, swizzle 128", a->channels = 32, a->swizzle = 3)                                                    \
    X("pixels 0", a->pixels = 0)                                                                                       \
    X("pixels 1024", a->pixels = 1024)                                                                                 \
    X("pixels 1025", a->pixels = 1025)                                                                                 \
    X("rank 3, corner -32768", a->lower[0] = -32768)                                                                   \
    X("rank 3, corner -32769", a->lower[0] = -32769)                                                                   \
    X("rank 3, corner 32767", a->upper[0] = 32767)                                                                     \
    X("rank 3, corner 32768", a->upper[0] = 32768)                                                                     \
    X("rank 4, corner -128", a->rank = 4, a->lower[1] = -128)                                                          \
    X("rank 4, corner -129", a->rank = 4, a->lower[1] = -129)                                                          \
    X("rank 4, corner 127", a->rank = 4, a->upper[0] = 127)                                                            \
    X("rank 4, corner 128", a->rank = 4, a->upper[0] = 128)                                                            \
    X("rank 5, corner -16", a->rank = 5, a->lower[2] = -16)                                                            \
    X("rank 5, corner -17", a->rank = 5, a->lower[2] = -17)                                                            \
    X("rank 5, corner 15", a->rank = 5, a->upper[1] = 15)                                                              \
    X("rank 5, corner 16", a->rank = 5, a->upper[1] = 16)                                                              \
    X("box of one pixel", a->lower[0] = 0, a->upper[0] = -31)                                                          \
    X("empty box", a->lower[0] = 0, a->upper[0] = -32)                                                                 \
    X("emptier box", a->lower[0] = 10, a->upper[0] = -32)                                                              \
    X("empty box in dimension 2", a->rank = 4, a->lower[0] = 0, a->upper[0] = -16)

/* Makes the change with this number; NULL: there are no more. */
static const char *row_of(unsigned kind, unsigned number, struct arguments *a) {
    unsigned i = 0;
#define ROW(name, ...)                                                                                                 \
    if (i++ == number) {                                                                                               \
        __VA_ARGS__;                                                                                                   \
        return name;                                                                                                   \
    }
    COMMON(ROW)
    if (kind == 0) {
        TILES(ROW)
    } else {
        IM2COL(ROW)
    }
#undef ROW
    return NULL;
}

static CUresult ask(unsigned kind, const struct arguments *a) {
    static alignas(128) char place[sizeof(CUtensorMap) + 128];
    CUtensorMap *map = a->no_map ? NULL : (CUtensorMap *)(void *)(place + a->map_offset);
    void *address = (void *)(uintptr_t)a->address;
    const cuuint64_t *size = a->no_size ? NULL : a->size, *stride = a->no_stride ? NULL : a->stride;
    const cuuint32_t *box = a->no_box ? NULL : a->box, *step = a->no_step ? NULL : a->step;
    if (kind == 0)
        return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)a->type, a->rank, address, size, stride, box, step,
                                      (CUtensorMapInterleave)a->interleave, (CUtensorMapSwizzle)a->swizzle,
                                      (CUtensorMapL2promotion)a->promotion, (CUtensorMapFloatOOBfill)a->fill);
    if (kind == 1)
        return cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)a->type, a->rank, address, size, stride, a->lower,
                                       a->upper, a->channels, a->pixels, step, (CUtensorMapInterleave)a->interleave,
                                       (CUtensorMapSwizzle)a->swizzle, (CUtensorMapL2promotion)a->promotion,
                                       (CUtensorMapFloatOOBfill)a->fill);
    return cuTensorMapEncodeIm2colWide(map, (CUtensorMapDataType)a->type, a->rank, address, size, stride, a->lower[0],
                                       a->upper[0], a->channels, a->pixels, step, (CUtensorMapInterleave)a->interleave,
                                       CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, (CUtensorMapSwizzle)a->swizzle,
                                       (CUtensorMapL2promotion)a->promotion, (CUtensorMapFloatOOBfill)a->fill);
}

static void print_answer(const char *function, const char *change, CUresult answer) {
    const char *name = "no name";
    cuGetErrorName(answer, &name);
    printf("%s, %s: %s\n", function, change, answer == CUDA_SUCCESS ? "CUDA_SUCCESS" : name);
}

static void print_replaced(CUdeviceptr tensor) {
    static alignas(128) CUtensorMap map;
    struct arguments a = usual;
    a.address = tensor;
    print_answer("replace", "a map of zeros", cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)tensor));
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, (void *)(uintptr_t)tensor, a.size, a.stride, a.box,
                           a.step, 0, 0, 0, 0);
    print_answer("replace", "nothing", cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(tensor + 16)));
    print_answer("replace", "address + 8", cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(tensor + 8)));
    print_answer("replace", "address 0", cuTensorMapReplaceAddress(&map, NULL));
}

int print_arguments(void) {
    static const char *const functions[] = {"tiled", "im2col", "wide"};
    CUcontext context;
    CUdeviceptr tensor;
    struct arguments a = usual;
    a.address = 0x7f0000000000;
    print_answer("tiled", "before cuInit", ask(0, &a));
    if (cuInit(0) != CUDA_SUCCESS)
        return 1;
    print_answer("tiled", "without a context", ask(0, &a));
    if (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS || cuCtxSetCurrent(context) != CUDA_SUCCESS ||
        cuMemAlloc(&tensor, 1 << 20) != CUDA_SUCCESS)
        return 1;
    for (unsigned kind = 0; kind < 3; kind++) {
        const char *name;
        for (unsigned i = 0;; i++) {
            a = usual;
            a.address = tensor;
            if (!(name = row_of(kind, i, &a)) || (kind == 2 && i > 3))
                break;
            print_answer(functions[kind], name, ask(kind, &a));
        }
    }
    print_replaced(tensor);
    return 0;
}
