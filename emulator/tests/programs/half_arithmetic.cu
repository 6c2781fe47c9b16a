// Half precision and bfloat16: every sum, product and quotient of pairs rounded as the host does it through double, the packed
// forms, comparisons with NaN, conversions with four roundings, a reduction and an axpy of half2, atomics, and functions.
// arch: sm_80
#include "program.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

// To 11 or 8 bits of significand, half to even, with subnormals: what one operation gives from an exact double.
static uint16_t round_half(double x) {
    return __half_as_ushort(__double2half(x));
}
static uint16_t round_bfloat(double x) {
    return __bfloat16_as_ushort(__double2bfloat16(x));
}

// a + b rounded to odd: rounded once more, to few bits, it is as if it had been rounded once.
static double sum_to_odd(double a, double b) {
    double s = a + b, part = s - a, error = (a - (s - part)) + (b - part);
    uint64_t bits;
    memcpy(&bits, &s, 8);
    return isfinite(s) && error != 0 && bits % 2 == 0 ? nextafter(s, error > 0 ? INFINITY : -INFINITY) : s;
}

enum { RESULTS = 8 };
template <typename T> __global__ void scalar(const T *a, const T *b, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T x = a[i], y = b[i], *r = out + RESULTS * i;
    r[0] = __hadd_rn(x, y);
    r[1] = __hsub_rn(x, y);
    r[2] = __hmul_rn(x, y);
    r[3] = __hfma(x, y, x);
    r[4] = __hmax(x, y);
    r[5] = __hmin_nan(x, y);
    r[6] = __habs(x);
    r[7] = __hneg(y);
}
template <typename T2> __global__ void packed(const T2 *a, const T2 *b, T2 *out, unsigned *masks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T2 x = a[i], y = b[i], *r = out + RESULTS * i;
    r[0] = __hadd2_rn(x, y);
    r[1] = __hsub2_rn(x, y);
    r[2] = __hmul2_rn(x, y);
    r[3] = __hfma2(x, y, x);
    r[4] = __hmax2(x, y);
    r[5] = __hmin2_nan(x, y);
    r[6] = __habs2(x);
    r[7] = __hneg2(y);
    masks[2 * i] = __hlt2_mask(x, y);
    masks[2 * i + 1] = __hgeu2_mask(x, y);
}

template <typename T> static T from_bits(uint16_t bits) {
    T x;
    memcpy(&x, &bits, 2);
    return x;
}
template <typename T> static double value(uint16_t bits) {
    return (double)(float)from_bits<T>(bits);
}
template <typename T, typename T2>
static void all_pairs(const char *name, uint16_t (*round)(double), uint16_t infinity) {
    std::vector<uint16_t> a, b, found, expected;
    uint16_t special[] = {0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3f80, 0x7bff, 0x7f7f, 0x4248, 0x5bcd};
    uint32_t seed = 16;
    for (int i = 0; i < 2000; i++) {
        a.push_back(i < 169 ? special[i / 13] : (uint16_t)next_random(&seed));
        b.push_back(i < 169 ? special[i % 13] : (uint16_t)next_random(&seed));
        for (std::vector<uint16_t> *v : {&a, &b})
            if ((v->back() & 0x7fff) > infinity)
                v->back() &= 0xbfff; // no NaN: their bits are another matter
    }
    int n = (int)a.size();
    for (int i = 0; i < n; i++) {
        double x = value<T>(a[i]), y = value<T>(b[i]);
        // The product is exact in double, the sums may not be.
        double product = x * y, results[] = {sum_to_odd(x, y), sum_to_odd(x, -y), product, sum_to_odd(product, x)};
        for (double r : results)
            expected.push_back(r != r ? 0x7fff : round(r));
        expected.push_back(x > y || (x == y && !signbit(x)) ? a[i] : b[i]);
        expected.push_back(x < y || (x == y && signbit(x)) ? a[i] : b[i]);
        expected.push_back(a[i] & 0x7fff);
        expected.push_back(b[i] ^ 0x8000);
    }
    T *d_a = (T *)to_device(a.data(), n), *d_b = (T *)to_device(b.data(), n),
      *out = (T *)device_zeros<uint16_t>(RESULTS * n);
    scalar<T><<<(n + 127) / 128, 128>>>(d_a, d_b, out, n);
    FINISH();
    found.resize(RESULTS * n);
    from_device(found.data(), (uint16_t *)out, found.size());
    check_equal(name, expected.data(), found.data(), found.size());
    show_bits(name, found.data(), found.size());

    unsigned *masks = device_zeros<unsigned>(n);
    packed<T2><<<(n / 2 + 95) / 96, 96>>>((T2 *)d_a, (T2 *)d_b, (T2 *)out, masks, n / 2);
    FINISH();
    std::vector<uint16_t> pairs(RESULTS * n);
    std::vector<unsigned> masks_found(n), masks_expected(n);
    from_device(pairs.data(), (uint16_t *)out, pairs.size());
    from_device(masks_found.data(), masks, n);
    bool right = true;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < RESULTS; k++)
            right &= pairs[(i / 2 * RESULTS + k) * 2 + i % 2] == expected[i * RESULTS + k];
        double x = value<T>(a[i]), y = value<T>(b[i]);
        masks_expected[i / 2 * 2] |= x < y ? 0xffffu << i % 2 * 16 : 0;
        masks_expected[i / 2 * 2 + 1] |= x >= y ? 0xffffu << i % 2 * 16 : 0;
    }
    check("in pairs", right);
    check_equal("comparisons", masks_expected.data(), masks_found.data(), n);
}

__global__ void conversions(const float *x, uint16_t *out, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    uint16_t *r = out + 10 * i;
    r[0] = __half_as_ushort(__float2half_rn(x[i]));
    r[1] = __half_as_ushort(__float2half_rz(x[i]));
    r[2] = __half_as_ushort(__float2half_rd(x[i]));
    r[3] = __half_as_ushort(__float2half_ru(x[i]));
    r[4] = __bfloat16_as_ushort(__float2bfloat16_rn(x[i]));
    r[5] = __bfloat16_as_ushort(__float2bfloat16_rz(x[i]));
    __half h = __float2half_rn(x[i]);
    r[6] = (uint16_t)__half2short_rn(h);
    r[7] = __half2ushort_rz(h);
    r[8] = __half_as_ushort(__int2half_rn((int)x[i]));
    __half2 both = __floats2half2_rn(x[i], -x[i]);
    r[9] = __half_as_ushort(__low2half(__lowhigh2highlow(both))) ^ __half_as_ushort(hrint(h));
}

// A dot product in half2 with float at the end, and the same with atomics of half2.
__global__ void dot(const __half2 *a, const __half2 *b, int n2, float *result, __half2 *sums) {
    __half2 sum = __float2half2_rn(0);
    for (int i = threadIdx.x; i < n2; i += blockDim.x)
        sum = __hfma2(a[i], b[i], sum);
    atomicAdd(&sums[threadIdx.x % 4], sum);
    float total = __low2float(sum) + __high2float(sum);
    for (int d = 16; d; d /= 2)
        total += __shfl_down_sync(~0u, total, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(result, total);
}
__global__ void functions(const __half *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half results[] = {hexp(x[i]), hlog(__habs(x[i])), hsqrt(__habs(x[i])), hrcp(x[i]), hsin(x[i]),
                        hcos(x[i]), htrunc(x[i]),       hfloor(x[i]),        hceil(x[i])};
    for (int k = 0; k < 9; k++)
        out[9 * i + k] = __half2float(results[k]);
}

int main() {
    all_pairs<__half, __half2>("half", round_half, 0x7c00);
    all_pairs<__nv_bfloat16, __nv_bfloat162>("bfloat16", round_bfloat, 0x7f80);

    float x[] = {0,     -0.0f,    1,           1.0009765f, 1.00048828125f, 65504,   65519.996f, 65520,
                 70000, -70000,   6.1e-5f,     5.96e-8f,   2.98e-8f,       2.9e-8f, -1e-9f,     3.14159274f,
                 2049,  -2049.5f, 0.33333334f, INFINITY,   -INFINITY,      1e30f,   3.4e38f};
    const int n = sizeof x / sizeof x[0];
    uint16_t found[10 * n], *d_found = device_zeros<uint16_t>(10 * n);
    conversions<<<1, 32>>>(to_device(x, n), d_found, n);
    FINISH();
    from_device(found, d_found, 10 * n);
    bool right = true;
    for (int i = 0; i < n; i++) {
        const uint16_t *r = found + 10 * i;
        double down = value<__half>(r[2]), up = value<__half>(r[3]);
        right &= r[0] == round_half(x[i]) && r[4] == round_bfloat(x[i]) && down <= x[i] && up >= x[i];
        right &= r[1] == (signbit(x[i]) ? r[3] : r[2]) && (down == up || (uint16_t)(r[2] ^ r[3]) != 0);
    }
    check("conversions", right);
    show_bits("conversions", found, 10 * n);

    const int m = 514;
    __half a[m], b[m], sums[8];
    float want = 0, got, *d_got = device_zeros<float>(1);
    for (int i = 0; i < m; i++) {
        a[i] = __float2half((float)(i % 7 - 3)), b[i] = __float2half((float)(i % 5 - 1));
        want += (float)((i % 7 - 3) * (i % 5 - 1));
    }
    __half2 *d_sums = (__half2 *)device_zeros<unsigned>(4);
    dot<<<1, 64>>>((__half2 *)to_device(a, m), (__half2 *)to_device(b, m), m / 2, d_got, d_sums);
    FINISH();
    from_device(&got, d_got, 1);
    from_device(sums, (__half *)d_sums, 8);
    float by_atomics = 0;
    for (__half s : sums)
        by_atomics += __half2float(s);
    check("dot product", got == want && by_atomics == want);
    show("dot", (long long)got);

    const int count = 100;
    __half values[count];
    float results[9 * count], expected[9 * count], *d_results = device_zeros<float>(9 * count);
    for (int i = 0; i < count; i++) {
        values[i] = __float2half((i - 50.5f) / 8);
        double v = __half2float(values[i]),
               all[] = {exp(v), log(fabs(v)), sqrt(fabs(v)), 1 / v, sin(v), cos(v), trunc(v), floor(v), ceil(v)};
        for (int k = 0; k < 9; k++)
            expected[9 * i + k] = (float)all[k];
    }
    functions<<<1, 128>>>(to_device(values, count), d_results, count);
    FINISH();
    from_device(results, d_results, 9 * count);
    check_close("functions", expected, results, 9 * count, 0.001);
    return program_failures;
}
