// What a launch answers: shapes, shared memory, unknown functions and streams; attributes and occupancy.
#include "api_test.h"

__global__ void store(int *p) {
    if (p)
        *p = 1;
}
__global__ void __launch_bounds__(128) bounded(int *p) {
    if (p)
        *p = 1;
}
__global__ void dynamic_shared(int *p) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    if (p)
        *p = s[threadIdx.x];
}
__global__ void both_shared(char *p) {
    __shared__ char s[20];
    s[threadIdx.x % 20] = 1;
    __syncthreads();
    *p = s[3];
}
__global__ void static_shared(int *p) {
    __shared__ int s[1024];
    s[threadIdx.x] = 1;
    __syncthreads();
    if (p)
        *p = s[threadIdx.x ^ 1];
}
struct mixed {
    char c;
    double d;
    short s[3];
};
__global__ void parameters(char a, double b, mixed m, short c, int *p, float4 v) {
    p[0] = a == 1 && b == 2.5 && m.c == 'x' && m.d == -3.5 && m.s[0] == 4 && m.s[2] == 6 && c == 7 && v.x == 8 &&
           v.w == 11;
}

static const cudaError_t shape_error = CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

static void shapes(int *d) {
    EXPECT_LAUNCH(shape_error, (store<<<0, 32>>>(d)));
    EXPECT_LAUNCH(shape_error, (store<<<1, 0>>>(d)));
    EXPECT_LAUNCH(shape_error, (store<<<1, 1025>>>(d)));
    EXPECT_LAUNCH(shape_error, (store<<<1, dim3(1, 1, 65)>>>(d)));
    EXPECT_LAUNCH(shape_error, (store<<<1, dim3(32, 33)>>>(d)));
    EXPECT_LAUNCH(shape_error, (store<<<dim3(1, 65536), 1>>>(d)));
    EXPECT_LAUNCH(shape_error, (store<<<dim3(1, 1, 65536), 1>>>(d)));
    EXPECT_LAUNCH(shape_error, (store<<<dim3(0x80000000u), 1>>>(d)));
    EXPECT_LAUNCH(cudaErrorInvalidValue, (bounded<<<1, 256>>>(d)));
    EXPECT_LAUNCH(cudaSuccess, (bounded<<<1, 128>>>(d)));
    EXPECT_LAUNCH(cudaSuccess, (store<<<dim3(2, 3, 4), dim3(4, 4, 64)>>>(d)));
}

static void shared_memory(int *d) {
    const enum cudaFuncAttribute size = cudaFuncAttributeMaxDynamicSharedMemorySize;
    EXPECT_LAUNCH(cudaSuccess, (dynamic_shared<<<1, 32, 49152>>>(d)));
    EXPECT_LAUNCH(cudaErrorInvalidValue, (dynamic_shared<<<1, 32, 49153>>>(d)));
    EXPECT_LAUNCH(cudaErrorInvalidValue, (static_shared<<<1, 32, 49152>>>(d)));
    EXPECT_LAUNCH(cudaSuccess, (static_shared<<<1, 32, 45056>>>(d)));
    EXPECT(cudaSuccess, cudaFuncSetAttribute(dynamic_shared, size, 232448));
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(dynamic_shared, size, 232449));
    EXPECT_LAUNCH(cudaSuccess, (dynamic_shared<<<1, 32, 232448>>>(d)));
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(static_shared, size, 232448));
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(static_shared, size, -1));
    EXPECT(cudaSuccess, cudaFuncSetAttribute(dynamic_shared, size, 100));
    EXPECT_LAUNCH(cudaErrorInvalidValue, (dynamic_shared<<<1, 32, 101>>>(d)));
}

static void by_function(int *d) {
    void *args[] = {&d};
    int h = 0;
    EXPECT(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((void *)0, 1, 1, args, 0, 0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaLaunchKernel((void *)shapes, 1, 1, args, 0, 0));
    MUST(cudaMemset(d, 0, sizeof(int)));
    EXPECT(cudaSuccess, cudaLaunchKernel((void *)store, 1, 1, args, 0, 0));
    EXPECT(cudaSuccess, cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("cudaLaunchKernel runs the kernel", 1, h);
    EXPECT(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel((void *)store, 100000, 1024, args, 0, 0));
    EXPECT(cudaSuccess, cudaLaunchCooperativeKernel((void *)store, 10, 64, args, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    MUST(cudaMemset(d, 0, sizeof(int)));
    EXPECT(cudaSuccess, cudaLaunchKernelExC(&config, (void *)store, args));
    EXPECT(cudaSuccess, cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("cudaLaunchKernelExC runs the kernel", 1, h);
    EXPECT_LAUNCH(cudaSuccess,
                  (parameters<<<1, 1>>>(1, 2.5, mixed{'x', -3.5, {4, 5, 6}}, 7, d, make_float4(8, 9, 10, 11))));
    EXPECT(cudaSuccess, cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("parameters of mixed sizes", 1, h);
}

static void attributes() {
    cudaFuncAttributes a;
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, static_shared));
    EXPECT_EQUAL("static shared memory", 4096, a.sharedSizeBytes);
    EXPECT_EQUAL("room for dynamic shared memory", 45056, a.maxDynamicSharedSizeBytes);
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, both_shared));
    EXPECT_EQUAL("20 bytes where a dynamic array of the module begins at a multiple of 16", 32, a.sharedSizeBytes);
    EXPECT_EQUAL("binary version", 90, a.binaryVersion);
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, bounded));
    EXPECT_EQUAL("threads of __launch_bounds__", 128, a.maxThreadsPerBlock);
    EXPECT(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, (void *)0));
}

static void occupancy() {
    static const struct {
        int threads, shared, blocks;
    } cases[] = {{1, 0, 32},   {32, 0, 32}, {64, 0, 32},    {96, 0, 21},     {128, 0, 16},   {256, 0, 8},   {512, 0, 4},
                 {1024, 0, 2}, {64, 1, 32}, {64, 1000, 32}, {64, 16384, 13}, {64, 32768, 6}, {64, 49152, 4}};
    for (const auto &c : cases) {
        int blocks = -1;
        char name[100];
        MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store, c.threads, c.shared));
        snprintf(name, sizeof name, "blocks of %d threads, %d bytes shared, per multiprocessor", c.threads, c.shared);
        EXPECT_EQUAL(name, c.blocks, blocks);
    }
}

int main() {
    int *d;
    MUST(cudaMalloc(&d, 64));
    shapes(d);
    shared_memory(d);
    by_function(d);
    attributes();
    occupancy();
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
