/* The four limits in an array, the smallest of which is searched for; the tile is the share of the block, from what the driver leaves. */
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

enum { LIMITS = 4 };

static void room(const struct machine *m, int registers, int threads, int shared, int (&blocks)[LIMITS]) {
    int warps = (threads - 1) / WARP + 1, share = (shared + m->reserved + m->shared_unit - 1) / m->shared_unit;
    int eights = (registers + 7) / 8; // 256 registers of a warp are 8 of each thread
    blocks[0] = m->blocks;
    blocks[1] = m->warps / warps;
    blocks[2] = m->registers / 4 / (eights * REGISTER_UNIT) * 4 / warps;
    blocks[3] = share ? m->shared / (share * m->shared_unit) : m->blocks;
}

int resident_blocks(const struct machine *m, int registers, int threads, int shared) {
    int blocks[LIMITS], least = 0;
    if (threads <= 0 || threads > BLOCK_THREADS || registers > THREAD_REGISTERS || shared > m->shared_block) {
        return 0;
    }
    room(m, registers, threads, shared, blocks);
    for (int k = 1; k < LIMITS; k++) {
        least = blocks[k] < blocks[least] ? k : least;
    }
    return blocks[least];
}

int best_block(const struct machine *m, int registers, int fixed, int per_thread) {
    int best = 0, most = 0;
    for (int threads = BLOCK_THREADS; threads >= WARP; threads -= WARP) {
        int warps = resident_blocks(m, registers, threads, fixed + threads * per_thread) * (threads / WARP);
        if (warps > most) {
            most = warps;
            best = threads;
        }
    }
    return best;
}

int largest_tile(const struct machine *m, int registers, int threads, int blocks) {
    int pieces = m->shared / m->shared_unit / blocks;
    int bytes = smaller(pieces * m->shared_unit - m->reserved, m->shared_block);
    return resident_blocks(m, registers, threads, 0) >= blocks ? bytes : -1;
}

enum { BLOCK = 256 };
enum { SAMPLES = 64 };

/* The smaller one to the place of lower number; which pairs, does not depend on the numbers. */
static __device__ void sort_samples(float (&v)[SAMPLES]) {
#pragma unroll
    for (int size = 2; size <= SAMPLES; size *= 2) {
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
#pragma unroll
            for (int i = 0; i < SAMPLES; i++) {
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

__global__ void __launch_bounds__(BLOCK) middle_mean_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float v[SAMPLES], sum = 0.0f;
    if (i >= n) {
        return;
    }
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        v[k] = x[(size_t)k * n + i];
    }
    sort_samples(v);
#pragma unroll
    for (int k = SAMPLES / 4; k < SAMPLES - SAMPLES / 4; k++) {
        sum += v[k];
    }
    y[i] = sum / (SAMPLES / 2);
}

void middle_mean(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    middle_mean_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
