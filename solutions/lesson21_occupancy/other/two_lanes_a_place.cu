/* Two lanes sort the samples of a place together. */
#include "common/check.h"

enum { WARP = 32 };
enum { SCHEDULERS = 4 };       // each has a quarter of the registers
enum { REGISTER_UNIT = 256 };  // registers that a warp gets at a time
enum { BLOCK_THREADS = 1024 }; // the most that a block may have
enum { THREAD_REGISTERS = 255 };

/* What a multiprocessor has. */
struct machine {
    int blocks, warps; // places for them
    int registers;     // of 32 bits
    int shared;        // bytes of shared memory, for all blocks together
    int shared_block;  // bytes that one block may have
    int reserved;      // bytes that the driver takes for each block, in addition to what it asked for
    int shared_unit;   // shared memory is given in pieces of so many bytes
};

static int round_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int warps_of(int threads) {
    return (threads + WARP - 1) / WARP;
}

static int blocks_by_registers(const struct machine *m, int registers, int warps) {
    int of_warp = round_up(registers * WARP, REGISTER_UNIT);
    int of_scheduler = m->registers / SCHEDULERS / of_warp;
    return of_scheduler * SCHEDULERS / warps;
}

static int blocks_by_shared(const struct machine *m, int shared) {
    int of_block = round_up(shared + m->reserved, m->shared_unit);
    return of_block ? m->shared / of_block : m->blocks;
}

int resident_blocks(const struct machine *m, int registers, int threads, int shared) {
    if (threads < 1 || threads > BLOCK_THREADS || registers > THREAD_REGISTERS || shared > m->shared_block) {
        return 0;
    }
    int warps = warps_of(threads);
    int blocks = smaller(m->blocks, m->warps / warps);
    blocks = smaller(blocks, blocks_by_registers(m, registers, warps));
    return smaller(blocks, blocks_by_shared(m, shared));
}

int best_block(const struct machine *m, int registers, int fixed, int per_thread) {
    int best = 0, most = 0;
    for (int threads = BLOCK_THREADS; threads >= WARP; threads -= WARP) {
        int warps = resident_blocks(m, registers, threads, fixed + threads * per_thread) * warps_of(threads);
        if (warps > most) {
            most = warps;
            best = threads;
        }
    }
    return best;
}

int largest_tile(const struct machine *m, int registers, int threads, int blocks) {
    if (resident_blocks(m, registers, threads, 0) < blocks) {
        return -1;
    }
    int share = m->shared / blocks / m->shared_unit * m->shared_unit;
    return smaller(share - m->reserved, m->shared_block);
}

/* Two lanes for each place, with 32 samples each, so that few registers are enough. */
enum { BLOCK = 256 };
enum { SAMPLES = 64, HALF = SAMPLES / 2 };

static __device__ void sort_half(float (&v)[HALF]) {
#pragma unroll
    for (int size = 2; size <= HALF; size *= 2) {
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
#pragma unroll
            for (int i = 0; i < HALF; i++) {
                int other = step == size / 2 ? i ^ (size - 1) : i ^ step;
                if (other > i) {
                    float low = fminf(v[i], v[other]);
                    v[other] = fmaxf(v[i], v[other]);
                    v[i] = low;
                }
            }
        }
    }
}

/* The even lane keeps the 32 smaller ones, of which it needs the 16 largest; the odd lane has the others, and needs the 16 smallest. */
__global__ void __launch_bounds__(BLOCK) middle_mean_kernel(const float *x, float *y, int n) {
    int thread = blockIdx.x * BLOCK + threadIdx.x, i = min(thread / 2, n - 1);
    bool odd = thread % 2;
    float v[HALF], mine[HALF], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < HALF; k++) {
        v[k] = x[(size_t)(2 * k + odd) * n + i];
    }
    sort_half(v);
#pragma unroll
    for (int k = 0; k < HALF; k++) {
        float other = __shfl_xor_sync(0xffffffffu, v[HALF - 1 - k], 1);
        mine[k] = odd ? fmaxf(v[k], other) : fminf(v[k], other);
    }
#pragma unroll
    for (int k = 0; k < HALF / 2; k++) {
        float a = mine[k], b = mine[k + HALF / 2];
        sum += odd ? fminf(a, b) : fmaxf(a, b);
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    if (!odd && thread / 2 < n) {
        y[i] = sum / HALF;
    }
}

void middle_mean(const float *x, float *y, int n, cudaStream_t stream) {
    if (n > 0) {
        middle_mean_kernel<<<(2 * n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
        CUDA_CHECK_LAUNCH();
    }
}
