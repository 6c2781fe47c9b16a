// double, 64-bit integers, 128-bit products, half precision, conversions and bit counting, against the host.
#include "program.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct results {
    double arithmetic, root, quotient, fused, floor_, remainder;
    long long quotient64, remainder64, shifted;
    unsigned long long high, unsigned_quotient, reversed;
    int leading, trailing, ones, converted, low_converted;
    unsigned permuted, funnel, difference;
    float narrowed, half_sum, bfloat;
    int rounded[4];
};

__host__ __device__ static void common(results *r, double x, double y, long long a, long long b) {
    r->arithmetic = (x + y) * (x - y) / y;
    r->root = sqrt(x);
    r->quotient = x / y;
    r->fused = fma(x, y, -1.25);
    r->floor_ = floor(x) + ceil(y) + trunc(-x) + rint(y);
    r->remainder = fmod(x, y);
    r->quotient64 = a / b;
    r->remainder64 = a % b;
    r->shifted = (a << 7) ^ (a >> 9) ^ (b * a);
    r->unsigned_quotient = (unsigned long long)a / (unsigned long long)b;
    r->converted = (int)(x * 1000);
    r->narrowed = (float)(x / 3);
}

__global__ void device_results(results *r, double x, double y, long long a, long long b) {
    common(r, x, y, a, b);
    r->high = __umul64hi(a, b);
    r->reversed = __brevll(a);
    r->leading = __clzll(b) + __clz((int)b);
    r->trailing = __ffsll(b << 13) - 1;
    r->ones = __popcll(a);
    r->low_converted = __float2int_rn(2.5f) + __double2int_rd(-2.5) * 100;
    r->permuted = __byte_perm(0x33221100, 0x77665544, 0x5240);
    r->funnel = __funnelshift_l(0x12345678, 0x9abcdef0, 8);
    r->difference = __usad(3u, 10u, 5u);
    r->half_sum = __half2float(__hadd(__float2half(1.5f), __float2half(0.0999f)));
    r->bfloat = __bfloat162float(__float2bfloat16(3.14159f));
    r->rounded[0] = (int)rintf(2.5f), r->rounded[1] = (int)roundf(2.5f);
    r->rounded[2] = (int)floorf(-2.5f), r->rounded[3] = (int)ceilf(-2.5f);
}

__global__ void float_math(const float *x, float *y, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    y[i] = sinf(x[i]) + cosf(x[i]);
    y[n + i] = expf(x[i] * 0.1f);
    y[2 * n + i] = logf(fabsf(x[i]) + 1);
    y[3 * n + i] = powf(fabsf(x[i]) + 0.5f, 1.3f);
    y[4 * n + i] = tanhf(x[i]) + erff(x[i]);
    y[5 * n + i] = sqrtf(fabsf(x[i])) / (x[i] * x[i] + 1);
    y[6 * n + i] = atan2f(x[i], 2.0f) + cbrtf(x[i]);
}

__global__ void double_math(const double *x, double *y, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    y[i] = sin(x[i]) + cos(x[i]);
    y[n + i] = exp(x[i] * 0.1);
    y[2 * n + i] = log(fabs(x[i]) + 1);
    y[3 * n + i] = pow(fabs(x[i]) + 0.5, 1.3);
    y[4 * n + i] = tanh(x[i]) + erf(x[i]);
}

static void mathematics() {
    const int n = 64;
    float x[n], y[7 * n], expected[7 * n];
    double xd[n], yd[5 * n], expected_d[5 * n];
    for (int i = 0; i < n; i++) {
        double v = xd[i] = x[i] = (i - 31.5f) * 0.73f;
        expected[i] = sin(v) + cos(v), expected[n + i] = exp(v * 0.1), expected[2 * n + i] = log(fabs(v) + 1);
        expected[3 * n + i] = pow(fabs(v) + 0.5, 1.3), expected[4 * n + i] = tanh(v) + erf(v);
        expected[5 * n + i] = sqrt(fabs(v)) / (v * v + 1), expected[6 * n + i] = atan2(v, 2.0) + cbrt(v);
        expected_d[i] = sin(v) + cos(v), expected_d[n + i] = exp(v * 0.1), expected_d[2 * n + i] = log(fabs(v) + 1);
        expected_d[3 * n + i] = pow(fabs(v) + 0.5, 1.3), expected_d[4 * n + i] = tanh(v) + erf(v);
    }
    float *device_y = device_zeros<float>(7 * n);
    double *device_yd = device_zeros<double>(5 * n);
    float_math<<<1, n>>>(to_device(x, n), device_y, n);
    double_math<<<1, n>>>(to_device(xd, n), device_yd, n);
    FINISH();
    from_device(y, device_y, 7 * n);
    from_device(yd, device_yd, 5 * n);
    check_close("float functions", expected, y, 7 * n, 1e-6);
    check_close("double functions", expected_d, yd, 5 * n, 1e-14);
}

int main() {
    const double x = 1234.56789, y = -7.25;
    const long long a = 0x7edcba9876543210, b = 1234567891;
    results expected, found, *r = device_zeros<results>(1);
    memset(&expected, 0, sizeof expected);
    common(&expected, x, y, a, b);
    device_results<<<1, 1>>>(r, x, y, a, b);
    FINISH();
    from_device(&found, r, 1);
    check("double arithmetic", found.root == expected.root && found.quotient == expected.quotient &&
                                   found.fused == expected.fused && found.floor_ == expected.floor_ &&
                                   found.remainder == expected.remainder &&
                                   fabs(found.arithmetic - expected.arithmetic) <= 1e-12 * fabs(expected.arithmetic));
    check("64-bit integers", found.quotient64 == a / b && found.remainder64 == a % b &&
                                 found.shifted == expected.shifted &&
                                 found.unsigned_quotient == expected.unsigned_quotient);
    check("128-bit product", found.high == (unsigned long long)((unsigned __int128)a * b >> 64));
    check("bit counting", found.leading == 33 + 1 && found.trailing == 13 && found.ones == __builtin_popcountll(a));
    check("bit reversal", found.reversed == 0x084c2a6e195d3b7e);
    check("conversions",
          found.converted == 1234567 && found.narrowed == (float)(x / 3) && found.low_converted == 2 - 300);
    check("byte permutation and funnel shift",
          found.permuted == 0x55224400 && found.funnel == 0xbcdef012 && found.difference == 12);
    check("half and bfloat16", fabsf(found.half_sum - 1.5999f) < 0.001f && found.bfloat == 3.140625f);
    check("rounding",
          found.rounded[0] == 2 && found.rounded[1] == 3 && found.rounded[2] == -3 && found.rounded[3] == -2);
    mathematics();
    return program_failures;
}
