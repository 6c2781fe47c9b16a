/* Lesson 05: warps, the 32 threads that share one instruction.
 *
 *     make lesson05 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson05 run V=4 SIZE=100003     one version, one size
 *
 * You will learn what a warp does when its threads take different branches, when that costs time and when it does
 * not, and how the threads of a warp exchange values without memory.
 *
 *     shape_kernel1   if (left) ... else ...: neighbouring lanes diverge
 *     shape_kernel2   the same if, but whole warps branch alike
 *     shape_kernel3   no if: the lanes select a number instead of a branch
 *     shape_kernel4   a lane stops when its sample is done; the warp stops with its last lane
 *     shape_kernel5   a lane that is done takes the next sample: ballot
 *     echo_kernel6    lanes that wait for each other: independent thread scheduling
 *     echo_kernel7    the same without waiting: shuffle
 *
 * The samples are stereo sound: x[0] left, x[1] right, x[2] left, ... `shape` pushes every sample towards +1 or -1, the
 * left channel faster than the right one. `echo` adds to each sample half of the echo so far, within groups of 32.
 */
#include <math.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/elementwise.h"
#include "../../common/lesson.h"

enum { WARP = 32 };                 // threads in a warp, on every GPU so far
enum { BLOCK = 256 };               // threads in a block: 8 warps
enum { ROUNDS = 384 };              // the most rounds for a sample
enum { BATCH = 32 };                // versions 4 and 5 check after this many rounds whether a sample is done
enum { SAMPLES_PER_WARP = 512 };    // version 5: a warp's share
#define ALL_LANES 0xffffffffu       // a mask names lanes by bits: this is all 32
static const float LEFT = 1 / 8.0f; // how hard each channel is pushed
static const float RIGHT = 1 / 16.0f;

// ---------------------------------------------------------------- the references

/* A round: 0 and +-1 stay, every other sample moves towards +-1, in ever smaller steps until it does not move any more.
 * (push is a power of two, so v * v * push is exact and every way to compute this line gives the same bits.) */
static __host__ __device__ inline float shape_round(float v, float push) {
    return v * ((1.0f + push) - v * v * push);
}

static void shape_cpu(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        float before = NAN, v = x[i];
        for (int round = 0; round < ROUNDS && v != before; round++) {
            before = v;
            v = shape_round(v, i % 2 == 0 ? LEFT : RIGHT);
        }
        y[i] = v;
    }
}

/* Within each group of 32 samples: y[i] = x[i] + y[i-1] / 2. */
static void echo_cpu(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + (i % WARP == 0 ? 0.0f : 0.5f * y[i - 1]);
    }
}

// ---------------------------------------------------------------- the versions

/* x[n] -> y[n], float. Every version has these shapes. */

/* Version 1: the left channel takes one branch, the right channel the other. Even lanes are left, odd lanes are right: each
 * warp has both. It has one instruction at a time, so it runs the first loop with the even lanes, then the second with
 * the odd ones. */
static __global__ void shape_kernel1(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        if (i % 2 == 0) {
            for (int round = 0; round < ROUNDS; round++) {
                v = shape_round(v, LEFT);
            }
        } else {
            for (int round = 0; round < ROUNDS; round++) {
                v = shape_round(v, RIGHT);
            }
        }
        y[i] = v;
    }
}

/* Version 2: the same if, but another thread for each sample. The first half of a block takes the left samples of its
 * part of x, the second half takes the right ones. The threads still go two ways, but all 32 of a warp go the same. */
static __global__ void shape_kernel2(const float *x, float *y, int n) {
    int half = blockDim.x / 2;
    int right = threadIdx.x / half;
    int i = blockIdx.x * blockDim.x + 2 * (threadIdx.x % half) + right;
    if (i < n) {
        float v = x[i];
        if (!right) {
            for (int round = 0; round < ROUNDS; round++) {
                v = shape_round(v, LEFT);
            }
        } else {
            for (int round = 0; round < ROUNDS; round++) {
                v = shape_round(v, RIGHT);
            }
        }
        y[i] = v;
    }
}

/* Version 3: back to version 1's threads. The two ways differ in one number, so let the lanes choose the number, and go
 * the same way. The compiler makes a select of the `?`: an instruction that all lanes execute, and no branch. */
static __global__ void shape_kernel3(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i], push = i % 2 == 0 ? LEFT : RIGHT;
        for (int round = 0; round < ROUNDS; round++) {
            v = shape_round(v, push);
        }
        y[i] = v;
    }
}

/* Version 4: most samples stop moving long before the last round. A lane looks every 32 rounds and leaves the loop when
 * its sample is done. What does it do then? It waits for the others. */
static __global__ void shape_kernel4(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float before = NAN, v = x[i], push = i % 2 == 0 ? LEFT : RIGHT;
        for (int batch = 0; batch < ROUNDS / BATCH && v != before; batch++) {
            for (int round = 0; round < BATCH; round++) {
                before = v;
                v = shape_round(v, push);
            }
        }
        y[i] = v;
    }
}

/* Version 5: a lane that is done takes another sample instead of waiting. The warp owns 512 samples; those from
 * `next` on have not been taken. __ballot_sync shows every lane which lanes are free: bit k of the result is lane k's.
 * So each free lane can count the free lanes before it, and that is its position in the queue. All 32 lanes stay together:
 * a lane without a sample computes on a 0, which does not change. */
static __global__ void shape_kernel5(const float *x, float *y, int n) {
    int lane = threadIdx.x % WARP;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    unsigned lanes_before = (1u << lane) - 1;
    int next = warp * SAMPLES_PER_WARP;
    int end = min(next + SAMPLES_PER_WARP, n);
    int i = -1, batch = 0; // the sample that this lane has; -1: none
    float v = 0.0f, push = 0.0f;
    for (;;) {
        unsigned free_lanes = __ballot_sync(ALL_LANES, i < 0);
        int mine = next + __popc(free_lanes & lanes_before);
        if (i < 0 && mine < end) {
            i = mine;
            v = x[i];
            push = i % 2 == 0 ? LEFT : RIGHT;
            batch = 0;
        }
        next += __popc(free_lanes);
        if (!__any_sync(ALL_LANES, i >= 0)) {
            return; // no lane has a sample, and none is left
        }
        float before = v;
        for (int round = 0; round < BATCH; round++) {
            before = v;
            v = shape_round(v, push);
        }
        batch++;
        if (i >= 0 && (v == before || batch == ROUNDS / BATCH)) {
            y[i] = v;
            i = -1;
            v = 0.0f;
        }
    }
}

/* Version 6: each lane needs the result of the lane before it, so the lanes take turns. A mailbox per warp holds the lane
 * whose turn it is (upper half) and the last result (lower half), in one 64-bit word that is read and written in one piece.
 * The other lanes wait in a loop for that lane. On a GPU before Volta this was a deadlock: the warp had
 * one program counter, kept looping with the waiting lanes, and the lane that they waited for never advanced. */
static __global__ void echo_kernel6(const float *x, float *y, int n) {
    __shared__ unsigned long long mailboxes[BLOCK / WARP];
    unsigned long long *mailbox = &mailboxes[threadIdx.x / WARP];
    unsigned lane = threadIdx.x % WARP;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (lane == 0) {
        *mailbox = 0; // lane 0's turn, nothing heard so far
    }
    __syncwarp(); // each lane of this warp waits here for all others, and then sees what lane 0 wrote
    if (i < n) {
        unsigned long long mail = atomicAdd(mailbox, 0ull); // an atomic read
        while (mail >> 32 != lane) {
            __nanosleep(20); // wait: leave the SM to the other warps
            mail = atomicAdd(mailbox, 0ull);
        }
        float v = x[i] + 0.5f * __uint_as_float((unsigned)mail);
        atomicExch(mailbox, (unsigned long long)(lane + 1) << 32 | __float_as_uint(v));
        y[i] = v;
    }
}

/* Version 7: no lane waits. In step k all lanes read the value of the lane before them (__shfl_up_sync), and lane k
 * uses it. No memory, no turns; 31 results of 32 are discarded, and it is fast all the same. A lane must not read from
 * one that does not participate: so only the load and the store are guarded, and all 32 lanes execute the loop. */
static __global__ void echo_kernel7(const float *x, float *y, int n) {
    int lane = threadIdx.x % WARP;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    for (int step = 1; step < WARP; step++) {
        float before = __shfl_up_sync(ALL_LANES, v, 1);
        v = lane == step ? v + 0.5f * before : v;
    }
    if (i < n) {
        y[i] = v;
    }
}

// ---------------------------------------------------------------- the launchers

/* As in lesson 03: queued in `stream`, no waiting, n may be 0. */

static void shape1(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    shape_kernel1<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void shape2(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    shape_kernel2<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void shape3(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    shape_kernel3<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void shape4(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    shape_kernel4<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void shape5(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int warps = ceil_div(n, SAMPLES_PER_WARP);
    shape_kernel5<<<ceil_div(warps, BLOCK / WARP), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void echo6(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    echo_kernel6<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void echo7(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    echo_kernel7<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static const struct elementwise_version versions[] = {
    {"shape_kernel1", shape1, shape_cpu}, {"shape_kernel2", shape2, shape_cpu}, {"shape_kernel3", shape3, shape_cpu},
    {"shape_kernel4", shape4, shape_cpu}, {"shape_kernel5", shape5, shape_cpu}, {"echo_kernel6", echo6, echo_cpu},
    {"echo_kernel7", echo7, echo_cpu},
};

// ---------------------------------------------------------------- verify and measure

/* Sound: most samples are loud, a few very quiet, down to 2^-20, and those take the most rounds. */
static struct elementwise problem_create(int n, int, uint64_t seed) {
    struct elementwise p = elementwise_create(n, 0);
    float *x = p.input;
    verify_random(x, n, -1.0f, 1.0f, seed);
    for (int i = 0; i < n; i++) {
        x[i] = copysignf(exp2f(-20.0f * fabsf(x[i] * x[i] * x[i])), x[i]);
    }
    for (int i = 5; i < n; i += 97) {
        x[i] = i % 2 ? 0.0f : 1e-30f; // done at once; never done
    }
    return p;
}

/* What a warp is about, and only the emulator can count: how many instructions the warps needed for 32 samples, and how
 * many of the 32 lanes took part in one, on average. */
static void print_lanes(const struct bench *bench) {
    printf("\n%-16s  %20s  %14s\n%-16s  %20s  %14s\n", "", "warp instructions", "active lanes", "version",
           "per 32 samples", "of 32");
    for (int r = 0; r < bench->rows; r++) {
        const struct emulatorCounters *c = &bench->row[r].counters;
        printf("%-16s  %20.1f  %14.1f\n", bench->row[r].name, WARP * c->warp_instructions / bench->row[r].elements,
               (double)c->thread_instructions / c->warp_instructions);
    }
}

/* Every version computes each sample with the same operations in the same order: every bit must agree. */
int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 16384}, tables[] = {device_is_emulator() ? 1 << 16 : 1 << 23};
    elementwise_lesson lesson = elementwise_with("warps", versions, problem_create);
    lesson.print_counts = print_lanes;
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
