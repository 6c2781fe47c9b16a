/* Exercise 21: an occupancy calculator, two questions that it answers, and a kernel of which more blocks have to be resident.
 *
 * The grader (make exercise21) calls, from the host:
 *
 *     int resident_blocks(const struct machine *m, int registers, int threads, int shared);
 *   - returns how many blocks are resident on an SM like *m at once, when a thread has `registers` registers, and a block has `threads`
 *     threads and `shared` bytes of shared memory (static and dynamic); 0 if not even one can be. registers >= 1, threads and shared >= 0;
 *   - what a block needs is rounded up as the lesson's page explains: to whole warps, REGISTER_UNIT registers for a warp, m->shared_unit
 *     bytes. m->shared_block limits `shared` alone; what the driver reserves for the block is added to it.
 *
 *     int best_block(const struct machine *m, int registers, int fixed, int per_thread);
 *   - returns the block size, a multiple of 32 up to 1024, with which the most warps are resident; of several such the largest; 0 if none fits.
 *     A block of t threads has `fixed` + t * `per_thread` bytes of shared memory.
 *
 *     int largest_tile(const struct machine *m, int registers, int threads, int blocks);
 *   - returns the most bytes of shared memory that a block may have if `blocks` blocks or more are to be resident at once; -1 if they cannot be.
 *     blocks >= 1.
 *
 *     void middle_mean(const float *x, float *y, int n, cudaStream_t stream);
 *   - x holds 64 measurements for each of n places: x[k * n + i] is the k-th of place i. y[i] is the mean of the middle 32 of the sorted 64,
 *     so that up to 16 outliers at either end have no effect. Measurements may be infinite or equal, but none is NaN.
 *     0 <= n <= 20000. One launch, in `stream`, or none for n = 0; it returns without waiting, and a failed launch is reported;
 *   - on an SM of compute capability 9.0, 24 or more of its warps are resident, whatever n is, and in a block that computes places no
 *     warp is without one; and no thread uses local memory: neither for registers that ptxas had to spill, nor for an array.
 *
 * Here *m may be any SM, including one that does not exist.
 *
 * When all checks pass, your calculator gives the resident blocks of every kernel in the grader, and a kernel has 24
 * resident warps without spills.
 * First step: TODO 8, about ten minutes: the check "middle_mean, n = 0, 1, around 32 and 256, 1000, 1025, 20000, in a stream, 16 wrong at
 * either end" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { WARP = 32 };
enum { SCHEDULERS = 4 };       // each has a quarter of the registers
enum { REGISTER_UNIT = 256 };  // registers are allocated to a warp in this unit
enum { BLOCK_THREADS = 1024 }; // the most that a block may have
enum { THREAD_REGISTERS = 255 };

/* The resources of an SM. */
struct machine {
    int blocks, warps; // slots for them
    int registers;     // of 32 bits
    int shared;        // bytes of shared memory, for all blocks together
    int shared_block;  // bytes that one block may have
    int reserved;      // bytes that the driver takes for each block, in addition to what it asked for
    int shared_unit;   // shared memory is allocated in units of this many bytes
};

static int round_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int warps_of(int threads) {
    // TODO 1: how many warps has a block of this many threads? The last one need not be full.
    (void)threads;
    return 1;
}

static int blocks_by_registers(const struct machine *m, int registers, int warps) {
    // TODO 2: how many registers are allocated to a warp (round_up)? For how many warps has one scheduler room, with its quarter of the
    // registers? So for how many warps have the four, and how many blocks is that?
    (void)m, (void)registers, (void)warps;
    return 0;
}

static int blocks_by_shared(const struct machine *m, int shared) {
    // TODO 3: a block's share: what it asks for and what the driver reserves, rounded up to whole units. A share of 0 bytes limits nothing.
    (void)m, (void)shared;
    return 0;
}

int resident_blocks(const struct machine *m, int registers, int threads, int shared) {
    // TODO 4: which blocks can no SM hold? And for the others: which of the four limits is the smallest?
    (void)m, (void)registers, (void)threads, (void)shared;
    (void)warps_of, (void)blocks_by_registers, (void)blocks_by_shared, (void)round_up, (void)smaller;
    return -1;
}

int best_block(const struct machine *m, int registers, int fixed, int per_thread) {
    // TODO 5: try all sizes. More blocks do not mean more warps!
    (void)m, (void)registers, (void)fixed, (void)per_thread;
    return 0;
}

int largest_tile(const struct machine *m, int registers, int threads, int blocks) {
    // TODO 6: can this many blocks be resident at all? If so, each may have an equal share of the shared memory, in whole units; the
    // driver reserves some bytes of that. And no block may have more than m->shared_block.
    (void)m, (void)registers, (void)threads, (void)blocks;
    return 0;
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

// TODO 7: with these bounds ptxas may use 128 registers, and uses 96. How many blocks of 256 threads have to be resident for 24 warps?
__global__ void __launch_bounds__(BLOCK, 2) middle_mean_kernel(const float *x, float *y, int n) {
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
    // TODO 8: launch a thread for each place, in `stream`, and check the launch. What about n = 0?
    (void)x, (void)y, (void)n, (void)stream;
}
