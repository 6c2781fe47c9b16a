// Separate compilation: functions, variables, tables of functions and classes of another file, used by name; kernels started
// from both; variables of the same name that belong to one file each; recursion across files.
// flags: -rdc=true
// with: parts/separate_device.cu
#include "program.h"
#include "parts/separate.h"

static __device__ int bias = 7;

__global__ void call(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[5 * i] = scaled(i) + bias;
    out[5 * i + 1] = operations[i % 4](i, 3);
    out[5 * i + 2] = (int)ackermann(i % 3, i % 4);
    shape *s = make_shape(i % SHAPES, i);
    out[5 * i + 3] = s->area();
    delete s;
    out[5 * i + 4] = twice(i) + factors[7] + shared_by_all;
}
__global__ void change() {
    shared_by_all += 1;
    operations[1] = operations[2];
}

static unsigned long long ackermann_host(unsigned long long m, unsigned long long n) {
    return m == 0 ? n + 1 : ackermann_host(m - 1, n == 0 ? 1 : ackermann_host(m, n - 1));
}

int main() {
    const int n = 75, table[8] = {1, 2, 3, 5, 8, 13, 21, 34};
    int out[5 * n], expected[5 * n], *device = device_zeros<int>(5 * n);
    unsigned count, want = n;
    call<<<2, 64>>>(device, n);
    FINISH();
    from_device(out, device, 5 * n);
    for (int i = 0; i < n; i++) {
        int *r = expected + 5 * i, values[4] = {i + 3, i - 3, i * 3, i << 8 | 3};
        int areas[3] = {i * i, i * (i + 3), i * i + (i + 1) * (i + 4)};
        r[0] = i * table[i & 7] + 107;
        r[1] = values[i % 4] + 100;
        r[2] = (int)ackermann_host(i % 3, i % 4);
        r[3] = areas[i % 3];
        r[4] = 2 * i + 34 + 41;
    }
    check_equal("calls into another file", expected, out, 5 * n);
    show_bits("results", out, 5 * n);
    CUDA(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    check_equal("a counter of another file", &want, &count, 1);

    change<<<1, 1>>>();
    CUDA(launch_doubled(device, n));
    doubled<<<2, 64>>>(device, n);
    FINISH();
    from_device(out, device, n);
    for (int i = 0; i < n; i++)
        expected[i] = (expected[i] * 2 + 100) * 2 + 100;
    check_equal("a kernel of another file, from both", expected, out, n);
    check("a managed variable of another file", shared_by_all == 42);

    const int factor[8] = {0, 1, 0, 1, 0, 1, 0, 50};
    CUDA(cudaMemcpyToSymbol(factors, factor, sizeof factor));
    call<<<2, 64>>>(device, n);
    FINISH();
    from_device(out, device, 5 * n);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= out[5 * i] == i * factor[i & 7] + 107 && out[5 * i + 4] == 2 * i + 50 + 42 &&
                 (i % 4 != 1 || out[5 * i + 1] == i * 3 + 100);
    check("constants and tables that were changed", right);
    return program_failures;
}
