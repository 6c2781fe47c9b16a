// Fourier transforms: radix 2 in shared memory with a table of roots, Stockham without reordering, there and back, a
// convolution through it, two dimensions by rows and columns; and the exact kind, modulo a prime, with the same butterflies.
#include "program.h"
#include <complex>
#include <vector>

enum { N = 512, BLOCK = 128, PRIME = 998244353 };

struct complex {
    float re, im;
};
__host__ __device__ complex operator+(complex a, complex b) {
    return {a.re + b.re, a.im + b.im};
}
__host__ __device__ complex operator-(complex a, complex b) {
    return {a.re - b.re, a.im - b.im};
}
__host__ __device__ complex operator*(complex a, complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
struct residue {
    unsigned v;
};
__host__ __device__ residue operator+(residue a, residue b) {
    unsigned s = a.v + b.v;
    return {s >= PRIME ? s - PRIME : s};
}
__host__ __device__ residue operator-(residue a, residue b) {
    return {a.v >= b.v ? a.v - b.v : a.v + PRIME - b.v};
}
__host__ __device__ residue operator*(residue a, residue b) {
    return {(unsigned)((unsigned long long)a.v * b.v % PRIME)};
}

// A block per transform of n points; roots[k] = w^k. Elements lie `stride` apart and rows `next` apart.
template <typename T> __global__ void radix2(T *x, const T *roots, int n, int bits, int stride, int next) {
    extern __shared__ __align__(16) unsigned char bytes[];
    T *s = (T *)bytes;
    x += blockIdx.x * next;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[__brev(i) >> (32 - bits)] = x[i * stride];
    for (int half = 1; half < n; half *= 2) {
        __syncthreads();
        for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
            int k = t & (half - 1), i = 2 * t - k;
            T u = s[i], v = s[i + half] * roots[k * (n / 2 / half)];
            s[i] = u + v;
            s[i + half] = u - v;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i * stride] = s[i];
}

template <typename T> __global__ void stockham(const T *in, T *out, const T *roots, int n, int half) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2)
        return;
    int k = t / (n / 2 / half), j = t % (n / 2 / half), step = n / 2 / half;
    T u = in[2 * k * step + j], v = in[(2 * k + 1) * step + j] * roots[k * step];
    out[k * step + j] = u + v;
    out[(k + half) * step + j] = u - v;
}

template <typename T> __global__ void pointwise(T *x, const T *y, T scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * y[i] * scale;
}
// With sincospif instead of a table.
__global__ void slow_transform(const complex *x, complex *y, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    complex sum = {0, 0};
    for (int i = 0; i < n && k < n; i++) {
        float s, c;
        sincospif(-2.0f * (i * k % n) / n, &s, &c);
        sum = sum + x[i] * complex{c, s};
    }
    if (k < n)
        y[k] = sum;
}

static std::vector<complex> roots_of_unity(int n, int sign) {
    std::vector<complex> roots(n / 2);
    for (int k = 0; k < n / 2; k++)
        roots[k] = {(float)cos(2 * M_PI * k / n), (float)(sign * sin(2 * M_PI * k / n))};
    return roots;
}
static unsigned power(unsigned base, unsigned e) {
    residue result = {1}, b = {base};
    for (; e; e >>= 1, b = b * b)
        if (e & 1)
            result = result * b;
    return result.v;
}
static std::vector<residue> roots_modulo(int n, bool inverse) {
    std::vector<residue> roots(n / 2);
    unsigned w = power(3, (PRIME - 1) / n);
    residue step = {inverse ? power(w, PRIME - 2) : w}, r = {1};
    for (residue &k : roots) {
        k = r;
        r = r * step;
    }
    return roots;
}

static std::vector<complex> exact(const std::vector<complex> &x, int stride, int first, int n) {
    std::vector<complex> y(n);
    for (int k = 0; k < n; k++) {
        std::complex<double> sum = 0;
        for (int i = 0; i < n; i++)
            sum += std::complex<double>(x[first + i * stride].re, x[first + i * stride].im) *
                   std::polar(1.0, -2 * M_PI * (i * k % n) / n);
        y[k] = {(float)sum.real(), (float)sum.imag()};
    }
    return y;
}
static void near(const char *name, const std::vector<complex> &expected, const std::vector<complex> &found,
                 double bound) {
    double most = 0;
    for (size_t i = 0; i < expected.size(); i++)
        most = fmax(most, fmax(fabs(expected[i].re - found[i].re), fabs(expected[i].im - found[i].im)));
    check(name, most <= bound);
}

static void one_dimension() {
    std::vector<complex> x(N), y(N), expected;
    uint32_t seed = 33;
    for (complex &c : x)
        c = {(float)(next_random(&seed) % 201) - 100, (float)(next_random(&seed) % 201) - 100};
    expected = exact(x, 1, 0, N);
    std::vector<complex> roots = roots_of_unity(N, -1), back = roots_of_unity(N, 1);
    complex *d_x = to_device(x.data(), N), *d_roots = to_device(roots.data(), N / 2), *other = device_zeros<complex>(N);
    complex *d_back = to_device(back.data(), N / 2), *a = to_device(x.data(), N), *b = device_zeros<complex>(N);
    slow_transform<<<4, 128>>>(d_x, other, N);
    FINISH();
    from_device(y.data(), other, N);
    near("term by term", expected, y, 0.1);
    radix2<complex><<<1, BLOCK, N * sizeof(complex)>>>(d_x, d_roots, N, 9, 1, 0);
    FINISH();
    from_device(y.data(), d_x, N);
    near("radix 2 in shared memory", expected, y, 0.02);
    for (int half = 1; half < N; half *= 2) {
        stockham<<<3, 96>>>(a, b, d_roots, N, half);
        std::swap(a, b);
    }
    FINISH();
    from_device(y.data(), a, N);
    near("Stockham", expected, y, 0.02);
    radix2<complex><<<1, BLOCK, N * sizeof(complex)>>>(d_x, d_back, N, 9, 1, 0);
    FINISH();
    from_device(y.data(), d_x, N);
    for (complex &c : y)
        c = {c.re / N, c.im / N};
    near("and back", x, y, 1e-4);
}

static void two_dimensions() {
    const int w = 64, h = 32;
    std::vector<complex> x(w * h), y(w * h), rows, expected(w * h);
    uint32_t seed = 34;
    for (complex &c : x)
        c = {(float)(next_random(&seed) % 201) - 100, 0};
    complex *d = to_device(x.data(), w * h);
    radix2<complex><<<h, 32, w * sizeof(complex)>>>(d, to_device(roots_of_unity(w, -1).data(), w / 2), w, 6, 1, w);
    radix2<complex><<<w, 32, h * sizeof(complex)>>>(d, to_device(roots_of_unity(h, -1).data(), h / 2), h, 5, w, 1);
    FINISH();
    from_device(y.data(), d, w * h);
    for (int r = 0; r < h; r++) {
        rows = exact(x, 1, r * w, w);
        std::copy(rows.begin(), rows.end(), expected.begin() + r * w);
    }
    for (int c = 0; c < w; c++) {
        rows = exact(expected, w, c, h);
        for (int r = 0; r < h; r++)
            expected[r * w + c] = rows[r];
    }
    near("two dimensions", expected, y, 0.1);
}

// The product of two polynomials modulo a prime.
static void exact_product() {
    std::vector<residue> a(N), b(N), found(N), expected(N);
    uint32_t seed = 35;
    for (int i = 0; i < N / 2; i++)
        a[i].v = next_random(&seed) * 59u % PRIME, b[i].v = next_random(&seed) * 61u % PRIME;
    for (int i = 0; i < N / 2; i++)
        for (int j = 0; j < N / 2; j++)
            expected[i + j] = expected[i + j] + a[i] * b[j];
    std::vector<residue> there = roots_modulo(N, false), back = roots_modulo(N, true);
    residue *d_a = to_device(a.data(), N), *d_b = to_device(b.data(), N), *d_there = to_device(there.data(), N / 2);
    residue *d_back = to_device(back.data(), N / 2), *other = device_zeros<residue>(N);
    radix2<residue><<<1, BLOCK, N * sizeof(residue)>>>(d_a, d_there, N, 9, 1, 0);
    for (int half = 1; half < N; half *= 2) {
        stockham<<<2, BLOCK>>>(d_b, other, d_there, N, half);
        std::swap(d_b, other);
    }
    pointwise<<<5, 103>>>(d_a, d_b, residue{power(N, PRIME - 2)}, N);
    radix2<residue><<<1, BLOCK, N * sizeof(residue)>>>(d_a, d_back, N, 9, 1, 0);
    FINISH();
    from_device(found.data(), d_a, N);
    check_equal("product of polynomials", (unsigned *)expected.data(), (unsigned *)found.data(), N);
    show_bits("coefficients", found.data(), N);
}

int main() {
    one_dimension();
    two_dimensions();
    exact_product();
    return program_failures;
}
