// Streams: priorities, flags, numbers, attributes, and what the calls refuse.
#include "api_test.h"

static void creating() {
    cudaStream_t s, t;
    unsigned flags = 9;
    int priority = 9, device = 9;
    unsigned long long id = 0, other = 0;
    EXPECT(cudaSuccess, cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -2));
    EXPECT(cudaSuccess, cudaStreamGetPriority(s, &priority));
    EXPECT_EQUAL("priority", -2, priority);
    EXPECT(cudaSuccess, cudaStreamGetFlags(s, &flags));
    EXPECT_EQUAL("flags", cudaStreamNonBlocking, flags);
    EXPECT(cudaSuccess, cudaStreamCreateWithPriority(&t, cudaStreamDefault, -99));
    EXPECT(cudaSuccess, cudaStreamGetPriority(t, &priority));
    EXPECT_EQUAL("priority beyond the greatest", -5, priority);
    EXPECT(cudaSuccess, cudaStreamGetId(s, &id));
    EXPECT(cudaSuccess, cudaStreamGetId(t, &other));
    check("every stream has its number", id != other, "they are equal");
    EXPECT(cudaSuccess, cudaStreamDestroy(t));
    EXPECT(cudaSuccess, cudaStreamCreateWithPriority(&t, cudaStreamDefault, 99));
    EXPECT(cudaSuccess, cudaStreamGetPriority(t, &priority));
    EXPECT_EQUAL("priority beyond the least", 0, priority);
    EXPECT(cudaSuccess, cudaStreamGetId(0, &id));
    EXPECT(cudaSuccess, cudaStreamGetId(cudaStreamLegacy, &other));
    EXPECT_EQUAL("0 is the legacy stream", id, other);
    EXPECT(cudaSuccess, cudaStreamGetId(cudaStreamPerThread, &other));
    check("and not the thread's", id != other, "they are equal");
    EXPECT(cudaSuccess, cudaStreamGetFlags(0, &flags));
    EXPECT_EQUAL("flags of the legacy stream", 0, flags);
    EXPECT(cudaSuccess, cudaStreamGetFlags(cudaStreamPerThread, &flags));
    EXPECT_EQUAL("flags of the thread's stream", 0, flags);
    EXPECT(cudaSuccess, cudaStreamGetPriority(0, &priority));
    EXPECT_EQUAL("priority of the legacy stream", 0, priority);
#if CUDART_VERSION >= 12080
    EXPECT(cudaSuccess, cudaStreamGetDevice(s, &device));
    EXPECT_EQUAL("device", 0, device);
    EXPECT(cudaSuccess, cudaStreamGetDevice(0, &device));
#endif
    EXPECT(cudaErrorInvalidValue, cudaStreamCreate(0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamLegacy));
    EXPECT(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamPerThread));
    EXPECT(cudaSuccess, cudaStreamQuery(cudaStreamPerThread));
    EXPECT(cudaSuccess, cudaStreamSynchronize(cudaStreamPerThread));
    EXPECT(cudaSuccess, cudaStreamDestroy(s));
    EXPECT(cudaSuccess, cudaStreamDestroy(t));
}

static void attributes() {
    cudaStream_t s, t;
    cudaLaunchAttributeValue v, w;
    char *d;
    MUST(cudaMalloc(&d, 1 << 20));
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    memset(&v, 0x55, sizeof v);
    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    check("no window at first", v.accessPolicyWindow.num_bytes == 0 && v.accessPolicyWindow.base_ptr == 0,
          "there is one");
    EXPECT_EQUAL("hit property at first", cudaAccessPropertyNormal, v.accessPolicyWindow.hitProp);
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = d;
    v.accessPolicyWindow.num_bytes = 4096;
    v.accessPolicyWindow.hitRatio = 0.5f;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    EXPECT(cudaSuccess, cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    memset(&w, 0, sizeof w);
    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &w));
    check("the window is remembered",
          w.accessPolicyWindow.base_ptr == d && w.accessPolicyWindow.num_bytes == 4096 &&
              w.accessPolicyWindow.hitRatio == 0.5f && w.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting &&
              w.accessPolicyWindow.missProp == cudaAccessPropertyStreaming,
          "not so");
    v.accessPolicyWindow.hitRatio = 1.5f;
    EXPECT(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = -0.5f;
    EXPECT(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    EXPECT(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    v.accessPolicyWindow.num_bytes = (size_t)1 << 31;
    EXPECT(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));

    v.syncPolicy = (cudaSynchronizationPolicy)0;
    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    EXPECT_EQUAL("synchronization policy at first", -1, (int)v.syncPolicy);
    v.syncPolicy = cudaSyncPolicyBlockingSync;
    EXPECT(cudaSuccess, cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &w));
    EXPECT_EQUAL("synchronization policy that was set", cudaSyncPolicyBlockingSync, w.syncPolicy);
    v.syncPolicy = (cudaSynchronizationPolicy)77;
    EXPECT(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));

    w.priority = 99;
    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &w));
    EXPECT_EQUAL("priority attribute", 0, w.priority);
    v.priority = -3;
    EXPECT(cudaSuccess, cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v));
    int priority = 9;
    EXPECT(cudaSuccess, cudaStreamGetPriority(s, &priority));
    EXPECT_EQUAL("priority that was set", -3, priority);
    v.priority = -99;
    EXPECT(cudaSuccess, cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v));
    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &w));
    EXPECT_EQUAL("a priority attribute beyond the greatest", -5, w.priority);

    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomain, &w));
    EXPECT_EQUAL("domain at first", cudaLaunchMemSyncDomainDefault, w.memSyncDomain);
    v.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    EXPECT(cudaSuccess, cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomain, &v));
    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomain, &w));
    EXPECT_EQUAL("domain that was set", cudaLaunchMemSyncDomainRemote, w.memSyncDomain);
    EXPECT(cudaSuccess, cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &w));
    EXPECT_EQUAL("map of the default domain", 0, w.memSyncDomainMap.default_);
    EXPECT_EQUAL("map of the remote domain", 1, w.memSyncDomainMap.remote);
    v.memSyncDomainMap.default_ = 2;
    v.memSyncDomainMap.remote = 3;
    EXPECT(cudaSuccess, cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &v));
    v.memSyncDomainMap.remote = 9;
    EXPECT(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &v));

    EXPECT(cudaErrorInvalidValue, cudaStreamGetAttribute(s, cudaLaunchAttributeCooperative, &w));
    EXPECT(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &v));
    EXPECT(cudaErrorInvalidValue, cudaStreamGetAttribute(s, (cudaLaunchAttributeID)99, &w));
    EXPECT(cudaErrorInvalidValue, cudaStreamGetAttribute(s, cudaLaunchAttributeIgnore, &w));

    EXPECT(cudaSuccess, cudaStreamCopyAttributes(t, s));
    EXPECT(cudaSuccess, cudaStreamGetAttribute(t, cudaLaunchAttributeAccessPolicyWindow, &w));
    EXPECT_EQUAL("the window is copied", 4096, w.accessPolicyWindow.num_bytes);
    EXPECT(cudaSuccess, cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &w));
    EXPECT_EQUAL("the policy is copied", cudaSyncPolicyBlockingSync, w.syncPolicy);
    EXPECT(cudaSuccess, cudaStreamGetPriority(t, &priority));
    EXPECT_EQUAL("the priority is copied", -5, priority);
    EXPECT(cudaSuccess, cudaStreamGetAttribute(0, cudaLaunchAttributeSynchronizationPolicy, &w));
    v.syncPolicy = cudaSyncPolicyYield;
    EXPECT(cudaSuccess, cudaStreamSetAttribute(0, cudaLaunchAttributeSynchronizationPolicy, &v));
    EXPECT(cudaSuccess, cudaStreamDestroy(s));
    EXPECT(cudaSuccess, cudaStreamDestroy(t));
    MUST(cudaFree(d));
}

static volatile int order;
static int first_seen, second_seen;
static cudaError_t error_in_callback = cudaErrorUnknown;
static void on_stream(cudaStream_t, cudaError_t error, void *value) {
    error_in_callback = error;
    *(int *)value = ++order;
}
static void on_host(void *value) {
    *(int *)value = ++order;
}

static void callbacks() {
    cudaStream_t s;
    MUST(cudaStreamCreate(&s));
    EXPECT(cudaSuccess, cudaStreamAddCallback(s, on_stream, &first_seen, 0));
    EXPECT(cudaSuccess, cudaLaunchHostFunc(s, on_host, &second_seen));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    EXPECT_EQUAL("the callback is first", 1, first_seen);
    EXPECT_EQUAL("then the host function", 2, second_seen);
    EXPECT_EQUAL("no error in the callback", cudaSuccess, error_in_callback);
    EXPECT(cudaErrorInvalidValue, cudaStreamAddCallback(s, on_stream, 0, 1));
    EXPECT(cudaErrorInvalidValue, cudaStreamAddCallback(s, 0, 0, 0));
    EXPECT(cudaErrorInvalidValue, cudaLaunchHostFunc(s, 0, 0));
    EXPECT(cudaSuccess, cudaStreamDestroy(s));
}

static void waiting() {
    cudaStream_t s;
    cudaEvent_t e;
    MUST(cudaStreamCreate(&s));
    MUST(cudaEventCreate(&e));
    EXPECT(cudaSuccess, cudaStreamWaitEvent(s, e, 0));
    EXPECT(cudaSuccess, cudaEventRecord(e, 0));
    EXPECT(cudaSuccess, cudaStreamWaitEvent(s, e, cudaEventWaitDefault));
    EXPECT(cudaErrorInvalidValue, cudaStreamWaitEvent(s, e, 8));
    EXPECT(cudaErrorIllegalState, cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
    EXPECT(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(s, 0, 0));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaEventDestroy(e));
    EXPECT(cudaSuccess, cudaStreamDestroy(s));
}

static void attaching() {
    cudaStream_t s;
    char *m, *d;
    MUST(cudaStreamCreate(&s));
    MUST(cudaMallocManaged(&m, 1 << 16));
    MUST(cudaMalloc(&d, 100));
    EXPECT(cudaSuccess, cudaStreamAttachMemAsync(s, m, 0, cudaMemAttachSingle));
    EXPECT(cudaSuccess, cudaStreamAttachMemAsync(s, m, 1 << 16, cudaMemAttachHost));
    EXPECT(cudaSuccess, cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachGlobal));
    EXPECT(cudaErrorInvalidValue, cudaStreamAttachMemAsync(s, m, 100, cudaMemAttachSingle));
    EXPECT(cudaErrorInvalidValue, cudaStreamAttachMemAsync(s, m, 0, 7));
    EXPECT(cudaErrorInvalidValue, cudaStreamAttachMemAsync(s, d, 0, cudaMemAttachSingle));
    EXPECT(cudaErrorInvalidValue, cudaStreamAttachMemAsync(s, 0, 0, cudaMemAttachSingle));
    EXPECT(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachSingle));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaStreamDestroy(s));
    MUST(cudaFree(m));
    MUST(cudaFree(d));
}

int main() {
    creating();
    attributes();
    callbacks();
    waiting();
    attaching();
    return failures != 0;
}
