/* Lesson 10: reduction, many numbers to one.
 *
 *     make lesson10 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson10 run V=10 SIZE=1000003   one version, one size
 *
 * You will learn how threads combine partial results: as a tree, in shared memory, from lane to
 * lane, between blocks. And what a sum of floats is worth: how exact it is, and whether it is the same each
 * time.
 *
 *     sum_kernel1    a tree in shared memory; the active threads are every 2nd, every 4th, ... one
 *     sum_kernel2    the active threads are the first ones: no warp diverges, but banks conflict
 *     sum_kernel3    neighbours read neighbours: no bank conflicts
 *     sum_kernel4    two elements per thread, added as they are loaded
 *     sum_kernel5    the last 32 threads are one warp, and need no barrier of the block
 *     sum_kernel6    from lane to lane: shuffles instead of shared memory
 *     sum_kernel7    a grid that fits the GPU, and a loop: each thread adds up many elements first
 *     sum_kernel8    four float4 at once: enough bytes in flight
 *     sum_kernel9    one launch: every block adds its sum to the result, when it is done (atomics)
 *     sum_kernel10   one launch: the block that is done last adds up the sums of all blocks
 *     sum_kernel11   one launch: the last block waits for words that hold a sum and a mark
 */
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"
#include "measure.h"

enum { WARP = 32 };
enum { BLOCK = 256 };          // threads in a block: 8 warps
enum { BLOCKS_THAT_FIT = 8 };  // version 7: 8 x 256 threads are as many as one SM holds
enum { LOADS = 8 };            // versions 8 to 11: float4 that a thread loads at once
enum { TILE = BLOCK * LOADS }; // and a block
enum { BLOCKS_PER_SM = 4 };    // versions 8 to 11: as many of their blocks as surely fit, see the page
#define ALL_LANES 0xffffffffu

// ---------------------------------------------------------------- the reference

/* In double, which has 29 bits more: at 2^28 elements its own rounding is still a million times smaller than a
 * float's. */
static double sum_cpu(const float *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum;
}

// ---------------------------------------------------------------- the versions

/* x[n] -> y[gridDim.x], float: block b writes the sum of its part to y[b]. Versions 1 to 8 have these shapes;
 * launched again on y, until one block is enough, they leave one number. An element that does not exist counts as 0. */

/* Version 1: a tree. In each step half of the sums that are left are added to the other half. In step 1 thread 0 adds
 * element 1, thread 2 adds element 3, ...; in step 2 thread 0 adds 2, thread 4 adds 6. Between two steps all have to
 * wait: what one thread adds is what another one has written. Which threads of a warp are active? */
static __global__ void sum_kernel1(const float *x, float *y, int n) {
    __shared__ float sums[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        if (t % (2 * step) == 0) {
            sums[t] += sums[t + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        y[blockIdx.x] = sums[0];
    }
}

/* Version 2: the same additions by other threads. In step s the first BLOCK / (2 s) threads do the work, so whole warps
 * continue and whole warps idle. But now the lanes of a warp access words that are 2, 4, 8, ... apart. */
static __global__ void sum_kernel2(const float *x, float *y, int n) {
    __shared__ float sums[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        int k = 2 * step * t;
        if (k < BLOCK) {
            sums[k] += sums[k + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        y[blockIdx.x] = sums[0];
    }
}

/* Version 3: another tree. The upper half is added to the lower half, again and again: neighbouring lanes, neighbouring
 * words. The order of the additions is another one, and with floats that may change the last bits of the result. */
static __global__ void sum_kernel3(const float *x, float *y, int n) {
    __shared__ float sums[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (t < step) {
            sums[t] += sums[t + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        y[blockIdx.x] = sums[0];
    }
}

/* Version 4: in version 3 half of the threads only load, and never add. Let each thread load two elements and add
 * them at once: half as many blocks, half as many steps in shared memory per element. */
static __global__ void sum_kernel4(const float *x, float *y, int n) {
    __shared__ float sums[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * (2 * BLOCK) + t;
    float low = i < n ? x[i] : 0.0f, high = i + BLOCK < n ? x[i + BLOCK] : 0.0f;
    sums[t] = low + high;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (t < step) {
            sums[t] += sums[t + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        y[blockIdx.x] = sums[0];
    }
}

/* Version 5: when 32 sums are left, one warp can do the rest, without the block's barrier; the other warps exit. The
 * lanes of that warp still have to wait for each other, twice per step: __syncwarp. All 32 lanes add, also those whose
 * sum is no longer used: that costs nothing, and no warp diverges. */
static __global__ void sum_kernel5(const float *x, float *y, int n) {
    __shared__ float sums[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * (2 * BLOCK) + t;
    float low = i < n ? x[i] : 0.0f, high = i + BLOCK < n ? x[i + BLOCK] : 0.0f;
    sums[t] = low + high;
    __syncthreads();
    for (int step = BLOCK / 2; step >= WARP; step /= 2) {
        if (t < step) {
            sums[t] += sums[t + step];
        }
        __syncthreads();
    }
    if (t >= WARP) {
        return;
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        float sum = sums[t] + sums[t + step];
        __syncwarp(); // all have read ...
        sums[t] = sum;
        __syncwarp(); // ... before one writes, and all have written before one reads
    }
    if (t == 0) {
        y[blockIdx.x] = sums[0];
    }
}

/* Version 6: a lane can read another lane's register (lesson 05). __shfl_xor_sync gives each lane the value of the
 * lane whose number differs in one bit, so after five steps all 32 have the sum. Shared memory is left with one word
 * per warp. */
static __device__ float warp_sum(float value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    return value;
}

/* The sum of the block's values, in the threads of the first warp. Between two calls there must be a barrier. */
static __device__ float block_sum(float value) {
    __shared__ float sums[BLOCK / WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    value = warp_sum(value);
    if (lane == 0) {
        sums[warp] = value;
    }
    __syncthreads();
    return warp == 0 ? warp_sum(lane < BLOCK / WARP ? sums[lane] : 0.0f) : 0.0f;
}

static __global__ void sum_kernel6(const float *x, float *y, int n) {
    int i = blockIdx.x * (2 * BLOCK) + threadIdx.x;
    float low = i < n ? x[i] : 0.0f, high = i + BLOCK < n ? x[i + BLOCK] : 0.0f;
    float sum = block_sum(low + high);
    if (threadIdx.x == 0) {
        y[blockIdx.x] = sum;
    }
}

/* Version 7: most of the time is spent on starting blocks and on the tree, and both are paid for once per thread. So
 * let there be as many threads as the GPU holds, and let each add up many elements in a register, before there is any
 * tree. */
static __global__ void sum_kernel7(const float *x, float *y, int n) {
    int stride = gridDim.x * BLOCK;
    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += stride) {
        sum += x[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        y[blockIdx.x] = sum;
    }
}

/* Version 8: lesson 03's law: the memory is busy when enough bytes are in flight. So a thread loads eight
 * float4, 128 bytes, before it adds the first one. A block takes a tile of 8 * 256 vectors, then the tile gridDim.x
 * further on. */
static __device__ float4 add(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static __device__ float thread_sum(const float *__restrict__ x, int n) {
    const float4 *v = (const float4 *)x;
    const float4 none = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    int vectors = n / 4, t = threadIdx.x;
    float4 sum = none, a[LOADS];
    for (int first = blockIdx.x * TILE; first < vectors; first += gridDim.x * TILE) {
        const float4 *mine = &v[first + t];
        if (first + TILE <= vectors) {
            for (int k = 0; k < LOADS; k++) {
                a[k] = __ldcs(&mine[k * BLOCK]); // cs: streaming, the element is read only once
            }
        } else { // the last tile may not be full
            for (int k = 0; k < LOADS; k++) {
                a[k] = first + t + k * BLOCK < vectors ? __ldcs(&mine[k * BLOCK]) : none;
            }
        }
        for (int k = 0; k < LOADS; k++) {
            sum = add(sum, a[k]);
        }
    }
    float rest = blockIdx.x == 0 && t < n % 4 ? x[4 * vectors + t] : 0.0f; // and up to three are no whole vector
    return (sum.x + sum.y) + (sum.z + sum.w) + rest;
}

static __global__ void sum_kernel8(const float *x, float *y, int n) {
    float sum = block_sum(thread_sum(x, n));
    if (threadIdx.x == 0) {
        y[blockIdx.x] = sum;
    }
}

/* Version 9: x[n] -> y[1], which must be 0 before. No second launch: each block adds its sum to the result, in one
 * piece (atomicAdd). Their order is unspecified, and a + b + c is not a + c + b. */
static __global__ void sum_kernel9(const float *x, float *y, int n) {
    float sum = block_sum(thread_sum(x, n));
    if (threadIdx.x == 0) {
        atomicAdd(y, sum);
    }
}

/* Version 10: x[n] -> y[1]. Each block leaves its sum in partial[], and then draws a number: how many blocks were
 * done before? The block with the last number can rely on all sums being stored, and adds them up, in the order of
 * the blocks and not in the order in which they finished. __threadfence: a block that sees my number sees my sum.
 * atomicInc counts to gridDim.x - 1 and then begins again at 0, so `done` is ready for the next launch. */
static __global__ void sum_kernel10(const float *x, float *y, int n, float *partial, unsigned *done) {
    __shared__ bool last;
    float sum = block_sum(thread_sum(x, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) {
        return;
    }
    __threadfence();
    sum = 0.0f;
    for (int b = threadIdx.x; b < gridDim.x; b += BLOCK) {
        sum += __ldcg(&partial[b]); // from L2, which all SMs share; after the fence any load would do
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        *y = sum;
    }
}

/* Version 11: x[n] -> y[1]. In version 10 a sum makes three trips to L2 and back, one after the other: the fence
 * waits for it, the counter is updated, the last block reads. Here a block writes its sum together with a mark, as one
 * word of 8 bytes, which is read and written whole: no fence, no counter. The last block of the grid reads each word
 * again and again until it is marked, and clears it for the next launch. It waits for other blocks, so these must be
 * running or done: see the page. */
static __global__ void sum_kernel11(const float *x, float *y, int n, volatile unsigned long long *words) {
    const unsigned long long mark = 1ull << 32;
    float sum = block_sum(thread_sum(x, n));
    if (threadIdx.x == 0) {
        words[blockIdx.x] = mark | __float_as_uint(sum);
    }
    if (blockIdx.x != gridDim.x - 1) {
        return;
    }
    sum = 0.0f;
    for (int b = threadIdx.x; b < gridDim.x; b += BLOCK) {
        unsigned long long word = words[b]; // volatile: loaded from L2 again each time
        while (word < mark) {
            word = words[b];
        }
        words[b] = 0;
        sum += __uint_as_float((unsigned)word);
    }
    __syncthreads(); // between two calls of block_sum
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        *y = sum;
    }
}

// ---------------------------------------------------------------- the launchers

/* Blocks for n elements, `each` of them in a block; n = 0 needs one as well, to write the sum of nothing. */
static int blocks_for(int n, int each) {
    return n == 0 ? 1 : ceil_div(n, each);
}

/* Versions 1 to 6: launches until one block is enough. The sums of one launch are the elements of the next. */
static void sum_in_passes(void (*kernel)(const float *, float *, int), int each, const float *x, float *y, int n,
                          struct scratch *scratch, cudaStream_t stream) {
    for (int pass = 0;; pass++) {
        int blocks = blocks_for(n, each);
        float *sums = blocks == 1 ? y : scratch->partial[pass % 2];
        kernel<<<blocks, BLOCK, 0, stream>>>(x, sums, n);
        CUDA_CHECK_LAUNCH();
        if (blocks == 1) {
            return;
        }
        x = sums;
        n = blocks;
    }
}

static void sum1(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    sum_in_passes(sum_kernel1, BLOCK, x, y, n, scratch, stream);
}

static void sum2(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    sum_in_passes(sum_kernel2, BLOCK, x, y, n, scratch, stream);
}

static void sum3(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    sum_in_passes(sum_kernel3, BLOCK, x, y, n, scratch, stream);
}

static void sum4(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    sum_in_passes(sum_kernel4, 2 * BLOCK, x, y, n, scratch, stream);
}

static void sum5(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    sum_in_passes(sum_kernel5, 2 * BLOCK, x, y, n, scratch, stream);
}

static void sum6(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    sum_in_passes(sum_kernel6, 2 * BLOCK, x, y, n, scratch, stream);
}

static void sum7(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    int blocks = min(blocks_for(n, BLOCK), multiprocessors() * BLOCKS_THAT_FIT);
    sum_kernel7<<<blocks, BLOCK, 0, stream>>>(x, scratch->partial[0], n);
    CUDA_CHECK_LAUNCH();
    sum_kernel7<<<1, BLOCK, 0, stream>>>(scratch->partial[0], y, blocks);
    CUDA_CHECK_LAUNCH();
}

/* The blocks of versions 8 to 11; 0: x is not where a float4 may be, so take version 7. */
static int blocks_of_tiles(const float *x, int n) {
    bool aligned = (uintptr_t)x % sizeof(float4) == 0;
    return aligned ? min(blocks_for(n, 4 * TILE), multiprocessors() * BLOCKS_PER_SM) : 0;
}

static void sum8(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    int blocks = blocks_of_tiles(x, n);
    if (blocks == 0) {
        sum7(x, y, n, scratch, stream);
        return;
    }
    sum_kernel8<<<blocks, BLOCK, 0, stream>>>(x, scratch->partial[0], n);
    CUDA_CHECK_LAUNCH();
    sum_kernel8<<<1, BLOCK, 0, stream>>>(scratch->partial[0], y, blocks);
    CUDA_CHECK_LAUNCH();
}

static void sum9(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    int blocks = blocks_of_tiles(x, n);
    if (blocks == 0) {
        sum7(x, y, n, scratch, stream);
        return;
    }
    CUDA_CHECK(cudaMemsetAsync(y, 0, sizeof *y, stream));
    sum_kernel9<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void sum10(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    int blocks = blocks_of_tiles(x, n);
    if (blocks == 0) {
        sum7(x, y, n, scratch, stream);
        return;
    }
    sum_kernel10<<<blocks, BLOCK, 0, stream>>>(x, y, n, scratch->partial[0], scratch->done);
    CUDA_CHECK_LAUNCH();
}

static void sum11(const float *x, float *y, int n, struct scratch *scratch, cudaStream_t stream) {
    int blocks = blocks_of_tiles(x, n);
    if (blocks == 0) {
        sum7(x, y, n, scratch, stream);
        return;
    }
    sum_kernel11<<<blocks, BLOCK, 0, stream>>>(x, y, n, scratch->words);
    CUDA_CHECK_LAUNCH();
}

static const struct version versions[] = {
    {"sum_kernel1", sum1, false},  {"sum_kernel2", sum2, false},  {"sum_kernel3", sum3, false},
    {"sum_kernel4", sum4, false},  {"sum_kernel5", sum5, false},  {"sum_kernel6", sum6, false},
    {"sum_kernel7", sum7, false},  {"sum_kernel8", sum8, true},   {"sum_kernel9", sum9, true},
    {"sum_kernel10", sum10, true}, {"sum_kernel11", sum11, true},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 100003}, tables[] = {1 << 20, device_is_emulator() ? 0 : 1 << 28};
    frame lesson = frame_of("reduction", versions, VERSIONS);
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
