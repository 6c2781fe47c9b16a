/* Values that are undefined: from memory that nobody has written, and from shuffles that nobody answers. Those that are used must be
 * reported, at the line that read them; those that are only carried around must not. */
#include "run_case.h"

static void need(bool good, const char *what) {
    if (!good)
        fprintf(stderr, "wrong result: %s\n", what);
}

template <typename T> static T at(const T *device, size_t i) {
    T value;
    cudaMemcpy(&value, device + i, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

/* ---- atomics read ---- */

// EXPECT bins_not_cleared 0 uninitialized
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS Uninitialized __shared__ memory read of size 4 bytes
// SAYS at bins_not_cleared(const int *, int *) in tests/emulator/check/undefined.cu:LINE
// SAYS bins[
// SAYS Nobody in this block has written these bytes
__global__ void bins_not_cleared(const int *x, int *y) {
    __shared__ int bins[8];
    atomicAdd(&bins[x[threadIdx.x] & 7], 1); // HERE
    __syncthreads();
    if (threadIdx.x < 8)
        y[threadIdx.x] = bins[threadIdx.x];
}
static void case_bins_not_cleared(void) {
    int *x = device_array<int>(64);
    cudaMemset(x, 0, 64 * sizeof *x);
    bins_not_cleared<<<1, 64>>>(x, device_array<int>(8));
}

// EXPECT largest_not_set 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read of size 4 bytes
// SAYS at largest_not_set(int *) in tests/emulator/check/undefined.cu:LINE
__global__ void largest_not_set(int *largest) {
    atomicMax(largest, (int)threadIdx.x); // HERE
}
static void case_largest_not_set(void) {
    largest_not_set<<<1, 64>>>(device_array<int>(1));
}

/* ---- a plain run gives what an H200 gives ---- */

// EXPECT nobody_is_zero 0 none
// SILENT
__global__ void nobody_is_zero(int *y) {
    unsigned mask = __ballot_sync(~0u, threadIdx.x < 8);
    if (threadIdx.x < 8) {
        int sum = 1;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(mask, sum, d);
        if (threadIdx.x == 0)
            *y = sum;
    }
}
static void case_nobody_is_zero(void) {
    int *y = device_array<int>(1);
    nobody_is_zero<<<1, 32>>>(y);
    need(at(y, 0) == 8, "a sum over 8 lanes");
}

static const struct test_case cases[] = {
    CASE(bins_not_cleared),
    CASE(largest_not_set),
    CASE(nobody_is_zero),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
