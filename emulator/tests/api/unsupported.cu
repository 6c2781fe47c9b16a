// Calls that are not emulated. (On a GPU these succeed, or complain of their arguments.)
// message: ========= cudaImportExternalMemory is not emulated
// message: ========= cudaGraphicsMapResources is not emulated
// message: ========= The emulator cannot run this kernel
// message: 'vset.s32.s32.eq.min' is not supported
#include "api_test.h"

// A kernel that it cannot run; the reason is the same with dynamic shared memory.
__global__ void compare(int *out) {
    extern __shared__ int s[];
    s[threadIdx.x] = out[threadIdx.x];
    asm volatile("vset.s32.s32.eq.min %0, %1, %1, %1;" : "=r"(out[0]) : "r"(s[threadIdx.x]));
}

int main() {
    cudaExternalMemory_t memory;
    cudaExternalMemoryHandleDesc description = {};
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    EXPECT_EQUAL("a channel description is a plain value", 32, texel.x);
    EXPECT(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &description));
    EXPECT(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &description));
    EXPECT(cudaErrorNotSupported, cudaGraphicsMapResources(0, 0));
    EXPECT_LAUNCH(cudaErrorNotSupported, compare<<<1, 32>>>(NULL));
    EXPECT_LAUNCH(cudaErrorNotSupported, compare<<<1, 32, 1024>>>(NULL));
    cudaGetLastError();
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
