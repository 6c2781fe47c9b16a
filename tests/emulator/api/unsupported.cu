// Calls that are not emulated yet. (On a GPU these succeed.)
// message: ========= cudaImportExternalMemory is not emulated
// message: ========= cudaMallocMipmappedArray is not emulated
#include "api_test.h"

int main() {
    cudaExternalMemory_t memory;
    cudaExternalMemoryHandleDesc description = {};
    cudaMipmappedArray_t array;
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    EXPECT_EQUAL("a channel description is a plain value", 32, texel.x);
    EXPECT(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &description));
    EXPECT(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &description));
    EXPECT(cudaErrorNotSupported, cudaMallocMipmappedArray(&array, &texel, make_cudaExtent(16, 16, 0), 2));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
