/* Approximate instructions under EMULATOR_CHECK=approx: as inexact as their manual allows, never more, the same each time, and exact where
 * programs rely on it. See memory.cu for the comments. */
#include "run_case.h"

#include <cuda_fp16.h>
#include <math.h>

enum function { EX2, LG2, SIN, COS, TANH, RCP, SQRT, RSQRT, DIV, FULL, FUNCTIONS };

static __device__ float apply(int f, float x, float y) {
    float r = 0;
    switch (f) {
    case EX2:
        asm volatile("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
        break;
    case LG2:
        asm volatile("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
        break;
    case SIN:
        asm volatile("sin.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
        break;
    case COS:
        asm volatile("cos.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
        break;
    case TANH:
        asm volatile("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
        break;
    case RCP:
        asm volatile("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
        break;
    case SQRT:
        asm volatile("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
        break;
    case RSQRT:
        asm volatile("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
        break;
    case DIV:
        asm volatile("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
        break;
    case FULL:
        asm volatile("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
        break;
    }
    return r;
}

__global__ void approximate(int f, const float *x, const float *y, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = apply(f, x[i], y[i]);
}

__global__ void halves(const float *x, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned pair = 0;
    __half2 in = __floats2half2_rn(x[i], x[i]);
    asm volatile("tanh.approx.f16x2 %0, %1;" : "=r"(pair) : "r"(*(unsigned *)&in));
    out[i] = __half2float(((__half2 *)&pair)->y);
}

static const struct {
    const char *name;
    double (*exact)(double);
    double relative, absolute; /* what the manual allows */
    double least;              /* of that, the largest error found must be at least this part */
} functions[FUNCTIONS] = {
    {"ex2", exp2, 0x1.6bp-23, 0, 0.6}, {"lg2", log2, 0x1p-22, 0x1p-22, 0.6}, {"sin", sin, 0, 0x1.6bp-21, 0.6},
    {"cos", cos, 0, 0x1.6bp-21, 0.6},  {"tanh", tanh, 0x1p-11, 0, 0.9},      {"rcp", NULL, 0x1p-23, 0, 0.6},
    {"sqrt", sqrt, 0x1p-23, 0, 0.6},   {"rsqrt", NULL, 0x1.13p-23, 0, 0.6},  {"div", NULL, 0x1p-22, 0, 0.6},
    {"full", NULL, 0x1p-22, 0, 0.6},
};

static double exact(int f, double x, double y) {
    return functions[f].exact ? functions[f].exact(x) : f == RCP ? 1 / x : f == RSQRT ? 1 / sqrt(x) : x / y;
}

#define WRONG(...)                                                                                                     \
    do {                                                                                                               \
        fprintf(stderr, __VA_ARGS__);                                                                                  \
        exit(3);                                                                                                       \
    } while (0)

enum { N = 4096 };
static float x[N], y[N], out[N], again[N];

static void run(int f, float *result) {
    float *dx = device_array<float>(N), *dy = device_array<float>(N), *d = device_array<float>(N);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    approximate<<<N / 128, 128>>>(f, dx, dy, d);
    cudaMemcpy(result, d, sizeof out, cudaMemcpyDeviceToHost);
}

static double largest_error(int f) {
    double largest = 0;
    for (int i = 0; i < N; i++) {
        double e = exact(f, x[i], y[i]), allowed = functions[f].relative * fabs(e);
        if (functions[f].absolute && (f != LG2 || fabs(e) < 1))
            allowed = functions[f].absolute;
        double part = fabs(out[i] - e) / allowed;
        largest = part > largest ? part : largest;
    }
    return largest;
}

static void fill(void) {
    for (int i = 0; i < N; i++) {
        x[i] = 0.001f + i * (6.0f / N);
        y[i] = 0.37f + (i * 37 % N) * 0.01f;
    }
}

// EXPECT as_inexact_as_allowed 0 none
// CHECKS approx
// SAYS ERROR SUMMARY: 0 errors
static void case_as_inexact_as_allowed(void) {
    fill();
    for (int f = 0; f < FUNCTIONS; f++) {
        run(f, out);
        run(f, again);
        double largest = largest_error(f);
        if (largest > 1 || largest < functions[f].least)
            WRONG("%s: the largest error is %.2f of what is allowed\n", functions[f].name, largest);
        if (memcmp(out, again, sizeof out) != 0)
            WRONG("%s: another result the second time\n", functions[f].name);
    }
    float *dx = device_array<float>(N), *d = device_array<float>(N);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    halves<<<N / 128, 128>>>(dx, d);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    double largest = 0;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, fabs(out[i] - tanh((double)__half2float(__float2half(x[i])))) / 0x1.03p-11);
    if (largest > 1 || largest < 0.6)
        WRONG("tanh of halves: the largest error is %.2f of what is allowed\n", largest);
}

// EXPECT exact_where_they_are 0 none
// CHECKS approx
// SAYS ERROR SUMMARY: 0 errors
static void case_exact_where_they_are(void) {
    static const float special[] = {0.0f, -0.0f, 1, 4, 16, 0x1p-20f, 0x1p100f, INFINITY};
    for (int f = 0; f < FUNCTIONS; f++) {
        for (int i = 0; i < N; i++) {
            x[i] = f == EX2 ? i % 200 - 100 : special[i % 8];
            y[i] = special[2 + i % 5];
        }
        run(f, out);
        for (int i = 0; i < N; i++) {
            bool trigonometry = f == SIN || f == COS;
            float e = (float)exact(f, x[i], y[i]);
            if ((trigonometry && x[i] != 0) || f == TANH && x[i] != 0 && fabsf(e) != 1)
                continue;
            if (out[i] != e && !(out[i] != out[i] && e != e))
                WRONG("%s(%g, %g): %.9g instead of %.9g\n", functions[f].name, x[i], y[i], out[i], e);
        }
    }
}

// EXPECT as_exact_as_ever 0 none
// SILENT
static void case_as_exact_as_ever(void) {
    fill();
    run(TANH, out);
    double largest = largest_error(TANH);
    if (largest > 0.01)
        WRONG("tanh: the largest error is %.4f of what is allowed\n", largest);
}

static const struct test_case cases[] = {CASE(as_inexact_as_allowed), CASE(exact_where_they_are),
                                         CASE(as_exact_as_ever)};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
