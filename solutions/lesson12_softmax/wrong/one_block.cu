// expect: access_limit
// says: a single block of all_rows_kernel wrote more than half
/* Right, but one block takes all rows, one after the other. */
#include <math.h>

#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 256 };             // threads in a block, which has a row
enum { EACH = 16 };               // elements that a thread keeps in registers
enum { COLS_MAX = BLOCK * EACH }; // so no row is longer
#define ALL_LANES 0xffffffffu

/* What is known of some elements: the largest one, and the sum of exp(x - largest). */
struct pair {
    float largest, sum;
};

__device__ struct pair pair_of_nothing() {
    struct pair nothing = {-INFINITY, 0.0f};
    return nothing;
}

/* What the sum for `largest` has to be multiplied by when a larger element comes; `larger` may be the same. */
__device__ float scale(float largest, float larger) {
    return largest == -INFINITY ? 0.0f : expf(largest - larger);
}

__device__ struct pair join(struct pair a, struct pair b) {
    float larger = fmaxf(a.largest, b.largest);
    struct pair both = {larger, a.sum * scale(a.largest, larger) + b.sum * scale(b.largest, larger)};
    return both;
}

/* The pairs of the 32 lanes of a warp, joined. All lanes get the result. */
__device__ struct pair warp_pair(struct pair mine) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        struct pair other = {__shfl_xor_sync(ALL_LANES, mine.largest, step),
                             __shfl_xor_sync(ALL_LANES, mine.sum, step)};
        mine = join(mine, other);
    }
    return mine;
}

/* The pairs of all threads of the block, joined. All threads get the result. */
__device__ struct pair block_pair(struct pair mine) {
    mine = warp_pair(mine);
    __shared__ struct pair pairs[BLOCK / WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (lane == 0) {
        pairs[warp] = mine;
    }
    __syncthreads();
    mine = warp_pair(lane < BLOCK / WARP ? pairs[lane] : pair_of_nothing());
    return mine;
}

static __device__ void one_part(int BX, int BY, const float *x, const int *target, float *log_p, float *loss,
                                int cols) {
    float v[EACH];
    struct pair row = pair_of_nothing();
    x += (size_t)BX * cols;
    log_p += (size_t)BX * cols;

    for (int i = 0; i < EACH; i++) {
        int c = i * BLOCK + threadIdx.x;
        v[i] = c < cols ? x[c] : -INFINITY;
        row.largest = fmaxf(row.largest, v[i]);
    }
    for (int i = 0; i < EACH; i++) {
        row.sum += v[i] == -INFINITY ? 0.0f : expf(v[i] - row.largest);
    }
    row = block_pair(row);

    float log_sum = logf(row.sum);
    for (int i = 0; i < EACH; i++) {
        int c = i * BLOCK + threadIdx.x;
        v[i] = (v[i] - row.largest) - log_sum;
        if (c < cols) {
            log_p[c] = v[i];
        }
    }

    int wanted = target[BX];
    for (int i = 0; i < EACH; i++) {
        if (i * BLOCK + (int)threadIdx.x == wanted) {
            loss[BX] = -v[i];
        }
    }
    if (wanted < 0 && threadIdx.x == 0) {
        loss[BX] = 0.0f;
    }
}

__global__ void all_rows_kernel(const float *x, const int *target, float *log_p, float *loss, int cols, int rows) {
    for (int r = 0; r < rows; r++) {
        one_part(r, 0, x, target, log_p, loss, cols);
        __syncthreads();
    }
}

void cross_entropy(const float *x, const int *target, float *log_p, float *loss, int rows, int cols,
                   cudaStream_t stream) {
    if (rows == 0) {
        return;
    }
    all_rows_kernel<<<1, BLOCK, 0, stream>>>(x, target, log_p, loss, cols, rows);
    CUDA_CHECK_LAUNCH();
}
