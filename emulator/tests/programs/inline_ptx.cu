// PTX written by hand: three-input logic, permutations, bit fields, dot products of bytes, saturation, predicates and
// branches inside, loops with labels, vectors, address spaces, special registers, and kernels with C names.
#include "program.h"
#include <algorithm>

extern "C" __global__ void logic(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out, int n) {
    unsigned i;
    asm("{\n\t.reg .u32 t;\n\tmov.u32 t, %%ctaid.x;\n\tmad.lo.u32 %0, t, %1, %2;\n\t}"
        : "=r"(i)
        : "r"(blockDim.x), "r"(threadIdx.x));
    if (i >= n)
        return;
    unsigned *r = out + 12 * i, x = a[i], y = b[i], z = c[i];
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(r[0]) : "r"(x), "r"(y), "r"(z)); // x ? y : z
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r[1]) : "r"(x), "r"(y), "r"(z)); // most of three
    asm("prmt.b32 %0, %1, %2, 0x7250;" : "=r"(r[2]) : "r"(x), "r"(y));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(x), "r"(y), "r"(z));
    asm("bfe.u32 %0, %1, %2, 7;" : "=r"(r[4]) : "r"(x), "r"(z & 31));
    asm("bfi.b32 %0, %1, %2, %3, 9;" : "=r"(r[5]) : "r"(x), "r"(y), "r"(z & 31));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r[6]) : "r"(x), "r"(y), "r"(z));
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(r[7]) : "r"(x), "r"(y), "r"(z));
    asm("bfind.u32 %0, %1;" : "=r"(r[8]) : "r"(x & y));
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(x), "r"(y), "r"(z));
    asm("add.sat.s32 %0, %1, %2;" : "=r"(r[10]) : "r"(x), "r"(y));
    asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r[11]) : "r"(x), "r"(y));
}

static void logic_on_host(unsigned x, unsigned y, unsigned z, unsigned *r) {
    unsigned long long both = (unsigned long long)y << 32 | x;
    auto byte = [&](int k) { return (unsigned)(both >> 8 * k) & 255; };
    r[0] = (x & y) | (~x & z);
    r[1] = (x & y) | (x & z) | (y & z);
    r[2] = byte(0) | byte(5) << 8 | byte(2) << 16 | byte(7) << 24;
    r[3] = z & 1 ? x >> 16 | x >> 16 << 16 : (x & 0xffff) | x << 16;
    r[4] = x >> (z & 31) & 127;
    unsigned mask = (unsigned)(511ull << (z & 31));
    r[5] = ((unsigned)((unsigned long long)x << (z & 31)) & mask) | (y & ~mask);
    r[6] = (unsigned)(((unsigned long long)y << 32 | x) << (z & 31) >> 32);
    r[7] = z + (x > y ? x - y : y - x);
    r[8] = x & y ? 31 - __builtin_clz(x & y) : ~0u;
    r[9] = z;
    for (int k = 0; k < 4; k++)
        r[9] += byte(k) * byte(4 + k);
    long long sum = (long long)(int)x + (int)y;
    r[10] = (unsigned)std::min(std::max(sum, -0x80000000ll), 0x7fffffffll);
    r[11] = (unsigned)((unsigned long long)(x & 0xffffff) * (y & 0xffffff));
}

// Greatest common divisor as a loop in PTX; lanes leave it at different times.
extern "C" __global__ void divisor(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = a[i], y = b[i];
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 ".reg .u32 t;\n"
                 "again:\n\t"
                 "setp.eq.u32 p, %1, 0;\n\t"
                 "@p bra done;\n\t"
                 "rem.u32 t, %0, %1;\n\t"
                 "mov.u32 %0, %1;\n\t"
                 "mov.u32 %1, t;\n\t"
                 "bra.uni again;\n"
                 "done:\n\t"
                 "}"
                 : "+r"(x), "+r"(y));
    out[i] = x;
}

// Guards, select and set, the predicate of two comparisons at once.
__global__ void predicates(const int *x, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int r = 0, mask, chosen;
    asm("{\n\t.reg .pred p, q, r;\n\t"
        "setp.gt.s32 p|q, %3, 10;\n\t"
        "setp.lt.and.s32 r, %3, 100, p;\n\t"
        "@q add.s32 %0, %0, 1;\n\t"
        "@!q add.s32 %0, %0, 2;\n\t"
        "@r mul.lo.s32 %0, %0, 50;\n\t"
        "set.ge.u32.s32 %1, %3, 0;\n\t"
        "selp.s32 %2, %3, -7, r;\n\t"
        "xor.pred p, q, r;\n\t"
        "@p add.s32 %0, %0, 1000;\n\t}"
        : "+r"(r), "=r"(mask), "=r"(chosen)
        : "r"(x[i]));
    out[3 * i] = r;
    out[3 * i + 1] = mask;
    out[3 * i + 2] = chosen;
}

// Addresses: shared by their 32-bit form, vectors, caches, and what kind of memory a pointer means.
__global__ void memory(const float4 *in, float4 *out, unsigned *kinds) {
    __shared__ float4 tile[64];
    unsigned address = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]), other;
    float a, b, c, d;
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(in + threadIdx.x));
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(d), "f"(c), "f"(b), "f"(a) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    other = (unsigned)__cvta_generic_to_shared(&tile[63 - threadIdx.x]);
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(other) : "memory");
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2+8];" : "=f"(c), "=f"(d) : "r"(other) : "memory");
    asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + threadIdx.x), "f"(a), "f"(b), "f"(c), "f"(d)
                 : "memory");
    int local = threadIdx.x;
    unsigned is_shared, is_local, is_global;
    asm("{\n\t.reg .pred p;\n\tisspacep.shared p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(is_shared)
        : "l"(&tile[threadIdx.x]));
    asm("{\n\t.reg .pred p;\n\tisspacep.local p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(is_local) : "l"(&local));
    asm("{\n\t.reg .pred p;\n\tisspacep.global p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(is_global) : "l"(out));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(kinds), "r"(is_shared + 100 * is_local + 10000 * is_global)
                 : "memory");
}

__global__ void registers(unsigned *out) {
    unsigned lane, lt, ge, warps, x, y, size;
    unsigned long long time, later;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
    asm("mov.u32 %0, %%nctaid.x;" : "=r"(warps));
    asm("mov.u32 %0, %%tid.x;" : "=r"(x));
    asm("mov.u32 %0, %%tid.y;" : "=r"(y));
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    asm volatile("nanosleep.u32 1000;");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
    unsigned i = (blockIdx.x * blockDim.y + y) * blockDim.x + x, *r = out + 4 * i;
    r[0] = lane;
    r[1] = lt ^ ge;
    r[2] = warps * 1000 + size;
    r[3] = time > 0 && later >= time;
}

// Two independent results in one 64-bit register, and vector shuffles by hand.
__global__ void pack(const unsigned *x, unsigned long long *out) {
    unsigned low = x[threadIdx.x], high, from_lane, valid;
    asm("{\n\t.reg .pred p;\n\tshfl.sync.down.b32 %0|p, %2, 3, 31, 0xffffffff;\n\tselp.u32 %1, 1, 0, p;\n\t}"
        : "=r"(from_lane), "=r"(valid)
        : "r"(low));
    high = valid ? from_lane : 0;
    unsigned long long packed;
    asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(low), "r"(high));
    unsigned a, b;
    asm("mov.b64 {%0, %1}, %2;" : "=r"(a), "=r"(b) : "l"(packed * 3));
    out[threadIdx.x] = (unsigned long long)b << 32 | a;
}

int main() {
    const int n = 301;
    static unsigned a[n], b[n], c[n], out[12 * n], expected[12 * n];
    uint32_t seed = 45;
    for (int i = 0; i < n; i++) {
        a[i] = next_random(&seed) << 8 ^ next_random(&seed);
        b[i] = next_random(&seed) << 8 ^ next_random(&seed);
        c[i] = next_random(&seed) << 8 ^ next_random(&seed);
        logic_on_host(a[i], b[i], c[i], expected + 12 * i);
    }
    unsigned *d_a = to_device(a, n), *d_b = to_device(b, n), *d_out = device_zeros<unsigned>(12 * n);
    logic<<<(n + 63) / 64, 64>>>(d_a, d_b, to_device(c, n), d_out, n);
    FINISH();
    from_device(out, d_out, 12 * n);
    check_equal("bits and bytes", expected, out, 12 * n);
    show_bits("bits", out, 12 * n);

    divisor<<<(n + 95) / 96, 96>>>(d_a, d_b, d_out, n);
    FINISH();
    from_device(out, d_out, n);
    for (int i = 0; i < n; i++) {
        unsigned x = a[i], y = b[i];
        while (y) {
            unsigned t = x % y;
            x = y;
            y = t;
        }
        expected[i] = x;
    }
    check_equal("a loop in PTX", expected, out, n);

    int x[n], r[3 * n], want[3 * n], *d_r = device_zeros<int>(3 * n);
    for (int i = 0; i < n; i++) {
        x[i] = i - 100;
        bool more = x[i] > 10, between = x[i] < 100 && more;
        want[3 * i] = (more ? 2 : 1) * (between ? 50 : 1) + (!more != between ? 1000 : 0);
        want[3 * i + 1] = x[i] >= 0 ? -1 : 0;
        want[3 * i + 2] = between ? x[i] : -7;
    }
    predicates<<<(n + 127) / 128, 128>>>(to_device(x, n), d_r, n);
    FINISH();
    from_device(r, d_r, 3 * n);
    check_equal("predicates", want, r, 3 * n);

    float4 in[64], found[64], *d_found = device_zeros<float4>(64);
    unsigned *kinds = device_zeros<unsigned>(1), kind;
    for (int i = 0; i < 64; i++)
        in[i] = make_float4(i, i + 0.25f, -i, i * 100.0f);
    memory<<<1, 64>>>(to_device(in, 64), d_found, kinds);
    FINISH();
    from_device(found, d_found, 64);
    from_device(&kind, kinds, 1);
    bool right = kind == 64 * 10101;
    for (int i = 0; i < 64; i++)
        right &= found[i].x == in[63 - i].w && found[i].y == in[63 - i].z && found[i].z == in[63 - i].y &&
                 found[i].w == in[63 - i].x;
    check("address spaces and vectors", right);

    const int threads = 2 * 5 * 9;
    registers<<<2, dim3(9, 5), 128>>>(d_out);
    FINISH();
    from_device(out, d_out, 4 * threads);
    right = true;
    for (int i = 0; i < threads; i++)
        right &= out[4 * i] == (unsigned)(i % 45 % 32) && out[4 * i + 1] == ~0u && out[4 * i + 2] == 2128 &&
                 out[4 * i + 3] == 1;
    check("special registers", right);

    unsigned long long packs[32], want_packs[32], *d_packs = device_zeros<unsigned long long>(32);
    pack<<<1, 32>>>(d_a, d_packs);
    FINISH();
    from_device(packs, d_packs, 32);
    for (int i = 0; i < 32; i++)
        want_packs[i] = (i + 3 < 32 ? (unsigned long long)a[i + 3] << 32 | a[i] : a[i]) * 3;
    check_equal("packed registers and a shuffle", want_packs, packs, 32);
    return program_failures;
}
