/* Every tensor core instruction under test: a kernel of one warp for each, which takes its operands from memory and
 * writes its result there, registers or matrices as 32-bit words. Registers lie as word[register][lane], those of 64
 * bits as two words next to each other. */
#ifndef CASES_H
#define CASES_H

#include <stdint.h>

#include "values.h"

typedef void (*case_kernel)(const uint32_t *in, uint32_t *out);

struct tensor_case {
    const char *name;
    case_kernel kernel;
    enum value_type a, b, c; /* of what; words of it */
    unsigned a_words, b_words, c_words, d_words;
    bool positions; /* a holds the number of each element, a few bits of it per trial: where does it go? */
};

#define MAX_CASES 512
static struct tensor_case cases[MAX_CASES];
static unsigned case_count;

struct register_case {
    register_case(const struct tensor_case &c) { cases[case_count++] = c; }
};

__device__ static const uint32_t *of_trial(const uint32_t *p, unsigned words) {
    return p + (size_t)blockIdx.x * words;
}

/* ---- lists of registers in asm ---- */

/* clang-format off */
#define REGISTERS_2_1_1_2 "{%0,%1}, {%2}, {%3}, {%4,%5}"
#define REGISTERS_4_2_1_4 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10}"
#define REGISTERS_4_4_2_4 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}"
#define REGISTERS_4_8_4_4 "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19}"
#define REGISTERS_4_2_2_4 "{%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}"
#define REGISTERS_8_2_2_8 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}"
#define REGISTERS_8_2_2_4 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15}"
#define REGISTERS_2_2_1_2 "{%0,%1}, {%2,%3}, {%4}, {%5,%6}"
#define REGISTERS_2_4_2_2 "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9}"
#define REGISTERS_8_8_8_8 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, " \
    "{%16,%17,%18,%19,%20,%21,%22,%23}, {%24,%25,%26,%27,%28,%29,%30,%31}"
#define REGISTERS_4_8_8_4 "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, " \
    "{%12,%13,%14,%15,%16,%17,%18,%19}, {%20,%21,%22,%23}"
#define REGISTERS_8_8_8_4 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, " \
    "{%16,%17,%18,%19,%20,%21,%22,%23}, {%24,%25,%26,%27}"
#define REGISTERS_4_8_8_8 "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, " \
    "{%12,%13,%14,%15,%16,%17,%18,%19}, {%20,%21,%22,%23,%24,%25,%26,%27}"
#define REGISTERS_8_4_4_8 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, " \
    "{%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}"
#define REGISTERS_8_2_8_8 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, " \
    "{%10,%11,%12,%13,%14,%15,%16,%17}, {%18,%19,%20,%21,%22,%23,%24,%25}"
#define REGISTERS_8_8_2_8 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, " \
    "{%16,%17}, {%18,%19,%20,%21,%22,%23,%24,%25}"
#define REGISTERS_8_2_1_8 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10}, {%11,%12,%13,%14,%15,%16,%17,%18}"
#define REGISTERS_8_1_4_8 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8}, {%9,%10,%11,%12}, {%13,%14,%15,%16,%17,%18,%19,%20}"
#define REGISTERS_8_4_1_8 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12}, {%13,%14,%15,%16,%17,%18,%19,%20}"
/* clang-format on */
#define OUT1(c, x) "=" c(x[0])
#define OUT2(c, x) OUT1(c, x), "=" c(x[1])
#define OUT4(c, x) OUT2(c, x), "=" c(x[2]), "=" c(x[3])
#define OUT8(c, x) OUT4(c, x), "=" c(x[4]), "=" c(x[5]), "=" c(x[6]), "=" c(x[7])
#define IN1(c, x)  c(x[0])
#define IN2(c, x)  IN1(c, x), c(x[1])
#define IN4(c, x)  IN2(c, x), c(x[2]), c(x[3])
#define IN8(c, x)  IN4(c, x), c(x[4]), c(x[5]), c(x[6]), c(x[7])
#define LIST1      "{%0}"
#define LIST2      "{%0,%1}"
#define LIST4      "{%0,%1,%2,%3}"
#define LIST8      "{%0,%1,%2,%3,%4,%5,%6,%7}"

/* ---- mma ---- */

/* A kernel that executes `text` on registers of `bits`; D, A, B, C are their numbers. */
#define MMA(id, text, word, letter, D, A, B, C, ta, tb, tc)                                                            \
    static __global__ void id(const uint32_t *in, uint32_t *out) {                                                     \
        const word *p = (const word *)of_trial(in, (A + B + C) * 32 * (sizeof(word) / 4)) + threadIdx.x;               \
        word d[D], a[A], b[B], c[C];                                                                                   \
        for (int i = 0; i < A; i++)                                                                                    \
            a[i] = p[32 * i];                                                                                          \
        for (int i = 0; i < B; i++)                                                                                    \
            b[i] = p[32 * (A + i)];                                                                                    \
        for (int i = 0; i < C; i++)                                                                                    \
            c[i] = p[32 * (A + B + i)];                                                                                \
        asm volatile(text " " REGISTERS_##D##_##A##_##B##_##C ";"                                                      \
                     : OUT##D(letter, d)                                                                               \
                     : IN##A(letter, a), IN##B(letter, b), IN##C(letter, c));                                          \
        for (int i = 0; i < D; i++)                                                                                    \
            ((word *)out)[((size_t)blockIdx.x * D + i) * 32 + threadIdx.x] = d[i];                                     \
    }                                                                                                                  \
    static register_case case_##id({text, id, ta, tb, tc, A * 8 * sizeof(word), B * 8 * sizeof(word),                  \
                                    C * 8 * sizeof(word), D * 8 * sizeof(word), false});

/* The usual form, all in 32-bit registers. */
#define MMA_DENSE(shape, d, a, b, c, ...)                                                                              \
    MMA(mma_##shape##_##d##_##a##_##b##_##c, "mma.sync.aligned." #shape ".row.col." #d "." #a "." #b "." #c, uint32_t, \
        "r", __VA_ARGS__, VALUE_##a, VALUE_##b, VALUE_##c)
MMA_DENSE(m16n8k8, f16, f16, f16, f16, 2, 2, 1, 2)
MMA_DENSE(m16n8k8, f32, f16, f16, f32, 4, 2, 1, 4)
MMA_DENSE(m16n8k16, f16, f16, f16, f16, 2, 4, 2, 2)
MMA_DENSE(m16n8k16, f32, f16, f16, f32, 4, 4, 2, 4)
MMA_DENSE(m16n8k8, f32, bf16, bf16, f32, 4, 2, 1, 4)
MMA_DENSE(m16n8k16, f32, bf16, bf16, f32, 4, 4, 2, 4)
MMA_DENSE(m16n8k4, f32, tf32, tf32, f32, 4, 2, 1, 4)
MMA_DENSE(m16n8k8, f32, tf32, tf32, f32, 4, 4, 2, 4)

#define MMA_FP8(a, b)                                                                                                  \
    MMA_DENSE(m16n8k16, f16, a, b, f16, 2, 2, 1, 2)                                                                    \
    MMA_DENSE(m16n8k16, f32, a, b, f32, 4, 2, 1, 4)                                                                    \
    MMA_DENSE(m16n8k32, f16, a, b, f16, 2, 4, 2, 2)                                                                    \
    MMA_DENSE(m16n8k32, f32, a, b, f32, 4, 4, 2, 4)
MMA_FP8(e4m3, e4m3)
MMA_FP8(e4m3, e5m2)
MMA_FP8(e5m2, e4m3)
MMA_FP8(e5m2, e5m2)

/* Volta's shape, with its layouts */
#define MMA_884(la, lb, d, c, ...)                                                                                     \
    MMA(mma_m8n8k4_##la##_##lb##_##d##_##c, "mma.sync.aligned.m8n8k4." #la "." #lb "." #d ".f16.f16." #c, uint32_t,    \
        "r", __VA_ARGS__, VALUE_f16, VALUE_f16, VALUE_##c)
#define MMA_884_LAYOUTS(d, c, ...)                                                                                     \
    MMA_884(row, row, d, c, __VA_ARGS__)                                                                               \
    MMA_884(row, col, d, c, __VA_ARGS__) MMA_884(col, row, d, c, __VA_ARGS__) MMA_884(col, col, d, c, __VA_ARGS__)
MMA_884_LAYOUTS(f16, f16, 4, 2, 2, 4)
MMA_884_LAYOUTS(f32, f16, 8, 2, 2, 4)
MMA_884_LAYOUTS(f32, f32, 8, 2, 2, 8)

#define MMA_DOUBLE(shape, rounding, ...)                                                                               \
    MMA(mma_f64_##shape##_##rounding, "mma.sync.aligned." #shape ".row.col." #rounding ".f64.f64.f64.f64", uint64_t,   \
        "l", __VA_ARGS__, VALUE_f64, VALUE_f64, VALUE_f64)
#define MMA_DOUBLES(shape, ...)                                                                                        \
    MMA_DOUBLE(shape, rn, __VA_ARGS__)                                                                                 \
    MMA_DOUBLE(shape, rz, __VA_ARGS__) MMA_DOUBLE(shape, rm, __VA_ARGS__) MMA_DOUBLE(shape, rp, __VA_ARGS__)
MMA_DOUBLES(m8n8k4, 2, 1, 1, 2)
MMA_DOUBLES(m16n8k4, 4, 2, 1, 4)
MMA_DOUBLES(m16n8k8, 4, 4, 2, 4)
MMA_DOUBLES(m16n8k16, 4, 8, 4, 4)

#define MMA_INTEGER(shape, a, b, ...)                                                                                  \
    MMA_DENSE(shape, s32, a, b, s32, __VA_ARGS__)                                                                      \
    MMA(mma_##shape##_##a##_##b##_satfinite, "mma.sync.aligned." #shape ".row.col.satfinite.s32." #a "." #b ".s32",    \
        uint32_t, "r", __VA_ARGS__, VALUE_##a, VALUE_##b, VALUE_s32)
#define MMA_INTEGERS(shape, s, u, ...)                                                                                 \
    MMA_INTEGER(shape, s, s, __VA_ARGS__)                                                                              \
    MMA_INTEGER(shape, s, u, __VA_ARGS__) MMA_INTEGER(shape, u, s, __VA_ARGS__) MMA_INTEGER(shape, u, u, __VA_ARGS__)
MMA_INTEGERS(m8n8k16, s8, u8, 2, 1, 1, 2)
MMA_INTEGERS(m16n8k16, s8, u8, 4, 2, 1, 4)
MMA_INTEGERS(m16n8k32, s8, u8, 4, 4, 2, 4)
MMA_INTEGERS(m8n8k32, s4, u4, 2, 1, 1, 2)
MMA_INTEGERS(m16n8k32, s4, u4, 4, 2, 1, 4)
MMA_INTEGERS(m16n8k64, s4, u4, 4, 4, 2, 4)

#define MMA_BITS(shape, operation, ...)                                                                                \
    MMA(mma_##shape##_##operation, "mma.sync.aligned." #shape ".row.col.s32.b1.b1.s32." #operation ".popc", uint32_t,  \
        "r", __VA_ARGS__, VALUE_b1, VALUE_b1, VALUE_s32)
MMA_BITS(m8n8k128, xor, 2, 1, 1, 2)
MMA_BITS(m8n8k128, and, 2, 1, 1, 2)
MMA_BITS(m16n8k128, xor, 4, 2, 1, 4)
MMA_BITS(m16n8k128, and, 4, 2, 1, 4)
MMA_BITS(m16n8k256, xor, 4, 4, 2, 4)
MMA_BITS(m16n8k256, and, 4, 4, 2, 4)

/* ---- wmma: where the elements of a matrix go ---- */

/* x: N registers; consecutive rows (columns in the layout col) begin `stride` elements apart. */
#define WMMA_READ(x, N, letter, matrix, layout, shape, type, p, stride)                                                \
    asm volatile("{.reg .b32 stride; mov.b32 stride, " #stride ";\n\t"                                                 \
                 "wmma.load." #matrix ".sync.aligned." #layout "." #shape ".global." #type " " LIST##N ", [%" #N       \
                                                                                                       "], stride; }"  \
                 : OUT##N(letter, x)                                                                                   \
                 : "l"(p))

/* rows x columns elements of `bits` as they lie in memory */
#define WMMA_LOAD(matrix, layout, shape, type, word, letter, N, bits, rows, columns)                                   \
    static __global__ void load_##matrix##_##layout##_##shape##_##type(const uint32_t *in, uint32_t *out) {            \
        word d[N];                                                                                                     \
        WMMA_READ(d, N, letter, matrix, layout, shape, type, of_trial(in, rows *columns *bits / 32), columns);         \
        for (int i = 0; i < N; i++)                                                                                    \
            ((word *)out)[((size_t)blockIdx.x * N + i) * 32 + threadIdx.x] = d[i];                                     \
    }                                                                                                                  \
    static register_case case_load_##matrix##_##layout##_##shape##_##type(                                             \
        {"wmma.load." #matrix ".sync.aligned." #layout "." #shape ".global." #type,                                    \
         load_##matrix##_##layout##_##shape##_##type, VALUE_POSITIONS_##bits, VALUE_b1, VALUE_b1,                      \
         rows * columns * bits / 32, 0, 0, N * 8 * sizeof(word), true});

/* rows x columns is the matrix; in the layout col, memory holds its transpose. */
#define WMMA_LOAD_BOTH(matrix, shape, type, N, bits, rows, columns)                                                    \
    WMMA_LOAD(matrix, row, shape, type, uint32_t, "r", N, bits, rows, columns)                                         \
    WMMA_LOAD(matrix, col, shape, type, uint32_t, "r", N, bits, columns, rows)
#define WMMA_LOADS(shape, type, na, nb, bits, m, n, k)                                                                 \
    WMMA_LOAD_BOTH(a, shape, type, na, bits, m, k)                                                                     \
    WMMA_LOAD_BOTH(b, shape, type, nb, bits, k, n)
#define WMMA_LOADS_8(type)                                                                                             \
    WMMA_LOADS(m16n16k16, type, 2, 2, 8, 16, 16, 16)                                                                   \
    WMMA_LOADS(m8n32k16, type, 1, 4, 8, 8, 32, 16)                                                                     \
    WMMA_LOADS(m32n8k16, type, 4, 1, 8, 32, 8, 16)
WMMA_LOADS(m16n16k16, f16, 8, 8, 16, 16, 16, 16)
WMMA_LOADS(m8n32k16, f16, 8, 8, 16, 8, 32, 16)
WMMA_LOADS(m32n8k16, f16, 8, 8, 16, 32, 8, 16)
WMMA_LOADS(m16n16k16, bf16, 4, 4, 16, 16, 16, 16)
WMMA_LOADS(m8n32k16, bf16, 2, 8, 16, 8, 32, 16)
WMMA_LOADS(m32n8k16, bf16, 8, 2, 16, 32, 8, 16)
WMMA_LOADS_8(s8)
WMMA_LOADS_8(u8)
WMMA_LOADS(m16n16k8, tf32, 4, 4, 32, 16, 16, 8)
#define WMMA_LOAD_C(type, N, bits)                                                                                     \
    WMMA_LOAD_BOTH(c, m16n16k16, type, N, bits, 16, 16)                                                                \
    WMMA_LOAD_BOTH(c, m8n32k16, type, N, bits, 8, 32) WMMA_LOAD_BOTH(c, m32n8k16, type, N, bits, 32, 8)
WMMA_LOAD_C(f16, 4, 16)
WMMA_LOAD_C(f32, 8, 32)
WMMA_LOAD_C(s32, 8, 32)
WMMA_LOAD_BOTH(c, m16n16k8, f32, 8, 32, 16, 16)
WMMA_LOAD(a, row, m8n8k4, f64, uint64_t, "l", 1, 64, 8, 4)
WMMA_LOAD(a, col, m8n8k4, f64, uint64_t, "l", 1, 64, 4, 8)
WMMA_LOAD(b, row, m8n8k4, f64, uint64_t, "l", 1, 64, 4, 8)
WMMA_LOAD(b, col, m8n8k4, f64, uint64_t, "l", 1, 64, 8, 4)
WMMA_LOAD(c, row, m8n8k4, f64, uint64_t, "l", 2, 64, 8, 8)
WMMA_LOAD(c, col, m8n8k4, f64, uint64_t, "l", 2, 64, 8, 8)
#define WMMA_LOADS_NARROW(type, shape, bits, k)                                                                        \
    WMMA_LOAD(a, row, shape, type, uint32_t, "r", 1, bits, 8, k)                                                       \
    WMMA_LOAD(b, col, shape, type, uint32_t, "r", 1, bits, 8, k)
WMMA_LOADS_NARROW(s4, m8n8k32, 4, 32)
WMMA_LOADS_NARROW(u4, m8n8k32, 4, 32)
WMMA_LOADS_NARROW(b1, m8n8k128, 1, 128)
WMMA_LOAD_BOTH(c, m8n8k32, s32, 2, 32, 8, 8)
WMMA_LOAD_BOTH(c, m8n8k128, s32, 2, 32, 8, 8)

/* ---- wmma: load, multiply, store ---- */

#define STRIDE_row(rows, columns)              columns
#define STRIDE_col(rows, columns)              rows
#define WMMA_READ_EXPANDED(...)                WMMA_READ(__VA_ARGS__)
#define WMMA_MATRIX_WORDS(type, rows, columns) ((rows) * (columns)*VALUE_BITS_##type / 32)

/* D, A, B, C: numbers of registers of type `word` */
#define WMMA(id, text, la, lb, shape, m, n, k, td, ta, tb, tc, word, letter, D, A, B, C)                               \
    static __global__ void id(const uint32_t *in, uint32_t *out) {                                                     \
        const uint32_t *pa = of_trial(in, WMMA_MATRIX_WORDS(ta, m, k) + WMMA_MATRIX_WORDS(tb, k, n) +                  \
                                              WMMA_MATRIX_WORDS(tc, m, n)),                                            \
                       *pb = pa + WMMA_MATRIX_WORDS(ta, m, k), *pc = pb + WMMA_MATRIX_WORDS(tb, k, n);                 \
        word a[A], b[B], c[C], d[D];                                                                                   \
        WMMA_READ_EXPANDED(a, A, letter, a, la, shape, ta, pa, STRIDE_##la(m, k));                                     \
        WMMA_READ_EXPANDED(b, B, letter, b, lb, shape, tb, pb, STRIDE_##lb(k, n));                                     \
        WMMA_READ(c, C, letter, c, row, shape, tc, pc, n);                                                             \
        asm volatile(text " " REGISTERS_##D##_##A##_##B##_##C ";"                                                      \
                     : OUT##D(letter, d)                                                                               \
                     : IN##A(letter, a), IN##B(letter, b), IN##C(letter, c));                                          \
        asm volatile("{.reg .b32 stride; mov.b32 stride, " #n ";\n\t"                                                  \
                     "wmma.store.d.sync.aligned.row." #shape ".global." #td " [%" #D "], " LIST##D                     \
                     ", stride; }" ::IN##D(letter, d),                                                                 \
                     "l"(out + (size_t)blockIdx.x * WMMA_MATRIX_WORDS(td, m, n))                                       \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    static register_case case_##id({text, id, VALUE_##ta, VALUE_##tb, VALUE_##tc, WMMA_MATRIX_WORDS(ta, m, k),         \
                                    WMMA_MATRIX_WORDS(tb, k, n), WMMA_MATRIX_WORDS(tc, m, n),                          \
                                    WMMA_MATRIX_WORDS(td, m, n), false});

#define WMMA_LAYOUTS(WHAT, ...)                                                                                        \
    WHAT(row, row, __VA_ARGS__) WHAT(row, col, __VA_ARGS__) WHAT(col, row, __VA_ARGS__) WHAT(col, col, __VA_ARGS__)

#define WMMA_HALF(la, lb, shape, m, n, k, td, tc, D, C)                                                                \
    WMMA(wmma_##la##_##lb##_##shape##_##td##_##tc, "wmma.mma.sync.aligned." #la "." #lb "." #shape "." #td "." #tc,    \
         la, lb, shape, m, n, k, td, f16, f16, tc, uint32_t, "r", D, 8, 8, C)
#define WMMA_HALVES(shape, m, n, k)                                                                                    \
    WMMA_LAYOUTS(WMMA_HALF, shape, m, n, k, f16, f16, 4, 4)                                                            \
    WMMA_LAYOUTS(WMMA_HALF, shape, m, n, k, f16, f32, 4, 8)                                                            \
    WMMA_LAYOUTS(WMMA_HALF, shape, m, n, k, f32, f16, 8, 4) WMMA_LAYOUTS(WMMA_HALF, shape, m, n, k, f32, f32, 8, 8)
WMMA_HALVES(m16n16k16, 16, 16, 16)
WMMA_HALVES(m8n32k16, 8, 32, 16)
WMMA_HALVES(m32n8k16, 32, 8, 16)

#define WMMA_SAME(la, lb, shape, m, n, k, td, t, ...)                                                                  \
    WMMA(wmma_##la##_##lb##_##shape##_##t,                                                                             \
         "wmma.mma.sync.aligned." #la "." #lb "." #shape "." #td "." #t "." #t "." #td, la, lb, shape, m, n, k, td, t, \
         t, td, uint32_t, "r", __VA_ARGS__)
WMMA_LAYOUTS(WMMA_SAME, m16n16k16, 16, 16, 16, f32, bf16, 8, 4, 4, 8)
WMMA_LAYOUTS(WMMA_SAME, m8n32k16, 8, 32, 16, f32, bf16, 8, 2, 8, 8)
WMMA_LAYOUTS(WMMA_SAME, m32n8k16, 32, 8, 16, f32, bf16, 8, 8, 2, 8)
WMMA_LAYOUTS(WMMA_SAME, m16n16k8, 16, 16, 8, f32, tf32, 8, 4, 4, 8)

#define WMMA_SATURATED(la, lb, shape, m, n, k, td, t, ...)                                                             \
    WMMA(wmma_##la##_##lb##_##shape##_##t##_satfinite,                                                                 \
         "wmma.mma.sync.aligned." #la "." #lb "." #shape "." #td "." #t "." #t "." #td ".satfinite", la, lb, shape, m, \
         n, k, td, t, t, td, uint32_t, "r", __VA_ARGS__)
#define WMMA_INTEGERS(t)                                                                                               \
    WMMA_LAYOUTS(WMMA_SAME, m16n16k16, 16, 16, 16, s32, t, 8, 2, 2, 8)                                                 \
    WMMA_LAYOUTS(WMMA_SAME, m8n32k16, 8, 32, 16, s32, t, 8, 1, 4, 8)                                                   \
    WMMA_LAYOUTS(WMMA_SAME, m32n8k16, 32, 8, 16, s32, t, 8, 4, 1, 8)                                                   \
    WMMA_SATURATED(row, col, m16n16k16, 16, 16, 16, s32, t, 8, 2, 2, 8)                                                \
    WMMA_SATURATED(row, col, m8n32k16, 8, 32, 16, s32, t, 8, 1, 4, 8)                                                  \
    WMMA_SATURATED(row, col, m32n8k16, 32, 8, 16, s32, t, 8, 4, 1, 8)
WMMA_INTEGERS(s8)
WMMA_INTEGERS(u8)
#define WMMA_NARROW(t)                                                                                                 \
    WMMA_SAME(row, col, m8n8k32, 8, 8, 32, s32, t, 2, 1, 1, 2)                                                         \
    WMMA_SATURATED(row, col, m8n8k32, 8, 8, 32, s32, t, 2, 1, 1, 2)
WMMA_NARROW(s4)
WMMA_NARROW(u4)
#define WMMA_BITS(operation)                                                                                           \
    WMMA(wmma_##operation, "wmma.mma." #operation ".popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", row, col,       \
         m8n8k128, 8, 8, 128, s32, b1, b1, s32, uint32_t, "r", 2, 1, 1, 2)
WMMA_BITS(xor)
WMMA_BITS(and)
#define WMMA_DOUBLE(la, lb, rounding)                                                                                  \
    WMMA(wmma_##la##_##lb##_f64_##rounding,                                                                            \
         "wmma.mma.sync.aligned." #la "." #lb ".m8n8k4." #rounding ".f64.f64.f64.f64", la, lb, m8n8k4, 8, 8, 4, f64,   \
         f64, f64, f64, uint64_t, "l", 2, 1, 1, 2)
WMMA_LAYOUTS(WMMA_DOUBLE, rn)
WMMA_DOUBLE(row, col, rz)
WMMA_DOUBLE(row, col, rm)
WMMA_DOUBLE(row, col, rp)

/* ---- ldmatrix, stmatrix, movmatrix ---- */

/* Lane l gives the address of row l; the rows lie backwards in shared memory. */
#define LDMATRIX(count, trans, N)                                                                                      \
    static __global__ void ldmatrix_##count##trans(const uint32_t *in, uint32_t *out) {                                \
        __shared__ alignas(16) uint32_t rows[32][4];                                                                   \
        unsigned l = threadIdx.x;                                                                                      \
        for (int i = 0; i < 4; i++)                                                                                    \
            rows[31 - l][i] = of_trial(in, 128)[4 * l + i];                                                            \
        __syncwarp();                                                                                                  \
        uint32_t d[N];                                                                                                 \
        asm volatile("ldmatrix.sync.aligned.m8n8." LDMATRIX_MODIFIERS_##count##trans ".shared.b16 " LIST##N ", [%" #N  \
                                                                                                            "];"       \
                     : OUT##N("r", d)                                                                                  \
                     : "r"((unsigned)__cvta_generic_to_shared(rows[31 - l])));                                         \
        for (int i = 0; i < N; i++)                                                                                    \
            out[((size_t)blockIdx.x * N + i) * 32 + l] = d[i];                                                         \
    }                                                                                                                  \
    static register_case case_ldmatrix_##count##trans(                                                                 \
        {"ldmatrix.sync.aligned.m8n8." LDMATRIX_MODIFIERS_##count##trans ".shared.b16", ldmatrix_##count##trans,       \
         VALUE_b1, VALUE_b1, VALUE_b1, 128, 0, 0, N * 32, false});
#define STMATRIX(count, trans, N)                                                                                      \
    static __global__ void stmatrix_##count##trans(const uint32_t *in, uint32_t *out) {                                \
        __shared__ alignas(16) uint32_t rows[32][4];                                                                   \
        unsigned l = threadIdx.x;                                                                                      \
        uint32_t d[N];                                                                                                 \
        for (int i = 0; i < 4; i++)                                                                                    \
            rows[l][i] = 0;                                                                                            \
        for (int i = 0; i < N; i++)                                                                                    \
            d[i] = of_trial(in, N * 32)[32 * i + l];                                                                   \
        __syncwarp();                                                                                                  \
        asm volatile("stmatrix.sync.aligned.m8n8." LDMATRIX_MODIFIERS_##count##trans ".shared.b16 [%" #N "], " LIST##N \
                     ";" ::IN##N("r", d),                                                                              \
                     "r"((unsigned)__cvta_generic_to_shared(rows[31 - l]))                                             \
                     : "memory");                                                                                      \
        __syncwarp();                                                                                                  \
        for (int i = 0; i < 4; i++)                                                                                    \
            out[(size_t)blockIdx.x * 128 + 4 * l + i] = rows[31 - l][i];                                               \
    }                                                                                                                  \
    static register_case case_stmatrix_##count##trans(                                                                 \
        {"stmatrix.sync.aligned.m8n8." LDMATRIX_MODIFIERS_##count##trans ".shared.b16", stmatrix_##count##trans,       \
         VALUE_b1, VALUE_b1, VALUE_b1, N * 32, 0, 0, 128, false});
#define LDMATRIX_MODIFIERS_x1       "x1"
#define LDMATRIX_MODIFIERS_x2       "x2"
#define LDMATRIX_MODIFIERS_x4       "x4"
#define LDMATRIX_MODIFIERS_x1_trans "x1.trans"
#define LDMATRIX_MODIFIERS_x2_trans "x2.trans"
#define LDMATRIX_MODIFIERS_x4_trans "x4.trans"
LDMATRIX(x1, , 1)
LDMATRIX(x2, , 2)
LDMATRIX(x4, , 4)
LDMATRIX(x1, _trans, 1)
LDMATRIX(x2, _trans, 2)
LDMATRIX(x4, _trans, 4)
STMATRIX(x1, , 1)
STMATRIX(x2, , 2)
STMATRIX(x4, , 4)
STMATRIX(x1, _trans, 1)
STMATRIX(x2, _trans, 2)
STMATRIX(x4, _trans, 4)

static __global__ void movmatrix(const uint32_t *in, uint32_t *out) {
    uint32_t d;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(of_trial(in, 32)[threadIdx.x]));
    out[(size_t)blockIdx.x * 32 + threadIdx.x] = d;
}
static register_case case_movmatrix({"movmatrix.sync.aligned.m8n8.trans.b16", movmatrix, VALUE_b1, VALUE_b1, VALUE_b1,
                                     32, 0, 0, 32, false});

#endif
