// Kernel parameters of every shape: structs by value, arrays in structs, mixed widths and alignments, many parameters,
// const references to fields, bool and enum, pointers in structs, and a struct returned by a function.
#include "program.h"

struct small {
    char c;
    short s;
    int i;
    long long l;
    double d;
    bool b;
};
struct nested {
    small one;
    float vector[5];
    small several[2];
    unsigned char bytes[3];
};
struct list {
    int *data;
    int count;
};
enum color { RED, GREEN = 7, BLUE };
struct __align__(32) aligned {
    float x[3];
};
union bits {
    float f;
    unsigned u;
};

__device__ __noinline__ small change(small s, int by) {
    s.c += by;
    s.s -= by;
    s.i *= by;
    s.l += (long long)by << 33;
    s.d /= by;
    s.b = !s.b;
    return s;
}

__global__ void by_value(small s, small *out) {
    out[threadIdx.x] = change(s, threadIdx.x + 1);
}

__global__ void nested_by_value(nested n, int index, double *out) {
    out[0] = n.one.i + n.several[1].l + n.bytes[2];
    out[1] = n.vector[index]; // an index the compiler does not know
    out[2] = n.several[index % 2].d;
    n.vector[index] = 100; // the copy is the thread's own
    out[3] = n.vector[2] + n.vector[3];
}

__global__ void many(char a, double b, short c, long long d, bool e, float f, color g, unsigned char h, int2 i,
                     double2 j, float3 k, char3 l, list m, aligned n, bits o, unsigned long long *out) {
    out[0] = a, out[1] = (unsigned long long)b, out[2] = c, out[3] = d, out[4] = e, out[5] = (unsigned long long)f;
    out[6] = g, out[7] = h, out[8] = i.x * 100 + i.y, out[9] = (unsigned long long)(j.x * 10 + j.y);
    out[10] = (unsigned long long)(k.x + k.y * 10 + k.z * 100), out[11] = l.x + l.y + l.z;
    out[12] = m.data[m.count - 1], out[13] = (unsigned long long)n.x[2], out[14] = o.u, out[15] = sizeof(aligned);
}

template <typename T, int N> struct buffer {
    T values[N];
    __host__ __device__ T sum() const {
        T total = 0;
        for (int i = 0; i < N; i++)
            total += values[i];
        return total;
    }
};
template <typename T, int N> __global__ void sum_of(buffer<T, N> b, T *out) {
    *out = b.sum();
}

int main() {
    small s = {5, -300, 70000, 1ll << 40, 0.75, true}, found[3];
    small *device_small = device_zeros<small>(3);
    by_value<<<1, 3>>>(s, device_small);
    FINISH();
    from_device(found, device_small, 3);
    bool right = true;
    for (int k = 1; k <= 3; k++) {
        const small &f = found[k - 1];
        right &= f.c == 5 + k && f.s == -300 - k && f.i == 70000 * k && f.l == (1ll << 40) + ((long long)k << 33);
        right &= f.d == 0.75 / k && !f.b;
    }
    check("struct by value and returned", right);

    nested n = {s, {1, 2, 3, 4, 5}, {s, s}, {7, 8, 9}};
    n.several[1].l = -5;
    n.several[1].d = 2.5;
    double *device_double = device_zeros<double>(4), d[4];
    nested_by_value<<<1, 1>>>(n, 3, device_double);
    FINISH();
    from_device(d, device_double, 4);
    check("nested struct", d[0] == 70000 - 5 + 9 && d[1] == 4 && d[2] == 2.5 && d[3] == 103);

    int data[] = {11, 22, 33};
    unsigned long long out[16], *device_out = device_zeros<unsigned long long>(16);
    bits o;
    o.f = 1.0f;
    many<<<1, 1>>>(1, 2, 3, 4, true, 6.5f, GREEN, 200, make_int2(8, 9), make_double2(1.5, 2), make_float3(1, 2, 3),
                   make_char3(1, 2, 3), list{to_device(data, 3), 3}, aligned{{1, 2, 3}}, o, device_out);
    FINISH();
    from_device(out, device_out, 16);
    const unsigned long long expected[16] = {1, 2, 3, 4, 1, 6, 7, 200, 809, 17, 321, 6, 33, 3, 0x3f800000, 32};
    right = true;
    for (int i = 0; i < 16; i++)
        right &= out[i] == expected[i];
    check("many parameters", right);

    buffer<double, 20> b;
    for (int i = 0; i < 20; i++)
        b.values[i] = i * 0.5;
    sum_of<<<1, 1>>>(b, device_double);
    FINISH();
    from_device(d, device_double, 1);
    check("template struct", d[0] == b.sum());
    return program_failures;
}
