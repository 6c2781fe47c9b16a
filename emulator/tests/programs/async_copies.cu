// Copies in the background: cp.async by the pipeline primitives, by cuda::pipeline and by cooperative groups; mbarriers
// by cuda::barrier and by the awbarrier primitives.
// arch: sm_80
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using block_pipeline_state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;

#define BLOCK 128

#pragma nv_diag_suppress static_var_with_dynamic_init

// Every block turns its part around, tile by tile. What is copied last is waited for last.
__global__ void by_barrier(const int *in, int *out, int n) {
    __shared__ alignas(16) int tile[BLOCK];
    __shared__ block_barrier barrier;
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&barrier, block.size());
    block.sync();
    for (int i = 0; i < n; i += BLOCK) {
        cuda::memcpy_async(block, tile, in + i, cuda::aligned_size_t<16>(sizeof tile), barrier);
        barrier.arrive_and_wait();
        out[i + threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
        barrier.arrive_and_wait();
    }
}

__global__ void by_pipeline(const int *in, int *out, int n) {
    __shared__ alignas(16) int tile[2][BLOCK];
    __shared__ block_pipeline_state state;
    cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int tiles = n / BLOCK;
    for (int consumed = 0, fetched = 0; consumed < tiles; consumed++) {
        for (; fetched < tiles && fetched < consumed + 2; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[fetched % 2], in + fetched * BLOCK, sizeof tile[0], pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[consumed * BLOCK + threadIdx.x] = tile[consumed % 2][BLOCK - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
}

// The first warp only fetches, the others only compute.
__global__ void by_roles(const int *in, int *out, int n) {
    const int part = 3 * 32;
    __shared__ alignas(16) int tile[2][part];
    __shared__ block_pipeline_state state;
    cg::thread_block block = cg::this_thread_block();
    bool fetches = threadIdx.x < 32;
    auto pipeline =
        cuda::make_pipeline(block, &state, fetches ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int i = 0; i < n / part; i++)
        if (fetches) {
            pipeline.producer_acquire();
            for (int k = threadIdx.x; k < part; k += 32)
                cuda::memcpy_async(&tile[i % 2][k], &in[i * part + k], sizeof(int), pipeline);
            pipeline.producer_commit();
        } else {
            int k = threadIdx.x - 32;
            pipeline.consumer_wait();
            out[i * part + k] = tile[i % 2][part - 1 - k];
            pipeline.consumer_release();
        }
}

// 16, 8 and 4 bytes per thread; the last of the source is not there and becomes zeros.
__global__ void by_primitives(const int *in, int *out) {
    __shared__ int4 wide[BLOCK];
    __shared__ int2 middle[BLOCK];
    __shared__ int narrow[BLOCK];
    int t = threadIdx.x, missing = t == BLOCK - 1 ? 12 : 0;
    __pipeline_memcpy_async(&wide[t], (const int4 *)in + t, 16, missing);
    __pipeline_commit();
    __pipeline_memcpy_async(&middle[t], (const int2 *)in + t, 8);
    __pipeline_memcpy_async(&narrow[t], in + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int4 v = wide[BLOCK - 1 - t];
    __pipeline_wait_prior(0);
    __syncthreads();
    int2 m = middle[BLOCK - 1 - t];
    out[7 * t] = v.x, out[7 * t + 1] = v.y, out[7 * t + 2] = v.z, out[7 * t + 3] = v.w;
    out[7 * t + 4] = m.x, out[7 * t + 5] = m.y, out[7 * t + 6] = narrow[BLOCK - 1 - t];
}

__global__ void by_groups(const int *in, int *out) {
    __shared__ alignas(16) int tile[4 * BLOCK];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile);
    cg::wait(block);
    out[threadIdx.x] = tile[4 * BLOCK - 1 - threadIdx.x];
    block.sync();
    auto warp = cg::tiled_partition<32>(block);
    cg::memcpy_async(warp, tile + 32 * warp.meta_group_rank(), cuda::aligned_size_t<4>(32),
                     in + 1000 * (warp.meta_group_rank() & 1), cuda::aligned_size_t<4>(20));
    cg::wait_prior<0>(warp);
    out[threadIdx.x + BLOCK] = tile[threadIdx.x];
}

// All arrive; then one after the other leaves for good.
__global__ void awbarrier(int *out) {
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0)
        __mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    for (int phase = 0; phase < 3; phase++) {
        __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token))
            ;
    }
    if (threadIdx.x >= 32) {
        __mbarrier_token_t token = __mbarrier_arrive_and_drop(&barrier);
        atomicAdd(&out[0], __mbarrier_token_pending_count(token));
    } else {
        __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        atomicAdd(&out[0], __mbarrier_token_pending_count(token));
        while (!__mbarrier_test_wait(&barrier, token))
            ;
        token = __mbarrier_arrive(&barrier); /* now there are 32 */
        while (!__mbarrier_test_wait(&barrier, token))
            ;
        out[1 + threadIdx.x] = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        __mbarrier_inval(&barrier);
}

struct summing {
    int *sum;
    __device__ void operator()() const { *sum += 1; }
};

// A completion function runs once per phase; lanes of one warp arrive apart from each other and wait for each other.
__global__ void completion(int *out) {
    using barrier_type = cuda::barrier<cuda::thread_scope_block, summing>;
    __shared__ barrier_type barrier;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
        init(&barrier, blockDim.x, summing{&sum});
    }
    __syncthreads();
    for (int phase = 0; phase < 4; phase++) {
        if (threadIdx.x % 3 == 0)
            barrier.arrive_and_wait();
        else if (threadIdx.x % 3 == 1)
            barrier.wait(barrier.arrive());
        else
            barrier.arrive_and_wait();
        if (threadIdx.x == 17)
            out[phase] = sum;
        barrier.arrive_and_wait();
    }
}

template <typename kernel_type>
static void turned_around(const char *name, kernel_type kernel, const int *in, const int *host, int n, int tile) {
    int *out = device_zeros<int>(n), *found = new int[n], *expected = new int[n];
    kernel<<<1, BLOCK>>>(in, out, n);
    FINISH();
    from_device(found, out, n);
    for (int i = 0; i < n; i++)
        expected[i] = host[i / tile * tile + tile - 1 - i % tile];
    check_equal(name, expected, found, n);
}

int main() {
    const int n = 3 * 5 * BLOCK;
    static int host[n], found[7 * BLOCK], expected[7 * BLOCK];
    uint32_t random = 1;
    for (int i = 0; i < n; i++)
        host[i] = next_random(&random);
    int *in = to_device(host, n), *out = device_zeros<int>(7 * BLOCK);
    turned_around("cuda::barrier and memcpy_async", by_barrier, in, host, n, BLOCK);
    turned_around("cuda::pipeline of two stages", by_pipeline, in, host, n, BLOCK);
    turned_around("cuda::pipeline with producers and consumers", by_roles, in, host, n, 96);

    by_primitives<<<1, BLOCK>>>(in, out);
    FINISH();
    from_device(found, out, 7 * BLOCK);
    for (int t = 0; t < BLOCK; t++) {
        int s = BLOCK - 1 - t;
        for (int k = 0; k < 4; k++)
            expected[7 * t + k] = s == BLOCK - 1 && k > 0 ? 0 : host[4 * s + k];
        expected[7 * t + 4] = host[2 * s], expected[7 * t + 5] = host[2 * s + 1], expected[7 * t + 6] = host[s];
    }
    check_equal("__pipeline_memcpy_async", expected, found, 7 * BLOCK);

    by_groups<<<1, BLOCK>>>(in, out);
    FINISH();
    from_device(found, out, 2 * BLOCK);
    for (int t = 0; t < BLOCK; t++) {
        expected[t] = host[4 * BLOCK - 1 - t];
        expected[t + BLOCK] = t % 32 < 20 ? host[1000 * (t / 32 & 1) + t % 32] : host[t];
    }
    check_equal("cooperative_groups::memcpy_async", expected, found, 2 * BLOCK);

    CUDA(cudaMemset(out, 0, 7 * BLOCK * sizeof(int)));
    awbarrier<<<1, BLOCK>>>(out);
    FINISH();
    from_device(found, out, 33);
    expected[0] = 0; /* the lanes of a warp arrive together and see the same state */
    for (int left = BLOCK; left; left -= 32)
        expected[0] += 32 * left;
    for (int i = 1; i < 33; i++)
        expected[i] = 1;
    check_equal("__mbarrier_arrive and _and_drop", expected, found, 33);

    completion<<<1, 96>>>(out);
    FINISH();
    from_device(found, out, 4);
    for (int i = 0; i < 4; i++)
        expected[i] = 2 * i + 1;
    check_equal("cuda::barrier with a completion function", expected, found, 4);
    return program_failures;
}
