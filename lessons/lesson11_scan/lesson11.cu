/* Lesson 11: scan, all the sums on the way.
 *
 *     make lesson11 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson11 run V=4 SIZE=1000003    one version, one size
 *
 * You will learn how each of many elements finds the sum of all before it: in a block, in a warp, and over a whole array, in three launches.
 * Lesson 11b continues with a single launch.
 *
 *     scan_kernel1     Hillis and Steele: in step s each thread adds the element s places before; three launches
 *     scan_kernel2     Blelloch: a tree up and down again, far fewer additions
 *     scan_kernel3     from lane to lane: a scan in each warp, and one over the warps
 *     scan_kernel4     32 elements for each thread: fewer tiles, more bytes in flight
 *     scan_kernel5     the first launch only adds up: the array is read twice and written once
 */
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"

typedef float element; // or int: everything here works for both

#include "measure.h"

enum { BLOCK = 512 }; // threads of a block
enum { ROWS = 8 };    // versions 4 and 5: a warp has 8 rows of 128 elements, a block has a tile of 16384

#include "tile.h" // sums of warps, and tiles in registers

// ---------------------------------------------------------------- the reference

/* In double, so that its own rounding does not count; for ints it is exact, as long as no sum reaches 2^53. */
static void scan_cpu(const element *x, double *sums, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        sums[i] = sum;
    }
}

// ---------------------------------------------------------------- a tile in shared memory

/* x[n] -> y[n], and sums[b] is the sum of tile b, in versions 1 to 4: each block scans its own tile, as if nothing were before it. An
 * element that does not exist counts as 0. Two more launches then scan the sums, and add to each tile what is before it. */

/* Version 1, Hillis and Steele: in the step of 1 everybody adds the element before, in the step of 2 the sum that stands 2 before, then
 * 4, 8, ... Who reads must not find what others have just written: so there are two arrays, and each step goes from one to the
 * other. */
static __global__ void scan_kernel1(const element *x, element *y, element *sums, int n) {
    __shared__ element s[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, now = 0;
    s[0][t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        s[1 - now][t] = t >= step ? s[now][t - step] + s[now][t] : s[now][t];
        now = 1 - now;
        __syncthreads();
    }
    if (i < n) {
        y[i] = s[now][t];
    }
    if (t == BLOCK - 1) {
        sums[blockIdx.x] = s[now][t];
    }
}

/* Version 2, Blelloch: lesson 10's tree leaves sums of 2, 4, 8, ... elements on its way up. On the way down a node knows what is before
 * it. It hands that to its left child, and to its right child the same plus the sum of the left one. What arrives at the leaves is the
 * sum of all before them: an exclusive scan. About 2 additions for each element, where version 1 has 8. */
static __global__ void scan_kernel2(const element *x, element *y, element *sums, int n) {
    __shared__ element s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    element mine = i < n ? x[i] : 0;
    s[t] = mine;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) { // up
        int right = (t + 1) * 2 * step - 1;
        if (right < BLOCK) {
            s[right] += s[right - step];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = s[BLOCK - 1];
        s[BLOCK - 1] = 0; // nothing is before the root
    }
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) { // down
        int right = (t + 1) * 2 * step - 1;
        if (right < BLOCK) {
            element left = s[right - step];
            s[right - step] = s[right];
            s[right] += left;
        }
        __syncthreads();
    }
    if (i < n) {
        y[i] = s[t] + mine;
    }
}

// ---------------------------------------------------------------- warps

/* Version 3: two levels. A warp scans its 32 elements from register to register; then the warps' sums are scanned. */
static __global__ void scan_kernel3(const element *x, element *y, element *sums, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    element scanned = warp_scan(i < n ? x[i] : 0), total;
    element before = before_warp(scanned, &total);
    if (i < n) {
        y[i] = before + scanned;
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = total;
    }
}

// ---------------------------------------------------------------- many elements for each thread

/* Version 4: 32 elements for each thread, in eight loads that are on their way together. */
static __global__ void scan_kernel4(const element *x, element *y, element *sums, int n) {
    int tile = blockIdx.x, first = first_element(tile);
    bool fours = in_fours(x, y, tile, n);
    struct four v[ROWS];
    element total;
    load_rows(v, x, first, n, fours);
    element before = before_warp(scan_rows<false>(v), &total);
    store_rows(v, before, y, first, n, fours);
    if (threadIdx.x == 0) {
        sums[tile] = total;
    }
}

/* Versions 1 to 4, the last launch: before[b] belongs to all of tile b, which has `each` elements. */
static __global__ void add_kernel(element *y, const element *before, int n, int each) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] += before[i / each];
    }
}

/* Versions 1 to 5, the launch in the middle: one block makes of sums[n] what is before each of them, tile after tile. */
static __global__ void sums_kernel(element *sums, int n) {
    element before = 0, total;
    for (int tile = 0; tile * TILE < n; tile++) {
        int first = first_element(tile);
        bool fours = in_fours(sums, sums, tile, n);
        struct four v[ROWS];
        load_rows(v, sums, first, n, fours);
        element inside = before_warp(scan_rows<true>(v), &total);
        store_rows(v, before + inside, sums, first, n, fours);
        before += total;
        __syncthreads(); // between two calls of before_warp
    }
}

/* Version 5: why write y at all before it is known what is before a tile? The first launch writes nothing but the tiles' sums ... */
static __global__ void tile_sums_kernel5(const element *x, element *sums, int n) {
    int tile = blockIdx.x;
    struct four v[ROWS];
    element sum = 0, total;
    load_rows(v, x, first_element(tile), n, in_fours(x, x, tile, n));
    for (int r = 0; r < ROWS; r++) {
        sum += (v[r].e[0] + v[r].e[1]) + (v[r].e[2] + v[r].e[3]);
    }
    before_warp(warp_sum(sum), &total);
    if (threadIdx.x == 0) {
        sums[tile] = total;
    }
}

/* ... and the last one scans, from there on. */
static __global__ void scan_kernel5(const element *x, element *y, const element *before_tile, int n) {
    int tile = blockIdx.x, first = first_element(tile);
    bool fours = in_fours(x, y, tile, n);
    struct four v[ROWS];
    element total;
    load_rows(v, x, first, n, fours);
    element before = before_warp(scan_rows<false>(v), &total);
    store_rows(v, before_tile[tile] + before, y, first, n, fours);
}

// ---------------------------------------------------------------- the launchers

/* Versions 1 to 4: three launches. */
static void scan_in_three(void (*kernel)(const element *, element *, element *, int), int each, const struct arrays *a,
                          cudaStream_t stream) {
    int tiles = ceil_div(a->n, each);
    if (tiles == 0) {
        return;
    }
    kernel<<<tiles, BLOCK, 0, stream>>>(a->x, a->y, a->sums, a->n);
    CUDA_CHECK_LAUNCH();
    sums_kernel<<<1, BLOCK, 0, stream>>>(a->sums, tiles);
    CUDA_CHECK_LAUNCH();
    add_kernel<<<ceil_div(a->n, BLOCK), BLOCK, 0, stream>>>(a->y, a->sums, a->n, each);
    CUDA_CHECK_LAUNCH();
}

static void scan1(const struct arrays *a, cudaStream_t stream) {
    scan_in_three(scan_kernel1, BLOCK, a, stream);
}

static void scan2(const struct arrays *a, cudaStream_t stream) {
    scan_in_three(scan_kernel2, BLOCK, a, stream);
}

static void scan3(const struct arrays *a, cudaStream_t stream) {
    scan_in_three(scan_kernel3, BLOCK, a, stream);
}

static void scan4(const struct arrays *a, cudaStream_t stream) {
    scan_in_three(scan_kernel4, TILE, a, stream);
}

static void scan5(const struct arrays *a, cudaStream_t stream) {
    int tiles = ceil_div(a->n, TILE);
    if (tiles == 0) {
        return;
    }
    tile_sums_kernel5<<<tiles, BLOCK, 0, stream>>>(a->x, a->sums, a->n);
    CUDA_CHECK_LAUNCH();
    sums_kernel<<<1, BLOCK, 0, stream>>>(a->sums, tiles);
    CUDA_CHECK_LAUNCH();
    scan_kernel5<<<tiles, BLOCK, 0, stream>>>(a->x, a->y, a->sums, a->n);
    CUDA_CHECK_LAUNCH();
}

static const struct version versions[] = {
    {"scan_kernel1", scan1, false, false}, {"scan_kernel2", scan2, false, false}, {"scan_kernel3", scan3, false, false},
    {"scan_kernel4", scan4, false, false}, {"scan_kernel5", scan5, false, true},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 100003},
              tables[] = {device_is_emulator() ? 1 << 19 : (1 << 24) + 12345, device_is_emulator() ? 0 : 1 << 28};
    frame lesson = frame_of("scan", versions, VERSIONS);
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
