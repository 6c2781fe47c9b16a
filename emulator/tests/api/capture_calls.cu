// What each call answers while a stream is being captured, what it does to the capture, and what ending the capture
// answers then.
// Compared: the table is what an H200 answered with CUDA 13.0 (driver 580.159.04).
#include "api_test.h"

/* A row per call, a cell per situation, in this order. A cell is the answer of the call, the state of the capture
 * after it (A: active, I: invalidated, N: none) and the answer of cudaStreamEndCapture; "." is 0A0, "none of its
 * business". */
struct situation {
    const char *name;
    cudaStreamCaptureMode mode;
    bool blocking;     /* the captured stream is one that the legacy stream waits for */
    bool other_thread; /* the call comes from another thread */
};
static const situation situations[] = {
    {"global", cudaStreamCaptureModeGlobal, false, false},
    {"thread-local", cudaStreamCaptureModeThreadLocal, false, false},
    {"relaxed", cudaStreamCaptureModeRelaxed, false, false},
    {"global, from another thread", cudaStreamCaptureModeGlobal, false, true},
    {"thread-local, from another thread", cudaStreamCaptureModeThreadLocal, false, true},
    {"global, blocking stream", cudaStreamCaptureModeGlobal, true, false},
    {"relaxed, blocking stream", cudaStreamCaptureModeRelaxed, true, false},
};

__device__ int variable;
__global__ void touch(int *p) {
    if (p)
        *p = 1;
}

/* What calls work on; fresh for every cell. */
static cudaStream_t s, other, blocking;
static cudaEvent_t never, before, later, captured, spare;
static int *memory, *more, *ordered, *pinned, *more_pinned, *managed, pageable[256], registered[4096],
    unregistered[4096];
static cudaGraph_t graph;
static cudaGraphExec_t exec;
static cudaMemPool_t pool;
static cudaArray_t array;

static void prepare(const situation *in) {
    MUST(cudaStreamCreateWithFlags(&s, in->blocking ? cudaStreamDefault : cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&blocking));
    for (cudaEvent_t *e : {&never, &before, &later, &captured, &spare})
        MUST(cudaEventCreate(e));
    MUST(cudaMalloc(&memory, 1024));
    MUST(cudaMalloc(&more, 1024));
    MUST(cudaMallocAsync(&ordered, 1024, other));
    MUST(cudaMallocHost(&pinned, 1024));
    MUST(cudaMallocHost(&more_pinned, 1024));
    MUST(cudaMallocManaged(&managed, 1024));
    MUST(cudaHostRegister(registered, sizeof registered, 0));
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
    MUST(cudaMallocArray(&array, &texel, 16, 16));
    cudaGraphNode_t node;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    MUST(cudaMemPoolCreate(&pool, &properties));
    MUST(cudaEventRecord(before, other));
    MUST(cudaEventRecord(later, other));
    MUST(cudaDeviceSynchronize());
}

/* What is left; calls have used up some of it. */
static void clean() {
    MUST(cudaDeviceSynchronize());
    for (cudaStream_t stream : {s, other, blocking})
        cudaStreamDestroy(stream);
    for (cudaEvent_t e : {never, before, later, captured, spare})
        cudaEventDestroy(e);
    for (void *p : {memory, more, ordered, managed})
        cudaFree(p);
    for (void *p : {pinned, more_pinned})
        cudaFreeHost(p);
    cudaFreeArray(array);
    cudaMemPoolDestroy(pool);
    cudaGraphExecDestroy(exec);
    cudaHostUnregister(registered);
    cudaHostUnregister(unregistered);
    cudaGraphDestroy(graph);
    cudaGetLastError();
    MUST(cudaDeviceSynchronize());
}

static cudaError_t launch(cudaStream_t stream, int threads = 1) {
    touch<<<1, threads, 0, stream>>>(NULL);
    return cudaPeekAtLastError();
}
static void CUDART_CB host_function(void *) {}
static void CUDART_CB callback(cudaStream_t, cudaError_t, void *) {}

/* Outputs nobody looks at. */
static void *pointer;
static size_t size, size2;
static int number;
static unsigned flags;
static unsigned long long id;
static float milliseconds;
static cudaStream_t new_stream;
static cudaEvent_t new_event;
static cudaGraph_t new_graph;
static cudaGraphExec_t new_exec;
static cudaMemPool_t new_pool;
static cudaArray_t new_array;
static cudaStreamCaptureStatus status;
static cudaPointerAttributes pointer_attributes;
static cudaFuncAttributes function_attributes;
static cudaDeviceProp properties;
static cudaTextureObject_t texture;
static const cudaMemLocation device_0 = {cudaMemLocationTypeDevice, 0};
static const cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindSigned};

static cudaError_t make_pool() {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    return cudaMemPoolCreate(&new_pool, &properties);
}
static cudaError_t destroy_other() {
    cudaError_t error = cudaStreamDestroy(other);
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking)); /* to be destroyed afterwards */
    return error;
}
static cudaError_t destroy_event(cudaEvent_t *e) {
    cudaError_t error = cudaEventDestroy(*e);
    MUST(cudaEventCreate(e));
    return error;
}
static cudaError_t destroy_exec() {
    cudaError_t error = cudaGraphExecDestroy(exec);
    cudaGetLastError();
    cudaGraphInstantiate(&exec, graph, 0);
    return error;
}
static cudaError_t destroy_graph() {
    cudaGraph_t another;
    MUST(cudaGraphCreate(&another, 0));
    return cudaGraphDestroy(another);
}
static cudaError_t destroy_pool() {
    cudaError_t error = cudaMemPoolDestroy(pool);
    cudaGetLastError();
    if (error == cudaSuccess)
        make_pool();
    pool = new_pool;
    return error;
}
static cudaError_t make_texture() {
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return cudaCreateTextureObject(&texture, &resource, &how, NULL);
}
static cudaError_t relax_and_allocate() {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    MUST(cudaThreadExchangeStreamCaptureMode(&mode));
    cudaError_t error = cudaMalloc(&pointer, 64);
    MUST(cudaThreadExchangeStreamCaptureMode(&mode));
    return error;
}

struct call {
    const char *expected, *text;
    cudaError_t (*run)();
};
#define CALL(expected, ...)                                                                                            \
    {                                                                                                                  \
        expected, #__VA_ARGS__, []() -> cudaError_t { return __VA_ARGS__; }                                            \
    }

static const call calls[] = {
    /* In the captured stream. */
    CALL(". . . . . . .", launch(s)),
    CALL("1I901 1I901 1I901 1I901 1I901 1I901 1I901", launch(s, 2000)),
    CALL(". . . . . . .", cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice, s)),
    CALL(". . . . . . .", cudaMemcpyAsync(memory, pageable, 64, cudaMemcpyHostToDevice, s)),
    CALL(". . . . . . .", cudaMemcpyAsync(pageable, memory, 64, cudaMemcpyDeviceToHost, s)),
    CALL(". . . . . . .", cudaMemcpyAsync(pageable, pageable + 32, 64, cudaMemcpyHostToHost, s)),
    CALL("1A0 1A0 1A0 1A0 1A0 1A0 1A0", cudaMemcpyAsync(memory, NULL, 64, cudaMemcpyDefault, s)),
    CALL(". . . . . . .", cudaMemcpyAsync(memory, memory, 0, cudaMemcpyDeviceToDevice, s)),
    CALL("21A0 21A0 21A0 21A0 21A0 21A0 21A0", cudaMemcpyAsync(memory, memory, 4, (cudaMemcpyKind)7, s)),
    CALL(". . . . . . .", cudaMemcpy2DAsync(memory, 64, pinned, 64, 16, 4, cudaMemcpyDefault, s)),
    CALL("12A0 12A0 12A0 12A0 12A0 12A0 12A0", cudaMemcpy2DAsync(memory, 8, pinned, 64, 16, 4, cudaMemcpyDefault, s)),
    CALL(". . . . . . .", cudaMemcpyToSymbolAsync(variable, pinned, 4, 0, cudaMemcpyHostToDevice, s)),
    CALL(". . . . . . .", cudaMemcpyFromSymbolAsync(pinned, variable, 4, 0, cudaMemcpyDeviceToHost, s)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaMemcpyPeerAsync(memory, 0, more, 0, 64, s)),
    CALL(". . . . . . .", cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, 16, 16, 4, cudaMemcpyHostToDevice, s)),
    CALL(". . . . . 906I901 906I901", cudaMemcpy2DToArray(array, 0, 0, pinned, 16, 16, 4, cudaMemcpyHostToDevice)),
    CALL(". . . . . . .", cudaMemsetAsync(memory, 0, 64, s)),
    CALL(". . . . . . .", cudaMemset2DAsync(memory, 64, 0, 16, 4, s)),
    CALL(". . . . . . .", cudaLaunchHostFunc(s, host_function, NULL)),
    CALL("1A0 1A0 1A0 1A0 1A0 1A0 1A0", cudaLaunchHostFunc(s, NULL, NULL)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaStreamAddCallback(s, callback, NULL, 0)),
    CALL(". . . . . . .", cudaMallocAsync(&pointer, 64, s)),
    CALL("1A0 1A0 1A0 1A0 1A0 1A0 1A0", cudaMallocAsync(NULL, 64, s)),
    CALL(". . . . . . .", cudaMallocFromPoolAsync(&pointer, 64, pool, s)),
    CALL("1A0 1A0 1A0 1A0 1A0 1A0 1A0", cudaFreeAsync(ordered, s)),
    CALL("1A0 1A0 1A0 1A0 1A0 1A0 1A0", cudaFreeAsync(more, s)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaMemPrefetchAsync(managed, 64, device_0, 0, s)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901",
         cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachGlobal)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaGraphLaunch(exec, s)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaGraphUpload(exec, s)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaStreamQuery(s)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaStreamSynchronize(s)),
    CALL("401A0 401A0 401A0 401A0 401A0 401A0 401A0", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)),
    CALL(". . . . . . .", cudaStreamIsCapturing(s, &status)),
    CALL(". . . . . . .", cudaStreamGetCaptureInfo(s, &status, &id)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaStreamGetFlags(s, &flags)),
    CALL(". . . . . . .", cudaStreamGetPriority(s, &number)),
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaStreamGetId(s, &id)),
    CALL(". . . . . . .", cudaEventRecord(spare, s)),
    CALL(". . . . . . .", cudaEventRecordWithFlags(spare, s, cudaEventRecordExternal)),
    CALL("400A0 400A0 400A0 400A0 400A0 400A0 400A0", cudaEventRecord(NULL, s)),
    CALL(". . . . . . .", cudaStreamWaitEvent(s, never)),
    CALL("905I901 905I901 905I901 905I901 905I901 905I901 905I901", cudaStreamWaitEvent(s, before)),
    CALL(". . . . . . .", cudaStreamWaitEvent(s, before, cudaEventWaitExternal)),
    CALL(". . . . . . .", cudaStreamWaitEvent(s, captured)),
    CALL(". . . . . . .", cudaStreamWaitEvent(s, captured, cudaEventWaitExternal)),
    /* An event recorded in the captured stream. */
    CALL("907I901 907I901 907I901 907I901 907I901 907I901 907I901", cudaEventQuery(captured)),
    CALL("907I901 907I901 907I901 907I901 907I901 907I901 907I901", cudaEventSynchronize(captured)),
    CALL("907A0 907A0 907A0 907A0 907A0 907A0 907A0", cudaEventElapsedTime(&milliseconds, before, captured)),
    CALL(". . . . . . .", cudaEventRecord(captured, other)),
    CALL(". . . . . . .", destroy_event(&captured)),
    CALL("906I901 906I901 906I901 906I901 906I901 906I901 906I901", cudaStreamWaitEvent(cudaStreamLegacy, captured)),
    /* The legacy stream. */
    CALL(". . . . . 906I901 906I901", launch(0)),
    CALL(". . . . . 906I901 906I901", cudaMemcpy(memory, pageable, 64, cudaMemcpyHostToDevice)),
    CALL(". . . . . 906I901 906I901", cudaMemcpy(pinned, memory, 64, cudaMemcpyDeviceToHost)),
    CALL(". . . . . 906I901 906I901", cudaMemcpy(memory, more, 64, cudaMemcpyDeviceToDevice)),
    CALL(". . . . . 906I901 906I901", cudaMemcpy(pageable, pageable + 32, 64, cudaMemcpyHostToHost)),
    CALL(". . . . . 906I901 906I901", cudaMemcpyToSymbol(variable, pageable, 4)),
    CALL(". . . . . 906I901 906I901", cudaMemset(memory, 0, 64)),
    CALL(". . . . . 906I901 906I901", cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice, 0)),
    CALL(". . . . . 906I901 906I901", cudaMemsetAsync(memory, 0, 64, 0)),
    CALL("900I901 900I901 . 900I901 . 906I901 906I901", cudaMallocAsync(&pointer, 64, 0)),
    CALL("900I901 900I901 . 900I901 . 906I901 906I901", cudaFreeAsync(ordered, 0)),
    CALL(". . . . . 906I901 906I901", cudaLaunchHostFunc(0, host_function, NULL)),
    CALL(". . . . . 906I901 906I901", cudaStreamAddCallback(0, callback, NULL, 0)),
    CALL("900I901 900I901 . 900I901 . 906I901 906I901", cudaStreamSynchronize(0)),
    CALL("900I901 900I901 . 900I901 . 906I901 906I901", cudaStreamQuery(0)),
    CALL(". . . . . 906A0 906A0", cudaStreamIsCapturing(0, &status)),
    CALL(". . . . . 906A0 906A0", cudaStreamGetCaptureInfo(0, &status)),
    CALL(". . . . . 906I901 906I901", cudaStreamGetFlags(0, &flags)),
    CALL(". . . . . 906I901 906I901", cudaEventRecord(spare, 0)),
    CALL(". . . . . 906I901 906I901", cudaStreamWaitEvent(0, before)),
    CALL(". . . . . 906I901 906I901", cudaGraphLaunch(exec, 0)),
    CALL("900A0 900A0 900A0 900A0 900A0 906I901 906I901", cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)),
    /* Streams that are not captured. */
    CALL(". . . . . . .", launch(other)),
    CALL(". . . . . . .", launch(blocking)),
    CALL(". . . . . . .", launch(cudaStreamPerThread)),
    CALL(". . . . . . .", cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice, other)),
    CALL(". . . . . . .", cudaMemcpyAsync(pageable, memory, 64, cudaMemcpyDeviceToHost, other)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaMallocAsync(&pointer, 64, other)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaFreeAsync(ordered, other)),
    CALL(". . . . . . .", cudaLaunchHostFunc(other, host_function, NULL)),
    CALL(". . . . . . .", cudaStreamAddCallback(other, callback, NULL, 0)),
    CALL(". . . . . . .", cudaGraphLaunch(exec, other)),
    CALL(". . . . . . .", cudaGraphUpload(exec, other)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaStreamQuery(other)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaStreamQuery(blocking)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaStreamSynchronize(other)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaStreamSynchronize(blocking)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaStreamSynchronize(cudaStreamPerThread)),
    CALL(". . . . . . .", cudaStreamIsCapturing(other, &status)),
    CALL("401A0 401A0 401A0 401A0 401A0 401A0 401A0", cudaStreamEndCapture(other, &new_graph)),
    CALL(". . . . . . .", destroy_other()),
    CALL(". . . . . . .", cudaStreamCreate(&new_stream)),
    CALL(". . . . . . .", cudaStreamCreateWithFlags(&new_stream, cudaStreamNonBlocking)),
    CALL(". . . . . . .", cudaEventRecord(spare, other)),
    CALL(". . . . . . .", cudaStreamWaitEvent(other, before)),
    CALL(". . . . . . .", cudaStreamWaitEvent(other, never)),
    /* Events that are not captured. */
    CALL(". . . . . . .", cudaEventCreate(&new_event)),
    CALL(". . . . . . .", destroy_event(&before)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaEventQuery(before)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaEventQuery(never)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaEventSynchronize(before)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaEventSynchronize(never)),
    CALL(". . . . . . .", cudaEventElapsedTime(&milliseconds, before, later)),
    /* The device and its memory. */
    CALL("900I901 900I901 900I901 900I901 900I901 900I901 900I901", cudaDeviceSynchronize()),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaMalloc(&pointer, 64)),
    CALL(". . . . . . .", cudaMalloc(&pointer, 0)),
    CALL("1A0 1A0 1A0 1A0 1A0 1A0 1A0", cudaMalloc(NULL, 64)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaMallocPitch(&pointer, &size, 64, 4)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaMallocManaged(&pointer, 64)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaMallocHost(&pointer, 64)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaHostAlloc(&pointer, 64, cudaHostAllocDefault)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaMallocArray(&new_array, &texel, 16, 16)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaFree(more)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaFree(NULL)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaFreeHost(more_pinned)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaFreeArray(array)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaHostRegister(unregistered, sizeof unregistered, 0)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaHostUnregister(registered)),
    CALL(". . . . . . .", cudaHostGetDevicePointer(&pointer, pinned, 0)),
    CALL(". . . . . . .", cudaMemGetInfo(&size, &size2)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, device_0)),
    CALL(". . . . . . .", cudaMemPrefetchAsync(managed, 64, device_0, 0, other)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", make_pool()),
    CALL("900I901 900I901 . 900I901 . 900I901 .", destroy_pool()),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaMemPoolTrimTo(pool, 0)),
    CALL(". . . . . . .", cudaDeviceGraphMemTrim(0)),
    CALL(". . . . . . .", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &size)),
    CALL(". . . . . . .", cudaPointerGetAttributes(&pointer_attributes, memory)),
    CALL(". . . . . . .", cudaGetSymbolAddress(&pointer, variable)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", make_texture()),
    CALL(". . . . . . .", cudaDeviceGetLimit(&size, cudaLimitStackSize)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20)),
    CALL(". . . . . . .", cudaGetDeviceProperties(&properties, 0)),
    CALL(". . . . . . .", cudaSetDevice(0)),
    CALL(". . . . . . .", cudaFuncGetAttributes(&function_attributes, touch)),
    CALL(". . . . . . .", cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000)),
    CALL(". . . . . . .", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, touch, 32, 0)),
    /* Graphs. */
    CALL(". . . . . . .", cudaGraphCreate(&new_graph, 0)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", cudaGraphInstantiate(&new_exec, graph, 0)),
    CALL("900I901 900I901 . 900I901 . 900I901 .", destroy_exec()),
    CALL(". . . . . . .", destroy_graph()),
    CALL(". . . . . . .", relax_and_allocate()),
};

static void *run_call(void *argument) {
    const call *c = (const call *)argument;
    return (void *)(size_t)c->run();
}

static void cell(const call *c, const situation *in, char *out) {
    prepare(in);
    cudaGraph_t made = NULL;
    cudaStreamCaptureStatus after = cudaStreamCaptureStatusNone;
    MUST(cudaStreamBeginCapture(s, in->mode));
    MUST(cudaEventRecord(captured, s));
    void *answer;
    if (in->other_thread) {
        pthread_t thread;
        pthread_create(&thread, NULL, run_call, (void *)c);
        pthread_join(thread, &answer);
    } else {
        answer = run_call((void *)c);
    }
    cudaError_t query = cudaStreamIsCapturing(s, &after);
    cudaError_t end = cudaStreamEndCapture(s, &made);
    if (query != cudaSuccess || (made != NULL) != (end == cudaSuccess))
        snprintf(out, 40, "(state %d, end %d, graph %p)", query, end, (void *)made);
    else
        snprintf(out, 40, "%d%c%d", (int)(size_t)answer, "NAI"[after], end);
    if (strcmp(out, "0A0") == 0)
        strcpy(out, ".");
    if (made)
        cudaGraphDestroy(made);
    clean();
}

int main() {
    for (const call &c : calls) {
        char found[400] = "";
        for (const situation &in : situations) {
            char out[64];
            cell(&c, &in, out);
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", *found ? " " : "", out);
        }
        char why[900];
        snprintf(why, sizeof why, "expected %s, found %s", c.expected, found);
        check(c.text, strcmp(c.expected, found) == 0, why);
    }
    return failures != 0;
}
