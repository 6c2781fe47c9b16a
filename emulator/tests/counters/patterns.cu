/* Single accesses of one warp: what a GPU counts for each, and what the emulator counts.
 *
 * Each launch makes one access by one warp and prints a line with its name. record.sh runs the program under ncu on a GPU, and
 * patterns.csv is what it counted on an H200; counters.test.sh runs it on the emulator and compares. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { LANES = 32, BUFFER = 1 << 20, SHARED = 48 << 10 };

struct pattern {
    uint32_t offsets[LANES]; /* bytes */
    uint32_t mask;
};

/* ---- the accesses, in PTX so that each stays one ---- */

/* A line of the table below makes a kernel. `address` is where the lane goes, `v` what it brings or gets. */
#define GLOBAL(name, text, ...)                                                                                        \
    static __global__ void name(const __grid_constant__ pattern p, char *buffer, unsigned *sink) {                     \
        unsigned lane = threadIdx.x, v = p.mask, x = 1, y = 1, z = 1;                                                  \
        unsigned short h = 1;                                                                                          \
        unsigned long long d = 1;                                                                                      \
        float f = 1;                                                                                                   \
        char *address = buffer + p.offsets[lane];                                                                      \
        if (p.mask >> lane & 1)                                                                                        \
            asm volatile(text                                                                                          \
                         : "+r"(v), "+r"(x), "+r"(y), "+r"(z), "+h"(h), "+l"(d), "+f"(f)                               \
                         : "l"(address)                                                                                \
                         : "memory");                                                                                  \
        if ((v ^ x ^ y ^ z ^ h ^ (unsigned)d ^ __float_as_uint(f)) == 0xdeadbeef)                                      \
            *sink = v;                                                                                                 \
    }

#define SHARED_KERNEL(name, text, ...)                                                                                 \
    static __global__ void name(const __grid_constant__ pattern p, char *, unsigned *sink) {                           \
        extern __shared__ __align__(1024) char shared[];                                                               \
        unsigned lane = threadIdx.x, v = p.mask, x = 1, y = 1, z = 1;                                                  \
        unsigned short h = 1;                                                                                          \
        unsigned long long d = 1;                                                                                      \
        float f = 1;                                                                                                   \
        unsigned address = (unsigned)__cvta_generic_to_shared(shared) + p.offsets[lane];                               \
        if (p.mask >> lane & 1)                                                                                        \
            asm volatile(text                                                                                          \
                         : "+r"(v), "+r"(x), "+r"(y), "+r"(z), "+h"(h), "+l"(d), "+f"(f)                               \
                         : "r"(address)                                                                                \
                         : "memory");                                                                                  \
        if ((v ^ x ^ y ^ z ^ h ^ (unsigned)d ^ __float_as_uint(f)) == 0xdeadbeef)                                      \
            *sink = v;                                                                                                 \
    }

/* name, PTX (%0-%3 words, %4 half, %5 64 bits, %6 float, %7 address), bytes */
#define GLOBAL_ACCESSES(X)                                                                                             \
    X(load1, "{ .reg .u16 t; ld.global.u8 t, [%7]; mov.u16 %4, t; }", 1)                                               \
    X(load2, "ld.global.u16 %4, [%7];", 2)                                                                             \
    X(load4, "ld.global.u32 %0, [%7];", 4)                                                                             \
    X(load8, "ld.global.v2.u32 {%0, %1}, [%7];", 8)                                                                    \
    X(load16, "ld.global.v4.u32 {%0, %1, %2, %3}, [%7];", 16)                                                          \
    X(load4_readonly, "ld.global.nc.u32 %0, [%7];", 4)                                                                 \
    X(load4_generic, "ld.u32 %0, [%7];", 4)                                                                            \
    X(load4_volatile, "ld.volatile.global.u32 %0, [%7];", 4)                                                           \
    X(store1, "{ .reg .u16 t; mov.u16 t, %4; st.global.u8 [%7], t; }", 1)                                              \
    X(store2, "st.global.u16 [%7], %4;", 2)                                                                            \
    X(store4, "st.global.u32 [%7], %0;", 4)                                                                            \
    X(store8, "st.global.v2.u32 [%7], {%0, %1};", 8)                                                                   \
    X(store16, "st.global.v4.u32 [%7], {%0, %1, %2, %3};", 16)                                                         \
    X(red4, "red.global.add.u32 [%7], %0;", 4)                                                                         \
    X(red8, "red.global.add.u64 [%7], %5;", 8)                                                                         \
    X(red_float, "red.global.add.f32 [%7], %6;", 4)                                                                    \
    X(red_max, "red.global.max.s32 [%7], %0;", 4)                                                                      \
    X(red_half2, "red.global.add.noftz.f16x2 [%7], %0;", 4)                                                            \
    X(atom4, "atom.global.add.u32 %0, [%7], %1;", 4)                                                                   \
    X(atom8, "atom.global.add.u64 %5, [%7], %5;", 8)                                                                   \
    X(atom_float, "atom.global.add.f32 %6, [%7], %6;", 4)                                                              \
    X(exch4, "atom.global.exch.b32 %0, [%7], %1;", 4)                                                                  \
    X(cas4, "atom.global.cas.b32 %0, [%7], %1, %2;", 4)                                                                \
    X(cas8, "atom.global.cas.b64 %5, [%7], %5, %5;", 8)

#define SHARED_ACCESSES(X)                                                                                             \
    X(shared_load1, "{ .reg .u16 t; ld.shared.u8 t, [%7]; mov.u16 %4, t; }", 1)                                        \
    X(shared_load2, "ld.shared.u16 %4, [%7];", 2)                                                                      \
    X(shared_load4, "ld.shared.u32 %0, [%7];", 4)                                                                      \
    X(shared_load8, "ld.shared.v2.u32 {%0, %1}, [%7];", 8)                                                             \
    X(shared_load16, "ld.shared.v4.u32 {%0, %1, %2, %3}, [%7];", 16)                                                   \
    X(shared_store1, "{ .reg .u16 t; mov.u16 t, %4; st.shared.u8 [%7], t; }", 1)                                       \
    X(shared_store2, "st.shared.u16 [%7], %4;", 2)                                                                     \
    X(shared_store4, "st.shared.u32 [%7], %0;", 4)                                                                     \
    X(shared_store8, "st.shared.v2.u32 [%7], {%0, %1};", 8)                                                            \
    X(shared_store16, "st.shared.v4.u32 [%7], {%0, %1, %2, %3};", 16)                                                  \
    X(shared_count4, "red.shared.add.u32 [%7], 1;", 4)                                                                 \
    X(shared_red4, "red.shared.add.u32 [%7], %0;", 4)                                                                  \
    X(shared_atom4, "atom.shared.add.u32 %0, [%7], %1;", 4)                                                            \
    X(shared_max4, "atom.shared.max.s32 %0, [%7], %1;", 4)                                                             \
    X(shared_exch4, "atom.shared.exch.b32 %0, [%7], %1;", 4)                                                           \
    X(shared_cas4, "atom.shared.cas.b32 %0, [%7], %1, %2;", 4)                                                         \
    X(shared_exch8, "atom.shared.exch.b64 %5, [%7], %5;", 8)                                                           \
    X(shared_cas8, "atom.shared.cas.b64 %5, [%7], %5, %5;", 8)                                                         \
    X(ldmatrix1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%7];", 16)                                           \
    X(ldmatrix2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%7];", 16)                                       \
    X(ldmatrix4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%7];", 16)                               \
    X(ldmatrix4_trans, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%7];", 16)                   \
    X(stmatrix1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%7], {%0};", 16)                                           \
    X(stmatrix4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%7], {%0, %1, %2, %3};", 16)

GLOBAL_ACCESSES(GLOBAL)
SHARED_ACCESSES(SHARED_KERNEL)

/* cp.async: from global memory at offsets[lane] to shared memory, lane after lane */
#define COPY(name, text, size)                                                                                         \
    static __global__ void name(const __grid_constant__ pattern p, char *buffer, unsigned *) {                         \
        extern __shared__ __align__(1024) char shared[];                                                               \
        unsigned lane = threadIdx.x;                                                                                   \
        unsigned to = (unsigned)__cvta_generic_to_shared(shared) + lane * size;                                        \
        if (p.mask >> lane & 1)                                                                                        \
            asm volatile(text ::"r"(to), "l"(buffer + p.offsets[lane]) : "memory");                                    \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                               \
    }
#define COPY_ACCESSES(X)                                                                                               \
    X(copy4, "cp.async.ca.shared.global [%0], [%1], 4;", 4)                                                            \
    X(copy8, "cp.async.ca.shared.global [%0], [%1], 8;", 8)                                                            \
    X(copy16, "cp.async.ca.shared.global [%0], [%1], 16;", 16)                                                         \
    X(copy16_bypass, "cp.async.cg.shared.global [%0], [%1], 16;", 16)
COPY_ACCESSES(COPY)

/* The same with lanes whose copies lie apart, of which two write one place, or some of which copy nothing. */
#define COPY_TO(name, place, text)                                                                                     \
    static __global__ void name(const __grid_constant__ pattern p, char *buffer, unsigned *) {                         \
        extern __shared__ __align__(1024) char shared[];                                                               \
        unsigned lane = threadIdx.x;                                                                                   \
        unsigned to = (unsigned)__cvta_generic_to_shared(shared) + (place)*16;                                         \
        if (p.mask >> lane & 1)                                                                                        \
            asm volatile(text ::"r"(to), "l"(buffer + p.offsets[lane]), "r"(lane % 3 ? 16 : 0) : "memory");            \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                               \
    }
#define FAR_COPIES(X)                                                                                                  \
    X(copy16_apart, lane * 3, "cp.async.ca.shared.global [%0], [%1], 16;", 16)                                         \
    X(copy16_bypass_apart, lane * 3, "cp.async.cg.shared.global [%0], [%1], 16;", 16)                                  \
    X(copy16_bypass_mixed, lane * 5 % 32, "cp.async.cg.shared.global [%0], [%1], 16;", 16)                             \
    X(copy16_bypass_twice, lane * 7 % 24, "cp.async.cg.shared.global [%0], [%1], 16;", 16)                             \
    X(copy16_bypass_some, lane, "cp.async.cg.shared.global [%0], [%1], 16, %2;", 16)
#define FAR_COPY(name, place, text, bytes) COPY_TO(name, place, text)
FAR_COPIES(FAR_COPY)

struct access {
    const char *name;
    void (*kernel)(pattern, char *, unsigned *);
    unsigned bytes;
};

#define ROW(name, text, bytes)            {#name, name, bytes},
#define FAR_ROW(name, place, text, bytes) {#name, name, bytes},
static const struct access accesses[] = {GLOBAL_ACCESSES(ROW) SHARED_ACCESSES(ROW) COPY_ACCESSES(ROW)
                                             FAR_COPIES(FAR_ROW)};

/* ---- the patterns ---- */

static char *buffer;
static unsigned *sink;

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

static const struct access *find(const char *name) {
    for (const struct access &a : accesses)
        if (strcmp(a.name, name) == 0)
            return &a;
    fprintf(stderr, "there is no access '%s'\n", name);
    exit(1);
}

static int first_launch, launch_number; /* patterns before the first are only counted */

static void launch(const char *access, const char *pattern_name, int number, const struct pattern *p) {
    if (launch_number++ < first_launch)
        return;
    const struct access *a = find(access);
    bool shared = strncmp(access, "shared", 6) == 0 || strstr(access, "matrix") || strncmp(access, "copy", 4) == 0;
    printf("%s %s", access, pattern_name);
    printf(number >= 0 ? " %d\n" : "\n", number);
    a->kernel<<<1, LANES, shared ? SHARED : 0>>>(*p, buffer, sink);
    check(cudaGetLastError(), access);
    check(cudaDeviceSynchronize(), access);
}

static void strided(const char *access, int stride, int offset, uint32_t mask, const char *name, int number) {
    struct pattern p;
    p.mask = mask;
    for (unsigned l = 0; l < LANES; l++)
        p.offsets[l] = (l * stride + offset) * find(access)->bytes;
    launch(access, name, number, &p);
}

static void all_strides(const char *access) {
    for (int stride = 1; stride <= 64; stride++)
        strided(access, stride, 0, ~0u, "stride", stride);
}

static void some_strides(const char *access) {
    static const int strides[] = {0, 1, 2, 3, 8, 17, 32, 33};
    for (int stride : strides)
        strided(access, stride, 0, ~0u, "stride", stride);
}

static void offsets(const char *access) {
    static const int offsets[] = {1, 3, 4, 8, 31};
    for (int offset : offsets)
        strided(access, 1, offset, ~0u, "offset", offset);
}

static void groups(const char *access) { /* lanes that share an address */
    static const int sizes[] = {2, 4, 8, 16};
    for (int size : sizes) {
        struct pattern near = {{0}, ~0u}, far = near;
        for (int l = 0; l < LANES; l++) {
            near.offsets[l] = l / size * find(access)->bytes;
            far.offsets[l] = l % (LANES / size) * find(access)->bytes * 9;
        }
        launch(access, "neighbours_share", size, &near);
        launch(access, "distant_share", size, &far);
    }
}

static void partial(const char *access) {
    static const uint32_t masks[] = {1, 0x80000000, 0xff, 0xffff, 0x7fffffff, 0x55555555, 0x11111111, 0x00ff00ff};
    for (int i = 0; i < 8; i++) {
        strided(access, 1, 0, masks[i], "partial", i);
        strided(access, 5, 1, masks[i], "partial_stride5", i);
    }
}

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t n) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static void random_ones(const char *access, int count, uint32_t range, const char *name) {
    for (int i = 0; i < count; i++) {
        struct pattern p;
        unsigned bytes = find(access)->bytes;
        bool whole = i % 2 || strstr(access, "matrix"); /* a matrix instruction needs all lanes */
        p.mask = whole ? ~0u : (random_below(1 << 16) | random_below(1 << 16) << 16);
        if (!p.mask)
            p.mask = 1;
        for (int l = 0; l < LANES; l++)
            p.offsets[l] = random_below(range / bytes) * bytes;
        launch(access, name, i, &p);
    }
}

/* A tile of `pitch` elements per row, read by columns: what a transpose does. `swizzle`: the column is xor-ed with the row. */
static void tile(const char *access, int pitch, int swizzle) {
    struct pattern p = {{0}, ~0u};
    for (int l = 0; l < LANES; l++)
        p.offsets[l] = (l * pitch + (swizzle ? 5 ^ l : 5)) * find(access)->bytes;
    launch(access, swizzle ? "swizzled_column" : "column", pitch, &p);
}

static void rows(const char *access, int pitch, const char *name) { /* of matrices: 16 bytes at each pitch */
    struct pattern p = {{0}, ~0u};
    for (int l = 0; l < LANES; l++)
        p.offsets[l] = l * pitch;
    launch(access, name, pitch, &p);
}

/* The argument is the number of the first launch to make: a profiler may take its time. */
int main(int argc, char **argv) {
    first_launch = argc > 1 ? atoi(argv[1]) : 0;
    static const char *const wide[] = {"load1", "load2", "load8", "load16", "store1", "store2", "store8", "store16"};
    static const char *const atomics[] = {"red4", "atom4", "red8", "cas4"};
    static const char *const few_atomics[] = {"red_float",  "red_max", "red_half2", "atom8",
                                              "atom_float", "exch4",   "cas8"};
    static const char *const shared_wide[] = {"shared_load1",  "shared_load2",  "shared_load8",  "shared_load16",
                                              "shared_store1", "shared_store2", "shared_store8", "shared_store16"};
    static const char *const shared_atomics[] = {"shared_count4", "shared_red4", "shared_atom4", "shared_cas4",
                                                 "shared_cas8"};
    static const char *const few_shared_atomics[] = {"shared_max4", "shared_exch4", "shared_exch8"};
    static const char *const matrices[] = {"ldmatrix1",       "ldmatrix2", "ldmatrix4",
                                           "ldmatrix4_trans", "stmatrix1", "stmatrix4"};
    static const char *const copies[] = {"copy4", "copy8", "copy16", "copy16_bypass"};
    check(cudaMalloc(&buffer, BUFFER), "cudaMalloc");
    check(cudaMemset(buffer, 0, BUFFER), "cudaMemset");
    check(cudaMalloc(&sink, sizeof *sink), "cudaMalloc");
    all_strides("load4");
    all_strides("shared_load4");
    some_strides("store4");
    some_strides("shared_store4");
    for (const char *a : {"load4", "store4", "shared_load4", "shared_store4"}) {
        offsets(a);
        groups(a);
        partial(a);
        random_ones(a, 4, 4096, "random4096");
        random_ones(a, 2, 256, "random256");
    }
    for (const char *a : {"load4_readonly", "load4_generic", "load4_volatile"}) {
        strided(a, 1, 0, ~0u, "stride", 1);
        strided(a, 32, 0, ~0u, "stride", 32);
        random_ones(a, 1, 1024, "random1024");
    }
    for (const char *a : wide) {
        some_strides(a);
        offsets(a);
        random_ones(a, 4, 2048, "random2048");
        random_ones(a, 2, 256, "random256");
    }
    for (const char *a : atomics) {
        some_strides(a);
        groups(a);
        random_ones(a, 4, 2048, "random2048");
        random_ones(a, 4, 128, "random128");
    }
    for (const char *a : few_atomics) {
        strided(a, 0, 0, ~0u, "stride", 0);
        strided(a, 1, 0, ~0u, "stride", 1);
        strided(a, 9, 0, ~0u, "stride", 9);
        random_ones(a, 2, 128, "random128");
    }
    for (const char *a : shared_wide) {
        some_strides(a);
        random_ones(a, 2, 4096, "random4096");
        random_ones(a, 2, 256, "random256");
    }
    for (const char *a : shared_atomics) {
        some_strides(a);
        groups(a);
        random_ones(a, 4, 2048, "random2048");
        random_ones(a, 4, 128, "random128");
    }
    for (const char *a : few_shared_atomics) {
        strided(a, 0, 0, ~0u, "stride", 0);
        strided(a, 1, 0, ~0u, "stride", 1);
        strided(a, 32, 0, ~0u, "stride", 32);
        random_ones(a, 2, 128, "random128");
    }
    for (const char *a : {"shared_load4", "shared_store4", "load4", "store4"}) {
        tile(a, 32, 0);
        tile(a, 33, 0);
        tile(a, 32, 1);
    }
    for (const char *a : matrices) {
        for (int pitch : {16, 32, 64, 80, 128, 144})
            rows(a, pitch, "pitch");
        random_ones(a, 2, 4096, "random4096");
    }
    for (const char *a : copies) {
        strided(a, 1, 0, ~0u, "stride", 1);
        strided(a, 3, 0, ~0u, "stride", 3);
        strided(a, 32, 0, ~0u, "stride", 32);
        strided(a, 1, 1, ~0u, "offset", 1);
        random_ones(a, 2, 2048, "random2048");
    }
    for (const char *a :
         {"copy16_apart", "copy16_bypass_apart", "copy16_bypass_mixed", "copy16_bypass_twice", "copy16_bypass_some"}) {
        for (int stride : {0, 1, 2, 5})
            strided(a, stride, 0, ~0u, "stride", stride);
        strided(a, 1, 1, ~0u, "offset", 1);
        random_ones(a, 4, 1024, "random1024");
    }
    return 0;
}
