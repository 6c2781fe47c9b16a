// Memory pools: their attributes, what they count, access, and handles for other processes.
#include "api_test.h"

static unsigned long long asked(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    unsigned long long v = 0;
    MUST(cudaMemPoolGetAttribute(pool, attribute, &v));
    return v;
}

static int switched(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    int v = 0;
    MUST(cudaMemPoolGetAttribute(pool, attribute, &v));
    return v;
}

static void attributes(cudaMemPool_t pool) {
    int off = 0;
    unsigned long long threshold = 1 << 20, zero = 0, one = 1;
    EXPECT_EQUAL("events are followed", 1, switched(pool, cudaMemPoolReuseFollowEventDependencies));
    EXPECT_EQUAL("reuse by chance", 1, switched(pool, cudaMemPoolReuseAllowOpportunistic));
    EXPECT_EQUAL("reuse by new dependencies", 1, switched(pool, cudaMemPoolReuseAllowInternalDependencies));
    EXPECT_EQUAL("threshold", 0, asked(pool, cudaMemPoolAttrReleaseThreshold));
    EXPECT(cudaSuccess, cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &off));
    EXPECT_EQUAL("reuse by chance switched off", 0, switched(pool, cudaMemPoolReuseAllowOpportunistic));
    EXPECT(cudaSuccess, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    EXPECT_EQUAL("threshold that was set", 1 << 20, asked(pool, cudaMemPoolAttrReleaseThreshold));
    EXPECT(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero));
    EXPECT(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one));
    EXPECT(cudaSuccess, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    EXPECT(cudaSuccess, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
    EXPECT(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)99, &zero));
    EXPECT(cudaErrorInvalidValue, cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &zero));
    EXPECT(cudaErrorInvalidValue, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, 0));
    EXPECT(cudaErrorInvalidValue, cudaMemPoolGetAttribute(0, cudaMemPoolAttrUsedMemHigh, &zero));
}

static void counting(cudaMemPool_t pool) {
    char *a, *b;
    cudaStream_t s;
    MUST(cudaStreamCreate(&s));
    EXPECT_EQUAL("nothing is used", 0, asked(pool, cudaMemPoolAttrUsedMemCurrent));
    EXPECT(cudaSuccess, cudaMallocFromPoolAsync((void **)&a, 1000, pool, s));
    EXPECT(cudaSuccess, cudaMallocFromPoolAsync((void **)&b, 100000, pool, s));
    EXPECT_EQUAL("two allocations are used", 1000 + 100000, asked(pool, cudaMemPoolAttrUsedMemCurrent));
    EXPECT_EQUAL("32 MiB are reserved", 32 << 20, asked(pool, cudaMemPoolAttrReservedMemCurrent));
    EXPECT(cudaSuccess, cudaFreeAsync(b, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    EXPECT_EQUAL("one allocation is used", 1000, asked(pool, cudaMemPoolAttrUsedMemCurrent));
    EXPECT_EQUAL("most that was used", 1000 + 100000, asked(pool, cudaMemPoolAttrUsedMemHigh));
    EXPECT_EQUAL("most that was reserved", 32 << 20, asked(pool, cudaMemPoolAttrReservedMemHigh));
    EXPECT(cudaSuccess, cudaMemPoolTrimTo(pool, 0));
    EXPECT_EQUAL("what is used stays reserved", 32 << 20, asked(pool, cudaMemPoolAttrReservedMemCurrent));
    EXPECT(cudaSuccess, cudaFreeAsync(a, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    EXPECT_EQUAL("nothing is used any more", 0, asked(pool, cudaMemPoolAttrUsedMemCurrent));
    EXPECT_EQUAL("nothing is reserved any more", 0, asked(pool, cudaMemPoolAttrReservedMemCurrent));
    EXPECT(cudaSuccess, cudaMemPoolTrimTo(pool, 0));
    EXPECT_EQUAL("nothing is reserved after trimming", 0, asked(pool, cudaMemPoolAttrReservedMemCurrent));
    unsigned long long zero = 0;
    EXPECT(cudaSuccess, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    EXPECT_EQUAL("most that was used since", 0, asked(pool, cudaMemPoolAttrUsedMemHigh));
    MUST(cudaMallocFromPoolAsync((void **)&a, 1, pool, s));
    EXPECT_EQUAL("one byte", 1, asked(pool, cudaMemPoolAttrUsedMemCurrent));
    MUST(cudaFree(a));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMallocFromPoolAsync((void **)&a, 3, pool, s));
    EXPECT_EQUAL("after cudaFree, 3 more bytes", 4, asked(pool, cudaMemPoolAttrUsedMemCurrent));
    MUST(cudaFreeAsync(a, s));
    MUST(cudaStreamSynchronize(s));
    EXPECT_EQUAL("what cudaFree gave back still counts", 1, asked(pool, cudaMemPoolAttrUsedMemCurrent));
    EXPECT(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync((void **)&a, (size_t)1 << 50, pool, s));
    EXPECT(cudaErrorInvalidValue, cudaMallocFromPoolAsync((void **)0, 100, pool, s));
    EXPECT(cudaErrorInvalidValue, cudaMallocFromPoolAsync((void **)&a, 100, (cudaMemPool_t)0, s));
    a = (char *)1;
    EXPECT(cudaSuccess, cudaMallocFromPoolAsync((void **)&a, 0, pool, s));
    EXPECT_EQUAL("no bytes are a null pointer", 0, (size_t)a);
    MUST(cudaStreamDestroy(s));
}

static cudaMemPoolProps properties() {
    cudaMemPoolProps p = {};
    p.allocType = cudaMemAllocationTypePinned;
    p.location.type = cudaMemLocationTypeDevice;
    return p;
}

static void creating() {
    cudaMemPool_t pool, other = 0, standard;
    cudaMemPoolProps p = properties();
    void *a;
    EXPECT(cudaSuccess, cudaMemPoolCreate(&pool, &p));
    attributes(pool);
    counting(pool);
    EXPECT(cudaSuccess, cudaDeviceGetDefaultMemPool(&standard, 0));
    EXPECT(cudaSuccess, cudaDeviceGetMemPool(&other, 0));
    EXPECT_EQUAL("the default pool is current", (size_t)standard, (size_t)other);
    EXPECT(cudaSuccess, cudaDeviceSetMemPool(0, pool));
    EXPECT(cudaSuccess, cudaDeviceGetMemPool(&other, 0));
    EXPECT_EQUAL("another pool is current", (size_t)pool, (size_t)other);
    EXPECT(cudaSuccess, cudaMallocAsync(&a, 100, 0));
    EXPECT_EQUAL("it is used by cudaMallocAsync", 101, asked(pool, cudaMemPoolAttrUsedMemCurrent));
    EXPECT(cudaSuccess, cudaFreeAsync(a, 0));
    EXPECT(cudaSuccess, cudaStreamSynchronize(0));
#if CUDART_VERSION >= 13000
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    EXPECT(cudaSuccess, cudaMemGetMemPool(&other, &here, cudaMemAllocationTypePinned));
    EXPECT_EQUAL("cudaMemGetMemPool", (size_t)pool, (size_t)other);
    EXPECT(cudaSuccess, cudaMemGetDefaultMemPool(&other, &here, cudaMemAllocationTypePinned));
    EXPECT_EQUAL("cudaMemGetDefaultMemPool", (size_t)standard, (size_t)other);
    EXPECT(cudaSuccess, cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, standard));
    EXPECT(cudaSuccess, cudaDeviceGetMemPool(&other, 0));
    EXPECT_EQUAL("cudaMemSetMemPool", (size_t)standard, (size_t)other);
    cudaMemLocation host = {cudaMemLocationTypeHost, 0}, none = {cudaMemLocationTypeNone, 0};
    EXPECT(cudaErrorInvalidValue, cudaMemGetMemPool(&other, &here, (cudaMemAllocationType)9));
    EXPECT(cudaErrorInvalidValue, cudaMemGetMemPool(&other, &none, cudaMemAllocationTypePinned));
    cudaPointerAttributes kind = {};
    EXPECT(cudaSuccess, cudaMemGetDefaultMemPool(&other, &host, cudaMemAllocationTypePinned));
    EXPECT(cudaSuccess, cudaMallocFromPoolAsync(&a, 100, other, 0));
    EXPECT(cudaSuccess, cudaPointerGetAttributes(&kind, a));
    EXPECT_EQUAL("memory of the host's pool", cudaMemoryTypeHost, kind.type);
    EXPECT(cudaSuccess, cudaFreeAsync(a, 0));
    EXPECT(cudaSuccess, cudaMemGetDefaultMemPool(&other, &here, cudaMemAllocationTypeManaged));
    cudaMemPoolProps q = properties();
    q.allocType = cudaMemAllocationTypeManaged;
    EXPECT(cudaSuccess, cudaMemPoolCreate(&other, &q));
    EXPECT(cudaSuccess, cudaMallocFromPoolAsync(&a, 100, other, 0));
    EXPECT(cudaSuccess, cudaPointerGetAttributes(&kind, a));
    EXPECT_EQUAL("memory of a managed pool", cudaMemoryTypeManaged, kind.type);
    EXPECT(cudaSuccess, cudaFreeAsync(a, 0));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaMemPoolDestroy(other));
    q = properties();
    q.location.type = cudaMemLocationTypeHost;
    EXPECT(cudaSuccess, cudaMemPoolCreate(&other, &q));
    EXPECT(cudaSuccess, cudaMemPoolDestroy(other));
    q = properties();
    q.maxSize = 1 << 20;
    EXPECT(cudaSuccess, cudaMemPoolCreate(&other, &q));
    EXPECT(cudaSuccess, cudaMallocFromPoolAsync(&a, 4 << 20, other, 0)); /* the limit is rounded up to 32 MiB */
    EXPECT(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&a, 40 << 20, other, 0));
    EXPECT(cudaSuccess, cudaMemPoolDestroy(other));
#endif
    EXPECT(cudaSuccess, cudaDeviceSetMemPool(0, pool));
    EXPECT(cudaSuccess, cudaMemPoolDestroy(pool));
    EXPECT(cudaSuccess, cudaDeviceGetMemPool(&other, 0));
    EXPECT_EQUAL("a destroyed pool gives way to the default", (size_t)standard, (size_t)other);
    EXPECT(cudaErrorInvalidValue, cudaMemPoolDestroy(standard));
    p.location.id = 99;
    EXPECT(cudaErrorInvalidValue, cudaMemPoolCreate(&other, &p));
    p = properties();
    p.allocType = cudaMemAllocationTypeInvalid;
    EXPECT(cudaErrorInvalidValue, cudaMemPoolCreate(&other, &p));
    p = properties();
    p.handleTypes = (cudaMemAllocationHandleType)64;
    EXPECT(cudaErrorInvalidValue, cudaMemPoolCreate(&other, &p));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetMemPool(&other, 99));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&other, 99));
    EXPECT(cudaErrorInvalidValue, cudaDeviceSetMemPool(99, standard));
    EXPECT(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, 0));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetMemPool(0, 0));
}

static void access() {
    cudaMemPool_t pool;
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    cudaMemAccessDesc d = {};
    cudaMemAccessFlags flags = (cudaMemAccessFlags)9;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    d.location = here;
    d.flags = cudaMemAccessFlagsProtReadWrite;
    EXPECT(cudaSuccess, cudaMemPoolGetAccess(&flags, pool, &here));
    EXPECT_EQUAL("a device may use its pool", cudaMemAccessFlagsProtReadWrite, flags);
    EXPECT(cudaSuccess, cudaMemPoolSetAccess(pool, &d, 1));
    d.flags = cudaMemAccessFlagsProtNone;
    EXPECT(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &d, 1));
    d.flags = cudaMemAccessFlagsProtRead;
    EXPECT(cudaErrorNotSupported, cudaMemPoolSetAccess(pool, &d, 1));
    d.flags = cudaMemAccessFlagsProtReadWrite;
    d.location.id = 99;
    EXPECT(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &d, 1));
    EXPECT(cudaSuccess, cudaMemPoolSetAccess(pool, &d, 0));
}

static void sharing() {
    cudaMemPool_t pool, imported = 0, private_pool;
    cudaMemPoolProps p = properties();
    cudaMemPoolPtrExportData data;
    int fd = -1;
    void *a = 0, *b = 0;
    EXPECT(cudaSuccess, cudaMemPoolCreate(&private_pool, &p));
    EXPECT(cudaErrorInvalidValue,
           cudaMemPoolExportToShareableHandle(&fd, private_pool, cudaMemHandleTypePosixFileDescriptor, 0));
    p.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    EXPECT(cudaSuccess, cudaMemPoolCreate(&pool, &p));
    EXPECT(cudaSuccess, cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    check("a file descriptor", fd >= 0, "none");
    EXPECT(cudaSuccess, cudaMallocFromPoolAsync(&a, 1000, pool, 0));
    EXPECT(cudaSuccess, cudaMemsetAsync(a, 7, 1000, 0));
    EXPECT(cudaSuccess, cudaStreamSynchronize(0));
    EXPECT(cudaSuccess, cudaMemPoolExportPointer(&data, a));
    EXPECT(cudaSuccess, cudaMemPoolImportFromShareableHandle(&imported, (void *)(size_t)fd,
                                                             cudaMemHandleTypePosixFileDescriptor, 0));
    cudaError_t e = cudaMemPoolImportPointer(&b, imported, &data); /* on a GPU: another address of the same memory */
    check("a pointer is imported, or that is not emulated", e == cudaSuccess || e == cudaErrorNotSupported,
          cudaGetErrorName(e));
    cudaGetLastError();
    if (e == cudaSuccess) {
        unsigned char h = 0;
        EXPECT(cudaSuccess, cudaMemcpy(&h, (char *)b + 999, 1, cudaMemcpyDeviceToHost));
        EXPECT_EQUAL("the imported memory is the exporter's", 7, h);
        EXPECT(cudaSuccess, cudaFree(b));
    }
    EXPECT(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&b, 10, imported, 0));
    EXPECT(cudaSuccess, cudaFree(a));
    EXPECT(cudaSuccess, cudaMemPoolDestroy(imported));
    EXPECT(cudaSuccess, cudaMemPoolDestroy(pool));
    EXPECT(cudaSuccess, cudaMemPoolDestroy(private_pool));
    MUST(cudaMalloc(&a, 10));
    EXPECT(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, a));
    EXPECT(cudaErrorUnknown, cudaMemPoolImportFromShareableHandle(&imported, (void *)(size_t)9999,
                                                                  cudaMemHandleTypePosixFileDescriptor, 0));
}

int main() {
    creating();
    access();
    sharing();
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
