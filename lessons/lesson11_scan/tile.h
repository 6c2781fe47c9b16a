/* tile.h - how a block of lessons 11 and 11b scans its tile in registers: sums within a warp, over the warps, and rows of four elements for each
 * lane.
 *
 *     load_rows(v, x, first_element(tile), n, fours);         a thread's elements, four at once where that is possible
 *     element before = before_warp(scan_rows<false>(v), &total);      scanned within the warp; the sum of the warps before it
 *     store_rows(v, before, y, first_element(tile), n, fours);
 *
 * The program defines the type `element`, BLOCK threads, and ROWS of 128 elements for each warp, and then includes this file.
 */
#ifndef LESSONS_LESSON11_SCAN_TILE_H
#define LESSONS_LESSON11_SCAN_TILE_H

enum { WARP = 32, WARPS = BLOCK / WARP };
enum { ROW = 4 * WARP };          // elements that a warp loads at once, four in each lane
enum { TILE = BLOCK * 4 * ROWS }; // elements of a block
#define ALL_LANES 0xffffffffu

// ---------------------------------------------------------------- warps

/* The sum of the lanes up to this one, its own included (lesson 06). */
static __device__ element warp_scan(element value) {
    int lane = threadIdx.x % WARP;
    for (int step = 1; step < WARP; step *= 2) {
        element before = __shfl_up_sync(ALL_LANES, value, step);
        value += lane >= step ? before : 0;
    }
    return value;
}

static __device__ element warp_sum(element value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    return value;
}

/* Each warp brings its sum, which its last lane has. Returns the sum of the warps before this one; *total is that of all. One barrier:
 * behind it each warp scans all of the sums for itself. Between two calls there must be another one. */
static __device__ element before_warp(element sum, element *total) {
    __shared__ element sums[WARPS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (lane == WARP - 1) {
        sums[warp] = sum;
    }
    __syncthreads();
    element scanned = warp_scan(lane < WARPS ? sums[lane] : 0);
    *total = __shfl_sync(ALL_LANES, scanned, WARPS - 1);
    element before = __shfl_sync(ALL_LANES, scanned, warp > 0 ? warp - 1 : 0);
    return warp > 0 ? before : 0;
}

// ---------------------------------------------------------------- rows

/* Four neighbours, loaded and stored at once. */
struct __align__(16) four {
    element e[4];
};

/* Who reads them next? Nobody soon: cs tells the caches that these may go first. */
static __device__ struct four load_four(const element *p) {
    uint4 bits = __ldcs((const uint4 *)p);
    struct four v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static __device__ void store_four(element *p, struct four v) {
    uint4 bits;
    memcpy(&bits, &v, sizeof v);
    __stcs((uint4 *)p, bits);
}

/* A warp has ROWS rows of 128 elements, one behind the other; a lane has four of each row. */
static __device__ int first_element(int tile) {
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    return tile * TILE + warp * ROWS * ROW + lane * 4;
}

/* Is the whole tile there, and may it be accessed four at a time? */
static __device__ bool in_fours(const element *x, const element *y, int tile, int n) {
    return n - tile * TILE >= TILE && ((size_t)x | (size_t)y) % sizeof(struct four) == 0;
}

static __device__ void load_rows(struct four (&v)[ROWS], const element *x, int first, int n, bool fours) {
    for (int r = 0; r < ROWS; r++) {
        int i = first + r * ROW;
        if (fours) {
            v[r] = load_four(&x[i]);
        } else {
            for (int k = 0; k < 4; k++) {
                v[r].e[k] = i + k < n ? x[i + k] : 0;
            }
        }
    }
}

static __device__ void store_rows(const struct four (&v)[ROWS], element before, element *y, int first, int n,
                                  bool fours) {
    for (int r = 0; r < ROWS; r++) {
        int i = first + r * ROW;
        struct four out = {{before + v[r].e[0], before + v[r].e[1], before + v[r].e[2], before + v[r].e[3]}};
        if (fours) {
            store_four(&y[i], out);
        } else {
            for (int k = 0; k < 4 && i + k < n; k++) {
                y[i + k] = out.e[k];
            }
        }
    }
}

/* Scans the warp's rows in place, or leaves in each element what is before it, without itself. Returns the sum of all, in all lanes. A
 * lane adds up its four; the lanes are scanned; and what the rows before have comes on top. All rows take a step together: eight
 * shuffles are on their way at once, and none waits for the one before. */
template <bool EXCLUSIVE> static __device__ element scan_rows(struct four (&v)[ROWS]) {
    int lane = threadIdx.x % WARP;
    element sum[ROWS], before = 0;
    for (int r = 0; r < ROWS; r++) {
        sum[r] = v[r].e[0] + v[r].e[1] + v[r].e[2] + v[r].e[3];
    }
    for (int step = 1; step < WARP; step *= 2) {
        for (int r = 0; r < ROWS; r++) {
            element up = __shfl_up_sync(ALL_LANES, sum[r], step);
            sum[r] += lane >= step ? up : 0;
        }
    }
    for (int r = 0; r < ROWS; r++) {
        element left = __shfl_up_sync(ALL_LANES, sum[r], 1); // not sum - mine: floats are rounded, so it may differ
        element running = before + (lane > 0 ? left : 0);
        before += __shfl_sync(ALL_LANES, sum[r], WARP - 1);
        for (int k = 0; k < 4; k++) {
            element mine = v[r].e[k];
            v[r].e[k] = EXCLUSIVE ? running : running + mine;
            running += mine;
        }
    }
    return before;
}

#endif
