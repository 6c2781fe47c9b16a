/* Before cuInit, devices, contexts, and what the runtime sees of them. */
#include "driver_test.h"

#include <cuda_runtime_api.h>

static void before_init(void) {
    CUdevice device;
    CUcontext context;
    CUdeviceptr p;
    int count, version = 0;
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&device, 0));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&context));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&p, 4));
    EXPECT(CUDA_SUCCESS, cuDriverGetVersion(&version));
    check("a driver of CUDA 12 or later", version >= 12000, "it is older");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    EXPECT(CUDA_SUCCESS, cuInit(0));
    EXPECT(CUDA_SUCCESS, cuInit(0));
}

static void devices(void) {
    CUdevice device;
    CUuuid id;
    int count = 0, major = 0, minor = 0, threads = 0;
    char name[256], short_name[5];
    size_t bytes = 0;
    EXPECT(CUDA_SUCCESS, cuDeviceGetCount(&count));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, count));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(NULL, 0));
    EXPECT(CUDA_SUCCESS, cuDeviceGet(&device, 0));
    EXPECT(CUDA_SUCCESS, cuDeviceGetName(name, sizeof name, device));
    EXPECT(CUDA_SUCCESS, cuDeviceGetName(short_name, sizeof short_name, device));
    check("a name that has no room is cut", strlen(short_name) == 4 && !strncmp(name, short_name, 4), short_name);
    EXPECT(CUDA_SUCCESS, cuDeviceTotalMem(&bytes, device));
    check("it has memory", bytes > (size_t)1 << 28, "less than 256 MiB");
    EXPECT(CUDA_SUCCESS, cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    EXPECT(CUDA_SUCCESS, cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    EXPECT(CUDA_SUCCESS, cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
    EXPECT_EQUAL("threads of a block", 1024, threads);
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 77));
    EXPECT(CUDA_SUCCESS, cuDeviceGetUuid(&id, device));
}

/* What atomic operations do to memory that is elsewhere: on the host, or on another device. */
static void atomics(void) {
#if CUDA_VERSION >= 13000
    const CUatomicOperation add = CU_ATOMIC_OPERATION_INTEGER_ADD;
    unsigned able = 9;
    EXPECT(CUDA_SUCCESS, cuDeviceGetHostAtomicCapabilities(&able, &add, 1, 0));
    check("an answer for the host's memory", able != 9, "none");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetHostAtomicCapabilities(&able, &add, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetHostAtomicCapabilities(&able, &add, 1, 99));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAtomicCapabilities(&able, &add, 1, 0, 0));
#endif
}

#if CUDA_VERSION >= 12040
static void hear(CUasyncNotificationInfo *info, void *data, CUasyncCallbackHandle handle) {
    (void)info, (void)data, (void)handle;
}
#endif

static void notifications(void) {
#if CUDA_VERSION >= 12040
    CUasyncCallbackHandle handle = NULL;
    EXPECT(CUDA_SUCCESS, cuDeviceRegisterAsyncNotification(0, hear, NULL, &handle));
    EXPECT(CUDA_SUCCESS, cuDeviceUnregisterAsyncNotification(0, handle));
    if (refuses_nonsense())
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuDeviceUnregisterAsyncNotification(0, handle));
#endif
}

static void none_current(void) {
    CUcontext context = (CUcontext)1;
    CUdeviceptr p;
    CUdevice device;
    CUstream stream;
    EXPECT(CUDA_SUCCESS, cuCtxGetCurrent(&context));
    check("none is current", !context, "one is");
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
#if CUDA_VERSION >= 13000
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice_v2(&device, NULL));
#endif
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuStreamCreate(&stream, 0));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&context));
}

static void primary(void) {
    CUcontext context, again, current;
    CUdevice device = -1;
    unsigned flags;
    int active = -1;
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQUAL("not active yet", 0, active);
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&again, 0));
    check("a device has one primary context", context == again, "another");
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQUAL("active", 1, active);
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxSetFlags(0, 0x80)); /* CU_CTX_SYNC_MEMOPS, which headers before 12.1 lack */
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxSetFlags(0, 0));
    MUST(cuCtxGetCurrent(&current));
    check("retaining makes it not current", !current, "it does");
    EXPECT(CUDA_SUCCESS, cuCtxSetCurrent(context));
    EXPECT(CUDA_SUCCESS, cuCtxGetDevice(&device));
    EXPECT_EQUAL("its device", 0, device);
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(0));
    EXPECT(CUDA_SUCCESS, cuCtxSetCurrent(NULL));
    MUST(cuCtxGetCurrent(&current));
    check("none is current again", !current, "one is");
}

/* The runtime makes the primary context current by its first call; memory is shared. */
static void with_the_runtime(void) {
    CUcontext primary_context, current;
    CUdeviceptr base = 0;
    size_t size = 0;
    int *p = NULL, value = 0;
    cudaError_t error = cudaMalloc((void **)&p, 100);
    EXPECT_EQUAL("cudaMalloc", cudaSuccess, error);
    MUST(cuDevicePrimaryCtxRetain(&primary_context, 0));
    MUST(cuCtxGetCurrent(&current));
    check("the runtime has made the primary context current", current == primary_context, "another is, or none");
    EXPECT(CUDA_SUCCESS, cuMemsetD32((CUdeviceptr)p, 17, 25));
    EXPECT_EQUAL("cudaMemcpy", cudaSuccess, cudaMemcpy(&value, p + 24, 4, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("the runtime sees what the driver wrote", 17, value);
    EXPECT(CUDA_SUCCESS, cuMemGetAddressRange(&base, &size, (CUdeviceptr)(p + 3)));
    check("the driver knows the runtime's memory", base == (CUdeviceptr)p && size == 100, "another range");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&base, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuDriverGetVersion(NULL));
    EXPECT_EQUAL("an error of the driver's is not the runtime's", cudaSuccess, cudaGetLastError());
    EXPECT(CUDA_SUCCESS, cuMemFree((CUdeviceptr)p));
    EXPECT_EQUAL("what the driver has freed", cudaErrorInvalidValue, cudaFree(p));
    cudaGetLastError();
    MUST(cuDevicePrimaryCtxRelease(0));
}

/* A graph of the runtime is one of the driver's. */
static void graphs_of_both(void) {
    cudaGraph_t graph;
    cudaGraphNode_t fill, copy;
    struct cudaMemsetParams found;
    unsigned value = 0;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUcontext context;
    CUgraphExec exec;
    void *p;
    check("cudaMalloc", cudaMalloc(&p, sizeof value) == cudaSuccess, "it fails");
    MUST(cuCtxGetCurrent(&context));
    const CUDA_MEMSET_NODE_PARAMS f = {
        .dst = (CUdeviceptr)p, .value = 0x77, .elementSize = 4, .width = 1, .height = 1, .pitch = 4};
    check("cudaGraphCreate", cudaGraphCreate(&graph, 0) == cudaSuccess, "it fails");
    EXPECT(CUDA_SUCCESS, cuGraphAddMemsetNode(&fill, graph, NULL, 0, &f, context));
    check("the runtime knows the driver's node",
          cudaGraphMemsetNodeGetParams(fill, &found) == cudaSuccess && found.dst == p && found.value == 0x77,
          "it does not");
    check("cudaGraphAddMemcpyNode1D",
          cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, &value, p, 4, cudaMemcpyDeviceToHost) == cudaSuccess,
          "it fails");
    EXPECT(CUDA_SUCCESS, cuGraphNodeGetType(copy, &type));
    EXPECT_EQUAL("and the driver the runtime's", CU_GRAPH_NODE_TYPE_MEMCPY, type);
    EXPECT(CUDA_SUCCESS, cuGraphInstantiate(&exec, graph, 0));
    check("cudaGraphLaunch", cudaGraphLaunch(exec, NULL) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess,
          "it fails");
    EXPECT_EQUAL("both nodes did their work", 0x77, value);
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
    MUST(cuMemFree((CUdeviceptr)p));
}

static void own(void) {
    CUcontext below, mine, current, popped;
    CUdeviceptr p, q;
    unsigned long long id = 0, other = 0;
    unsigned version = 0, flags = 0;
    MUST(cuCtxGetCurrent(&below));
    EXPECT(CUDA_SUCCESS, CREATE(&mine, CU_CTX_SCHED_YIELD, 0));
    MUST(cuCtxGetCurrent(&current));
    check("a new context is current", current == mine, "another is");
    EXPECT(CUDA_SUCCESS, cuCtxGetFlags(&flags));
    EXPECT_EQUAL("its flags", CU_CTX_SCHED_YIELD, flags & CU_CTX_SCHED_MASK);
    EXPECT(CUDA_SUCCESS, cuCtxGetId(mine, &id));
    EXPECT(CUDA_SUCCESS, cuCtxGetId(below, &other));
    check("contexts have different numbers", id != other, "the same");
    EXPECT(CUDA_SUCCESS, cuCtxGetApiVersion(mine, &version));
    EXPECT(CUDA_SUCCESS, cuMemAlloc(&p, 1000));
    EXPECT(CUDA_SUCCESS, cuMemAlloc(&q, 1000));
    EXPECT(CUDA_SUCCESS, cuMemFreeAsync(q, NULL)); /* the context's end does not free it again: the suite looks */
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(mine, 0));
    EXPECT(CUDA_SUCCESS, cuCtxPushCurrent(below));
    EXPECT(CUDA_SUCCESS, cuCtxPopCurrent(&popped));
    check("what was pushed is popped", popped == below, "another");
    MUST(cuCtxGetCurrent(&current));
    check("and the one below is current", current == mine, "another is");
    EXPECT(CUDA_SUCCESS, cuCtxDestroy(mine));
    MUST(cuCtxGetCurrent(&current));
    check("after its end the one below is current", current == below, "another is");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, CREATE(&mine, 1u << 30, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, CREATE(&mine, 0, 99));
}

int main(void) {
    before_init();
    devices();
    atomics();
    notifications();
    none_current();
    primary();
    with_the_runtime();
    graphs_of_both();
    own();
    return failures != 0;
}
