// How errors are remembered, and what questions about devices answer.
#include "api_test.h"

__global__ void nothing() {}

static void remembering() {
    int *d;
    check("an error is returned", cudaMalloc(&d, (size_t)1 << 46) == cudaErrorMemoryAllocation, "no");
    check("and can be looked at", cudaPeekAtLastError() == cudaErrorMemoryAllocation, "no");
    check("a call that succeeds", cudaMalloc(&d, 4) == cudaSuccess, "no");
    check("leaves it", cudaPeekAtLastError() == cudaErrorMemoryAllocation, "no");
    check("taking it", cudaGetLastError() == cudaErrorMemoryAllocation, "no");
    check("removes it", cudaGetLastError() == cudaSuccess, "no");
    nothing<<<1, 2000>>>();
    check("after a launch that failed, others work", cudaMalloc(&d, 4) == cudaSuccess, "no");
    check("synchronising does not report it", cudaDeviceSynchronize() == cudaSuccess, "no");
    check("the last error is the launch's", cudaGetLastError() == cudaErrorInvalidValue, "no");
}

static void *other_thread(void *) {
    check("another thread has its own last error", cudaGetLastError() == cudaSuccess, "it sees the first thread's");
    return NULL;
}

static void threads() {
    pthread_t t;
    cudaSetDevice(99);
    pthread_create(&t, NULL, other_thread, NULL);
    pthread_join(t, NULL);
    check("which leaves the first thread's", cudaGetLastError() == cudaErrorInvalidDevice, "it is gone");
}

static void devices() {
    cudaDeviceProp p;
    int n = 0, v = 0;
    EXPECT(cudaSuccess, cudaGetDeviceCount(&n));
    check("there is a device", n >= 1, "none");
    EXPECT(cudaErrorInvalidDevice, cudaSetDevice(99));
    EXPECT(cudaErrorInvalidDevice, cudaSetDevice(-1));
    EXPECT(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 99));
    EXPECT(cudaErrorInvalidValue, cudaGetDeviceProperties(0, 0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
    EXPECT(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(99, 0));
    EXPECT(cudaErrorInvalidValue, cudaDeviceSetLimit((cudaLimit)99, 1));
    EXPECT(cudaSuccess, cudaGetDeviceProperties(&p, 0));
    const struct {
        const char *name;
        cudaDeviceAttr attribute;
        long long field, expected;
    } same[] = {
        {"warp size", cudaDevAttrWarpSize, p.warpSize, 32},
        {"threads per block", cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock, 1024},
        {"shared memory per block", cudaDevAttrMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock, 49152},
        {"shared memory on demand", cudaDevAttrMaxSharedMemoryPerBlockOptin, (long long)p.sharedMemPerBlockOptin,
         232448},
        {"registers per block", cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock, 65536},
        {"grid y", cudaDevAttrMaxGridDimY, p.maxGridSize[1], 65535},
        {"block z", cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2], 64},
        {"constant memory", cudaDevAttrTotalConstantMemory, (long long)p.totalConstMem, 65536},
        {"threads per multiprocessor", cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor, 2048},
        {"major", cudaDevAttrComputeCapabilityMajor, p.major, 9},
        {"minor", cudaDevAttrComputeCapabilityMinor, p.minor, 0},
        {"multiprocessors", cudaDevAttrMultiProcessorCount, p.multiProcessorCount, 132},
        {"unified addressing", cudaDevAttrUnifiedAddressing, p.unifiedAddressing, 1},
        {"managed memory", cudaDevAttrManagedMemory, p.managedMemory, 1},
        {"cooperative launch", cudaDevAttrCooperativeLaunch, p.cooperativeLaunch, 1},
        {"l2", cudaDevAttrL2CacheSize, p.l2CacheSize, 62914560},
        {"copy engines", cudaDevAttrAsyncEngineCount, p.asyncEngineCount, 3}};
    for (const auto &s : same) {
        v = -1;
        MUST(cudaDeviceGetAttribute(&v, s.attribute, 0));
        EXPECT_EQUAL(s.name, s.expected, v);
        check("property and attribute agree", s.field == v, s.name);
    }
    size_t free_bytes, total;
    EXPECT(cudaSuccess, cudaMemGetInfo(&free_bytes, &total));
    check("memory is free", free_bytes > 0 && free_bytes <= total && total <= p.totalGlobalMem, "no");
}

int main() {
    remembering();
    threads();
    devices();
    check("names", !strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"), "wrong");
    check("meanings", !strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"), "wrong");
    check("unknown codes", !strcmp(cudaGetErrorString((cudaError_t)99999), "unrecognized error code"), "wrong");
    return failures != 0;
}
