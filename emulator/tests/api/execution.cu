// Launches with attributes, and what can be asked and set about a kernel.
// alone: asks for the mangled names of its kernels
#include "api_test.h"

__global__ void store(int *p, int v) {
    if (p)
        *p = v;
}
__global__ void __launch_bounds__(96) bounded(char a, double b, short c, int *p) {
    if (p)
        *p = a + (int)b + c;
}
__global__ void shared_array(int *p) {
    extern __shared__ int dynamic[];
    __shared__ int s[100];
    s[threadIdx.x] = dynamic[threadIdx.x] = 1;
    __syncthreads();
    if (p)
        *p = s[threadIdx.x ^ 1];
}
struct nine {
    char c[9];
};
__global__ void several(nine a, long long b, nine c, float d) {}
__global__ void none() {}

static int *d;

static int value_of_d() {
    int h = -1;
    MUST(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

static cudaError_t launch_with(const cudaLaunchAttribute *attributes, unsigned count, int value, cudaStream_t s = 0,
                               int grid = 1) {
    cudaLaunchConfig_t config = {};
    void *args[] = {&d, &value};
    config.gridDim = dim3(grid);
    config.blockDim = dim3(32);
    config.stream = s;
    config.attrs = (cudaLaunchAttribute *)attributes;
    config.numAttrs = count;
    return cudaLaunchKernelExC(&config, (void *)store, args);
}

static void launch_attributes() {
    cudaLaunchAttribute a[3] = {};
    cudaEvent_t event;
    cudaStream_t s;
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    MUST(cudaStreamCreate(&s));
    EXPECT(cudaSuccess, launch_with(0, 0, 1));
    EXPECT_EQUAL("no attributes", 1, value_of_d());
    a[0].id = cudaLaunchAttributeIgnore;
    EXPECT(cudaSuccess, launch_with(a, 1, 2));
    EXPECT_EQUAL("an attribute to ignore", 2, value_of_d());
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    EXPECT(cudaSuccess, launch_with(a, 1, 3));
    EXPECT_EQUAL("clusters of one block", 3, value_of_d());
    a[0].val.clusterDim.x = 0;
    EXPECT(cudaErrorInvalidClusterSize, launch_with(a, 1, 3));
    a[0].val.clusterDim.x = 3;
    EXPECT(cudaErrorInvalidClusterSize, launch_with(a, 1, 3, 0, 2));
    a[0].id = cudaLaunchAttributeCooperative;
    a[0].val.cooperative = 1;
    EXPECT(cudaSuccess, launch_with(a, 1, 4));
    EXPECT_EQUAL("cooperative", 4, value_of_d());
    EXPECT(cudaErrorCooperativeLaunchTooLarge, launch_with(a, 1, 4, 0, 1000000));
    a[0].id = cudaLaunchAttributePriority;
    a[0].val.priority = -2;
    EXPECT(cudaSuccess, launch_with(a, 1, 5));
    EXPECT_EQUAL("priority", 5, value_of_d());
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = 1;
    EXPECT(cudaSuccess, launch_with(a, 1, 6));
    EXPECT_EQUAL("programmatic serialization", 6, value_of_d());
    a[0].id = cudaLaunchAttributeAccessPolicyWindow;
    a[0].val.accessPolicyWindow = {d, 64, 1.0f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
    EXPECT(cudaSuccess, launch_with(a, 1, 7));
    EXPECT_EQUAL("access policy window", 7, value_of_d());
    a[0].id = cudaLaunchAttributeMemSyncDomain;
    a[0].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    EXPECT(cudaSuccess, launch_with(a, 1, 8));
    a[0].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    a[0].val.sharedMemCarveout = 50;
    EXPECT(cudaSuccess, launch_with(a, 1, 9));
    EXPECT_EQUAL("preferred carve-out", 9, value_of_d());
    a[0].id = cudaLaunchAttributeLaunchCompletionEvent;
    a[0].val.launchCompletionEvent.event = event;
    a[0].val.launchCompletionEvent.flags = 0;
    EXPECT(cudaSuccess, launch_with(a, 1, 10, s));
    EXPECT(cudaSuccess, cudaEventSynchronize(event));
    EXPECT_EQUAL("event at the launch's completion", 10, value_of_d());
    a[0].id = cudaLaunchAttributeProgrammaticEvent;
    a[0].val.programmaticEvent.event = event;
    a[0].val.programmaticEvent.flags = 0;
    a[0].val.programmaticEvent.triggerAtBlockStart = 1;
    EXPECT(cudaSuccess, launch_with(a, 1, 11, s));
    EXPECT(cudaSuccess, cudaEventSynchronize(event));
    MUST(cudaStreamSynchronize(s));
    EXPECT_EQUAL("programmatic event", 11, value_of_d());
    a[0].id = cudaLaunchAttributePriority;
    a[0].val.priority = 0;
    a[1].id = cudaLaunchAttributeCooperative;
    a[1].val.cooperative = 0;
    a[2].id = cudaLaunchAttributeClusterDimension;
    a[2].val.clusterDim.x = a[2].val.clusterDim.y = a[2].val.clusterDim.z = 1;
    EXPECT(cudaSuccess, launch_with(a, 3, 12));
    EXPECT_EQUAL("three attributes", 12, value_of_d());
    a[0].id = (cudaLaunchAttributeID)77;
    EXPECT(cudaErrorInvalidValue, launch_with(a, 1, 13));
    EXPECT(cudaErrorInvalidValue, launch_with(0, 1, 13));
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    EXPECT(cudaSuccess, cudaLaunchKernelEx(&config, store, d, 14));
    EXPECT_EQUAL("cudaLaunchKernelEx", 14, value_of_d());
    EXPECT(cudaErrorInvalidDeviceFunction, cudaLaunchKernelExC(&config, (void *)0, 0));
    MUST(cudaEventDestroy(event));
    MUST(cudaStreamDestroy(s));
}

static void function_attributes() {
    static const int built_for[] = {__CUDA_ARCH_LIST__}; // 750, or what GPU the machine has
    cudaFuncAttributes a;
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, store));
    EXPECT_EQUAL("ptx version", built_for[sizeof built_for / sizeof *built_for - 1] / 10, a.ptxVersion);
    EXPECT_EQUAL("binary version", 90, a.binaryVersion);
    EXPECT_EQUAL("carve-out at first", -1, a.preferredShmemCarveout);
    EXPECT_EQUAL("no cluster needed", 0, a.clusterDimMustBeSet);
    EXPECT_EQUAL("large clusters at first", 0, a.nonPortableClusterSizeAllowed);
    EXPECT_EQUAL("dynamic shared memory at first", 49152, a.maxDynamicSharedSizeBytes);
    EXPECT_EQUAL("no constants", 0, a.constSizeBytes);
    EXPECT_EQUAL("caching", 0, a.cacheModeCA);
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, shared_array));
    EXPECT_EQUAL("static shared memory", 400, a.sharedSizeBytes);
    EXPECT_EQUAL("what is left for dynamic", 49152 - 400, a.maxDynamicSharedSizeBytes);
    EXPECT(cudaSuccess, cudaFuncSetAttribute(store, cudaFuncAttributePreferredSharedMemoryCarveout, 60));
    EXPECT(cudaSuccess, cudaFuncSetAttribute(store, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    EXPECT(cudaSuccess, cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, store));
    EXPECT_EQUAL("carve-out that was set", 60, a.preferredShmemCarveout);
    EXPECT_EQUAL("large clusters that were allowed", 1, a.nonPortableClusterSizeAllowed);
    EXPECT_EQUAL("dynamic shared memory that was set", 60000, a.maxDynamicSharedSizeBytes);
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(store, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(store, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(store, cudaFuncAttributeClusterDimMustBeSet, 1));
    EXPECT(cudaSuccess, cudaFuncSetAttribute(store, cudaFuncAttributeClusterSchedulingPolicyPreference,
                                             cudaClusterSchedulingPolicySpread));
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, store));
    EXPECT_EQUAL("cluster policy that was set", cudaClusterSchedulingPolicySpread, a.clusterSchedulingPolicyPreference);
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(store, (cudaFuncAttribute)3, 1));
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(store, (cudaFuncAttribute)99, 1));
    EXPECT(cudaErrorInvalidDeviceFunction,
           cudaFuncSetAttribute((void *)0, cudaFuncAttributePreferredSharedMemoryCarveout, 1));
    EXPECT(cudaErrorInvalidResourceHandle,
           cudaFuncSetAttribute((void *)value_of_d, cudaFuncAttributePreferredSharedMemoryCarveout, 1));
    EXPECT(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&a, (void *)value_of_d));
    EXPECT(cudaSuccess, cudaFuncSetCacheConfig(store, cudaFuncCachePreferShared));
    EXPECT(cudaErrorInvalidValue, cudaFuncSetCacheConfig(store, (cudaFuncCache)8));
    EXPECT(cudaErrorInvalidDeviceFunction, cudaFuncSetCacheConfig((void *)0, cudaFuncCachePreferShared));
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    EXPECT(cudaSuccess, cudaFuncSetSharedMemConfig((void *)store, cudaSharedMemBankSizeEightByte));
    EXPECT(cudaErrorInvalidValue, cudaFuncSetSharedMemConfig((void *)store, (cudaSharedMemConfig)8));
    EXPECT(cudaErrorInvalidDeviceFunction, cudaFuncSetSharedMemConfig((void *)0, cudaSharedMemBankSizeDefault));
}

#if CUDART_VERSION >= 12030
static void names() {
    const char *name = "";
    EXPECT(cudaSuccess, cudaFuncGetName(&name, (void *)store));
    check("mangled name", !strcmp(name, "_Z5storePii"), name);
    EXPECT(cudaErrorInvalidDeviceFunction, cudaFuncGetName(&name, (void *)0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaFuncGetName(&name, (void *)value_of_d));
}
static void parameters() {
#if CUDART_VERSION >= 12040
    const size_t offsets[] = {0, 8, 16, 24}, sizes[] = {1, 8, 2, 8};
    size_t offset = 99, size = 99;
    for (size_t i = 0; i < 4; i++) {
        EXPECT(cudaSuccess, cudaFuncGetParamInfo((void *)bounded, i, &offset, &size));
        EXPECT_EQUAL("offset of a parameter", offsets[i], offset);
        EXPECT_EQUAL("size of a parameter", sizes[i], size);
    }
    EXPECT(cudaErrorInvalidValue, cudaFuncGetParamInfo((void *)bounded, 4, &offset, &size));
    EXPECT(cudaErrorInvalidValue, cudaFuncGetParamInfo((void *)none, 0, &offset, &size));
    EXPECT(cudaSuccess, cudaFuncGetParamInfo((void *)bounded, 1, &offset, 0));
    EXPECT(cudaErrorInvalidDeviceFunction, cudaFuncGetParamInfo((void *)0, 1, &offset, &size));
    const size_t mixed_offsets[] = {0, 16, 24, 36}, mixed_sizes[] = {9, 8, 9, 4};
    for (size_t i = 0; i < 4; i++) {
        MUST(cudaFuncGetParamInfo((void *)several, i, &offset, &size));
        EXPECT_EQUAL("offset of a parameter after a structure", mixed_offsets[i], offset);
        EXPECT_EQUAL("size of a parameter that is a structure", mixed_sizes[i], size);
    }
#endif
}
#else
static void names() {}
static void parameters() {}
#endif

static void handles() {
    cudaKernel_t kernel = 0;
    cudaFunction_t function = 0;
    int value = 21;
    void *args[] = {&d, &value};
    EXPECT(cudaSuccess, cudaGetKernel(&kernel, (void *)store));
    EXPECT(cudaSuccess, cudaLaunchKernel((void *)kernel, 1, 1, args, 0, 0));
    EXPECT_EQUAL("launch by cudaKernel_t", 21, value_of_d());
    cudaFuncAttributes a = {};
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, (void *)kernel));
    EXPECT_EQUAL("attributes by cudaKernel_t", 1024, a.maxThreadsPerBlock);
    EXPECT(cudaErrorInvalidDeviceFunction, cudaGetKernel(&kernel, (void *)0));
    EXPECT(cudaErrorInvalidDeviceFunction, cudaGetKernel(&kernel, (void *)value_of_d));
    EXPECT(cudaSuccess, cudaGetFuncBySymbol(&function, (void *)store));
    check("a function handle", function != 0, "none");
    EXPECT(cudaErrorInvalidDeviceFunction, cudaGetFuncBySymbol(&function, (void *)0));
}

int main() {
    MUST(cudaMalloc(&d, 64));
    launch_attributes();
    function_attributes();
    names();
    parameters();
    handles();
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
