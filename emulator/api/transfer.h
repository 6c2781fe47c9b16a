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

/* For a copy that is done later: is it valid, as far as that can be checked now? The stream does not matter. */
cudaError_t transfer_check(const struct copy_request *r);
/* Does it on the calling thread, at a place in the order of operations. */
struct operation_order;
cudaError_t transfer_now(const struct operation_order *order, const struct copy_request *r);
/* Whether the program's own host memory, CUDA's host memory or the device's is at an address. */
enum home { HOME_PAGEABLE, HOME_PINNED, HOME_MANAGED, HOME_DEVICE };
enum home transfer_home(uint64_t address);
/* The copy that cudaMemcpy3D's parameters describe. */
cudaError_t transfer_request_3d(const char *function, const struct cudaMemcpy3DParms *p, struct copy_request *r);

#if CUDART_VERSION >= 12080
/* Many copies in one call. Where one is refused, *failed gets its index, and SIZE_MAX where no copy is at fault; NULL:
 * the caller does not need it. */
struct copy_batch {
    void *const *to;
    const void *const *from;
    const size_t *sizes;
    size_t count;
    const struct cudaMemcpyAttributes *attributes; /* each for the copies from its index on */
    const size_t *indices;
    size_t attribute_count;
};
cudaError_t transfer_copy_batch(const char *function, const struct copy_batch *b, size_t *failed, cudaStream_t stream);
cudaError_t transfer_copy_boxes(const char *function, const struct cudaMemcpy3DBatchOp *ops, size_t count,
                                size_t *failed, unsigned long long flags, cudaStream_t stream);
#endif

struct fill_request {
    const char *function;
    struct side to;
    struct box box;
    unsigned value;   /* its lowest bytes count, as many as an element has */
    unsigned element; /* bytes: 1, 2 or 4; a row of the box has a whole number of them */
    cudaStream_t stream;
    bool async;
};
cudaError_t transfer_fill(const struct fill_request *r);
/* Checks a fill, and does it now. */
cudaError_t transfer_check_fill(const char *function, struct side s, struct box b);
cudaError_t transfer_fill_now(const struct operation_order *order, const struct fill_request *r);

#endif
