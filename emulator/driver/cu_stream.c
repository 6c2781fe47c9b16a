/* Streams and events: they are the runtime's. */
#include "driver/driver.h"

#include <string.h>

#include "driver/context.h"

static cudaError_t destroy_stream(void *stream) {
    return cudaStreamDestroy(stream);
}
static cudaError_t destroy_event(void *event) {
    return cudaEventDestroy(event);
}

static cudaError_t create(CUstream *out, unsigned flags, int priority) {
    cudaError_t error = cudaStreamCreateWithPriority(out, flags, priority);
    if (error == cudaSuccess)
        context_keep(*out, destroy_stream);
    return error;
}

static cudaError_t create_event(CUevent *out, unsigned flags) {
    cudaError_t error = cudaEventCreateWithFlags(out, flags);
    if (error == cudaSuccess)
        context_keep(*out, destroy_event);
    return error;
}

static cudaError_t dropped(void *thing, cudaError_t (*destroy)(void *)) {
    context_drop(thing);
    return destroy(thing);
}

/* Of the current context, if the stream's device is its device: the context that created a stream is not recorded. */
static cudaError_t context_of(CUstream stream, CUcontext *out) {
    unsigned flags;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaStreamGetFlags(stream, &flags);
    if (error != cudaSuccess)
        return error;
    int device = state_device();
#if CUDART_VERSION >= 12080
    error = cudaStreamGetDevice(stream, &device);
#endif
    *out = device == state_device() ? context_current() : context_of_device(device);
    return error;
}

#if CUDART_VERSION >= 12050
static cudaError_t contexts_of(CUstream stream, CUcontext *out, CUgreenCtx *green) {
    if (!green)
        return cudaErrorInvalidValue;
    *green = NULL; /* there are none */
    return context_of(stream, out);
}
#endif

CUresult cuStreamCreate(CUstream *out, unsigned flags) {
    CALL(create(out, flags, 0));
}
CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority) {
    CALL(create(out, flags, priority));
}
CUresult cuStreamDestroy(CUstream stream) {
    CALL(dropped(stream, destroy_stream));
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) {
    CALL(cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
    CALL(cudaStreamGetFlags(stream, flags));
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
    CALL(cudaStreamGetId(stream, id));
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *out) {
    CALL(context_of(stream, out));
}
#if CUDART_VERSION >= 12050
EXPORT CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *out, CUgreenCtx *green) {
    CALL(contexts_of(stream, out, green));
}
#endif
#if CUDART_VERSION >= 12080
EXPORT CUresult cuStreamGetDevice(CUstream stream, CUdevice *out) {
    CALL(cudaStreamGetDevice(stream, out));
}
#endif
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    CALL(cudaStreamWaitEvent(stream, event, flags));
}
/* The error that a callback is given is the runtime's, which has the driver's numbers where both have it. */
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
    CALL(cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void *)callback, data, flags));
}
CUresult cuStreamQuery(CUstream stream) {
    CALL(cudaStreamQuery(stream));
}
CUresult cuStreamSynchronize(CUstream stream) {
    CALL(cudaStreamSynchronize(stream));
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t length, unsigned flags) {
    CALL(cudaStreamAttachMemAsync(stream, driver_pointer(address), length, flags));
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
    CALL(cudaStreamCopyAttributes(to, from));
}
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID id, CUstreamAttrValue *out) {
    CALL(cudaStreamGetAttribute(stream, (cudaLaunchAttributeID)id, (cudaLaunchAttributeValue *)(void *)out));
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID id, const CUstreamAttrValue *value) {
    CALL(cudaStreamSetAttribute(stream, (cudaLaunchAttributeID)id,
                                (const cudaLaunchAttributeValue *)(const void *)value));
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
    CALL(cudaLaunchHostFunc(stream, function, data));
}

/* ---- capture ---- */

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    CALL(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *out) {
    CALL(cudaStreamEndCapture(stream, out));
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
    CALL(cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status));
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    CALL(cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}

/* Edges have the same layout in both interfaces. */
static cudaError_t capture_info(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                const CUgraphNode **nodes, const void **edges, size_t *count) {
#if CUDART_VERSION >= 13000
    return cudaStreamGetCaptureInfo(
#else
    return cudaStreamGetCaptureInfo_v3(
#endif
        stream, (enum cudaStreamCaptureStatus *)status, (unsigned long long *)id, graph, nodes,
        (const cudaGraphEdgeData **)edges, count);
}

#undef cuStreamGetCaptureInfo
EXPORT CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id);
EXPORT CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
    CALL(capture_info(stream, status, id, NULL, NULL, NULL, NULL));
}
EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                          CUgraph *graph, const CUgraphNode **nodes, size_t *count);
EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                          CUgraph *graph, const CUgraphNode **nodes, size_t *count) {
    CALL(capture_info(stream, status, id, graph, nodes, NULL, count));
}
#if CUDA_VERSION >= 12030
EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                          CUgraph *graph, const CUgraphNode **nodes, const CUgraphEdgeData **edges,
                                          size_t *count);
EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                          CUgraph *graph, const CUgraphNode **nodes, const CUgraphEdgeData **edges,
                                          size_t *count) {
    CALL(capture_info(stream, status, id, graph, nodes, (const void **)edges, count));
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *before,
                                     const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode) {
    CALL(cudaStreamBeginCaptureToGraph(stream, graph, before, (const cudaGraphEdgeData *)(const void *)edges, count,
                                       (enum cudaStreamCaptureMode)mode));
}
#endif

static cudaError_t update_capture(CUstream stream, CUgraphNode *nodes, const void *edges, size_t count,
                                  unsigned flags) {
#if CUDART_VERSION >= 13000
    return cudaStreamUpdateCaptureDependencies(
#else
    return cudaStreamUpdateCaptureDependencies_v2(
#endif
        stream, nodes, (const cudaGraphEdgeData *)edges, count, flags);
}

#undef cuStreamUpdateCaptureDependencies
EXPORT CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count, unsigned flags);
EXPORT CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count, unsigned flags) {
    CALL(update_capture(stream, nodes, NULL, count, flags));
}
#if CUDA_VERSION >= 12030
EXPORT CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *edges,
                                                     size_t count, unsigned flags);
EXPORT CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *edges,
                                                     size_t count, unsigned flags) {
    CALL(update_capture(stream, nodes, edges, count, flags));
}
#endif

/* ---- events ---- */

CUresult cuEventCreate(CUevent *out, unsigned flags) {
    CALL(create_event(out, flags));
}
CUresult cuEventDestroy(CUevent event) {
    CALL(dropped(event, destroy_event));
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    CALL(cudaEventRecord(event, stream));
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    CALL(cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuEventQuery(CUevent event) {
    CALL(cudaEventQuery(event));
}
CUresult cuEventSynchronize(CUevent event) {
    CALL(cudaEventSynchronize(event));
}
#undef cuEventElapsedTime
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
    CALL(cudaEventElapsedTime(milliseconds, from, to));
}
EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to) {
    CALL(cudaEventElapsedTime(milliseconds, from, to));
}

static cudaError_t open_event(CUevent *out, CUipcEventHandle handle) {
    cudaIpcEventHandle_t same;
    memcpy(&same, &handle, sizeof same);
    return cudaIpcOpenEventHandle(out, same);
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *out, CUevent event) {
    CALL(cudaIpcGetEventHandle((cudaIpcEventHandle_t *)(void *)out, event));
}
CUresult cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle) {
    CALL(open_event(out, handle));
}
