// Variables of the device, by name.
#include "api_test.h"

__device__ int table[4] = {1, 2, 3, 4};
__constant__ float constants[4];
__managed__ int shared_value = 7;

__global__ void sum(float *out) {
    out[0] = table[0] + table[3] + constants[1] + shared_value;
    table[1] = 20;
    shared_value = 8;
}

int main() {
    float f[4] = {0.5f, 1.5f, 2.5f, 3.5f}, *d, result;
    int ints[4];
    void *p;
    size_t n;
    EXPECT_EQUAL("a managed variable has its value before any kernel", 7, shared_value);
    EXPECT(cudaSuccess, cudaMemcpyToSymbol(constants, f, 16));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyToSymbol(constants, f, 17));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyToSymbol(constants, f, 4, 13));
    EXPECT(cudaSuccess, cudaMemcpyToSymbol(constants, f, 4, 12));
    EXPECT(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)f, f, 4));
    EXPECT(cudaErrorInvalidSymbol, cudaMemcpyToSymbol("constants", f, 4));
    EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(constants, f, 4, 0, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbol(f, table, 4, 0, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaGetSymbolSize(&n, table));
    EXPECT_EQUAL("size of a variable", 16, n);
    EXPECT(cudaSuccess, cudaGetSymbolAddress(&p, shared_value));
    EXPECT_EQUAL("a managed variable has one address", (size_t)&shared_value, (size_t)p);
    EXPECT(cudaErrorInvalidValue, cudaFree(p));
    EXPECT(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&p, f[0]));
    EXPECT(cudaSuccess, cudaGetSymbolAddress(&p, table));
    EXPECT(cudaErrorInvalidValue, cudaFree(p));
    MUST(cudaMalloc(&d, 4));
    shared_value = 9;
    EXPECT_LAUNCH(cudaSuccess, (sum<<<1, 1>>>(d)));
    EXPECT(cudaSuccess, cudaMemcpy(&result, d, 4, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("a kernel sees all of them", 31, (int)(result * 2)); /* 1 + 4 + 1.5 + 9 */
    EXPECT_EQUAL("the host sees what the kernel stored", 8, shared_value);
    EXPECT(cudaSuccess, cudaMemcpyFromSymbol(ints, table, 16));
    EXPECT_EQUAL("a changed element", 20, ints[1]);
    EXPECT_EQUAL("an unchanged element", 3, ints[2]);
    EXPECT(cudaSuccess, cudaMemcpyFromSymbol(ints, table, 4, 12));
    EXPECT_EQUAL("by offset", 4, ints[0]);
    return failures != 0;
}
