// Kernels that run at the same time, in two streams, and order their accesses by flags in memory, as several devices do. What one launch
// has learned of the other holds for all that comes behind it in its stream: kernels and copies.
#include "run_case.h"

enum { WORDS = 1000, BLOCKS = 2, BLOCK = 64, ROUNDS = 6 };

struct pair {
    float *input[2], *staged[2][2], *out[2]; // staged: by half, then by party
    unsigned *flags[2];
};

__device__ void put(unsigned *flag, unsigned value) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ unsigned get(const unsigned *flag) {
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

// Block b of one party waits for block b of the other.
__device__ void meet(const pair &p, int me, unsigned epoch) {
    __syncthreads();
    if (threadIdx.x == 0) {
        put(&p.flags[1 - me][blockIdx.x], epoch);
        while (get(&p.flags[me][blockIdx.x]) < epoch) {
        }
    }
    __syncthreads();
}

__device__ void copy_own(float *to, const float *from) {
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < WORDS; i += BLOCKS * BLOCK)
        to[i] = from[i];
}
__device__ void add_both(float *to, const float *a, const float *b) {
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < WORDS; i += BLOCKS * BLOCK)
        to[i] = a[i] + b[i];
}

// Half `half` of what is staged; one barrier is enough if the next launch takes the other half.
__global__ void stage_and_add(pair p, int me, unsigned epoch, int half) {
    copy_own(p.staged[half][me], p.input[me]);
    meet(p, me, epoch);
    add_both(p.out[me], p.staged[half][0], p.staged[half][1]);
}

// Lets some time pass, which orders nothing: for a fixed course of what is not ordered.
__device__ void let_time_pass(void) {
    long long start = clock64();
    while (clock64() - start < 50000000) {
    }
}
__global__ void wait_a_while(void) {
    let_time_pass();
}

// Reads the other's input itself. Who reads has to be waited for, too: `last` is the epoch of a second barrier, or 0.
__global__ void add_inputs(pair p, int me, unsigned first, unsigned last, bool late) {
    meet(p, me, first);
    if (late)
        let_time_pass();
    add_both(p.out[me], p.input[0], p.input[1]);
    if (last)
        meet(p, me, last);
}
__global__ void add_at_once(pair p, int me) {
    add_both(p.out[me], p.input[0], p.input[1]);
}
__global__ void change(float *x) {
    copy_own(x, x + WORDS);
}
// The flag says nothing of what was written before it.
__global__ void relaxed_flag(pair p, int me) {
    copy_own(p.staged[0][me], p.input[me]);
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(&p.flags[1 - me][blockIdx.x]), "r"(1) : "memory");
        while (get(&p.flags[me][blockIdx.x]) < 1) {
        }
    }
    __syncthreads();
    add_both(p.out[me], p.staged[0][0], p.staged[0][1]);
}

static pair p;
static cudaStream_t streams[2];
static float host[2 * WORDS];

static void start(void) {
    for (int d = 0; d < 2; d++) {
        p.input[d] = device_array<float>(2 * WORDS);
        p.staged[0][d] = device_array<float>(WORDS);
        p.staged[1][d] = device_array<float>(WORDS);
        p.out[d] = device_array<float>(WORDS);
        p.flags[d] = device_array<unsigned>(BLOCKS);
        cudaMemset(p.input[d], 0, 2 * WORDS * sizeof(float));
        cudaMemset(p.flags[d], 0, BLOCKS * sizeof(unsigned));
        cudaStreamCreateWithFlags(&streams[d], cudaStreamNonBlocking);
    }
    cudaDeviceSynchronize();
}

// EXPECT halves_in_turns 0 none
// CHECKS racecheck
// SAYS ERROR SUMMARY: 0 errors
static void case_halves_in_turns(void) {
    start();
    for (unsigned r = 1; r <= ROUNDS; r++)
        for (int d = 0; d < 2; d++)
            stage_and_add<<<BLOCKS, BLOCK, 0, streams[d]>>>(p, d, r, r % 2);
}

// EXPECT barrier_before_and_after 0 none
// CHECKS racecheck
// SAYS ERROR SUMMARY: 0 errors
static void case_barrier_before_and_after(void) {
    start();
    for (unsigned r = 1; r <= ROUNDS; r++)
        for (int d = 0; d < 2; d++) {
            change<<<BLOCKS, BLOCK, 0, streams[d]>>>(p.input[d]);
            add_inputs<<<BLOCKS, BLOCK, 0, streams[d]>>>(p, d, 2 * r - 1, 2 * r, false);
        }
}

// EXPECT copies_around 0 none
// CHECKS racecheck
// SAYS ERROR SUMMARY: 0 errors
static void case_copies_around(void) {
    start();
    for (unsigned r = 1; r <= ROUNDS; r++)
        for (int d = 0; d < 2; d++) {
            cudaMemcpyAsync(p.input[d], host, sizeof host, cudaMemcpyHostToDevice, streams[d]);
            add_inputs<<<BLOCKS, BLOCK, 0, streams[d]>>>(p, d, 2 * r - 1, 2 * r, false);
        }
}

// Both parties go on when both have come, and one changes its input before the other has read it, or afterwards.
static void without_second_barrier(bool copies, bool changed_first) {
    start();
    for (int d = 0; d < 2; d++)
        add_inputs<<<BLOCKS, BLOCK, 0, streams[d]>>>(p, d, 1, 0, d == 1 && changed_first);
    if (!changed_first)
        wait_a_while<<<1, 1, 0, streams[0]>>>();
    if (copies)
        cudaMemcpyAsync(p.input[0], host, sizeof host, cudaMemcpyHostToDevice, streams[0]);
    else
        change<<<BLOCKS, BLOCK, 0, streams[0]>>>(p.input[0]);
}

// EXPECT changed_before_it_was_read 0 race
// CHECKS racecheck
// STATUS 0
static void case_changed_before_it_was_read(void) {
    without_second_barrier(false, true);
}

// EXPECT changed_after_it_was_read 0 race
// CHECKS racecheck
// STATUS 0
static void case_changed_after_it_was_read(void) {
    without_second_barrier(false, false);
}

// EXPECT copied_before_it_was_read 0 race
// CHECKS racecheck
// STATUS 0
static void case_copied_before_it_was_read(void) {
    without_second_barrier(true, true);
}

// EXPECT copied_after_it_was_read 0 race
// CHECKS racecheck
// STATUS 0
static void case_copied_after_it_was_read(void) {
    without_second_barrier(true, false);
}

// EXPECT no_barrier 0 race
// CHECKS racecheck
// STATUS 0
static void case_no_barrier(void) {
    start();
    for (int d = 0; d < 2; d++) {
        change<<<BLOCKS, BLOCK, 0, streams[d]>>>(p.input[d]);
        add_at_once<<<BLOCKS, BLOCK, 0, streams[d]>>>(p, d);
    }
}

// EXPECT flag_without_release 0 race
// CHECKS racecheck
// STATUS 0
static void case_flag_without_release(void) {
    start();
    for (int d = 0; d < 2; d++)
        relaxed_flag<<<BLOCKS, BLOCK, 0, streams[d]>>>(p, d);
}

// The flag of a launch that is over: who sees it comes behind all that the launch did, and behind what came before it.
// EXPECT one_after_the_other 0 none
// CHECKS racecheck
// SAYS ERROR SUMMARY: 0 errors
__global__ void tell(unsigned *flag) {
    put(flag, 1);
}
__global__ void wait_and_read(const unsigned *flag, const float *x, float *y) {
    while (get(flag) < 1) {
    }
    y[threadIdx.x] = x[threadIdx.x];
}
static void case_one_after_the_other(void) {
    start();
    change<<<BLOCKS, BLOCK, 0, streams[0]>>>(p.input[0]);
    tell<<<1, 1, 0, streams[0]>>>(p.flags[1]);
    while (cudaStreamQuery(streams[0]) == cudaErrorNotReady) {
    }
    wait_and_read<<<1, BLOCK, 0, streams[1]>>>(p.flags[1], p.input[0], p.out[1]);
    wait_and_read<<<1, BLOCK, 0, streams[1]>>>(p.flags[1], p.input[0], p.out[1]);
}

// A barrier of a whole grid by hand, whose blocks spin: what a thread has read before tells it nothing new, of however many blocks.
__device__ unsigned grid_arrived;
__device__ volatile unsigned grid_generation;
__device__ void grid_barrier() {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned generation = grid_generation;
        __threadfence();
        if (atomicAdd(&grid_arrived, 1) == gridDim.x - 1) {
            grid_arrived = 0;
            __threadfence();
            grid_generation = generation + 1;
        } else {
            while (grid_generation == generation) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}
__global__ void rounds_of_grid(int *a, int *b, bool meets) {
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 5; round++) {
        b[i] = a[(i + 1) % n] + 1;
        if (meets || round)
            grid_barrier();
        a[i] = b[(i + 1) % n] + 1;
        grid_barrier();
    }
}
static void run_grid(bool meets) {
    int blocks = 132, *a = device_array<int>(blocks * 32), *b = device_array<int>(blocks * 32);
    cudaMemset(a, 0, blocks * 32 * sizeof(int));
    rounds_of_grid<<<blocks, 32>>>(a, b, meets);
}

// EXPECT barrier_of_grid 0 none
// CHECKS memcheck,racecheck,synccheck
static void case_barrier_of_grid(void) {
    run_grid(true);
}

// EXPECT barrier_of_grid_left_out 0 race
// CHECKS memcheck,racecheck,synccheck
static void case_barrier_of_grid_left_out(void) {
    run_grid(false);
}

static const struct test_case cases[] = {
    CASE(halves_in_turns),
    CASE(barrier_before_and_after),
    CASE(copies_around),
    CASE(changed_before_it_was_read),
    CASE(changed_after_it_was_read),
    CASE(copied_before_it_was_read),
    CASE(copied_after_it_was_read),
    CASE(no_barrier),
    CASE(flag_without_release),
    CASE(one_after_the_other),
    CASE(barrier_of_grid),
    CASE(barrier_of_grid_left_out),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
