// Dynamic shared memory: several arrays of several types in one piece, more than 48 KiB after asking for it, a template's
// own extern array, static and dynamic together, and kernels bounded in threads and registers.
#include "program.h"
#include <algorithm>

extern __shared__ __align__(16) unsigned char pool[];

struct layout {
    double *sums;
    int *keys;
    short *links;
    char *letters;
    __host__ __device__ static size_t bytes(int n) {
        return n * (sizeof(double) + sizeof(int)) + (n * sizeof(short) + 7) / 8 * 8 + n;
    }
    __device__ layout(unsigned char *p, int n) {
        sums = (double *)p;
        keys = (int *)(sums + n);
        links = (short *)(keys + n);
        letters = (char *)p + n * (sizeof(double) + sizeof(int)) + (n * sizeof(short) + 7) / 8 * 8;
    }
};
__global__ void four_arrays(const int *in, double *out, int n) {
    layout a(pool, n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        a.keys[i] = in[i];
        a.links[i] = (short)((i * 7 + 1) % n);
        a.letters[i] = (char)(i % 26 + 'a');
        a.sums[i] = i * 0.5;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = a.sums[a.links[i]] + a.keys[n - 1 - i] + a.letters[a.links[i]];
}

template <typename T> __device__ T *shared_of() {
    extern __shared__ __align__(16) unsigned char bytes[];
    return (T *)bytes;
}
template <typename T> __global__ void reverse(T *x, int n) {
    T *s = shared_of<T>();
    __shared__ T last;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = x[blockIdx.x * n + i];
    if (threadIdx.x == 0)
        last = x[blockIdx.x * n + n - 1];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[blockIdx.x * n + i] = i == 0 ? last : s[n - 1 - i];
}

// A table of all pairs in 60 KiB.
__global__ void __launch_bounds__(192, 1) large(const unsigned char *a, const unsigned char *b, int n, int *best) {
    int *row = (int *)pool; // longest common subsequence, n rows kept whole
    for (int i = threadIdx.x; i <= n; i += blockDim.x)
        row[i] = row[i * (n + 1)] = 0;
    __syncthreads();
    for (int d = 0; d < 2 * n - 1; d++) { // along the diagonals
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int j = d - i;
            if (j >= 0 && j < n) {
                int *cell = &row[(i + 1) * (n + 1) + j + 1];
                *cell = a[i] == b[j] ? cell[-n - 2] + 1 : max(cell[-1], cell[-n - 1]);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *best = row[(n + 1) * (n + 1) - 1];
}

__global__ void __launch_bounds__(1024) wide(int *out) {
    int *s = (int *)pool;
    s[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x + 512) % 1024];
}
__global__ void __launch_bounds__(64) narrow(int *out) {
    out[threadIdx.x] = 1;
}

template <typename T> static void try_reverse(const char *name) {
    const int n = 333, rows = 2;
    T x[n * rows], expected[n * rows], *device;
    for (int i = 0; i < n * rows; i++)
        x[i] = (T)(i * 5 % 251);
    for (int r = 0; r < rows; r++)
        std::reverse_copy(x + r * n, x + (r + 1) * n, expected + r * n);
    device = to_device(x, n * rows);
    reverse<T><<<rows, 64, n * sizeof(T)>>>(device, n);
    FINISH();
    from_device(x, device, n * rows);
    check_equal(name, expected, x, n * rows);
}

int main() {
    const int n = 301;
    int in[n];
    double out[n], expected[n], *device_out = device_zeros<double>(n);
    for (int i = 0; i < n; i++)
        in[i] = i * i;
    for (int i = 0; i < n; i++) {
        int link = (i * 7 + 1) % n;
        expected[i] = link * 0.5 + in[n - 1 - i] + (link % 26 + 'a');
    }
    four_arrays<<<1, 96, layout::bytes(n)>>>(to_device(in, n), device_out, n);
    FINISH();
    from_device(out, device_out, n);
    check_equal("four arrays in one", expected, out, n);
    try_reverse<unsigned char>("bytes");
    try_reverse<float>("floats");
    try_reverse<long long>("64 bits");

    const int m = 120;
    unsigned char a[m], b[m];
    static int table[m + 1][m + 1];
    uint32_t seed = 5;
    for (int i = 0; i < m; i++)
        a[i] = next_random(&seed) % 4, b[i] = next_random(&seed) % 4;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            table[i + 1][j + 1] = a[i] == b[j] ? table[i][j] + 1 : std::max(table[i][j + 1], table[i + 1][j]);
    int found, *best = device_zeros<int>(1024), bytes = (m + 1) * (m + 1) * sizeof(int);
    unsigned char *device_a = to_device(a, m), *device_b = to_device(b, m);
    large<<<1, 192, bytes>>>(device_a, device_b, m, best);
    check("more than 48 KiB must be asked for", cudaGetLastError() == cudaErrorInvalidValue);
    CUDA(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    large<<<1, 192, bytes>>>(device_a, device_b, m, best);
    FINISH();
    from_device(&found, best, 1);
    check_equal("57 KiB", &table[m][m], &found, 1);
    show("longest common subsequence", found);

    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, large));
    check("their size is told", attributes.maxDynamicSharedSizeBytes == bytes && attributes.sharedSizeBytes == 0);
    static int wide_out[1024], wide_expected[1024];
    wide<<<1, 1024, 4096>>>(best);
    FINISH();
    from_device(wide_out, best, 1024);
    for (int i = 0; i < 1024; i++)
        wide_expected[i] = (i + 512) % 1024 * 3;
    check_equal("1024 threads", wide_expected, wide_out, 1024);
    narrow<<<1, 96>>>(best);
    check("more threads than the bound", cudaGetLastError() != cudaSuccess);
    narrow<<<1, 64>>>(best);
    FINISH();
    return program_failures;
}
