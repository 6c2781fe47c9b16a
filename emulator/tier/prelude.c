/* Behind the operations: what generated C uses. OPERATION makes the frame of one lane with all of an
 * instruction's operands in it, 16 bytes each. */
#undef OPERATION
#define OPERAND(T, k) (*(T *)(void *)(f + 16 * (k)))
#define OPERATION(imm_, kind_)                                                                                         \
    uint8_t f[96] __attribute__((aligned(16)));                                                                        \
    struct warp x = {.regs = f, .mask = 1};                                                                            \
    static const struct insn n = {.op = {0, 16, 32, 48, 64, 80}, .imm = imm_, .kind = kind_};                          \
    OPERAND(uint64_t, 0) = OPERAND(uint64_t, 1) = 0

/* What generated C that counts does where its way through the instructions begins, ends and jumps, and before an
 * instruction that asks for more than being counted: profile/counted.h. It defines COUNTING before each function;
 * others define it as nothing. */
#define PATH_ENTERS(to)                    COUNTING(counted_enter(&path, to))
#define PATH_LEAVES(next)                  COUNTING(counted_leave(&path, next))
#define PATH_JUMPS(next, to, unpredicated) COUNTING(counted_jump(&path, next, to, unpredicated))
#define OTHER(i)                           COUNTING(c->other(c, w, code + (i)))

#define RUN(i) code[i].handler(w, code + (i))
#define LEAVE(i)                                                                                                       \
    do {                                                                                                               \
        PATH_LEAVES((i) + 1);                                                                                          \
        return RUN(i);                                                                                                 \
    } while (0)
/* Calls the handler for the lanes `rest`; the work of the others is done. */
#define REST(i, rest)                                                                                                  \
    do {                                                                                                               \
        w->mask = rest;                                                                                                \
        const struct insn *then = RUN(i);                                                                              \
        w->mask = m;                                                                                                   \
        if (then != code + (i) + 1) {                                                                                  \
            PATH_LEAVES((i) + 1);                                                                                      \
            return then;                                                                                               \
        }                                                                                                              \
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
        if (then != code + (next) || w->mask != m) {                                                                   \
            PATH_LEAVES((i) + 1);                                                                                      \
            return then;                                                                                               \
        }                                                                                                              \
    } while (0)

/* The new value where lane l is one of m, by arithmetic: compilers make a branch of a store that depends on a mask. */
#define BLEND(T, old, value) (T)((old) ^ (((old) ^ (value)) & -(T)(m >> l & 1)))

#define CANONICAL(v)                                                                                                   \
    (((v)&0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : (v)) /* the macros of ops/ieee.h are not here any more */
