/* Lesson 01: threads, blocks, the grid, and the one number that determines a thread's work.
 *
 *     make lesson01 run                  all versions on several sizes, verified, then measured (or counted)
 *     make lesson01 run V=3 SIZE=1000    one version, one size
 *
 * You will learn how a thread finds out which one it is, how it derives from that which element is its own, how many
 * threads to launch, and what threads without an element do. The job is the smallest there is: c = a + b.
 *
 *     hello              every thread prints its indices
 *     block_order        every block prints its number, in an unspecified order
 *     vecadd_kernel1     one thread does everything, in a loop
 *     vecadd_kernel2     one block: its threads share the loop
 *     vecadd_kernel3     the whole grid: one thread per element, no loop, and a guard
 *     vecadd_unguarded   version 3 without its guard, on arrays with spare room, to see what it does there
 */
#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"

enum { BLOCK = 256 }; // threads in a block: a multiple of 32, at most 1024

// ---------------------------------------------------------------- the reference

/* What every version must compute. */
static void vecadd_cpu(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < n; i++) {
        c[i] = a[i] + b[i];
    }
}

// ---------------------------------------------------------------- thread indices

/* Any grid, any block. Three numbers identify a thread: its block's index, the size of a block, and its own
 * index within the block. Together they give a number that is unique in the grid: the global index. */
static __global__ void hello(void) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("    block %d of %d, thread %d of %d: global index %d\n", (int)blockIdx.x, (int)gridDim.x, (int)threadIdx.x,
           (int)blockDim.x, i);
}

/* Any grid. Prints the blocks' numbers in the order in which they print. The blocks 0, 3, 6, ... print at once,
 * the others first compute something. (The result is never 1; the compiler cannot know, and keeps the loop.) */
static __global__ void block_order(int rounds) {
    unsigned x = blockIdx.x;
    for (int k = 0; k < (int)(blockIdx.x % 3) * rounds; k++) {
        x = x * 1664525u + 1013904223u;
    }
    if (threadIdx.x == 0 && x != 1) {
        printf(" %d", (int)blockIdx.x);
    }
}

// ---------------------------------------------------------------- the versions

/* a, b, c: n floats each. Grid: 1 block of 1 thread. The loop of vecadd_cpu, moved to the device. */
static __global__ void vecadd_kernel1(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < n; i++) {
        c[i] = a[i] + b[i];
    }
}

/* a, b, c: n floats each. Grid: 1 block. Thread t takes the elements t, t + blockDim.x, t + 2 * blockDim.x, ... */
static __global__ void vecadd_kernel2(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        c[i] = a[i] + b[i];
    }
}

/* a, b, c: n floats each. Grid: n threads or more. The loop is gone: the grid is the loop. */
static __global__ void vecadd_kernel3(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { // the guard: the last block may reach past the end
        c[i] = a[i] + b[i];
    }
}

/* a, b, c: one float for every thread of the grid, which is more than n. Never write it like this. */
static __global__ void vecadd_unguarded(const float *a, const float *b, float *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

// ---------------------------------------------------------------- the launchers: how many blocks, how many threads

/* The fewest blocks with n threads or more: n / BLOCK, rounded up. */
static int blocks_for(int n) {
    return (n + BLOCK - 1) / BLOCK;
}

static void vecadd1(const float *a, const float *b, float *c, int n, cudaStream_t stream) {
    vecadd_kernel1<<<1, 1, 0, stream>>>(a, b, c, n);
    CUDA_CHECK_LAUNCH();
}

static void vecadd2(const float *a, const float *b, float *c, int n, cudaStream_t stream) {
    vecadd_kernel2<<<1, BLOCK, 0, stream>>>(a, b, c, n);
    CUDA_CHECK_LAUNCH();
}

static void vecadd3(const float *a, const float *b, float *c, int n, cudaStream_t stream) {
    if (n == 0) {
        return; // a grid of 0 blocks is an error, an empty array is not
    }
    vecadd_kernel3<<<blocks_for(n), BLOCK, 0, stream>>>(a, b, c, n);
    CUDA_CHECK_LAUNCH();
}

typedef void (*vecadd)(const float *a, const float *b, float *c, int n, cudaStream_t stream);

static const struct version {
    const char *name;
    vecadd launch;
    int share; // the table gives this version 1/share of the elements: a lone thread would take seconds for all
} versions[] = {
    {"vecadd_kernel1", vecadd1, 1024},
    {"vecadd_kernel2", vecadd2, 1},
    {"vecadd_kernel3", vecadd3, 1},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---------------------------------------------------------------- the data

struct arrays {
    int n;
    float *a, *b, *c, *expected;  // on the host
    float *dev_a, *dev_b, *dev_c; // on the device; lesson 02 is about them
};

static struct arrays arrays_create(int n, uint64_t seed) {
    size_t bytes = (size_t)n * sizeof(float);
    struct arrays x = {};
    x.n = n;
    x.a = (float *)verify_host_alloc(bytes);
    x.b = (float *)verify_host_alloc(bytes);
    x.c = (float *)verify_host_alloc(bytes);
    x.expected = (float *)verify_host_alloc(bytes);
    verify_random(x.a, n, -1.0f, 1.0f, seed);
    verify_random(x.b, n, -1.0f, 1.0f, seed + 1);
    vecadd_cpu(x.a, x.b, x.expected, n);
    x.dev_a = (float *)verify_alloc(bytes);
    x.dev_b = (float *)verify_alloc(bytes);
    x.dev_c = (float *)verify_alloc(bytes);
    CUDA_CHECK(cudaMemcpy(x.dev_a, x.a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(x.dev_b, x.b, bytes, cudaMemcpyHostToDevice));
    return x;
}

/* Copies the first n results back and compares them bit for bit: one addition has only one right result. */
static void arrays_verify(const struct arrays *x, const char *name, int n) {
    verify_poison_host(x->c, n * sizeof(float));
    CUDA_CHECK(cudaMemcpy(x->c, x->dev_c, n * sizeof(float), cudaMemcpyDeviceToHost));
    verify_floats_exact(name, x->c, x->expected, n);
}

static void arrays_free(struct arrays *x) {
    size_t bytes = (size_t)x->n * sizeof(float);
    verify_free("vecadd, a", x->dev_a, bytes);
    verify_free("vecadd, b", x->dev_b, bytes);
    verify_free("vecadd, c", x->dev_c, bytes);
    free(x->a);
    free(x->b);
    free(x->c);
    free(x->expected);
}

// ---------------------------------------------------------------- what main shows

static void show_places(void) {
    printf("\nhello<<<3, 4>>>: 3 blocks of 4 threads\n");
    fflush(stdout);
    hello<<<3, 4>>>();
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaDeviceSynchronize()); // what a kernel prints appears when the host waits for it
}

/* Equal lines are luck: the order is unspecified, and no program may depend on it. */
static void show_order(void) {
    printf("\nblock_order<<<40, 32>>>, three times\n");
    for (int run = 0; run < 3; run++) {
        printf("   ");
        fflush(stdout);
        block_order<<<40, 32>>>(100000);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
        printf("\n");
    }
}

/* Runs n elements with and without the guard, on arrays as long as the grid, and counts the elements written past n. */
static void show_guard(int n) {
    int threads = blocks_for(n) * BLOCK, spare = threads - n;
    float *a = (float *)verify_alloc(threads * sizeof(float)), *c = (float *)verify_alloc(threads * sizeof(float));
    float *found = (float *)verify_host_alloc(threads * sizeof(float));
    int damaged[2] = {0, 0}, expected[2] = {0, spare};

    CUDA_CHECK(cudaMemset(a, 0, threads * sizeof(float)));
    for (int unguarded = 0; unguarded < 2; unguarded++) {
        verify_poison_device(c, threads * sizeof(float));
        if (unguarded) {
            vecadd_unguarded<<<blocks_for(n), BLOCK>>>(a, a, c);
        } else {
            vecadd_kernel3<<<blocks_for(n), BLOCK>>>(a, a, c, n);
        }
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaMemcpy(found, c, threads * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = n; i < threads; i++) {
            damaged[unguarded] += !verify_is_poison(found[i]);
        }
    }
    printf("\n%d elements need %d blocks of %d: %d threads, %d of them without an element\n", n, blocks_for(n), BLOCK,
           threads, spare);
    printf("    with the guard:    %3d floats written behind the end\n", damaged[0]);
    printf("    without the guard: %3d floats written behind the end\n", damaged[1]);
    verify_ints("floats written behind the end (index 0: guarded, 1: not)", damaged, expected, 2);
    verify_free("vecadd_unguarded, a", a, threads * sizeof(float));
    verify_free("vecadd_unguarded, c", c, threads * sizeof(float));
    free(found);
}

static void verify_size(int n, const struct options *options) {
    struct arrays x = arrays_create(n, options->seed + n);
    for (int v = 0; v < VERSIONS; v++) {
        if (!options->version || options->version == v + 1) {
            verify_poison_device(x.dev_c, n * sizeof(float));
            versions[v].launch(x.dev_a, x.dev_b, x.dev_c, n, 0);
            CUDA_CHECK(cudaDeviceSynchronize()); // a copy of 0 bytes, as for n = 0, does not wait for the kernel
            arrays_verify(&x, versions[v].name, n);
        }
    }
    arrays_free(&x);
}

struct job {
    vecadd launch;
    const struct arrays *x;
    int n;
};

static void launch_job(void *data, cudaStream_t stream) {
    const struct job *job = (const struct job *)data;
    job->launch(job->x->dev_a, job->x->dev_b, job->x->dev_c, job->n, stream);
}

static void print_table(int n, const struct options *options) {
    struct arrays x = arrays_create(n, options->seed);
    struct bench bench = bench_start(3.0 * n * sizeof(float)); // two arrays read, one written
    for (int v = 0; v < VERSIONS; v++) {
        if (!options->version || options->version == v + 1) {
            struct job job = {versions[v].launch, &x, (n + versions[v].share - 1) / versions[v].share};
            verify_poison_device(x.dev_c, n * sizeof(float));
            bench_run(&bench, versions[v].name, launch_job, &job, job.n, 3.0 * job.n * sizeof(float), job.n);
            arrays_verify(&x, versions[v].name, job.n);
        }
    }
    printf("\nn = %d; version 1 gets only every %dth part of it\n", n, versions[0].share);
    bench_finish(&bench);
    arrays_free(&x);
}

int main(int argc, char **argv) {
    static const int sizes[] = {0, 1, 31, 33, 255, 256, 257, 1000, 1025, 100000};
    struct options options = options_read(argc, argv, VERSIONS);
    device_print_backend();
    if (!options.version) {
        show_places();
        show_order();
        show_guard(1000);
    }
    if (options.size >= 0) {
        verify_size((int)options.size, &options);
    } else {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            verify_size(sizes[s], &options);
        }
    }
    int n = options.size >= 0 ? (int)options.size : device_is_emulator() ? 1 << 20 : 1 << 26;
    if (!verify_tally()->failures && n > 0) { // how fast a wrong kernel is does not matter
        print_table(n, &options);
    }
    return verify_finish("vecadd");
}
