// Sorting: bitonic in shared and in global memory, radix by four bits with stable ranks, merge sort by merge paths, and
// odd-even transposition. Keys with values, signed and floating keys.
#include "program.h"
#include <algorithm>

enum { BLOCK = 128, DIGITS = 16 };

__device__ void order(unsigned &a, unsigned &b, bool up) {
    if ((a > b) == up) {
        unsigned t = a;
        a = b;
        b = t;
    }
}

// A power of two of keys: all stages of one size that fit into a block.
__global__ void bitonic_shared(unsigned *keys) {
    __shared__ unsigned s[2 * BLOCK];
    int t = threadIdx.x, base = blockIdx.x * 2 * BLOCK;
    s[t] = keys[base + t];
    s[t + BLOCK] = keys[base + t + BLOCK];
    for (int size = 2; size <= 2 * BLOCK; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (stride - 1));
            order(s[i], s[i + stride], ((base + i) & size) == 0);
        }
    __syncthreads();
    keys[base + t] = s[t];
    keys[base + t + BLOCK] = s[t + BLOCK];
}
__global__ void bitonic_global(unsigned *keys, int size, int stride) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (stride - 1));
    order(keys[i], keys[i + stride], (i & size) == 0);
}

// Radix: how often each digit occurs in each block, the scan of that, and the stable place of every key.
__device__ unsigned digit(unsigned key, int shift) {
    return key >> shift & (DIGITS - 1);
}
__global__ void count_digits(const unsigned *keys, unsigned *counts, int n, int shift) {
    __shared__ unsigned bins[DIGITS];
    if (threadIdx.x < DIGITS)
        bins[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[digit(keys[i], shift)], 1);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
__global__ void scan_counts(unsigned *counts, int count) {
    unsigned carry = 0; // one warp goes over all of them
    for (int base = 0; base < count; base += 32) {
        int i = base + threadIdx.x;
        unsigned value = i < count ? counts[i] : 0, sum = value;
        for (int d = 1; d < 32; d *= 2) {
            unsigned other = __shfl_up_sync(~0u, sum, d);
            sum += threadIdx.x >= d ? other : 0;
        }
        if (i < count)
            counts[i] = carry + sum - value;
        carry += __shfl_sync(~0u, sum, 31);
    }
}
__global__ void scatter(const unsigned *keys, const unsigned *values, unsigned *keys_out, unsigned *values_out,
                        const unsigned *counts, int n, int shift) {
    __shared__ unsigned warps[BLOCK / 32][DIGITS];
    for (int k = threadIdx.x; k < BLOCK / 32 * DIGITS; k += BLOCK)
        (&warps[0][0])[k] = 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / 32;
    unsigned d = i < n ? digit(keys[i], shift) : DIGITS, same = __match_any_sync(~0u, d);
    unsigned rank = __popc(same & ((1u << threadIdx.x % 32) - 1));
    if (rank == 0 && d < DIGITS)
        warps[warp][d] = __popc(same);
    __syncthreads();
    if (i >= n)
        return;
    for (int w = 0; w < warp; w++)
        rank += warps[w][d];
    unsigned place = counts[d * gridDim.x + blockIdx.x] + rank;
    keys_out[place] = keys[i];
    values_out[place] = values[i];
}

// Merge sort: every thread finds where its run of outputs begins on the path through the two sorted inputs.
enum { RUN = 7 };
__global__ void merge(const int *from, int *to, int n, int width) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;
    for (int k = first; k < min(first + RUN, n);) {
        int pair = k / (2 * width) * (2 * width), middle = min(pair + width, n), end = min(pair + 2 * width, n);
        int diagonal = k - pair, low = max(0, diagonal - (end - middle)), high = min(diagonal, middle - pair);
        while (low < high) {
            int half = (low + high) / 2;
            if (from[pair + half] <= from[middle + diagonal - half - 1])
                low = half + 1;
            else
                high = half;
        }
        int a = pair + low, b = middle + diagonal - low;
        for (; k < min(min(first + RUN, n), end); k++)
            to[k] = b >= end || (a < middle && from[a] <= from[b]) ? from[a++] : from[b++];
    }
}

__global__ void odd_even(float *keys, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = keys[blockIdx.x * n + i];
    __syncthreads();
    for (int round = 0; round < n; round++) {
        for (int i = 2 * threadIdx.x + round % 2; i + 1 < n; i += 2 * blockDim.x)
            if (s[i] > s[i + 1]) {
                float t = s[i];
                s[i] = s[i + 1];
                s[i + 1] = t;
            }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        keys[blockIdx.x * n + i] = s[i];
}

static uint32_t seed = 9;

static void bitonic() {
    const int n = 4096;
    static unsigned x[n], expected[n];
    for (int i = 0; i < n; i++)
        expected[i] = x[i] = next_random(&seed) << 8;
    std::sort(expected, expected + n);
    unsigned *keys = to_device(x, n);
    bitonic_shared<<<n / 2 / BLOCK, BLOCK>>>(keys);
    for (int size = 4 * BLOCK; size <= n; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2)
            bitonic_global<<<n / 2 / BLOCK, BLOCK>>>(keys, size, stride);
    FINISH();
    from_device(x, keys, n);
    check_equal("bitonic sort", expected, x, n);
    show_bits("keys", x, n);
}

static void radix() {
    const int n = 5003, blocks = (n + BLOCK - 1) / BLOCK;
    static unsigned keys[n], values[n], expected_keys[n], expected_values[n];
    for (int i = 0; i < n; i++) {
        keys[i] = next_random(&seed) % 3000 * 1000003u; // several of each
        expected_values[i] = values[i] = i;
    }
    std::stable_sort(expected_values, expected_values + n, [](unsigned a, unsigned b) { return keys[a] < keys[b]; });
    for (int i = 0; i < n; i++)
        expected_keys[i] = keys[expected_values[i]];
    unsigned *k = to_device(keys, n), *v = to_device(values, n), *counts = device_zeros<unsigned>(DIGITS * blocks);
    unsigned *other_k = device_zeros<unsigned>(n), *other_v = device_zeros<unsigned>(n);
    for (int shift = 0; shift < 32; shift += 4) {
        count_digits<<<blocks, BLOCK>>>(k, counts, n, shift);
        scan_counts<<<1, 32>>>(counts, DIGITS * blocks);
        scatter<<<blocks, BLOCK>>>(k, v, other_k, other_v, counts, n, shift);
        std::swap(k, other_k);
        std::swap(v, other_v);
    }
    FINISH();
    from_device(keys, k, n);
    from_device(values, v, n);
    check_equal("radix sort: keys", expected_keys, keys, n);
    check_equal("radix sort: values stay in order", expected_values, values, n);
    show_bits("values", values, n);
}

static void merge_sort() {
    const int n = 3001;
    static int x[n], expected[n];
    for (int i = 0; i < n; i++)
        expected[i] = x[i] = (int)(next_random(&seed) << 9);
    std::sort(expected, expected + n);
    int *from = to_device(x, n), *to = device_zeros<int>(n);
    for (int width = 1; width < n; width *= 2) {
        merge<<<(n / RUN + BLOCK) / BLOCK, BLOCK>>>(from, to, n, width);
        std::swap(from, to);
    }
    FINISH();
    from_device(x, from, n);
    check_equal("merge sort", expected, x, n);
}

static void transposition() {
    const int n = 77, rows = 3;
    static float x[rows * n], expected[rows * n];
    for (int i = 0; i < rows * n; i++)
        expected[i] = x[i] = ((float)(next_random(&seed) % 2000) - 1000) / 16;
    for (int r = 0; r < rows; r++)
        std::sort(expected + r * n, expected + (r + 1) * n);
    float *keys = to_device(x, rows * n);
    odd_even<<<rows, 32, n * sizeof(float)>>>(keys, n);
    FINISH();
    from_device(x, keys, rows * n);
    check_equal("odd-even transposition", expected, x, rows * n);
}

int main() {
    bitonic();
    radix();
    merge_sort();
    transposition();
    return program_failures;
}
