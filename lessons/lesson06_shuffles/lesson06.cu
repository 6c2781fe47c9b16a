/* Lesson 06: shuffles, what the lanes of a warp can do together.
 *
 *     make lesson06 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson06 run V=5 SIZE=100003     one version, one size
 *
 * You will learn how 32 lanes find a sum, all the sums on the way, sums of parts, and slots in a queue, from register to
 * register, and what the mask in each of these functions is for.
 *
 *     above_kernel1     each lane reads its whole row and adds it up
 *     above_kernel2     shuffle down: a tree in five steps, and a shuffle that broadcasts the sum
 *     above_kernel3     shuffle xor: five steps, and all lanes have the sum
 *     above_kernel4     reduce: one instruction (compute capability 8.0)
 *     scan_kernel5      shuffle up: all the sums on the way
 *     segment_kernel6   the same, restarted where another run begins: ballot
 *     group_kernel7     equal keys find each other: match
 *     group_kernel8     each group with its own mask: reduce
 *     keep_kernel9      a queue: one atomic for each element that is kept
 *     keep_kernel10     one for each warp
 *     keep_kernel11     one for each block
 *     keep_kernel12     one for each block, which has 16 times as many elements
 *
 * All numbers are ints: their sums are exact in any order, and reduce is for integers only. A row is 32 elements, x[32 * r] to
 * x[32 * r + 31]; the last one may be shorter.
 */
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"
#include "measure.h"

// Machine code for three generations; of PTX only the newest. The first of them has no reduce.
// arch: sm_75 sm_80 sm_90

enum { WARP = 32 };                       // lanes in a warp, and elements in a row
enum { BLOCK = 256, WARPS = BLOCK / 32 }; // threads and warps in a block
enum { ROWS = 16 };                       // version 12: rows that each warp takes
#define ALL_LANES 0xffffffffu             // the mask that names all 32 lanes

// ---------------------------------------------------------------- the references

/* 32 times how far each element is above the mean of its row. */
static void above_cpu(const int *x, const int *, int *y, int n) {
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = i / WARP * WARP; k < n && k < (i / WARP + 1) * WARP; k++) {
            sum += x[k];
        }
        y[i] = WARP * x[i] - sum;
    }
}

/* The sum of the row up to each element. */
static void scan_cpu(const int *x, const int *, int *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + (i % WARP == 0 ? 0 : y[i - 1]);
    }
}

/* Where the key is another one than that of the element before, or a row begins, a run begins: the sum of the run up to each
 * element. */
static void segment_cpu(const int *x, const int *keys, int *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + (i % WARP == 0 || keys[i] != keys[i - 1] ? 0 : y[i - 1]);
    }
}

/* The sum of all elements of the row that have the same key, at any position. */
static void group_cpu(const int *x, const int *keys, int *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = i / WARP * WARP; k < n && k < (i / WARP + 1) * WARP; k++) {
            y[i] += keys[k] == keys[i] ? x[k] : 0;
        }
    }
}

static __host__ __device__ inline bool wanted(int value) {
    return value > 0;
}

// ---------------------------------------------------------------- a sum that all lanes know

/* x[n] -> y[n], int; a thread for each element. Versions 1 to 8 have these shapes; versions 6 to 8 also read keys[n]. A lane without
 * an element has 0, which changes no sum, and stays with the others: only loads and stores are guarded. */

/* Version 1: no exchange. Each lane reads all of its row. */
static __global__ void above_kernel1(const int *x, const int *, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int sum = 0, first = i / WARP * WARP;
        for (int k = 0; k < WARP && first + k < n; k++) {
            sum += x[first + k];
        }
        y[i] = WARP * x[i] - sum;
    }
}

/* Version 2: each lane reads one element. In each step a lane gets the sum of the lane `step` further up, 16, 8, 4, 2, 1. Lane 0 then
 * has the sum of all; what the others have is of no use. So lane 0 hands its sum out. */
static __global__ void above_kernel2(const int *x, const int *, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : 0, sum = value;
    for (int step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_down_sync(ALL_LANES, sum, step);
    }
    sum = __shfl_sync(ALL_LANES, sum, 0);
    if (i < n) {
        y[i] = WARP * value - sum;
    }
}

/* Version 3: two lanes exchange their sums, those whose indices differ in one bit. Both then have the sum of both. After five steps, one
 * for each bit, all lanes have the sum of all. */
static __global__ void above_kernel3(const int *x, const int *, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : 0, sum = value;
    for (int step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, step);
    }
    if (i < n) {
        y[i] = WARP * value - sum;
    }
}

/* The sum of the lanes in `mask`, which all of these lanes get. From compute capability 8.0 on that is one instruction. Before, each lane
 * iterates over the mask bit by bit; all 32 lanes stay together, as long as one of them has a bit left. */
static __device__ int add_up(unsigned mask, int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(mask, value);
#else
    int sum = 0, lane = threadIdx.x % WARP;
    for (unsigned rest = mask; __any_sync(ALL_LANES, rest != 0); rest &= rest - 1) {
        int other = __shfl_sync(ALL_LANES, value, rest ? __ffs(rest) - 1 : lane);
        sum += rest ? other : 0;
    }
    return sum;
#endif
}

/* Version 4: no steps at all. */
static __global__ void above_kernel4(const int *x, const int *, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : 0;
    int sum = add_up(ALL_LANES, value);
    if (i < n) {
        y[i] = WARP * value - sum;
    }
}

// ---------------------------------------------------------------- all the sums on the way

/* Version 5: the other direction. After the step of 1 a lane has the sum of two elements, its own and the one before; after 2, of four;
 * after 16, of all up to its own. A lane that has no lane `step` before it has all of its elements already: it takes part, and drops
 * what it gets. */
static __global__ void scan_kernel5(const int *x, const int *, int *y, int n) {
    int lane = threadIdx.x % WARP;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? x[i] : 0;
    for (int step = 1; step < WARP; step *= 2) {
        int before = __shfl_up_sync(ALL_LANES, sum, step);
        sum += lane >= step ? before : 0;
    }
    if (i < n) {
        y[i] = sum;
    }
}

/* Version 6: sums of runs. A lane is a head if its run begins with it. One ballot shows all lanes where the heads are, and the last head
 * up to a lane is the first lane of its run. A lane adds nothing from before that. */
static __global__ void segment_kernel6(const int *x, const int *keys, int *y, int n) {
    int lane = threadIdx.x % WARP;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? x[i] : 0, key = i < n ? keys[i] : -1;
    int key_before = __shfl_up_sync(ALL_LANES, key, 1);
    unsigned heads = __ballot_sync(ALL_LANES, lane == 0 || key != key_before);
    int first = 31 - __clz(heads & ALL_LANES >> (31 - lane));
    for (int step = 1; step < WARP; step *= 2) {
        int before = __shfl_up_sync(ALL_LANES, sum, step);
        sum += lane - step >= first ? before : 0;
    }
    if (i < n) {
        y[i] = sum;
    }
}

// ---------------------------------------------------------------- groups

/* Version 7: the elements with the same key need not be neighbours. __match_any_sync gives each lane the mask of those lanes that have
 * the same value as itself. Each lane then reads from its group's lanes one after the other. Groups differ in size, and all lanes stay
 * together until the largest is done. */
static __global__ void group_kernel7(const int *x, const int *keys, int *y, int n) {
    int lane = threadIdx.x % WARP;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : 0, key = i < n ? keys[i] : -1;
    unsigned group = __match_any_sync(ALL_LANES, key);
    int sum = 0;
    for (unsigned rest = group; __any_sync(ALL_LANES, rest != 0); rest &= rest - 1) {
        int other = __shfl_sync(ALL_LANES, value, rest ? __ffs(rest) - 1 : lane);
        sum += rest ? other : 0;
    }
    if (i < n) {
        y[i] = sum;
    }
}

/* Version 8: the group is a mask, and reduce takes a mask. The lanes of a group call it with the same mask, and each group has its own:
 * the first masks in this lesson that do not name all lanes. */
static __global__ void group_kernel8(const int *x, const int *keys, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : 0, key = i < n ? keys[i] : -1;
    unsigned group = __match_any_sync(ALL_LANES, key);
    int sum = add_up(group, value);
    if (i < n) {
        y[i] = sum;
    }
}

// ---------------------------------------------------------------- a queue

/* x[n] -> y[*count], which must be 0 before: the elements that are kept, one after the other. Versions 9 to 12 have these shapes. The
 * order is that of the atomics, which is unspecified. (The exercise keeps the order.) */

/* Version 9: each lane takes the next slot. atomicAdd returns the old value and adds, in one atomic step. */
static __global__ void keep_kernel9(const int *x, int *y, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && wanted(x[i])) {
        y[atomicAdd(count, 1)] = x[i];
    }
}

/* Version 10: one ballot shows all lanes which of them need a slot. One lane takes as many slots as the warp needs, and broadcasts
 * the first one; each lane's slot follows those of the lanes before it. */
static __global__ void keep_kernel10(const int *x, int *y, int *count, int n) {
    int lane = threadIdx.x % WARP;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : 0, start = 0;
    bool keeps = i < n && wanted(value);
    unsigned word = __ballot_sync(ALL_LANES, keeps);
    if (lane == 0 && word != 0) {
        start = atomicAdd(count, __popc(word));
    }
    start = __shfl_sync(ALL_LANES, start, 0);
    if (keeps) {
        y[start + __popc(word & ((1u << lane) - 1))] = value;
    }
}

/* Takes `mine` slots for each warp, and returns the first one of this warp: one atomic for the block. `mine` is the same in all
 * lanes of a warp. Warp 0 scans the numbers of all warps, as version 5 does, and puts their starts in the same words. Memory that is
 * __shared__ belongs to the block, and at __syncthreads() all its threads wait for each other (lesson 07). */
static __device__ int block_start(int mine, int *count) {
    __shared__ int words[WARPS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (lane == 0) {
        words[warp] = mine;
    }
    __syncthreads(); // all numbers are there
    if (warp == 0) {
        int number = lane < WARPS ? words[lane] : 0, sum = number, start = 0;
        for (int step = 1; step < WARP; step *= 2) {
            int before = __shfl_up_sync(ALL_LANES, sum, step);
            sum += lane >= step ? before : 0;
        }
        if (lane == WARP - 1) { // its sum is that of all
            start = atomicAdd(count, sum);
        }
        start = __shfl_sync(ALL_LANES, start, WARP - 1);
        if (lane < WARPS) {
            words[lane] = start + sum - number;
        }
    }
    __syncthreads(); // all starts are there
    return words[warp];
}

/* Version 11: the same, one level up. */
static __global__ void keep_kernel11(const int *x, int *y, int *count, int n) {
    int lane = threadIdx.x % WARP;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : 0;
    bool keeps = i < n && wanted(value);
    unsigned word = __ballot_sync(ALL_LANES, keeps);
    int start = block_start(__popc(word), count);
    if (keeps) {
        y[start + __popc(word & ((1u << lane) - 1))] = value;
    }
}

/* Version 12: a warp takes 16 rows before it requests slots: a sixteenth of the atomics and of the barriers, and 16 loads in
 * flight. A lane keeps the words of its rows, or rather its 16 values, and votes a second time. */
static __global__ void keep_kernel12(const int *x, int *y, int *count, int n) {
    int lane = threadIdx.x % WARP;
    int first = (blockIdx.x * BLOCK + threadIdx.x - lane) * ROWS + lane;
    int value[ROWS], mine = 0;
    for (int r = 0; r < ROWS; r++) {
        int i = first + r * WARP;
        value[r] = i < n ? x[i] : 0; // 0 is not wanted
    }
    for (int r = 0; r < ROWS; r++) {
        mine += __popc(__ballot_sync(ALL_LANES, wanted(value[r])));
    }
    int start = block_start(mine, count);
    for (int r = 0; r < ROWS; r++) {
        unsigned word = __ballot_sync(ALL_LANES, wanted(value[r]));
        if (wanted(value[r])) {
            y[start + __popc(word & ((1u << lane) - 1))] = value[r];
        }
        start += __popc(word);
    }
}

// ---------------------------------------------------------------- the launchers

/* Queued in `stream`, no waiting, n may be 0. */

/* Versions 1 to 8: a thread for each element. */
static void launch_rows(void (*kernel)(const int *, const int *, int *, int), const struct arrays *a,
                        cudaStream_t stream) {
    if (a->n == 0) {
        return;
    }
    kernel<<<ceil_div(a->n, BLOCK), BLOCK, 0, stream>>>(a->x, a->keys, a->y, a->n);
    CUDA_CHECK_LAUNCH();
}

/* Versions 9 to 12: the queue is empty at first, also when n is 0. `each`: elements of a block. */
static void launch_queue(void (*kernel)(const int *, int *, int *, int), int each, const struct arrays *a,
                         cudaStream_t stream) {
    CUDA_CHECK(cudaMemsetAsync(a->count, 0, sizeof *a->count, stream));
    if (a->n == 0) {
        return;
    }
    kernel<<<ceil_div(a->n, each), BLOCK, 0, stream>>>(a->x, a->y, a->count, a->n);
    CUDA_CHECK_LAUNCH();
}

static void above1(const struct arrays *a, cudaStream_t stream) {
    launch_rows(above_kernel1, a, stream);
}

static void above2(const struct arrays *a, cudaStream_t stream) {
    launch_rows(above_kernel2, a, stream);
}

static void above3(const struct arrays *a, cudaStream_t stream) {
    launch_rows(above_kernel3, a, stream);
}

static void above4(const struct arrays *a, cudaStream_t stream) {
    launch_rows(above_kernel4, a, stream);
}

static void scan5(const struct arrays *a, cudaStream_t stream) {
    launch_rows(scan_kernel5, a, stream);
}

static void segment6(const struct arrays *a, cudaStream_t stream) {
    launch_rows(segment_kernel6, a, stream);
}

static void group7(const struct arrays *a, cudaStream_t stream) {
    launch_rows(group_kernel7, a, stream);
}

static void group8(const struct arrays *a, cudaStream_t stream) {
    launch_rows(group_kernel8, a, stream);
}

static void keep9(const struct arrays *a, cudaStream_t stream) {
    launch_queue(keep_kernel9, BLOCK, a, stream);
}

static void keep10(const struct arrays *a, cudaStream_t stream) {
    launch_queue(keep_kernel10, BLOCK, a, stream);
}

static void keep11(const struct arrays *a, cudaStream_t stream) {
    launch_queue(keep_kernel11, BLOCK, a, stream);
}

static void keep12(const struct arrays *a, cudaStream_t stream) {
    launch_queue(keep_kernel12, BLOCK * ROWS, a, stream);
}

/* A version without a reference is a queue. */
static const struct version versions[] = {
    {"above_kernel1", above1, above_cpu},
    {"above_kernel2", above2, above_cpu},
    {"above_kernel3", above3, above_cpu},
    {"above_kernel4", above4, above_cpu},
    {"scan_kernel5", scan5, scan_cpu},
    {"segment_kernel6", segment6, segment_cpu, true},
    {"group_kernel7", group7, group_cpu, true},
    {"group_kernel8", group8, group_cpu, true},
    {"keep_kernel9", keep9},
    {"keep_kernel10", keep10},
    {"keep_kernel11", keep11},
    {"keep_kernel12", keep12},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 16384}, tables[] = {device_is_emulator() ? 1 << 18 : 1 << 26};
    frame lesson = frame_of("shuffles", versions, VERSIONS);
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
