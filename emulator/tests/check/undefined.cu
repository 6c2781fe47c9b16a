/* Values that are undefined: from memory that nobody has written, and from shuffles that nobody answers. Those that are used must be
 * reported, at the line that read them; those that are only carried around must not. */
#include <mma.h>

#include "run_case.h"

static void need(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "wrong result: %s\n", what);
    exit(3);
}

template <typename T> static T at(const T *device, size_t i) {
    T value;
    cudaMemcpy(&value, device + i, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

/* ---- atomics read ---- */

// EXPECT bins_not_cleared 0 uninitialized
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS Uninitialized __shared__ memory read of size 4 bytes
// SAYS at bins_not_cleared(const int *, int *) in tests/check/undefined.cu:LINE
// SAYS bins[
// SAYS No thread of this block has written these bytes
__global__ void bins_not_cleared(const int *x, int *y) {
    __shared__ int bins[8];
    atomicAdd(&bins[x[threadIdx.x] & 7], 1); // HERE
    __syncthreads();
    if (threadIdx.x < 8)
        y[threadIdx.x] = bins[threadIdx.x];
}
static void case_bins_not_cleared(void) {
    int *x = device_array<int>(64);
    cudaMemset(x, 0, 64 * sizeof *x);
    bins_not_cleared<<<1, 64>>>(x, device_array<int>(8));
}

// EXPECT largest_not_set 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS at largest_not_set(int *) in tests/check/undefined.cu:LINE
__global__ void largest_not_set(int *largest) {
    atomicMax(largest, (int)threadIdx.x); // HERE
}
static void case_largest_not_set(void) {
    largest_not_set<<<1, 64>>>(device_array<int>(1));
}

/* ---- what is used ---- */

// EXPECT part_of_word 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS at part_of_word(const int *, int *, int) in tests/check/undefined.cu:LINE
// SAYS by thread (122,0,0) in block (0,0,0)
__global__ void part_of_word(const int *a, int *b, int n) {
    int i = threadIdx.x;
    if (i < n)
        b[i] = a[i] * 2; // HERE
}
static void case_part_of_word(void) {
    int *a = device_array<int>(123);
    cudaMemset(a, 0, 123 * sizeof *a - 1);
    part_of_word<<<1, 123>>>(a, device_array<int>(123), 123);
}

/* The two halves of a warp read from different rows. Of the last block's, the first row and what comes behind it have been written,
 * the second row has not. Blocks before it have read with the same instruction, so that it takes the fast path. */
// EXPECT second_half 0 uninitialized
// CHECKS memcheck,racecheck,synccheck,initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS at second_half(const int *, int *) in tests/check/undefined.cu:LINE
// SAYS and 15 more such reads
__global__ void second_half(const int *x, int *y) {
    int row = blockIdx.x * 2 + threadIdx.y;
    y[row * 16 + threadIdx.x] = x[row * 256 + threadIdx.x] * 2; // HERE
}
static void case_second_half(void) {
    const int blocks = 64, rows = 2 * blocks;
    int *x = device_array<int>(rows * 256);
    cudaMemset(x, 0, (rows - 1) * 256 * sizeof *x);
    second_half<<<blocks, dim3(16, 2)>>>(x, device_array<int>(rows * 16));
}

// EXPECT decides_branch 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS at decides_branch(const float *, int *) in tests/check/undefined.cu:LINE
// SAYS and used at decides_branch(const float *, int *) in tests/check/undefined.cu:
// SAYS it decides a branch
__global__ void decides_branch(const float *x, int *count) {
    float v = x[threadIdx.x]; // HERE
    asm volatile("// here");
    if (v > 1.0f)
        atomicAdd(count, 1);
}
static void case_decides_branch(void) {
    int *count = device_array<int>(1);
    cudaMemset(count, 0, sizeof *count);
    decides_branch<<<1, 32>>>(device_array<float>(32), count);
}

// EXPECT is_address 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __shared__ memory read of size 4 bytes
// SAYS in tests/check/undefined.cu:LINE
// SAYS Access to 0x40: order[16]
// SAYS it is used to compute an address
// SAYS and 15 more such reads
__global__ void is_address(const int *x, int *y) {
    __shared__ int order[32];
    if (threadIdx.x < 16)
        order[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int at = order[threadIdx.x]; // HERE
    asm volatile("// here");
    y[threadIdx.x] = x[at & 31];
}
static void case_is_address(void) {
    int *x = device_array<int>(32);
    cudaMemset(x, 0, 32 * sizeof *x);
    is_address<<<1, 32>>>(x, device_array<int>(32));
}

// EXPECT after_a_loop 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __shared__ memory read of size 8 bytes
// SAYS in tests/check/undefined.cu:LINE
// SAYS a result that depends on it is stored
__global__ void after_a_loop(double *y, int n) {
    __shared__ double tile[64];
    if (threadIdx.x != 5)
        tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += tile[(threadIdx.x + i) & 63]; // HERE
    if (threadIdx.x == 0)
        y[0] = sum;
}
static void case_after_a_loop(void) {
    after_a_loop<<<1, 64>>>(device_array<double>(1), 10);
}

/* The value goes to another warp through shared memory, is copied to another kernel, and through a function that calls itself. */
// EXPECT far_away 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS at far_away(const int *, int *) in tests/check/undefined.cu:LINE
// SAYS a result that depends on it is stored
__device__ __noinline__ int carried(const int *x, int n) {
    return n == 0 ? x[0] : carried(x, n - 1) + n;
}
__global__ void copies(const int *x, int *y) {
    __shared__ int tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x ^ 32];
}
__global__ void far_away(const int *x, int *y) {
    int own = x[threadIdx.x]; // HERE
    y[threadIdx.x] = own + carried(y, 3);
}
static void case_far_away(void) {
    int *x = device_array<int>(64), *y = device_array<int>(64), *z = device_array<int>(64);
    cudaMemset(x, 0, 32 * sizeof *x);
    cudaMemset(z, 0, 64 * sizeof *z);
    copies<<<1, 64>>>(x, y);
    far_away<<<1, 64>>>(y, z);
}

// EXPECT through_recursion 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS in tests/check/undefined.cu:
// SAYS and used at through_recursion(const int *, int *, int) in tests/check/undefined.cu:LINE
// SAYS a result that depends on it is stored
__global__ void through_recursion(const int *x, int *y, int n) {
    y[threadIdx.x] = carried(x + threadIdx.x, n); // HERE
}
static void case_through_recursion(void) {
    int *x = device_array<int>(32);
    cudaMemset(x, 0, 31 * sizeof *x);
    through_recursion<<<1, 32>>>(x, device_array<int>(32), 4);
}

// EXPECT to_other_warp 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS in tests/check/undefined.cu:LINE
// SAYS by thread (0,0,0) in block (0,0,0)
// SAYS a result that depends on it is stored
__global__ void to_other_warp(const int *x, int *y) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x < 32 ? x[threadIdx.x] * 3 : 1; // HERE
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x ^ 32] + 1;
}
static void case_to_other_warp(void) {
    to_other_warp<<<1, 64>>>(device_array<int>(32), device_array<int>(64));
}

// EXPECT own_array 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __local__ memory read of size 4 bytes
// SAYS in tests/check/undefined.cu:LINE
// SAYS The thread reads a local variable or array element that it has not initialized
__global__ void own_array(const int *x, int *y, int n) {
    int own[16];
    for (int k = 0; k < n; k++)
        own[(x[k] + k) & 15] = k;
    y[threadIdx.x] = own[(x[0] + threadIdx.x) & 15] * 2; // HERE
}
static void case_own_array(void) {
    int *x = device_array<int>(32);
    cudaMemset(x, 0, 32 * sizeof *x);
    own_array<<<1, 16>>>(x, device_array<int>(32), 15);
}

// EXPECT votes_undefined 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS in tests/check/undefined.cu:LINE
// SAYS by thread (31,0,0) in block (0,0,0)
__global__ void votes_undefined(const int *x, unsigned *y) {
    int v = x[threadIdx.x]; // HERE
    y[threadIdx.x] = __popc(__ballot_sync(~0u, v > 3));
}
static void case_votes_undefined(void) {
    int *x = device_array<int>(32);
    cudaMemset(x, 0, 31 * sizeof *x);
    votes_undefined<<<1, 32>>>(x, device_array<unsigned>(32));
}

// EXPECT matches_undefined 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS it selects the lanes that participate or are read
__global__ void matches_undefined(const int *x, unsigned *y) {
    unsigned group = __match_any_sync(~0u, x[threadIdx.x]);
    asm volatile("// here");
    y[threadIdx.x] = __shfl_sync(group, threadIdx.x, __ffs(group) - 1);
}
static void case_matches_undefined(void) {
    int *x = device_array<int>(32);
    cudaMemset(x, 0, 31 * sizeof *x);
    matches_undefined<<<1, 32>>>(x, device_array<unsigned>(32));
}

// EXPECT operand_of_atomic 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS it is an operand of an atomic operation
__global__ void operand_of_atomic(const int *x, int *sum) {
    int v = x[threadIdx.x];
    asm volatile("// here");
    atomicAdd(sum, v);
}
static void case_operand_of_atomic(void) {
    int *sum = device_array<int>(1);
    cudaMemset(sum, 0, sizeof *sum);
    operand_of_atomic<<<1, 32>>>(device_array<int>(32), sum);
}

// EXPECT printed 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS by thread (1,0,0) in block (0,0,0)
// SAYS it is an argument
__global__ void prints(const int *x) {
    int v = x[threadIdx.x], w = x[threadIdx.x * 2];
    asm volatile("// here");
    if (threadIdx.x == 1)
        printf("%d %5.1f %d\n", 3, 2.5, v);
    else
        printf("%d%c\n", w, ' ');
}
static void case_printed(void) {
    int *x = device_array<int>(3);
    cudaMemset(x, 0, sizeof *x);
    prints<<<1, 2>>>(x);
}

// EXPECT chosen_undefined 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 16 bytes
// SAYS by thread (3,0,0) in block (0,0,0)
__global__ void chosen_undefined(const float4 *x, float *y) {
    float4 v = x[threadIdx.x];
    y[threadIdx.x] = threadIdx.x == 3 ? v.w + 1 : v.x + 1;
}
static void case_chosen_undefined(void) {
    float4 *x = device_array<float4>(32);
    cudaMemset2D(x, sizeof *x, 0, 3 * sizeof(float), 32);
    chosen_undefined<<<1, 32>>>(x, device_array<float>(32));
}

// EXPECT one_side_of_branch 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS by thread (6,0,0) in block (0,0,0)
// SAYS and 12 more such reads
__global__ void one_side_of_branch(const int *x, int *y) {
    int v = 1;
    if (threadIdx.x & 2) {
        asm volatile("// one");
        v = x[threadIdx.x];
    } else {
        asm volatile("// other");
        v = 5;
    }
    y[threadIdx.x] = v * 7;
}
static void case_one_side_of_branch(void) {
    int *x = device_array<int>(32);
    cudaMemset(x, 0, 6 * sizeof *x);
    cudaMemset(x + 31, 0, sizeof *x);
    one_side_of_branch<<<1, 32>>>(x, device_array<int>(32));
}

// EXPECT lane_asked_has_left 0 uninitialized
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS Error: Undefined value of a shuffle: its lane reads from lane 20, which does not participate
// SAYS in tests/check/undefined.cu:LINE
// SAYS by thread (4,0,0) in block (0,0,0)
// SAYS a result that depends on it is stored
__global__ void sum_of_some(const int *x, int *y, int n) {
    int v = x[threadIdx.x];
    if (threadIdx.x >= n)
        return;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d); // HERE
    if (threadIdx.x == 0)
        y[0] = v;
}
static void sum_over(int n) {
    int *x = device_array<int>(32);
    cudaMemset(x, 0, 32 * sizeof *x);
    sum_of_some<<<1, 32>>>(x, device_array<int>(1), n);
}
static void case_lane_asked_has_left(void) {
    sum_over(20);
}

// EXPECT lane_asked_warns 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck
// SAYS Warning: Undefined value of a shuffle: its lane reads from lane 20, which does not participate
// SAYS ERROR SUMMARY: 0 errors, 1 warning
static void case_lane_asked_warns(void) {
    sum_over(20);
}

/* ---- what is not used ---- */

// EXPECT only_carried 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
struct padded {
    char small;
    double large;
    short last;
};
__global__ void fill_padded(padded *x) {
    x[threadIdx.x].small = 1;
    x[threadIdx.x].large = threadIdx.x;
    x[threadIdx.x].last = 3;
}
__global__ void carry_padded(const padded *x, padded *y, double *sums) {
    __shared__ padded tile[64];
    padded own = x[threadIdx.x], copies[2] = {own, own};
    tile[threadIdx.x] = copies[(int)own.small & 1];
    __syncthreads();
    padded other = tile[threadIdx.x ^ 32];
    y[threadIdx.x] = other;
    sums[threadIdx.x] = other.small + other.large + other.last;
}
/* A whole tile is loaded, stored and loaded, of which only a part is ever used; bytes, halves and pairs of words with holes. */
__global__ void carry_tile(const float4 *x, float *y, int n) {
    __shared__ float4 tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const float *words = (const float *)tile;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += words[i];
    y[threadIdx.x] = sum;
}
__global__ void carry_bytes(const unsigned *x, unsigned *y) {
    unsigned word = x[threadIdx.x];
    unsigned low = word & 0xffff, third = word >> 16 & 0xff, pair = __byte_perm(word, 0, 0x4421);
    y[threadIdx.x] = low + third + pair + (word << 16) / 3 + (unsigned char)word + (short)word;
}
__global__ void carry_halves(const unsigned long long *x, unsigned *y) {
    unsigned long long pair = x[threadIdx.x];
    y[threadIdx.x] = (unsigned)pair + 1 + (threadIdx.x % 2 ? (unsigned)(pair >> 32) & 0 : 3);
}
/* The slots of warps that are not there are read and not chosen; nothing comes of what is subtracted from itself. */
__global__ void sum_of_slots(const int *x, int *y, int warps) {
    __shared__ int slots[32];
    int lane = threadIdx.x % 32;
    if (lane == 0)
        slots[threadIdx.x / 32] = x[threadIdx.x];
    __syncthreads();
    int all = slots[lane], own = lane < warps ? all : 0;
    own += (all - all) + (all ^ all);
    for (int d = 16; d > 0; d /= 2)
        own += __shfl_xor_sync(~0u, own, d);
    y[threadIdx.x] = own;
}
static void case_only_carried(void) {
    padded *a = device_array<padded>(64), *b = device_array<padded>(64);
    float4 *x = device_array<float4>(64);
    unsigned long long *pairs = device_array<unsigned long long>(64);
    int *ones = device_array<int>(64), *y = device_array<int>(64);
    fill_padded<<<1, 64>>>(a);
    carry_padded<<<1, 64>>>(a, b, device_array<double>(64));
    cudaMemset(x, 0, 100 * sizeof(float));
    carry_tile<<<1, 64>>>(x, device_array<float>(64), 100);
    cudaMemset2D(x, 4, 1, 3, 256);
    carry_bytes<<<1, 64>>>((unsigned *)x, device_array<unsigned>(64));
    cudaMemset2D(pairs, 8, 1, 4, 64);
    carry_halves<<<1, 64>>>(pairs, device_array<unsigned>(64));
    cudaMemset(ones, 1, 64 * sizeof *ones);
    sum_of_slots<<<1, 64>>>(ones, y, 2);
    need(at(y, 63) == 2 * 0x01010101, "sum of two slots");
}

// EXPECT part_of_warp 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
/* A scan over a short last warp: lanes ask such that are not there, and do not use it. */
__global__ void scan_of_some(const int *x, int *y, int n) {
    int i = threadIdx.x, v = i < n ? x[i] : 0;
    if (i >= n)
        return;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u >> (32 - n), v, d), right = __shfl_down_sync(~0u >> (32 - n), v, d);
        v += i >= d ? left : 0;
        y[32 + i] = i + d < n ? right : 0;
    }
    y[i] = v;
}
/* Registers that held something undefined hold something else later: special registers, parameters, addresses. */
__global__ void used_again(const int4 *x, int4 *y, int *z, int n) {
    int4 a = x[threadIdx.x], b = x[threadIdx.x + 32], c = x[threadIdx.x + 64], d = x[threadIdx.x + 96];
    asm volatile("// all are there");
    y[threadIdx.x] = a, y[threadIdx.x + 32] = b, y[threadIdx.x + 64] = c, y[threadIdx.x + 96] = d;
    if (n > 0) {
        asm volatile("// and gone");
        z[blockIdx.x * 32 + threadIdx.x] = blockIdx.y + gridDim.z + n + (int)(clock64() & 0);
    }
}
static void case_part_of_warp(void) {
    int *x = device_array<int>(32), *y = device_array<int>(64);
    cudaMemset(x, 0, 32 * sizeof *x);
    scan_of_some<<<1, 20>>>(x, y, 20);
    scan_of_some<<<1, 32>>>(x, y, 17);
    sum_over(32);
    used_again<<<2, 32>>>(device_array<int4>(128), device_array<int4>(128), device_array<int>(64), 3);
    need(at(y, 16) == 0, "scan of zeros");
}

// EXPECT decided_without 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
/* A comparison of what is undefined, of which the other condition makes nothing: in predicates, and in votes. */
__global__ void decided_without(const int *x, int *y, int n) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    if (i < n)
        tile[i] = x[i];
    __syncwarp();
    int v = tile[i];
    bool large = v > 3, inside = i < n, both = large & inside;
    if (both)
        y[i] = 1;
    if (!(large | !inside))
        y[i] = 2;
    if (__any_sync(~0u, large & inside) || !__all_sync(~0u, large | !inside))
        y[i] = 3;
    int least = inside ? min(v, 7) : 7;
    y[i] = __popc(__match_any_sync(~0u, least));
}
static void case_decided_without(void) {
    int *x = device_array<int>(32);
    cudaMemset(x, 1, 32 * sizeof *x);
    decided_without<<<1, 32>>>(x, device_array<int>(32), 9);
}

/* ---- matrices ---- */

typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> accumulator;
/* c = c + 0 * 0; one register of lane 3 is undefined. */
__device__ void add_nothing(accumulator &c, const float *x) {
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> a;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major> b;
    nvcuda::wmma::fill_fragment(a, 0.0f);
    nvcuda::wmma::fill_fragment(b, 0.0f);
    for (int i = 0; i < c.num_elements; i++)
        c.x[i] = i == 2 ? x[threadIdx.x] : 1.0f;
    nvcuda::wmma::mma_sync(c, a, b, c);
}

// EXPECT product_of_undefined 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS by thread (3,0,0) in block (0,0,0)
__global__ void product_of_undefined(const float *x, float *y) {
    accumulator c;
    add_nothing(c, x);
    y[threadIdx.x] = c.x[2];
}
static float *all_but_one() {
    float *x = device_array<float>(32);
    cudaMemset(x, 0, 3 * sizeof *x);
    cudaMemset(x + 4, 0, 28 * sizeof *x);
    return x;
}
static void case_product_of_undefined(void) {
    product_of_undefined<<<1, 32>>>(all_but_one(), device_array<float>(32));
}

// EXPECT product_stored 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS by thread (3,0,0) in block (0,0,0)
__global__ void product_stored(const float *x, float *y) {
    accumulator c;
    add_nothing(c, x);
    nvcuda::wmma::store_matrix_sync(y, c, 16, nvcuda::wmma::mem_row_major);
}
static void case_product_stored(void) {
    product_stored<<<1, 32>>>(all_but_one(), device_array<float>(256));
}

// EXPECT product_of_others 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
__global__ void product_of_others(const float *x, float *y) {
    accumulator c;
    add_nothing(c, x);
    for (int i = 0; i < c.num_elements; i++)
        if (i != 2 || threadIdx.x != 3)
            y[32 * i + threadIdx.x] = c.x[i] + 1;
}
static void case_product_of_others(void) {
    product_of_others<<<1, 32>>>(all_but_one(), device_array<float>(256));
}

/* ---- a *_sync function in an if ---- */

// EXPECT shuffle_in_if 0 lost_lane
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ========= Barrier error detected. Divergent thread(s) in warp.
// SAYS at shuffle_in_if(const float *, float *, int) in tests/check/undefined.cu:LINE
// SAYS Its mask names lane 0, which skips it and executes shuffle_in_if(const float *, float *, int)
// SAYS Move the call out of the if
__global__ void shuffle_in_if(const float *x, float *y, int n) {
    int i = threadIdx.x, source = i - 5;
    float v = x[i], value = 0;
    if (source >= 0)
        value = __shfl_sync(~0u, v, source); // HERE
    if (i < n)
        y[i] = value;
}
static void launch_shuffle_in_if(void) {
    float *x = device_array<float>(32);
    cudaMemset(x, 0, 32 * sizeof *x);
    shuffle_in_if<<<1, 32>>>(x, device_array<float>(32), 32);
}
static void case_shuffle_in_if(void) {
    launch_shuffle_in_if();
}

// EXPECT shuffle_in_if_warns 0 none
// CHECKS synccheck
// SAYS ========= Warning: Barrier error detected. Divergent thread(s) in warp.
// SAYS ERROR SUMMARY: 0 errors, 1 warning
static void case_shuffle_in_if_warns(void) {
    launch_shuffle_in_if();
}

// EXPECT syncwarp_in_if 0 lost_lane
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS Barrier error detected. Divergent thread(s) in warp.
// SAYS in tests/check/undefined.cu:LINE
__global__ void syncwarp_in_if(int *y) {
    int i = threadIdx.x;
    if (i < 16) {
        y[i + 32] = i;
        __syncwarp(); // HERE
    }
    y[i] = 2;
}
static void case_syncwarp_in_if(void) {
    syncwarp_in_if<<<1, 32>>>(device_array<int>(64));
}

// EXPECT lanes_return 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
/* Lanes leave the kernel, some after they have done their work; others leave a loop, late and each by itself; and two sides of a
 * branch come to one function. */
__global__ void lanes_return(int *y, int n) {
    int i = threadIdx.x, votes = 0;
    if (i >= n + 8)
        return;
    if (i >= n) {
        y[i] = 7;
        return;
    }
    votes = __popc(__ballot_sync(~0u, i & 1)) + __shfl_xor_sync(~0u, i, 1);
    y[i] = votes;
#pragma unroll 1
    for (int k = 0;; k++) {
        __syncwarp();
        if (i & 1)
            y[i] += k;
        if (k == i / 4) {
            y[i] += __popc(__ballot_sync(__activemask(), 1));
            return;
        }
    }
}
__global__ void two_sides(int *y) {
    int i = threadIdx.x;
    if (i < 16) {
        asm volatile("// one side");
        y[i] = __shfl_xor_sync(~0u, i, 16);
    } else {
        asm volatile("// the other");
        y[i] = 2 * __shfl_xor_sync(~0u, i, 16);
    }
    y[i + 32] = i;
}
__global__ void own_mask(int *y) {
    int i = threadIdx.x;
    unsigned mask = __ballot_sync(~0u, i >= 5);
    if (i >= 5)
        y[i] = __shfl_sync(mask, i, 31);
    y[i + 32] = i;
}
static void case_lanes_return(void) {
    lanes_return<<<1, 32>>>(device_array<int>(32), 16);
    two_sides<<<1, 32>>>(device_array<int>(64));
    own_mask<<<1, 32>>>(device_array<int>(64));
}

/* ---- a plain run gives what an H200 gives ---- */

// EXPECT nobody_is_zero 0 none
// SILENT
__global__ void nobody_is_zero(int *y) {
    unsigned mask = __ballot_sync(~0u, threadIdx.x < 8);
    if (threadIdx.x < 8) {
        int sum = 1;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(mask, sum, d);
        if (threadIdx.x == 0)
            *y = sum;
    }
}
static void case_nobody_is_zero(void) {
    int *y = device_array<int>(1);
    nobody_is_zero<<<1, 32>>>(y);
    need(at(y, 0) == 8, "a sum over 8 lanes");
}

static const struct test_case cases[] = {
    CASE(bins_not_cleared),
    CASE(largest_not_set),
    CASE(part_of_word),
    CASE(second_half),
    CASE(decides_branch),
    CASE(is_address),
    CASE(after_a_loop),
    CASE(far_away),
    CASE(through_recursion),
    CASE(to_other_warp),
    CASE(own_array),
    CASE(votes_undefined),
    CASE(matches_undefined),
    CASE(operand_of_atomic),
    CASE(printed),
    CASE(chosen_undefined),
    CASE(one_side_of_branch),
    CASE(lane_asked_has_left),
    CASE(lane_asked_warns),
    CASE(only_carried),
    CASE(part_of_warp),
    CASE(decided_without),
    CASE(product_of_undefined),
    CASE(product_stored),
    CASE(product_of_others),
    CASE(shuffle_in_if),
    CASE(shuffle_in_if_warns),
    CASE(syncwarp_in_if),
    CASE(lanes_return),
    CASE(nobody_is_zero),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
