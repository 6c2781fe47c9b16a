/* Exercise 11: one step of a radix sort. The elements of an array whose bit number `bit` is 0 are moved to the front, those whose bit is 1
 * follow, and both groups keep their order:
 *
 *     x       5    2    7    4    6    1    3         bit 0 of them   1   0   1   0   0   1   1
 *     y       2    4    6    5    7    1    3
 *
 * (Done for bit 0, then for bit 1 of the result, and so on up to bit 31, this sorts the array: that is a radix sort.)
 *
 * The place of an element is an exclusive scan. An element whose bit is 0 is preceded by as many elements as there are zeros before it.
 * One whose bit is 1 is preceded by all zeros of the array and by the ones before it. Three launches find the places, as in version 5 of the
 * lesson: the first counts the zeros of each tile, the second, one block, makes of these counts the zeros before each tile, and the third
 * scans its tile from there on and writes each element to its place. (Exercise 11b is the same step with a single scan launch.)
 *
 * The grader (make exercise11) calls, from the host:
 *
 *     void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream);
 *
 *   - x and y are device arrays of n elements, 0 <= n <= 2^30, at any address aligned for unsigned; 0 <= bit <= 31. The kernels write all
 *     of y, and nothing else but sums;
 *   - sums is device memory for n / TILE + 2 ints with arbitrary contents, for example what the last call has left there;
 *   - the work is queued in `stream`, and the function returns without waiting for it; a failing launch is reported;
 *   - each element is read at most twice, and neighbouring threads read neighbouring elements;
 *   - there is at most one atomic for 256 elements, plus 2048 for barriers (the solution has none); a warp executes at most 250 instructions
 *     for 32 elements (the solution about 60), plus 40000; from 65536 elements on, at least 4096 threads read and write, and no block
 *     processes more than half of the elements;
 *   - memory that the function allocates is freed, or used again in its next call.
 *
 * When all checks pass, you have one pass of a radix sort: 32 of them, one for each bit, sort an array of unsigned numbers.
 * First step: TODO 3, about ten minutes: the check "at most 256 elements, which a single warp has" passes.
 */
// fails as given: stale_output
#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 256, WARPS = BLOCK / WARP }; // threads and warps in a block
enum { ROWS = 8 };                          // rows of 32 elements that a warp has
enum { TILE = BLOCK * ROWS };               // elements of a block
#define ALL_LANES 0xffffffffu               // the mask that names all 32 lanes

/* The sum of the lanes up to this one, its own included. All 32 lanes call it together. */
__device__ int warp_scan(int value) {
    int lane = threadIdx.x % WARP;
    for (int step = 1; step < WARP; step *= 2) {
        int before = __shfl_up_sync(ALL_LANES, value, step);
        value += lane >= step ? before : 0;
    }
    return value;
}

/* Each warp of the block passes a number, `mine`, the same in all its lanes. Returns the sum of the warps before this one, and puts the
 * sum of all into *total. All threads call it together, with a barrier
 * between two calls. */
__device__ int before_warp(int mine, int *total) {
    __shared__ int numbers[WARPS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    //> TODO 1: one lane stores the warp's number in numbers[warp]. When may the others read it? Then each warp scans all of the numbers
    //> for itself (warp_scan; 0 in a lane without a warp). Which lane has the sum of the warps before (warp 0: nothing), and which one the
    //> total (__shfl_sync)?
    //| (void)mine, (void)numbers, (void)lane, (void)warp;
    //| int before = 0;
    //| *total = mine; // right where a single warp has all elements, so that you can try TODO 3 first
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

/* A warp's rows: a lane's elements, and for each row a word with the lanes whose bit is 0. Past the end of x all are 1.
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

/* The first launch: sums[b] becomes the number of zeros in tile b. */
__global__ void count_kernel(const unsigned *x, int n, int bit, int *sums) {
    unsigned v[ROWS], zero[ROWS];
    int total;
    before_warp(load_rows(x, n, first_element(blockIdx.x), bit, v, zero), &total);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = total;
    }
}

/* The second launch, one block: sums[b] becomes the number of zeros before tile b, and sums[tiles] that of all tiles. It proceeds in rounds of
 * BLOCK sums, one for each thread; `before` is what all earlier rounds have. */
__global__ void starts_kernel(int *sums, int tiles) {
    int before = 0;
    for (int first = 0; first < tiles; first += BLOCK) {
        int b = first + threadIdx.x, mine = b < tiles ? sums[b] : 0, total = 0;
        //> TODO 2: scan the sums of this round: within the warp (warp_scan), and over the warps (before_warp takes the warp's sum; which lane
        //> has it?). What is before tile b? warp_scan includes `mine`. Store it in sums[b] if there is a tile b. What does the next round
        //> start with, and what must all threads have done before it calls before_warp again?
        //| (void)mine, (void)total;
        //| if (b == 0) { // right where there is a single tile, so that you can try TODO 3 and TODO 1 first
        //|     before = mine;
        //|     sums[0] = 0;
        //| }
        int scanned = warp_scan(mine);
        int inside = before_warp(__shfl_sync(ALL_LANES, scanned, WARP - 1), &total) + scanned - mine;
        if (b < tiles) {
            sums[b] = before + inside;
        }
        before += total;
        __syncthreads();
        //<
    }
    if (threadIdx.x == 0) {
        sums[tiles] = before;
    }
}

/* The third launch: each tile writes its elements to their places. */
__global__ void places_kernel(const unsigned *x, unsigned *y, int n, int bit, const int *sums, int tiles) {
    unsigned v[ROWS], zero[ROWS];
    int lane = threadIdx.x % WARP, tile = blockIdx.x, first = first_element(tile), total;
    int before = before_warp(load_rows(x, n, first, bit, v, zero), &total);
    int zeros_of_x = sums[tiles];
    before += sums[tile]; // the zeros of all tiles and warps before
    for (int r = 0; r < ROWS; r++) {
        int i = first + r * WARP + lane;
        //> TODO 3: count the zeros before element i: those in `before`, and those of the lanes before this one (zero[r] has their bits).
        //> Where does the element go if its own bit is 0, and where if it is 1? By how much does `before` grow for the next row?
        //| (void)y, (void)zeros_of_x, (void)i, (void)before;
        int zeros = before + __popc(zero[r] & ((1u << lane) - 1));
        if (i < n) {
            y[zero[r] >> lane & 1 ? zeros : zeros_of_x + i - zeros] = v[r];
        }
        before += __popc(zero[r]);
        //<
    }
}

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    int tiles = (n + TILE - 1) / TILE;
    if (tiles == 0) {
        return; // a grid of 0 blocks is an error
    }
    count_kernel<<<tiles, BLOCK, 0, stream>>>(x, n, bit, sums);
    CUDA_CHECK_LAUNCH();
    starts_kernel<<<1, BLOCK, 0, stream>>>(sums, tiles);
    CUDA_CHECK_LAUNCH();
    places_kernel<<<tiles, BLOCK, 0, stream>>>(x, y, n, bit, sums, tiles);
    CUDA_CHECK_LAUNCH();
}
