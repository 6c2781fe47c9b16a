/* Exercise 11: a step of a radix sort. Of an array the elements whose bit number `bit` is 0 come first, then those whose bit is 1, and
 * both keep their order:
 *
 *     x       5    2    7    4    6    1    3         bit 0 of them   1   0   1   0   0   1   1
 *     y       2    4    6    5    7    1    3
 *
 * (Done for bit 0, then for bit 1 of the result, ... up to bit 31, this sorts: that is a radix sort.)
 *
 * Where an element goes is an exclusive scan. An element whose bit is 0 has as many places before it as there are zeros before it. Before
 * one whose bit is 1 are all zeros of the array, and the ones before it. So a first kernel counts all zeros, and a second one scans in a
 * single pass, with decoupled look-back, and writes each element where it belongs.
 *
 * The grader (make exercise11) calls, from the host:
 *
 *     void split(const unsigned *x, unsigned *y, int n, int bit, unsigned long long *words, cudaStream_t stream);
 *
 *   - x and y are device arrays of n elements, 0 <= n <= 2^30, at any address of an unsigned; 0 <= bit <= 31. Kernels write all of y, and
 *     else only words is written;
 *   - words is device memory for 2 + n / TILE + 1 words; anything may be in it, also what the last call has left there;
 *   - the work is queued in `stream`, and the function returns without waiting for it; a launch that fails is reported;
 *   - each element is read twice at most, neighbouring threads read neighbours. (Who reads each only once may give a thread a few.) What
 *     waiting blocks poll, by volatile, relaxed or acquire loads, is not counted;
 *   - there is at most one atomic for 256 elements, and 2048 beside, for barriers (the solution has two for 2048 elements); a warp needs at
 *     most 250 instructions for 32 elements, waiting not counted (the solution about 60), and 40000 beside; of 65536 elements and more at
 *     least 4096 threads read and write, and no block more than half;
 *   - the order in which blocks begin is unspecified: a block that waits must not wait for one that may not have begun. (The emulator and
 *     GPUs of today begin with block 0. CUDA does not promise it, and the grader does not find what relies on it.)
 *   - memory that the function allocates it frees, or uses again in its next call.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 256, WARPS = BLOCK / WARP }; // threads and warps in a block
enum { ROWS = 8 };                          // rows of 32 elements that a warp has
enum { TILE = BLOCK * ROWS };               // elements of a block
#define ALL_LANES 0xffffffffu               // the mask that names all 32 lanes

/* What a tile says to those behind it: a status, and a number of zeros, in one word of 8 bytes. */
enum status {
    NOTHING,
    SUM,
    PREFIX
}; // nothing yet; the zeros of the tile; the zeros of all tiles up to this one, itself too
typedef unsigned long long word;

__device__ word word_of(enum status status, int value) {
    return (word)status << 32 | (unsigned)value;
}

__device__ enum status status_of(word w) {
    return (enum status)(w >> 32);
}

__device__ int value_of(word w) {
    return (int)w;
}

/* In one piece, and each time anew. */
__device__ word load_word(const word *p) {
    return *(const volatile word *)p;
}

__device__ void store_word(word *p, word w) {
    *(volatile word *)p = w;
}

/* The sum of the lanes up to this one, its own included. All 32 lanes call it together. */
__device__ int warp_scan(int value) {
    int lane = threadIdx.x % WARP;
    for (int step = 1; step < WARP; step *= 2) {
        int before = __shfl_up_sync(ALL_LANES, value, step);
        value += lane >= step ? before : 0;
    }
    return value;
}

/* Each warp of the block brings a number, `mine`, the same in all its lanes. Returns the sum of the warps before this one, and puts the
 * sum of all into *total. All threads call it together, once in a kernel. */
__device__ int before_warp(int mine, int *total) {
    __shared__ int numbers[WARPS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    //> TODO 1: one lane leaves the warp's number in numbers[warp]. When may others read it? Then each warp scans all of the numbers for
    //> itself (warp_scan; 0 in a lane for which there is none). From which lane does it get the sum of the warps before (warp 0: nothing),
    //> from which one the total (__shfl_sync)?
    //| (void)mine, (void)numbers, (void)lane, (void)warp;
    //| int before = 0;
    //| *total = 0;
    if (lane == 0) {
        numbers[warp] = mine;
    }
    __syncthreads();
    int scanned = warp_scan(lane < WARPS ? numbers[lane] : 0);
    *total = __shfl_sync(ALL_LANES, scanned, WARPS - 1);
    int before = __shfl_sync(ALL_LANES, scanned, warp > 0 ? warp - 1 : 0);
    before = warp > 0 ? before : 0;
    //<
    return before;
}

/* Where the warp's first element is. Row r of the warp is x[first + 32 * r] to x[first + 32 * r + 31]. */
__device__ int first_element(int tile) {
    return tile * TILE + threadIdx.x / WARP * ROWS * WARP;
}

/* A warp's rows: a lane's elements, and for each row a word with the lanes whose bit is 0. What lies behind the end of x has a 1.
 * Returns how many zeros the warp has. */
__device__ int load_rows(const unsigned *x, int n, int first, int bit, unsigned (&v)[ROWS], unsigned (&zero)[ROWS]) {
    int zeros = 0;
    for (int r = 0; r < ROWS; r++) {
        int i = first + r * WARP + threadIdx.x % WARP;
        v[r] = i < n ? x[i] : ~0u;
    }
    for (int r = 0; r < ROWS; r++) {
        zero[r] = __ballot_sync(ALL_LANES, (v[r] >> bit & 1) == 0);
        zeros += __popc(zero[r]);
    }
    return zeros;
}

/* Adds the zeros of all tiles to *zeros. */
__global__ void count_kernel(const unsigned *x, int n, int bit, unsigned *zeros) {
    unsigned v[ROWS], zero[ROWS];
    int total;
    before_warp(load_rows(x, n, first_element(blockIdx.x), bit, v, zero), &total);
    if (threadIdx.x == 0) {
        atomicAdd(zeros, (unsigned)total);
    }
}

/* The number of blocks that have asked before. Whoever has a lower one is running already, or done. */
__device__ int take_tile(unsigned *ticket) {
    __shared__ int tile;
    if (threadIdx.x == 0) {
        tile = (int)atomicAdd(ticket, 1u);
    }
    __syncthreads();
    return tile;
}

/* Warp 0 calls it, all 32 lanes, with the zeros of this tile. Returns the zeros of all tiles before, in all lanes. */
__device__ int look_back(word *words, int tile, int sum) {
    int lane = threadIdx.x, before = 0;
    //> TODO 2: lane 0 says the sum of this tile (store_word, SUM). Then lane k looks at the tile that stands k + 1 before, if there is one;
    //> what is before the first tile counts as a PREFIX of 0. It looks again (load_word) while one of the 32 says NOTHING (__any_sync).
    //> Which lane is the nearest with a PREFIX (__ballot_sync, __ffs)? Add up the values up to that lane, itself too, and no further. If
    //> there is none, add up all, and look at the 32 tiles before these. In the end lane 0 says the prefix of this tile.
    //| (void)words, (void)tile, (void)sum, (void)lane;
    if (lane == 0) {
        store_word(&words[tile], word_of(SUM, sum));
    }
    bool found = false;
    for (int other = tile - 1 - lane; !found; other -= WARP) {
        word w;
        do {
            w = other >= 0 ? load_word(&words[other]) : word_of(PREFIX, 0);
        } while (__any_sync(ALL_LANES, status_of(w) == NOTHING));
        unsigned prefixes = __ballot_sync(ALL_LANES, status_of(w) == PREFIX);
        found = prefixes != 0;
        int last = found ? __ffs(prefixes) - 1 : WARP - 1;
        int scanned = warp_scan(lane <= last ? value_of(w) : 0);
        before += __shfl_sync(ALL_LANES, scanned, WARP - 1);
    }
    if (lane == 0) {
        store_word(&words[tile], word_of(PREFIX, before + sum));
    }
    //<
    return before;
}

__global__ void split_kernel(const unsigned *x, unsigned *y, int n, int bit, word *words, unsigned *ticket,
                             const unsigned *all_zeros) {
    __shared__ int before_tile;
    unsigned v[ROWS], zero[ROWS];
    int lane = threadIdx.x % WARP, tile = take_tile(ticket), first = first_element(tile), total;
    int before = before_warp(load_rows(x, n, first, bit, v, zero), &total);
    //> TODO 3: warp 0 looks back. How do all threads of the block get to know what it has found? Then `before` counts the zeros of all
    //> tiles and warps before.
    //| (void)before_tile, (void)words, (void)look_back, (void)before;
    if (threadIdx.x < WARP) {
        int found = look_back(words, tile, total);
        if (lane == 0) {
            before_tile = found;
        }
    }
    __syncthreads();
    before += before_tile;
    //<
    int zeros_of_x = (int)*all_zeros;
    for (int r = 0; r < ROWS; r++) {
        int i = first + r * WARP + lane;
        //> TODO 4: the zeros before element i: those in `before`, and those of the lanes before this one (zero[r] has their bits). Where
        //> does the element go if its own bit is 0, where if it is 1? And for the next row, `before` has grown.
        //| (void)y, (void)zeros_of_x, (void)i;
        int zeros = before + __popc(zero[r] & ((1u << lane) - 1));
        if (i < n) {
            y[zero[r] >> lane & 1 ? zeros : zeros_of_x + i - zeros] = v[r];
        }
        before += __popc(zero[r]);
        //<
    }
}

void split(const unsigned *x, unsigned *y, int n, int bit, unsigned long long *words, cudaStream_t stream) {
    int tiles = (n + TILE - 1) / TILE;
    unsigned *ticket = (unsigned *)&words[0], *all_zeros = (unsigned *)&words[1];
    word *tile_words = &words[2];
    //> TODO 5: what must be 0 before the first block begins (cudaMemsetAsync, in `stream`)? Then both kernels, a block for each tile; each
    //> launch is checked. A grid of no blocks is an error.
    //| (void)x, (void)y, (void)bit, (void)stream, (void)tiles, (void)ticket, (void)all_zeros, (void)tile_words;
    if (tiles == 0) {
        return;
    }
    CUDA_CHECK(cudaMemsetAsync(words, 0, (2 + tiles) * sizeof *words, stream));
    count_kernel<<<tiles, BLOCK, 0, stream>>>(x, n, bit, all_zeros);
    CUDA_CHECK_LAUNCH();
    split_kernel<<<tiles, BLOCK, 0, stream>>>(x, y, n, bit, tile_words, ticket, all_zeros);
    CUDA_CHECK_LAUNCH();
    //<
}
