// Occupancy: blocks per multiprocessor, sizes of blocks, shared memory that is left, clusters.
#include "api_test.h"

__global__ void plain(int *p) {
    if (p)
        *p = 1;
}
__global__ void shared_array(int *p) {
    __shared__ int s[1000];
    s[threadIdx.x] = 1;
    __syncthreads();
    if (p)
        *p = s[threadIdx.x ^ 1];
}
__global__ void __launch_bounds__(100) bounded(int *p) {
    if (p)
        *p = 1;
}

static size_t four_bytes(int threads) {
    return 4 * (size_t)threads;
}

static void sizes() {
    int grid = 0, block = 0;
    EXPECT(cudaSuccess, cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
    EXPECT_EQUAL("block size", 1024, block);
    EXPECT_EQUAL("grid size", 264, grid);
    EXPECT(cudaSuccess, cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 300));
    EXPECT_EQUAL("block size up to 300", 256, block);
    EXPECT(cudaSuccess, cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
    EXPECT_EQUAL("block size of a bounded kernel", 64, block);
    EXPECT(cudaSuccess, cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, plain, four_bytes, 0));
    EXPECT_EQUAL("block size with shared memory by thread", 1024, block);
}

static void blocks() {
    int n = -1;
    EXPECT(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain, 0, 0));
    EXPECT(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain, -1, 0));
    EXPECT(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor((int *)0, plain, 32, 0));
    EXPECT(cudaErrorInvalidDeviceFunction, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (void *)0, 32, 0));
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain, 1025, 0));
    EXPECT_EQUAL("too many threads", 0, n);
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounded, 128, 0));
    EXPECT_EQUAL("more threads than the kernel allows", 16, n);
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain, 32, 60000));
    EXPECT_EQUAL("more shared memory than the kernel may have", 0, n);
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, plain, 256, 0, 0));
    EXPECT_EQUAL("blocks of 256", 8, n);
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, plain, 256, 0,
                                                                               cudaOccupancyDisableCachingOverride));
    EXPECT_EQUAL("blocks of 256 without the override", 8, n);
    EXPECT(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, plain, 256, 0, 8));
    MUST(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    for (int bytes : {100000, 115712, 115713, 150000, 232448}) {
        char name[60];
        snprintf(name, sizeof name, "blocks with %d bytes", bytes);
        MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain, 128, bytes));
        EXPECT_EQUAL(name, bytes <= 115712 ? 2 : 1, n);
    }
    const int expected[][2] = {{0, 32},     {1, 32},     {3000, 28}, {7168, 19}, {8000, 17}, {12000, 13},
                               {14000, 12}, {17000, 10}, {20000, 9}, {30000, 6}, {40000, 5}};
    for (const auto &e : expected) {
        char name[60];
        snprintf(name, sizeof name, "blocks with 4000 static and %d dynamic bytes", e[0]);
        MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, shared_array, 64, e[0]));
        EXPECT_EQUAL(name, e[1], n);
    }
}

static void available() {
    size_t bytes = 9;
    const struct {
        int blocks, plain, shared_array;
    } expected[] = {{1, 232448, 45152}, {2, 116736, 45152}, {3, 77824, 45152}, {4, 58368, 45152}, {7, 33280, 29280},
                    {8, 29184, 25184},  {16, 14592, 10592}, {31, 7424, 3424},  {32, 7296, 3296}};
    for (const auto &e : expected) {
        char name[60];
        snprintf(name, sizeof name, "bytes that %d blocks may have", e.blocks);
        MUST(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, e.blocks, 32));
        EXPECT_EQUAL(name, e.plain, bytes);
        snprintf(name, sizeof name, "bytes that %d blocks may have beside 4000", e.blocks);
        MUST(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shared_array, e.blocks, 32));
        EXPECT_EQUAL(name, e.shared_array, bytes);
    }
    EXPECT(cudaSuccess, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 2, 1024));
    EXPECT(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 3, 1024));
    EXPECT(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 33, 32));
    EXPECT(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 0, 32));
    EXPECT(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 1, 0));
    EXPECT(cudaErrorInvalidDeviceFunction, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (void *)0, 1, 32));
}

static void clusters() {
    int n = -1;
    cudaLaunchAttribute a = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(64);
    config.blockDim = dim3(128);
    config.attrs = &a;
    config.numAttrs = 0;
    EXPECT(cudaSuccess, cudaOccupancyMaxPotentialClusterSize(&n, plain, &config));
    int can = 0; /* has the device clusters of more than one block? */
    MUST(cudaDeviceGetAttribute(&can, cudaDevAttrClusterLaunch, 0));
    EXPECT_EQUAL("largest cluster", can ? 8 : 1, n);
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveClusters(&n, plain, &config));
    EXPECT_EQUAL("no clusters without a size", 0, n);
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = 16;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    config.numAttrs = 1;
    EXPECT(cudaErrorInvalidClusterSize, cudaOccupancyMaxActiveClusters(&n, plain, &config));
    a.val.clusterDim.x = 2;
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveClusters(&n, plain, &config));
    check("clusters of two", can ? n >= 66 : n == 0, "wrong");
    a.val.clusterDim.x = 1;
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveClusters(&n, plain, &config));
    check("clusters of one", n >= 132, "too few");
    MUST(cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    config.numAttrs = 0;
    EXPECT(cudaSuccess, cudaOccupancyMaxPotentialClusterSize(&n, plain, &config));
    EXPECT_EQUAL("largest cluster that is not portable", can ? 16 : 1, n);
    EXPECT(cudaErrorInvalidDeviceFunction, cudaOccupancyMaxActiveClusters(&n, (void *)0, &config));
}

int main() {
    sizes();
    blocks();
    available();
    clusters();
    return failures != 0;
}
