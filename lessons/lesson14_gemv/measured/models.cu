/* models SEED: the best version of lesson 14 for each format, next to a copy, to reading alone and to cuBLAS, on the matrices of two language
 * models, for a GPU.
 *
 * As in a model, one product follows the other: 24 of them are queued as one graph, so that the host's time for a launch does not
 * count. Each takes the next of several copies of the matrix, 64 of them or 400 MB in all, so that none finds its weights in the
 * L2 cache. All rows take turns; what was timed is verified. */
#define main lesson14_main
#include "../lesson14.cu"
#undef main

enum { RUNS = 24, ROUNDS = 9, COPIES_MAX = 64 };
static const double ROTATED_BYTES = 400e6;

static const struct shape shapes_of_models[] = {
    {4096, 4096},  {1024, 4096}, {14336, 4096}, {4096, 14336}, {128256, 4096}, // Llama 3, 8 B
    {8192, 8192},  {1024, 8192}, {28672, 8192}, {8192, 28672}, {128256, 8192}, // and 70 B
    {28672, 4096},
};

// ---------------------------------------------------------------- weights, made on the device

static __device__ uint32_t hash(uint64_t i, uint64_t seed) {
    uint64_t z = (i + 1 + (seed << 40)) * 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return (uint32_t)(z >> 32);
}

/* From low to high, evenly. */
template <class T> static __global__ void fill_kernel(T *to, size_t n, uint64_t seed, float low, float high) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        to[i] = (T)(low + (hash(i, seed) >> 8) * (1.0f / 16777216.0f) * (high - low));
    }
}

static __global__ void fill_bits_kernel(uint32_t *to, size_t n, uint64_t seed) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        to[i] = hash(i, seed);
    }
}

static __device__ double weight(const struct gemv g, enum format format, size_t i) {
    if (format == FP32) {
        return ((const float *)g.W)[i];
    }
    if (format == FP16) {
        return (float)((const __half *)g.W)[i];
    }
    int q = format == INT8 ? ((const signed char *)g.W)[i]
                           : (int)(((const uint32_t *)g.W)[i / 8] >> (i % 8 / 2 * 4 + i % 2 * 16) & 15) - 8;
    return (double)q * (float)g.scales[i / GROUP];
}

/* A warp for each row, in double. */
static __global__ void reference_kernel(const struct gemv g, enum format format, double *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    double sum = 0.0;
    for (int n = lane; row < g.M && n < g.N; n += WARP) {
        double x = format == FP32 ? ((const float *)g.x)[n] : (float)((const __half *)g.x)[n];
        sum += weight(g, format, (size_t)row * g.N + n) * x;
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, step);
    }
    if (lane == 0 && row < g.M) {
        y[row] = sum;
    }
}

static struct problem problem_on_device(enum format format, struct shape shape, uint64_t seed) {
    struct problem p = {};
    size_t weights = (size_t)shape.M * shape.N, bytes = (size_t)(weights * weight_bytes(format));
    p.format = format, p.M = shape.M, p.N = shape.N, p.batch = 1, p.outputs = shape.M, p.size = shape.N;
    CUDA_CHECK(cudaMalloc(&p.W, bytes));
    CUDA_CHECK(cudaMalloc(&p.device_x, p.N * sizeof(float)));
    if (format == FP32) {
        fill_kernel<<<1024, 256>>>((float *)p.W, weights, seed, -1.0f, 1.0f);
        fill_kernel<<<1024, 256>>>((float *)p.device_x, p.N, seed + 1, -1.0f, 1.0f);
    } else {
        fill_kernel<<<1024, 256>>>((__half *)p.device_x, p.N, seed + 1, -1.0f, 1.0f);
    }
    if (format == FP16) {
        fill_kernel<<<1024, 256>>>((__half *)p.W, weights, seed, -1.0f, 1.0f);
    }
    if (is_quantised(format)) {
        float one = format == INT8 ? 1.0f / 128 : 1.0f / 8;
        CUDA_CHECK(cudaMalloc((void **)&p.scales, weights / GROUP * sizeof(__half)));
        fill_bits_kernel<<<1024, 256>>>((uint32_t *)p.W, bytes / 4, seed);
        fill_kernel<<<1024, 256>>>(p.scales, weights / GROUP, seed + 2, 0.5f * one, one);
    }
    CUDA_CHECK_LAUNCH();
    p.bytes = bytes + (is_quantised(format) ? 2.0 * weights / GROUP : 0.0) + p.N * (has_half_x(format) ? 2.0 : 4.0) +
              p.M * 4.0;
    p.y = (double *)verify_host_alloc(p.M * sizeof(double));
    double *y = NULL;
    CUDA_CHECK(cudaMalloc((void **)&y, p.M * sizeof(double)));
    struct gemv g = {p.M, p.N, 1, p.W, p.device_x, p.scales};
    reference_kernel<<<ceil_div(p.M, 4), 4 * WARP>>>(g, format, y);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(p.y, y, p.M * sizeof(double), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(y));
    return p;
}

// ---------------------------------------------------------------- a row: 24 runs as one graph

struct rotation {
    struct job job;
    cudaGraphExec_t graph;
    float times[ROUNDS];
};

static struct rotation rotation_create(const struct job *job, void *const *copies, int count, cudaStream_t stream) {
    struct rotation r = {*job};
    cudaGraph_t graph;
    job_launch(&r.job, stream); // whatever is done at the first call only
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int run = 0; run < RUNS; run++) {
        r.job.gemv.W = copies[run % count];
        job_launch(&r.job, stream);
    }
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&r.graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    return r;
}

static float time_once(const struct rotation *r, cudaStream_t stream, cudaEvent_t start, cudaEvent_t stop) {
    float milliseconds = 0;
    CUDA_CHECK(cudaEventRecord(start, stream));
    CUDA_CHECK(cudaGraphLaunch(r->graph, stream));
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return milliseconds / RUNS;
}

static void race(struct rotation *rows, int count, cudaStream_t stream) {
    int order[ROWS_MAX];
    uint64_t state = 1;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int r = 0; r < count; r++) {
        order[r] = r;
    }
    for (int round = -1; round < ROUNDS; round++) {
        turns_shuffle(order, count, &state);
        for (int r = 0; r < count; r++) {
            float milliseconds = time_once(&rows[order[r]], stream, start, stop);
            if (round >= 0) {
                rows[order[r]].times[round] = milliseconds;
            }
        }
    }
    for (int r = 0; r < count; r++) {
        qsort(rows[r].times, ROUNDS, sizeof rows[r].times[0], bench_order);
        printf("%-16s  %10.2f us  %10.2f .. %10.2f  %8.0f GB/s\n", job_name(&rows[r].job),
               1e3 * rows[r].times[ROUNDS / 2], 1e3 * rows[r].times[0], 1e3 * rows[r].times[ROUNDS - 1],
               rows[r].job.problem->bytes / 1e6 / rows[r].times[ROUNDS / 2]);
        record_row(job_name(&rows[r].job), "us", 1e3 * rows[r].times[ROUNDS / 2], "us");
        record_row(job_name(&rows[r].job), "shortest", 1e3 * rows[r].times[0], "us");
        record_row(job_name(&rows[r].job), "longest", 1e3 * rows[r].times[ROUNDS - 1], "us");
        job_verify(&rows[r].job);
        CUDA_CHECK(cudaGraphExecDestroy(rows[r].graph));
        job_free(&rows[r].job);
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
}

static void compare(enum format format, struct shape shape, uint64_t seed, struct cublas *cublas, cudaStream_t stream) {
    static const char *const titles[] = {"fp32", "", "fp16", "int8", "int4"};
    static const int versions_of[] = {5, 0, 8, 9, 10};
    struct problem p = problem_on_device(format, shape, seed);
    size_t bytes = (size_t)((size_t)p.M * p.N * weight_bytes(format));
    int number = versions_of[format], count = (int)(ROTATED_BYTES / bytes) + 2;
    struct job jobs[ROWS_MAX];
    struct rotation rows[ROWS_MAX];
    void *copies[COPIES_MAX];
    count = min(count, (int)COPIES_MAX);
    for (int c = 0; c < count; c++) {
        CUDA_CHECK(cudaMalloc(&copies[c], bytes));
        CUDA_CHECK(cudaMemcpy(copies[c], p.W, bytes, cudaMemcpyDeviceToDevice));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    int jobs_made = jobs_create(jobs, &p, versions, number - 1, number - 1, cublas, 1);
    printf("%d x %d, %s, %d copies\n", p.M, p.N, titles[format], count);
    record_part("%d x %d %s", p.M, p.N, titles[format]);
    for (int j = 0; j < jobs_made; j++) {
        rows[j] = rotation_create(&jobs[j], copies, count, stream);
    }
    race(rows, jobs_made, stream);
    for (int c = 0; c < count; c++) {
        CUDA_CHECK(cudaFree(copies[c]));
    }
    problem_free(&p);
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    cudaStream_t stream;
    struct cublas cublas = cublas_open();
    device_print_backend();
    cublas_print(&cublas);
    CUDA_CHECK(cudaStreamCreate(&stream));
    for (size_t s = 0; s < sizeof shapes_of_models / sizeof shapes_of_models[0]; s++) {
        for (int format = FP32; format <= INT4; format++) {
            if (format != FP32_TRANSPOSED) {
                compare((enum format)format, shapes_of_models[s], options.seed, &cublas, stream);
            }
        }
    }
    return verify_finish("the matrices of two models");
}
