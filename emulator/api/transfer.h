/* Copying and filling memory: the checks, and the operations of a stream that do it. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include <stdint.h>

#include "api/api.h"

/* A box of `depth` slices of `height` rows of `width` bytes. The strides do not matter where there is only one. */
struct box {
    size_t width, height, depth;
};
struct side {
    uint64_t address;
    size_t pitch, slice; /* bytes from row to row, from slice to slice */
};

struct copy_request {
    const char *function; /* of the API, for messages */
    struct side to, from;
    struct box box;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool async;
};
cudaError_t transfer_copy(const struct copy_request *r);

struct fill_request {
    const char *function;
    struct side to;
    struct box box;
    unsigned char value;
    cudaStream_t stream;
};
cudaError_t transfer_fill(const struct fill_request *r);

#endif
