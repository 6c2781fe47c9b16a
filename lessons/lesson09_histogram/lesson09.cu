/* Lesson 09: histogram. How often does each value occur?
 *
 *     make lesson09 run                     all versions on several sizes and four kinds of bytes, verified, then measured (or counted)
 *     make lesson09 run V=4 SIZE=1000003    one version, one size
 *
 * You will learn what to do when many threads change the same few words: atomics, copies of the words for fewer and fewer threads,
 * and aggregation. And that a kernel's speed may depend on its input's values.
 *
 *     histogram_kernel1    a thread for each byte, and atomics in global memory
 *     histogram_kernel2    each block counts in shared memory, for many bytes, and adds its counts to the result at the end
 *     histogram_kernel3    16 bytes with a load, and several loads at once
 *     histogram_kernel4    a copy of the counters for each warp
 *     histogram_kernel5    equal bytes of a thread are counted together
 *     histogram_kernel6    equal bytes of a warp are counted together
 *     histogram_kernel7    a copy for each lane, in a separate bank
 *     histogram_kernel8    a copy for each of 64 threads: the byte becomes a byte of the address
 *     histogram_kernel9    software pipelining: the next bytes are loaded before these are counted
 *     histogram_kernel10   counters of one byte for each thread, without atomics
 */
#include <stdint.h>

#include "measure.h"

typedef unsigned char byte;

enum { WARP = 32 };
enum { BLOCK = 1024 };        // threads in a block
enum { BLOCKS_THAT_FIT = 2 }; // 2 x 1024 threads are as many as one SM holds
enum { LOADS = 4 };           // vectors of 16 bytes that a thread loads at once
#define ALL_LANES 0xffffffffu

// ---------------------------------------------------------------- the reference

static void histogram_cpu(const byte *x, unsigned *counts, int n) {
    for (int b = 0; b < BINS; b++) {
        counts[b] = 0;
    }
    for (int i = 0; i < n; i++) {
        counts[x[i]]++;
    }
}

// ---------------------------------------------------------------- the versions

/* x[n] bytes -> counts[256]; each version adds to counts, which hold 0 before. A counter is called a bin. */

/* Version 1: a thread for each byte. Two threads that do counts[b]++ may both read 5 and both write 6, so the addition has to be made in one
 * piece. */
static __global__ void histogram_kernel1(const byte *x, unsigned *counts, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[x[i]], 1);
    }
}

/* Version 2: each block has private counters, in shared memory, and adds them to the result when it is done. That pays only where a block
 * counts many more bytes than it has counters, so the grid is as large as fits on the GPU, and each thread goes through x in steps of the grid. */
static __global__ void histogram_kernel2(const byte *x, unsigned *counts, int n) {
    __shared__ unsigned bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        bins[b] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        atomicAdd(&bins[x[i]], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        atomicAdd(&counts[b], bins[b]);
    }
}

/* Version 3: a load of one byte for each thread is a small one: 32 bytes for a warp. So load vectors of 16 bytes, and four of them before the first
 * one is counted (lesson 03's bytes in flight). A vector has to be aligned to 16 bytes, and x may start anywhere. */
struct vectors {
    const uint4 *v; // the whole vectors of x
    int count;
    int before, behind; // bytes that are in none of them: the first ones, and the last ones
};

static __device__ struct vectors vectors_of(const byte *x, int n) {
    int before = min((int)(-(uintptr_t)x % sizeof(uint4)), n), count = (n - before) / 16;
    return {(const uint4 *)(x + before), count, before, n - before - 16 * count};
}

/* The bytes that are in no vector: block 0's. */
template <class ONE> static __device__ void count_rest(struct vectors all, const byte *x, int n, ONE one) {
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t < all.before) {
        one(x[t]);
    }
    if (blockIdx.x == 0 && t < all.behind) {
        one(x[n - all.behind + t]);
    }
}

/* Calls count(word) for all vectors, with four bytes each time, and one(b) for the rest. */
template <class WORD, class ONE> static __device__ void read(const byte *x, int n, WORD count, ONE one) {
    struct vectors all = vectors_of(x, n);
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < all.count; i += LOADS * stride) {
        uint4 a[LOADS];
        bool whole = i + (LOADS - 1) * stride < all.count; // may be false only in the last round
        for (int k = 0; k < LOADS; k++) {
            if (whole || i + k * stride < all.count) {
                a[k] = __ldcs(&all.v[i + k * stride]); // cs: streaming, it is read only once
            }
        }
        for (int k = 0; k < LOADS; k++) {
            if (whole || i + k * stride < all.count) {
                count(a[k].x), count(a[k].y), count(a[k].z), count(a[k].w);
            }
        }
    }
    count_rest(all, x, n, one);
}

static __device__ unsigned byte_of(unsigned word, int k) {
    return word >> (8 * k) & 255;
}

static __global__ void histogram_kernel3(const byte *x, unsigned *counts, int n) {
    __shared__ unsigned bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        bins[b] = 0;
    }
    __syncthreads();
    auto one = [&](unsigned b) { atomicAdd(&bins[b], 1); };
    auto four = [&](unsigned word) {
        for (int k = 0; k < 4; k++) {
            one(byte_of(word, k));
        }
    };
    read(x, n, four, one);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        atomicAdd(&counts[b], bins[b]);
    }
}

/* Version 4: a copy of the counters for each warp of the block, so that no two warps update the same word. Do two lanes of a warp? */
static __global__ void histogram_kernel4(const byte *x, unsigned *counts, int n) {
    __shared__ unsigned bins[BLOCK / WARP][BINS];
    for (int b = threadIdx.x; b < BINS * (BLOCK / WARP); b += BLOCK) {
        bins[0][b] = 0;
    }
    __syncthreads();
    unsigned *mine = bins[threadIdx.x / WARP];
    auto one = [&](unsigned b) { atomicAdd(&mine[b], 1); };
    auto four = [&](unsigned word) {
        for (int k = 0; k < 4; k++) {
            one(byte_of(word, k));
        }
    };
    read(x, n, four, one);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0; // one atomic for all warps
        for (int w = 0; w < BLOCK / WARP; w++) {
            sum += bins[w][b];
        }
        atomicAdd(&counts[b], sum);
    }
}

/* Version 5: as version 3, but four equal bytes of a word are one addition. */
static __global__ void histogram_kernel5(const byte *x, unsigned *counts, int n) {
    __shared__ unsigned bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        bins[b] = 0;
    }
    __syncthreads();
    auto one = [&](unsigned b) { atomicAdd(&bins[b], 1); };
    auto four = [&](unsigned word) {
        unsigned first = byte_of(word, 0);
        if (word == first * 0x01010101u) {
            atomicAdd(&bins[first], 4);
        } else {
            for (int k = 0; k < 4; k++) {
                one(byte_of(word, k));
            }
        }
    };
    read(x, n, four, one);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        atomicAdd(&counts[b], bins[b]);
    }
}

/* Version 6: as version 3, but equal bytes of a warp are one addition. Match (lesson 06) gives each lane the mask of those lanes that have the
 * same byte; the first of them adds for all. All lanes have to participate, so a warp's lanes iterate together, and a lane without a vector
 * passes a value that is no byte. */
static __device__ void add_for_all_equal(unsigned *bins, unsigned value) {
    unsigned equal = __match_any_sync(ALL_LANES, value), lane = threadIdx.x % WARP;
    if (value < BINS && lane == __ffs(equal) - 1) {
        atomicAdd(&bins[value], __popc(equal));
    }
}

static __global__ void histogram_kernel6(const byte *x, unsigned *counts, int n) {
    __shared__ unsigned bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        bins[b] = 0;
    }
    __syncthreads();
    struct vectors all = vectors_of(x, n);
    int t = threadIdx.x, lane = t % WARP;
    for (int first = blockIdx.x * BLOCK + t - lane; first < all.count; first += gridDim.x * BLOCK) {
        bool mine = first + lane < all.count;
        uint4 a = mine ? __ldcs(&all.v[first + lane]) : make_uint4(0, 0, 0, 0);
        for (int k = 0; k < 16; k++) {
            unsigned word = k < 4 ? a.x : k < 8 ? a.y : k < 12 ? a.z : a.w;
            add_for_all_equal(bins, mine ? byte_of(word, k % 4) : BINS + 0u);
        }
    }
    count_rest(all, x, n, [&](unsigned b) { atomicAdd(&bins[b], 1); });
    __syncthreads();
    for (int b = t; b < BINS; b += BLOCK) {
        atomicAdd(&counts[b], bins[b]);
    }
}

/* Version 7: a copy for each lane, and the 32 copies of a counter side by side: bins[b][lane] is in bank `lane`, whatever b is. So no two lanes of
 * a warp conflict, at a word or in a bank. The warps of the block share the copies. At the end a thread adds up the copies of one counter, and
 * each begins with another one, or all of them would access the same bank. */
static __global__ void histogram_kernel7(const byte *x, unsigned *counts, int n) {
    __shared__ unsigned bins[BINS][WARP];
    for (int b = threadIdx.x; b < BINS * WARP; b += BLOCK) {
        bins[0][b] = 0;
    }
    __syncthreads();
    int lane = threadIdx.x % WARP;
    auto one = [&](unsigned b) { atomicAdd(&bins[b][lane], 1); };
    auto four = [&](unsigned word) {
        for (int k = 0; k < 4; k++) {
            one(byte_of(word, k));
        }
    };
    read(x, n, four, one);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (int k = 0; k < WARP; k++) {
            sum += bins[b][(b + k) % WARP];
        }
        atomicAdd(&counts[b], sum);
    }
}

/* Version 8: 64 copies, so that the copies of a counter fill 256 bytes. Then the counter of byte b and copy c is b * 256 + c * 4 bytes after the
 * first one: a number whose lowest byte is c * 4 and whose next one is b. To bring four bytes together in any order is one instruction, __byte_perm,
 * where a shift, a mask and an addition were needed. The price: 64 KB of shared memory to clear and to add up, so there is one block for an
 * SM, and four threads add up the copies of one counter. */
enum { COPIES = 64 };

static __device__ void clear_copies(unsigned *bins) {
    for (int i = threadIdx.x; i < BINS * COPIES / 4; i += BLOCK) {
        ((uint4 *)bins)[i] = make_uint4(0, 0, 0, 0);
    }
}

/* What adds a byte, or four, to a thread's copy. */
struct adder {
    unsigned *bins, copy; // copy: 4 * its number

    __device__ void add(unsigned offset) const { atomicAdd((unsigned *)((char *)bins + offset), 1); }
    __device__ void one(unsigned b) const { add(b << 8 | copy); }
    __device__ void four(unsigned word) const { // bytes 0 to 3 are the word's, 4 the lowest one of copy, and 5 is 0
        add(__byte_perm(word, copy, 0x5504));
        add(__byte_perm(word, copy, 0x5514));
        add(__byte_perm(word, copy, 0x5524));
        add(__byte_perm(word, copy, 0x5534));
    }
};

/* Blocks are done at about the same time: each begins with other counters, so that they do not all update the same ones in global memory. */
static __device__ void add_up_copies(const unsigned *bins, unsigned *counts) {
    int b = (threadIdx.x / 4 + 8 * blockIdx.x) % BINS, quarter = threadIdx.x % 4; // BLOCK is 4 * BINS
    unsigned sum = 0;
    for (int k = 0; k < COPIES / 4; k++) {
        sum += bins[b * COPIES + quarter + 4 * ((b + k) % (COPIES / 4))];
    }
    sum += __shfl_xor_sync(ALL_LANES, sum, 1);
    sum += __shfl_xor_sync(ALL_LANES, sum, 2);
    if (quarter == 0 && sum) {
        atomicAdd(&counts[b], sum);
    }
}

static __global__ void __launch_bounds__(BLOCK) histogram_kernel8(const byte *x, unsigned *counts, int n) {
    extern __shared__ unsigned bins[]; // bins[BINS][COPIES]
    clear_copies(bins);
    __syncthreads();
    struct adder mine = {bins, threadIdx.x % COPIES * (unsigned)sizeof(unsigned)};
    read(
        x, n, [&](unsigned word) { mine.four(word); }, [&](unsigned b) { mine.one(b); });
    __syncthreads();
    add_up_copies(bins, counts);
}

/* Version 9: while a thread counts what it has, it has no loads in flight. So it loads the next four vectors before it counts these: two
 * buffers in registers. The first four are loaded before the counters are cleared. */
static __device__ void load_round(const uint4 *v, int stride, uint4 a[LOADS]) {
    for (int k = 0; k < LOADS; k++) {
        a[k] = __ldcs(&v[k * stride]);
    }
}

static __global__ void __launch_bounds__(BLOCK) histogram_kernel9(const byte *x, unsigned *counts, int n) {
    extern __shared__ unsigned bins[]; // bins[BINS][COPIES]
    struct vectors all = vectors_of(x, n);
    struct adder mine = {bins, threadIdx.x % COPIES * (unsigned)sizeof(unsigned)};
    int stride = gridDim.x * BLOCK, i = blockIdx.x * BLOCK + threadIdx.x;
    uint4 a[LOADS], next[LOADS];
    bool whole = i + (LOADS - 1) * stride < all.count;
    if (whole) {
        load_round(&all.v[i], stride, a);
    }
    clear_copies(bins);
    __syncthreads();
    while (whole) {
        i += LOADS * stride;
        whole = i + (LOADS - 1) * stride < all.count;
        if (whole) {
            load_round(&all.v[i], stride, next);
        }
        for (int k = 0; k < LOADS; k++) {
            mine.four(a[k].x), mine.four(a[k].y), mine.four(a[k].z), mine.four(a[k].w);
            a[k] = next[k];
        }
    }
    for (int k = 0; k < LOADS; k++) { // of the last round only a part may be there
        if (i + k * stride < all.count) {
            a[k] = __ldcs(&all.v[i + k * stride]);
        }
    }
    for (int k = 0; k < LOADS; k++) {
        if (i + k * stride < all.count) {
            mine.four(a[k].x), mine.four(a[k].y), mine.four(a[k].z), mine.four(a[k].w);
        }
    }
    count_rest(all, x, n, [&](unsigned b) { mine.one(b); });
    __syncthreads();
    add_up_copies(bins, counts);
}

/* Version 10: without atomics. Counters for each thread need no atomics, but 256 words for each thread are too many. So a counter has 8 bits. In
 * row b / 4 each thread has a word with its counters of four values: its own bank again. A counter that has come to 256 is 0 again, and the 256
 * are carried into a counter of the block. A thread must have read and written before it reads again. */
enum { SMALL_BLOCK = 128, ROWS = BINS / 4 };

static __global__ void histogram_kernel10(const byte *x, unsigned *counts, int n) {
    __shared__ unsigned words[ROWS][SMALL_BLOCK], carried[BINS];
    int t = threadIdx.x;
    for (int i = t; i < ROWS * SMALL_BLOCK; i += SMALL_BLOCK) {
        words[0][i] = 0;
    }
    for (int b = t; b < BINS; b += SMALL_BLOCK) {
        carried[b] = 0;
    }
    __syncthreads();
    auto one = [&](unsigned b) {
        byte *counter = (byte *)&words[b / 4][t] + b % 4;
        unsigned count = *counter + 1;
        *counter = (byte)count;
        if (count == 256) {
            atomicAdd(&carried[b], count);
        }
    };
    auto four = [&](unsigned word) {
        for (int k = 0; k < 4; k++) {
            one(byte_of(word, k));
        }
    };
    read(x, n, four, one);
    __syncthreads();
    unsigned even = 0,
             odd = 0; // two sums of 16 bits in each: two threads add up a row, 64 words with numbers up to 255
    for (int k = 0; k < SMALL_BLOCK / 2; k++) {
        unsigned word = words[t / 2][(t % 2) * (SMALL_BLOCK / 2) + (t + k) % (SMALL_BLOCK / 2)];
        even += word & 0x00ff00ff;
        odd += word >> 8 & 0x00ff00ff;
    }
    unsigned *four_counts = &carried[t / 2 * 4];
    atomicAdd(&four_counts[0], even & 0xffff);
    atomicAdd(&four_counts[1], odd & 0xffff);
    atomicAdd(&four_counts[2], even >> 16);
    atomicAdd(&four_counts[3], odd >> 16);
    __syncthreads();
    for (int b = t; b < BINS; b += SMALL_BLOCK) {
        atomicAdd(&counts[b], carried[b]);
    }
}

// ---------------------------------------------------------------- the launchers

static void clear(unsigned *counts, cudaStream_t stream) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts, stream));
}

static void histogram1(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    clear(counts, stream);
    if (n > 0) {
        histogram_kernel1<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, counts, n);
        CUDA_CHECK_LAUNCH();
    }
}

/* As many blocks as fit, but no more than n bytes are worth; and one for n = 0, to keep the launchers simple. */
static int blocks_for(int n, int bytes_of_a_block, int blocks_that_fit) {
    return max(1, min(ceil_div(n, bytes_of_a_block), multiprocessors() * blocks_that_fit));
}

static void histogram_in_blocks(void (*kernel)(const byte *, unsigned *, int), const byte *x, unsigned *counts, int n,
                                cudaStream_t stream) {
    clear(counts, stream);
    kernel<<<blocks_for(n, 16 * BLOCK, BLOCKS_THAT_FIT), BLOCK, 0, stream>>>(x, counts, n);
    CUDA_CHECK_LAUNCH();
}

static void histogram2(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    histogram_in_blocks(histogram_kernel2, x, counts, n, stream);
}

static void histogram3(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    histogram_in_blocks(histogram_kernel3, x, counts, n, stream);
}

static void histogram4(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    histogram_in_blocks(histogram_kernel4, x, counts, n, stream);
}

static void histogram5(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    histogram_in_blocks(histogram_kernel5, x, counts, n, stream);
}

static void histogram6(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    histogram_in_blocks(histogram_kernel6, x, counts, n, stream);
}

static void histogram7(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    histogram_in_blocks(histogram_kernel7, x, counts, n, stream);
}

/* Versions 8 and 9: more than 48 KB of shared memory must be dynamic, and requested. Every GPU since 2018 has 64 KB. */
enum { COPIES_BYTES = BINS * COPIES * sizeof(unsigned), COPIES_WORTH = 64 * 1024 };

static void histogram_in_copies(void (*kernel)(const byte *, unsigned *, int), const byte *x, unsigned *counts, int n,
                                cudaStream_t stream) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, COPIES_BYTES));
    clear(counts, stream);
    kernel<<<blocks_for(n, COPIES_WORTH, 1), BLOCK, COPIES_BYTES, stream>>>(x, counts, n);
    CUDA_CHECK_LAUNCH();
}

static void histogram8(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    histogram_in_copies(histogram_kernel8, x, counts, n, stream);
}

static void histogram9(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    histogram_in_copies(histogram_kernel9, x, counts, n, stream);
}

static void histogram10(const byte *x, unsigned *counts, int n, cudaStream_t stream) {
    int fit = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, histogram_kernel10, SMALL_BLOCK, 0));
    clear(counts, stream);
    histogram_kernel10<<<blocks_for(n, 64 * SMALL_BLOCK, fit), SMALL_BLOCK, 0, stream>>>(x, counts, n);
    CUDA_CHECK_LAUNCH();
}

static const struct version versions[] = {
    {"histogram_kernel1", histogram1, true},  {"histogram_kernel2", histogram2, false},
    {"histogram_kernel3", histogram3, false}, {"histogram_kernel4", histogram4, false},
    {"histogram_kernel5", histogram5, false}, {"histogram_kernel6", histogram6, false},
    {"histogram_kernel7", histogram7, false}, {"histogram_kernel8", histogram8, false},
    {"histogram_kernel9", histogram9, false}, {"histogram_kernel10", histogram10, false},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 15, 16, 17, 33, 1000, 1025, 100003},
              tables[] = {device_is_emulator() ? 1 << 20 : 1 << 28, device_is_emulator() ? 0 : 100000007};
    frame lesson = frame_of("histogram", versions, VERSIONS);
    lesson.largest_verified = LARGE - 1;
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
