/* Lesson 23: nvcc. One short function, compiled in five ways, to be read as PTX and as machine code.
 *
 *     make lesson23 run                             all versions on several sizes, verified, then measured (or counted)
 *     make lesson23 run V=2 SIZE=1000               one version, one size
 *     EMULATOR_CAPABILITY=7.5 make lesson23 run     as a GPU of compute capability 7.5: another image is taken
 *     make lesson23 ptx                             what the compiler made of each version
 *
 * You will learn what nvcc does with a .cu file, which GPUs can run what comes out, how to read it, and what a flag does to results.
 * The function is SiLU, y = x / (1 + exp(-x)), which language models use where others have ReLU.
 *
 *     silu_kernel1    as one writes it at first: 1.0 is a double
 *     silu_kernel2    1.0f, and all is float
 *     silu_kernel3    a division that is nearly right
 *     silu_kernel4    an exponential that is nearly right, too: so -use_fast_math compiles version 2, but for denormal numbers
 *     silu_kernel5    one instruction for exponential and division, as inline PTX
 */
// nvcc: -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90
#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/elementwise.h"
#include "../../common/lesson.h"
#include "../../common/record.h"
#include "../../common/verify.h"

enum { BLOCK = 256 };      // threads in a block
#define RANGE      20.0f   // x lies between -RANGE and RANGE
#define TANH_ERROR 0x1p-11 // of tanh.approx, relative: PTX's manual

// ---------------------------------------------------------------- the reference

static double silu_exact(double x) {
    return x / (1.0 + exp(-x));
}

static void silu_cpu(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = (float)silu_exact(x[i]);
    }
}

// ---------------------------------------------------------------- the versions: one idea each

/* x, y: n floats each. Grid: n threads or more. exp of a float is a float in C++, but 1.0 is a double: so the sum and the quotient are. */
static __global__ void silu_kernel1(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] / (1.0 + exp(-x[i]));
    }
}

/* One letter, twice. */
static __global__ void silu_kernel2(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] / (1.0f + expf(-x[i]));
    }
}

/* `/` is rounded correctly, which takes many instructions. __fdividef is wrong by two in the last place, and 0 for divisors above 2^126. */
static __global__ void silu_kernel3(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __fdividef(x[i], 1.0f + expf(-x[i]));
    }
}

/* __expf(x) is 2^(x * 1.4427), where the product is rounded: the larger x, the fewer digits are right. */
static __global__ void silu_kernel4(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __fdividef(x[i], 1.0f + __expf(-x[i]));
    }
}

/* 1 / (1 + exp(-x)) is (1 + tanh(x / 2)) / 2, and since compute capability 7.5 a GPU has an instruction for tanh. C++ has no name for it, so it is
 * written as PTX: "=f" is a float that comes out, "f" one that goes in. */
static __global__ void silu_kernel5(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float half = 0.5f * x[i], t;
        asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(half));
        y[i] = half + half * t;
    }
}

/* Which of the images is this one? Host code has no __CUDA_ARCH__, so only a kernel can say. */
static __global__ void image_kernel(int *arch) {
#ifdef __CUDA_ARCH__
    *arch = __CUDA_ARCH__;
#else
    *arch = 0;
#endif
}

// ---------------------------------------------------------------- the launchers

typedef void (*silu_kernel)(const float *x, float *y, int n);

/* Kernels of the same form share a launcher; `error`: how wrong a version may be at x, as a part of |x|, beside 2e-6 of the result. */
static const struct version {
    const char *name;
    silu_kernel kernel;
    double error;
} versions[] = {
    {"silu_kernel1", silu_kernel1, 0},
    {"silu_kernel2", silu_kernel2, 0},
    {"silu_kernel3", silu_kernel3, 0},
    {"silu_kernel4", silu_kernel4, 0},
    {"silu_kernel5", silu_kernel5, 0.51 * TANH_ERROR}, // 0.5 * x * (1 + t): half of the error of t, and a rounding
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

static void silu(const struct version *version, const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    version->kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

// ---------------------------------------------------------------- verify

struct job {
    struct elementwise *problem;
    const struct version *version;
};

static struct elementwise problem_create(int n, uint64_t seed) {
    struct elementwise p = elementwise_create(n, 0);
    verify_random(p.input, n, -RANGE, RANGE, seed);
    silu_cpu(p.input, p.expected, n);
    return p;
}

static struct job job_create(struct elementwise *p, const struct version *version) {
    elementwise_reset(p);
    return {p, version};
}

static void job_launch(void *data, cudaStream_t stream) {
    const struct job *job = (const struct job *)data;
    silu(job->version, job->problem->x, job->problem->y, job->problem->n, stream);
}

/* A version may be wrong by a part of x, so each element has a tolerance of its own. */
static void job_verify(struct job *job) {
    struct elementwise *p = job->problem;
    size_t bad = 0;
    elementwise_fetch(p);
    for (int i = 0; i < p->n; i++) {
        double allowed = job->version->error * fabs((double)p->input[i]) + 1e-30;
        if (!verify_close(p->found[i], p->expected[i], allowed, 2e-6) && bad++ < VERIFY_SHOWN) {
            printf("%s: wrong for n = %d: x[%d] = %.9g, expected %.9g, found %.9g\n", job->version->name, p->n, i,
                   p->input[i], p->expected[i], p->found[i]);
        }
    }
    verify_tell(bad, p->n);
}

// ---------------------------------------------------------------- what main shows

/* Which image the driver has chosen from the program, and for which device. */
static void show_image(void) {
    int major = 0, minor = 0, arch = 0;
    int *dev_arch = (int *)verify_alloc(sizeof arch);
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    image_kernel<<<1, 1>>>(dev_arch);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&arch, dev_arch, sizeof arch, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, image_kernel));
    printf("the device: compute capability %d.%d; the image: PTX of compute_%d, compiled with __CUDA_ARCH__ = %d\n",
           major, minor, attributes.ptxVersion, arch);
    verify_free("arch", dev_arch, sizeof arch);
}

/* The largest error, in parts of 2^-24 of the result (which is half of a float's last place, or a quarter), and in itself. */
static void print_errors(const struct elementwise *p, const char *name) {
    double relative = 0, absolute = 0;
    for (int i = 0; i < p->n; i++) {
        double exact = silu_exact(p->input[i]), error = fabs(p->found[i] - exact);
        relative = fmax(relative, error / fabs(exact) / 0x1p-24);
        absolute = fmax(absolute, error);
    }
    printf("%-16s", name);
    record_print("  %16.4g", name, "largest error", "2^-24", relative);
    record_print("  %12.1e", name, "largest absolute error", "", absolute);
}

/* Where the versions differ most: a divisor above 2^126, one that is infinite, and numbers too small to be normal. */
static void print_edges(const struct version *version) {
    static const float edges[] = {-88.5f, -100.0f, 1e-40f, -INFINITY};
    float *x = (float *)verify_alloc(sizeof edges), *y = (float *)verify_alloc(sizeof edges);
    float found[4];
    CUDA_CHECK(cudaMemcpy(x, edges, sizeof edges, cudaMemcpyHostToDevice));
    silu(version, x, y, 4, 0);
    CUDA_CHECK(cudaMemcpy(found, y, sizeof found, cudaMemcpyDeviceToHost));
    for (float edge : found) {
        if (isnan(edge)) {
            printf("  %12s", "NaN"); // whose sign means nothing
        } else {
            printf("  %12.4g", edge);
        }
    }
    printf("\n");
    verify_free("edges, x", x, sizeof edges);
    verify_free("edges, y", y, sizeof edges);
}

static void print_tables(const struct version *all, int first, int last, int n, uint64_t seed) {
    struct elementwise p = problem_create(n, seed);
    double bytes = 2.0 * n * sizeof(float); // one array read, one written
    struct bench bench = bench_start(bytes);
    printf("n = %d\n\n%-16s  %16s  %12s  %12s  %12s  %12s  %12s\n", n, "largest error:", "x 2^-24 relative", "absolute",
           "silu(-88.5)", "silu(-100)", "silu(1e-40)", "silu(-inf)");
    for (int v = first; v <= last; v++) {
        struct job job = job_create(&p, &all[v]);
        bench_run(&bench, all[v].name, job_launch, &job, n, bytes, 0);
        job_verify(&job);
        print_errors(&p, all[v].name);
        print_edges(&all[v]);
    }
    bench_finish(&bench);
    elementwise_free(&p);
}

int main(int argc, char **argv) {
    static const int sizes[] = {0, 1, 31, 33, 1000, 1025, 100000};
    struct lesson<int, struct elementwise, struct version, struct job> lesson = {
        "silu", versions, VERSIONS
    };
    struct options options = options_read(argc, argv, VERSIONS);
    const int asked[] = {(int)options.size}, tables[] = {device_is_emulator() ? 1 << 18 : 1 << 27};
    device_print_backend();
    show_image();
    if (options.size >= 0) {
        lesson_sizes(&lesson, asked, asked);
    } else {
        lesson_sizes(&lesson, sizes, tables);
    }
    lesson.create = [](int n, int, uint64_t seed) { return problem_create(n, seed + n); };
    lesson.free = elementwise_free;
    lesson.begin = job_create, lesson.launch = job_launch, lesson.verify = job_verify;
    lesson.measure_size = print_tables;
    return lesson_run(&lesson, &options);
}
