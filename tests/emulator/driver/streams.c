/* Streams, events, capture and pools. Argument: PTX. */
#include "driver_test.h"

static int called;
static void CUDA_CB call(void *data) {
    called += *(int *)data;
}

static void order(CUfunction count_up, CUdeviceptr counter) {
    CUstream a, b;
    CUevent done;
    CUcontext context, current;
    unsigned flags = 9;
    int value = 0, add = 3;
    EXPECT(CUDA_SUCCESS, cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    EXPECT(CUDA_SUCCESS, cuStreamCreateWithPriority(&b, CU_STREAM_NON_BLOCKING, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&a, 77));
    EXPECT(CUDA_SUCCESS, cuStreamGetFlags(a, &flags));
    EXPECT_EQUAL("flags of a stream", CU_STREAM_NON_BLOCKING, flags);
    EXPECT(CUDA_SUCCESS, cuStreamGetCtx(a, &context));
    MUST(cuCtxGetCurrent(&current));
    check("context of a stream", context == current, "another");
    EXPECT(CUDA_SUCCESS, cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(count_up, 10, 1, 1, 32, 1, 1, 0, a, NULL, NULL));
    EXPECT(CUDA_SUCCESS, cuEventRecord(done, a));
    EXPECT(CUDA_SUCCESS, cuStreamWaitEvent(b, done, 0));
    EXPECT(CUDA_SUCCESS, cuLaunchHostFunc(b, call, &add));
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoHAsync(&value, counter, 4, b));
    EXPECT(CUDA_SUCCESS, cuStreamSynchronize(b));
    EXPECT(CUDA_SUCCESS, cuStreamQuery(a));
    EXPECT(CUDA_SUCCESS, cuEventQuery(done));
    EXPECT_EQUAL("the second stream has waited for the first", 325, value);
    EXPECT_EQUAL("the host's function was called", 3, called);
    EXPECT(CUDA_SUCCESS, cuEventDestroy(done));
    EXPECT(CUDA_SUCCESS, cuStreamDestroy(a));
    EXPECT(CUDA_SUCCESS, cuStreamDestroy(b));
}

static CUresult unloading;
static void CUDA_CB unload(void *library) {
    unloading = cuLibraryUnload((CUlibrary)library);
}

/* What waits for the device may not be called from a stream: it would wait for itself. */
static void from_a_callback(const char *ptx) {
    CUlibrary library;
    MUST(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    EXPECT(CUDA_SUCCESS, cuLaunchHostFunc(NULL, unload, library));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    EXPECT(CUDA_ERROR_NOT_PERMITTED, unloading);
    EXPECT(CUDA_SUCCESS, cuLibraryUnload(library));
}

static void times(void) {
    CUevent from, to;
    float milliseconds = -1;
    MUST(cuEventCreate(&from, 0));
    MUST(cuEventCreate(&to, 0));
    MUST(cuEventRecord(from, NULL));
    MUST(cuEventRecord(to, NULL));
    MUST(cuEventSynchronize(to));
    EXPECT(CUDA_SUCCESS, cuEventElapsedTime(&milliseconds, from, to));
    check("time does not run backwards", milliseconds >= 0, "it does");
    MUST(cuEventDestroy(from));
    MUST(cuEventDestroy(to));
}

static void capture(CUfunction count_up, CUdeviceptr counter) {
    CUstream s;
    CUgraph graph;
    CUgraphExec exec;
    CUstreamCaptureStatus status;
    size_t nodes = 0;
    int value = 0;
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuMemsetD32(counter, 0, 1));
    MUST(cuCtxSynchronize()); /* the new stream does not wait for the one that fills */
    EXPECT(CUDA_SUCCESS, cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    EXPECT(CUDA_SUCCESS, cuStreamIsCapturing(s, &status));
    EXPECT_EQUAL("it captures", CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(count_up, 1, 1, 1, 7, 1, 1, 0, s, NULL, NULL));
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(count_up, 1, 1, 1, 5, 1, 1, 0, s, NULL, NULL));
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(s, &graph));
    EXPECT(CUDA_SUCCESS, cuGraphGetNodes(graph, NULL, &nodes));
    EXPECT_EQUAL("nodes", 2, nodes);
    EXPECT(CUDA_SUCCESS, cuGraphInstantiate(&exec, graph, 0));
    EXPECT(CUDA_SUCCESS, cuGraphLaunch(exec, s));
    EXPECT(CUDA_SUCCESS, cuGraphLaunch(exec, s));
    MUST(cuStreamSynchronize(s));
    MUST(cuMemcpyDtoH(&value, counter, 4));
    EXPECT_EQUAL("a graph launched twice", 24, value);
    EXPECT(CUDA_SUCCESS, cuGraphExecDestroy(exec));
    EXPECT(CUDA_SUCCESS, cuGraphDestroy(graph));
    MUST(cuStreamDestroy(s));
}

static void pools(void) {
    CUdeviceptr p;
    CUmemoryPool pool;
    CUstream s;
    MUST(cuStreamCreate(&s, 0));
    EXPECT(CUDA_SUCCESS, cuMemAllocAsync(&p, 100, s));
    EXPECT(CUDA_SUCCESS, cuMemFreeAsync(p, s));
    EXPECT(CUDA_SUCCESS, cuDeviceGetDefaultMemPool(&pool, 0));
    EXPECT(CUDA_SUCCESS, cuMemAllocFromPoolAsync(&p, 100, pool, s));
    EXPECT(CUDA_SUCCESS, cuMemFreeAsync(p, s));
    EXPECT(CUDA_SUCCESS, cuMemPoolTrimTo(pool, 0));
    MUST(cuStreamSynchronize(s));
    MUST(cuStreamDestroy(s));
}

int main(int count, char **arguments) {
    size_t size;
    CUmodule m;
    CUfunction count_up;
    CUdeviceptr counter;
    begin();
    if (count != 2)
        return 2;
    char *ptx = file_bytes(arguments[1], &size);
    MUST(cuModuleLoadData(&m, ptx));
    MUST(cuModuleGetFunction(&count_up, m, "count_up"));
    MUST(cuModuleGetGlobal(&counter, NULL, m, "counter"));
    order(count_up, counter);
    from_a_callback(ptx);
    times();
    capture(count_up, counter);
    pools();
    return failures != 0;
}
