// Calls: not inlined, recursive, through pointers and tables, diverged, with many arguments, and virtual functions.
#include "program.h"

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

// Mutual recursion, and an array on the stack at every level.
__device__ int odd_sum(const int *x, int n);
__device__ __noinline__ int even_sum(const int *x, int n) {
    int copy[4] = {n, n + 1, n + 2, n + 3};
    return n == 0 ? 0 : odd_sum(x + 1, n - 1) + x[0] + copy[n & 3] - (n + (n & 3));
}
__device__ __noinline__ int odd_sum(const int *x, int n) {
    return n == 0 ? 0 : even_sum(x + 1, n - 1) - x[0];
}

__global__ void recursion(int *out) {
    int i = threadIdx.x;
    int x[12];
    for (int k = 0; k < 12; k++)
        x[k] = i * k + 1;
    out[i] = fibonacci(i % 11);
    out[32 + i] = (int)ackermann(i % 3, i % 5);
    out[64 + i] = even_sum(x, i % 12);
}

typedef float (*binary)(float, float);
__device__ __noinline__ float add(float a, float b) {
    return a + b;
}
__device__ __noinline__ float multiply(float a, float b) {
    return a * b;
}
__device__ __noinline__ float larger(float a, float b) {
    return a > b ? a : b;
}
__device__ binary operations[3] = {add, multiply, larger};

__global__ void pointers(const float *a, const float *b, float *out, binary given) {
    int i = threadIdx.x;
    binary f = operations[i % 3]; // lanes of one warp call different functions
    out[i] = f(a[i], b[i]);
    out[64 + i] = given(a[i], b[i]);
}

__global__ void take_pointer(binary *out) {
    *out = multiply;
}

struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual int sides() const { return 0; }
    __device__ virtual ~shape() {}
};
struct square : shape {
    float side;
    __device__ square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ int sides() const override { return 4; }
};
struct circle : shape {
    float radius;
    __device__ circle(float r) : radius(r) {}
    __device__ float area() const override { return 3 * radius * radius; }
};

__global__ void virtual_calls(float *out) {
    int i = threadIdx.x;
    square s(i);
    circle c(i + 1);
    const shape *p = i % 2 ? (const shape *)&s : (const shape *)&c;
    out[i] = p->area() + 1000 * p->sides();
}

__host__ __device__ __noinline__ double many(char a, short b, int c, long long d, float e, double f, bool g,
                                             const int *h, int3 i) {
    return a + b + c + d + e + f + g + *h + i.x * i.y * i.z;
}
__device__ __noinline__ void by_pointer(int *x, int &y) {
    *x += 5;
    y *= 3;
}
__global__ void arguments(double *out) {
    int i = threadIdx.x, x = i, y = i + 1;
    by_pointer(&x, y);
    out[i] = many(1, 2, i, 1ll << 33, 0.5f, 0.25, i & 1, &x, make_int3(y, 2, 3));
}

// Lambdas and a function template given to a kernel.
template <typename F> __global__ void apply(int *out, F f) {
    out[threadIdx.x] = f(threadIdx.x);
}
struct scale {
    int factor;
    __device__ int operator()(int x) const { return x * factor; }
};

static int fibonacci_host(int n) {
    return n < 2 ? n : fibonacci_host(n - 1) + fibonacci_host(n - 2);
}
static unsigned ackermann_host(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : ackermann_host(m - 1, n == 0 ? 1 : ackermann_host(m, n - 1));
}

int main() {
    int found[96], expected[96], *out = device_zeros<int>(96);
    recursion<<<1, 32>>>(out);
    FINISH();
    from_device(found, out, 96);
    for (int i = 0; i < 32; i++) {
        expected[i] = fibonacci_host(i % 11);
        expected[32 + i] = (int)ackermann_host(i % 3, i % 5);
        expected[64 + i] = 0;
        for (int k = 0; k < i % 12; k++)
            expected[64 + i] += (k % 2 ? -1 : 1) * (i * k + 1);
    }
    check_equal("recursion", expected, found, 96);

    float a[64], b[64], f[128], expected_f[128], *device_f = device_zeros<float>(128);
    for (int i = 0; i < 64; i++)
        a[i] = i * 0.5f, b[i] = 10 - i * 0.25f;
    binary *device_pointer = device_zeros<binary>(1), pointer;
    take_pointer<<<1, 1>>>(device_pointer);
    FINISH();
    from_device(&pointer, device_pointer, 1);
    pointers<<<1, 64>>>(to_device(a, 64), to_device(b, 64), device_f, pointer);
    FINISH();
    from_device(f, device_f, 128);
    for (int i = 0; i < 64; i++) {
        expected_f[i] = i % 3 == 0 ? a[i] + b[i] : i % 3 == 1 ? a[i] * b[i] : a[i] > b[i] ? a[i] : b[i];
        expected_f[64 + i] = a[i] * b[i];
    }
    check_equal("function pointers", expected_f, f, 128);

    virtual_calls<<<1, 40>>>(device_f);
    FINISH();
    from_device(f, device_f, 40);
    for (int i = 0; i < 40; i++)
        expected_f[i] = i % 2 ? i * i + 4000.0f : 3.0f * (i + 1) * (i + 1);
    check_equal("virtual functions", expected_f, f, 40);

    double d[32], expected_d[32], *device_d = device_zeros<double>(32);
    arguments<<<1, 32>>>(device_d);
    FINISH();
    from_device(d, device_d, 32);
    for (int i = 0; i < 32; i++) {
        int x = i + 5;
        expected_d[i] = many(1, 2, i, 1ll << 33, 0.5f, 0.25, i & 1, &x, make_int3((i + 1) * 3, 2, 3));
    }
    check_equal("arguments of a call", expected_d, d, 32);

    apply<<<1, 32>>>(out, scale{7});
    FINISH();
    from_device(found, out, 32);
    for (int i = 0; i < 32; i++)
        expected[i] = 7 * i;
    check_equal("function object", expected, found, 32);
    return program_failures;
}
