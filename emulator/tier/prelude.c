/* Behind the operations: what the text of a kernel uses. OPERATION makes the frame of one lane with all of an instruction's
 * operands in it, 16 bytes each. */
#undef OPERATION
#define OPERAND(T, k) (*(T *)(void *)(f + 16 * (k)))
#define OPERATION(imm_, kind_)                                                                                         \
    uint8_t f[96] __attribute__((aligned(16)));                                                                        \
    struct warp x = {.regs = f, .mask = 1};                                                                            \
    static const struct insn n = {.op = {0, 16, 32, 48, 64, 80}, .imm = imm_, .kind = kind_};                          \
    OPERAND(uint64_t, 0) = OPERAND(uint64_t, 1) = 0

#define RUN(i) code[i].run(w, code + (i))
/* The same for some of the lanes. */
#define REST(i, rest)                                                                                                  \
    do {                                                                                                               \
        w->mask = rest;                                                                                                \
        const struct insn *then = RUN(i);                                                                              \
        w->mask = m;                                                                                                   \
        if (then != code + (i) + 1)                                                                                    \
            return then;                                                                                               \
    } while (0)
#define GO(to)                                                                                                         \
    {                                                                                                                  \
        pc = to;                                                                                                       \
        continue;                                                                                                      \
    }
/* The interpreter does instruction i; here it goes on only at `next` and with the same lanes. */
#define DO(i, next)                                                                                                    \
    do {                                                                                                               \
        const struct insn *then = RUN(i);                                                                              \
        if (then != code + (next) || w->mask != m)                                                                     \
            return then;                                                                                               \
    } while (0)

/* The new value where lane l is one of m, by arithmetic: compilers make a branch of a store that depends on a mask. */
#define BLEND(T, old, value) (T)((old) ^ (((old) ^ (value)) & -(T)(m >> l & 1)))

#define CANONICAL(v)                                                                                                   \
    (((v)&0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : (v)) /* the macros of ops/ieee.h are not here any more */

/* Bit l: lane l is -1. */
static inline uint32_t lane_bits(const int32_t *t) {
#if defined(__AVX512DQ__)
    typedef int vector __attribute__((vector_size(64)));
    return (uint32_t)(uint16_t)__builtin_ia32_cvtd2mask512(*(const vector *)(const void *)t) |
           (uint32_t)(uint16_t)__builtin_ia32_cvtd2mask512(*(const vector *)(const void *)(t + 16)) << 16;
#elif defined(__AVX__)
    typedef float vector __attribute__((vector_size(32)));
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (uint32_t)__builtin_ia32_movmskps256(*(const vector *)(const void *)(t + 8 * i)) << 8 * i;
    return bits;
#else
    uint32_t bits = 0;
    for (int l = 0; l < 32; l++)
        bits |= (uint32_t)t[l] & 1u << l;
    return bits;
#endif
}
