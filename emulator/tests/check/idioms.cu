/* How threads of one warp and of one block talk to each other rightly: with all checks on, nothing may be said. And with any one
 * of the waits and fences left out, something must be (drops.awk), but where it says `not seen`. */
// arch: sm_80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <mma.h>

#include "run_case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;

__global__ void tile_of_16(int *y) {
    __shared__ int s[64];
    auto t = cg::tiled_partition<16>(cg::this_thread_block());
    int i = threadIdx.x;
    s[i] = i;
    t.sync();
    int v = s[i ^ 15];
    t.sync();
    s[i] = v;
    t.sync();
    y[i] = s[i ^ 3] + cg::reduce(t, v, cg::plus<int>());
}

__global__ void coalesced(int *y) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i % 3) {
        auto g = cg::coalesced_threads();
        s[(i & 32) + g.thread_rank()] = i;
        g.sync();
        y[i] = s[(i & 32) + g.size() - 1 - g.thread_rank()];
    }
    __syncwarp();
    s[i] = i;
    __syncwarp();
    y[i] += s[i ^ 1];
}

__global__ void two_sides(int *y) {
    __shared__ int s[64];
    int i = threadIdx.x, l = i % 32;
    if (l < 16)
        s[i] = i;
    else
        s[i] = 2 * i;
    __syncwarp();
    y[i] = s[i ^ 31];
    __syncwarp();
    if (l < 8) {
        s[i] = 1;
        __syncwarp(0xff);
        y[i] += s[i ^ 7];
        s[i ^ 7] = 5;
    } else if (l >= 24) {
        s[i] = 1;
        __syncwarp(0xff000000);
        y[i] += s[i ^ 7];
    }
    __syncwarp();
    y[i] += s[i ^ 31];
}

__global__ void list_by_atomics(int *y) {
    __shared__ int c[2], list[64];
    int i = threadIdx.x, l = i % 32, w = i / 32;
    if (l == 0)
        c[w] = 0;
    __syncwarp();
    if (i % 5)
        list[32 * w + atomicAdd(&c[w], 1)] = i;
    __syncwarp();
    y[i] = l < c[w] ? list[32 * w + c[w] - 1 - l] : 0;
}

__global__ void aggregated(int *y, int *count) {
    int i = threadIdx.x;
    if (i % 3) {
        auto g = cg::coalesced_threads();
        int at = 0;
        if (g.thread_rank() == 0)
            at = atomicAdd(count, g.size());
        y[g.shfl(at, 0) + g.thread_rank()] = i;
    }
}

__global__ void locks(int *y, int *lock, int *sum) {
    __shared__ int held, total;
    int i = threadIdx.x;
    if (i == 0)
        held = total = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&held, 0, 1) == 0) {
            __threadfence_block();
            total += i;
            __threadfence_block();
            atomicExch(&held, 0);
            done = true;
        }
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum += i;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    __syncthreads();
    y[i] = total;
}

__global__ void volatile_flag(int *y) {
    __shared__ int data[2];
    __shared__ volatile int flag[2];
    int i = threadIdx.x, w = i / 32;
    if (i % 32 == 0)
        flag[w] = 0;
    __syncwarp();
    if (i % 32 == 0) {
        data[w] = 42;
        __threadfence_block();
        flag[w] = 1;
    } else {
        while (!flag[w])
            ;
        __threadfence_block();
        y[i] = data[w];
    }
}

__global__ void atomic_flag(int *y) {
    __shared__ int data[2];
    __shared__ cuda::atomic<int, cuda::thread_scope_block> flag[2];
    int i = threadIdx.x, w = i / 32;
    if (i % 32 == 0)
        flag[w].store(0, cuda::memory_order_relaxed);
    __syncwarp(); // not seen: no data race, the flag may be seen before it is cleared
    if (i % 32 == 7) {
        data[w] = 42;
        flag[w].store(1, cuda::memory_order_release);
        flag[w].notify_all();
    } else {
        while (!flag[w].load(cuda::memory_order_acquire))
            ;
        y[i] = data[w];
    }
}

__global__ void async_copies(int *x, int *y) {
    __shared__ alignas(16) int s[2][2][32];
    int i = threadIdx.x, l = i % 32, w = i / 32;
    for (int k = 0; k < 4; k++) {
        __pipeline_memcpy_async(&s[k % 2][w][l], &x[(i + k) % 64], 4);
        __pipeline_commit();
        if (k == 0)
            continue;
        __pipeline_wait_prior(1);
        __syncwarp();
        y[i] = s[(k - 1) % 2][w][31 - l];
        __syncwarp();
    }
}

__global__ void group_copy(int *x, int *y) {
    __shared__ alignas(16) int s[64];
    auto t = cg::tiled_partition<32>(cg::this_thread_block());
    cg::memcpy_async(t, s + 32 * t.meta_group_rank(), x + 32 * t.meta_group_rank(), cuda::aligned_size_t<16>(128));
    cg::wait(t);
    y[threadIdx.x] = s[threadIdx.x ^ 31];
}

__global__ void wmma_through_shared(float *y) {
    using namespace nvcuda;
    __shared__ __half a[2][256], b[2][256];
    __shared__ float c[2][256];
    int i = threadIdx.x, l = i % 32, w = i / 32;
    for (int k = l; k < 256; k += 32) {
        a[w][k] = __float2half(k % 7);
        b[w][k] = __float2half(k % 5);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a[w], 16);
    wmma::load_matrix_sync(fb, b[w], 16);
    wmma::fill_fragment(fc, 0.f);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c[w], fc, 16, wmma::mem_row_major);
    __syncwarp(); // not seen: what a warp stores together counts as stored for all its lanes
    float s = 0;
    for (int k = l; k < 256; k += 32)
        s += c[w][255 - k];
    __syncwarp();
    for (int k = l; k < 256; k += 32)
        c[w][k] = s;
    __syncwarp();
    y[i] = c[w][255 - l];
}

__global__ void ldmatrix_rows(int *y) {
    __shared__ alignas(16) __half t[2][32 * 8];
    int i = threadIdx.x, l = i % 32, w = i / 32;
    for (int k = l; k < 256; k += 32)
        t[w][k] = __float2half(k);
    __syncwarp();
    unsigned r[4], at = (unsigned)__cvta_generic_to_shared(&t[w][l * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
    __syncwarp(); // not seen: what a warp loads together counts as loaded for all its lanes
    for (int k = l; k < 256; k += 32)
        t[w][k] = __float2half(0);
    y[i] = r[0] + r[1] + r[2] + r[3];
}

__global__ void barrier_of_warp(int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar[2];
    __shared__ int s[64];
    int i = threadIdx.x, w = i / 32;
    if (i % 32 == 0)
        init(&bar[w], 32);
    __syncwarp();
    s[i] = i;
    bar[w].arrive_and_wait();
    y[i] = s[i ^ 31];
    auto token = bar[w].arrive();
    y[i] += 1;
    bar[w].wait(std::move(token));
    s[i] = 7;
    bar[w].arrive_and_wait();
    y[i] += s[i ^ 5];
}

__global__ void early_exit(int *y) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i % 4 == 3)
        return;
    s[i] = i;
    __syncwarp();
    y[i] = s[i ^ 1 ^ (i % 4 == 2)];
}

__global__ void uneven_loops(int *y) {
    __shared__ int s[64];
    int i = threadIdx.x, l = i % 32, v = 0;
    s[i] = i;
    __syncwarp();
    for (int k = 0; k < l % 5; k++)
        v += s[(i & 32) + k];
    __syncwarp();
    s[i] = v;
    __syncwarp();
    for (int d = 16; d; d /= 2) {
        if (l < d)
            s[i] += s[i + d];
        __syncwarp();
    }
    y[i] = s[i & 32];
}

__global__ void pipeline_of_block(int *x, int *y) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int i = threadIdx.x, v = 0;
    for (int k = 0, f = 0; k < 4; k++) {
        for (; f < k + 2 && f < 4; f++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[f % 2], x, cuda::aligned_size_t<4>(256), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        v += s[k % 2][63 - i];
        pipe.consumer_release();
    }
    y[i] = v;
}

#define RUN(name, ...)                                                                                                 \
    name<<<1, 64>>>(__VA_ARGS__);                                                                                      \
    cudaDeviceSynchronize();

// EXPECT idioms 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
static void case_idioms(void) {
    int *x = device_array<int>(1024), *y = device_array<int>(1024), *z = device_array<int>(3);
    cudaMemset(x, 1, 4096);
    cudaMemset(y, 0, 4096);
    cudaMemset(z, 0, 12);
    RUN(tile_of_16, y)
    RUN(coalesced, y)
    RUN(two_sides, y)
    RUN(list_by_atomics, y)
    RUN(aggregated, y, z)
    RUN(locks, y, z + 1, z + 2)
    RUN(volatile_flag, y)
    RUN(atomic_flag, y)
    RUN(async_copies, x, y)
    RUN(group_copy, x, y)
    RUN(wmma_through_shared, (float *)y)
    RUN(ldmatrix_rows, y)
    RUN(barrier_of_warp, y)
    RUN(early_exit, y)
    RUN(uneven_loops, y)
    RUN(pipeline_of_block, x, y)
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {CASE(idioms)};
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
