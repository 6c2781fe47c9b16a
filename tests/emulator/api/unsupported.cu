// Calls that are not emulated. (On a GPU these succeed, or complain of their arguments.)
// message: ========= cudaImportExternalMemory is not emulated
// message: ========= cudaGraphicsMapResources is not emulated
#include "api_test.h"

int main() {
    cudaExternalMemory_t memory;
    cudaExternalMemoryHandleDesc description = {};
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    EXPECT_EQUAL("a channel description is a plain value", 32, texel.x);
    EXPECT(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &description));
    EXPECT(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &description));
    EXPECT(cudaErrorNotSupported, cudaGraphicsMapResources(0, 0));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
