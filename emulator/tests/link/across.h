// What the files of `across` know of each other. Each file sees the templates and the inline function; their code and their
// static variables must exist once.
#ifndef ACROSS_H
#define ACROSS_H

struct shape {
    float a, b;
    __device__ virtual float area() const = 0;
    __device__ virtual float scaled(float factor) const { return area() * factor; }
};

struct pair {
    int first;
    double second;
};

typedef int (*operation)(int, int);

extern __device__ int device_counter;      // defined in across_device.cu
extern __constant__ float table[8];        // likewise
extern __device__ operation operations[3]; // likewise
extern __managed__ int managed_total;      // defined in across.cu
extern __device__ int triangle(int n);     // recursive, across_device.cu
extern __device__ struct pair swap_signs(struct pair p);
extern __device__ int last_of_block(int value); // across_device.cu, through the same dynamic shared memory
extern __device__ int static_sum(int x);        // across_device.cu, with statics named as in across.cu
extern __device__ shape *make_shape(void *where, int kind, float a, float b);

// One counter for all files, though each has its code.
inline __device__ int next_ticket() {
    static __device__ int ticket;
    return atomicAdd(&ticket, 1);
}

template <typename T> __global__ void take_tickets(T *out) {
    if (threadIdx.x == 0)
        out[blockIdx.x] = (T)next_ticket();
}

void host_take_tickets(int *out); // across_device.cu launches the same kernel
int host_static_kernel(int *out); // and a static kernel that is also named as one here

#endif
