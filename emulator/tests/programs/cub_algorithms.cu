// CUB's device algorithms: reduce, scan, radix sort, merge sort, histogram, select, partition, run-length encoding,
// segmented reduction; and its block and warp collectives.
#include "program.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <vector>

// A CUB call is made twice: it says how much memory it needs, then it works.
#define CUB(call)                                                                                                      \
    do {                                                                                                               \
        void *memory = nullptr;                                                                                        \
        size_t bytes = 0;                                                                                              \
        CUDA(call);                                                                                                    \
        CUDA(cudaMalloc(&memory, bytes));                                                                              \
        CUDA(call);                                                                                                    \
        CUDA(cudaDeviceSynchronize());                                                                                 \
        CUDA(cudaFree(memory));                                                                                        \
    } while (0)

static const int n = 20011;
static std::vector<int> host(n), expected(n), found(n);
static int *in, *out, *number;

static void expect(const char *name, size_t count) {
    from_device(found.data(), out, count);
    check_equal(name, expected.data(), found.data(), count);
}

static int number_found() {
    int x;
    from_device(&x, number, 1);
    return x;
}

struct is_even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

static void reductions() {
    CUB(cub::DeviceReduce::Sum(memory, bytes, in, number, n));
    int sum = 0;
    for (int x : host)
        sum += x;
    check("DeviceReduce::Sum", number_found() == sum);
    CUB(cub::DeviceReduce::Max(memory, bytes, in, number, n));
    check("DeviceReduce::Max", number_found() == *std::max_element(host.begin(), host.end()));
    int *where = device_zeros<int>(1), found_at;
    CUB(cub::DeviceReduce::ArgMin(memory, bytes, in, number, where, n));
    from_device(&found_at, where, 1);
    auto least = std::min_element(host.begin(), host.end());
    check("DeviceReduce::ArgMin", number_found() == *least && found_at == least - host.begin());
    const int segments = 100;
    std::vector<int> begins(segments + 1);
    for (int i = 0; i <= segments; i++)
        begins[i] = (int)((long long)n * i * i / segments / segments);
    int *device_begins = to_device(begins.data(), begins.size());
    CUB(cub::DeviceSegmentedReduce::Sum(memory, bytes, in, out, segments, device_begins, device_begins + 1));
    for (int i = 0; i < segments; i++) {
        expected[i] = 0;
        for (int k = begins[i]; k < begins[i + 1]; k++)
            expected[i] += host[k];
    }
    expect("DeviceSegmentedReduce::Sum", segments);
}

static void scans() {
    CUB(cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, n));
    for (int i = 0, sum = 0; i < n; i++)
        expected[i] = sum, sum += host[i];
    expect("DeviceScan::ExclusiveSum", n);
    CUB(cub::DeviceScan::InclusiveScan(memory, bytes, in, out, cuda::maximum<int>(), n));
    for (int i = 0, most = 0; i < n; i++)
        expected[i] = most = max(most, host[i]);
    expect("DeviceScan::InclusiveScan", n);
}

static void sorts() {
    std::vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = i;
    int *device_values = to_device(values.data(), n), *values_out = device_zeros<int>(n);
    CUB(cub::DeviceRadixSort::SortPairs(memory, bytes, in, out, device_values, values_out, n));
    expected = host;
    std::stable_sort(expected.begin(), expected.end());
    expect("DeviceRadixSort::SortPairs: keys", n);
    std::stable_sort(values.begin(), values.end(), [](int a, int b) { return host[a] < host[b]; });
    from_device(found.data(), values_out, n);
    check_equal("DeviceRadixSort::SortPairs: values", values.data(), found.data(), n);
    CUB(cub::DeviceRadixSort::SortKeysDescending(memory, bytes, in, out, n));
    std::reverse(expected.begin(), expected.end());
    expect("DeviceRadixSort::SortKeysDescending", n);

    std::vector<double> doubles(n), doubles_found(n);
    for (int i = 0; i < n; i++)
        doubles[i] = (host[i] - 500) / 3.0;
    double *double_in = to_device(doubles.data(), n), *double_out = device_zeros<double>(n);
    CUB(cub::DeviceRadixSort::SortKeys(memory, bytes, double_in, double_out, n));
    std::sort(doubles.begin(), doubles.end());
    from_device(doubles_found.data(), double_out, n);
    check_equal("DeviceRadixSort::SortKeys of double", doubles.data(), doubles_found.data(), n);

    CUDA(cudaMemcpy(out, in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    CUB(cub::DeviceMergeSort::SortKeys(memory, bytes, out, n, cuda::std::greater<int>()));
    expect("DeviceMergeSort::SortKeys", n);
}

static void histograms() {
    const int bins = 50;
    CUB(cub::DeviceHistogram::HistogramEven(memory, bytes, in, out, bins + 1, 0, 1000, n));
    std::fill(expected.begin(), expected.end(), 0);
    for (int x : host)
        expected[x / (1000 / bins)]++;
    expect("DeviceHistogram::HistogramEven", bins);
}

static void selections() {
    CUB(cub::DeviceSelect::If(memory, bytes, in, out, number, n, is_even()));
    auto end = std::copy_if(host.begin(), host.end(), expected.begin(), is_even());
    check("DeviceSelect::If: number", number_found() == end - expected.begin());
    expect("DeviceSelect::If", end - expected.begin());
    int *sorted = device_zeros<int>(n), *counts = device_zeros<int>(n);
    CUB(cub::DeviceRadixSort::SortKeys(memory, bytes, in, sorted, n));
    CUB(cub::DeviceSelect::Unique(memory, bytes, sorted, out, number, n));
    expected = host;
    std::sort(expected.begin(), expected.end());
    std::vector<int> keys = expected;
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    check("DeviceSelect::Unique: number", number_found() == (int)keys.size());
    from_device(found.data(), out, keys.size());
    check_equal("DeviceSelect::Unique", keys.data(), found.data(), keys.size());
    CUB(cub::DeviceRunLengthEncode::Encode(memory, bytes, sorted, out, counts, number, n));
    from_device(found.data(), counts, keys.size());
    std::vector<int> lengths;
    for (int key : keys)
        lengths.push_back((int)std::count(host.begin(), host.end(), key));
    check_equal("DeviceRunLengthEncode::Encode", lengths.data(), found.data(), keys.size());
    CUB(cub::DevicePartition::If(memory, bytes, in, out, number, n, is_even()));
    auto tail = std::copy_if(host.begin(), host.end(), expected.begin(), is_even());
    std::vector<int> rest;
    std::copy_if(host.begin(), host.end(), std::back_inserter(rest), [](int x) { return x % 2 != 0; });
    std::copy(rest.rbegin(), rest.rend(), tail); /* CUB puts the rejected in reverse order */
    expect("DevicePartition::If", n);
}

// One block: load, sort, scan, reduce and store, all by CUB's collectives.
__global__ void block_collectives(const int *in, int *out, int *sum) {
    using load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using sort = cub::BlockRadixSort<int, 128, 4>;
    using scan = cub::BlockScan<int, 128>;
    using reduce = cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    using store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        load::TempStorage load;
        sort::TempStorage sort;
        scan::TempStorage scan;
        reduce::TempStorage reduce;
        store::TempStorage store;
    } memory;
    int items[4];
    load(memory.load).Load(in, items);
    __syncthreads();
    sort(memory.sort).Sort(items);
    __syncthreads();
    int total = reduce(memory.reduce).Sum(items);
    if (threadIdx.x == 0)
        *sum = total;
    __syncthreads();
    scan(memory.scan).InclusiveSum(items, items);
    __syncthreads();
    store(memory.store).Store(out, items);
}

__global__ void warp_collectives(const int *in, int *out) {
    __shared__ cub::WarpReduce<int, 16>::TempStorage reduce[8];
    __shared__ cub::WarpScan<int>::TempStorage scan[4];
    int x = in[threadIdx.x], sum = cub::WarpReduce<int, 16>(reduce[threadIdx.x / 16]).Sum(x), before;
    cub::WarpScan<int>(scan[threadIdx.x / 32]).ExclusiveSum(x, before);
    out[2 * threadIdx.x] = threadIdx.x % 16 ? 0 : sum;
    out[2 * threadIdx.x + 1] = before;
}

static void collectives() {
    block_collectives<<<1, 128>>>(in, out, number);
    FINISH();
    std::copy(host.begin(), host.begin() + 512, expected.begin());
    std::sort(expected.begin(), expected.begin() + 512);
    for (int i = 1; i < 512; i++)
        expected[i] += expected[i - 1];
    check("BlockReduce", number_found() == expected[511]);
    expect("BlockRadixSort and BlockScan", 512);
    warp_collectives<<<1, 128>>>(in, out);
    FINISH();
    for (int t = 0, before = 0; t < 128; t++) {
        before = t % 32 ? before : 0;
        expected[2 * t + 1] = before;
        expected[2 * t] = 0;
        for (int i = t; t % 16 == 0 && i < t + 16; i++)
            expected[2 * t] += host[i];
        before += host[t];
    }
    expect("WarpReduce and WarpScan", 256);
}

int main() {
    uint32_t random = 3;
    for (int &x : host)
        x = next_random(&random) % 1000;
    in = to_device(host.data(), n), out = device_zeros<int>(n), number = device_zeros<int>(1);
    reductions();
    scans();
    sorts();
    histograms();
    selections();
    collectives();
    return program_failures;
}
