// Vector types in memory: loads and stores of 2 and 4 elements of every width, unaligned structs field by field,
// volatile and cached loads, byte and bit-field access.
#include "program.h"

template <typename V, typename T, int N> __global__ void copy(const V *in, V *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        V v = in[n - 1 - i];
        ((T *)&v)[N - 1] += 1;
        out[i] = v;
    }
}

template <typename V, typename T, int N> static void try_type(const char *name) {
    const int n = 45;
    T in[n * N], out[n * N], expected[n * N];
    for (int i = 0; i < n * N; i++)
        in[i] = (T)(i * 3 - 20);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < N; k++)
            expected[i * N + k] = (T)(in[(n - 1 - i) * N + k] + (k == N - 1));
    T *device_in = to_device(in, n * N), *device_out = device_zeros<T>(n * N);
    copy<V, T, N><<<2, 32>>>((const V *)device_in, (V *)device_out, n);
    FINISH();
    from_device(out, device_out, n * N);
    check_equal(name, expected, out, n * N);
}

struct packed {
    unsigned low : 5, middle : 20, high : 7;
    char bytes[5];
    unsigned short half;
};

__global__ void fields(packed *p, const float *__restrict__ read_only, volatile int *v, float *out) {
    int i = threadIdx.x;
    p[i].middle = p[i].low * 1000 + i;
    p[i].high += 3;
    p[i].bytes[i % 5] = 'a' + i;
    p[i].half ^= 0x8001;
    v[i] = v[i] + 1;
    out[i] = __ldg(&read_only[i]) + v[i];
}

int main() {
    try_type<char2, signed char, 2>("char2");
    try_type<uchar4, unsigned char, 4>("uchar4");
    try_type<short2, short, 2>("short2");
    try_type<ushort4, unsigned short, 4>("ushort4");
    try_type<int2, int, 2>("int2");
    try_type<int3, int, 3>("int3");
    try_type<uint4, unsigned, 4>("uint4");
    try_type<float2, float, 2>("float2");
    try_type<float4, float, 4>("float4");
    try_type<longlong2, long long, 2>("longlong2");
    try_type<double2, double, 2>("double2");

    const int n = 20;
    packed p[n], found[n];
    float x[n], out[n], expected[n];
    int v[n];
    for (int i = 0; i < n; i++) {
        memset(&p[i], 0, sizeof p[i]);
        p[i].low = i, p[i].high = 2 * i, p[i].half = i;
        x[i] = i * 0.5f, v[i] = -i, expected[i] = i * 0.5f - i + 1;
    }
    packed *device_p = to_device(p, n);
    float *device_out = device_zeros<float>(n);
    fields<<<1, n>>>(device_p, to_device(x, n), to_device(v, n), device_out);
    FINISH();
    from_device(found, device_p, n);
    from_device(out, device_out, n);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= found[i].low == (unsigned)i && found[i].middle == (unsigned)(i * 1000 + i) &&
                 found[i].high == ((2u * i + 3) & 127) && found[i].bytes[i % 5] == 'a' + i &&
                 found[i].bytes[(i + 1) % 5] == 0 && found[i].half == (i ^ 0x8001);
    check("bit fields and bytes", right);
    check_equal("cached and volatile loads", expected, out, n);
    return program_failures;
}
