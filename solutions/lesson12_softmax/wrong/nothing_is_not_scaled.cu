// expect: nan
// says: the result of a part without elements
/* A warp whose elements are all -INFINITY, or that has none, is joined like any other: -INFINITY - -INFINITY. */
#include <math.h>

#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 256 };
enum { EACH = 16 };
#define ALL_LANES 0xffffffffu

struct pair {
    float largest, sum;
};

__device__ struct pair pair_of_nothing() {
    struct pair nothing = {-INFINITY, 0.0f};
    return nothing;
}

__device__ float scale(float largest, float larger) {
    return expf(largest - larger);
}

__device__ struct pair join(struct pair a, struct pair b) {
    float larger = fmaxf(a.largest, b.largest);
    struct pair both = {larger, a.sum * scale(a.largest, larger) + b.sum * scale(b.largest, larger)};
    return both;
}

__device__ struct pair warp_pair(struct pair mine) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        struct pair other = {__shfl_xor_sync(ALL_LANES, mine.largest, step),
                             __shfl_xor_sync(ALL_LANES, mine.sum, step)};
        mine = join(mine, other);
    }
    return mine;
}

__device__ struct pair block_pair(struct pair mine) {
    __shared__ struct pair pairs[BLOCK / WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    mine = warp_pair(mine);
    if (lane == 0) {
        pairs[warp] = mine;
    }
    __syncthreads();
    return warp_pair(lane < BLOCK / WARP ? pairs[lane] : pair_of_nothing());
}

__global__ void cross_entropy_kernel(const float *x, const int *target, float *log_p, float *loss, int cols) {
    float v[EACH];
    struct pair row = pair_of_nothing();
    x += (size_t)blockIdx.x * cols;
    log_p += (size_t)blockIdx.x * cols;
    for (int i = 0; i < EACH; i++) {
        int c = i * BLOCK + threadIdx.x;
        v[i] = c < cols ? x[c] : -INFINITY;
        row.largest = fmaxf(row.largest, v[i]);
    }
    for (int i = 0; i < EACH; i++) {
        row.sum += i * BLOCK + (int)threadIdx.x < cols ? expf(v[i] - row.largest) : 0.0f;
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
    int wanted = target[blockIdx.x];
    for (int i = 0; i < EACH; i++) {
        if (i * BLOCK + (int)threadIdx.x == wanted) {
            loss[blockIdx.x] = -v[i];
        }
    }
    if (wanted < 0 && threadIdx.x == 0) {
        loss[blockIdx.x] = 0.0f;
    }
}

void cross_entropy(const float *x, const int *target, float *log_p, float *loss, int rows, int cols,
                   cudaStream_t stream) {
    if (rows == 0) {
        return;
    }
    cross_entropy_kernel<<<rows, BLOCK, 0, stream>>>(x, target, log_p, loss, cols);
    CUDA_CHECK_LAUNCH();
}
