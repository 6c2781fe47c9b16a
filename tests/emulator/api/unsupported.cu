// Calls that are not emulated yet. (On a GPU these succeed.)
// message: ========= cudaGraphCreate is not emulated
// message: ========= cudaMallocMipmappedArray is not emulated
#include "api_test.h"

int main() {
    cudaGraph_t graph;
    cudaMipmappedArray_t array;
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    EXPECT_EQUAL("a channel description is a plain value", 32, texel.x);
    EXPECT(cudaErrorNotSupported, cudaGraphCreate(&graph, 0));
    EXPECT(cudaErrorNotSupported, cudaGraphCreate(&graph, 0));
    EXPECT(cudaErrorNotSupported, cudaMallocMipmappedArray(&array, &texel, make_cudaExtent(16, 16, 0), 2));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
