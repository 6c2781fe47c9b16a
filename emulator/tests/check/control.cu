/* Kernels that go wrong by what they execute rather than by an address. See memory.cu for the comments. */
#include <assert.h>

#include "run_case.h"

// EXPECT divergent_barrier 719 divergent_barrier
// SAYS Barrier error detected. Divergent thread(s) in block.
// SAYS in tests/check/control.cu:
// SAYS __syncthreads()
__global__ void divergent_barrier(int *y) {
    if (threadIdx.x < 32)
        __syncthreads();
    else
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    y[threadIdx.x] = 1;
}
static void case_divergent_barrier(void) {
    divergent_barrier<<<1, 64>>>(device_array<int>(64));
}

// EXPECT two_barriers 719 divergent_barrier
// SAYS Barrier error detected. Divergent thread(s)
__global__ void two_barriers(int *y) {
    if (threadIdx.x & 1) {
        __syncthreads();
        y[threadIdx.x] = 1;
    } else {
        __syncthreads();
        y[threadIdx.x] = 2;
    }
}
static void case_two_barriers(void) {
    two_barriers<<<1, 64>>>(device_array<int>(64));
}

// EXPECT lost_lane 719 lost_lane
// SAYS Barrier error detected. Divergent thread(s) in warp.
// SAYS in tests/check/control.cu:LINE
__global__ void lost_lane(int *y) {
    int value = threadIdx.x;
    if (threadIdx.x < 16)
        value = __shfl_down_sync(0xffffffff, value, 1); // HERE
    else
        __syncthreads();
    y[threadIdx.x] = value;
}
static void case_lost_lane(void) {
    lost_lane<<<1, 32>>>(device_array<int>(32));
}

// EXPECT lost_at_sync 719 lost_lane
// SAYS in tests/check/control.cu:LINE
// SAYS by thread (5,0,0) in block (0,0,0)
// SAYS while thread (0,0,0) and 4 others of its warp wait at __syncwarp(unsigned int) in
// SAYS The mask names lanes that do not reach this call. At a shuffle: lanes 5 to 31; at __syncwarp(): lanes 0 to 4.
// SAYS | __syncwarp();
__global__ void lost_at_sync(int *y) {
    int value = y[threadIdx.x];
    if (threadIdx.x >= 5)
        value = __shfl_sync(0xffffffff, value, 31); // HERE
    __syncwarp();
    y[threadIdx.x] = value;
}
static void case_lost_at_sync(void) {
    lost_at_sync<<<1, 32>>>(device_array<int>(32));
}

// EXPECT endless 702 timeout
// TIMEOUT 1
// SAYS time limit
// SAYS thread writes. TIMEOUT=seconds sets the limit
// SAYS endless(int *)
__global__ void endless(int *y) {
    while (*(volatile int *)y == 0)
        ;
    y[threadIdx.x] = 1;
}
static void case_endless(void) {
    int *y = device_array<int>(32);
    cudaMemset(y, 0, 32 * sizeof(int));
    endless<<<1, 32>>>(y);
}

// EXPECT trap 719 trap
// SAYS trap
// SAYS at trap(int) in tests/check/control.cu:LINE
// SAYS by thread (5,0,0) in block (2,0,0)
// SAYS This trap is in the program's source
__global__ void trap(int n) {
    if (threadIdx.x == 5 && blockIdx.x == n)
        __trap(); // HERE
}
static void case_trap(void) {
    trap<<<3, 32>>>(2);
}

// EXPECT failed_assert 710 assert
// SAYS control.cu:LINE:
// SAYS block: [1,0,0], thread: [3,0,0] Assertion `threadIdx.x != 3 || blockIdx.x != n` failed.
__global__ void failed_assert(int n) {
    assert(threadIdx.x != 3 || blockIdx.x != n); // HERE
}
static void case_failed_assert(void) {
    failed_assert<<<2, 32>>>(1);
}

// EXPECT stack_overflow 700 launch_failure
// SAYS Stack overflow
__device__ __noinline__ int deeper(int n, int *y) {
    int local[64];
    for (int i = 0; i < 64; i++)
        local[i] = y[i] + n;
    int below = deeper(n + 1, y);
    return below + local[(below & 63)];
}
__global__ void stack_overflow(int *y) {
    y[threadIdx.x] = deeper(threadIdx.x, y);
}
static void case_stack_overflow(void) {
    stack_overflow<<<1, 32>>>(device_array<int>(64));
}

static const struct test_case cases[] = {
    CASE(divergent_barrier), CASE(two_barriers), CASE(lost_lane),     CASE(lost_at_sync),
    CASE(endless),           CASE(trap),         CASE(failed_assert), CASE(stack_overflow),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
