/* Mistakes with copies in the background, with the barriers that wait for them, and with kernels that begin before the one before them
 * ends. See memory.cu for the comments. */
// arch: sm_90
#include <cuda/ptx>
#include <cuda_pipeline.h>

#include "emulator.h"
#include "run_case.h"

namespace ptx = cuda::ptx;

// EXPECT copy_beyond_source 700 out_of_bounds
// SAYS Invalid __global__ read of size 16 bytes
// SAYS by thread (31,0,0) in block (0,0,0)
// SAYS and is 1 bytes after the nearest allocation
// SAYS of size 496 bytes
__global__ void copy_beyond_source(const int4 *x, int4 *y) {
    __shared__ int4 tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[threadIdx.x] = tile[threadIdx.x];
}
static void case_copy_beyond_source(void) {
    copy_beyond_source<<<1, 32>>>(device_array<int4>(31), device_array<int4>(32));
}

// EXPECT copy_nothing_from_beyond 0 none
__global__ void copy_nothing_from_beyond(const int4 *x, int4 *y) {
    __shared__ int4 tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 16, threadIdx.x == 31 ? 16 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[threadIdx.x] = tile[threadIdx.x];
}
static void case_copy_nothing_from_beyond(void) {
    copy_nothing_from_beyond<<<1, 32>>>(device_array<int4>(31), device_array<int4>(32));
}

// EXPECT bulk_beyond_target 700 out_of_bounds
// SAYS Invalid __global__ write of size 16 bytes
// SAYS and is 1 bytes after the nearest allocation
// SAYS of size 256 bytes
__global__ void bulk_beyond_target(int *y) {
    __shared__ alignas(16) int tile[128];
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
static void case_bulk_beyond_target(void) {
    bulk_beyond_target<<<1, 128>>>(device_array<int>(64));
}

// EXPECT no_mbarrier 719 launch_failure
// SAYS There is no initialized mbarrier at this address.
__global__ void no_mbarrier(int *y) {
    __shared__ uint64_t barrier;
    ptx::mbarrier_arrive(&barrier);
    y[threadIdx.x] = 1;
}
static void case_no_mbarrier(void) {
    no_mbarrier<<<1, 32>>>(device_array<int>(32));
}

// EXPECT too_many_arrive 719 launch_failure
// SAYS More threads arrive at an mbarrier than it expects.
__global__ void too_many_arrive(int *y) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&barrier, 40);
    __syncthreads();
    asm volatile(
        "{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0], 41; }" ::"r"((unsigned)__cvta_generic_to_shared(&barrier))
        : "memory");
    y[threadIdx.x] = 1;
}
static void case_too_many_arrive(void) {
    too_many_arrive<<<1, 32>>>(device_array<int>(32));
}

// EXPECT bytes_never_come 719 divergent_barrier
// SAYS still expects 0 of 1 arrivals and 64 bytes
__global__ void bytes_never_come(int *y) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 64);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
        ;
    y[threadIdx.x] = 1;
}
static void case_bytes_never_come(void) {
    bytes_never_come<<<2, 64>>>(device_array<int>(64));
}

// EXPECT arrives_too_early 0 race
// CHECKS racecheck
// SAYS A thread arrives at an mbarrier whose previous phase may not be complete.
__global__ void arrives_too_early(const int *x, int *y) {
    __shared__ uint64_t barrier;
    __shared__ alignas(16) int tiles[2][32];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        for (int i = 0; i < 2; i++) { // nobody waits for the first tile before the second one is announced
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 128);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tiles[i], x + 32 * i, 128, &barrier);
        }
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 1))
        ;
    y[threadIdx.x] = tiles[0][threadIdx.x % 32] + tiles[1][threadIdx.x % 32];
}
static void case_arrives_too_early(void) {
    arrives_too_early<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
}

// EXPECT too_many_lanes_arrive 0 race
// CHECKS racecheck
// SAYS More threads arrive at an mbarrier than it expects in one phase: two phases of 16 have completed
// SAYS too_many_lanes_arrive(int *) in
// SAYS Let one thread arrive for all
__global__ void too_many_lanes_arrive(int *y) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&barrier, 16);
    __syncthreads();
    ptx::mbarrier_arrive(&barrier);
    y[threadIdx.x] = 1;
}
static void case_too_many_lanes_arrive(void) {
    too_many_lanes_arrive<<<1, 32>>>(device_array<int>(32));
}

// EXPECT copies_overlap 0 race
// CHECKS racecheck
// SAYS Error: Unfinished bulk copy reported between Write access
// SAYS wrote tile + 64 bytes
// SAYS Two bulk copies write the same bytes
__global__ void copies_overlap(const int *x, int *y) {
    __shared__ uint64_t barrier;
    __shared__ alignas(16) int tile[64];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 256);
        for (int i = 0; i < 2; i++) // 64 bytes apart, and 128 long
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile + 16 * i, x + 32 * i, 128, &barrier);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
        ;
    y[threadIdx.x] = tile[threadIdx.x % 32];
}
static void case_copies_overlap(void) {
    int *x = device_array<int>(64), numbers[64];
    for (int i = 0; i < 64; i++)
        numbers[i] = i * i;
    cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    copies_overlap<<<1, 64>>>(x, device_array<int>(64));
}

// EXPECT atomic_on_local 719 launch_failure
// SAYS An atomic operation on local memory.
__global__ void atomic_on_local(int *y) {
    int own[2] = {0, 0};
    asm volatile("{ .reg .b32 r; atom.add.u32 r, [%0], 1; }" ::"l"(&own[y[0] & 1]) : "memory");
    y[threadIdx.x] = own[0];
}
static void case_atomic_on_local(void) {
    atomic_on_local<<<1, 32>>>(device_array<int>(32));
}

// EXPECT add_to_what_is_copied 0 race
// CHECKS racecheck
// SAYS Unfinished copy reported between Write access
// SAYS and Atomic access
__global__ void add_to_what_is_copied(const int *x, int *y) { // the barrier does not wait for the copy
    __shared__ int sums[32];
    __pipeline_memcpy_async(&sums[threadIdx.x], &x[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    atomicAdd(&sums[threadIdx.x], 1);
    __pipeline_wait_prior(0);
    y[threadIdx.x] = sums[threadIdx.x];
}
static void case_add_to_what_is_copied(void) {
    add_to_what_is_copied<<<1, 32>>>(device_array<int>(32), device_array<int>(32));
}

// EXPECT groups_left 0 none
// SILENT
__global__ void groups_left(const int *x, int *y, int n) { // of two warps
    __shared__ int ring[3][64];
    for (int i = 0; i < n; i++) {
        __pipeline_memcpy_async(&ring[i % 3][threadIdx.x], &x[i * 64 + threadIdx.x], 4);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        y[i * 64 + threadIdx.x] = i < 2 ? 0 : ring[(i - 2) % 3][threadIdx.x];
    }
    __pipeline_wait_prior(0);
    asm volatile("cp.async.wait_all;" ::: "memory");
}
static void case_groups_left(void) {
    void (*start)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "emulatorCountersStart");
    void (*stop)(struct emulatorCounters *, size_t) =
        (void (*)(struct emulatorCounters *, size_t))dlsym(RTLD_DEFAULT, "emulatorCountersStop");
    struct emulatorCounters c = {0};
    start();
    groups_left<<<1, 64>>>(device_array<int>(64 * 8), device_array<int>(64 * 8), 8);
    stop(&c, sizeof c);
    if (c.async_waits != 2 * (8 + 2) || c.async_groups_left != 2 * 8 * 2)
        fprintf(stderr, "%llu waits for all but %llu groups\n", (unsigned long long)c.async_waits,
                (unsigned long long)c.async_groups_left);
}

// Programmatic stream serialization: the second kernel may begin while the first one runs.
enum waiting { NOBODY, FIRST_THREAD, ALL_THREADS };

__global__ void primary(int *x) {
    cudaTriggerProgrammaticLaunchCompletion();
    x[threadIdx.x] = threadIdx.x;
}
__global__ void never_triggers(int *x) {
    x[threadIdx.x] = threadIdx.x;
}
__global__ void secondary(const int *x, int *y, enum waiting who) {
    if (who == ALL_THREADS || (who == FIRST_THREAD && threadIdx.x == 0))
        cudaGridDependencySynchronize();
    __syncthreads();
    y[threadIdx.x] = x[threadIdx.x];
}
static void launch_pair(enum waiting who, bool beside, bool triggers = true) {
    int *x = device_array<int>(64), *y = device_array<int>(64);
    cudaLaunchAttribute a = {};
    cudaLaunchConfig_t c = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = beside;
    c.gridDim = dim3(1);
    c.blockDim = dim3(64);
    c.attrs = &a;
    c.numAttrs = 1;
    if (triggers)
        primary<<<1, 64>>>(x);
    else
        never_triggers<<<1, 64>>>(x);
    cudaLaunchKernelEx(&c, secondary, (const int *)x, y, who);
    primary<<<1, 64>>>(y); // after both of them
}

// EXPECT dependent_goes_on 0 race
// SAYS Error: Race reported between Write access at primary(int *) in tests/check/async.cu:
// SAYS and Read access at secondary(const int *, int *, waiting) in tests/check/async.cu:
// SAYS [64 hazards]
// SAYS Call cudaGridDependencySynchronize() before it accesses memory that the first kernel uses.
// CHECKS racecheck
static void case_dependent_goes_on(void) {
    launch_pair(NOBODY, true);
}

// EXPECT dependent_waits 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck
static void case_dependent_waits(void) {
    launch_pair(ALL_THREADS, true);
    launch_pair(FIRST_THREAD, true); // the others learn of it at the barrier
    launch_pair(NOBODY, false);
    launch_pair(NOBODY, true, false); // CUB's merge sort: it begins when all blocks of the first one have ended
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(copy_beyond_source), CASE(copy_nothing_from_beyond), CASE(bulk_beyond_target),
        CASE(no_mbarrier),        CASE(too_many_arrive),          CASE(bytes_never_come),
        CASE(arrives_too_early),  CASE(atomic_on_local),          CASE(add_to_what_is_copied),
        CASE(groups_left),        CASE(dependent_goes_on),        CASE(dependent_waits),
        CASE(groups_left),        CASE(too_many_lanes_arrive),    CASE(copies_overlap),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
