/* Lesson 21: occupancy and latency hiding.
 *
 *     make lesson21 run                  all versions on several sizes, verified; then what fits on a multiprocessor, and what that is worth
 *     make lesson21 run V=2 SIZE=1000    one version, one size
 *
 * You will learn how many blocks a multiprocessor holds at once and what limits them, how to work that out by hand (calculator.h) and how
 * to change it, and that warps are only one of two ways to have enough under way: a thread can also have several things under way itself.
 *
 *     copy_kernel1     a load for each thread, and its store: only other warps can fill the wait
 *     copy_kernel2     several loads, and then their stores: a thread fills its own wait
 *     chain_kernel3    FMAs, each of which needs the result of the one before
 *     chain_kernel4    several such chains in a thread, side by side
 *     tile_kernel5     tiles in shared memory: load, barrier, compute, barrier
 *     tile_kernel6     the loads of the next tile are under way while this one is computed
 *     sort_kernel7     32 numbers in the registers of each thread: as many registers as ptxas finds good
 *     sort_kernel8     __launch_bounds__: two blocks are enough, so ptxas may use more registers
 *     sort_kernel9     eight blocks have to fit, so some numbers have to live in local memory
 */
// sizes: 0 1 31 33 1000 1025 5000
#include "calculator.h"
#include "measure.h"

enum { BLOCK = 128 };      // threads in a block of versions 1 to 6: 16 of them are a full multiprocessor
enum { STEPS = 512 };      // FMAs that versions 3 and 4 do for each element
enum { TILE = 1024 };      // elements of a tile
enum { WINDOW = 16 };      // elements that are added up for one element of the result
enum { TILES_EACH = 8 };   // tiles that a block has, one after the other
enum { SORT_BLOCK = 256 }; // threads in a block of versions 7 to 9
enum { COLUMN = 32 };      // numbers that a thread sorts

// ---------------------------------------------------------------- the references

static void copy_cpu(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
    }
}

/* v -> v * v - 1.9, again and again. What begins between -1 and 1 stays between -1.9 and 1.71, and two numbers that differ in their last bit soon
 * differ in all. */
static void chain_cpu(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        float v = x[i];
        for (int s = 0; s < STEPS; s++) {
            v = fmaf(v, v, -1.9f);
        }
        y[i] = v;
    }
}

/* The sum of an element and the 15 behind it, as far as they are in the same tile. */
static void tile_cpu(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        int end = i / TILE * TILE + TILE;
        y[i] = 0.0f;
        for (int k = i; k < i + WINDOW && k < end && k < n; k++) {
            y[i] += x[k];
        }
    }
}

/* The array is a matrix of 32 rows: each column in its order, the smallest on top. What is left over, fewer than 32 numbers, stays. */
static void sort_cpu(const float *x, float *y, int n) {
    int columns = n / COLUMN;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; i < columns * COLUMN && k >= columns && y[k - columns] > x[i]; k -= columns) {
            y[k] = y[k - columns];
        }
        y[k] = x[i];
    }
}

// ---------------------------------------------------------------- memory: loads under way

/* Version 1: the store needs what the load brings, so the thread has one load under way, and then waits. */
static __global__ void copy_kernel1(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}

/* Version 2: LOADS elements, a block's width apart. All loads stand before the first store. (Of 8 and 16 ptxas puts some behind it: the page
 * has what that costs.) */
template <int LOADS> static __global__ void copy_kernel2(const float *__restrict__ x, float *__restrict__ y, int n) {
    int first = blockIdx.x * LOADS * blockDim.x + threadIdx.x;
    float v[LOADS];
    for (int k = 0; k < LOADS; k++) {
        int i = first + k * blockDim.x;
        v[k] = i < n ? x[i] : 0.0f;
    }
    for (int k = 0; k < LOADS; k++) {
        int i = first + k * blockDim.x;
        if (i < n) {
            y[i] = v[k];
        }
    }
}

// ---------------------------------------------------------------- arithmetic: FMAs under way

/* Version 3: each FMA needs the result of the one before. */
static __global__ void chain_kernel3(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float v = x[i];
    for (int s = 0; s < STEPS; s++) {
        v = fmaf(v, v, -1.9f);
    }
    y[i] = v;
}

/* Version 4: CHAINS elements in a thread. An FMA of one chain needs nothing of the others. */
template <int CHAINS> static __global__ void chain_kernel4(const float *__restrict__ x, float *__restrict__ y, int n) {
    int first = blockIdx.x * CHAINS * blockDim.x + threadIdx.x;
    float v[CHAINS];
    for (int k = 0; k < CHAINS; k++) {
        int i = first + k * blockDim.x;
        v[k] = i < n ? x[i] : 0.0f;
    }
    for (int s = 0; s < STEPS; s++) {
        for (int k = 0; k < CHAINS; k++) {
            v[k] = fmaf(v[k], v[k], -1.9f);
        }
    }
    for (int k = 0; k < CHAINS; k++) {
        int i = first + k * blockDim.x;
        if (i < n) {
            y[i] = v[k];
        }
    }
}

// ---------------------------------------------------------------- shared memory: phases of a block

enum { EACH = TILE / BLOCK }; // elements of a tile that a thread loads, and that it computes

static __device__ void tile_load(const float *x, int n, int tile, float (&v)[EACH]) {
    for (int k = 0; k < EACH; k++) {
        int i = tile * TILE + k * BLOCK + (int)threadIdx.x;
        v[k] = i < n ? x[i] : 0.0f;
    }
}

static __device__ void tile_compute(const float *shared, float *y, int n, int tile) {
    for (int k = 0; k < EACH; k++) {
        int at = k * BLOCK + threadIdx.x, i = tile * TILE + at;
        float sum = 0.0f;
        for (int w = 0; w < WINDOW; w++) {
            sum += shared[at + w];
        }
        if (i < n) {
            y[i] = sum;
        }
    }
}

/* The last threads' windows reach behind the tile: zeros, which stay. The first barrier of the loop is also theirs. */
static __device__ void tile_clear_end(float *shared) {
    if (threadIdx.x < WINDOW) {
        shared[TILE + threadIdx.x] = 0.0f;
    }
}

/* Version 5: all threads of the block load, then all wait, then all compute. While they do the one, nobody does the other: unless there is
 * another block on the multiprocessor, which is elsewhere in its loop. */
static __global__ void tile_kernel5(const float *__restrict__ x, float *__restrict__ y, int n) {
    __shared__ float shared[TILE + WINDOW];
    int tiles = (n + TILE - 1) / TILE;
    tile_clear_end(shared);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        float v[EACH];
        tile_load(x, n, tile, v);
        for (int k = 0; k < EACH; k++) {
            shared[k * BLOCK + threadIdx.x] = v[k];
        }
        __syncthreads();
        tile_compute(shared, y, n, tile);
        __syncthreads();
    }
}

/* Version 6: a tile is asked for before the one before it is computed. It waits in registers. */
static __global__ void tile_kernel6(const float *__restrict__ x, float *__restrict__ y, int n) {
    __shared__ float shared[TILE + WINDOW];
    int tiles = (n + TILE - 1) / TILE;
    float v[EACH];
    tile_clear_end(shared);
    tile_load(x, n, blockIdx.x, v);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        for (int k = 0; k < EACH; k++) {
            shared[k * BLOCK + threadIdx.x] = v[k];
        }
        __syncthreads();
        tile_load(x, n, tile + gridDim.x, v); // past the last tile there is no element: no loads
        tile_compute(shared, y, n, tile);
        __syncthreads();
    }
}

// ---------------------------------------------------------------- registers: how many blocks they leave room for

/* A network: the smaller one goes to the place of lower number. Which pairs, does not depend on the numbers, so that all indices are known to
 * the compiler and the column can stay in registers (Batcher 1968, bitonic). */
static __device__ void sort_column(float (&v)[COLUMN]) {
#pragma unroll
    for (int size = 2; size <= COLUMN; size *= 2) {
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
#pragma unroll
            for (int i = 0; i < COLUMN; i++) {
                int other = step == size / 2 ? i ^ (size - 1) : i ^ step;
                if (other > i) {
                    float low = fminf(v[i], v[other]);
                    v[other] = fmaxf(v[i], v[other]);
                    v[i] = low;
                }
            }
        }
    }
}

/* A column for each thread, so neighbouring threads load neighbours. The first threads copy what is left over. */
static __device__ void sort_thread(const float *x, float *y, int n) {
    int columns = n / COLUMN, column = blockIdx.x * blockDim.x + threadIdx.x;
    float v[COLUMN];
    if (column < n - columns * COLUMN) {
        y[columns * COLUMN + column] = x[columns * COLUMN + column];
    }
    if (column >= columns) {
        return;
    }
#pragma unroll
    for (int k = 0; k < COLUMN; k++) {
        v[k] = x[k * columns + column];
    }
    sort_column(v);
#pragma unroll
    for (int k = 0; k < COLUMN; k++) {
        y[k * columns + column] = v[k];
    }
}

/* Version 7: nobody has asked for anything. */
static __global__ void sort_kernel7(const float *__restrict__ x, float *__restrict__ y, int n) {
    sort_thread(x, y, n);
}

/* Version 8: at most 256 threads in a block, and two blocks on a multiprocessor, or more. */
static __global__ void __launch_bounds__(SORT_BLOCK, 2)
    sort_kernel8(const float *__restrict__ x, float *__restrict__ y, int n) {
    sort_thread(x, y, n);
}

/* Version 9: eight blocks of 256 threads, which fill all places for warps of an H200. Where there are fewer places, ptxas says so and goes on
 * as if nobody had asked. */
static __global__ void __launch_bounds__(SORT_BLOCK, 8)
    sort_kernel9(const float *__restrict__ x, float *__restrict__ y, int n) {
    sort_thread(x, y, n);
}

// ---------------------------------------------------------------- the launchers

/* `dynamic`: bytes of shared memory that no kernel here uses. They are there to keep other blocks out. */

static int blocks_for(int n, int each) {
    return (n + each - 1) / each;
}

static void copy1(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    copy_kernel1<<<blocks_for(n, BLOCK), BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

template <int LOADS> static void copy2(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    copy_kernel2<LOADS><<<blocks_for(n, LOADS * BLOCK), BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void chain3(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    chain_kernel3<<<blocks_for(n, BLOCK), BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

template <int CHAINS> static void chain4(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    chain_kernel4<CHAINS><<<blocks_for(n, CHAINS * BLOCK), BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void tile5(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    tile_kernel5<<<blocks_for(n, TILES_EACH * TILE), BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void tile6(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    tile_kernel6<<<blocks_for(n, TILES_EACH * TILE), BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

/* One more block than whole columns need: with fewer than 32 numbers there is no column, and something to copy. */
static int sort_blocks(int n) {
    return blocks_for(n / COLUMN + 1, SORT_BLOCK);
}

static void sort7(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    sort_kernel7<<<sort_blocks(n), SORT_BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void sort8(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    sort_kernel8<<<sort_blocks(n), SORT_BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void sort9(const float *x, float *y, int n, int dynamic, cudaStream_t stream) {
    sort_kernel9<<<sort_blocks(n), SORT_BLOCK, dynamic, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

// ---------------------------------------------------------------- main

static const struct version VERSIONS[] = {
    // number, name, launcher, kernel, threads, what a thread has under way itself, the reference, the kind of job
    {1, "copy_kernel1", copy1, (const void *)copy_kernel1, BLOCK, 1, copy_cpu, MEMORY},
    {2, "copy_kernel2<2>", copy2<2>, (const void *)copy_kernel2<2>, BLOCK, 2, copy_cpu, MEMORY},
    {2, "copy_kernel2<4>", copy2<4>, (const void *)copy_kernel2<4>, BLOCK, 4, copy_cpu, MEMORY},
    {2, "copy_kernel2<8>", copy2<8>, (const void *)copy_kernel2<8>, BLOCK, 8, copy_cpu, MEMORY},
    {2, "copy_kernel2<16>", copy2<16>, (const void *)copy_kernel2<16>, BLOCK, 16, copy_cpu, MEMORY},
    {3, "chain_kernel3", chain3, (const void *)chain_kernel3, BLOCK, 1, chain_cpu, ARITHMETIC},
    {4, "chain_kernel4<2>", chain4<2>, (const void *)chain_kernel4<2>, BLOCK, 2, chain_cpu, ARITHMETIC},
    {4, "chain_kernel4<4>", chain4<4>, (const void *)chain_kernel4<4>, BLOCK, 4, chain_cpu, ARITHMETIC},
    {4, "chain_kernel4<8>", chain4<8>, (const void *)chain_kernel4<8>, BLOCK, 8, chain_cpu, ARITHMETIC},
    {5, "tile_kernel5", tile5, (const void *)tile_kernel5, BLOCK, EACH, tile_cpu, PHASES},
    {6, "tile_kernel6", tile6, (const void *)tile_kernel6, BLOCK, EACH, tile_cpu, PHASES},
    {7, "sort_kernel7", sort7, (const void *)sort_kernel7, SORT_BLOCK, COLUMN, sort_cpu, REGISTERS},
    {8, "sort_kernel8", sort8, (const void *)sort_kernel8, SORT_BLOCK, COLUMN, sort_cpu, REGISTERS},
    {9, "sort_kernel9", sort9, (const void *)sort_kernel9, SORT_BLOCK, COLUMN, sort_cpu, REGISTERS},
};
enum { ROWS = sizeof VERSIONS / sizeof VERSIONS[0] };

int main(int argc, char **argv) {
    static const int sizes[] = {1, 31, 33, 1000, 1025, 5000, 100003};
    struct options options = options_read(argc, argv, 9);
    struct selection chosen = select_versions(VERSIONS, ROWS, options.version);
    device_print_backend();
    for (int n : sizes) {
        verify_versions(&chosen, options.size >= 0 ? (int)options.size : n, options.seed);
        if (options.size >= 0) {
            break;
        }
    }
    struct limits device = device_limits();
    print_architectures(&device);
    print_residents(&chosen, &device);
    compare_calculators(&chosen, &device);
    if (verify_tally()->failures == 0 && options.size != 0) { // how fast a wrong kernel is does not matter
        print_in_flight(&chosen, &device);
        measure_versions(&chosen, &device, options.size, 2.0 * STEPS, options.seed);
    }
    return verify_finish("occupancy");
}
