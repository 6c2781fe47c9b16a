/* Blocks come one after the other, and each takes its room, until one finds none. The kernel has no bounds: left alone, ptxas takes 72 registers. */
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

/* What is left of a multiprocessor. */
struct room {
    int blocks, warps, registers[SCHEDULERS], shared;
};

/* A warp goes to the scheduler that has the most registers left. */
static bool place_warp(struct room *r, int registers) {
    int best = 0;
    for (int s = 1; s < SCHEDULERS; s++) {
        best = r->registers[s] > r->registers[best] ? s : best;
    }
    r->registers[best] -= registers;
    return r->registers[best] >= 0 && --r->warps >= 0;
}

static bool place_block(struct room *r, const struct machine *m, int registers, int threads, int shared) {
    r->shared -= round_up(shared + m->reserved, m->shared_unit);
    if (--r->blocks < 0 || r->shared < 0) {
        return false;
    }
    for (int first = 0; first < threads; first += WARP) {
        if (!place_warp(r, round_up(registers * WARP, REGISTER_UNIT))) {
            return false;
        }
    }
    return true;
}

int resident_blocks(const struct machine *m, int registers, int threads, int shared) {
    int quarter = m->registers / SCHEDULERS, blocks = 0;
    struct room r = {m->blocks, m->warps, {quarter, quarter, quarter, quarter}, m->shared};
    bool possible =
        threads >= 1 && threads <= BLOCK_THREADS && registers <= THREAD_REGISTERS && shared <= m->shared_block;
    while (possible && place_block(&r, m, registers, threads, shared)) {
        blocks++;
    }
    return blocks;
}

int best_block(const struct machine *m, int registers, int fixed, int per_thread) {
    int best = 0, most = 1;
    for (int warps = 1; warps <= BLOCK_THREADS / WARP; warps++) {
        int resident = warps * resident_blocks(m, registers, warps * WARP, fixed + warps * WARP * per_thread);
        if (resident >= most) {
            most = resident;
            best = warps * WARP;
        }
    }
    return best;
}

/* Halves the range in which the answer lies. */
int largest_tile(const struct machine *m, int registers, int threads, int blocks) {
    int fits = -1, too_much = m->shared_block + 1;
    while (too_much - fits > 1) {
        int middle = fits + (too_much - fits) / 2;
        if (resident_blocks(m, registers, threads, middle) >= blocks) {
            fits = middle;
        } else {
            too_much = middle;
        }
    }
    return fits;
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

__global__ void middle_mean_kernel(const float *x, float *y, int n) {
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
