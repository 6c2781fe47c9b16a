/* cudaMemset and its relatives; transfer.c does the work. */
#include "api/api.h"

#include "api/transfer.h"

static cudaError_t fill(const char *function, void *to, size_t pitch, size_t slice, struct box box, int value,
                        cudaStream_t stream, bool async) {
    if (box.height > 1 && box.width > pitch)
        return state_refuse(function, cudaErrorInvalidValue, "Rows of %zu bytes do not fit into a pitch of %zu bytes.",
                            box.width, pitch);
    struct fill_request r = {.function = function,
                             .to = {(uint64_t)(uintptr_t)to, pitch, slice},
                             .box = box,
                             .value = (unsigned char)value,
                             .element = 1,
                             .stream = stream,
                             .async = async};
    return transfer_fill(&r);
}

static cudaError_t fill_1d(const char *function, void *to, int value, size_t bytes, cudaStream_t stream, bool async) {
    return fill(function, to, 0, 0, (struct box){bytes, 1, 1}, value, stream, async);
}

static cudaError_t fill_2d(const char *function, void *to, size_t pitch, int value, size_t width, size_t height,
                           cudaStream_t stream, bool async) {
    return fill(function, to, pitch, 0, (struct box){width, height, 1}, value, stream, async);
}

static cudaError_t fill_3d(const char *function, struct cudaPitchedPtr to, int value, struct cudaExtent e,
                           cudaStream_t stream, bool async) {
    return fill(function, to.ptr, to.pitch, to.pitch * to.ysize, (struct box){e.width, e.height, e.depth}, value,
                stream, async);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    return fill_1d(__func__, to, value, bytes, NULL, false);
}

EXPORT cudaError_t cudaMemset_ptds(void *to, int value, size_t bytes) {
    return fill_1d("cudaMemset", to, value, bytes, cudaStreamPerThread, false);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    return fill_1d(__func__, to, value, bytes, stream, true);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return fill_2d(__func__, to, pitch, value, width, height, NULL, false);
}

EXPORT cudaError_t cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width, size_t height) {
    return fill_2d("cudaMemset2D", to, pitch, value, width, height, cudaStreamPerThread, false);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    return fill_2d(__func__, to, pitch, value, width, height, stream, true);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent) {
    return fill_3d(__func__, to, value, extent, NULL, false);
}

EXPORT cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr to, int value, struct cudaExtent extent) {
    return fill_3d("cudaMemset3D", to, value, extent, cudaStreamPerThread, false);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream) {
    return fill_3d(__func__, to, value, extent, stream, true);
}
