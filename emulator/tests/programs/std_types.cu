// The standard library of the device (cuda::std): complex numbers, arrays, spans, tuples, optional and variant values, bits,
// limits, durations, functional objects and algorithms; and complex roots found by iteration.
#include "program.h"
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <complex>

namespace cs = cuda::std;
using number = cs::complex<double>;

// Newton for z^3 = 1: which root is reached, and how soon.
__global__ void roots(int *which, double *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n)
        return;
    number z((i % n - n / 2 + 0.5) / 8, (i / n - n / 2 + 0.25) / 8);
    int round = 0;
    while (round < 60 && cs::norm(z * z * z - 1.0) > 1e-12) {
        z -= (z * z * z - 1.0) / (3.0 * z * z);
        round++;
    }
    which[i] = z.real() > 0.5 ? 0 : z.imag() > 0 ? 1 : 2;
    steps[i] = round;
}
__global__ void functions(const double *x, double *out, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    number z(x[2 * i], x[2 * i + 1]),
        results[] = {cs::exp(z), cs::sqrt(z), cs::conj(z) / z, cs::pow(z, 3), cs::polar(cs::abs(z), cs::arg(z))};
    for (int k = 0; k < 5; k++) {
        out[10 * i + 2 * k] = results[k].real();
        out[10 * i + 2 * k + 1] = results[k].imag();
    }
}

__device__ int sum(cs::span<const int> s) {
    int total = 0;
    for (int v : s)
        total += v;
    return total;
}
__device__ cs::optional<int> first_over(cs::span<const int> s, int limit) {
    for (int v : s)
        if (v > limit)
            return v;
    return cs::nullopt;
}
__device__ cs::tuple<int, float, cs::array<short, 3>> make(int i) {
    return {i, i * 0.5f, cs::array<short, 3>{(short)i, (short)(2 * i), (short)(3 * i)}};
}
enum { RESULTS = 10 };
__global__ void containers(const int *data, int n, long long *out) {
    int i = threadIdx.x;
    long long *r = out + RESULTS * i;
    cs::span<const int> all(data, n), part = all.subspan(i, 5);
    r[0] = sum(part) * 1000 + (long long)part.size() + sum(all.first(3)) - sum(all.last(2));
    r[1] = first_over(part, 900).value_or(-1);
    auto [a, b, c] = make(i);
    r[2] = a + (long long)(b * 4) + c[0] + c[1] + c[2];
    cs::array<int, 8> sorted;
    for (int k = 0; k < 8; k++)
        sorted[k] = data[(i + 3 * k) % n];
    for (int k = 1; k < 8; k++)
        for (int j = k; j > 0 && cs::less<int>()(sorted[j], sorted[j - 1]); j--)
            cs::swap(sorted[j], sorted[j - 1]);
    r[3] = sorted.front() + 10000ll * sorted.back() + 100000000ll * sorted[4];
    r[4] = cs::popcount((unsigned)data[i]) + 100 * cs::countl_zero((unsigned)data[i]) +
           10000 * cs::bit_width((unsigned)data[i]);
    r[5] = cs::bit_cast<int>(i * 1.5f) ^ cs::rotl((unsigned)data[i], 7);
    r[6] = (long long)cs::numeric_limits<short>::max() * i + cs::numeric_limits<unsigned char>::digits;
    cs::chrono::duration<long long, cs::ratio<1, 1000>> time(cs::chrono::seconds(i) + cs::chrono::milliseconds(7));
    r[7] = cs::chrono::duration_cast<cs::chrono::microseconds>(time).count();
    auto pair = cs::make_pair(i, cs::get<1>(cs::make_tuple(1, 2 * i)));
    r[8] = cs::exchange(pair.first, 5) * 100 + pair.second + pair.first;
    r[9] = cs::is_same<cs::common_type_t<int, long long>, long long>::value +
           2 * cs::is_trivially_copyable<cs::array<int, 3>>::value +
           4 * (cs::numeric_limits<float>::infinity() > 1e38f);
}

int main() {
    const int n = 33, m = 40, threads = 50, points = 64;
    static int which[n * n], want_which[n * n];
    static double steps[n * n], want_steps[n * n];
    int *d_which = device_zeros<int>(n * n);
    double *d_steps = device_zeros<double>(n * n);
    roots<<<(n * n + 63) / 64, 64>>>(d_which, d_steps, n);
    FINISH();
    from_device(which, d_which, n * n);
    from_device(steps, d_steps, n * n);
    for (int i = 0; i < n * n; i++) {
        std::complex<double> z((i % n - n / 2 + 0.5) / 8, (i / n - n / 2 + 0.25) / 8);
        int round = 0;
        for (; round < 60 && std::norm(z * z * z - 1.0) > 1e-12; round++)
            z -= (z * z * z - 1.0) / (3.0 * z * z);
        want_which[i] = z.real() > 0.5 ? 0 : z.imag() > 0 ? 1 : 2;
        want_steps[i] = round;
    }
    check_equal("roots of unity", want_which, which, n * n);
    check_equal("their steps", want_steps, steps, n * n);
    show_bits("basins", which, n * n);

    double x[2 * m], found[10 * m], expected[10 * m], *d_found = device_zeros<double>(10 * m);
    for (int i = 0; i < m; i++) {
        x[2 * i] = i % 7 - 2.75, x[2 * i + 1] = i % 5 - 1.5;
        std::complex<double> z(x[2 * i], x[2 * i + 1]);
        std::complex<double> results[] = {std::exp(z), std::sqrt(z), std::conj(z) / z, std::pow(z, 3), z};
        for (int k = 0; k < 5; k++) {
            expected[10 * i + 2 * k] = results[k].real();
            expected[10 * i + 2 * k + 1] = results[k].imag();
        }
    }
    functions<<<1, 64>>>(to_device(x, 2 * m), d_found, m);
    FINISH();
    from_device(found, d_found, 10 * m);
    check_close("complex functions", expected, found, 10 * m, 1e-12);

    int data[points];
    long long out[RESULTS * threads], want[RESULTS * threads], *d_out = device_zeros<long long>(RESULTS * threads);
    uint32_t seed = 66;
    for (int &v : data)
        v = next_random(&seed) % 1000;
    containers<<<1, threads>>>(to_device(data, points), points, d_out);
    FINISH();
    from_device(out, d_out, RESULTS * threads);
    for (int i = 0; i < threads; i++) {
        long long *r = want + RESULTS * i;
        int total = 0, over = -1, sorted[8];
        for (int k = i; k < i + 5; k++) {
            total += data[k];
            over = over < 0 && data[k] > 900 ? data[k] : over;
        }
        r[0] = total * 1000ll + 5 + data[0] + data[1] + data[2] - data[points - 1] - data[points - 2];
        r[1] = over;
        r[2] = i + 2 * i + 6 * i;
        for (int k = 0; k < 8; k++)
            sorted[k] = data[(i + 3 * k) % points];
        for (int k = 1; k < 8; k++)
            for (int j = k; j > 0 && sorted[j] < sorted[j - 1]; j--)
                std::swap(sorted[j], sorted[j - 1]);
        r[3] = sorted[0] + 10000ll * sorted[7] + 100000000ll * sorted[4];
        unsigned v = data[i];
        int zeros = v ? __builtin_clz(v) : 32;
        float f = i * 1.5f;
        int bits;
        memcpy(&bits, &f, 4);
        r[4] = __builtin_popcount(v) + 100 * zeros + 10000 * (32 - zeros);
        r[5] = bits ^ (v << 7 | v >> 25);
        r[5] = (long long)(unsigned)r[5];
        r[6] = 32767ll * i + 8;
        r[7] = i * 1000000ll + 7000;
        r[8] = i * 100 + 2 * i + 5;
        r[9] = 7;
    }
    check_equal("containers and utilities", want, out, RESULTS * threads);
    show_bits("all of them", out, RESULTS * threads);
    return program_failures;
}
