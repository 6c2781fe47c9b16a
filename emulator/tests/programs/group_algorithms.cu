// Cooperative groups: tiles of every size, also of several warps, coalesced, labelled and binary partitions, reductions,
// scans and votes on them, and a grid that synchronises.
// arch: sm_80
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define BLOCK 256

struct widest {
    __device__ int2 operator()(int2 a, int2 b) const { return a.y - a.x >= b.y - b.x ? a : b; }
};

// Sum, maximum, bits, inclusive and exclusive scan, and a neighbour's value within a tile.
template <int SIZE> __device__ void on_tile(const cg::thread_block &block, const int *in, int *out) {
    auto tile = cg::tiled_partition<SIZE>(block);
    int x = in[block.thread_rank()];
    int *to = out + 6 * block.thread_rank();
    to[0] = cg::reduce(tile, x, cg::plus<int>());
    to[1] = cg::reduce(tile, x, cg::greater<int>());
    to[2] = cg::reduce(tile, x, cg::bit_xor<int>());
    to[3] = cg::inclusive_scan(tile, x);
    to[4] = cg::exclusive_scan(tile, x, cg::plus<int>());
    to[5] = tile.thread_rank() + 1000 * tile.meta_group_rank() + 100000 * tile.meta_group_size();
}

__global__ void tiles(const int *in, int *out) {
    cg::thread_block block = cg::this_thread_block();
    const int each = 6 * BLOCK;
    on_tile<1>(block, in, out);
    on_tile<2>(block, in, out + each);
    on_tile<4>(block, in, out + 2 * each);
    on_tile<8>(block, in, out + 3 * each);
    on_tile<16>(block, in, out + 4 * each);
    on_tile<32>(block, in, out + 5 * each);
}

// Tiles of several warps have no shuffles of their own: they use shared memory.
template <int SIZE> __device__ void on_large_tile(const cg::thread_block &block, const int *in, int *out) {
    auto tile = cg::tiled_partition<SIZE>(block);
    int x = in[block.thread_rank()];
    int *to = out + 4 * block.thread_rank();
    to[0] = cg::reduce(tile, x, cg::plus<int>());
    to[1] = tile.any(x % 97 == 0) + 2 * tile.all(x % 2 == 0 || x % 3 == 0);
    to[2] = tile.shfl(x, SIZE / 2 + 1);
    tile.sync();
    to[3] = cg::inclusive_scan(tile, x, cg::plus<int>());
}

__global__ void large_tiles(const int *in, int *out) {
    __shared__ cg::block_tile_memory<BLOCK> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    on_large_tile<64>(block, in, out);
    on_large_tile<128>(block, in, out + 4 * BLOCK);
    on_large_tile<256>(block, in, out + 8 * BLOCK);
}

__global__ void partitions(const int *in, int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int x = in[block.thread_rank()];
    auto label = cg::labeled_partition(warp, x % 5);
    auto odd = cg::binary_partition(warp, x & 1);
    int *to = out + 8 * block.thread_rank();
    to[0] = label.size();
    to[1] = cg::reduce(label, x, cg::plus<int>());
    to[2] = cg::exclusive_scan(label, 1);
    to[3] = odd.size();
    to[4] = cg::reduce(odd, x, cg::less<int>());
    to[5] = odd.shfl(x, 0);
    to[6] = to[7] = -1;
    if (x % 3 == 1) {
        cg::coalesced_group some = cg::coalesced_threads();
        to[6] = cg::reduce(some, x, cg::bit_or<int>());
        auto half = cg::tiled_partition(some, 4);
        to[7] = half.size() * 100 + half.thread_rank();
    }
}

__global__ void structures(const int2 *in, int2 *out, double *sums) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    out[block.thread_rank()] = cg::reduce(tile, in[block.thread_rank()], widest());
    sums[block.thread_rank()] = cg::reduce(tile, (double)in[block.thread_rank()].x, cg::plus<double>());
}

__global__ void invoked(int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int x = cg::invoke_one_broadcast(tile, [&] { return (int)(block.thread_rank() / 8 * 11); });
    cg::invoke_one(tile, [&] { atomicAdd(&out[BLOCK], 1); });
    out[block.thread_rank()] = x;
}

// A prefix sum over the whole grid in two rounds of synchronisation.
__global__ void grid_scan(const int *in, int *out, int *sums, int n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    int part = (n + gridDim.x - 1) / gridDim.x, begin = part * blockIdx.x, end = min(n, begin + part);
    if (block.thread_rank() == 0) {
        int sum = 0;
        for (int i = begin; i < end; i++)
            sum += in[i];
        sums[blockIdx.x] = sum;
    }
    grid.sync();
    if (grid.thread_rank() == 0)
        for (int i = 0, sum = 0; i < gridDim.x; i++) {
            int here = sums[i];
            sums[i] = sum;
            sum += here;
        }
    auto token = grid.barrier_arrive();
    grid.barrier_wait(std::move(token));
    if (block.thread_rank() == 0)
        for (int i = begin, sum = sums[blockIdx.x]; i < end; i++)
            out[i] = sum += in[i];
}

static int host[BLOCK], found[64 * BLOCK], expected[64 * BLOCK];

static void expect_tiles(int size, int *to) {
    for (int t = 0; t < BLOCK; t++, to += 6) {
        int first = t / size * size;
        to[0] = to[2] = to[3] = to[4] = 0, to[1] = host[first];
        for (int i = first; i < first + size; i++) {
            to[0] += host[i], to[1] = max(to[1], host[i]), to[2] ^= host[i];
            to[3] += i <= t ? host[i] : 0, to[4] += i < t ? host[i] : 0;
        }
        to[5] = t % size + 1000 * (t / size) + 100000 * (BLOCK / size);
    }
}

static void expect_large_tiles(int size, int *to) {
    for (int t = 0; t < BLOCK; t++, to += 4) {
        int first = t / size * size, any = 0, all = 1;
        to[0] = to[3] = 0;
        for (int i = first; i < first + size; i++) {
            to[0] += host[i], to[3] += i <= t ? host[i] : 0;
            any |= host[i] % 97 == 0, all &= host[i] % 2 == 0 || host[i] % 3 == 0;
        }
        to[1] = any + 2 * all, to[2] = host[first + size / 2 + 1];
    }
}

static void expect_partitions(int *to) {
    for (int t = 0; t < BLOCK; t++, to += 8) {
        int first = t / 32 * 32, x = host[t], leader = -1, rank = 0, some = 0, bits = 0;
        memset(to, 0, 8 * sizeof *to);
        to[4] = INT32_MAX, to[6] = to[7] = -1;
        for (int i = first; i < first + 32; i++) {
            int y = host[i];
            if (y % 5 == x % 5)
                to[0]++, to[1] += y, to[2] += i < t;
            if ((y & 1) == (x & 1))
                to[3]++, to[4] = min(to[4], y), leader = leader < 0 ? i : leader;
            if (y % 3 == 1)
                some++, bits |= y, rank += i < t;
        }
        to[5] = host[leader];
        if (x % 3 == 1)
            to[6] = bits, to[7] = min(4, some - rank / 4 * 4) * 100 + rank % 4;
    }
}

int main() {
    uint32_t random = 7;
    for (int i = 0; i < BLOCK; i++)
        host[i] = next_random(&random) % 10000;
    int *in = to_device(host, BLOCK), *out = device_zeros<int>(64 * BLOCK);

    tiles<<<1, BLOCK>>>(in, out);
    FINISH();
    from_device(found, out, 36 * BLOCK);
    for (int i = 0; i < 6; i++)
        expect_tiles(1 << i, expected + 6 * BLOCK * i);
    check_equal("tiles of 1 to 32 threads", expected, found, 36 * BLOCK);

    large_tiles<<<1, BLOCK>>>(in, out);
    FINISH();
    from_device(found, out, 12 * BLOCK);
    for (int i = 0; i < 3; i++)
        expect_large_tiles(64 << i, expected + 4 * BLOCK * i);
    check_equal("tiles of several warps", expected, found, 12 * BLOCK);

    partitions<<<1, BLOCK>>>(in, out);
    FINISH();
    from_device(found, out, 8 * BLOCK);
    expect_partitions(expected);
    check_equal("labelled, binary and coalesced partitions", expected, found, 8 * BLOCK);

    int2 ranges[BLOCK], found_ranges[BLOCK];
    double sums[BLOCK], found_sums[BLOCK];
    bool right = true;
    for (int i = 0; i < BLOCK; i++)
        ranges[i] = make_int2(host[i], host[i] + host[(i + 1) % BLOCK]);
    int2 *device_ranges = to_device(ranges, BLOCK), *out_ranges = device_zeros<int2>(BLOCK);
    double *out_sums = device_zeros<double>(BLOCK);
    structures<<<1, BLOCK>>>(device_ranges, out_ranges, out_sums);
    FINISH();
    from_device(found_ranges, out_ranges, BLOCK);
    from_device(found_sums, out_sums, BLOCK);
    for (int t = 0; t < BLOCK; t++) {
        int most = 0;
        sums[t] = 0;
        for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
            most = max(most, ranges[i].y - ranges[i].x);
            sums[t] += ranges[i].x;
        }
        right &= found_ranges[t].y - found_ranges[t].x == most;
    }
    check("reduction of a structure", right);
    check_equal("reduction of double", sums, found_sums, BLOCK);

    CUDA(cudaMemset(out, 0, (BLOCK + 1) * sizeof(int)));
    invoked<<<1, BLOCK>>>(out);
    FINISH();
    from_device(found, out, BLOCK + 1);
    for (int t = 0; t < BLOCK; t++)
        expected[t] = t / 8 * 11;
    expected[BLOCK] = BLOCK / 8;
    check_equal("invoke_one", expected, found, BLOCK + 1);

    const int n = 10000;
    static int long_host[n], long_found[n];
    for (int i = 0; i < n; i++)
        long_host[i] = next_random(&random) % 100;
    int *long_in = to_device(long_host, n), *long_out = device_zeros<int>(n), *block_sums = device_zeros<int>(64),
        size = n;
    void *arguments[] = {&long_in, &long_out, &block_sums, &size};
    CUDA(cudaLaunchCooperativeKernel((void *)grid_scan, dim3(24), dim3(64), arguments, 0, 0));
    FINISH();
    from_device(long_found, long_out, n);
    for (int i = 1; i < n; i++)
        long_host[i] += long_host[i - 1];
    check_equal("scan by a cooperative grid", long_host, long_found, n);
    return program_failures;
}
