// Stream capture: what becomes of captured work, forks and joins, and every way to end or spoil a capture.
// Compared: every line was seen on an H200 with CUDA 13.0 (driver 580.159.04).
#include "api_test.h"

__global__ void store(int *p, int value) {
    *p = value;
}
__global__ void add(int *p, int value) {
    *p += value;
}
struct big {
    int a[20];
};
__global__ void store_sum(int *p, char c, big b, double d) {
    *p = c + b.a[0] + b.a[19] + (int)d;
}

static cudaStream_t s, s2, other, blocking;
static cudaEvent_t fork_event, join_event, event;
static int *d, *pinned;
static cudaGraph_t graph;

static const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal, relaxed = cudaStreamCaptureModeRelaxed,
                                   local = cudaStreamCaptureModeThreadLocal;
#define NONE        cudaStreamCaptureStatusNone
#define ACTIVE      cudaStreamCaptureStatusActive
#define INVALIDATED cudaStreamCaptureStatusInvalidated

static cudaStreamCaptureStatus status_of(cudaStream_t stream) {
    cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)-1;
    MUST(cudaStreamIsCapturing(stream, &status));
    return status;
}
static size_t count_nodes(cudaGraph_t g) {
    size_t n = 0;
    MUST(cudaGraphGetNodes(g, NULL, &n));
    return n;
}
static size_t count_edges(cudaGraph_t g) {
    size_t n = 0;
    MUST(cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
    return n;
}
static size_t count_roots(cudaGraph_t g) {
    size_t n = 0;
    MUST(cudaGraphGetRootNodes(g, NULL, &n));
    return n;
}
static cudaGraphNodeType type_of(cudaGraph_t g, size_t i) {
    cudaGraphNode_t nodes[32];
    size_t n = 32;
    cudaGraphNodeType type;
    MUST(cudaGraphGetNodes(g, nodes, &n));
    MUST(cudaGraphNodeGetType(nodes[i], &type));
    return type;
}
static int value() {
    int v;
    MUST(cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost));
    return v;
}
/* Executes the graph so many times and destroys it. */
static void run_and_destroy(cudaGraph_t g, int times) {
    cudaGraphExec_t exec;
    MUST(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < times; i++)
        MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(g));
}
static void fork(cudaStream_t from, cudaStream_t to) {
    MUST(cudaEventRecord(fork_event, from));
    MUST(cudaStreamWaitEvent(to, fork_event));
}
static void join(cudaStream_t from, cudaStream_t to) {
    MUST(cudaEventRecord(join_event, from));
    MUST(cudaStreamWaitEvent(to, join_event));
}

static int host_calls;
static void CUDART_CB count_call(void *by) {
    host_calls += *(int *)by;
}

/* ---- What is captured ---- */

static void sequence() {
    int h = 5, by = 1;
    MUST(cudaMemset(d, 0, 16));
    MUST(cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    EXPECT_EQUAL("a capture has begun", ACTIVE, status_of(s));
    int argument = 7;
    EXPECT_LAUNCH(cudaSuccess, (store<<<1, 1, 0, s>>>(d, argument)));
    argument = 8; /* too late: arguments are copied when they are captured */
    EXPECT_LAUNCH(cudaSuccess, (add<<<1, 1, 0, s>>>(d, 1)));
    EXPECT(cudaSuccess, cudaMemsetAsync(d + 1, 0x11, 4, s));
    EXPECT(cudaSuccess, cudaMemcpyAsync(d + 2, &h, 4, cudaMemcpyHostToDevice, s));
    EXPECT(cudaSuccess, cudaMemcpyAsync(pinned, d, 16, cudaMemcpyDeviceToHost, s));
    EXPECT(cudaSuccess, cudaLaunchHostFunc(s, count_call, &by));
    EXPECT(cudaSuccess, cudaMemsetAsync(d, 0, 0, s));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("the capture has ended", NONE, status_of(s));
    MUST(cudaDeviceSynchronize());
    EXPECT_EQUAL("captured work is not done", 0, value());
    EXPECT_EQUAL("captured host functions are not called", 0, host_calls);
    EXPECT_EQUAL("nodes of a sequence", 6, count_nodes(graph));
    EXPECT_EQUAL("edges of a sequence", 5, count_edges(graph));
    EXPECT_EQUAL("roots of a sequence", 1, count_roots(graph));
    const cudaGraphNodeType expected[] = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemset,
                                          cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeHost};
    for (size_t i = 0; i < 6; i++)
        EXPECT_EQUAL("type of a captured node", expected[i], type_of(graph, i));
    cudaGraphNode_t nodes[6];
    size_t n = 6;
    cudaKernelNodeParams kernel;
    cudaMemsetParams fill;
    cudaMemcpy3DParms copy;
    cudaHostNodeParams host;
    MUST(cudaGraphGetNodes(graph, nodes, &n));
    EXPECT(cudaSuccess, cudaGraphKernelNodeGetParams(nodes[0], &kernel));
    EXPECT_EQUAL("captured kernel", 1, kernel.func == (void *)store);
    EXPECT_EQUAL("captured argument", 7, *(int *)kernel.kernelParams[1]);
    EXPECT(cudaSuccess, cudaGraphMemsetNodeGetParams(nodes[2], &fill));
    EXPECT_EQUAL("captured fill", 1, fill.dst == d + 1 && fill.value == 0x11);
    EXPECT_EQUAL("its elements", 1, fill.elementSize);
    EXPECT_EQUAL("its width", 4, fill.width);
    EXPECT_EQUAL("its height", 1, fill.height);
    EXPECT_EQUAL("its pitch", 0, fill.pitch);
    EXPECT(cudaSuccess, cudaGraphMemcpyNodeGetParams(nodes[3], &copy));
    EXPECT_EQUAL("captured copy", 1, copy.dstPtr.ptr == d + 2 && copy.srcPtr.ptr == &h && copy.extent.width == 4);
    EXPECT_EQUAL("its direction", cudaMemcpyHostToDevice, copy.kind);
    EXPECT(cudaSuccess, cudaGraphHostNodeGetParams(nodes[5], &host));
    EXPECT_EQUAL("captured host function", 1, host.fn == count_call && host.userData == &by);
    h = 6; /* in time: what pointers point to is read when the graph runs */
    run_and_destroy(graph, 3);
    EXPECT_EQUAL("store, add", 8, pinned[0]);
    EXPECT_EQUAL("fill", 0x11111111, pinned[1]);
    EXPECT_EQUAL("copy from pageable memory", 6, pinned[2]);
    EXPECT_EQUAL("host function called", 3, host_calls);
}

static void arguments() {
    big b = {};
    b.a[0] = 100, b.a[19] = 1000;
    MUST(cudaStreamBeginCapture(s, global));
    EXPECT_LAUNCH(cudaSuccess, (store_sum<<<1, 1, 0, s>>>(d, 3, b, 10000.5)));
    b.a[0] = 0;
    MUST(cudaStreamEndCapture(s, &graph));
    run_and_destroy(graph, 1);
    EXPECT_EQUAL("arguments of many types", 11103, value());
}

static void nothing() {
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("an empty capture gives a graph", 1, graph != NULL);
    EXPECT_EQUAL("without nodes", 0, count_nodes(graph));
    run_and_destroy(graph, 1);
}

static void memory() {
    int *p = NULL, *q = NULL;
    MUST(cudaMallocAsync(&q, 256, s));
    MUST(cudaStreamSynchronize(s));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    EXPECT(cudaSuccess, cudaMallocAsync(&p, 256, s));
    EXPECT_EQUAL("the address is known while capturing", 1, p != NULL);
    store<<<1, 1, 0, s>>>(p, 41);
    add<<<1, 1, 0, s>>>(p, 1);
    EXPECT(cudaSuccess, cudaMemcpyAsync(d, p, 4, cudaMemcpyDeviceToDevice, s));
    EXPECT(cudaSuccess, cudaFreeAsync(p, s));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("first an allocation", cudaGraphNodeTypeMemAlloc, type_of(graph, 0));
    EXPECT_EQUAL("at last its end", cudaGraphNodeTypeMemFree, type_of(graph, 4));
    run_and_destroy(graph, 2);
    EXPECT_EQUAL("memory of the graph was used", 42, value());
    EXPECT(cudaSuccess, cudaFreeAsync(q, s));
    MUST(cudaStreamSynchronize(s));
}

/* Even a graph launch is no stream work that can be captured; a graph in a graph is added by hand. */
static void child() {
    cudaGraph_t inner;
    cudaStreamCaptureStatus status;
    cudaGraph_t g;
    cudaGraphNode_t node;
    const cudaGraphNode_t *dependencies;
    size_t count;
    MUST(cudaStreamBeginCapture(s, global));
    add<<<1, 1, 0, s>>>(d, 10);
    add<<<1, 1, 0, s>>>(d, 20);
    MUST(cudaStreamEndCapture(s, &inner));
    MUST(cudaStreamBeginCapture(s, global));
    store<<<1, 1, 0, s>>>(d, 1);
    MUST(cudaStreamGetCaptureInfo(s, &status, NULL, &g, &dependencies, NULL, &count));
    EXPECT(cudaSuccess, cudaGraphAddChildGraphNode(&node, g, dependencies, count, inner));
    EXPECT(cudaSuccess, cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, s>>>(d, 100);
    MUST(cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphDestroy(inner));
    EXPECT_EQUAL("nodes with a graph as one of them", 3, count_nodes(graph));
    EXPECT_EQUAL("edges", 2, count_edges(graph));
    run_and_destroy(graph, 1);
    EXPECT_EQUAL("it runs in its place", 131, value());
}

static void external_events() {
    MUST(cudaEventRecord(event, other));
    MUST(cudaStreamBeginCapture(s, global));
    EXPECT(cudaSuccess, cudaStreamWaitEvent(s, event, cudaEventWaitExternal));
    store<<<1, 1, 0, s>>>(d, 5);
    EXPECT(cudaSuccess, cudaEventRecordWithFlags(join_event, s, cudaEventRecordExternal));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("wait for an event outside", cudaGraphNodeTypeWaitEvent, type_of(graph, 0));
    EXPECT_EQUAL("record an event outside", cudaGraphNodeTypeEventRecord, type_of(graph, 2));
    run_and_destroy(graph, 1);
    EXPECT(cudaSuccess, cudaEventQuery(join_event));
}

/* ---- Forks and joins ---- */

static void fork_and_join() {
    MUST(cudaMemset(d, 0, 16));
    MUST(cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    store<<<1, 1, 0, s>>>(d, 1);
    EXPECT_EQUAL("before the fork", NONE, status_of(s2));
    fork(s, s2);
    EXPECT_EQUAL("a stream that waits is captured, too", ACTIVE, status_of(s2));
    unsigned long long id1 = 0, id2 = 0;
    cudaStreamCaptureStatus status;
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id1));
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s2, &status, &id2));
    EXPECT_EQUAL("by the same capture", 1, id1 == id2 && id1 != 0);
    add<<<1, 1, 0, s>>>(d, 2);
    store<<<1, 1, 0, s2>>>(d + 1, 3);
    add<<<1, 1, 0, s2>>>(d + 1, 4);
    join(s2, s);
    EXPECT_EQUAL("still captured after the join", ACTIVE, status_of(s2));
    EXPECT(cudaSuccess, cudaMemcpyAsync(d + 2, d, 8, cudaMemcpyDeviceToDevice, s));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("no longer captured", NONE, status_of(s2));
    EXPECT_EQUAL("nodes of a diamond", 5, count_nodes(graph));
    EXPECT_EQUAL("edges of a diamond", 5, count_edges(graph));
    EXPECT_EQUAL("roots of a diamond", 1, count_roots(graph));
    run_and_destroy(graph, 1);
    int h[4];
    MUST(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("one branch", 3, h[2]);
    EXPECT_EQUAL("the other branch", 7, h[3]);
}

static void fork_without_work() {
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    fork(s, s2); /* nothing before it and nothing in it: nothing to join */
    store<<<1, 1, 0, s>>>(d, 1);
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphDestroy(graph));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    store<<<1, 1, 0, s>>>(d, 1);
    fork(s, s2); /* all of its work is the origin's */
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("the fork is forgotten", NONE, status_of(s2));
    MUST(cudaGraphDestroy(graph));
}

static void joined_then_more() {
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    fork(s, s2);
    store<<<1, 1, 0, s2>>>(d, 1);
    join(s2, s);
    store<<<1, 1, 0, s2>>>(d, 2);
    EXPECT(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("no graph", 1, graph == NULL);
    EXPECT_EQUAL("origin after an unjoined end", NONE, status_of(s));
    EXPECT_EQUAL("fork after an unjoined end", NONE, status_of(s2));
}

static void event_of_two_streams() {
    /* An event that is recorded again means its last record only. */
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    store<<<1, 1, 0, s>>>(d, 1);
    MUST(cudaEventRecord(event, s));
    store<<<1, 1, 0, s>>>(d, 2);
    MUST(cudaStreamWaitEvent(s2, event));
    add<<<1, 1, 0, s2>>>(d + 1, 1);
    MUST(cudaEventRecord(event, s2));
    MUST(cudaStreamWaitEvent(s, event));
    add<<<1, 1, 0, s>>>(d, 5);
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("nodes", 4, count_nodes(graph));
    EXPECT_EQUAL("edges: 1-2, 1-3, 2-4, 3-4", 4, count_edges(graph));
    EXPECT(cudaErrorInvalidValue, cudaEventQuery(event));
    EXPECT(cudaErrorInvalidValue, cudaEventSynchronize(event));
    EXPECT(cudaErrorInvalidValue, cudaStreamWaitEvent(other, event));
    EXPECT(cudaSuccess, cudaEventRecord(event, other));
    EXPECT(cudaSuccess, cudaEventSynchronize(event));
    MUST(cudaGraphDestroy(graph));
}

static void same_dependency_twice() {
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    store<<<1, 1, 0, s>>>(d, 1);
    MUST(cudaEventRecord(event, s));
    MUST(cudaStreamWaitEvent(s, event));
    MUST(cudaStreamWaitEvent(s, event));
    store<<<1, 1, 0, s>>>(d, 2);
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("waiting for oneself adds no edge", 1, count_edges(graph));
    MUST(cudaGraphDestroy(graph));
}

/* ---- Beginning and ending wrongly ---- */

static void beginnings() {
    EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, global));
    EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(cudaStreamLegacy, relaxed));
    EXPECT(cudaErrorInvalidValue, cudaStreamBeginCapture(s, (cudaStreamCaptureMode)3));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    EXPECT(cudaErrorIllegalState, cudaStreamBeginCapture(s, global));
    EXPECT_EQUAL("beginning twice spoils nothing", ACTIVE, status_of(s));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, NULL)); /* the graph is lost */
    EXPECT_EQUAL("after an end without a place for the graph", NONE, status_of(s));
    EXPECT(cudaErrorIllegalState, cudaStreamEndCapture(s, &graph));
    EXPECT(cudaErrorIllegalState, cudaStreamEndCapture(0, &graph));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(cudaStreamPerThread, global));
    store<<<1, 1, 0, cudaStreamPerThread>>>(d, 77);
    EXPECT(cudaSuccess, cudaStreamEndCapture(cudaStreamPerThread, &graph));
    run_and_destroy(graph, 1);
    EXPECT_EQUAL("a thread's default stream can be captured", 77, value());
}

static void unjoined() {
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    fork(s, s2);
    store<<<1, 1, 0, s2>>>(d, 1);
    graph = (cudaGraph_t)1;
    EXPECT(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("no graph of unjoined work", 1, graph == NULL);
    EXPECT_EQUAL("origin", NONE, status_of(s));
    EXPECT_EQUAL("fork", NONE, status_of(s2));
    EXPECT_LAUNCH(cudaSuccess, (store<<<1, 1, 0, s2>>>(d, 2)));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s2));
}

static void unmatched() {
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    fork(s, s2);
    store<<<1, 1, 0, s2>>>(d, 1);
    EXPECT(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(s2, &graph));
    EXPECT_EQUAL("origin after the wrong end", INVALIDATED, status_of(s));
    EXPECT_EQUAL("fork after the wrong end", INVALIDATED, status_of(s2));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("no graph of a spoilt capture", 1, graph == NULL);
    EXPECT_EQUAL("origin", NONE, status_of(s));
    EXPECT_EQUAL("fork", NONE, status_of(s2));
}

static void isolation() {
    MUST(cudaEventRecord(event, other));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    EXPECT(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(s, event));
    EXPECT_EQUAL("waiting for work outside spoils a capture", INVALIDATED, status_of(s));
    EXPECT_LAUNCH(cudaErrorStreamCaptureInvalidated, (store<<<1, 1, 0, s>>>(d, 1)));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(d, 0, 4, s));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaMemcpyAsync(d, pinned, 4, cudaMemcpyDefault, s));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaEventRecord(event, s));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamWaitEvent(s, event));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaLaunchHostFunc(s, count_call, NULL));
    EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
    EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(s));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaMallocAsync(&pinned, 64, s));
    EXPECT(cudaErrorIllegalState, cudaStreamBeginCapture(s, global));
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id));
    EXPECT_EQUAL("state of a spoilt capture", INVALIDATED, status);
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 1));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("afterwards all is well", NONE, status_of(s));
    EXPECT_LAUNCH(cudaSuccess, (store<<<1, 1, 0, s>>>(d, 1)));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
}

static void merge() {
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s2, global));
    MUST(cudaEventRecord(event, s2));
    EXPECT(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(s, event));
    EXPECT_EQUAL("the one that waited", INVALIDATED, status_of(s));
    EXPECT_EQUAL("the one it waited for", INVALIDATED, status_of(s2));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s2, &graph));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    store<<<1, 1, 0, s>>>(d, 1);
    MUST(cudaEventRecord(event, s));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphDestroy(graph));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s2, global));
    EXPECT(cudaErrorInvalidValue, cudaStreamWaitEvent(s2, event)); /* of a capture that is over */
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s2, &graph));
}

static void two_captures() {
    unsigned long long id1 = 0, id2 = 0;
    cudaStreamCaptureStatus status;
    cudaGraph_t graph2;
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s2, local));
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id1));
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s2, &status, &id2));
    EXPECT_EQUAL("each capture has its number", 1, id1 != id2);
    store<<<1, 1, 0, s2>>>(d, 2);
    store<<<1, 1, 0, s>>>(d, 1);
    store<<<1, 1, 0, s>>>(d, 3);
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s2, &graph2));
    EXPECT_EQUAL("nodes of one", 2, count_nodes(graph));
    EXPECT_EQUAL("nodes of the other", 1, count_nodes(graph2));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphDestroy(graph2));
}

static void *end_elsewhere(void *) {
    return (void *)(size_t)cudaStreamEndCapture(s, &graph);
}
static cudaError_t end_in_thread() {
    pthread_t thread;
    void *answer;
    pthread_create(&thread, NULL, end_elsewhere, NULL);
    pthread_join(thread, &answer);
    return (cudaError_t)(size_t)answer;
}
static void wrong_thread() {
    for (cudaStreamCaptureMode mode : {global, local}) {
        EXPECT(cudaSuccess, cudaStreamBeginCapture(s, mode));
        EXPECT_EQUAL("ended by another thread", cudaErrorStreamCaptureWrongThread, end_in_thread());
        EXPECT_EQUAL("which ends it", NONE, status_of(s));
        EXPECT_EQUAL("and loses the graph", 1, graph == NULL);
        EXPECT(cudaErrorIllegalState, cudaStreamEndCapture(s, &graph));
    }
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, relaxed));
    EXPECT_EQUAL("a relaxed capture, ended by another thread", cudaSuccess, end_in_thread());
    MUST(cudaGraphDestroy(graph));
}

static void legacy() {
    cudaStreamCaptureStatus status;
    EXPECT(cudaSuccess, cudaStreamBeginCapture(blocking, relaxed));
    EXPECT(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(0, &status));
    EXPECT_EQUAL("asking spoils nothing", ACTIVE, status_of(blocking));
    EXPECT_LAUNCH(cudaErrorStreamCaptureImplicit, (store<<<1, 1>>>(d, 1)));
    EXPECT_EQUAL("using the legacy stream spoils the capture of a blocking one", INVALIDATED, status_of(blocking));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, relaxed));
    EXPECT_LAUNCH(cudaSuccess, (store<<<1, 1>>>(d, 1)));
    EXPECT(cudaSuccess, cudaMemset(d, 0, 4));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphDestroy(graph));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
}

/* Handles that go while a capture goes on. */
static void destroyed() {
    cudaStream_t gone;
    cudaEvent_t passing;
    MUST(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    MUST(cudaEventCreate(&passing));
    store<<<1, 1, 0, s>>>(d, 1);
    MUST(cudaEventRecord(passing, s));
    MUST(cudaStreamWaitEvent(gone, passing));
    EXPECT(cudaSuccess, cudaEventDestroy(passing));
    store<<<1, 1, 0, gone>>>(d, 1);
    join(gone, s);
    EXPECT(cudaSuccess, cudaStreamDestroy(gone));
    EXPECT_EQUAL("after the end of a joined stream", ACTIVE, status_of(s));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("nodes", 2, count_nodes(graph));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    fork(s, gone);
    store<<<1, 1, 0, gone>>>(d, 1);
    EXPECT(cudaSuccess, cudaStreamDestroy(gone));
    EXPECT_EQUAL("after the end of an unjoined stream", ACTIVE, status_of(s));
    EXPECT(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &graph));
    MUST(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(gone, global));
    fork(gone, s);
    EXPECT(cudaSuccess, cudaStreamDestroy(gone));
    EXPECT_EQUAL("after the end of the origin", NONE, status_of(s));
    EXPECT_LAUNCH(cudaSuccess, (store<<<1, 1, 0, s>>>(d, 1)));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
}

/* ---- Capturing into a graph; changing dependencies ---- */

static void into_a_graph() {
    cudaGraphNode_t first, second;
    cudaGraph_t g, same = NULL, foreign;
    MUST(cudaMemset(d, 0, 16));
    MUST(cudaDeviceSynchronize());
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphCreate(&foreign, 0));
    MUST(cudaGraphAddEmptyNode(&first, g, NULL, 0));
    MUST(cudaGraphAddEmptyNode(&second, foreign, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, global));
    EXPECT(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 1, global));
    EXPECT(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(s, g, &second, NULL, 1, global));
    EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCaptureToGraph(0, g, &first, NULL, 1, global));
    EXPECT(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(s, g, &first, NULL, 1, (cudaStreamCaptureMode)9));
    EXPECT(cudaSuccess, cudaStreamBeginCaptureToGraph(s, g, &first, NULL, 1, global));
    store<<<1, 1, 0, s>>>(d, 6);
    EXPECT(cudaSuccess, cudaGraphAddEmptyNode(&second, g, NULL, 0));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &same));
    EXPECT_EQUAL("the graph itself is returned", 1, same == g);
    EXPECT_EQUAL("nodes", 3, count_nodes(g));
    EXPECT_EQUAL("edges", 1, count_edges(g));
    cudaGraphExec_t exec;
    EXPECT(cudaSuccess, cudaGraphInstantiate(&exec, g, 0));
    EXPECT(cudaSuccess, cudaGraphLaunch(exec, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    EXPECT_EQUAL("captured into a graph", 6, value());
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, relaxed));
    EXPECT_EQUAL("nodes while capturing", 3, count_nodes(g));
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &same));
    EXPECT_EQUAL("the graph again", 1, same == g && count_nodes(g) == 3);
    EXPECT(cudaSuccess, cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, relaxed));
    size_t n = 0;
    MUST(cudaEventRecord(event, other));
    EXPECT(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(s, event));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &same));
    EXPECT(cudaErrorInvalidValue, cudaGraphGetNodes(g, NULL, &n)); /* a spoilt capture destroys its graph */
    MUST(cudaGraphDestroy(foreign));
}

static void info_and_dependencies() {
    cudaStreamCaptureStatus status;
    unsigned long long id;
    cudaGraph_t g = NULL;
    const cudaGraphNode_t *dependencies = NULL;
    size_t count = 99;
    EXPECT(cudaErrorInvalidValue, cudaStreamGetCaptureInfo(s, NULL));
    EXPECT(cudaErrorInvalidValue, cudaStreamIsCapturing(s, NULL));
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id, &g, &dependencies, NULL, &count));
    EXPECT_EQUAL("not capturing", NONE, status);
    EXPECT(cudaErrorIllegalState, cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0));
    EXPECT(cudaSuccess, cudaStreamBeginCapture(s, global));
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id, &g, &dependencies, NULL, &count));
    EXPECT_EQUAL("no dependencies at first", 0, count);
    store<<<1, 1, 0, s>>>(d, 1);
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id, &g, &dependencies, NULL, &count));
    EXPECT_EQUAL("one dependency", 1, count);
    EXPECT_EQUAL("nodes so far", 1, count_nodes(g));
    cudaGraphNode_t first = dependencies[0], mine;
    EXPECT(cudaSuccess, cudaGraphAddEmptyNode(&mine, g, dependencies, count));
    EXPECT(cudaErrorInvalidValue, cudaStreamUpdateCaptureDependencies(s, &mine, NULL, 1, 2));
    EXPECT(cudaErrorInvalidValue, cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 1, 0));
    EXPECT_EQUAL("wrong arguments spoil nothing", ACTIVE, status_of(s));
    EXPECT(cudaSuccess, cudaStreamUpdateCaptureDependencies(s, &mine, NULL, 1, cudaStreamAddCaptureDependencies));
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id, &g, &dependencies, NULL, &count));
    EXPECT_EQUAL("two dependencies", 2, count);
    EXPECT(cudaSuccess, cudaStreamUpdateCaptureDependencies(s, &mine, NULL, 1, cudaStreamAddCaptureDependencies));
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id, &g, &dependencies, NULL, &count));
    EXPECT_EQUAL("the same once more", 2, count);
    EXPECT(cudaSuccess, cudaStreamUpdateCaptureDependencies(s, &first, NULL, 1, cudaStreamSetCaptureDependencies));
    EXPECT(cudaSuccess, cudaStreamGetCaptureInfo(s, &status, &id, &g, &dependencies, NULL, &count));
    EXPECT_EQUAL("one that was set", 1, count == 1 && dependencies[0] == first);
    add<<<1, 1, 0, s>>>(d, 1);
    EXPECT(cudaSuccess, cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, cudaStreamSetCaptureDependencies));
    store<<<1, 1, 0, s>>>(d + 1, 1);
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &graph));
    EXPECT_EQUAL("the graph that was shown", 1, g == graph);
    EXPECT_EQUAL("nodes", 4, count_nodes(graph));
    EXPECT_EQUAL("edges", 2, count_edges(graph));
    EXPECT_EQUAL("roots", 2, count_roots(graph));
    run_and_destroy(graph, 1);
    EXPECT_EQUAL("result", 2, value());
}

static void modes() {
    cudaStreamCaptureMode mode = relaxed;
    EXPECT(cudaSuccess, cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQUAL("the mode at first", global, mode);
    mode = local;
    EXPECT(cudaSuccess, cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQUAL("the mode set before", relaxed, mode);
    mode = global;
    EXPECT(cudaSuccess, cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQUAL("the mode set last", local, mode);
}

int main() {
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&blocking));
    MUST(cudaEventCreate(&fork_event));
    MUST(cudaEventCreate(&join_event));
    MUST(cudaEventCreate(&event));
    MUST(cudaMalloc(&d, 64));
    MUST(cudaMallocHost(&pinned, 64));
    sequence();
    arguments();
    nothing();
    memory();
    child();
    external_events();
    fork_and_join();
    fork_without_work();
    joined_then_more();
    event_of_two_streams();
    same_dependency_twice();
    beginnings();
    unjoined();
    unmatched();
    isolation();
    merge();
    two_captures();
    wrong_thread();
    legacy();
    destroyed();
    into_a_graph();
    info_and_dependencies();
    modes();
    return failures != 0;
}
