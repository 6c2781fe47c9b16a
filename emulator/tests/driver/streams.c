/* Streams, events, capture and pools. Argument: PTX. */
#define _GNU_SOURCE
#include "driver_test.h"

#include <unistd.h>

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

/* What a capture says of itself, in the form of each version, and into a graph that is there. */
static void ask_capture(CUstream s, CUgraph into) {
    typedef CUresult (*info)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,
                             size_t *);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode *nodes = NULL;
    cuuint64_t id = 0, same = 1;
    CUgraph graph = NULL;
    size_t count = 9;
    info form = NULL;
    EXPECT(CUDA_SUCCESS, cuGetProcAddress("cuStreamGetCaptureInfo", (void **)&form, 11030, 0, NULL));
    EXPECT(CUDA_SUCCESS, form(s, &status, &id, &graph, &nodes, &count));
    EXPECT_EQUAL("it captures", CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
    check("into that graph", graph == into, "another");
    EXPECT_EQUAL("what comes next waits for the launch", 1, count);
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    EXPECT(CUDA_SUCCESS, cuGraphNodeGetType(nodes[0], &type));
    EXPECT_EQUAL("which is a kernel", CU_GRAPH_NODE_TYPE_KERNEL, type);
    CUresult (*first)(CUstream, CUstreamCaptureStatus *, cuuint64_t *) = NULL;
    EXPECT(CUDA_SUCCESS, cuGetProcAddress("cuStreamGetCaptureInfo", (void **)&first, 10010, 0, NULL));
    EXPECT(CUDA_SUCCESS, first(s, &status, &same));
    EXPECT_EQUAL("the capture's number", id, same);
#if CUDA_VERSION >= 13000
    const CUgraphEdgeData *edges = NULL;
    EXPECT(CUDA_SUCCESS, cuStreamGetCaptureInfo(s, &status, &same, &graph, &nodes, &edges, &count));
    check("an edge", edges && count == 1, "none");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamGetCaptureInfo(s, NULL, NULL, NULL, NULL, NULL, NULL));
#endif
}

static int destroyed;
static void CUDA_CB destroy(void *data) {
    destroyed += *(int *)data;
}

static void capture_to_graph(CUfunction count_up) {
#if CUDA_VERSION >= 12030
    CUstream s;
    CUgraph graph, end;
    CUuserObject object;
    int one = 1;
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuGraphCreate(&graph, 0));
    EXPECT(CUDA_SUCCESS, cuStreamBeginCaptureToGraph(s, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(count_up, 1, 1, 1, 7, 1, 1, 0, s, NULL, NULL));
    ask_capture(s, graph);
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(s, &end));
    check("it ends with that graph", end == graph, "another");
    EXPECT(CUDA_SUCCESS, cuUserObjectCreate(&object, &one, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    EXPECT(CUDA_SUCCESS, cuUserObjectRetain(object, 1));
    EXPECT(CUDA_SUCCESS, cuGraphRetainUserObject(graph, object, 1, 0));
    EXPECT(CUDA_SUCCESS, cuGraphReleaseUserObject(graph, object, 1));
    EXPECT(CUDA_SUCCESS, cuUserObjectRelease(object, 1));
    EXPECT(CUDA_SUCCESS, cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    EXPECT_EQUAL("the graph holds the object", 0, destroyed);
    EXPECT(CUDA_SUCCESS, cuGraphDestroy(graph));
    for (int i = 0; i < 1000 && !*(volatile int *)&destroyed; i++) /* not in this thread */
        usleep(1000);
    EXPECT_EQUAL("and gives it up when it is destroyed", 1, destroyed);
    MUST(cuStreamDestroy(s));
#endif
}

/* What comes next in a captured stream waits for what the program says. */
static void capture_dependencies(CUfunction count_up) {
#if CUDA_VERSION >= 12030
    CUresult (*update)(CUstream, CUgraphNode *, size_t, unsigned) = NULL;
    CUresult (*with_edges)(CUstream, CUgraphNode *, const CUgraphEdgeData *, size_t, unsigned) = NULL;
    CUstream s;
    CUgraph graph, end;
    CUgraphNode first, second;
    size_t edges = 9;
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    EXPECT(CUDA_SUCCESS, cuGetProcAddress("cuStreamUpdateCaptureDependencies", (void **)&update, 11030, 0, NULL));
    EXPECT(CUDA_SUCCESS, cuGetProcAddress("cuStreamUpdateCaptureDependencies", (void **)&with_edges, 12030, 0, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, update(s, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    MUST(cuGraphCreate(&graph, 0));
    MUST(cuGraphAddEmptyNode(&first, graph, NULL, 0));
    MUST(cuGraphAddEmptyNode(&second, graph, NULL, 0));
    MUST(cuStreamBeginCaptureToGraph(s, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    MUST(cuLaunchKernel(count_up, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    EXPECT(CUDA_SUCCESS, update(s, &first, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    EXPECT(CUDA_SUCCESS, with_edges(s, &second, NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    MUST(cuLaunchKernel(count_up, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, update(s, &first, 1, 9));
    EXPECT(CUDA_SUCCESS, update(s, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    MUST(cuLaunchKernel(count_up, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(s, &end));
#if CUDA_VERSION >= 13000
    MUST(cuGraphGetEdges(graph, NULL, NULL, NULL, &edges));
#else
    MUST(cuGraphGetEdges(graph, NULL, NULL, &edges));
#endif
    EXPECT_EQUAL("the second kernel waits for two nodes, the others for none", 2, edges);
    MUST(cuGraphDestroy(graph));
    MUST(cuStreamDestroy(s));
#else
    (void)count_up;
#endif
}

/* The pool of a place, and who may use it. */
static void places(CUmemoryPool pool) {
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CUmemAccessDesc access = {.location = here, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    EXPECT(CUDA_SUCCESS, cuMemPoolGetAccess(&flags, pool, &here));
    EXPECT_EQUAL("a device may use its pool", CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
    EXPECT(CUDA_SUCCESS, cuMemPoolSetAccess(pool, &access, 1));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuMemPoolSetAccess(pool, &access, 1));
#if CUDA_VERSION >= 13000
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = here};
    CUmemLocation host = {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
    CUmemoryPool found = NULL, other;
    EXPECT(CUDA_SUCCESS, cuMemGetDefaultMemPool(&found, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    check("the device's pool by its place", found == pool, "another");
    EXPECT(CUDA_SUCCESS, cuMemGetDefaultMemPool(&found, &host, CU_MEM_ALLOCATION_TYPE_PINNED));
    check("the host has another", found && found != pool, "the same");
    EXPECT(CUDA_SUCCESS, cuMemPoolCreate(&other, &properties));
    EXPECT(CUDA_SUCCESS, cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, other));
    EXPECT(CUDA_SUCCESS, cuMemGetMemPool(&found, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    check("the pool that was set", found == other, "another");
    EXPECT(CUDA_SUCCESS, cuDeviceGetMemPool(&found, 0));
    check("is the device's", found == other, "another");
    EXPECT(CUDA_SUCCESS, cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    EXPECT(CUDA_SUCCESS, cuMemPoolDestroy(other));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemGetMemPool(&found, &here, CU_MEM_ALLOCATION_TYPE_INVALID));
#endif
}

/* A pool as a file descriptor. */
static void shared_pool(CUstream s) {
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemPoolPtrExportData data;
    CUmemoryPool pool, imported;
    CUdeviceptr p, q;
    int file = -1;
    MUST(cuMemPoolCreate(&pool, &properties));
    EXPECT(CUDA_SUCCESS, cuMemPoolExportToShareableHandle(&file, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    check("a file descriptor", file >= 0, "none");
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cuMemPoolExportToShareableHandle(&file, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    MUST(cuMemAllocFromPoolAsync(&p, 100, pool, s));
    MUST(cuStreamSynchronize(s));
    EXPECT(CUDA_SUCCESS, cuMemPoolExportPointer(&data, p));
    EXPECT(CUDA_SUCCESS, cuMemPoolImportFromShareableHandle(&imported, (void *)(uintptr_t)file,
                                                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&q, 100, imported, s));
    CUresult result = cuMemPoolImportPointer(&q, imported, &data);
    check("a second address for the same memory, or that is not there",
          result == (refuses_nonsense() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS), error_name(result));
    if (result == CUDA_SUCCESS)
        MUST(cuMemFree(q));
    MUST(cuMemFreeAsync(p, s));
    MUST(cuStreamSynchronize(s));
    EXPECT(CUDA_SUCCESS, cuMemPoolDestroy(imported));
    EXPECT(CUDA_SUCCESS, cuMemPoolDestroy(pool));
    close(file);
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
    places(pool);
    shared_pool(s);
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
    capture_to_graph(count_up);
    capture_dependencies(count_up);
    pools();
    return failures != 0;
}
