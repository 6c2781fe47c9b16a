// Calls that are not emulated yet. (On a GPU these succeed.)
// message: ========= cudaGraphCreate is not emulated
// message: ========= cudaMallocArray is not emulated
#include "api_test.h"

int main() {
    cudaGraph_t graph;
    cudaArray_t array;
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    EXPECT_EQUAL("a channel description is a plain value", 32, texel.x);
    EXPECT(cudaErrorNotSupported, cudaGraphCreate(&graph, 0));
    EXPECT(cudaErrorNotSupported, cudaGraphCreate(&graph, 0));
    EXPECT(cudaErrorNotSupported, cudaMallocArray(&array, &texel, 16, 16));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
