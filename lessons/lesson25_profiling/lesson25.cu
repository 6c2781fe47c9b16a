/* Lesson 25: profiling, how to find out why a program is slow.
 *
 *     make lesson25 profile V=1             what stands out in the slow program
 *     make lesson25 profile V=2 BASE=last   what is better and worse than in the run before, line by line
 *     make lesson25 run                     all versions on several sizes, verified, then measured (or counted)
 *
 * You will learn a method, and then the tools: ask one question, know the limit, look at one counter, change one thing,
 * and look again.
 *
 * The program processes a recording of 32 microphones, frame by frame. It is right from the start, and slow for five
 * reasons. Each version takes one of them away, found by a profile of the version before:
 *
 *     pipeline1   scale, shape, turn, energy: four kernels for each frame
 *     pipeline2   scale: neighbouring threads take neighbouring samples           (was: uncoalesced)
 *     pipeline3   turn: the tile's rows are one word longer                       (was: bank conflicts)
 *     pipeline4   shape: after turn, so that a warp has one kind of microphone    (was: divergence)
 *     pipeline5   energy: more blocks, more loads before the first is used        (was: too few bytes in flight)
 *     pipeline6   the host queues everything, and waits once                      (was: it waits after each kernel)
 *     pipeline7   one kernel: what the four of them hand to each other never leaves the multiprocessor
 */
// sizes: 0 1 31 33 1000 2003
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"
#include "measure.h"

enum { WARP = 32 };
enum { BLOCK = 256 };
enum { TILE = 32 };            // turn: a tile has 32 x 32 elements
enum { ROWS = BLOCK / TILE };  // of them that its block takes at a time
enum { SMALL = 64 };           // energy, version 1: threads of a block
enum { LOADS = 8 };            // energy, from version 5 on: loads of a thread before the first is used
enum { PART = BLOCK * LOADS }; // and of a block
enum { STRIP = 8 };            // version 7: tiles that a block takes, one after the other
#define ALL_LANES 0xffffffffu

// ---------------------------------------------------------------- what is computed

/* Two kinds of microphones, whose curves are straightened in a few rounds: even channels and odd ones. */
__host__ __device__ static float curve_even(float v) {
    for (int round = 0; round < ROUNDS; round++) {
        v = v - 0.1f * v * v * v;
    }
    return v;
}

__host__ __device__ static float curve_odd(float v) {
    for (int round = 0; round < ROUNDS; round++) {
        v = v / (1.0f + 0.05f * v * v);
    }
    return v;
}

static float shape_cpu(float v, int channel) {
    return channel % 2 ? curve_odd(v) : curve_even(v);
}

// ---------------------------------------------------------------- scale: y = (x - offset) * gain, by channel

/* Sample s of channel c is at s * CHANNELS + c: as the microphones deliver it, all channels of a moment side by side.
 * Version 1 has a thread for each element, and takes one channel after the other. Who are a warp's 32 neighbours? */
static __global__ void scale_kernel1(const float *x, const float *offset, const float *gain, float *y, int samples) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < samples * CHANNELS) {
        int channel = i / samples, sample = i % samples;
        float v = x[sample * CHANNELS + channel];
        y[sample * CHANNELS + channel] = (v - offset[channel]) * gain[channel];
    }
}

/* Version 2: thread i takes the element at i. */
static __global__ void scale_kernel2(const float *x, const float *offset, const float *gain, float *y, int samples) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < samples * CHANNELS) {
        int channel = i % CHANNELS;
        y[i] = (x[i] - offset[channel]) * gain[channel];
    }
}

// ---------------------------------------------------------------- shape: the curve of the microphone's kind

/* Version 1 works on the layout of the microphones: the lanes of a warp are the 32 channels. */
static __global__ void shape_kernel1(const float *x, float *y, int samples) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < samples * CHANNELS) {
        if (i % CHANNELS % 2) {
            y[i] = curve_odd(x[i]);
        } else {
            y[i] = curve_even(x[i]);
        }
    }
}

/* Version 4 works behind the turn, where a channel's samples lie side by side. A warp has one channel, or two. */
static __global__ void shape_kernel4(const float *x, float *y, int samples) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < samples * CHANNELS) {
        if (i / samples % 2) {
            y[i] = curve_odd(x[i]);
        } else {
            y[i] = curve_even(x[i]);
        }
    }
}

// ---------------------------------------------------------------- turn: sample s of channel c goes to c * samples + s

/* Version 1: a tile goes through shared memory, as in lesson 08. Both sides are coalesced. And in between? */
static __global__ void turn_kernel1(const float *x, float *y, int samples) {
    __shared__ float tile[TILE][TILE];
    int first = blockIdx.x * TILE;
    for (int row = threadIdx.y; row < TILE; row += ROWS) {
        if (first + row < samples) {
            tile[row][threadIdx.x] = x[(first + row) * CHANNELS + threadIdx.x];
        }
    }
    __syncthreads();
    for (int channel = threadIdx.y; channel < CHANNELS; channel += ROWS) {
        if (first + threadIdx.x < samples) {
            y[(size_t)channel * samples + first + threadIdx.x] = tile[threadIdx.x][channel];
        }
    }
}

/* Version 3: one word more in each row of the tile. */
static __global__ void turn_kernel3(const float *x, float *y, int samples) {
    __shared__ float tile[TILE][TILE + 1];
    int first = blockIdx.x * TILE;
    for (int row = threadIdx.y; row < TILE; row += ROWS) {
        if (first + row < samples) {
            tile[row][threadIdx.x] = x[(first + row) * CHANNELS + threadIdx.x];
        }
    }
    __syncthreads();
    for (int channel = threadIdx.y; channel < CHANNELS; channel += ROWS) {
        if (first + threadIdx.x < samples) {
            y[(size_t)channel * samples + first + threadIdx.x] = tile[threadIdx.x][channel];
        }
    }
}

// ---------------------------------------------------------------- energy: of each channel, the sum of squares

static __device__ float warp_sum(float v) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        v += __shfl_xor_sync(ALL_LANES, v, step);
    }
    return v;
}

/* Version 1: a block for each channel; its threads walk through the samples together. */
static __global__ void energy_kernel1(const float *x, float *energy, int samples) {
    __shared__ float sums[SMALL / WARP];
    float sum = 0.0f;
    for (int s = threadIdx.x; s < samples; s += SMALL) {
        float v = x[(size_t)blockIdx.x * samples + s];
        sum += v * v;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % WARP == 0) {
        sums[threadIdx.x / WARP] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        energy[blockIdx.x] = sums[0] + sums[1];
    }
}

/* Version 5: a block for each PART of a channel. Whole parts are loaded before the first sample is used. The caller
 * has set energy to 0. */
static __global__ void energy_kernel5(const float *__restrict__ x, float *energy, int samples) {
    const float *mine = x + (size_t)blockIdx.y * samples;
    int first = blockIdx.x * PART + threadIdx.x;
    float sum = 0.0f;
    if (blockIdx.x * PART + PART <= samples) {
        float v[LOADS];
        for (int k = 0; k < LOADS; k++) {
            v[k] = mine[first + k * BLOCK];
        }
        for (int k = 0; k < LOADS; k++) {
            sum += v[k] * v[k];
        }
    } else {
        for (int s = first; s < samples; s += BLOCK) {
            sum += mine[s] * mine[s];
        }
    }
    sum = warp_sum(sum);
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&energy[blockIdx.y], sum);
    }
}

// ---------------------------------------------------------------- all in one

/* Version 7: the sample that a thread has loaded is scaled, goes through the tile, and is shaped and squared where it
 * comes out, by a warp that has one channel. A block takes STRIP tiles, so that its energies are worth an atomic. */
static __global__ void fused_kernel7(const float *__restrict__ x, const float *__restrict__ offset,
                                     const float *__restrict__ gain, float *y, float *energy, int samples) {
    __shared__ float tile[TILE][TILE + 1];
    float sums[TILE / ROWS] = {};
    const float minus = offset[threadIdx.x], times = gain[threadIdx.x];
    for (int t = 0; t < STRIP; t++) {
        int first = (blockIdx.x * STRIP + t) * TILE;
        for (int row = threadIdx.y; row < TILE; row += ROWS) {
            float v = first + row < samples ? x[(size_t)(first + row) * CHANNELS + threadIdx.x] : minus;
            tile[row][threadIdx.x] = (v - minus) * times;
        }
        __syncthreads();
        for (int k = 0; k < TILE / ROWS; k++) {
            int channel = threadIdx.y + k * ROWS, s = first + threadIdx.x;
            float v = tile[threadIdx.x][channel];
            v = channel % 2 ? curve_odd(v) : curve_even(v);
            sums[k] += v * v; // a missing sample is 0, and both curves map 0 to 0
            if (s < samples) {
                y[(size_t)channel * samples + s] = v;
            }
        }
        __syncthreads();
    }
    for (int k = 0; k < TILE / ROWS; k++) {
        float sum = warp_sum(sums[k]);
        if (threadIdx.x == 0) {
            atomicAdd(&energy[threadIdx.y + k * ROWS], sum);
        }
    }
}

// ---------------------------------------------------------------- the pipelines

/* One at least: a block with nothing to do still says that the energy of nothing is 0. */
static int blocks_for(int elements, int block) {
    return elements > 0 ? (elements + block - 1) / block : 1;
}

static void scale1(const struct recording *r, const float *x, float *y, cudaStream_t stream) {
    scale_kernel1<<<blocks_for(r->samples * CHANNELS, BLOCK), BLOCK, 0, stream>>>(x, r->offset, r->gain, y, r->samples);
    CUDA_CHECK_LAUNCH();
}

static void scale2(const struct recording *r, const float *x, float *y, cudaStream_t stream) {
    scale_kernel2<<<blocks_for(r->samples * CHANNELS, BLOCK), BLOCK, 0, stream>>>(x, r->offset, r->gain, y, r->samples);
    CUDA_CHECK_LAUNCH();
}

static void shape1(const struct recording *r, const float *x, float *y, cudaStream_t stream) {
    shape_kernel1<<<blocks_for(r->samples * CHANNELS, BLOCK), BLOCK, 0, stream>>>(x, y, r->samples);
    CUDA_CHECK_LAUNCH();
}

static void shape4(const struct recording *r, const float *x, float *y, cudaStream_t stream) {
    shape_kernel4<<<blocks_for(r->samples * CHANNELS, BLOCK), BLOCK, 0, stream>>>(x, y, r->samples);
    CUDA_CHECK_LAUNCH();
}

static void turn1(const struct recording *r, const float *x, float *y, cudaStream_t stream) {
    turn_kernel1<<<blocks_for(r->samples, TILE), dim3(TILE, ROWS), 0, stream>>>(x, y, r->samples);
    CUDA_CHECK_LAUNCH();
}

static void turn3(const struct recording *r, const float *x, float *y, cudaStream_t stream) {
    turn_kernel3<<<blocks_for(r->samples, TILE), dim3(TILE, ROWS), 0, stream>>>(x, y, r->samples);
    CUDA_CHECK_LAUNCH();
}

static void energy1(const struct recording *r, const float *x, float *energy, cudaStream_t stream) {
    energy_kernel1<<<CHANNELS, SMALL, 0, stream>>>(x, energy, r->samples);
    CUDA_CHECK_LAUNCH();
}

static void energy5(const struct recording *r, const float *x, float *energy, cudaStream_t stream) {
    CUDA_CHECK(cudaMemsetAsync(energy, 0, CHANNELS * sizeof(float), stream));
    energy_kernel5<<<dim3(blocks_for(r->samples, PART), CHANNELS), BLOCK, 0, stream>>>(x, energy, r->samples);
    CUDA_CHECK_LAUNCH();
}

static void fused7(const struct recording *r, const float *x, float *y, float *energy, cudaStream_t stream) {
    CUDA_CHECK(cudaMemsetAsync(energy, 0, CHANNELS * sizeof(float), stream));
    fused_kernel7<<<blocks_for(r->samples, TILE * STRIP), dim3(TILE, ROWS), 0, stream>>>(x, r->offset, r->gain, y,
                                                                                         energy, r->samples);
    CUDA_CHECK_LAUNCH();
}

/* The host's part of versions 1 to 5: it waits for each kernel, to see errors where they happen, and fetches the
 * frame's energies, to show how loud it is. */
static void wait_for(cudaStream_t stream) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
}

static void fetch_level(const struct recording *r, int frame, cudaStream_t stream) {
    size_t bytes = CHANNELS * sizeof(float);
    CUDA_CHECK(cudaMemcpyAsync(&r->level[frame * CHANNELS], &r->energy[frame * CHANNELS], bytes, cudaMemcpyDeviceToHost,
                               stream));
    wait_for(stream);
}

static void pipeline1(const struct recording *r, cudaStream_t stream) {
    for (int f = 0; f < FRAMES; f++) {
        range_begin("frame");
        scale1(r, frame_of(r, r->x, f), r->between[0], stream);
        wait_for(stream);
        shape1(r, r->between[0], r->between[1], stream);
        wait_for(stream);
        turn1(r, r->between[1], frame_of(r, r->y, f), stream);
        wait_for(stream);
        energy1(r, frame_of(r, r->y, f), &r->energy[f * CHANNELS], stream);
        fetch_level(r, f, stream);
        range_end();
    }
}

static void pipeline2(const struct recording *r, cudaStream_t stream) {
    for (int f = 0; f < FRAMES; f++) {
        range_begin("frame");
        scale2(r, frame_of(r, r->x, f), r->between[0], stream);
        wait_for(stream);
        shape1(r, r->between[0], r->between[1], stream);
        wait_for(stream);
        turn1(r, r->between[1], frame_of(r, r->y, f), stream);
        wait_for(stream);
        energy1(r, frame_of(r, r->y, f), &r->energy[f * CHANNELS], stream);
        fetch_level(r, f, stream);
        range_end();
    }
}

static void pipeline3(const struct recording *r, cudaStream_t stream) {
    for (int f = 0; f < FRAMES; f++) {
        range_begin("frame");
        scale2(r, frame_of(r, r->x, f), r->between[0], stream);
        wait_for(stream);
        shape1(r, r->between[0], r->between[1], stream);
        wait_for(stream);
        turn3(r, r->between[1], frame_of(r, r->y, f), stream);
        wait_for(stream);
        energy1(r, frame_of(r, r->y, f), &r->energy[f * CHANNELS], stream);
        fetch_level(r, f, stream);
        range_end();
    }
}

/* The order of two steps has changed. Each element is shaped by itself, so it does not matter where it lies. */
static void pipeline4(const struct recording *r, cudaStream_t stream) {
    for (int f = 0; f < FRAMES; f++) {
        range_begin("frame");
        scale2(r, frame_of(r, r->x, f), r->between[0], stream);
        wait_for(stream);
        turn3(r, r->between[0], r->between[1], stream);
        wait_for(stream);
        shape4(r, r->between[1], frame_of(r, r->y, f), stream);
        wait_for(stream);
        energy1(r, frame_of(r, r->y, f), &r->energy[f * CHANNELS], stream);
        fetch_level(r, f, stream);
        range_end();
    }
}

static void pipeline5(const struct recording *r, cudaStream_t stream) {
    for (int f = 0; f < FRAMES; f++) {
        range_begin("frame");
        scale2(r, frame_of(r, r->x, f), r->between[0], stream);
        wait_for(stream);
        turn3(r, r->between[0], r->between[1], stream);
        wait_for(stream);
        shape4(r, r->between[1], frame_of(r, r->y, f), stream);
        wait_for(stream);
        energy5(r, frame_of(r, r->y, f), &r->energy[f * CHANNELS], stream);
        fetch_level(r, f, stream);
        range_end();
    }
}

/* A stream keeps the order of what is queued in it, so nobody has to wait between two kernels; and the levels of all
 * frames come at the end, in one copy. */
static void fetch_levels(const struct recording *r, cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyAsync(r->level, r->energy, FRAMES * CHANNELS * sizeof(float), cudaMemcpyDeviceToHost, stream));
}

static void pipeline6(const struct recording *r, cudaStream_t stream) {
    for (int f = 0; f < FRAMES; f++) {
        range_begin("frame");
        scale2(r, frame_of(r, r->x, f), r->between[0], stream);
        turn3(r, r->between[0], r->between[1], stream);
        shape4(r, r->between[1], frame_of(r, r->y, f), stream);
        energy5(r, frame_of(r, r->y, f), &r->energy[f * CHANNELS], stream);
        range_end();
    }
    fetch_levels(r, stream);
}

static void pipeline7(const struct recording *r, cudaStream_t stream) {
    for (int f = 0; f < FRAMES; f++) {
        range_begin("frame");
        fused7(r, frame_of(r, r->x, f), frame_of(r, r->y, f), &r->energy[f * CHANNELS], stream);
        range_end();
    }
    fetch_levels(r, stream);
}

static const struct version versions[] = {
    {"pipeline1", pipeline1}, {"pipeline2", pipeline2}, {"pipeline3", pipeline3}, {"pipeline4", pipeline4},
    {"pipeline5", pipeline5}, {"pipeline6", pipeline6}, {"pipeline7", pipeline7},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---------------------------------------------------------------- what is run

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    int first = options.version ? options.version - 1 : 0;
    int last = options.version ? options.version - 1 : VERSIONS - 1;
    int samples = options.size >= 0 ? (int)options.size : device_is_emulator() ? 1 << 12 : 1 << 19;
    device_print_backend();
    if (samples > SAMPLES_MAX) {
        fprintf(stderr, "SIZE is the number of samples of a channel in a frame: %d at most\n", SAMPLES_MAX);
        return CHECK_EXIT_USAGE;
    }
    if (options.size >= 0 && (!profiled() || samples == 0)) {
        verify_versions(versions, first, last, samples, options.seed);
    } else if (options.size < 0 && !profiled()) {
        const int sizes[] = {0, 1, 31, 33, 1000, 1025};
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            verify_versions(versions, first, last, sizes[s], options.seed);
        }
    }
    if (samples > 0 && verify_tally()->failures == 0) {
        measure_versions(versions, first, last, samples, options.seed);
    }
    return verify_finish("profiling");
}
