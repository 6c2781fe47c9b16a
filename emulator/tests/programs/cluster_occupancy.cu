// How many clusters an H200 can hold at once, for sizes, blocks and shared memory of many kinds, and how large a
// cluster may be.
// arch: sm_90
#include "program.h"

static __global__ void small(int *out) {
    extern __shared__ int x[];
    out[0] = x[0];
}

static __global__ void __launch_bounds__(512) registers(float *out, int n) {
    float x[96];
    for (int i = 0; i < 96; i++)
        x[i] = out[i * n];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 96; i++)
            x[i] = x[i] * x[(i + 1) % 96] + x[(i + 7) % 96];
    for (int i = 0; i < 96; i++)
        out[i * n] = x[i];
}

template <typename... Parameters>
static void ask(const char *name, void (*kernel)(Parameters...), int threads, int shared) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    int largest = -1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    printf("%s, %d threads, %d bytes:", name, threads, shared);
    for (int size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16}) {
        int clusters = -1;
        attribute.val.clusterDim.x = size;
        config.gridDim = 1680 * size;
        cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
        if (error == cudaSuccess)
            printf(" %d:%d", size, clusters);
        else
            printf(" %d:%s", size, cudaGetErrorName(error));
        cudaGetLastError();
    }
    attribute.val.clusterDim.x = 1;
    config.numAttrs = 0;
    cudaError_t error = cudaOccupancyMaxPotentialClusterSize(&largest, kernel, &config);
    printf(" largest:%d (%s)\n", largest, cudaGetErrorName(error));
    cudaGetLastError();
}

int main() {
    const int shares[] = {0, 16384, 33000, 49152, 76000, 116000, 200000, 232448};
    CUDA(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    for (int large = 0; large < 2; large++) {
        CUDA(cudaFuncSetAttribute(small, cudaFuncAttributeNonPortableClusterSizeAllowed, large));
        CUDA(cudaFuncSetAttribute(registers, cudaFuncAttributeNonPortableClusterSizeAllowed, large));
        for (int threads : {32, 96, 256, 512, 1024})
            for (int shared : shares)
                ask(large ? "large" : "portable", small, threads, shared);
        for (int threads : {128, 256, 512})
            ask(large ? "registers, large" : "registers, portable", registers, threads, 0);
    }
    return 0;
}
