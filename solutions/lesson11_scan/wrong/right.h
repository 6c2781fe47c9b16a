/* Exercise 11, done right, for files that differ in one place: they define it before they include this one. */
#if !defined(STORED)
#define STORED __syncthreads()
#endif
#if !defined(OWN)
#define OWN mine
#endif
#if !defined(NEXT_ROUND)
#define NEXT_ROUND __syncthreads()
#endif
#if !defined(START)
#define START +=
#endif
#if !defined(LANES_BEFORE)
#define LANES_BEFORE ((1u << lane) - 1)
#endif
#if !defined(THERE)
#define THERE i < n
#endif
#if !defined(ELEMENT)
#define ELEMENT v[r]
#endif
#if !defined(ROW_ZEROS)
#define ROW_ZEROS __popc(zero[r])
#endif
#if !defined(ALL_ZEROS)
#define ALL_ZEROS sums[tiles]
#endif
#if !defined(GRID_IS_EMPTY)
#define GRID_IS_EMPTY tiles == 0
#endif
#if !defined(QUEUE)
#define QUEUE stream
#endif

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
    if (lane == 0) {
        numbers[warp] = mine;
    }
    STORED;
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
        int scanned = warp_scan(mine);
        int inside = before_warp(__shfl_sync(ALL_LANES, scanned, WARP - 1), &total) + scanned - OWN;
        if (b < tiles) {
            sums[b] = before + inside;
        }
        before += total;
        NEXT_ROUND;
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
    int zeros_of_x = ALL_ZEROS;
    before START sums[tile]; // the zeros of all tiles and warps before
    for (int r = 0; r < ROWS; r++) {
        int i = first + r * WARP + lane;
        int zeros = before + __popc(zero[r] & LANES_BEFORE);
        if (THERE) {
            y[zero[r] >> lane & 1 ? zeros : zeros_of_x + i - zeros] = ELEMENT;
        }
        before += ROW_ZEROS;
    }
}

static void right_split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    int tiles = (n + TILE - 1) / TILE;
    if (GRID_IS_EMPTY) {
        return; // a grid of 0 blocks is an error
    }
    count_kernel<<<tiles, BLOCK, 0, QUEUE>>>(x, n, bit, sums);
    CUDA_CHECK_LAUNCH();
    starts_kernel<<<1, BLOCK, 0, QUEUE>>>(sums, tiles);
    CUDA_CHECK_LAUNCH();
    places_kernel<<<tiles, BLOCK, 0, QUEUE>>>(x, y, n, bit, sums, tiles);
    CUDA_CHECK_LAUNCH();
}

#undef STORED
#undef OWN
#undef NEXT_ROUND
#undef START
#undef LANES_BEFORE
#undef THERE
#undef ELEMENT
#undef ROW_ZEROS
#undef ALL_ZEROS
#undef GRID_IS_EMPTY
#undef QUEUE
