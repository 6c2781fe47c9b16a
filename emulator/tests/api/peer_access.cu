// A kernel may use the memory of another device only when that has been allowed, in this direction.
// environment: EMULATOR_DEVICES=2
#include "api_test.h"

__global__ void read(const int *from, int *to) {
    *to = *from;
}

int main() {
    int *d[2], *pooled, count = 0;
    MUST(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("ok two devices are not there to be tested\n");
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        MUST(cudaSetDevice(i));
        MUST(cudaMalloc(&d[i], 64));
        MUST(cudaMemset(d[i], 0, 64));
        MUST(cudaDeviceSynchronize());
    }
    EXPECT(cudaSuccess, cudaDeviceEnablePeerAccess(0, 0)); // device 1 may use the memory of device 0
    EXPECT_LAUNCH(cudaSuccess, (read<<<1, 1>>>(d[0], d[1])));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    cudaMemPool_t pool;
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = 0;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    MUST(cudaDeviceGetDefaultMemPool(&pool, 1));
    MUST(cudaMemPoolSetAccess(pool, &access, 1));
    MUST(cudaMallocAsync(&pooled, 64, 0));
    MUST(cudaMemset(pooled, 0, 64));
    MUST(cudaDeviceSynchronize());
    MUST(cudaSetDevice(0));
    EXPECT_LAUNCH(cudaSuccess, (read<<<1, 1>>>(pooled, d[0]))); // of memory of a pool the pool decides
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_LAUNCH(cudaSuccess, (read<<<1, 1>>>(d[1], d[0])));
    EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    return failures != 0;
}
