/* Kernels that would not end: each is stopped and says where its threads stand. What can be known at once is said at once, under
 * a time limit of 30 s that the runner sets; where only time can tell, TIMEOUT makes it short. See memory.cu for the
 * comments. */
// arch: sm_90
#include <cooperative_groups.h>
#include <cuda/barrier>

#include "run_case.h"

// EXPECT named_too_few 719 divergent_barrier
// SAYS Barrier error detected. Divergent thread(s) in block.
// SAYS in tests/check/hang.cu:LINE
// SAYS by thread (0,0,0) in block (1,0,0)
// SAYS barrier 1 completes when 64 threads have arrived, and 32 have
__global__ void named_too_few(int *y) {
    if (threadIdx.x < 32 && blockIdx.x == 1)
        asm volatile("barrier.sync 1, 64;" ::: "memory"); // HERE
    y[threadIdx.x] = 1;
}
static void case_named_too_few(void) {
    named_too_few<<<2, 64>>>(device_array<int>(64));
}

// EXPECT named_after_exit 719 divergent_barrier
// SAYS barrier 1 completes when 64 threads have arrived, and 32 have
// SAYS by thread (32,0,0) in block (0,0,0)
__global__ void named_after_exit(int *y) {
    if (threadIdx.x < 32)
        return;
    asm volatile("barrier.sync 1, 64;" ::: "memory");
    y[threadIdx.x] = 1;
}
static void case_named_after_exit(void) {
    named_after_exit<<<1, 64>>>(device_array<int>(64));
}

// EXPECT named_too_large 719 divergent_barrier
// SAYS barrier 1 completes when 128 threads have arrived, and 64 have
__global__ void named_too_large(int *y) {
    asm volatile("barrier.sync 1, 128;" ::: "memory");
    y[threadIdx.x] = 1;
}
static void case_named_too_large(void) {
    named_too_large<<<1, 64>>>(device_array<int>(64));
}

// EXPECT named_different_counts 719 divergent_barrier
// SAYS in tests/check/hang.cu:LINE
// SAYS with the counts 64 and 32
__global__ void named_different_counts(int *y) {
    if (threadIdx.x < 32)
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    else
        asm volatile("barrier.sync 1, 32;" ::: "memory"); // HERE
    y[threadIdx.x] = 1;
}
static void case_named_different_counts(void) {
    named_different_counts<<<1, 64>>>(device_array<int>(64));
}

// EXPECT named_odd_count 715 launch_failure
// SAYS multiple of 32
__global__ void named_odd_count(int *y, int n) {
    asm volatile("barrier.sync 1, %0;" ::"r"(n) : "memory");
    y[threadIdx.x] = 1;
}
static void case_named_odd_count(void) {
    named_odd_count<<<1, 64>>>(device_array<int>(64), 48);
}

/* A warp whose other lanes have left counts whole, as on an H200. */
// EXPECT named_rest_of_warp 0 none
// SILENT
__global__ void named_rest_of_warp(int *y) {
    if (threadIdx.x & 1)
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    y[threadIdx.x] = 1;
}
static void case_named_rest_of_warp(void) {
    named_rest_of_warp<<<1, 64>>>(device_array<int>(64));
    named_rest_of_warp<<<1, 48>>>(device_array<int>(64));
}

// EXPECT endless_barriers 702 timeout
// TIMEOUT 1
// SAYS time limit
// SAYS endless_barriers(int *)
__global__ void endless_barriers(int *y) {
    while (*(volatile int *)y == 0)
        __syncthreads();
    y[threadIdx.x] = 1;
}
static void case_endless_barriers(void) {
    int *y = device_array<int>(64);
    cudaMemset(y, 0, 64 * sizeof(int));
    endless_barriers<<<1, 64>>>(y);
}

// EXPECT flag_never_set 702 timeout
// TIMEOUT 1
// SAYS time limit
// SAYS in tests/check/hang.cu:LINE
// SAYS by thread (0,0,0) in block (2,0,0)
__device__ volatile int flag;
__global__ void flag_never_set(int *y) {
    if (blockIdx.x == 2)
        while (flag == 0) // HERE
            ;
    y[threadIdx.x] = 1;
}
static void case_flag_never_set(void) {
    flag_never_set<<<4, 32>>>(device_array<int>(32));
}

// EXPECT lock_never_free 702 timeout
// TIMEOUT 1
// SAYS time limit
// SAYS in tests/check/hang.cu:LINE
__device__ int lock_word;
__global__ void lock_never_free(int *y) {
    while (atomicCAS(&lock_word, 0, 1) != 0) // HERE
        __nanosleep(100);
    y[threadIdx.x] = 1;
}
static void case_lock_never_free(void) {
    lock_never_free<<<1, 2>>>(device_array<int>(32));
}

// EXPECT recursion_of_nothing 700 launch_failure
// SAYS Stack overflow
// SAYS by thread (0,0,0) in block (0,0,0)
__device__ __noinline__ int deep(int n) {
    return n ? deep(n - 1) * 3 + 1 : 0;
}
__global__ void recursion_of_nothing(int *y, int n) {
    y[threadIdx.x] = deep(n);
}
static void case_recursion_of_nothing(void) {
    recursion_of_nothing<<<1, 32>>>(device_array<int>(32), 1 << 28);
}

// EXPECT grid_sync_missed 719 divergent_barrier
// SAYS Barrier error detected. Divergent block(s) in grid.
// SAYS in tests/check/hang.cu:LINE
// SAYS by thread (0,0,0) in block (
// SAYS 3 of 4 blocks wait at the grid barrier
__global__ void grid_sync_missed(int *y) {
    if (blockIdx.x == 2)
        return;
    cooperative_groups::this_grid().sync(); // HERE
    y[threadIdx.x] = 1;
}
static void cooperative(void (*kernel)(int *), int blocks, int threads) {
    int *y = device_array<int>(64);
    void *arguments[] = {&y};
    cudaLaunchCooperativeKernel((const void *)kernel, blocks, threads, arguments, 0, NULL);
}
static void case_grid_sync_missed(void) {
    cooperative(grid_sync_missed, 4, 64);
}

// EXPECT cooperative_too_large - none
// SAYS Program hit cudaErrorCooperativeLaunchTooLarge (error 720)
__global__ void cooperative_too_large(int *y) {
    cooperative_groups::this_grid().sync();
    y[threadIdx.x] = 1;
}
static void case_cooperative_too_large(void) {
    cooperative(cooperative_too_large, 1 << 20, 64);
}

// EXPECT phase_never_over 719 divergent_barrier
// SAYS in tests/check/hang.cu:LINE
// SAYS still expects 1 of 65 arrivals and 0 bytes
// SAYS by thread (0,0,0) in block (
__global__ void phase_never_over(int *y) {
    __shared__ alignas(8) char memory[sizeof(cuda::barrier<cuda::thread_scope_block>)];
    auto *barrier = (cuda::barrier<cuda::thread_scope_block> *)memory;
    if (threadIdx.x == 0)
        init(barrier, blockDim.x + 1);
    __syncthreads();
    barrier->arrive_and_wait(); // HERE
    y[threadIdx.x] = 1;
}
static void case_phase_never_over(void) {
    phase_never_over<<<2, 64>>>(device_array<int>(64));
}

// A barrier of the whole grid by hand, which ends where all blocks are resident.
__global__ void meet_by_hand(unsigned *arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
}
static void launch_meeting(unsigned blocks) {
    unsigned *arrived = device_array<unsigned>(1);
    cudaMemset(arrived, 0, sizeof *arrived);
    meet_by_hand<<<blocks, 64>>>(arrived);
}

// As many blocks as the device says that it holds, on one core of the host.
// EXPECT resident_together 0 none
// SILENT
static void case_resident_together(void) {
    int sms, blocks;
    setenv("EMULATOR_THREADS", "1", 1);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, meet_by_hand, 64, 0);
    launch_meeting(sms * (blocks < 4 ? blocks : 4));
}

// EXPECT not_all_begun 702 timeout
// TIMEOUT 1
// SAYS of 100 blocks have not started, because the resident blocks have to exit first
// SAYS has to take a ticket (atomicAdd of a counter) instead of its index
static void case_not_all_begun(void) {
    setenv("EMULATOR_RESIDENT", "16", 1);
    launch_meeting(100);
}

static const struct test_case cases[] = {
    CASE(named_too_few),    CASE(named_after_exit),     CASE(named_too_large),  CASE(named_different_counts),
    CASE(named_odd_count),  CASE(named_rest_of_warp),   CASE(endless_barriers), CASE(flag_never_set),
    CASE(lock_never_free),  CASE(recursion_of_nothing), CASE(grid_sync_missed), CASE(cooperative_too_large),
    CASE(phase_never_over), CASE(resident_together),    CASE(not_all_begun),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
