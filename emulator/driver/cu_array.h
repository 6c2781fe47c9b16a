/* Texels of arrays, the driver's form and the runtime's, for a call named in messages. */
#ifndef DRIVER_CU_ARRAY_H
#define DRIVER_CU_ARRAY_H

#include "driver/driver.h"

/* A CUarray is a cudaArray_t, and a CUmipmappedArray a cudaMipmappedArray_t. */
#define RUNTIME_ARRAY(array) ((cudaArray_t)(void *)(array))
#define DRIVER_ARRAY(array)  ((CUarray)(void *)(array))

cudaError_t array_channels(const char *function, CUarray_format format, unsigned channels,
                           struct cudaChannelFormatDesc *out);
/* For a description that arrays can have. */
CUarray_format array_driver_format(struct cudaChannelFormatDesc desc);
unsigned array_channel_count(struct cudaChannelFormatDesc desc);
static inline size_t array_element_bytes(struct cudaChannelFormatDesc d) {
    return (size_t)(d.x + d.y + d.z + d.w) / 8;
}

#endif
