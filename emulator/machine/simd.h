/* The few places where a loop over lanes is not enough: turning comparisons of lanes into bits.
 *
 * Vectors are GCC's and clang's own (vector_size); only the last step, a vector of 0 and -1 to a bit mask, has an
 * instruction of its own on each machine, and plain C where there is none. It is written as the compilers' builtin, not through
 * immintrin.h: the second tier compiles this with every kernel, and that header is longer than all the rest. */
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

/* Registers lie 64-byte aligned in a frame. */
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

/* Is any lane of one vector not the same in the other? */
static inline bool simd_differ32(simd_u32 a, simd_u32 b) {
#if defined(__AVX512F__)
    typedef int vector __attribute__((vector_size(64)));
    return __builtin_ia32_cmpd512_mask((vector)a, (vector)b, 4, (uint16_t)0xffff);
#else
    return simd_bits32((simd_i32)(a != b));
#endif
}

static inline bool simd_differ64(simd_u64 a, simd_u64 b) {
#if defined(__AVX512F__)
    typedef long long vector __attribute__((vector_size(64)));
    return __builtin_ia32_cmpq512_mask((vector)a, (vector)b, 4, (uint8_t)0xff);
#else
    simd_i64 differ = (simd_i64)(a != b);
    int64_t any = 0;
    for (int i = 0; i < 8; i++)
        any |= differ[i];
    return any;
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

/* A bit per lane in which a op b holds, for 32 lanes of the given vector type (a and b: pointers to the lanes). */
#define SIMD_COMPARE32(V, a, op, b)                                                                                    \
    (simd_bits32((simd_i32)(SIMD_AT(V, a) op SIMD_AT(V, b))) |                                                         \
     simd_bits32((simd_i32)(SIMD_AT(V, (a) + 16) op SIMD_AT(V, (b) + 16))) << 16)
#define SIMD_COMPARE64(V, a, op, b)                                                                                    \
    (simd_bits64((simd_i64)(SIMD_AT(V, a) op SIMD_AT(V, b))) |                                                         \
     simd_bits64((simd_i64)(SIMD_AT(V, (a) + 8) op SIMD_AT(V, (b) + 8))) << 8 |                                        \
     simd_bits64((simd_i64)(SIMD_AT(V, (a) + 16) op SIMD_AT(V, (b) + 16))) << 16 |                                     \
     simd_bits64((simd_i64)(SIMD_AT(V, (a) + 24) op SIMD_AT(V, (b) + 24))) << 24)

/* True when lane l of 16 is first + l * step. */
static inline bool simd_is_strided32(const uint32_t *lane, uint32_t step) {
    static const simd_u32 count = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return !simd_differ32(SIMD_AT(simd_u32, lane), lane[0] + count * step);
}

static inline bool simd_is_strided64(const uint64_t *lane, uint64_t step) {
    static const simd_u64 count = {0, 1, 2, 3, 4, 5, 6, 7};
    simd_i64 low = (simd_i64)(SIMD_AT(simd_u64, lane) != lane[0] + count * step);
    simd_i64 high = (simd_i64)(SIMD_AT(simd_u64, lane + 8) != lane[0] + (count + 8) * step);
    return simd_bits64(low | high) == 0;
}

#endif
