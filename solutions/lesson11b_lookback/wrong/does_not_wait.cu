// expect: wrong_result
// says: elements were assigned the same position
/* A tile that has said nothing yet counts as one without zeros. */
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
    if (lane == 0) {
        numbers[warp] = mine;
    }
    __syncthreads();
    int scanned = warp_scan(lane < WARPS ? numbers[lane] : 0);
    *total = __shfl_sync(ALL_LANES, scanned, WARPS - 1);
    int before = __shfl_sync(ALL_LANES, scanned, warp > 0 ? warp - 1 : 0);
    before = warp > 0 ? before : 0;
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
    if (lane == 0) {
        store_word(&words[tile], word_of(SUM, sum));
    }
    bool found = false;
    for (int other = tile - 1 - lane; !found; other -= WARP) {
        word w;
        w = other >= 0 ? load_word(&words[other]) : word_of(PREFIX, 0);
        unsigned prefixes = __ballot_sync(ALL_LANES, status_of(w) == PREFIX);
        found = prefixes != 0;
        int last = found ? __ffs(prefixes) - 1 : WARP - 1;
        int scanned = warp_scan(lane <= last ? value_of(w) : 0);
        before += __shfl_sync(ALL_LANES, scanned, WARP - 1);
    }
    if (lane == 0) {
        store_word(&words[tile], word_of(PREFIX, before + sum));
    }
    return before;
}

__global__ void split_kernel(const unsigned *x, unsigned *y, int n, int bit, word *words, unsigned *ticket,
                             const unsigned *all_zeros) {
    __shared__ int before_tile;
    unsigned v[ROWS], zero[ROWS];
    int lane = threadIdx.x % WARP, tile = take_tile(ticket), first = first_element(tile), total;
    int before = before_warp(load_rows(x, n, first, bit, v, zero), &total);
    if (threadIdx.x < WARP) {
        int found = look_back(words, tile, total);
        if (lane == 0) {
            before_tile = found;
        }
    }
    __syncthreads();
    before += before_tile;
    int zeros_of_x = (int)*all_zeros;
    for (int r = 0; r < ROWS; r++) {
        int i = first + r * WARP + lane;
        int zeros = before + __popc(zero[r] & ((1u << lane) - 1));
        if (i < n) {
            y[zero[r] >> lane & 1 ? zeros : zeros_of_x + i - zeros] = v[r];
        }
        before += __popc(zero[r]);
    }
}

void split(const unsigned *x, unsigned *y, int n, int bit, unsigned long long *words, cudaStream_t stream) {
    int tiles = (n + TILE - 1) / TILE;
    unsigned *ticket = (unsigned *)&words[0], *all_zeros = (unsigned *)&words[1];
    word *tile_words = &words[2];
    if (tiles == 0) {
        return;
    }
    CUDA_CHECK(cudaMemsetAsync(words, 0, (2 + tiles) * sizeof *words, stream));
    count_kernel<<<tiles, BLOCK, 0, stream>>>(x, n, bit, all_zeros);
    CUDA_CHECK_LAUNCH();
    split_kernel<<<tiles, BLOCK, 0, stream>>>(x, y, n, bit, tile_words, ticket, all_zeros);
    CUDA_CHECK_LAUNCH();
}
