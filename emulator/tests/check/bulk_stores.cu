/* Global memory that a bulk copy writes in the background, and who reads it too early. See memory.cu for the comments. */
// arch: sm_90
#include <cuda/ptx>

#include "run_case.h"

namespace ptx = cuda::ptx;

enum { N = 64, BYTES = N * sizeof(int) };

enum wait_kind { NOT_COMMITTED, READ, WRITTEN };

// One thread copies the tile to global memory, and waits.
template <wait_kind WAIT> __device__ void store_tile(int *to, int first) {
    __shared__ alignas(16) int tile[N];
    tile[threadIdx.x] = first + threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, tile, BYTES);
        if (WAIT != NOT_COMMITTED)
            ptx::cp_async_bulk_commit_group();
        if (WAIT == READ)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        else
            ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

template <wait_kind WAIT> __device__ void own_thread(int *x, int *y) {
    store_tile<WAIT>(x, 5);
    if (threadIdx.x == 0)
        *y = x[3];
}

// EXPECT waits_for_reading 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// SAYS thread (0,0,0) read x[3] (argument 1, 256 bytes) at
// SAYS with a bulk copy that may
// SAYS cp.async.bulk.wait_group.read waits only until the copy has read shared memory.
// CHECKS racecheck
__global__ void waits_for_reading(int *x, int *y) {
    own_thread<READ>(x, y);
}
static void case_waits_for_reading(void) {
    waits_for_reading<<<1, N>>>(device_array<int>(N), device_array<int>(1));
}

// EXPECT waits_for_nothing 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// CHECKS racecheck
__global__ void waits_for_nothing(int *x, int *y) {
    own_thread<NOT_COMMITTED>(x, y);
}
static void case_waits_for_nothing(void) {
    waits_for_nothing<<<1, N>>>(device_array<int>(N), device_array<int>(1));
}

// EXPECT waits 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void waits(int *x, int *y) {
    own_thread<WRITTEN>(x, y);
}
static void case_waits(void) {
    waits<<<1, N>>>(device_array<int>(N), device_array<int>(1));
}

template <wait_kind WAIT> __device__ void whole_block(int *x, int *y) {
    store_tile<WAIT>(x + blockIdx.x * N, 5);
    __syncthreads();
    y[blockIdx.x * N + threadIdx.x] = x[blockIdx.x * N + N - 1 - threadIdx.x];
}

// EXPECT barrier_is_no_wait 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// SAYS while thread (0,0,0) wrote it at
// CHECKS racecheck
__global__ void barrier_is_no_wait(int *x, int *y) {
    whole_block<READ>(x, y);
}
static void case_barrier_is_no_wait(void) {
    barrier_is_no_wait<<<2, N>>>(device_array<int>(2 * N), device_array<int>(2 * N));
}

// EXPECT wait_and_barrier 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void wait_and_barrier(int *x, int *y) {
    whole_block<WRITTEN>(x, y);
}
static void case_wait_and_barrier(void) {
    wait_and_barrier<<<4, N>>>(device_array<int>(4 * N), device_array<int>(4 * N));
}

// The last block adds up what all have stored.
template <wait_kind WAIT> __device__ void last_block(int *x, int *y, unsigned *done) {
    __shared__ bool last;
    store_tile<WAIT>(x + blockIdx.x * N, blockIdx.x);
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; last && i < gridDim.x; i++)
        sum += x[i * N + threadIdx.x];
    if (last)
        y[threadIdx.x] = sum;
}

static unsigned *counter(void) {
    unsigned *p = device_array<unsigned>(1);
    cudaMemset(p, 0, sizeof *p);
    return p;
}

// EXPECT hands_over_too_early 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// SAYS tests/check/bulk_stores.cu:
// SAYS before other threads read the data
// CHECKS racecheck
__global__ void hands_over_too_early(int *x, int *y, unsigned *done) {
    last_block<READ>(x, y, done);
}
static void case_hands_over_too_early(void) {
    hands_over_too_early<<<4, N>>>(device_array<int>(4 * N), device_array<int>(N), counter());
}

// EXPECT hands_over 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void hands_over(int *x, int *y, unsigned *done) {
    last_block<WRITTEN>(x, y, done);
}
static void case_hands_over(void) {
    hands_over<<<8, N>>>(device_array<int>(8 * N), device_array<int>(N), counter());
}

// EXPECT stores_over_it 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// SAYS and Write access at
// CHECKS racecheck
__global__ void stores_over_it(int *x) {
    store_tile<READ>(x, 5);
    if (threadIdx.x == 0)
        x[7] = 1;
}
static void case_stores_over_it(void) {
    stores_over_it<<<1, N>>>(device_array<int>(N));
}

// Waiting for all but the newest group: the older tile is there, the newer one is not.
template <int TILE> __device__ void two_tiles(int *x, int *y) {
    __shared__ alignas(16) int tile[N];
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, x + i * N, tile, BYTES);
            ptx::cp_async_bulk_commit_group();
        }
        ptx::cp_async_bulk_wait_group(ptx::n32_t<1>());
        *y = x[TILE * N];
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// EXPECT older_tile 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void older_tile(int *x, int *y) {
    two_tiles<0>(x, y);
}
static void case_older_tile(void) {
    older_tile<<<1, N>>>(device_array<int>(2 * N), device_array<int>(1));
}

// EXPECT newer_tile 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// CHECKS racecheck
__global__ void newer_tile(int *x, int *y) {
    two_tiles<1>(x, y);
}
static void case_newer_tile(void) {
    newer_tile<<<1, N>>>(device_array<int>(2 * N), device_array<int>(1));
}

// Many threads begin the same store: each write leaves the same bytes.
template <int OTHER> __device__ void store_by_all(int *x) {
    __shared__ alignas(16) int tile[N + 4];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 4)
        tile[N + threadIdx.x] = 0;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, x, tile + (threadIdx.x == N - 1 ? OTHER : 0), BYTES);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// EXPECT all_store_the_same 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void all_store_the_same(int *x) {
    store_by_all<0>(x);
}
static void case_all_store_the_same(void) {
    all_store_the_same<<<1, N>>>(device_array<int>(N));
}

// EXPECT one_stores_another 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// SAYS thread (63,0,0) wrote x[0] (argument 1, 256 bytes) at
// CHECKS racecheck
__global__ void one_stores_another(int *x) {
    store_by_all<4>(x);
}
static void case_one_stores_another(void) {
    one_stores_another<<<1, N>>>(device_array<int>(N));
}

// EXPECT next_kernel 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void only_stores(int *x) { // a kernel's end ends its copies, too
    store_tile<READ>(x, 5);
}
__global__ void only_reads(const int *x, int *y) {
    y[threadIdx.x] = x[threadIdx.x];
}
static void case_next_kernel(void) {
    int *x = device_array<int>(N);
    only_stores<<<1, N>>>(x);
    only_reads<<<1, N>>>(x, device_array<int>(N));
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(waits_for_reading),    CASE(waits_for_nothing), CASE(waits),          CASE(barrier_is_no_wait),
        CASE(wait_and_barrier),     CASE(hands_over),        CASE(stores_over_it), CASE(older_tile),
        CASE(hands_over_too_early), CASE(newer_tile),        CASE(next_kernel),    CASE(all_store_the_same),
        CASE(one_stores_another),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
