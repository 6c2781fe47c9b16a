/* CUB's DeviceSelect, with memory of the stream: one pass with look-back, in which blocks poll what those before them publish. */
#include <cub/device/device_select.cuh>

#include "common/check.h"

namespace {
struct Wanted {
    float low, high;
    __device__ bool operator()(float v) const { return low <= v && v < high; }
};
} // namespace

void compact(const float *x, int n, float low, float high, float *y, int *count, int *, cudaStream_t stream) {
    size_t bytes = 0;
    void *memory;
    CUDA_CHECK(cub::DeviceSelect::If(NULL, bytes, x, y, count, n, Wanted{low, high}, stream));
    CUDA_CHECK(cudaMallocAsync(&memory, bytes, stream));
    CUDA_CHECK(cub::DeviceSelect::If(memory, bytes, x, y, count, n, Wanted{low, high}, stream));
    CUDA_CHECK(cudaFreeAsync(memory, stream));
}
