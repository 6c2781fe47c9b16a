/* hopper.h - what only Hopper has (sm_90a), one thin function for each PTX instruction.
 *
 *     CUtensorMap map = tensor_map_2d(...);                     on the host: describes a matrix and a box of it
 *     mbarrier_expect(&full, bytes);  tma_load(tile, &map, ...);  one thread: copies the box, swizzled, past the registers
 *     mbarrier_wait(&full, parity);                             all: until so many bytes have come
 *     wgmma_fence();  wgmma_n128(...);  wgmma_commit();          four warps: multiply from shared memory, in the background
 *     wgmma_wait<0>();                                          the sums are there, and nobody reads the tile any more
 *     proxy_fence();  tma_store(&map, ...);  tma_commit();       shared memory to global memory, as a box
 *
 * Two parts of the machine reach shared memory: threads, by loads and stores (the generic proxy), and what works in the
 * background, TMA and wgmma (the asynchronous proxy). Neither waits for the other by itself: an mbarrier, a wait, or
 * proxy_fence() has to stand between.
 */
#ifndef COMMON_HOPPER_H
#define COMMON_HOPPER_H

#include <cuda.h>
#include <cuda_bf16.h>
#include <stdint.h>

#include "check.h"

enum { WARPGROUP = 128 }; /* threads of four warps, the first a multiple of four: they execute a wgmma together */

/* Shared memory has addresses of 32 bits, which these instructions want. */
static __device__ __forceinline__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// ---------------------------------------------------------------- mbarriers: arrivals and bytes

/* A phase ends when `arrivals` have come and as many bytes as were expected; then the next phase begins. */
static __device__ __forceinline__ void mbarrier_init(uint64_t *barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* After the last init, before __syncthreads() or cluster_sync(): TMA and other blocks shall see them initialized, too. */
static __device__ __forceinline__ void mbarrier_init_done(void) {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and adds to the bytes that this phase waits for: TMA subtracts what it has written. */
static __device__ __forceinline__ void mbarrier_expect(uint64_t *barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/* Arrives: what this thread has read or written before is done. */
static __device__ __forceinline__ void mbarrier_arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrives at the same barrier of block `rank` of the cluster. The short form: with `.release.cluster` the compiler puts
 * a fence of the whole GPU before it, which waits for all that the thread has ever written. */
static __device__ __forceinline__ void mbarrier_arrive_at(uint64_t *barrier, int rank) {
    asm volatile("{ .reg .b32 there;"
                 "mapa.shared::cluster.u32 there, %0, %1;"
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

/* Waits until the phase of this parity is over: 0 for the first, 1 for the second, 0 for the third, ... A barrier that
 * is in its first phase counts as past a phase of parity 1. try_wait sleeps for a while before it answers. */
static __device__ __forceinline__ void mbarrier_wait(uint64_t *barrier, int parity) {
    asm volatile("{ .reg .pred over;"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;"
                 "@!over bra again; }" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

// ---------------------------------------------------------------- TMA: boxes between global and shared memory

/* Copies the box that begins at column x of row y to `tile`, and tells `full` the bytes. Outside the matrix: zeros. */
static __device__ __forceinline__ void tma_load(void *tile, const CUtensorMap *map, int x, int y, uint64_t *full) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
                 "[%2];" ::"r"(shared_address(tile)),
                 "l"(map), "r"(shared_address(full)), "r"(x), "r"(y)
                 : "memory");
}

/* The same into each block of the cluster whose bit is set in `blocks`: same place, same barrier, one read from L2. */
static __device__ __forceinline__ void tma_load_multicast(void *tile, const CUtensorMap *map, int x, int y,
                                                          uint64_t *full, int blocks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(tile)),
                 "l"(map), "r"(shared_address(full)), "r"(x), "r"(y), "h"((short)blocks)
                 : "memory");
}

/* Copies `tile` to the box that begins at column x of row y; what is outside the matrix is left out. */
static __device__ __forceinline__ void tma_store(const CUtensorMap *map, const void *tile, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(shared_address(tile)), "r"(x), "r"(y)
                 : "memory");
}

/* Makes a group of this thread's stores so far: without it there is nothing to wait for. */
static __device__ __forceinline__ void tma_commit(void) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Until all groups of this thread but the newest N have read their tiles: then these may be written again. */
template <int N> static __device__ __forceinline__ void tma_wait_read(void) {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

/* What this thread has written to shared memory becomes visible to TMA and wgmma. */
static __device__ __forceinline__ void proxy_fence(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---------------------------------------------------------------- wgmma: a warp group multiplies

/* Where a tile lies, for wgmma: rows of 128 bytes, swizzled by TMA, 8 rows in 1024 bytes. `stride`: bytes from 8 rows to
 * the next 8. `leading`: where the tile's other side is longer than 128 bytes, bytes to the next piece of it. All are
 * in units of 16 bytes, and 1 in bit 62 stands for the swizzle of 128 bytes. Of the address only 18 bits belong here: in a
 * cluster the block's rank stands above them, and would become a part of `leading`. */
static __device__ __forceinline__ uint64_t tile_descriptor(const void *tile, int stride, int leading) {
    return (uint64_t)((shared_address(tile) & 0x3FFFF) >> 4) | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 62;
}

/* Before the first wgmma, and after the sums were touched: they are in the registers now. */
static __device__ __forceinline__ void wgmma_fence(void) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Makes a group of the products so far: without it there is nothing to wait for. */
static __device__ __forceinline__ void wgmma_commit(void) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Until all groups but the newest N are finished: their sums may be read, and their tiles written again. */
template <int N> static __device__ __forceinline__ void wgmma_wait(void) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

/* Operands of an asm statement: 16 sums from number `i` on. */
#define HOPPER_SUMS_4(i)  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define HOPPER_SUMS_16(i) HOPPER_SUMS_4(i), HOPPER_SUMS_4(i + 4), HOPPER_SUMS_4(i + 8), HOPPER_SUMS_4(i + 12)

/* sum = a * b, or, with `add`, sum += a * b. The last numbers say: nothing is negated, A runs along K, B along N. */

/* 64 x 128 sums, 16 of K: lane g * 4 + t of warp w has rows 16 w + g and 16 w + g + 8, and of each 8 columns 2 t and
 * 2 t + 1: sum[4 j], sum[4 j + 1] of the upper row, sum[4 j + 2], sum[4 j + 3] of the lower one, columns 8 j + ... */
static __device__ __forceinline__ void wgmma_n128(float (&sum)[64], uint64_t a, uint64_t b, int add) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0;"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1, 0, 1; }"
                 : HOPPER_SUMS_16(0), HOPPER_SUMS_16(16), HOPPER_SUMS_16(32), HOPPER_SUMS_16(48)
                 : "l"(a), "l"(b), "r"(add)
                 : "memory");
}

/* 64 x 256 sums, half of a lane's registers: each number of A from shared memory is used twice as often. */
static __device__ __forceinline__ void wgmma_n256(float (&sum)[128], uint64_t a, uint64_t b, int add) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %130, 0;"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, p, 1, 1, 0, 1; }"
                 : HOPPER_SUMS_16(0), HOPPER_SUMS_16(16), HOPPER_SUMS_16(32), HOPPER_SUMS_16(48), HOPPER_SUMS_16(64),
                   HOPPER_SUMS_16(80), HOPPER_SUMS_16(96), HOPPER_SUMS_16(112)
                 : "l"(a), "l"(b), "r"(add)
                 : "memory");
}

/* fp8: 32 of K in one instruction. B's tile has to run along K, too: only 16-bit types can be transposed on their way. */
static __device__ __forceinline__ void wgmma_n256_e4m3(float (&sum)[128], uint64_t a, uint64_t b, int add) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %130, 0;"
                 "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, p, 1, 1; }"
                 : HOPPER_SUMS_16(0), HOPPER_SUMS_16(16), HOPPER_SUMS_16(32), HOPPER_SUMS_16(48), HOPPER_SUMS_16(64),
                   HOPPER_SUMS_16(80), HOPPER_SUMS_16(96), HOPPER_SUMS_16(112)
                 : "l"(a), "l"(b), "r"(add)
                 : "memory");
}

// ---------------------------------------------------------------- registers, clusters

/* The warp group gives registers back, or takes them: so many for each thread from now on, a multiple of 8. */
template <int COUNT> static __device__ __forceinline__ void registers_give(void) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT> static __device__ __forceinline__ void registers_take(void) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/* A barrier of `threads` threads, number 1 to 15: __syncthreads() is number 0, and is for the whole block. */
static __device__ __forceinline__ void named_barrier(int number, int threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/* Arrives there, and goes on. */
static __device__ __forceinline__ void named_arrive(int number, int threads) {
    asm volatile("barrier.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/* Four 8 x 8 matrices from the registers of a warp, in the order of ldmatrix: lanes 0 to 7 point to the rows of the
 * first one, 16 bytes each, and so on. */
static __device__ __forceinline__ void stmatrix(void *row, const uint32_t (&r)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}

/* This block's number in its cluster. */
static __device__ __forceinline__ int cluster_rank(void) {
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return (int)rank;
}

/* All threads of all blocks of the cluster: their barriers are there, or nobody needs their memory any more. */
static __device__ __forceinline__ void cluster_sync(void) {
    asm volatile("barrier.cluster.arrive.release.aligned;"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// ---------------------------------------------------------------- on the host: tensor maps

/* The driver's function, which a program need not be linked with: the runtime looks it up. */
static inline void *hopper_driver_function(const char *name) {
    void *function = NULL;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
#else
    CUDA_CHECK(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found));
#endif
    if (found != cudaDriverEntryPointSuccess || !function) {
        printf("FAIL: the driver has no %s: it is older than CUDA 12.0\n", name);
        exit(CHECK_EXIT_FAIL);
    }
    return function;
}

/* A matrix of rows without gaps, and a box of it: what one copy moves. A row of the box is 128 bytes, swizzled. A row of
 * the matrix has to be a multiple of 16 bytes long: TMA finds rows by a number of 16-byte steps. */
static inline CUtensorMap tensor_map_2d(CUtensorMapDataType type, int size, const void *matrix, int rows, int columns,
                                        int box_rows) {
    typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                        const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                                        CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                        CUtensorMapFloatOOBfill);
    static encode_function encode = (encode_function)hopper_driver_function("cuTensorMapEncodeTiled");
    CUtensorMap map;
    cuuint64_t extent[] = {(cuuint64_t)columns, (cuuint64_t)rows}, stride[] = {(cuuint64_t)columns * size};
    cuuint32_t box[] = {(cuuint32_t)(128 / size), (cuuint32_t)box_rows}, step[] = {1, 1};
    if (stride[0] % 16 != 0) {
        printf("FAIL: a row of %d elements is %llu bytes, no multiple of 16: TMA cannot copy boxes of this matrix\n",
               columns, (unsigned long long)stride[0]);
        exit(CHECK_EXIT_FAIL);
    }
    CUresult error =
        encode(&map, type, 2, (void *)matrix, extent, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (error != CUDA_SUCCESS) {
        printf("FAIL: cuTensorMapEncodeTiled: error %d for a matrix of %d x %d\n", (int)error, rows, columns);
        exit(CHECK_EXIT_FAIL);
    }
    return map;
}

static inline CUtensorMap tensor_map_bf16(const void *matrix, int rows, int columns, int box_rows) {
    return tensor_map_2d(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, rows, columns, box_rows);
}

#endif
