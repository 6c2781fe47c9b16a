/* dlpack.h - the structs of DLPack that go from one library to another, as its version 0 and every later one has them: what is in memory,
 * how it lies there, and how it is given back. Written down here from DLPack's documentation, since pybind11 has no header of it. */
#pragma once

#include <cstdint>

enum { DL_CPU = 1, DL_CUDA = 2 };                   // DLDeviceType
enum { DL_INT = 0, DL_UNSIGNED = 1, DL_FLOAT = 2 }; // DLDataTypeCode

struct DLTensor {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t dimensions;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides; // strides: in elements; NULL means one behind the other
    uint64_t byte_offset;
};

/* The tensor, and whoever keeps its memory alive: the one who takes it calls the deleter, once, when he is done. */
struct DLManagedTensor {
    DLTensor tensor;
    void *owner;
    void (*deleter)(DLManagedTensor *self);
};
