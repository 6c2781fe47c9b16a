// Several devices: each has its own memory, variables, streams and faults.
// environment: EMULATOR_DEVICES=2
#include "api_test.h"

__device__ int counter = 5;

__global__ void count(int *p) {
    *p = counter++;
}

int main() {
    int n = 0, current = -1, h, *d[2], can = -1;
    cudaStream_t first;
    EXPECT(cudaSuccess, cudaGetDeviceCount(&n));
    EXPECT_EQUAL("devices", 2, n);
    MUST(cudaStreamCreate(&first));
    for (int i = 0; i < 2; i++) {
        EXPECT(cudaSuccess, cudaSetDevice(i));
        EXPECT(cudaSuccess, cudaGetDevice(&current));
        EXPECT_EQUAL("current device", i, current);
        MUST(cudaMalloc(&d[i], sizeof(int)));
        EXPECT_LAUNCH(cudaSuccess, (count<<<1, 1>>>(d[i])));
        EXPECT(cudaSuccess, cudaMemcpy(&h, d[i], sizeof(int), cudaMemcpyDeviceToHost));
        EXPECT_EQUAL("each device has its own variable", 5, h);
        cudaPointerAttributes a;
        EXPECT(cudaSuccess, cudaPointerGetAttributes(&a, d[i]));
        EXPECT_EQUAL("memory knows its device", i, a.device);
    }
    EXPECT_LAUNCH(cudaSuccess, (count<<<1, 1, 0, first>>>(d[0]))); // it runs where the stream is
    EXPECT(cudaSuccess, cudaStreamSynchronize(first));
    EXPECT(cudaSuccess, cudaMemcpy(&h, d[0], sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("with the variable of that device", 6, h);
    EXPECT(cudaSuccess, cudaDeviceCanAccessPeer(&can, 1, 0));
    EXPECT_EQUAL("peers can be reached", 1, can);
    EXPECT(cudaSuccess, cudaDeviceEnablePeerAccess(0, 0));
    EXPECT(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(0, 0));
    EXPECT(cudaSuccess, cudaMemset(d[1], 1, sizeof(int)));
    EXPECT(cudaSuccess, cudaMemcpyPeer(d[0], 0, d[1], 1, sizeof(int)));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaSetDevice(0));
    EXPECT(cudaSuccess, cudaMemcpy(&h, d[0], sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("copied from the other device", 0x01010101, h);
    EXPECT(cudaErrorInvalidDevice, cudaMemcpyPeer(d[0], 0, d[1], 2, sizeof(int)));
    count<<<1, 1>>>((int *)0x7fff00000000);
    EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaSetDevice(1));
    // A peer that can reach the device has its fault, too.
    EXPECT_LAUNCH(cudaErrorIllegalAddress, (count<<<1, 1>>>(d[1])));
    EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    return failures != 0;
}
