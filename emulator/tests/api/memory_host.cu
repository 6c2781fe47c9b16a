// Host memory: pinned, mapped, portable, registered; what flags and pointers say.
#include "api_test.h"

__global__ void add_one(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i]++;
}

static void pinned() {
    const unsigned all[] = {cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped,
                            cudaHostAllocWriteCombined,
                            cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined};
    for (unsigned flags : all) {
        int *p;
        void *device = 0;
        unsigned found = 99;
        char name[60];
        EXPECT(cudaSuccess, cudaHostAlloc((void **)&p, 4096, flags));
        EXPECT(cudaSuccess, cudaHostGetFlags(&found, p));
        snprintf(name, sizeof name, "flags of memory with %#x", flags);
        EXPECT_EQUAL(name, flags | cudaHostAllocMapped, found);
        EXPECT(cudaSuccess, cudaHostGetDevicePointer(&device, p, 0));
        EXPECT_EQUAL("the same address", (size_t)p, (size_t)device);
        p[5] = 41;
        add_one<<<1, 32>>>((int *)device, 32);
        MUST(cudaDeviceSynchronize());
        EXPECT_EQUAL("a kernel reaches it", 42, p[5]);
        EXPECT(cudaSuccess, cudaFreeHost(p));
    }
    int *p;
    unsigned found;
    void *device;
    EXPECT(cudaErrorInvalidValue, cudaHostAlloc((void **)&p, 64, 0x40));
    EXPECT(cudaErrorInvalidValue, cudaHostAlloc((void **)0, 64, 0));
    EXPECT(cudaErrorMemoryAllocation, cudaHostAlloc((void **)&p, (size_t)1 << 50, 0));
    MUST(cudaMallocHost((void **)&p, 4096));
    EXPECT(cudaSuccess, cudaHostGetFlags(&found, p));
    EXPECT_EQUAL("flags of cudaMallocHost", cudaHostAllocMapped, found);
    EXPECT(cudaSuccess, cudaHostGetDevicePointer(&device, p + 10, 0));
    EXPECT_EQUAL("an address inside", (size_t)(p + 10), (size_t)device);
    EXPECT(cudaErrorInvalidValue, cudaHostGetDevicePointer(&device, p, 1));
    EXPECT(cudaErrorInvalidValue, cudaHostGetDevicePointer((void **)0, p, 0));
    EXPECT(cudaErrorInvalidValue, cudaHostGetFlags(0, p));
    EXPECT(cudaSuccess, cudaHostGetFlags(&found, p + 10));
    EXPECT(cudaSuccess, cudaFreeHost(p));
}

static void registered() {
    int *page = (int *)aligned_alloc(4096, 8192), odd_flags;
    void *device = 0;
    unsigned found = 99;
    cudaPointerAttributes a;
    memset(page, 0, 8192);
    EXPECT(cudaSuccess, cudaHostRegister(page, 8192, cudaHostRegisterPortable | cudaHostRegisterMapped));
    EXPECT(cudaSuccess, cudaHostGetFlags(&found, page));
    EXPECT_EQUAL("flags of registered memory", cudaHostRegisterPortable | cudaHostRegisterMapped, found);
    EXPECT(cudaSuccess, cudaHostGetDevicePointer(&device, page, 0));
    add_one<<<1, 32>>>((int *)device, 32);
    MUST(cudaDeviceSynchronize());
    EXPECT_EQUAL("a kernel reaches registered memory", 1, page[31]);
    EXPECT(cudaSuccess, cudaPointerGetAttributes(&a, page + 3));
    EXPECT_EQUAL("type of registered memory", cudaMemoryTypeHost, a.type);
    EXPECT_EQUAL("its device pointer", (size_t)(page + 3), (size_t)a.devicePointer);
    EXPECT_EQUAL("its host pointer", (size_t)(page + 3), (size_t)a.hostPointer);
    EXPECT(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(page + 1024, 4096, 0));
    EXPECT(cudaErrorInvalidValue, cudaFreeHost(page));
    EXPECT(cudaSuccess, cudaHostUnregister(page));
    EXPECT(cudaErrorInvalidValue, cudaHostRegister(page, 8192, 0x100));
    EXPECT(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(&odd_flags));
    EXPECT(cudaErrorInvalidValue, cudaHostUnregister(0));
    EXPECT(cudaSuccess, cudaPointerGetAttributes(&a, page));
    EXPECT_EQUAL("type when it is not registered", cudaMemoryTypeUnregistered, a.type);
    free(page);
}

__device__ int variable[10];
__constant__ int constant[10];
__managed__ int managed_variable[10];

static void describe(const char *name, const void *p, int type, int device, bool device_pointer, bool host_pointer) {
    cudaPointerAttributes a;
    char text[100];
    snprintf(text, sizeof text, "attributes of %s", name);
    cudaError_t e = cudaPointerGetAttributes(&a, p);
    check(text, e == cudaSuccess, cudaGetErrorName(e));
    snprintf(text, sizeof text, "type of %s", name);
    EXPECT_EQUAL(text, type, a.type);
    snprintf(text, sizeof text, "device of %s", name);
    EXPECT_EQUAL(text, device, a.device);
    snprintf(text, sizeof text, "device pointer of %s", name);
    EXPECT_EQUAL(text, device_pointer ? (size_t)p : 0, (size_t)a.devicePointer);
    snprintf(text, sizeof text, "host pointer of %s", name);
    EXPECT_EQUAL(text, host_pointer ? (size_t)p : 0, (size_t)a.hostPointer);
}

static void pointers() {
    void *p;
    int local;
    MUST(cudaMalloc(&p, 100));
    describe("cudaMalloc", p, cudaMemoryTypeDevice, 0, true, false);
    MUST(cudaFree(p));
    MUST(cudaMallocAsync(&p, 100, 0));
    describe("cudaMallocAsync", p, cudaMemoryTypeDevice, 0, true, false);
    MUST(cudaFree(p));
    MUST(cudaMallocManaged(&p, 100));
    describe("cudaMallocManaged", p, cudaMemoryTypeManaged, 0, true, true);
    MUST(cudaFree(p));
    MUST(cudaMallocHost(&p, 100));
    describe("cudaMallocHost", p, cudaMemoryTypeHost, 0, true, true);
    MUST(cudaFreeHost(p));
    MUST(cudaGetSymbolAddress(&p, variable));
    describe("a __device__ variable", p, cudaMemoryTypeDevice, 0, true, false);
    MUST(cudaGetSymbolAddress(&p, constant));
    describe("a __constant__ variable", p, cudaMemoryTypeDevice, 0, true, false);
    MUST(cudaGetSymbolAddress(&p, managed_variable));
    describe("a __managed__ variable", p, cudaMemoryTypeManaged, 0, true, true);
    describe("a local variable", &local, cudaMemoryTypeUnregistered, -2, false, true);
    describe("a null pointer", 0, cudaMemoryTypeUnregistered, -2, false, false);
    EXPECT(cudaErrorInvalidValue, cudaPointerGetAttributes((cudaPointerAttributes *)0, &local));
}

int main() {
    pinned();
    registered();
    pointers();
    return failures != 0;
}
