/* Lesson 03, "coalesced": version 1 with neighbouring lanes 1, 2, 4, 8 and 32 elements apart, verified and timed (or counted) as the versions
 * themselves are. Each element is still loaded once, and the stores stay as they are; only who loads what has changed.
 *
 * record.list has it built and run. SIZE (rounded up to a power of two) and SEED as in the lesson.
 */
#define main lesson03_main
#include "../lesson03.cu"
#undef main

/* Which element thread i loads, if lanes are 2^apart elements apart and n is 2^size: 0, 4, 8, ..., then 1, 5, 9, ... */
static __host__ __device__ int element_of(int i, int apart, int size) {
    int rounds = size - apart; // as a power of two, like the others
    return (i & ((1 << rounds) - 1)) << apart | i >> rounds;
}

/* x[2^size] -> y[2^size]: y[i] = relu(x[element_of(i)]). */
static __global__ void strided_kernel(const float *x, float *y, int apart, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 << size) {
        y[i] = relu(x[element_of(i, apart, size)]);
    }
}

struct strided_job {
    const float *x;
    float *y;
    int apart, size;
};

static void strided(void *data, cudaStream_t stream) {
    const struct strided_job *job = (const struct strided_job *)data;
    strided_kernel<<<ceil_div(1 << job->size, BLOCK), BLOCK, 0, stream>>>(job->x, job->y, job->apart, job->size);
    CUDA_CHECK_LAUNCH();
}

static void verify(const struct strided_job *job, const float *x, float *found, float *expected) {
    int n = 1 << job->size;
    for (int i = 0; i < n; i++) {
        relu_cpu(&x[element_of(i, job->apart, job->size)], &expected[i], 1);
    }
    CUDA_CHECK(cudaMemcpy(found, job->y, n * sizeof(float), cudaMemcpyDeviceToHost));
    verify_floats_exact("strided_kernel", found, expected, n);
}

static const struct {
    const char *name;
    int apart; // 2^apart elements
} strides[] = {{"stride1", 0}, {"stride2", 1}, {"stride4", 2}, {"stride8", 3}, {"stride32", 5}};

static void measure(int size, uint64_t seed) {
    int n = 1 << size;
    size_t bytes = n * sizeof(float);
    float *x = (float *)verify_host_alloc(bytes), *found = (float *)verify_host_alloc(bytes);
    float *expected = (float *)verify_host_alloc(bytes), *dev_x = (float *)verify_alloc(bytes);
    float *dev_y = (float *)verify_alloc(bytes);
    verify_random(x, n, -1.0f, 1.0f, seed);
    CUDA_CHECK(cudaMemcpy(dev_x, x, bytes, cudaMemcpyHostToDevice));

    struct bench bench = bench_start(2.0 * bytes);
    for (size_t k = 0; k < sizeof strides / sizeof strides[0]; k++) {
        struct strided_job job = {dev_x, dev_y, strides[k].apart, size};
        verify_poison_device(dev_y, bytes);
        bench_run(&bench, strides[k].name, strided, &job, n, 2.0 * bytes, 0);
        verify(&job, x, found, expected);
    }
    printf("n = %d\n", n);
    bench_finish(&bench);
    verify_free("x", dev_x, bytes);
    verify_free("y", dev_y, bytes);
    free(x);
    free(found);
    free(expected);
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, 0);
    int size = device_is_emulator() ? 16 : 27;
    if (options.size > 0) {
        for (size = 5; 1 << size < options.size; size++) {
        }
    }
    device_print_backend();
    measure(size, options.seed);
    return verify_finish("relu, strides");
}
