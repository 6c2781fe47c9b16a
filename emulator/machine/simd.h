/* The few places where a loop over lanes is not enough: comparing lanes, and turning comparisons into bits.
 *
 * Vectors are GCC's and clang's own (vector_size); only the last step, a vector of 0 and -1 to a bit mask, has a
 * dedicated instruction on each machine, and plain C where there is none. It is written as the compilers' builtin,
 * not through immintrin.h: the second tier compiles this with every kernel, and that header is longer than
 * everything else. */
#ifndef SIMD_H
#define SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 16 lanes of 32 bits, 8 of 64: one AVX-512 register; compilers split them on narrower machines. */
typedef int32_t simd_i32 __attribute__((vector_size(64), may_alias));
typedef uint32_t simd_u32 __attribute__((vector_size(64), may_alias));
typedef float simd_f32 __attribute__((vector_size(64), may_alias));
typedef int64_t simd_i64 __attribute__((vector_size(64), may_alias));
typedef uint64_t simd_u64 __attribute__((vector_size(64), may_alias));
typedef double simd_f64 __attribute__((vector_size(64), may_alias));

/* The bytes of a register of this machine. */
#if defined(__AVX512BW__)
#define SIMD_REGISTER 64
#elif defined(__AVX2__)
#define SIMD_REGISTER 32
#else
#define SIMD_REGISTER 16
#endif

/* V name(V a, V b): -1 in each lane in which a op b holds, else 0. T is the type of a lane. All comparisons of
 * vectors are these: gcc splits other operations on vectors that are wider than a register, but compares them lane by
 * lane (12.2 for AVX2: 145 instructions for 16 lanes, where 20 do). */
#define SIMD_COMPARISON(name, V, T, op)                                                                                \
    static inline V name(V a, V b) {                                                                                   \
        enum { BYTES = sizeof(V) < SIMD_REGISTER ? sizeof(V) : SIMD_REGISTER, PARTS = sizeof(V) / BYTES };             \
        typedef T part __attribute__((vector_size(BYTES)));                                                            \
        part x[PARTS], y[PARTS];                                                                                       \
        memcpy(x, &a, sizeof x);                                                                                       \
        memcpy(y, &b, sizeof y);                                                                                       \
        for (int i = 0; i < PARTS; i++)                                                                                \
            x[i] = (part)(x[i] op y[i]);                                                                               \
        memcpy(&a, x, sizeof x);                                                                                       \
        return a;                                                                                                      \
    }
SIMD_COMPARISON(simd_equal32, simd_u32, uint32_t, ==)
SIMD_COMPARISON(simd_less32, simd_u32, uint32_t, <)
SIMD_COMPARISON(simd_equal64, simd_u64, uint64_t, ==)

/* Registers are 64-byte aligned in a frame. */
#define SIMD_AT(V, pointer) (*(const V *)(const void *)(pointer))

static inline uint32_t simd_bits32(simd_i32 v) { /* bit l: lane l is -1 */
#if defined(__AVX512DQ__)
    typedef int vector __attribute__((vector_size(64)));
    return (uint16_t)__builtin_ia32_cvtd2mask512((vector)v);
#elif defined(__AVX2__)
    typedef float vector __attribute__((vector_size(32)));
    vector half[2];
    memcpy(half, &v, sizeof half);
    return (uint32_t)__builtin_ia32_movmskps256(half[0]) | (uint32_t)__builtin_ia32_movmskps256(half[1]) << 8;
#else
    uint32_t bits = 0;
    for (int l = 0; l < 16; l++)
        bits |= ((uint32_t)v[l] & 1) << l;
    return bits;
#endif
}

/* Of the 32 lanes of a warp; 64-byte aligned. */
static inline uint32_t simd_lane_bits(const int32_t *lane) {
    return simd_bits32(SIMD_AT(simd_i32, lane)) | simd_bits32(SIMD_AT(simd_i32, lane + 16)) << 16;
}

static inline uint32_t simd_bits64(simd_i64 v) {
#if defined(__AVX512DQ__)
    typedef long long vector __attribute__((vector_size(64)));
    return (uint8_t)__builtin_ia32_cvtq2mask512((vector)v);
#elif defined(__AVX2__)
    typedef double vector __attribute__((vector_size(32)));
    vector half[2];
    memcpy(half, &v, sizeof half);
    return (uint32_t)__builtin_ia32_movmskpd256(half[0]) | (uint32_t)__builtin_ia32_movmskpd256(half[1]) << 4;
#else
    uint32_t bits = 0;
    for (int l = 0; l < 8; l++)
        bits |= ((uint32_t)v[l] & 1) << l;
    return bits;
#endif
}

/* Is any lane of one vector not the same in the other? */
static inline bool simd_differ32(simd_u32 a, simd_u32 b) {
#if defined(__AVX512F__)
    typedef int vector __attribute__((vector_size(64)));
    return __builtin_ia32_cmpd512_mask((vector)a, (vector)b, 4, (uint16_t)0xffff);
#else
    return simd_bits32((simd_i32)simd_equal32(a, b)) != 0xffff;
#endif
}

static inline bool simd_differ64(simd_u64 a, simd_u64 b) {
#if defined(__AVX512F__)
    typedef long long vector __attribute__((vector_size(64)));
    return __builtin_ia32_cmpq512_mask((vector)a, (vector)b, 4, (uint8_t)0xff);
#else
    return simd_bits64((simd_i64)simd_equal64(a, b)) != 0xff;
#endif
}

/* True when lane l of 16 is first + l * step. */
static inline bool simd_is_strided32(const uint32_t *lane, uint32_t step) {
    static const simd_u32 count = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return !simd_differ32(SIMD_AT(simd_u32, lane), lane[0] + count * step);
}

static inline bool simd_is_strided64(const uint64_t *lane, uint64_t step) {
    static const simd_u64 count = {0, 1, 2, 3, 4, 5, 6, 7};
    return !simd_differ64(SIMD_AT(simd_u64, lane), lane[0] + count * step) &&
           !simd_differ64(SIMD_AT(simd_u64, lane + 8), lane[0] + (count + 8) * step);
}

#endif
