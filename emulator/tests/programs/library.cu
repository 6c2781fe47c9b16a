// Kernels built from the toolkit's own block primitives (CUB), whose generated code is unlike hand-written code:
// sort, scan, reduction, exchange through shared memory, and warp primitives.
#include "program.h"
#include <algorithm>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

enum { BLOCK = 128, ITEMS = 4, N = BLOCK * ITEMS };

__global__ void sort(const unsigned *in, unsigned *out) {
    typedef cub::BlockRadixSort<unsigned, BLOCK, ITEMS> Sort;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        keys[i] = in[threadIdx.x * ITEMS + i];
    Sort(storage).Sort(keys);
    for (int i = 0; i < ITEMS; i++)
        out[threadIdx.x * ITEMS + i] = keys[i];
}

__global__ void scan_and_reduce(const unsigned *in, unsigned *scanned, float *sum) {
    typedef cub::BlockScan<unsigned, BLOCK> Scan;
    typedef cub::BlockReduce<float, BLOCK> Reduce;
    typedef cub::WarpReduce<float> Warp;
    __shared__ union {
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
        typename Warp::TempStorage warp[BLOCK / 32];
    } storage;
    unsigned x = in[threadIdx.x] % 1000, before;
    Scan(storage.scan).ExclusiveSum(x, before);
    scanned[threadIdx.x] = before;
    __syncthreads();
    float total = Reduce(storage.reduce).Sum((float)x);
    __syncthreads();
    float warp = Warp(storage.warp[threadIdx.x / 32]).Sum((float)x);
    if (threadIdx.x == 0)
        sum[0] = total;
    if (threadIdx.x % 32 == 0)
        sum[1 + threadIdx.x / 32] = warp;
}

int main() {
    unsigned x[N], sorted[N], expected[N];
    uint32_t seed = 11;
    for (unsigned &v : x)
        v = next_random(&seed) * 977u;
    memcpy(expected, x, sizeof x);
    std::sort(expected, expected + N);
    unsigned *device_x = to_device(x, N), *out = device_zeros<unsigned>(N);
    sort<<<1, BLOCK>>>(device_x, out);
    FINISH();
    from_device(sorted, out, N);
    check_equal("radix sort", expected, sorted, N);

    float sum[1 + BLOCK / 32], expected_sum[1 + BLOCK / 32] = {0}, *device_sum = device_zeros<float>(1 + BLOCK / 32);
    scan_and_reduce<<<1, BLOCK>>>(device_x, out, device_sum);
    FINISH();
    from_device(sorted, out, BLOCK);
    from_device(sum, device_sum, 1 + BLOCK / 32);
    unsigned before = 0;
    for (int i = 0; i < BLOCK; i++) {
        expected[i] = before;
        before += x[i] % 1000;
        expected_sum[1 + i / 32] += x[i] % 1000;
    }
    expected_sum[0] = before;
    check_equal("scan", expected, sorted, BLOCK);
    check_equal("reductions of block and warps", expected_sum, sum, 1 + BLOCK / 32);
    return program_failures;
}
