/* sweep.cu - many LayerNorms for rows of COLS elements, forward and backward, each verified, all timed in turns with copies that move the
 * same number of bytes: how the lesson's last versions were chosen.
 *
 *     nvcc -DCOLS=8192 -DBF16=0 ...
 *     ./sweep 32768                             a table for each direction, the fastest first
 *     ROUNDS=5 SHOWN=40 ./sweep 32768
 *     ONLY='backward_stay<512' ./sweep 32768    only candidates whose names have these words
 *
 * What is expected is computed in double by simple kernels. Each round runs every candidate once in an order of its own, behind a flush of
 * the L2 cache (common/bench.h); the median of the rounds is shown, in percent of the plain copy kernel of common/bench.h, which is among the
 * candidates three times.
 */
#include <algorithm>
#include <string>
#include <vector>

#include "../../../../common/bench.h"
#include "../../../../common/verify.h"
#include "kernels.cuh"

enum { FORWARD, BACKWARD, ADDED, KINDS };

struct candidate {
    std::string name;
    int kind;
    void (*launch)(data, cudaStream_t);
    std::vector<float> times;
    float median;
};

static std::vector<candidate> candidates;

static int multiprocessors() {
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

/* A grid that fits, and shared memory allowed; 0: the kernel cannot run. */
template <typename K> static int blocks_that_fit(K kernel, int threads, size_t shared) {
    int each = 0;
    if (shared > 227 * 1024 || cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared)) {
        cudaGetLastError();
        return 0;
    }
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared)) {
        cudaGetLastError();
        return 0;
    }
    return each * multiprocessors();
}

// ---------------------------------------------------------------- the candidates

template <int T, int R> constexpr bool fits() {
    return T * R <= 1024 && COLS / T / LANES >= 1 && COLS / T <= 64;
}

template <int T, int R, int STAT, int CACHE, int ADD> static void launch_forward_rows(data d, cudaStream_t stream) {
    forward_rows<T, R, STAT, CACHE, ADD><<<(d.rows + R - 1) / R, T * R, 0, stream>>>(d);
    CUDA_CHECK_LAUNCH();
}

template <int T, int R, int STAT, int CACHE, int ADD> static void rows() {
    if constexpr (fits<T, R>()) {
        char name[80];
        snprintf(name, sizeof name, "forward_rows<T %d, R %d, STAT %d, CACHE %d, ADD %d>", T, R, STAT, CACHE, ADD);
        candidates.push_back({name, ADD ? ADDED : FORWARD, launch_forward_rows<T, R, STAT, CACHE, ADD>, {}, 0});
    }
}

constexpr size_t ring_bytes(int R, int KIND, int S, int N) {
    return KIND < 2 ? 0 : (size_t)R * S * N * COLS * sizeof(element);
}

template <int T, int R, int STAT, int MINB, int KIND, int S, int CACHE>
static void launch_forward_stay(data d, cudaStream_t stream) {
    constexpr size_t bytes = ring_bytes(R, KIND, S, 1);
    static int blocks = blocks_that_fit(forward_stay<T, R, STAT, MINB, KIND, S, CACHE>, T * R, bytes);
    forward_stay<T, R, STAT, MINB, KIND, S, CACHE><<<std::min(blocks, (d.rows + R - 1) / R), T * R, bytes, stream>>>(d);
    CUDA_CHECK_LAUNCH();
}

template <int T, int R, int MINB, int KIND, int S, int CACHE, int STAT = 2> static void stay() {
    if constexpr (fits<T, R>() && COLS / T <= 32) {
        constexpr size_t bytes = ring_bytes(R, KIND, S, 1);
        int blocks = blocks_that_fit(forward_stay<T, R, STAT, MINB, KIND, S, CACHE>, T * R, bytes) / multiprocessors();
        if (blocks) {
            char name[112];
            snprintf(name, sizeof name, "forward_stay<T %d, R %d, STAT %d, MINB %d, KIND %d, S %d, CACHE %d> x%d", T, R,
                     STAT, MINB, KIND, S, CACHE, blocks);
            candidates.push_back({name, FORWARD, launch_forward_stay<T, R, STAT, MINB, KIND, S, CACHE>, {}, 0});
        }
    }
}

/* How the blocks' sums are added up. */
enum { LAUNCH, ATOMICS, EARLY };

/* The second kernel, which may be launched before the first one has ended, and then waits. */
static void launch_early(data d, int blocks, cudaStream_t stream) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2 * COLS / 32);
    config.blockDim = dim3(32, 32);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, add_partials, (const float *)d.partial, blocks, d.dgamma, d.dbeta));
}

template <int T, int R, int MINB, int KIND, int S, int GREG, int CACHE, int END>
static void launch_backward_stay(data d, cudaStream_t stream) {
    constexpr size_t bytes = std::max(ring_bytes(R, KIND, S, 2), R > 1 ? (size_t)2 * COLS * sizeof(float) : (size_t)0);
    static int fit = blocks_that_fit(backward_stay<T, R, MINB, KIND, S, GREG, CACHE>, T * R, bytes);
    int blocks = std::min(fit, (d.rows + R - 1) / R);
    if (END == ATOMICS) {
        d.partial = NULL;
        CUDA_CHECK(cudaMemsetAsync(d.dgamma, 0, 2 * COLS * sizeof(float), stream));
    }
    backward_stay<T, R, MINB, KIND, S, GREG, CACHE><<<blocks, T * R, bytes, stream>>>(d);
    CUDA_CHECK_LAUNCH();
    if (END == LAUNCH) {
        add_partials<<<2 * COLS / 32, dim3(32, 32), 0, stream>>>(d.partial, blocks, d.dgamma, d.dbeta);
        CUDA_CHECK_LAUNCH();
    } else if (END == EARLY) {
        launch_early(d, blocks, stream);
    }
}

template <int T, int R, int MINB, int KIND, int S, int GREG, int CACHE, int END = LAUNCH> static void back() {
    if constexpr (fits<T, R>() && COLS / T <= 32) {
        constexpr size_t bytes =
            std::max(ring_bytes(R, KIND, S, 2), R > 1 ? (size_t)2 * COLS * sizeof(float) : (size_t)0);
        int blocks = blocks_that_fit(backward_stay<T, R, MINB, KIND, S, GREG, CACHE>, T * R, bytes) / multiprocessors();
        if (blocks) {
            static const char *const ends[] = {"", " atomics", " early"};
            char name[128];
            snprintf(name, sizeof name, "backward_stay<T %d, R %d, MINB %d, KIND %d, S %d, GREG %d, CACHE %d>%s x%d", T,
                     R, MINB, KIND, S, GREG, CACHE, ends[END], blocks);
            candidates.push_back({name, BACKWARD, launch_backward_stay<T, R, MINB, KIND, S, GREG, CACHE, END>, {}, 0});
        }
    }
}

template <int T, int R> static void rows_of() {
    rows<T, R, 0, 0, 0>();
    rows<T, R, 1, 0, 0>();
    rows<T, R, 2, 0, 0>();
    rows<T, R, 3, 0, 0>();
    rows<T, R, 2, 1, 0>();
    rows<T, R, 2, 2, 0>();
    rows<T, R, 2, 3, 0>();
    rows<T, R, 2, 4, 0>();
    rows<T, R, 2, 0, 1>();
    rows<T, R, 2, 1, 1>();
    rows<T, R, 2, 4, 1>();
}

/* Blocks of T threads for R rows: as many as have room with 64 registers for each thread (FULL), and with 128. */
template <int T, int R> static void stay_of() {
    constexpr int FULL = 65536 / 64 / (T * R), HALF = FULL / 2 ? FULL / 2 : 1;
    stay<T, R, FULL, 0, 1, 0>();
    stay<T, R, FULL, 1, 1, 0>();
    stay<T, R, HALF, 1, 1, 0>();
    stay<T, R, HALF, 2, 2, 0>();
    stay<T, R, HALF, 2, 3, 0>();
    stay<T, R, HALF, 2, 3, 1>();
    stay<T, R, FULL, 2, 2, 0>();
    stay<T, R, FULL, 2, 3, 0>();
    stay<T, R, HALF, 3, 3, 0>();
    stay<T, R, FULL, 3, 2, 0>();
    stay<T, R, FULL, 3, 3, 0>();
    stay<T, R, FULL, 3, 4, 0>();
}

template <int T, int R> static void back_of() {
    constexpr int FULL = 65536 / 64 / (T * R), HALF = FULL / 2 ? FULL / 2 : 1;
    back<T, R, HALF, 1, 1, 1, 0>();
    back<T, R, FULL, 0, 1, 1, 0>();
    back<T, R, FULL, 1, 1, 1, 0>();
    back<T, R, HALF, 2, 2, 1, 0>();
    back<T, R, HALF, 2, 2, 1, 1>();
    back<T, R, HALF, 2, 3, 1, 0>();
    back<T, R, HALF, 2, 3, 1, 1>();
    back<T, R, HALF, 2, 4, 1, 0>();
    back<T, R, FULL, 2, 2, 1, 0>();
    back<T, R, FULL, 2, 2, 0, 0>();
    back<T, R, FULL, 2, 3, 1, 0>();
    back<T, R, HALF, 3, 2, 1, 0>();
    back<T, R, HALF, 3, 3, 1, 0>();
    back<T, R, FULL, 3, 2, 1, 0>();
    back<T, R, FULL, 3, 3, 1, 0>();
    back<T, R, FULL, 3, 4, 1, 0>();
    back<T, R, HALF, 2, 2, 1, 0, ATOMICS>();
    back<T, R, HALF, 2, 2, 1, 0, EARLY>();
    back<T, R, HALF, 2, 3, 1, 0, EARLY>();
    back<T, R, HALF, 3, 3, 1, 0, EARLY>();
}

static void list_candidates() {
#if COLS >= 8192
    rows_of<256, 1>();
    rows_of<512, 1>();
    rows_of<1024, 1>();
    stay_of<512, 1>();
    stay_of<1024, 1>();
    back_of<256, 1>();
    back_of<512, 1>();
    back_of<1024, 1>();
#elif COLS >= 4096
    rows_of<128, 1>();
    rows_of<256, 1>();
    rows_of<512, 1>();
    stay_of<256, 1>();
    stay_of<512, 1>();
    back_of<128, 1>();
    back_of<256, 1>();
    back_of<256, 2>();
    back_of<512, 1>();
    back_of<512, 2>();
    back_of<1024, 1>();
#else
    rows_of<32, 4>();
    rows_of<32, 8>();
    rows_of<64, 2>();
    rows_of<64, 4>();
    rows_of<128, 1>();
    rows_of<128, 2>();
    rows_of<256, 1>();
    stay_of<32, 4>();
    stay_of<32, 8>();
    stay_of<64, 2>();
    stay_of<128, 1>();
    back_of<32, 4>();
    back_of<64, 2>();
    back_of<64, 4>();
    back_of<64, 8>();
    back_of<128, 1>();
    back_of<128, 2>();
    back_of<128, 4>();
    back_of<128, 8>();
    back_of<256, 1>();
    back_of<256, 2>();
#endif
}

// ---------------------------------------------------------------- copies

static size_t copy_elements; // read, and as many written
static element *copy_from, *copy_to;

static __global__ void copy_cs_kernel(const uint4 *from, uint4 *to, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x;
    uint4 v[4];
    for (int k = 0; k < 4; k++) {
        v[k] = i + k * blockDim.x < n ? __ldcs(&from[i + k * blockDim.x]) : make_uint4(0, 0, 0, 0);
    }
    for (int k = 0; k < 4; k++) {
        if (i + k * blockDim.x < n) {
            __stcs(&to[i + k * blockDim.x], v[k]);
        }
    }
}

/* Two read, one written, as backward must: not what the percentages are of. */
static __global__ void two_in_one_out_kernel(const uint4 *a, const uint4 *b, uint4 *to, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uint4 v = __ldcs(&a[i]), w = __ldcs(&b[i]);
        __stcs(&to[i], make_uint4(v.x ^ w.x, v.y ^ w.y, v.z ^ w.z, v.w ^ w.w));
    }
}

static size_t vectors(void) {
    return copy_elements * sizeof(element) / sizeof(uint4);
}

static void launch_copy(data, cudaStream_t stream) {
    struct bench_copy copy = {(float4 *)copy_from, (float4 *)copy_to, vectors()};
    bench_launch_copy(&copy, stream);
}

static void launch_memcpy(data, cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyAsync(copy_to, copy_from, vectors() * 16, cudaMemcpyDeviceToDevice, stream));
}

static void launch_copy_cs(data, cudaStream_t stream) {
    copy_cs_kernel<<<(unsigned)((vectors() + 1023) / 1024), 256, 0, stream>>>((uint4 *)copy_from, (uint4 *)copy_to,
                                                                              vectors());
    CUDA_CHECK_LAUNCH();
}

static void launch_two_in_one_out(data d, cudaStream_t stream) {
    size_t n = (size_t)d.rows * COLS / LANES;
    two_in_one_out_kernel<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>((const uint4 *)d.x, (const uint4 *)d.dy,
                                                                           (uint4 *)d.dx, n);
    CUDA_CHECK_LAUNCH();
}

static void list_copies(int kind) {
    for (int k = 0; k < 3; k++) {
        candidates.push_back({"copy kernel", kind, launch_copy, {}, 0});
    }
    candidates.push_back({"cudaMemcpy", kind, launch_memcpy, {}, 0});
    candidates.push_back({"copy, 4 vectors a thread, cs", kind, launch_copy_cs, {}, 0});
    if (kind == BACKWARD) {
        candidates.push_back({"two read, one written", kind, launch_two_in_one_out, {}, 0});
    }
}

// ---------------------------------------------------------------- input, and what is expected

static __device__ float random_at(size_t i, unsigned salt) {
    unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull + salt * 0xD1B54A32D192ED03ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (float)((z ^ (z >> 31)) >> 40) * (2.0f / 16777216.0f) - 1.0f;
}

template <typename E> static __global__ void fill_kernel(E *x, size_t n, float middle, unsigned salt) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        x[i] = (E)(middle + random_at(i, salt));
    }
}

/* A block of 256 threads for a row; the lowest thread's sums are the same for all. */
static __device__ double block_sum(double value) {
    __shared__ double sums[256];
    __syncthreads();
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            sums[threadIdx.x] += sums[threadIdx.x + step];
        }
        __syncthreads();
    }
    return sums[0];
}

static __global__ void expect_rows_kernel(data d, float *y, float *dx) {
    const size_t row = blockIdx.x, first = row * COLS;
    double sum = 0, squares = 0, g = 0, gx = 0;
    for (int c = threadIdx.x; c < COLS; c += 256) {
        sum += (float)d.x[first + c];
    }
    double mean = block_sum(sum) / COLS;
    for (int c = threadIdx.x; c < COLS; c += 256) {
        squares += ((float)d.x[first + c] - mean) * ((float)d.x[first + c] - mean);
    }
    double rstd = 1 / sqrt(block_sum(squares) / COLS + 1e-5);
    for (int c = threadIdx.x; c < COLS; c += 256) {
        double hat = ((float)d.x[first + c] - mean) * rstd, dy = (double)(float)d.dy[first + c] * d.gamma[c];
        y[first + c] = (float)(hat * d.gamma[c] + d.beta[c]);
        g += dy;
        gx += dy * hat;
    }
    g = block_sum(g) / COLS;
    gx = block_sum(gx) / COLS;
    for (int c = threadIdx.x; c < COLS; c += 256) {
        double hat = ((float)d.x[first + c] - mean) * rstd, dy = (double)(float)d.dy[first + c] * d.gamma[c];
        dx[first + c] = (float)(rstd * (dy - g - hat * gx));
    }
    if (threadIdx.x == 0) {
        d.mean[row] = (float)mean;
        d.rstd[row] = (float)rstd;
    }
}

static __global__ void expect_columns_kernel(data d, double *sums) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    double dgamma = 0, dbeta = 0;
    for (int row = blockIdx.y; row < d.rows; row += gridDim.y) {
        double dy = (float)d.dy[(size_t)row * COLS + c];
        dbeta += dy;
        dgamma += dy * ((double)(float)d.x[(size_t)row * COLS + c] - d.mean[row]) * d.rstd[row];
    }
    atomicAdd(&sums[c], dgamma);
    atomicAdd(&sums[COLS + c], dbeta);
}

struct verdict {
    unsigned long long wrong;
    unsigned worst; // the bits of the largest error
};

template <typename E, typename F>
static __global__ void compare_kernel(const E *found, const F *expected, size_t n, float absolute, float relative,
                                      verdict *v) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float error = fabsf((float)found[i] - (float)expected[i]);
        if (!(error <= absolute + relative * fabsf((float)expected[i]))) {
            atomicAdd(&v->wrong, 1ull);
        }
        if (error > __uint_as_float(v->worst)) {
            atomicMax(&v->worst, __float_as_uint(error));
        }
    }
}

template <typename E, typename F>
static void compare(const char *what, const E *found, const F *expected, size_t n, float absolute, float relative,
                    verdict *device) {
    verdict v = {0, 0};
    CUDA_CHECK(cudaMemcpy(device, &v, sizeof v, cudaMemcpyHostToDevice));
    compare_kernel<<<2048, 256>>>(found, expected, n, absolute, relative, device);
    CUDA_CHECK(cudaMemcpy(&v, device, sizeof v, cudaMemcpyDeviceToHost));
    float worst;
    memcpy(&worst, &v.worst, sizeof worst);
    if (v.wrong) {
        printf("WRONG: %s: %llu of %zu, worst error %g\n", what, v.wrong, n, worst);
        verify_tally()->failures++;
    }
    verify_tally()->comparisons++;
}

// ---------------------------------------------------------------- main

template <typename E> static E *device_alloc(size_t n) {
    E *p = NULL;
    CUDA_CHECK(cudaMalloc((void **)&p, n * sizeof(E)));
    return p;
}

static data d;
static float *expected_y, *expected_dx;
static double *expected_columns;
static verdict *device_verdict;

static void prepare(int rows) {
    size_t n = (size_t)rows * COLS;
    d.rows = rows;
    d.x = device_alloc<element>(n), d.dy = device_alloc<element>(n);
    d.y = device_alloc<element>(n), d.sum = device_alloc<element>(n);
    d.dx = d.y, d.residual = d.dy;
    float *parameters = device_alloc<float>(4 * COLS);
    d.gamma = parameters, d.beta = parameters + COLS, d.dgamma = parameters + 2 * COLS, d.dbeta = d.dgamma + COLS;
    d.mean = device_alloc<float>(rows), d.rstd = device_alloc<float>(rows);
    d.partial = device_alloc<float>((size_t)132 * 32 * 2 * COLS);
    expected_y = device_alloc<float>(n), expected_dx = device_alloc<float>(n);
    expected_columns = device_alloc<double>(2 * COLS);
    device_verdict = device_alloc<verdict>(1);
    fill_kernel<<<2048, 256>>>((element *)d.x, n, 2.0f, 1);
    fill_kernel<<<2048, 256>>>((element *)d.dy, n, 0.0f, 2);
    fill_kernel<<<64, 256>>>(parameters, (size_t)COLS, 1.0f, 3);
    fill_kernel<<<64, 256>>>(parameters + COLS, (size_t)COLS, 0.0f, 4);
    expect_rows_kernel<<<rows, 256>>>(d, expected_y, expected_dx);
    CUDA_CHECK(cudaMemset(expected_columns, 0, 2 * COLS * sizeof(double)));
    expect_columns_kernel<<<dim3(COLS / 256, 64), 256>>>(d, expected_columns);
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void verify(const candidate &c) {
    size_t n = (size_t)d.rows * COLS;
    float relative = BF16 ? 0.004f : 1e-5f;
    CUDA_CHECK(cudaMemset(d.y, 0xff, n * sizeof(element)));
    CUDA_CHECK(cudaMemset(d.dgamma, 0xff, 2 * COLS * sizeof(float)));
    c.launch(d, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    if (c.kind == FORWARD && c.name[0] == 'f') {
        compare(c.name.c_str(), d.y, expected_y, n, 2e-5f, relative, device_verdict);
    } else if (c.kind == BACKWARD && c.name[0] == 'b') {
        compare(c.name.c_str(), d.dx, expected_dx, n, 2e-5f, relative, device_verdict);
        compare(c.name.c_str(), d.dgamma, expected_columns, 2 * COLS, 0.02f, 1e-4f, device_verdict);
    } else if (c.kind == ADDED && c.name[0] == 'f') {
        data added = d;
        added.x = d.sum;
        expect_rows_kernel<<<d.rows, 256>>>(added, expected_y, expected_dx);
        compare(c.name.c_str(), d.y, expected_y, n, 2e-5f, relative, device_verdict);
    }
}

static void race(int kind, const char *title, double arrays) {
    const char *only = getenv("ONLY");
    int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 11, shown = getenv("SHOWN") ? atoi(getenv("SHOWN")) : 14;
    struct bench flush = {};
    int device = 0, l2 = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    flush.flush_bytes = 2 * (size_t)l2 + (1 << 20);
    flush.flush = device_alloc<float>(flush.flush_bytes / 4 + 1);
    CUDA_CHECK(cudaMemset(flush.flush, 0, flush.flush_bytes));
    copy_elements = (size_t)(arrays / 2 * d.rows * COLS);
    copy_from = device_alloc<element>(copy_elements), copy_to = device_alloc<element>(copy_elements);
    list_copies(kind);
    std::vector<candidate *> racers;
    for (candidate &c : candidates) {
        if (c.kind == kind && (!only || c.name.find(only) != std::string::npos || c.name == "copy kernel")) {
            verify(c);
            racers.push_back(&c);
        }
    }
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    uint64_t state = 1;
    for (int round = -1; round < rounds; round++) {
        for (int r = (int)racers.size() - 1; r > 0; r--) {
            std::swap(racers[r], racers[(verify_next(&state) >> 33) % (r + 1)]);
        }
        for (candidate *c : racers) {
            float milliseconds;
            bench_flush(&flush, 0);
            CUDA_CHECK(cudaEventRecord(start, 0));
            c->launch(d, 0);
            CUDA_CHECK(cudaEventRecord(stop, 0));
            CUDA_CHECK(cudaEventSynchronize(stop));
            CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
            if (round >= 0) {
                c->times.push_back(milliseconds);
            }
        }
    }
    float copy = 0;
    for (candidate *c : racers) {
        std::sort(c->times.begin(), c->times.end());
        c->median = c->times[c->times.size() / 2];
        copy += c->name == "copy kernel" ? c->median / 3 : 0;
    }
    std::sort(racers.begin(), racers.end(), [](candidate *a, candidate *b) { return a->median < b->median; });
    double bytes = arrays * d.rows * COLS * sizeof(element);
    printf("\n%s, %d x %d, %s, %.0f arrays\n%-88s %9s %9s %9s\n", title, d.rows, COLS, BF16 ? "bf16" : "fp32", arrays,
           "", "ms", "GB/s", "% of copy");
    int place = 0;
    for (candidate *c : racers) {
        bool peer = c->name[0] == 'c' || c->name[0] == 't';
        if (place++ < shown || peer) {
            printf("%-88s %9.4f %9.1f %9.2f\n", c->name.c_str(), c->median, bytes / 1e6 / c->median,
                   100 * copy / c->median);
        }
    }
    CUDA_CHECK(cudaFree(copy_from));
    CUDA_CHECK(cudaFree(copy_to));
    CUDA_CHECK(cudaFree(flush.flush));
    fflush(stdout);
}

int main(int argc, char **argv) {
    device_print_backend();
    list_candidates();
    prepare(argc > 1 ? atoi(argv[1]) : 32768);
    race(FORWARD, "forward", 2);
    race(BACKWARD, "backward", 3);
    race(ADDED, "forward with residual", 4); // last: it leaves other means, and expected_y of another x
    return verify_finish("layernorm sweep");
}
