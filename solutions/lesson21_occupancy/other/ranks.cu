/* No sample is kept: each is read again to see how many come before it. So few registers are enough, and blocks have 128 threads. */
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

enum { BLOCK = 128 };
enum { SAMPLES = 64 };

/* How many samples of the place come before sample k in their order. */
static __device__ int rank_of(const float *x, int n, int i, int k, float sample) {
    int rank = 0;
    for (int other = 0; other < SAMPLES; other++) {
        float value = x[(size_t)other * n + i];
        rank += value < sample || (value == sample && other < k);
    }
    return rank;
}

__global__ void rank_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (i >= n) {
        return;
    }
    for (int k = 0; k < SAMPLES; k++) {
        float sample = x[(size_t)k * n + i];
        int rank = rank_of(x, n, i, k, sample);
        sum += rank >= SAMPLES / 4 && rank < SAMPLES - SAMPLES / 4 ? sample : 0.0f;
    }
    y[i] = sum / (SAMPLES / 2);
}

void middle_mean(const float *x, float *y, int n, cudaStream_t stream) {
    if (n > 0) {
        rank_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
        CUDA_CHECK_LAUNCH();
    }
}
