// C++17 on the device: lambdas with captures given to kernels, generic lambdas, folds over packs, if constexpr, constexpr
// tables, structured bindings, expression templates, a pipeline of functions, policy classes and recursive templates.
// flags: --extended-lambda --expt-relaxed-constexpr
#include "program.h"
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

template <typename F> __global__ void for_each_index(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        f(i);
}
template <typename T, typename F, typename... A> __global__ void combine(T *out, int n, F f, const A *...in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(in[i]...);
}

// A table that the compiler fills: the number of ones, and primes by a sieve.
struct tables {
    unsigned char ones[256];
    int primes[64];
    constexpr tables() : ones(), primes() {
        for (int i = 0; i < 256; i++)
            ones[i] = (unsigned char)((i & 1) + (i ? ones[i / 2] : 0));
        bool composite[512] = {};
        int found = 0;
        for (int i = 2; i < 512 && found < 64; i++) {
            if (composite[i])
                continue;
            primes[found++] = i;
            for (int k = 2 * i; k < 512; k += i)
                composite[k] = true;
        }
    }
};
__constant__ constexpr tables table;
constexpr unsigned long long factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}
template <int N> struct fibonacci {
    static constexpr unsigned value = fibonacci<N - 1>::value + fibonacci<N - 2>::value;
};
template <> struct fibonacci<0> { static constexpr unsigned value = 0; };
template <> struct fibonacci<1> { static constexpr unsigned value = 1; };
static_assert(factorial(20) == 2432902008176640000ull && fibonacci<40>::value == 102334155, "");

template <typename... T> __host__ __device__ auto sum_of(T... x) {
    return (x + ... + 0);
}
template <typename... T> __host__ __device__ bool all_positive(T... x) {
    return ((x > 0) && ...);
}
template <typename T> __host__ __device__ long long describe(T x) {
    if constexpr (std::is_floating_point<T>::value)
        return 1000 + (long long)(x * 8);
    else if constexpr (std::is_pointer<T>::value)
        return 2000 + *x;
    else if constexpr (sizeof(T) == 1)
        return 3000 + x;
    else
        return x;
}
template <size_t... I> __device__ int weighted(const int *x, std::index_sequence<I...>) {
    return ((x[I] * (int)(I + 1)) + ...);
}
__global__ void templates(const int *x, long long *out) {
    int i = threadIdx.x;
    signed char c = (signed char)i;
    out[8 * i] = sum_of(i, 2 * i, 3u, 4ll);
    out[8 * i + 1] = all_positive(i, i - 3, 1.5) + 2 * all_positive();
    out[8 * i + 2] = describe(i * 0.5f) + describe(i) + describe(c) + describe(&i);
    out[8 * i + 3] = weighted(x + i, std::make_index_sequence<7>());
    out[8 * i + 4] = table.ones[i * 3 & 255] * 1000 + table.primes[i];
    out[8 * i + 5] = (long long)factorial(i % 20);
    auto [quotient, rest] = std::pair<int, int>(i / 7, i % 7);
    out[8 * i + 6] = quotient * 100 + rest;
    auto twice = [](auto f) { return [f](auto v) { return f(f(v)); }; };
    auto add = [i](auto v) { return v + i; };
    out[8 * i + 7] = twice(twice(add))(10);
}

// Expressions over vectors that are evaluated element by element in one kernel.
template <typename E> struct expression {
    __host__ __device__ const E &self() const { return static_cast<const E &>(*this); }
};
struct vector : expression<vector> {
    const float *x;
    explicit vector(const float *p) : x(p) {}
    __host__ __device__ float operator[](int i) const { return x[i]; }
};
struct number : expression<number> {
    float x;
    explicit number(float v) : x(v) {}
    __host__ __device__ float operator[](int) const { return x; }
};
template <typename A, typename B, typename OP> struct joined : expression<joined<A, B, OP>> {
    A a;
    B b;
    joined(const A &a, const B &b) : a(a), b(b) {}
    __host__ __device__ float operator[](int i) const { return OP::apply(a[i], b[i]); }
};
struct plus {
    __host__ __device__ static float apply(float a, float b) { return a + b; }
};
struct times {
    __host__ __device__ static float apply(float a, float b) { return a * b; }
};
template <typename A, typename B> joined<A, B, plus> operator+(const expression<A> &a, const expression<B> &b) {
    return {a.self(), b.self()};
}
template <typename A, typename B> joined<A, B, times> operator*(const expression<A> &a, const expression<B> &b) {
    return {a.self(), b.self()};
}

// Curiously recurring policies: how to go over the elements and what to do at the end.
template <typename POLICY> struct reducer {
    __device__ static int run(const int *x, int n) {
        int r = POLICY::first();
        for (int i = threadIdx.x; i < n; i += 32)
            r = POLICY::join(r, x[i]);
        for (int d = 16; d; d /= 2)
            r = POLICY::join(r, __shfl_xor_sync(~0u, r, d));
        return r;
    }
};
struct sum : reducer<sum> {
    __device__ static int first() { return 0; }
    __device__ static int join(int a, int b) { return a + b; }
};
struct greatest : reducer<greatest> {
    __device__ static int first() { return -2147483647; }
    __device__ static int join(int a, int b) { return a > b ? a : b; }
};
template <typename... P> __global__ void reduce_all(const int *x, int n, int *out) {
    int i = 0;
    ((out[i++] = P::run(x, n)), ...);
}

struct interval {
    int low, high;
    unsigned *hits;
};

int main() {
    const int n = 1003;
    int x[n], found[n], expected[n], *d_x = device_zeros<int>(n), scale = 3;
    unsigned *hits = device_zeros<unsigned>(1), count;
    for_each_index<<<3, 96>>>(n, [=] __device__(int i) { d_x[i] = i * scale - (i % 5 ? 0 : 7); });
    FINISH();
    from_device(x, d_x, n);
    for (int i = 0; i < n; i++)
        expected[i] = i * scale - (i % 5 ? 0 : 7);
    check_equal("a lambda with captures", expected, x, n);
    struct interval range = {100, 200, hits};
    for_each_index<<<2, 64>>>(n, [range, d_x] __device__(int i) {
        if (d_x[i] >= range.low && d_x[i] < range.high)
            atomicAdd(range.hits, 1);
    });
    FINISH();
    from_device(&count, hits, 1);
    unsigned want = 0;
    for (int v : expected)
        want += v >= 100 && v < 200;
    check_equal("a lambda with a structure", &want, &count, 1);
    auto both = [] __host__ __device__(int a, float b, short c) { return (long long)(a * 2 + b * 4) - c; };
    float f[n];
    short s[n];
    static long long combined[n], want_combined[n];
    for (int i = 0; i < n; i++) {
        f[i] = i * 0.25f, s[i] = (short)(i * 77);
        want_combined[i] = both(x[i], f[i], s[i]);
    }
    long long *d_combined = device_zeros<long long>(n);
    combine<<<(n + 127) / 128, 128>>>(d_combined, n, both, (const int *)d_x, (const float *)to_device(f, n),
                                      (const short *)to_device(s, n));
    FINISH();
    from_device(combined, d_combined, n);
    check_equal("a lambda of both sides and a pack", want_combined, combined, n);

    const int threads = 60;
    long long out[8 * threads], want_out[8 * threads], *d_out = device_zeros<long long>(8 * threads);
    templates<<<1, threads>>>(d_x, d_out);
    FINISH();
    from_device(out, d_out, 8 * threads);
    for (int i = 0; i < threads; i++) {
        long long *r = want_out + 8 * i;
        constexpr tables t;
        r[0] = 3 * i + 7;
        r[1] = (i > 3) + 2;
        r[2] = 1000 + 4 * i + i + 3000 + i + 2000 + i;
        r[3] = 0;
        for (int k = 0; k < 7; k++)
            r[3] += x[i + k] * (k + 1);
        r[4] = t.ones[i * 3 & 255] * 1000 + t.primes[i];
        r[5] = (long long)factorial(i % 20);
        r[6] = i / 7 * 100 + i % 7;
        r[7] = 10 + 4 * i;
    }
    check_equal("templates, folds and tables", want_out, out, 8 * threads);
    show_bits("all of them", out, 8 * threads);

    float *d_f = to_device(f, n), *d_g = device_zeros<float>(n), g[n], want_g[n];
    auto e = vector(d_f) * number(2) + number(1) * vector(d_f) * vector(d_f) + number(0.5f);
    for_each_index<<<4, 64>>>(n, [=] __device__(int i) { d_g[i] = e[i]; });
    FINISH();
    from_device(g, d_g, n);
    for (int i = 0; i < n; i++)
        want_g[i] = f[i] * 2 + f[i] * f[i] + 0.5f;
    check_equal("expression templates", want_g, g, n); // all exact

    reduce_all<sum, greatest><<<1, 32>>>(d_x, n, (int *)d_out);
    FINISH();
    from_device(found, (int *)d_out, 2);
    int sums[2] = {0, x[0]};
    for (int v : expected) {
        sums[0] += v;
        sums[1] = v > sums[1] ? v : sums[1];
    }
    check_equal("policies", sums, found, 2);
    return program_failures;
}
