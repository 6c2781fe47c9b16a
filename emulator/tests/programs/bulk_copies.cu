// Bulk copies between global and shared memory, with mbarriers that count their bytes, and reductions into global memory.
// arch: sm_90
#include "program.h"
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_fp16.h>

namespace ptx = cuda::ptx;

#define BLOCK 128

// In: one thread asks, all wait. Out: one thread asks and waits.
__global__ void bulk_in_and_out(const int *in, int *out, int n) {
    __shared__ alignas(16) int tile[4 * BLOCK];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (int i = 0; i < n; i += 4 * BLOCK) {
        uint64_t token;
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + i, sizeof tile, &barrier);
            token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                                   sizeof tile);
        } else {
            token = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier);
        }
        while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &barrier, token))
            ;
        for (int k = threadIdx.x; k < 4 * BLOCK; k += BLOCK)
            tile[k] = 3 * tile[k] + 1;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i, tile, sizeof tile);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
}

// A ring of stages with a full and an empty barrier each: the first warp fills, the others work, by parity alone.
#define STAGES 3
__global__ void ring(const int *in, int *out, int n) {
    const int part = 3 * 32;
    __shared__ alignas(16) int tile[STAGES][part];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            ptx::mbarrier_init(&full[i], 1);
            ptx::mbarrier_init(&empty[i], part);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (int i = 0; i < n / part; i++) {
        int stage = i % STAGES, parity = i / STAGES & 1;
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(&empty[stage], !parity))
                ;
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[stage],
                                           sizeof tile[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[stage], in + i * part, sizeof tile[0],
                               &full[stage]);
        } else if (threadIdx.x >= 32) {
            int k = threadIdx.x - 32;
            while (!ptx::mbarrier_try_wait_parity(&full[stage], parity))
                ;
            out[i * part + k] = tile[stage][part - 1 - k];
            ptx::mbarrier_arrive(&empty[stage]);
        }
    }
}

__global__ void bulk_sum(int *sums, float *float_sums, unsigned *most, __half *halves) {
    __shared__ alignas(16) int x[BLOCK];
    __shared__ alignas(16) float y[BLOCK];
    __shared__ alignas(16) unsigned z[BLOCK];
    __shared__ alignas(16) __half h[BLOCK];
    x[threadIdx.x] = threadIdx.x + blockIdx.x;
    y[threadIdx.x] = 0.5f * threadIdx.x;
    z[threadIdx.x] = (threadIdx.x * 37 + blockIdx.x * 101) % 1000;
    h[threadIdx.x] = __float2half((float)blockIdx.x);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, x, sizeof x);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, float_sums, y, sizeof y);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, most, z, sizeof z);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, halves, h, sizeof h);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// The libcu++ barrier with bytes.
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void by_barrier(const int *in, int *out) {
    __shared__ alignas(16) int tile[BLOCK];
    __shared__ block_barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(sizeof tile), barrier);
        token = barrier.arrive();
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    out[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

int main() {
    const int n = 4 * 3 * BLOCK * 2;
    static int host[n], found[n], expected[n];
    uint32_t random = 1;
    for (int i = 0; i < n; i++)
        host[i] = next_random(&random);
    int *in = to_device(host, n), *out = device_zeros<int>(n);
    bulk_in_and_out<<<1, BLOCK>>>(in, out, n);
    FINISH();
    from_device(found, out, n);
    for (int i = 0; i < n; i++)
        expected[i] = 3 * host[i] + 1;
    check_equal("bulk copies in and out", expected, found, n);

    ring<<<2, BLOCK>>>(in, out, n);
    FINISH();
    from_device(found, out, n);
    for (int i = 0; i < n; i++)
        expected[i] = host[i / 96 * 96 + 95 - i % 96];
    check_equal("a ring of stages", expected, found, n);

    const int blocks = 5;
    float float_found[BLOCK], float_expected[BLOCK];
    unsigned most_found[BLOCK], most_expected[BLOCK];
    __half half_found[BLOCK], half_expected[BLOCK];
    int *sums = device_zeros<int>(BLOCK);
    float *float_sums = device_zeros<float>(BLOCK);
    unsigned *most = device_zeros<unsigned>(BLOCK);
    __half *halves = device_zeros<__half>(BLOCK);
    bulk_sum<<<blocks, BLOCK>>>(sums, float_sums, most, halves);
    FINISH();
    from_device(found, sums, BLOCK);
    from_device(float_found, float_sums, BLOCK);
    from_device(most_found, most, BLOCK);
    from_device(half_found, halves, BLOCK);
    for (int i = 0; i < BLOCK; i++) {
        expected[i] = blocks * i + blocks * (blocks - 1) / 2;
        float_expected[i] = 0.5f * i * blocks;
        half_expected[i] = __float2half(blocks * (blocks - 1) / 2);
        most_expected[i] = 0;
        for (int b = 0; b < blocks; b++)
            most_expected[i] = max(most_expected[i], (i * 37u + b * 101u) % 1000);
    }
    check_equal("bulk sum of int", expected, found, BLOCK);
    check_equal("bulk sum of float", float_expected, float_found, BLOCK);
    check_equal("bulk maximum", most_expected, most_found, BLOCK);
    check("bulk sum of half", memcmp(half_expected, half_found, sizeof half_found) == 0);

    by_barrier<<<1, BLOCK>>>(in, out);
    FINISH();
    from_device(found, out, BLOCK);
    for (int i = 0; i < BLOCK; i++)
        expected[i] = host[BLOCK - 1 - i];
    check_equal("cuda::memcpy_async of one thread", expected, found, BLOCK);
    return program_failures;
}
