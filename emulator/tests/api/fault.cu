// A kernel that fails ruins the device for the rest of the process.
#include "api_test.h"

__global__ void store(int *p) {
    *p = 1;
}

int main() {
    int *d, h, n;
    cudaStream_t s;
    cudaEvent_t e;
    MUST(cudaMalloc(&d, 4));
    MUST(cudaStreamCreate(&s));
    MUST(cudaEventCreate(&e));
    EXPECT_LAUNCH(cudaSuccess, (store<<<1, 1, 0, s>>>((int *)0x7fff00000000)));
    check("the call that waits says it", cudaStreamSynchronize(s) == cudaErrorIllegalAddress, "it does not");
    check("it is the last error", cudaGetLastError() == cudaErrorIllegalAddress, "it is not");
    check("which is taken as others are", cudaGetLastError() == cudaSuccess, "it stays");
    EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    EXPECT(cudaErrorIllegalAddress, cudaMalloc(&d, 4));
    EXPECT(cudaErrorIllegalAddress, cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorIllegalAddress, cudaMemset(d, 0, 4));
    EXPECT(cudaErrorIllegalAddress, cudaFree(d));
    EXPECT(cudaErrorIllegalAddress, cudaEventRecord(e));
    EXPECT(cudaErrorIllegalAddress, cudaEventQuery(e));
    EXPECT(cudaErrorIllegalAddress, cudaStreamQuery(s));
    EXPECT_LAUNCH(cudaErrorIllegalAddress, (store<<<1, 1>>>(d)));
    EXPECT(cudaSuccess, cudaGetDeviceCount(&n));
    EXPECT(cudaSuccess, cudaGetDevice(&n));
    EXPECT(cudaSuccess, cudaSetDevice(0));
    EXPECT(cudaSuccess, cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    cudaPointerAttributes a;
    EXPECT(cudaSuccess, cudaPointerGetAttributes(&a, d));
    EXPECT(cudaSuccess, cudaDeviceReset());
    EXPECT(cudaErrorDevicesUnavailable, cudaMalloc(&d, 4));
    return failures != 0;
}
