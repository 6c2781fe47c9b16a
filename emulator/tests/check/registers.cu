/* setmaxnreg: warpgroups that give registers to each other, and do it wrong. See memory.cu for the comments. */
// arch: sm_90a
#include "run_case.h"

// A block of three warpgroups begins with 168 registers a thread: what 65536 registers give to 384 threads.
enum { THREADS = 384, BEGIN = 168 };

template <int COUNT> static __device__ void take(void) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT> static __device__ void give(void) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

#define KERNEL(name) __global__ void __launch_bounds__(THREADS, 1) name(int *y)
#define RUN(name)                                                                                                      \
    static void case_##name(void) {                                                                                    \
        name<<<2, THREADS>>>(device_array<int>(THREADS));                                                              \
    }

// EXPECT handed_over 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
KERNEL(handed_over) {
    if (threadIdx.x / 128 == 0)
        give<40>();
    else
        take<232>();
    y[threadIdx.x] = 1;
}
RUN(handed_over)

// EXPECT given_back 0 none
// CHECKS synccheck
KERNEL(given_back) {
    if (threadIdx.x / 128 == 0) {
        give<40>();
        take<168>();
    }
    y[threadIdx.x] = 1;
}
RUN(given_back)

// EXPECT takes_too_many 0 divergent_barrier
// SAYS Error: Wrong use of setmaxnreg reported.
// SAYS All warps together request 2,048 registers more than the block has, which started with 168 per thread
// SAYS on a GPU it never returns
// SAYS tests/check/registers.cu:
// CHECKS synccheck
KERNEL(takes_too_many) {
    if (threadIdx.x / 128 == 0)
        give<40>();
    else
        take<240>();
    y[threadIdx.x] = 1;
}
RUN(takes_too_many)

// EXPECT nobody_gives 0 divergent_barrier
// SAYS registers more than the block has
// CHECKS synccheck
KERNEL(nobody_gives) {
    if (threadIdx.x / 128 == 1)
        take<176>();
    y[threadIdx.x] = 1;
}
RUN(nobody_gives)

// EXPECT by_one_warp 0 divergent_barrier
// SAYS Error: Wrong use of setmaxnreg reported.
// SAYS and not all four warps of its warpgroup execute it
// SAYS Branch on threadIdx.x / 128.
// CHECKS synccheck
KERNEL(by_one_warp) {
    if (threadIdx.x / 32 == 0)
        give<40>();
    y[threadIdx.x] = 1;
}
RUN(by_one_warp)

// EXPECT by_different_ones 0 divergent_barrier
// SAYS and not all four warps of its warpgroup execute it
// CHECKS synccheck
KERNEL(by_different_ones) {
    if (threadIdx.x / 64 % 2)
        give<40>();
    else
        give<48>();
    y[threadIdx.x] = 1;
}
RUN(by_different_ones)

// EXPECT by_one_thread 0 divergent_barrier
// SAYS 31 lanes of the warp do not execute it
// CHECKS synccheck
KERNEL(by_one_thread) {
    if (threadIdx.x % 32 == 0)
        give<40>();
    __syncwarp();
    y[threadIdx.x] = 1;
}
RUN(by_one_thread)

// Of .dec to more than a kernel ever has ptxas itself says that it is wrong.
// EXPECT takes_fewer 0 divergent_barrier
// SAYS A thread already has 40 registers
// SAYS otherwise the behaviour is undefined
// CHECKS synccheck
KERNEL(takes_fewer) {
    if (threadIdx.x / 128 == 0) {
        give<40>();
        take<32>();
    } else if (threadIdx.x / 128 == 1) {
        take<232>();
    }
    y[threadIdx.x] = 1;
}
RUN(takes_fewer)

// ptxas drops setmaxnreg where it does not know how many registers a thread begins with (C7508): the number of threads does not say it.
static __device__ void take_what_nobody_gives(int *y) {
    if (threadIdx.x / 128 == 0)
        give<40>();
    else
        take<240>();
    y[threadIdx.x] = 1;
}

// EXPECT dropped_without_bounds 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void dropped_without_bounds(int *y) {
    take_what_nobody_gives(y);
}
RUN(dropped_without_bounds)

// EXPECT dropped_without_blocks 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void __launch_bounds__(THREADS) dropped_without_blocks(int *y) {
    take_what_nobody_gives(y);
}
RUN(dropped_without_blocks)

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(handed_over),
        CASE(given_back),
        CASE(takes_too_many),
        CASE(nobody_gives),
        CASE(by_one_warp),
        CASE(by_different_ones),
        CASE(by_one_thread),
        CASE(takes_fewer),
        CASE(dropped_without_bounds),
        CASE(dropped_without_blocks),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
