/* watch_streams.cpp - as watch.cpp: streams, events, graphs, host functions, and stream-ordered and pinned memory. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "tools/grading/steps.h"
#include "tools/grading/watch.h"

#define EXPORTED   extern "C" __attribute__((visibility("default")))
#define REAL(name) ((decltype(&name))dlsym(RTLD_NEXT, #name))

// ---------------------------------------------------------------- streams

static cudaError_t made_stream(cudaError_t error, const cudaStream_t *stream, unsigned flags) {
    if (error == cudaSuccess && watch_on()) {
        watch_object(*stream, +1);
        steps_new_stream(*stream, !(flags & cudaStreamNonBlocking));
    }
    return error;
}

EXPORTED cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return made_stream(REAL(cudaStreamCreate)(stream), stream, 0);
}

EXPORTED cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return made_stream(REAL(cudaStreamCreateWithFlags)(stream, flags), stream, flags);
}

EXPORTED cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    return made_stream(REAL(cudaStreamCreateWithPriority)(stream, flags, priority), stream, flags);
}

EXPORTED cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    watch_object(stream, -1);
    return REAL(cudaStreamDestroy)(stream);
}

EXPORTED cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    steps_operation(stream);
    return REAL(cudaLaunchHostFunc)(stream, function, data);
}

// ---------------------------------------------------------------- events

static cudaError_t made_event(cudaError_t error, const cudaEvent_t *event) {
    if (error == cudaSuccess) {
        watch_object(*event, +1);
    }
    return error;
}

EXPORTED cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return made_event(REAL(cudaEventCreate)(event), event);
}

EXPORTED cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    return made_event(REAL(cudaEventCreateWithFlags)(event, flags), event);
}

EXPORTED cudaError_t cudaEventDestroy(cudaEvent_t event) {
    watch_object(event, -1);
    return REAL(cudaEventDestroy)(event);
}

EXPORTED cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    watch_event();
    steps_record(event, stream);
    return REAL(cudaEventRecord)(event, stream);
}

EXPORTED cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    watch_event();
    steps_record(event, stream);
    return REAL(cudaEventRecordWithFlags)(event, stream, flags);
}

EXPORTED cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    watch_event();
    steps_wait(stream, event);
    return REAL(cudaStreamWaitEvent)(stream, event, flags);
}

// ---------------------------------------------------------------- graphs

EXPORTED cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    cudaError_t error = REAL(cudaGraphInstantiate)(exec, graph, flags);
    if (error == cudaSuccess) {
        watch_object(*exec, +1);
    }
    return error;
}

EXPORTED cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    watch_object(exec, -1);
    return REAL(cudaGraphExecDestroy)(exec);
}

// ---------------------------------------------------------------- memory

static cudaError_t allocated_in(cudaError_t error, void *const *pointer, size_t device_bytes, cudaStream_t stream) {
    if (error == cudaSuccess) {
        watch_allocated_in(*pointer, device_bytes, stream);
    }
    return error;
}

static cudaError_t allocated(cudaError_t error, void *const *pointer, size_t device_bytes) {
    if (error == cudaSuccess) {
        watch_allocated(*pointer, device_bytes);
    }
    return error;
}

EXPORTED cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
    return allocated_in(REAL(cudaMallocAsync)(pointer, bytes, stream), pointer, bytes, stream);
}

EXPORTED cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return allocated_in(REAL(cudaMallocFromPoolAsync)(pointer, bytes, pool, stream), pointer, bytes, stream);
}

EXPORTED cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
    return allocated(REAL(cudaMallocManaged)(pointer, bytes, flags), pointer, bytes);
}

EXPORTED cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    steps_freed_in(pointer, stream);
    watch_freed(pointer);
    return REAL(cudaFreeAsync)(pointer, stream);
}

/* Pinned memory does not count as device memory. */
EXPORTED cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
    return allocated(REAL(cudaMallocHost)(pointer, bytes), pointer, 0);
}

EXPORTED cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    return allocated(REAL(cudaHostAlloc)(pointer, bytes, flags), pointer, 0);
}

EXPORTED cudaError_t cudaFreeHost(void *pointer) {
    watch_freed(pointer);
    return REAL(cudaFreeHost)(pointer);
}
