/* Lesson 03, "Bytes in flight": the versions with more and with fewer bytes on their way at a time, verified and timed as
 * the versions themselves are; and the life of a warp in versions 1, 3 and 4, with a clock in the kernel.
 *
 * record.list has it built and run. SIZE and SEED as in the lesson.
 */
#define main lesson03_main
#include "../lesson03.cu"
#undef main

// ---------------------------------------------------------------- other kernels

/* Version 3 without its promise, so that a load waits for the store before it. */
static __global__ void no_promise_kernel(const float *x, float *y, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = relu(x[i]);
    }
}

static __device__ float4 relu_vector(float4 v) {
    return make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
}

/* What n / 4 vectors leave over. */
static __device__ void relu_tail(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n % 4) {
        y[n / 4 * 4 + i] = relu(x[n / 4 * 4 + i]);
    }
}

/* Version 4 with several vectors for each thread, a block's width apart: all loads, then all stores. */
template <int VECTORS>
static __global__ void vectors_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    int first = blockIdx.x * VECTORS * blockDim.x + threadIdx.x;
    float4 v[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        int i = first + k * blockDim.x;
        if (i < n / 4) {
            v[k] = ((const float4 *)x)[i];
        }
    }
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        int i = first + k * blockDim.x;
        if (i < n / 4) {
            ((float4 *)y)[i] = relu_vector(v[k]);
        }
    }
    relu_tail(x, y, n);
}

/* Version 4 as a loop. It is not unrolled: one vector per round. */
static __global__ void loop_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
    int stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += stride) {
        ((float4 *)y)[i] = relu_vector(((const float4 *)x)[i]);
    }
    relu_tail(x, y, n);
}

// ---------------------------------------------------------------- their launchers: n > 0, x and y aligned

template <int THREADS> static void wide_blocks(const float *x, float *y, int n, cudaStream_t stream) {
    relu_kernel1<<<ceil_div(n, THREADS), THREADS, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void no_promise(const float *x, float *y, int n, cudaStream_t stream) {
    no_promise_kernel<<<multiprocessors() * BLOCKS_PER_SM, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

template <int VECTORS> static void vectors(const float *x, float *y, int n, cudaStream_t stream) {
    vectors_kernel<VECTORS><<<ceil_div(n, 4 * VECTORS * BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

template <int BLOCKS> static void loop(const float *x, float *y, int n, cudaStream_t stream) {
    loop_kernel<<<multiprocessors() * BLOCKS, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static const struct elementwise_version variants[] = {
    {"relu_kernel1", relu1, relu_cpu},
    {"block512", wide_blocks<512>, relu_cpu}, // version 1 with larger blocks
    {"block1024", wide_blocks<1024>, relu_cpu},
    {"relu_kernel3", relu3, relu_cpu},
    {"no_promise", no_promise, relu_cpu},
    {"loop8", loop<8>, relu_cpu}, // blocks per multiprocessor
    {"loop16", loop<16>, relu_cpu},
    {"loop64", loop<64>, relu_cpu},
    {"relu_kernel4", relu4, relu_cpu},
    {"vectors2", vectors<2>, relu_cpu}, // float4 per thread
    {"vectors4", vectors<4>, relu_cpu},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static void verify_variants(int n, uint64_t seed) {
    struct elementwise p = problem_create(n, 0, seed);
    for (int v = 0; v < VARIANTS; v++) {
        struct elementwise_job job = elementwise_begin(&p, &variants[v]);
        elementwise_launch(&job, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        elementwise_verify(&job);
    }
    elementwise_free(&p);
}

static void measure_variants(struct elementwise *p) {
    double bytes = 2.0 * p->n * sizeof(float);
    struct bench bench = bench_start(bytes);
    for (int v = 0; v < VARIANTS; v++) {
        struct elementwise_job job = elementwise_begin(p, &variants[v]);
        bench_run(&bench, variants[v].name, elementwise_launch, &job, p->n, bytes, 0);
        elementwise_verify(&job);
    }
    printf("n = %d\n", p->n);
    bench_finish(&bench);
}

// ---------------------------------------------------------------- the life of a warp

/* Of one warp of each block: when it began and ended on the clock that all multiprocessors share, which ticks in steps,
 * and for how many cycles of its own multiprocessor it lived. */
struct life {
    unsigned long long born, died; // ns
    long long cycles;
};

static __device__ unsigned long long shared_clock(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* The body of version 1, 3 or 4 between two looks at the clocks. n is a multiple of 4. */
template <int VERSION>
static __global__ void watched_kernel(const float *__restrict__ x, float *__restrict__ y, int n, struct life *lives) {
    unsigned long long born = shared_clock();
    long long start = clock64();
    int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    if (VERSION == 1 && i < n) {
        y[i] = relu(x[i]);
    }
    if (VERSION == 3) {
        for (; i < n; i += stride) {
            y[i] = relu(x[i]);
        }
    }
    if (VERSION == 4 && i < n / 4) {
        ((float4 *)y)[i] = relu_vector(((const float4 *)x)[i]);
    }
    long long cycles = clock64() - start;
    unsigned long long died = shared_clock();
    if (threadIdx.x == blockIdx.x % (BLOCK / 32) * 32) { // another warp in each block
        lives[blockIdx.x] = (struct life){born, died, cycles};
    }
}

typedef void (*watched)(const float *x, float *y, int n, struct life *lives);

/* Runs a watched kernel twice and keeps the lives of the second run. */
static struct life *watch(struct elementwise *p, watched kernel, int blocks) {
    size_t bytes = blocks * sizeof(struct life);
    struct life *lives = NULL, *found = (struct life *)verify_host_alloc(bytes);
    CUDA_CHECK(cudaMalloc((void **)&lives, bytes));
    for (int run = 0; run < 2; run++) {
        elementwise_begin(p, &variants[0]);
        kernel<<<blocks, BLOCK>>>(p->x, p->y, p->n, lives);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    elementwise_fetch(p);
    verify_floats_exact("watched_kernel", p->found, p->expected, p->n);
    CUDA_CHECK(cudaMemcpy(found, lives, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(lives));
    return found;
}

static double mean_cycles(const struct life *lives, int blocks) {
    double sum = 0;
    for (int b = 0; b < blocks; b++) {
        sum += lives[b].cycles;
    }
    return sum / blocks;
}

/* Version 3: one wave of blocks that all begin at the beginning. Returns cycles per microsecond, which its long lives
 * tell exactly. */
static double print_shares(const struct life *lives, int blocks) {
    unsigned long long begin = lives[0].born, first = lives[0].died, last = 0;
    double sum_died = 0, sum_lived = 0;
    for (int b = 0; b < blocks; b++) {
        begin = lives[b].born < begin ? lives[b].born : begin;
        first = lives[b].died < first ? lives[b].died : first;
        last = lives[b].died > last ? lives[b].died : last;
    }
    for (int b = 0; b < blocks; b++) {
        sum_died += lives[b].died - begin;
        sum_lived += lives[b].died - lives[b].born;
    }
    double empty = 100 * (1 - sum_died / blocks / (last - begin));
    printf("watched_kernel3: the first warp is done after %.0f us, the last after %.0f us; %.1f %% of the places are "
           "empty on average\n",
           (first - begin) / 1e3, (last - begin) / 1e3, empty);
    record_row("watched_kernel3", "first done", (first - begin) / 1e3, "us");
    record_row("watched_kernel3", "last done", (last - begin) / 1e3, "us");
    record_row("watched_kernel3", "empty", empty, "%");
    return 1e3 * mean_cycles(lives, blocks) * blocks / sum_lived;
}

static void print_lives(struct elementwise *p) {
    int loop_blocks = multiprocessors() * BLOCKS_PER_SM;
    struct life *lives = watch(p, watched_kernel<3>, loop_blocks);
    double clock = print_shares(lives, loop_blocks);
    free(lives);
    record_print("cycles per us: %.0f\n", "clock", "cycles per us", "", clock);

    const struct {
        watched kernel;
        int version, blocks;
    } short_lived[] = {{watched_kernel<1>, 1, ceil_div(p->n, BLOCK)},
                       {watched_kernel<4>, 4, ceil_div(p->n, 4 * BLOCK)}};
    for (int k = 0; k < 2; k++) {
        lives = watch(p, short_lived[k].kernel, short_lived[k].blocks);
        char name[32];
        snprintf(name, sizeof name, "watched_kernel%d", short_lived[k].version);
        printf("%s: ", name);
        record_print("a warp lives %.2f us on average\n", name, "life", "us",
                     mean_cycles(lives, short_lived[k].blocks) / clock);
        free(lives);
    }
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, 0);
    int n = options.size > 0 ? ((int)options.size + 3) / 4 * 4 : device_is_emulator() ? 1 << 20 : 1 << 27;
    device_print_backend();
    for (int size = 1; size < 3000; size = 5 * size + 3) {
        verify_variants(size, options.seed);
    }
    struct elementwise p = problem_create(n, 0, options.seed);
    if (verify_tally()->failures == 0) {
        measure_variants(&p);
        if (device_is_emulator()) {
            printf("The emulator has no clock that means anything for a GPU: no lives of warps.\n");
        } else {
            print_lives(&p);
        }
    }
    elementwise_free(&p);
    return verify_finish("relu, bytes in flight");
}
