/* cudaMemcpy and its relatives; transfer.c does the work. */
#include "api/api.h"

#include "api/array.h"
#include "api/capture.h"
#include "api/queue.h"
#include "api/transfer.h"
#include "memory/memory.h"

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

/* ---- One dimension ---- */

static cudaError_t copy_1d(const char *function, const void *to, const void *from, size_t bytes,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool async) {
    struct copy_request r = {.function = function,
                             .to = {.address = ADDRESS(to)},
                             .from = {.address = ADDRESS(from)},
                             .box = {bytes, 1, 1},
                             .kind = kind,
                             .stream = stream,
                             .async = async};
    return transfer_copy(&r);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    return copy_1d(__func__, to, from, bytes, kind, NULL, false);
}

EXPORT cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    return copy_1d("cudaMemcpy", to, from, bytes, kind, cudaStreamPerThread, false);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_1d(__func__, to, from, bytes, kind, stream, true);
}

/* All devices share one address space here, so a copy between two of them is like any other. */
static bool devices_exist(int a, int b) {
    int count = state_device_count();
    return a >= 0 && a < count && b >= 0 && b < count;
}

/* These copies are not allowed in a capture. */
static cudaError_t check_peer(const char *function, int to_device, int from_device, cudaStream_t stream) {
    struct stream *s = queue_find(stream);
    if (!devices_exist(to_device, from_device))
        return state_return(cudaErrorInvalidDevice);
    return s ? capture_refuse(function, s) : cudaSuccess;
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    if (!devices_exist(to_device, from_device))
        return state_return(cudaErrorInvalidDevice);
    return copy_1d(__func__, to, from, bytes, cudaMemcpyDefault, NULL, true);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    cudaError_t error = check_peer(__func__, to_device, from_device, stream);
    return error == cudaSuccess ? copy_1d(__func__, to, from, bytes, cudaMemcpyDefault, stream, true) : error;
}

/* ---- Two dimensions ---- */

static cudaError_t copy_2d(const char *function, struct side to, struct side from, size_t width, size_t height,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool async) {
    if (height && width && (width > to.pitch || width > from.pitch))
        return state_refuse(function, height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue,
                            "Rows of %zu bytes do not fit into a pitch of %zu bytes.", width,
                            to.pitch < from.pitch ? to.pitch : from.pitch);
    struct copy_request r = {.function = function,
                             .to = to,
                             .from = from,
                             .box = {width, height, 1},
                             .kind = kind,
                             .stream = stream,
                             .async = async};
    return transfer_copy(&r);
}

#define SIDE(pointer, pitch) ((struct side){ADDRESS(pointer), pitch, 0})

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
    return copy_2d(__func__, SIDE(to, to_pitch), SIDE(from, from_pitch), width, height, kind, NULL, false);
}

EXPORT cudaError_t cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind) {
    return copy_2d("cudaMemcpy2D", SIDE(to, to_pitch), SIDE(from, from_pitch), width, height, kind, cudaStreamPerThread,
                   false);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d(__func__, SIDE(to, to_pitch), SIDE(from, from_pitch), width, height, kind, stream, true);
}

/* ---- Three dimensions ---- */

static struct side pitched(struct cudaPitchedPtr p, struct cudaPos at) {
    size_t slice = p.pitch * p.ysize;
    return (struct side){ADDRESS(p.ptr) + at.z * slice + at.y * p.pitch + at.x, p.pitch, slice};
}

static size_t texel_bytes(cudaArray_const_t array) {
    return array_exists(array) ? array_texel_bytes(array) : 1;
}

static cudaError_t side_3d(const char *function, cudaArray_const_t array, struct cudaPitchedPtr memory,
                           struct cudaPos at, struct box box, struct side *out) {
    if (array)
        return array_side(function, array, at.x * texel_bytes(array), at.y, at.z, box, out);
    *out = pitched(memory, at);
    return cudaSuccess;
}

cudaError_t transfer_request_3d(const char *function, const struct cudaMemcpy3DParms *p, struct copy_request *r) {
    if (!p || (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return state_return(cudaErrorInvalidValue);
    size_t texel = p->dstArray   ? texel_bytes(p->dstArray)
                   : p->srcArray ? texel_bytes(p->srcArray)
                                 : 1; /* widths are in texels as soon as an array takes part */
    *r = (struct copy_request){
        .function = function, .box = {p->extent.width * texel, p->extent.height, p->extent.depth}, .kind = p->kind};
    cudaError_t error = side_3d(function, p->dstArray, p->dstPtr, p->dstPos, r->box, &r->to);
    if (error == cudaSuccess)
        error = side_3d(function, p->srcArray, p->srcPtr, p->srcPos, r->box, &r->from);
    return error;
}

static cudaError_t copy_3d(const char *function, const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async) {
    struct copy_request r;
    cudaError_t error = transfer_request_3d(function, p, &r);
    if (error != cudaSuccess)
        return error;
    r.stream = stream;
    r.async = async;
    return transfer_copy(&r);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    return copy_3d(__func__, p, NULL, false);
}

EXPORT cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p) {
    return copy_3d("cudaMemcpy3D", p, cudaStreamPerThread, false);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return copy_3d(__func__, p, stream, true);
}

static cudaError_t copy_3d_peer(const char *function, const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    if (!p)
        return state_return(cudaErrorInvalidDevice);
    cudaError_t error = check_peer(function, p->dstDevice, p->srcDevice, stream);
    if (error != cudaSuccess)
        return error;
    struct cudaMemcpy3DParms plain = {.srcArray = p->srcArray,
                                      .srcPos = p->srcPos,
                                      .srcPtr = p->srcPtr,
                                      .dstArray = p->dstArray,
                                      .dstPos = p->dstPos,
                                      .dstPtr = p->dstPtr,
                                      .extent = p->extent,
                                      .kind = cudaMemcpyDefault};
    return copy_3d(function, &plain, stream, true);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    return copy_3d_peer(__func__, p, NULL);
}

EXPORT cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p) {
    return copy_3d_peer("cudaMemcpy3DPeer", p, cudaStreamPerThread);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    return copy_3d_peer(__func__, p, stream);
}
