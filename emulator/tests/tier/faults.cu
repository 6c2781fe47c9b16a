// Mistakes of kernels that compute before they make them: what is said about each must not depend on the tier. A case is
// named on the command line.
#include "tests/check/run_case.h"

#include <cassert>

__global__ void beyond(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i * 0.5f;
    for (int k = 0; k < 5; k++)
        x = x * 1.5f + k;
    a[i] = x; // no guard
    if (i == n)
        printf("never\n");
}
static void case_beyond(void) {
    beyond<<<3, 128>>>(device_array<float>(300), 300);
}

// Only some lanes are wrong, in a warp that has parted.
__global__ void beyond_in_part(int *a, int n) {
    int i = threadIdx.x, sum = 0;
    if (i % 3 == 0) {
        for (int k = 0; k < i % 7; k++)
            sum += k * i;
        a[i == 45 ? n + 2 : i] = sum;
    } else {
        a[i] = -i;
    }
}
static void case_beyond_in_part(void) {
    beyond_in_part<<<1, 96>>>(device_array<int>(96), 96);
}

__global__ void misaligned(char *a) {
    int i = threadIdx.x;
    *(int *)(a + 4 * i + (i > 40)) = i * i;
}
static void case_misaligned(void) {
    misaligned<<<1, 64>>>(device_array<char>(1024));
}

__global__ void beyond_shared(float *out, int n) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    tile[i] = i;
    __syncthreads();
    out[i] = tile[i + n];
}
static void case_beyond_shared(void) {
    beyond_shared<<<1, 64>>>(device_array<float>(64), 1000);
}

__global__ void parted_barrier(int *a) {
    int i = threadIdx.x;
    if (i & 1) {
        a[i] = i;
        __syncthreads();
    } else {
        __syncthreads();
        a[i] = -i;
    }
}
static void case_parted_barrier(void) {
    parted_barrier<<<1, 64>>>(device_array<int>(64));
}

__global__ void asserted(int *a, int n) {
    int i = threadIdx.x;
    a[i] = i * n;
    assert(a[i] < 50);
}
static void case_asserted(void) {
    asserted<<<1, 32>>>(device_array<int>(32), 2);
}

__global__ void freed(const float *a, float *b) {
    b[threadIdx.x] = a[threadIdx.x] + 1;
}
static void case_freed(void) {
    float *a = device_array<float>(32), *b = device_array<float>(32);
    cudaFree(a);
    freed<<<1, 32>>>(a, b);
}

// A function that is called, and gets a null pointer in its third activation.
__device__ __noinline__ int follow(const int *p, int depth) {
    return depth == 0 ? *p : follow(depth == 2 ? nullptr : p, depth - 1) + depth;
}
__global__ void null_in_call(int *a) {
    a[threadIdx.x] = follow(a, threadIdx.x == 9 ? 3 : 1);
}
static void case_null_in_call(void) {
    null_in_call<<<1, 32>>>(device_array<int>(32));
}

static const struct test_case cases[] = {
    CASE(beyond),         CASE(beyond_in_part), CASE(misaligned), CASE(beyond_shared),
    CASE(parted_barrier), CASE(asserted),       CASE(freed),      CASE(null_in_call),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
