/* Lesson 07: shared memory, the memory of a block.
 *
 *     make lesson07 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson07 run V=3 SIZE=100003     one version, one size
 *
 * You will learn how the threads of a block load something once and all use it, why they have to wait for each other in
 * between, and when that is worth it: a GPU also has caches.
 *
 *     stencil_kernel1   every thread reads its 33 neighbours from global memory
 *     stencil_kernel2   the block loads a tile with a halo, waits, and reads the neighbours there
 *     stencil_kernel3   the radius is known only when the program runs: dynamic shared memory
 *     stencil_kernel4   each thread computes 15 outputs: one read from the tile serves up to 15 sums
 *     stencil_kernel5   the results go back through the tile, so that the stores are coalesced
 *     stencil_kernel6   float4 between global memory and the tile
 *     stencil_kernel7   no shared memory at all: float4, registers, and a hardware cache
 *
 * A stencil of radius r: each output is a weighted sum of 2r + 1 inputs,
 *
 *     y[i] = w[0] x[i - r] + ... + w[r] x[i] + ... + w[2r] x[i + r]
 *
 * where an x that does not exist counts as 0. Filters for sound, smoothing, and differential equations look like this.
 */
#include <math.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/elementwise.h"
#include "../../common/lesson.h"

enum { BLOCK = 256 };      // threads in a block
enum { RADIUS = 16 };      // the radius of all versions but the third: 33 inputs for an output
enum { MAX_RADIUS = 320 }; // the largest radius of version 3
enum { OUTPUTS = 15 };     // versions 4 to 6: outputs of a thread. Why an odd number? See the page
static_assert(2 * RADIUS <= BLOCK, "version 2: the halo has no more elements than the block has threads");
static_assert(RADIUS % 4 == 0, "versions 6 and 7: the halo is made of whole float4");

/* The weights are an argument of the kernel. Arguments are in constant memory, which is made for this: when all
 * threads of a warp read the same word, it is one read for all. */
struct filter {
    int radius;
    float weight[2 * MAX_RADIUS + 1];
};

// ---------------------------------------------------------------- the reference

/* In double precision, over the neighbours that exist. */
static void stencil_cpu(const float *x, float *y, int n, const struct filter *f) {
    for (int i = 0; i < n; i++) {
        int from = i < f->radius ? 0 : i - f->radius;
        int to = i + f->radius < n ? i + f->radius : n - 1;
        double sum = 0;
        for (int j = from; j <= to; j++) {
            sum += (double)f->weight[j - i + f->radius] * x[j];
        }
        y[i] = (float)sum;
    }
}

// ---------------------------------------------------------------- the versions

/* x[n] -> y[n], float. Every version has these shapes. */

/* Version 1: a thread for each output, and every input straight from global memory. Thread i reads x[i - 16] to
 * x[i + 16], and thread i + 1 reads all of that again but one. */
static __global__ void stencil_kernel1(const float *x, float *y, int n, struct filter f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k <= 2 * RADIUS; k++) {
            int j = i - RADIUS + k;
            sum += f.weight[k] * (0 <= j && j < n ? x[j] : 0.0f);
        }
        y[i] = sum;
    }
}

/* Version 2: the block's outputs need 256 + 32 inputs, so the block loads these, each once, into its tile: a piece of
 * shared memory, which all threads of the block see. Each thread loads one input, and the first 32 one more, since the
 * tile is longer than the block by its halo: RADIUS on either side. Then all threads wait until all have loaded. No
 * thread may exit before that, so the guards enclose the accesses and not the whole kernel. */
static __global__ void stencil_kernel2(const float *x, float *y, int n, struct filter f) {
    __shared__ float tile[BLOCK + 2 * RADIUS]; // tile[t] is x[first + t]
    int t = threadIdx.x, first = (int)(blockIdx.x * BLOCK) - RADIUS;
    int j = first + t;
    tile[t] = 0 <= j && j < n ? x[j] : 0.0f;
    if (t < 2 * RADIUS) {
        j = first + BLOCK + t;
        tile[BLOCK + t] = j < n ? x[j] : 0.0f;
    }
    __syncthreads();
    int i = blockIdx.x * BLOCK + t;
    if (i < n) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k <= 2 * RADIUS; k++) {
            sum += f.weight[k] * tile[t + k];
        }
        y[i] = sum;
    }
}

/* Version 3: the radius is an argument. The compiler cannot know how long the tile is, so the launch passes it: the third
 * value between <<< and >>> is a number of bytes. And the halo may be longer than the block: a loop loads the tile. */
static __global__ void stencil_kernel3(const float *x, float *y, int n, struct filter f) {
    extern __shared__ float dynamic_tile[];
    int length = blockDim.x + 2 * f.radius, first = (int)(blockIdx.x * blockDim.x) - f.radius;
    for (int t = threadIdx.x; t < length; t += blockDim.x) {
        int j = first + t;
        dynamic_tile[t] = 0 <= j && j < n ? x[j] : 0.0f;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * f.radius; k++) {
            sum += f.weight[k] * dynamic_tile[threadIdx.x + k];
        }
        y[i] = sum;
    }
}

/* What versions 4 to 6 share: a block computes 15 * 256 outputs, a thread 15 neighbouring ones. It reads 47 words of the
 * tile, each once; a word in the windows of several outputs is added to several sums. The loops have
 * constant bounds and are unrolled, so that the sums stay in registers: a register has a name, but no index. */
enum { SPAN = BLOCK * OUTPUTS }; // outputs of a block

/* The loops that fill and empty the tile also have constant bounds. Unrolled, a thread could have many loads in flight
 * before it needs the first. But each load depends on two comparisons, and the compiler makes a branch of
 * them: the thread waits for each. See version 6, and the page. */
static __device__ void load_tile(float *tile, const float *x, int n) {
    int first = (int)(blockIdx.x * SPAN) - RADIUS;
#pragma unroll
    for (int begin = 0; begin < SPAN + 2 * RADIUS; begin += BLOCK) {
        int t = begin + threadIdx.x, j = first + t;
        if (t < SPAN + 2 * RADIUS) {
            tile[t] = 0 <= j && j < n ? x[j] : 0.0f;
        }
    }
}

static __device__ void sum_windows(const float *mine, int outputs, const struct filter &f, float *sum) {
#pragma unroll
    for (int k = 0; k < outputs + 2 * RADIUS; k++) {
        float v = mine[k];
#pragma unroll
        for (int o = 0; o < outputs; o++) {
            if (0 <= k - o && k - o <= 2 * RADIUS) { // v is input k - o of output o
                sum[o] += f.weight[k - o] * v;
            }
        }
    }
}

static __device__ void store_tile(const float *tile, float *y, int n) {
#pragma unroll
    for (int begin = 0; begin < SPAN; begin += BLOCK) {
        int t = begin + threadIdx.x, i = blockIdx.x * SPAN + t;
        if (i < n) {
            y[i] = tile[t];
        }
    }
}

/* Version 4: when it has its sums, each thread stores them. What do the addresses of a warp look like now? */
static __global__ void stencil_kernel4(const float *x, float *y, int n, struct filter f) {
    __shared__ float tile[SPAN + 2 * RADIUS];
    load_tile(tile, x, n);
    __syncthreads();
    float sum[OUTPUTS] = {};
    sum_windows(tile + threadIdx.x * OUTPUTS, OUTPUTS, f, sum);
    int i = blockIdx.x * SPAN + threadIdx.x * OUTPUTS;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        if (i + o < n) {
            y[i + o] = sum[o];
        }
    }
}

/* Version 5: the tile has a second use. Each thread puts its results there, and then the block stores them in the order
 * of the array. Before: wait until all have read the inputs that the results replace. After: until all results are
 * there. */
static __global__ void stencil_kernel5(const float *x, float *y, int n, struct filter f) {
    __shared__ float tile[SPAN + 2 * RADIUS];
    load_tile(tile, x, n);
    __syncthreads();
    float sum[OUTPUTS] = {};
    sum_windows(tile + threadIdx.x * OUTPUTS, OUTPUTS, f, sum);
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        tile[threadIdx.x * OUTPUTS + o] = sum[o];
    }
    __syncthreads();
    store_tile(tile, y, n);
}

/* Version 6: a block whose tile is inside the array moves it as float4: a quarter of the instructions, and more bytes
 * with each (lesson 03). And it need not test for each element whether it exists: all loads of a thread are in flight at
 * once. The tile decouples the two, so nothing else has to change. All threads of a block decide alike, so the `if`
 * costs no time (lesson 05). x and y must be aligned to 16 bytes. */
static __global__ void stencil_kernel6(const float *x, float *y, int n, struct filter f) {
    __shared__ __align__(16) float tile[SPAN + 2 * RADIUS];
    int first = (int)(blockIdx.x * SPAN) - RADIUS;
    bool inside = 0 <= first && first + SPAN + 2 * RADIUS <= n;
    if (inside) {
#pragma unroll
        for (int begin = 0; begin < (SPAN + 2 * RADIUS) / 4; begin += BLOCK) {
            int q = begin + threadIdx.x;
            if (q < (SPAN + 2 * RADIUS) / 4) {
                ((float4 *)tile)[q] = ((const float4 *)(x + first))[q];
            }
        }
    } else {
        load_tile(tile, x, n);
    }
    __syncthreads();
    float sum[OUTPUTS] = {};
    sum_windows(tile + threadIdx.x * OUTPUTS, OUTPUTS, f, sum);
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        tile[threadIdx.x * OUTPUTS + o] = sum[o];
    }
    __syncthreads();
    if (inside) {
#pragma unroll
        for (int begin = 0; begin < SPAN / 4; begin += BLOCK) {
            int q = begin + threadIdx.x;
            if (q < SPAN / 4) {
                ((float4 *)(y + blockIdx.x * SPAN))[q] = ((const float4 *)tile)[q];
            }
        }
    } else {
        store_tile(tile, y, n);
    }
}

/* Version 7: no tile, no barrier. A thread computes 4 neighbouring outputs, whose 36 inputs are loaded straight from global
 * memory as 9 float4. Neighbouring threads read nearly the same, as in version 1, and a cache keeps it for them. */
static __global__ void stencil_kernel7(const float *x, float *y, int n, struct filter f) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x), first = i - RADIUS;
    float v[4 + 2 * RADIUS], sum[4] = {};
    if (0 <= first && first + 4 + 2 * RADIUS <= n) {
#pragma unroll
        for (int k = 0; k < 4 + 2 * RADIUS; k += 4) {
            float4 quad = *(const float4 *)(x + first + k);
            v[k] = quad.x, v[k + 1] = quad.y, v[k + 2] = quad.z, v[k + 3] = quad.w;
        }
    } else { // the first threads and the last ones
#pragma unroll
        for (int k = 0; k < 4 + 2 * RADIUS; k++) {
            v[k] = 0 <= first + k && first + k < n ? x[first + k] : 0.0f;
        }
    }
    sum_windows(v, 4, f, sum);
    if (i + 4 <= n) {
        *(float4 *)(y + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    } else {
        for (int o = 0; o < 4 && i + o < n; o++) {
            y[i + o] = sum[o];
        }
    }
}

// ---------------------------------------------------------------- the launchers

/* As in lesson 03: queued in `stream`, no waiting, n may be 0. */

static void stencil1(const float *x, float *y, int n, const struct filter *f, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    stencil_kernel1<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n, *f);
    CUDA_CHECK_LAUNCH();
}

static void stencil2(const float *x, float *y, int n, const struct filter *f, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    stencil_kernel2<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n, *f);
    CUDA_CHECK_LAUNCH();
}

static void stencil3(const float *x, float *y, int n, const struct filter *f, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    size_t bytes = (BLOCK + 2 * f->radius) * sizeof(float); // bytes, not floats
    stencil_kernel3<<<ceil_div(n, BLOCK), BLOCK, bytes, stream>>>(x, y, n, *f);
    CUDA_CHECK_LAUNCH();
}

static void stencil4(const float *x, float *y, int n, const struct filter *f, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    stencil_kernel4<<<ceil_div(n, SPAN), BLOCK, 0, stream>>>(x, y, n, *f);
    CUDA_CHECK_LAUNCH();
}

static void stencil5(const float *x, float *y, int n, const struct filter *f, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    stencil_kernel5<<<ceil_div(n, SPAN), BLOCK, 0, stream>>>(x, y, n, *f);
    CUDA_CHECK_LAUNCH();
}

static int aligned_for_float4(const void *p) {
    return (uintptr_t)p % sizeof(float4) == 0;
}

static void stencil6(const float *x, float *y, int n, const struct filter *f, cudaStream_t stream) {
    if (!aligned_for_float4(x) || !aligned_for_float4(y)) {
        stencil5(x, y, n, f, stream); // content with any address
        return;
    }
    if (n == 0) {
        return;
    }
    stencil_kernel6<<<ceil_div(n, SPAN), BLOCK, 0, stream>>>(x, y, n, *f);
    CUDA_CHECK_LAUNCH();
}

static void stencil7(const float *x, float *y, int n, const struct filter *f, cudaStream_t stream) {
    if (!aligned_for_float4(x) || !aligned_for_float4(y)) {
        stencil1(x, y, n, f, stream);
        return;
    }
    if (n == 0) {
        return;
    }
    stencil_kernel7<<<ceil_div(n, 4 * BLOCK), BLOCK, 0, stream>>>(x, y, n, *f);
    CUDA_CHECK_LAUNCH();
}

static const struct version {
    const char *name;
    void (*launch)(const float *x, float *y, int n, const struct filter *f, cudaStream_t stream);
    bool any_radius;
} versions[] = {
    {"stencil_kernel1", stencil1, false}, {"stencil_kernel2", stencil2, false}, {"stencil_kernel3", stencil3, true},
    {"stencil_kernel4", stencil4, false}, {"stencil_kernel5", stencil5, false}, {"stencil_kernel6", stencil6, false},
    {"stencil_kernel7", stencil7, false},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---------------------------------------------------------------- verify and measure

struct problem {
    struct elementwise data;
    struct filter filter;
};

struct job {
    struct problem *problem;
    const struct version *version;
};

/* Weights of both signs, no two alike, whose sizes add up to about 1: a neighbour that is missing, or confused with
 * another one, shows in the result. */
static struct filter filter_random(int radius, uint64_t seed) {
    struct filter f = {};
    f.radius = radius;
    verify_random(f.weight, 2 * radius + 1, -1.0f, 1.0f, seed + 1000);
    for (int k = 0; k <= 2 * radius; k++) {
        f.weight[k] = (f.weight[k] + copysignf(0.5f, f.weight[k])) / (2 * radius + 1);
    }
    return f;
}

/* Kinds 0 and 1: the radius of all versions, at two addresses; then the other radii, for version 3. */
static struct problem problem_create(int n, int kind, uint64_t seed) {
    const int radii[] = {RADIUS, RADIUS, 0, 1, 40, 300};
    struct problem p = {elementwise_create(n, kind == 1), filter_random(radii[kind], seed)};
    verify_random(p.data.input, n, -1.0f, 1.0f, seed);
    stencil_cpu(p.data.input, p.data.expected, n, &p.filter);
    return p;
}

static void problem_free(struct problem *p) {
    elementwise_free(&p->data);
}

static void problem_print(const struct problem *p) {
    printf("n = %d, radius = %d\n", p->data.n, p->filter.radius);
}

static bool is_for(const struct version *version, const struct problem *p) {
    return p->filter.radius == RADIUS || version->any_radius;
}

static struct job job_create(struct problem *p, const struct version *version) {
    elementwise_reset(&p->data);
    return {p, version};
}

static void job_launch(void *a_job, cudaStream_t stream) {
    const struct job *job = (const struct job *)a_job;
    const struct elementwise *a = &job->problem->data;
    job->version->launch(a->x, a->y, a->n, &job->problem->filter, stream);
}

/* A sum of n floats is rounded n times. A wrong neighbour would be off by a thousand times as much. */
static void job_verify(struct job *job) {
    struct elementwise *a = &job->problem->data;
    elementwise_fetch(a);
    verify_floats(job->version->name, a->found, a->expected, a->n, 2e-6, 0);
}

/* What the lesson is about, and only the emulator can count. 32 outputs of a warp need 32 inputs, which
 * is 4 sectors, and a little halo: how many sectors are requested? How often is the tile read instead? */
static void print_reuse(const struct bench *bench) {
    printf("\nfor 32 outputs   %14s  %14s  %14s  %14s\n%-15s  %14s  %14s  %14s  %14s\n", "sectors", "sectors",
           "wavefronts", "wavefronts", "version", "loaded", "stored", "shared loads", "shared stores");
    for (int r = 0; r < bench->rows; r++) {
        const struct emulatorCounters *c = &bench->row[r].counters;
        double groups = bench->row[r].elements / 32;
        printf("%-15s  %14.2f  %14.2f  %14.2f  %14.2f\n", bench->row[r].name, c->global_load_sectors / groups,
               c->global_store_sectors / groups, c->shared_load_wavefronts / groups,
               c->shared_store_wavefronts / groups);
    }
}

int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 20011}, tables[] = {device_is_emulator() ? 1 << 18 : 1 << 26};
    struct lesson<int, struct problem, struct version, struct job> lesson = {
        "stencil", versions, VERSIONS
    };
    lesson.create = problem_create, lesson.free = problem_free, lesson.is_for = is_for;
    lesson.begin = job_create, lesson.launch = job_launch, lesson.verify = job_verify;
    lesson.kinds = options_read(argc, argv, VERSIONS).size <= 100000 ? 6 : 2; // a large radius takes the CPU long
    lesson.print_problem = problem_print, lesson.print_counts = print_reuse;
    lesson.bytes = 2 * sizeof(float),
    lesson.flops = 2 * (2 * RADIUS + 1); // of an output: read and write one; multiply-adds
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
