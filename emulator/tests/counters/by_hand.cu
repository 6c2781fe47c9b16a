// Products on tensor cores and bulk copies that can be counted by hand: tests/profile.test.sh has the numbers.
#include <cuda_bf16.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

static __device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void multiply(float (&d)[4], uint32_t a, uint32_t b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a), "r"(b));
}

// A warp: 3 products by wmma, and an even one 2 by mma.sync more, one of them behind a branch that lanes take apart.
__global__ void warps(const float *x, float *y) {
    __shared__ half tile[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        tile[i] = __float2half(1);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(a, tile, 16);
    wmma::load_matrix_sync(b, tile, 16);
    wmma::fill_fragment(c, 0);
#pragma unroll 1
    for (int i = 0; i < 3; i++)
        wmma::mma_sync(c, a, b, c);
    float d[4] = {c.x[0], 0, 0, 0};
    if (threadIdx.x / 32 % 2 == 0) {
        multiply(d, 0, 0);
        if (threadIdx.x % 32 < 7)
            for (int i = 0; i < (int)threadIdx.x % 32; i++)
                d[0] = d[0] * x[i] + 1;
        multiply(d, 0, 0);
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = d[0] + d[3];
}

// A warpgroup: 5 products. What they multiply is nothing.
__global__ void warpgroups(float *y) {
    __shared__ alignas(1024) __nv_bfloat16 tile[64 * 16 + 8 * 16];
    for (int i = threadIdx.x; i < 72 * 16; i += blockDim.x)
        tile[i] = __float2bfloat16(0);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    float d[4] = {0, 0, 0, 0};
    uint64_t descriptor = shared_address(tile) >> 4 | 8ull << 16 | 16ull << 32;
#pragma unroll 1
    for (int i = 0; i < 5; i++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(descriptor), "l"(descriptor + 128));
        asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = d[0];
}

// A cluster of two: rank 0 loads 256 bytes for both; each block loads 128 for itself, stores 64, and reduces 32; rank 1 sends 48 to rank 0.
__global__ void __cluster_dims__(2) copies(const int *x, int *y) {
    __shared__ alignas(16) int tile[128];
    __shared__ uint64_t full;
    uint32_t rank = blockIdx.x % 2, at = shared_address(tile), barrier = shared_address(&full), other, other_barrier;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;" ::"r"(barrier)
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(256 + 128)
                     : "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
        if (rank == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                         "[%1], 256, [%2], %3;" ::"r"(at),
                         "l"(x), "r"(barrier), "h"((uint16_t)3)
                         : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(at + 256),
            "l"(x + 64), "r"(barrier)
            : "memory");
    }
    asm volatile(
        "{ .reg .pred p;\n again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n @!p bra again; }" ::"r"(
            barrier)
        : "memory");
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;" ::"l"(y + 16 * blockIdx.x), "r"(at)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 32;" ::"l"(y + 256),
                     "r"(at)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
    if (threadIdx.x == 0 && rank == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 48;" ::"r"(barrier) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && rank == 1) {
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(other) : "r"(at));
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(other_barrier) : "r"(barrier));
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 48, [%2];" ::"r"(other),
            "r"(at + 256), "r"(other_barrier)
            : "memory");
    }
    if (rank == 0)
        asm volatile(
            "{ .reg .pred p;\n once: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 1;\n @!p bra once; }" ::"r"(
                barrier)
            : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}

int main() {
    float *y;
    cudaMalloc(&y, 1 << 16);
    cudaMemset(y, 0, 1 << 16);
    enum { MUCH = 100 << 10 }; // so that two blocks fit on a multiprocessor
    cudaFuncSetAttribute(warps, cudaFuncAttributeMaxDynamicSharedMemorySize, MUCH);
    cudaFuncSetAttribute(warpgroups, cudaFuncAttributeMaxDynamicSharedMemorySize, MUCH);
    warps<<<2, 128, MUCH>>>(y + 8192, y);
    warpgroups<<<3, 256, MUCH>>>(y);
    copies<<<4, 32>>>((int *)y, (int *)y + 4096);
    return cudaDeviceSynchronize();
}
