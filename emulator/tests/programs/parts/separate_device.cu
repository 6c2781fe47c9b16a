// The other half of separate.cu: variables, functions, tables and classes that it uses by name.
#include "separate.h"

__constant__ int factors[8] = {1, 2, 3, 5, 8, 13, 21, 34};
__device__ unsigned calls;
__managed__ int shared_by_all = 41;
static __device__ int bias = 100; // each file has one of this name

__device__ static int add(int a, int b) {
    return a + b + bias;
}
__device__ static int subtract(int a, int b) {
    return a - b + bias;
}
__device__ static int multiply(int a, int b) {
    return a * b + bias;
}
__device__ static int join(int a, int b) {
    return (a << 8 | b) + bias;
}
__device__ int (*operations[4])(int, int) = {add, subtract, multiply, join};

__device__ int scaled(int x) {
    atomicAdd(&calls, 1);
    return x * factors[x & 7] + bias;
}
__device__ unsigned long long ackermann(unsigned long long m, unsigned long long n) {
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

struct square : shape {
    int side;
    __device__ square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};
struct rectangle : square {
    __device__ rectangle(int s) : square(s) {}
    __device__ int area() const override { return side * (side + 3); }
};
struct many : shape {
    shape *parts[2];
    __device__ many(int s) {
        parts[0] = new square(s);
        parts[1] = new rectangle(s + 1);
    }
    __device__ int area() const override { return parts[0]->area() + parts[1]->area(); }
    __device__ ~many() override {
        delete parts[0];
        delete parts[1];
    }
};
__device__ shape *make_shape(int kind, int size) {
    switch (kind) {
    case 0:
        return new square(size);
    case 1:
        return new rectangle(size);
    default:
        return new many(size);
    }
}

__global__ void doubled(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = twice(x[i]) + bias;
}
cudaError_t launch_doubled(int *x, int n) {
    doubled<<<(n + 63) / 64, 64>>>(x, n);
    return cudaGetLastError();
}
