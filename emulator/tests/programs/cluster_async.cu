// Blocks of a cluster that hand data to each other without a barrier of all: st.async and red.async, mbarriers of other
// blocks, bulk copies into other blocks' shared memory, and one copy into several of them.
// arch: sm_90
#include "program.h"
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define THREADS 64

template <typename... Parameters, typename... Arguments>
static void launch(int grid, int cluster, void (*kernel)(Parameters...), Arguments... arguments) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = grid;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cluster > 8)
        CUDA(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CUDA(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
    FINISH();
}

static __device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
static __device__ uint32_t mapped(const void *p, uint32_t rank) {
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}
static __device__ void init(uint64_t *barrier, uint32_t count) {
    ptx::mbarrier_init(barrier, count);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}
static __device__ void wait(uint64_t *barrier, uint32_t phase) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, phase & 1))
        ;
}

// A value goes round the ring: each block waits for the one before it, adds its rank, and stores into the next one.
static __global__ void ring(int *out, int rounds) {
    __shared__ int slot[2][THREADS];
    __shared__ uint64_t full[2];
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank(), blocks = cluster.num_blocks(), next = (rank + 1) % blocks, i = threadIdx.x;
    if (i == 0) {
        for (int s = 0; s < 2; s++) {
            init(&full[s], 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s],
                                           sizeof slot[s]);
        }
    }
    cluster.sync();
    int value = i;
    for (int turn = 0; turn < rounds * (int)blocks; turn++) {
        int stage = turn / (int)blocks & 1, phase = turn / (int)blocks / 2;
        if (turn % (int)blocks != (int)rank)
            continue;
        if (turn) { // the first block of all begins the ring
            int at = rank ? stage : stage ^ 1, its = rank ? phase : (turn / (int)blocks - 1) / 2;
            wait(&full[at], its);
            value = slot[at][i] + rank;
            __syncthreads();
            if (i == 0)
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[at],
                                               sizeof slot[at]);
            __syncthreads();
        }
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                         mapped(&slot[stage][i], next)),
                     "r"(value), "r"(mapped(&full[stage], next))
                     : "memory");
    }
    if (rank == 0) { // what the last block has sent
        int last = rounds - 1;
        wait(&full[last & 1], last / 2);
        out[cg::this_grid().cluster_rank() * THREADS + i] = slot[last & 1][i];
    }
    cluster.sync();
}

// All blocks reduce into block 0's array; 8 bytes a thread are counted.
static __global__ void reduce(unsigned *out) {
    __shared__ unsigned sums[THREADS], most[THREADS];
    __shared__ alignas(16) unsigned long long longs[2 * THREADS];
    __shared__ uint64_t barrier;
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank(), i = threadIdx.x;
    sums[i] = most[i] = 0;
    longs[i] = longs[THREADS + i] = 0;
    if (i == 0) {
        init(&barrier, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                       cluster.num_blocks() * THREADS * 24);
    }
    cluster.sync();
    uint32_t at = mapped(&barrier, 0);
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                     mapped(&sums[THREADS - 1 - i], 0)),
                 "r"(rank * 100 + i), "r"(at)
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %1, [%2];" ::"r"(
                     mapped(&most[i], 0)),
                 "r"((rank * 37 + i * 11) % 101), "r"(at)
                 : "memory");
    if (rank == 1 % cluster.num_blocks() || cluster.num_blocks() == 1)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(
                         mapped(&longs[2 * i], 0)),
                     "l"(5ull * i), "l"(7ull * i), "r"(at)
                     : "memory");
    else
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 16;" ::"r"(at) : "memory");
    if (rank == 0) {
        wait(&barrier, 0);
        out[i] = sums[i] + 1000 * most[i] + 100000 * (unsigned)(longs[2 * i] + longs[2 * i + 1]);
    }
    cluster.sync();
}

// A block's barrier that all blocks arrive at, by single threads and in several ways; it waits for them by phases.
static __global__ void arrive(int *out) {
    __shared__ int data[16];
    __shared__ uint64_t full, empty;
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank(), blocks = cluster.num_blocks(), i = threadIdx.x;
    if (i == 0) {
        init(&full, 2 * blocks);
        init(&empty, 1);
    }
    cluster.sync();
    int sum = 0;
    for (uint32_t phase = 0; phase < 4; phase++) {
        if (i == 0) {
            *cluster.map_shared_rank(&data[rank], 0) = 10 * phase + rank;
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&full, 0))
                         : "memory");
            asm volatile(
                "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%0], 8;" ::"r"(mapped(&full, 0))
                : "memory");
            asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 8;" ::"r"(mapped(&full, 0))
                         : "memory");
        }
        if (rank == 0) {
            wait(&full, phase);
            for (uint32_t b = 0; b < blocks; b++)
                sum += (b + 1) * data[b];
            __syncthreads();
            if (i < blocks) // says to each block that it may go on
                asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&empty, i))
                             : "memory");
        }
        wait(&empty, phase);
    }
    if (rank == 0)
        out[i] = sum;
    cluster.sync();
}

// Each block copies a part of its shared memory into the next one's by a bulk copy.
static __global__ void copy(const int *in, int *out) {
    __shared__ alignas(128) int from[4 * THREADS];
    __shared__ alignas(128) int to[4 * THREADS];
    __shared__ uint64_t barrier;
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks(), i = threadIdx.x;
    for (int k = 0; k < 4; k++)
        from[k * THREADS + i] = in[blockIdx.x * 4 * THREADS + k * THREADS + i];
    if (i == 0) {
        init(&barrier, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof to);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (i < 4)
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                mapped(&to[(3 - i) * THREADS], next)),
            "r"(shared_address(&from[i * THREADS])), "r"(THREADS * 4), "r"(mapped(&barrier, next))
            : "memory");
    wait(&barrier, 0);
    for (int k = 0; k < 4; k++)
        out[blockIdx.x * 4 * THREADS + k * THREADS + i] = to[k * THREADS + i];
    cluster.sync();
}

// One tile for all, another for those of even rank: each block copies its share of the first from global memory into
// all.
static __global__ void multicast(const int *in, int *out) {
    __shared__ alignas(128) int tile[16 * THREADS];
    __shared__ alignas(128) int some[THREADS];
    __shared__ uint64_t barrier;
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank(), blocks = cluster.num_blocks(), i = threadIdx.x;
    bool even = rank % 2 == 0;
    some[i] = -1;
    if (i == 0) {
        init(&barrier, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                       blocks * THREADS * 4 + (even ? sizeof some : 0));
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (i == 0) {
        uint16_t all = (1u << blocks) - 1, evens = 0x5555 & all;
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(shared_address(&tile[rank * THREADS])),
                     "l"(in + rank * THREADS), "r"(THREADS * 4), "r"(shared_address(&barrier)), "h"(all)
                     : "memory");
        if (rank == blocks - 1)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                         "[%1], %2, [%3], %4;" ::"r"(shared_address(some)),
                         "l"(in + 100 * THREADS), "r"(THREADS * 4), "r"(shared_address(&barrier)), "h"(evens)
                         : "memory");
    }
    wait(&barrier, 0);
    int sum = some[i];
    for (uint32_t b = 0; b < blocks; b++)
        sum += (b + 1) * tile[b * THREADS + i];
    out[blockIdx.x * THREADS + i] = sum;
    cluster.sync();
}

int main() {
    static int in[256 * THREADS], found[256 * THREADS], right[256 * THREADS];
    int *out = device_zeros<int>(256 * THREADS);
    for (int i = 0; i < 256 * THREADS; i++)
        in[i] = i * 7 % 1009;
    int *device_in = to_device(in, 256 * THREADS);

    for (int blocks : {2, 3, 8, 16}) {
        char name[60];
        snprintf(name, sizeof name, "a ring of %d blocks", blocks);
        launch(2 * blocks, blocks, ring, out, 5);
        from_device(found, out, 2 * THREADS);
        for (int i = 0; i < 2 * THREADS; i++)
            right[i] = i % THREADS + 5 * (blocks * (blocks - 1) / 2);
        check_equal(name, right, found, 2 * THREADS);
    }
    for (int blocks : {1, 2, 5, 8}) {
        launch(blocks, blocks, reduce, (unsigned *)out);
        from_device(found, out, THREADS);
        for (int i = 0; i < THREADS; i++) {
            int most = 0, sum = 0;
            for (int b = 0; b < blocks; b++) {
                sum += b * 100 + THREADS - 1 - i;
                most = (b * 37 + i * 11) % 101 > most ? (b * 37 + i * 11) % 101 : most;
            }
            right[i] = sum + 1000 * most + 100000 * 12 * i;
        }
        check_equal("red.async and st.async", right, found, THREADS);
    }
    for (int blocks : {1, 2, 7, 16}) {
        launch(blocks, blocks, arrive, out);
        from_device(found, out, THREADS);
        for (int i = 0; i < THREADS; i++) {
            right[i] = 0;
            for (int phase = 0; phase < 4; phase++)
                for (int b = 0; b < blocks; b++)
                    right[i] += (b + 1) * (10 * phase + b);
        }
        check_equal("arriving at another block's mbarrier", right, found, THREADS);
    }
    for (int blocks : {1, 2, 4, 8}) {
        launch(2 * blocks, blocks, copy, (const int *)device_in, out);
        from_device(found, out, 2 * blocks * 4 * THREADS);
        for (int i = 0; i < 2 * blocks * 4 * THREADS; i++) {
            int block = i / (4 * THREADS), rank = block % blocks, before = block - rank + (rank + blocks - 1) % blocks;
            right[i] = in[(before * 4 + 3 - i / THREADS % 4) * THREADS + i % THREADS];
        }
        check_equal("bulk copies between blocks", right, found, 2 * blocks * 4 * THREADS);
    }
    for (int blocks : {1, 2, 6, 16}) {
        launch(2 * blocks, blocks, multicast, (const int *)device_in, out);
        from_device(found, out, 2 * blocks * THREADS);
        for (int i = 0; i < 2 * blocks * THREADS; i++) {
            right[i] = i / THREADS % blocks % 2 ? -1 : in[100 * THREADS + i % THREADS];
            for (int b = 0; b < blocks; b++)
                right[i] += (b + 1) * in[b * THREADS + i % THREADS];
        }
        check_equal("one copy into several blocks", right, found, 2 * blocks * THREADS);
    }
    return program_failures != 0;
}
