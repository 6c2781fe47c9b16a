/* Mistakes that only checks find that are asked for, and correct kernels that they must not take for one. See memory.cu for the
 * comments; CHECKS is EMULATOR_CHECK. What a GPU and compute-sanitizer say of such programs is in agreement/. */
#include "run_case.h"

// EXPECT many_registers - none
// CHECKS memcheck
// SAYS ptxas gives each of the block's 1024 threads
// SAYS on a GPU this launch fails
template <int n> __device__ void many_values(float *x) {
    float sum[n];
    for (int i = 0; i < n; i++)
        sum[i] = x[i * 1024 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < n; i++)
        x[(n - 1 - i) * 1024 + threadIdx.x] = sum[i];
}
__global__ void many_registers(float *x) {
    many_values<90>(x);
}
static void case_many_registers(void) {
    many_registers<<<1, 1024>>>(device_array<float>(90 * 1024));
}

// EXPECT fewer_registers 0 none
// CHECKS memcheck
// SAYS ERROR SUMMARY: 0 errors
__global__ void __launch_bounds__(1024) bounded_registers(float *x) {
    many_values<90>(x);
}
static void case_fewer_registers(void) {
    many_registers<<<1, 512>>>(device_array<float>(90 * 1024));
    bounded_registers<<<1, 1024>>>(device_array<float>(90 * 1024));
}

// EXPECT warp_warns 0 none
// CHECKS racecheck
// SAYS Warning: Race reported between Write access at exchange(int *) in tests/check/asked.cu:
// SAYS with no __syncwarp() between
// SAYS ERROR SUMMARY: 0 errors, 1 warning
__global__ void exchange(int *y) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = tile[31 - threadIdx.x];
}
static void case_warp_warns(void) {
    exchange<<<1, 32>>>(device_array<int>(32));
}

// EXPECT warp_is_strict 0 race
// CHECKS racecheck,strict
// SAYS Error: Race reported between Write access at exchange(int *) in tests/check/asked.cu:
// SAYS put a __syncwarp() between the two accesses
static void case_warp_is_strict(void) {
    exchange<<<1, 32>>>(device_array<int>(32));
}

// EXPECT shuffle_orders_nothing 0 race
// CHECKS racecheck,strict
// SAYS tests/check/asked.cu:LINE
__global__ void shuffle_between(int *y) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    int other = __shfl_xor_sync(0xffffffff, y[threadIdx.x], 1);
    y[threadIdx.x] = tile[31 - threadIdx.x] + other; // HERE
}
static void case_shuffle_orders_nothing(void) {
    shuffle_between<<<1, 32>>>(device_array<int>(32));
}

// EXPECT masks_differ 0 lost_lane
// CHECKS synccheck
// SAYS Barrier error detected. Invalid arguments.
// SAYS tests/check/asked.cu:LINE
// SAYS and 15 other threads of its warp did the same
// SAYS all participating threads have to pass the same mask
__global__ void masks_differ(int *y) {
    unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffffffffu;
    y[threadIdx.x] = __shfl_xor_sync(mask, (int)threadIdx.x, 1); // HERE
}
static void case_masks_differ(void) {
    masks_differ<<<1, 32>>>(device_array<int>(32));
}

// EXPECT masks_of_groups 0 none
// CHECKS synccheck
// SAYS ERROR SUMMARY: 0 errors
__global__ void masks_of_groups(int *y) {
    int lane = threadIdx.x, value = lane;
    if (lane >= 30)
        return;
    unsigned group = __match_any_sync(0xffffffffu, lane % 3);
    value += __shfl_sync(group, value, __ffs(group) - 1);
    __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
    if (lane % 2)
        value += __popc(__ballot_sync(__activemask(), value > 3));
    y[lane] = value;
}
static void case_masks_of_groups(void) {
    int *y = device_array<int>(32);
    masks_of_groups<<<1, 32>>>(y);
}

// EXPECT old_reduction 0 race
// CHECKS racecheck,strict
// SAYS Error: Race reported between Write access at old_reduction(int *) in tests/check/asked.cu:LINE
// SAYS volatile forces a memory access, but does not keep the lanes of a warp in lockstep: put a __syncwarp()
__global__ void old_reduction(int *y) {
    __shared__ volatile int part[64];
    part[threadIdx.x] = y[threadIdx.x];
    part[threadIdx.x + 32] = 0;
    __syncwarp();
    for (int d = 16; d; d /= 2)
        part[threadIdx.x] += part[threadIdx.x + d]; // HERE
    y[threadIdx.x] = part[threadIdx.x];
}
static void case_old_reduction(void) {
    old_reduction<<<1, 32>>>(device_array<int>(32));
}

/* Lanes of one warp that wait for one of them, and one that waits for a lane in another branch. */
// EXPECT volatile_waits 0 none
// CHECKS racecheck,strict
// SAYS ERROR SUMMARY: 0 errors
__global__ void volatile_waits(int *y) {
    __shared__ volatile int flag[2];
    if (threadIdx.x < 2)
        flag[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 0) {
        while (!flag[1])
            ;
        flag[0] = 7;
    } else {
        flag[1] = 1;
    }
    while (flag[0] == 0)
        ;
    y[threadIdx.x] = 1;
}
static void case_volatile_waits(void) {
    volatile_waits<<<1, 32>>>(device_array<int>(32));
}

// EXPECT met_by_count 0 divergent_barrier
// CHECKS synccheck
// SAYS Barrier error detected. Divergent thread(s) in block.
// SAYS in tests/check/asked.cu:LINE
// SAYS by thread (0,0,0) in block (0,0,0)
// SAYS while thread (32,0,0) and 31 others of its warp wait at met_by_count(int *) in tests/check/asked.cu:
// SAYS Threads of a block wait for each other at two different __syncthreads()
// SAYS ERROR SUMMARY: 1 error
__global__ void met_by_count(int *y) {
    if (threadIdx.x < 32)
        __syncthreads(); // HERE
    y[threadIdx.x] = threadIdx.x;
    __syncthreads();
}
static void case_met_by_count(void) {
    met_by_count<<<1, 64>>>(device_array<int>(64));
}

// EXPECT gone_around 0 divergent_barrier
// CHECKS synccheck
// SAYS Barrier error detected. Divergent thread(s) in
// SAYS in tests/check/asked.cu:LINE
// SAYS These threads wait at a __syncthreads() that thread (48,0,0) and 15 others of the block skipped
__global__ void gone_around(int *y) {
    __syncthreads();
    if (threadIdx.x < 48) {
        y[threadIdx.x] = threadIdx.x;
        __syncthreads(); // HERE
    }
    if (threadIdx.x == 0)
        y[0] = y[47];
}
static void case_gone_around(void) {
    gone_around<<<1, 64>>>(device_array<int>(64));
}

/* Some return before the barrier, by a switch too, and in one turn of a loop; all others leave the loop together. */
// EXPECT returned_early 0 none
// CHECKS synccheck
// SAYS ERROR SUMMARY: 0 errors
__global__ void returned_early(int *y, int turns) {
    int i = threadIdx.x;
    switch (i % 40) {
    case 36:
        y[i] = 1;
        return;
    case 37:
        return;
    case 38:
        y[i] = 3;
        break;
    default:
        y[i] = 4;
    }
    for (int k = 0; k < turns; k++) {
        if (k == 2 && i > 55)
            return;
        __syncthreads();
        if (y[k] == 100)
            break;
        __syncthreads();
    }
    y[i]++;
}
static void case_returned_early(void) {
    returned_early<<<1, 64>>>(device_array<int>(64), 4);
    returned_early<<<1, 64>>>(device_array<int>(64), 0);
}

/* Two kernels of a file use the same names for other arrays and other sizes. */
__global__ void small_tile(float *y) {
    enum { WIDE = 16 };
    __shared__ float same_name[8][WIDE];
    same_name[threadIdx.x / WIDE][threadIdx.x % WIDE] = y[threadIdx.x];
    y[threadIdx.x] = same_name[7 - threadIdx.x / WIDE][threadIdx.x % WIDE];
}
__global__ void large_tile(float *y) {
    enum { WIDE = 128 };
    __shared__ float same_name[2][8][WIDE];
    same_name[1][0][threadIdx.x] = y[threadIdx.x];
    y[threadIdx.x] = same_name[1][0][(threadIdx.x + 32) % WIDE];
}
/* The size is a template's, which the text does not tell: as many elements as there are. */
template <int N> __global__ void chosen_tile(float *y) {
    __shared__ float same_name[N][8];
    same_name[threadIdx.x / 8][threadIdx.x % 8] = y[threadIdx.x];
    y[threadIdx.x] = same_name[(threadIdx.x + 32) % 128 / 8][threadIdx.x % 8];
}
// EXPECT same_name 0 race
// CHECKS racecheck
// SAYS read same_name[3][0] at
// SAYS read same_name[1][0][0] at
// SAYS read same_name[0] at
static void case_same_name(void) {
    float *y = device_array<float>(128);
    small_tile<<<1, 128>>>(y);
    large_tile<<<1, 128>>>(y);
    chosen_tile<16><<<1, 128>>>(y);
}

/* The kernel's arguments by their names, and the caret under the access, not under the statement. */
// EXPECT names_of_arguments 700 out_of_bounds
// CHECKS initcheck,racecheck
// SAYS and is 1 bytes after the nearest allocation at 0x
// SAYS of size 128 bytes (argument 1, x)
// SAYS read partial[
// SAYS ] (argument 2, 4,096 bytes) at
// SAYS       |                  ^~~~~~~
// SAYS       |                      ^~~~~~~
// SAYS       |           ^
__global__ void partial_sums(const float *x, float *partial, float *y) {
    y[threadIdx.x] = partial[3];
    partial[blockIdx.x] = blockIdx.x;
    y[threadIdx.x] = 1 + partial[(blockIdx.x + 1) % gridDim.x];
}
__global__ void reads_x(const float *x, float *y) {
    y[threadIdx.x] += 2 * x[threadIdx.x];
    float v = x[threadIdx.x + 32];
    y[threadIdx.x] = v;
}
static void case_names_of_arguments(void) {
    float *x = device_array<float>(32), *partial = device_array<float>(1024), *y = device_array<float>(64);
    cudaMemset(y, 0, 64 * sizeof(float));
    cudaMemset(x, 0, 32 * sizeof(float));
    partial_sums<<<4, 1>>>(x, partial, y);
    reads_x<<<1, 32>>>(x, y);
}

/* As compute-sanitizer's --destroy-on-device-error kernel. */
// EXPECT goes_on 0 out_of_bounds
// SAYS at reads_x(const float *, float *) in tests/check/asked.cu:
// SAYS at exchange_past(int *) in tests/check/asked.cu:
// SAYS ERROR SUMMARY: 2 errors
__global__ void exchange_past(int *y) {
    y[threadIdx.x + 1] = y[threadIdx.x];
}
static void case_goes_on(void) {
    setenv("EMULATOR_ON_ERROR", "kernel", 1);
    reads_x<<<1, 32>>>(device_array<float>(32), device_array<float>(32));
    cudaDeviceSynchronize();
    exchange_past<<<1, 32>>>(device_array<int>(32));
}

// EXPECT half_rows 0 uninitialized
// CHECKS initcheck
// SAYS : x[8] (argument 1,
// SAYS cudaMemcpy2D wrote only 32 bytes of each row of this memory (4 rows, which start every
// SAYS compare its width, which is in bytes, and both pitches
__global__ void reads_rows(const float *x, size_t pitch, float *y) {
    y[threadIdx.x] = 2 * x[blockIdx.x * pitch / sizeof(float) + threadIdx.x];
}
static void case_half_rows(void) {
    static float host[4][32];
    float *x;
    size_t pitch;
    cudaMallocPitch(&x, &pitch, sizeof host[0], 4);
    cudaMemcpy2D(x, pitch, host, sizeof host[0], 32, 4, cudaMemcpyHostToDevice); // bytes wanted, floats given
    reads_rows<<<1, 32>>>(x, pitch, device_array<float>(32));
}

// EXPECT few_bytes 0 uninitialized
// CHECKS initcheck
// SAYS : x[8] (argument 1, 128 bytes)
// SAYS cudaMemcpy wrote only 32 of the 128 bytes of this memory
static void case_few_bytes(void) {
    static float host[32];
    float *x = device_array<float>(32);
    cudaMemcpy(x, host, 32, cudaMemcpyHostToDevice);
    reads_rows<<<1, 32>>>(x, 0, device_array<float>(32));
}

// EXPECT leaked_at_reset - -
// CHECKS leak
// STATUS 0
// SAYS ========= Leaked 100 bytes at 0x
// SAYS made by cudaMalloc (allocation number 1 of this program)
// SAYS LEAK SUMMARY: 100 bytes leaked in 1 allocations
static void case_leaked_at_reset(void) {
    device_array<char>(100);
    cudaDeviceReset();
    exit(0);
}

// EXPECT unused_end 0 unused
// CHECKS unused
// SAYS Unused memory in allocation 0x
// SAYS of size 1,024 bytes
// SAYS Not written 768 bytes at offset 0x100
// SAYS 75% of allocation were unused.
// SAYS made by cudaMalloc (allocation number 1 of this program)
// SAYS cudaMalloc takes bytes
__global__ void fill(int *y) {
    y[threadIdx.x] = threadIdx.x;
}
static void case_unused_end(void) {
    int *y = device_array<int>(64 * sizeof(int));
    fill<<<1, 64>>>(y);
    cudaFree(y);
}

// EXPECT unused_parts 0 unused
// CHECKS unused
// SAYS Not written 128 bytes between offsets 0x4 (0x
// SAYS ) and 0xfb (0x
// SAYS 50% of allocation were unused.
__global__ void fill_pairs(int *y) {
    if (threadIdx.x / 2 % 2 == threadIdx.x % 2) // 0, 3, 4, 7, ...
        y[threadIdx.x] = threadIdx.x;
}
static void case_unused_parts(void) {
    int *y = device_array<int>(64);
    fill_pairs<<<1, 64>>>(y);
    cudaFree(y);
}

// EXPECT unwritten_texture 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized texture memory read of size 4 bytes
// SAYS at fetch(unsigned long long, int *) in tests/check/asked.cu:
// SAYS and 31 more such reads
__global__ void fetch(cudaTextureObject_t texture, int *y) {
    y[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);
}
static void case_unwritten_texture(void) {
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device_array<int>(32);
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 32 * sizeof(int);
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    fetch<<<1, 32>>>(texture, device_array<int>(32));
}

// EXPECT deep_enough 0 none
// CHECKS memcheck
// SAYS ERROR SUMMARY: 0 errors
__device__ __noinline__ int depth_of(const int *x, int n) {
    return n <= x[0] ? 1 : depth_of(x, n - 1) * 3 + depth_of(x, n / 4000 - 1) + n;
}
__global__ void recursion(const int *x, int *y, int n) {
    y[threadIdx.x] = depth_of(x, n);
}
static void recurse(int n, size_t limit) {
    int *x = device_array<int>(32);
    cudaMemset(x, 0, 32 * sizeof(int));
    if (limit)
        cudaDeviceSetLimit(cudaLimitStackSize, limit);
    recursion<<<1, 32>>>(x, device_array<int>(32), n);
}
static void case_deep_enough(void) {
    recurse(20, 0);
}

// EXPECT too_deep 700 launch_failure
// CHECKS memcheck
// SAYS Stack overflow
// SAYS its stack has 1024
// SAYS cudaDeviceSetLimit(cudaLimitStackSize, bytes)
static void case_too_deep(void) {
    recurse(100, 0); // by PTX alone these are 800 bytes; on an H200 32 calls fit
}

// EXPECT limit_raised 0 none
// CHECKS memcheck
// SAYS ERROR SUMMARY: 0 errors
static void case_limit_raised(void) {
    recurse(100, 16384);
}

// EXPECT guess_before_swap 0 none
// CHECKS racecheck,strict
// SAYS ERROR SUMMARY: 0 errors
struct item {
    item *next;
};
__device__ item *top;
__global__ void push(item *items) {
    item *mine = items + blockIdx.x * blockDim.x + threadIdx.x, *old = top, *assumed;
    do {
        assumed = old;
        mine->next = assumed;
        __threadfence();
        old = (item *)atomicCAS((unsigned long long *)&top, (unsigned long long)assumed, (unsigned long long)mine);
    } while (old != assumed);
}
static void case_guess_before_swap(void) {
    push<<<4, 64>>>(device_array<item>(256));
}

// EXPECT holes_copied 0 none
// CHECKS initcheck
// SAYS ERROR SUMMARY: 0 errors
struct triple {
    char small;
    int large;
    short last;
};
__global__ void fill_members(triple *t) {
    t[threadIdx.x].small = 1;
    t[threadIdx.x].large = 2;
    t[threadIdx.x].last = 3;
}
static void case_holes_copied(void) {
    triple *t = device_array<triple>(64), back[64];
    fill_members<<<1, 64>>>(t);
    cudaMemcpy(back, t, sizeof back, cudaMemcpyDeviceToHost);
}

// EXPECT member_not_copied 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read by cudaMemcpy
__global__ void fill_some_members(triple *t) {
    t[threadIdx.x].small = 1;
    t[threadIdx.x].last = 3;
}
static void case_member_not_copied(void) {
    triple *t = device_array<triple>(64), back[64];
    fill_some_members<<<1, 64>>>(t);
    cudaMemcpy(back, t, sizeof back, cudaMemcpyDeviceToHost);
}

static const test_case cases[] = {
    CASE(many_registers),         CASE(fewer_registers), CASE(warp_warns),        CASE(warp_is_strict),
    CASE(shuffle_orders_nothing), CASE(masks_differ),    CASE(masks_of_groups),   CASE(old_reduction),
    CASE(volatile_waits),         CASE(met_by_count),    CASE(gone_around),       CASE(returned_early),
    CASE(leaked_at_reset),        CASE(goes_on),         CASE(half_rows),         CASE(few_bytes),
    CASE(names_of_arguments),     CASE(same_name),       CASE(unused_end),        CASE(unused_parts),
    CASE(unwritten_texture),      CASE(deep_enough),     CASE(too_deep),          CASE(limit_raised),
    CASE(guess_before_swap),      CASE(holes_copied),    CASE(member_not_copied),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
