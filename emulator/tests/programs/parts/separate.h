/* What the files of separate.cu know of each other. */
#ifndef SEPARATE_H
#define SEPARATE_H

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};

enum { SHAPES = 3 };

extern __constant__ int factors[8];
extern __device__ unsigned calls;
extern __device__ int (*operations[4])(int, int);
extern __managed__ int shared_by_all;

__device__ int scaled(int x);
__device__ unsigned long long ackermann(unsigned long long m, unsigned long long n);
__device__ shape *make_shape(int kind, int size);
template <typename T> __device__ T twice(T x) { // once in each file, one in the program
    static __device__ int here;
    atomicAdd(&here, 1);
    return x + x;
}
__global__ void doubled(int *x, int n);
cudaError_t launch_doubled(int *x, int n);

#endif
