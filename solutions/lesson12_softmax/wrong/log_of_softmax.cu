// expect: wrong_result
// says: do not take the logarithm of it
/* First the softmax, then its logarithm: what is smaller than exp(-104) has become 0 on the way. */
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
    return largest == -INFINITY ? 0.0f : expf(largest - larger);
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
        row.sum += v[i] == -INFINITY ? 0.0f : expf(v[i] - row.largest);
    }
    row = block_pair(row);
    for (int i = 0; i < EACH; i++) {
        int c = i * BLOCK + threadIdx.x;
        v[i] = logf(expf(v[i] - row.largest) / row.sum);
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
