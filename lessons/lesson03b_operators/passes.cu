/* Bias, GELU, dropout and a residual: how many bytes does it move, in four kernels, and in one?
 *
 *     . build/env
 *     nvcc -I. lessons/lesson03b_operators/passes.cu -o build/passes && build/passes
 *
 * On the emulator: bytes that each kernel loads and stores per element. On a GPU: times, beside those of a copy. SIZE (elements, rounded up to
 * whole rows) and SEED as in the lessons.
 *
 * Where a real operator asks Philox, which is the exercise, this program takes a number that is as good for counting and good for nothing else.
 */
#include "../../common/bench.h"
#include "../../common/verify.h"

enum { BLOCK = 256, COLS = 4096 };

struct layer {
    const float *x, *bias, *residual;
    float *y;
    unsigned char *mask; // 1 where an element is kept
    int n;
};

static __host__ __device__ float gelu_of(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.7071067812f));
}

/* Every second element, more or less. */
static __host__ __device__ bool keeps(unsigned i) {
    return (i * 2654435761u >> 16 & 1) != 0;
}

static __device__ int index_here() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---------------------------------------------------------------- four kernels

static __global__ void bias_kernel(struct layer l) {
    int i = index_here();
    if (i < l.n) {
        l.y[i] = l.x[i] + l.bias[i % COLS];
    }
}

static __global__ void gelu_kernel(struct layer l) {
    int i = index_here();
    if (i < l.n) {
        l.y[i] = gelu_of(l.y[i]);
    }
}

/* The mask is kept for the way back. */
static __global__ void dropout_kernel(struct layer l) {
    int i = index_here();
    if (i < l.n) {
        bool keep = keeps(i);
        l.mask[i] = keep;
        l.y[i] = keep ? l.y[i] * 2.0f : 0.0f;
    }
}

static __global__ void add_kernel(struct layer l) {
    int i = index_here();
    if (i < l.n) {
        l.y[i] += l.residual[i];
    }
}

// ---------------------------------------------------------------- one kernel, and the way back

static __global__ void fused_kernel(struct layer l) {
    int i = index_here();
    if (i < l.n) {
        float v = gelu_of(l.x[i] + l.bias[i % COLS]);
        l.y[i] = l.residual[i] + (keeps(i) ? v * 2.0f : 0.0f);
    }
}

/* Of the dropout alone: y is what comes back to its input, x what came back to its output. */
static __global__ void back_stored_kernel(struct layer l) {
    int i = index_here();
    if (i < l.n) {
        l.y[i] = l.mask[i] ? l.x[i] * 2.0f : 0.0f;
    }
}

static __global__ void back_again_kernel(struct layer l) {
    int i = index_here();
    if (i < l.n) {
        l.y[i] = keeps(i) ? l.x[i] * 2.0f : 0.0f;
    }
}

// ---------------------------------------------------------------- what is run

typedef void (*layer_kernel)(struct layer l);

struct job {
    const char *name;
    double bytes; // of an element, without the bias
    int kernels;
    layer_kernel kernel[4];
    struct layer layer;
};

static void launch(void *data, cudaStream_t stream) {
    struct job *job = (struct job *)data;
    for (int k = 0; k < job->kernels; k++) {
        job->kernel[k]<<<(job->layer.n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(job->layer);
        CUDA_CHECK_LAUNCH();
    }
}

/* What the layer should give; of the way back: what it should give x. */
static float expected_at(const struct job *job, const float *x, const float *bias, const float *residual, int i) {
    bool back = job->kernel[0] == back_stored_kernel || job->kernel[0] == back_again_kernel;
    float v = back ? x[i] : gelu_of(x[i] + bias[i % COLS]);
    return (keeps(i) ? v * 2.0f : 0.0f) + (back ? 0.0f : residual[i]);
}

static void verify(const struct job *job, const float *x, const float *bias, const float *residual) {
    size_t bytes = job->layer.n * sizeof(float);
    float *found = (float *)verify_host_alloc(bytes), *expected = (float *)verify_host_alloc(bytes);
    CUDA_CHECK(cudaMemcpy(found, job->layer.y, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < job->layer.n; i++) {
        expected[i] = expected_at(job, x, bias, residual, i);
    }
    verify_floats(job->name, found, expected, job->layer.n, 1e-5, 1e-5);
    free(found);
    free(expected);
}

/* Each kernel by itself, and a sum where there are several. */
static void count(struct job *job) {
    static const char *const names[] = {"bias_kernel", "gelu_kernel", "dropout_kernel", "add_kernel"};
    double n = job->layer.n, loaded = 0, stored = 0;
    for (int k = 0; k < job->kernels; k++) {
        struct emulatorCounters c;
        struct job single = {job->name, 0, 1, {job->kernel[k]}, job->layer};
        bench_count(&c, launch, &single);
        loaded += 32.0 * (double)c.global_load_sectors / n;
        stored += 32.0 * (double)c.global_store_sectors / n;
        if (job->kernels > 1) {
            printf("%-18s %10.2f %10.2f\n", names[k], 32.0 * (double)c.global_load_sectors / n,
                   32.0 * (double)c.global_store_sectors / n);
        }
    }
    printf("%-18s %10.2f %10.2f\n", job->name, loaded, stored);
}

static void *device_copy(const void *from, size_t bytes) {
    void *copy;
    CUDA_CHECK(cudaMalloc(&copy, bytes));
    CUDA_CHECK(cudaMemcpy(copy, from, bytes, cudaMemcpyHostToDevice));
    return copy;
}

static void measure(int n, uint64_t seed) {
    size_t bytes = n * sizeof(float);
    float *x = (float *)verify_host_alloc(bytes), *residual = (float *)verify_host_alloc(bytes), bias[COLS];
    verify_random(x, n, -4.0f, 4.0f, seed);
    verify_random(residual, n, -4.0f, 4.0f, seed + 1);
    verify_random(bias, COLS, -1.0f, 1.0f, seed + 2);
    struct layer l = {(float *)device_copy(x, bytes),
                      (float *)device_copy(bias, sizeof bias),
                      (float *)device_copy(residual, bytes),
                      (float *)device_copy(x, bytes),
                      NULL,
                      n};
    CUDA_CHECK(cudaMalloc(&l.mask, n));
    struct job jobs[] = {{"four kernels", 37, 4, {bias_kernel, gelu_kernel, dropout_kernel, add_kernel}, l},
                         {"one kernel", 12, 1, {fused_kernel}, l},
                         {"back, stored", 9, 1, {back_stored_kernel}, l},
                         {"back, again", 8, 1, {back_again_kernel}, l}};

    struct bench bench = bench_start(3.0 * bytes);
    printf("n = %d, rows of %d\n", n, COLS);
    if (device_is_emulator()) {
        printf("\nbytes per element      loaded     stored\n");
    }
    for (struct job &job : jobs) {
        verify_poison_device(l.y, bytes);
        if (device_is_emulator()) {
            count(&job);
        } else {
            bench_run(&bench, job.name, launch, &job, n, job.bytes * n, 0);
        }
        verify(&job, x, bias, residual);
    }
    if (!device_is_emulator()) {
        bench_finish(&bench);
    }
    CUDA_CHECK(cudaFree((void *)l.x));
    CUDA_CHECK(cudaFree((void *)l.bias));
    CUDA_CHECK(cudaFree((void *)l.residual));
    CUDA_CHECK(cudaFree(l.y));
    CUDA_CHECK(cudaFree(l.mask));
    free(x);
    free(residual);
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, 0);
    long long wanted = options.size >= 0 ? options.size : device_is_emulator() ? 1 << 20 : 1 << 26;
    int rows = (int)((wanted + COLS - 1) / COLS);
    device_print_backend();
    measure((rows > 0 ? rows : 1) * COLS, options.seed);
    return verify_finish("passes");
}
