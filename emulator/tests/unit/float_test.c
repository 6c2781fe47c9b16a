/* Floating-point arithmetic and conversions against numbers computed another way: in 113-bit arithmetic, where a result is
 * right if no neighbour would be better, and by the C library for the approximations. What NaN, flushing and clamping do
 * is in tests/conformance, as a GPU recorded it. */
#include <math.h>
#include <stdint.h>

#include "fake_warp.h"
#include "ops/forms.h"

#define ROUNDS 40 /* warps of inputs per form */

typedef __float128 quad;

static int failures;

/* ---- formats ---- */

struct number_format {
    const char *name;
    char letter;
    int bits, fraction, bias;
};

static const struct number_format f16 = {"f16", 'h', 16, 10, 15}, bf16 = {"bf16", 'h', 16, 7, 127},
                                  f32 = {"f32", 'w', 32, 23, 127}, f64 = {"f64", 'l', 64, 52, 1023};

static quad power_of_two(int n) {
    return (quad)ldexpl(1, n);
}

static bool sign_of(const struct number_format *f, uint64_t bits) {
    return bits >> (f->bits - 1) & 1;
}

static uint64_t magnitude(const struct number_format *f, uint64_t bits) {
    return bits & (((uint64_t)1 << (f->bits - 1)) - 1);
}

static uint64_t infinity_of(const struct number_format *f) {
    return (uint64_t)(2 * f->bias + 1) << f->fraction;
}

/* Of a number; infinity counts as the number that would come after the largest. */
static quad value_of(const struct number_format *f, uint64_t bits) {
    uint64_t m = magnitude(f, bits), fraction = m & (((uint64_t)1 << f->fraction) - 1);
    int exponent = (int)(m >> f->fraction);
    quad v = exponent ? (quad)(fraction | (uint64_t)1 << f->fraction) : (quad)fraction;
    v *= power_of_two((exponent ? exponent : 1) - f->bias - f->fraction);
    return sign_of(f, bits) ? -v : v;
}

static quad absolute(quad x) {
    return x < 0 ? -x : x;
}

/* ---- is a result the exact value, rounded? ---- */

/* The four directions, by their letter in PTX: n z m p. */
static bool rounded_magnitude(const struct number_format *f, uint64_t m, quad exact, char direction) {
    quad v = value_of(f, m), above = value_of(f, m + 1), below = m ? value_of(f, m - 1) : -1;
    uint64_t infinity = infinity_of(f);
    if (m > infinity)
        return false;
    if (exact >= value_of(f, infinity))
        return m == (direction == 'd' ? infinity - 1 : infinity);
    if (direction == 'd')
        return v <= exact && exact < above;
    if (direction == 'u')
        return v >= exact && (m == 0 || exact > below);
    quad error = absolute(v - exact), error_above = above - exact, error_below = exact - below;
    bool not_above = error < error_above || (error == error_above && m % 2 == 0);
    bool not_below = m == 0 || error < error_below || (error == error_below && m % 2 == 0);
    return not_above && not_below;
}

static bool is_rounded(const struct number_format *f, uint64_t bits, quad exact, char mode) {
    bool negative = exact < 0;
    if (exact != 0 && sign_of(f, bits) != negative)
        return false;
    char direction = mode == 'n' ? 'n' : mode == 'z' || (mode == 'm') != negative ? 'd' : 'u';
    if (exact == 0)
        return magnitude(f, bits) == 0;
    return rounded_magnitude(f, magnitude(f, bits), absolute(exact), direction);
}

/* ---- running a form ---- */

static const struct form *find(const char *name) {
    const struct form *form = form_find(name);
    if (!form) {
        printf("not ok float_test: there is no %s\n", name);
        failures++;
    }
    return form;
}

static bool wrong(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t found) {
    printf("not ok float_test: %s of 0x%llx 0x%llx 0x%llx gives 0x%llx\n", name, (unsigned long long)a,
           (unsigned long long)b, (unsigned long long)c, (unsigned long long)found);
    failures++;
    return false;
}

/* ---- arithmetic ---- */

/* A number whose exponent is near 1's (spread 0: any number that is not NaN or infinite), with some bits 0. */
static uint64_t random_number(const struct number_format *f, int spread, int zeros) {
    for (;;) {
        uint64_t r = fake_random(), fraction = r & (((uint64_t)1 << f->fraction) - 1);
        fraction = fraction >> zeros << zeros;
        if (fake_random() % 4 == 0)
            fraction = fraction >> (f->fraction - 3) << (f->fraction - 3); /* ties and exact results */
        uint64_t exponent = spread ? (uint64_t)(f->bias - spread) + fake_random() % (uint64_t)(2 * spread + 1)
                                   : fake_random() % (uint64_t)(2 * f->bias + 1);
        uint64_t bits = (r >> 63) << (f->bits - 1) | exponent << f->fraction | fraction;
        if (magnitude(f, bits) < infinity_of(f))
            return bits;
    }
}

static quad square_root(quad x) {
    if (x == 0)
        return 0;
    quad s = (quad)sqrtl((long double)x);
    for (int i = 0; i < 3; i++)
        s = (s + x / s) / 2;
    return s;
}

static quad exact_result(const char *opcode, quad a, quad b, quad c) {
    switch (opcode[0]) {
    case 'a':
        return a + b;
    case 's':
        return opcode[1] == 'u' ? a - b : square_root(a);
    case 'm':
        return a * b;
    case 'd':
        return a / b;
    case 'r':
        return 1 / a;
    default:
        return a * b + c;
    }
}

/* Exponents near each other keep sums exact in 113 bits; products and quotients take any. */
static void check_arithmetic(const char *opcode, int operands, char mode, const struct number_format *f) {
    char name[32];
    snprintf(name, sizeof name, "%s.r%c.%s", opcode, mode, f->name);
    const struct form *form = find(name);
    struct fake_warp w;
    bool sums = opcode[0] == 'a' || opcode[0] == 'f' || opcode[1] == 'u';
    bool good = form != NULL;
    for (int round = 0; good && round < ROUNDS; round++) {
        int spread = sums || round % 2 ? 8 : 0;
        int zeros = sums && f->bits == 64 ? 20 : 0;
        fake_warp_init(&w, form);
        for (int k = 1; k <= operands; k++)
            for (int l = 0; l < WARP_SIZE; l++) {
                uint64_t bits = random_number(f, spread, zeros);
                if (opcode[0] == 's' && opcode[1] == 'q')
                    bits = magnitude(f, bits);
                if ((opcode[0] == 'd' || opcode[0] == 'r') && magnitude(f, bits) == 0)
                    bits = 1; /* not by zero */
                fake_set_lane(&w, (unsigned)k, f->letter, l, bits);
            }
        fake_warp_run(&w);
        for (int l = 0; good && l < WARP_SIZE; l++) {
            uint64_t in[4] = {0}, found = fake_lane(&w, 0, f->letter, l);
            for (int k = 1; k <= operands; k++)
                in[k] = fake_lane(&w, (unsigned)k, f->letter, l);
            quad exact = exact_result(opcode, value_of(f, in[1]), value_of(f, in[2]), value_of(f, in[3]));
            good = is_rounded(f, found, exact, mode) || wrong(name, in[1], in[2], in[3], found);
        }
    }
}

static void test_arithmetic(void) {
    static const struct {
        const char *opcode;
        int operands;
    } opcodes[] = {{"add", 2}, {"sub", 2}, {"mul", 2}, {"div", 2}, {"fma", 3}, {"rcp", 1}, {"sqrt", 1}};
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        for (const char *mode = "nzmp"; *mode; mode++) {
            check_arithmetic(opcodes[i].opcode, opcodes[i].operands, *mode, &f32);
            check_arithmetic(opcodes[i].opcode, opcodes[i].operands, *mode, &f64);
        }
    static const char *const half[] = {"add", "sub", "mul", "fma"};
    for (size_t i = 0; i < sizeof half / sizeof *half; i++) {
        check_arithmetic(half[i], half[i][0] == 'f' ? 3 : 2, 'n', &f16);
        check_arithmetic(half[i], half[i][0] == 'f' ? 3 : 2, 'n', &bf16);
    }
}

/* ---- conversions ---- */

static bool is_tie(quad x) { /* halfway between two integers */
    quad twice = 2 * absolute(x);
    return twice < power_of_two(70) && twice == (quad)(unsigned __int128)twice && (unsigned __int128)twice % 2 == 1;
}

/* The integral number that a rounding i, z, m or p chooses, as far as 64-bit ranges need it. */
static __int128 integral(quad x, char mode) {
    quad limit = power_of_two(80);
    x = x > limit ? limit : x < -limit ? -limit : x;
    __int128 below = (__int128)x;
    below -= (quad)below > x;
    __int128 above = below + ((quad)below < x);
    if (mode == 'm' || (mode == 'z' && x >= 0))
        return below;
    if (mode == 'p' || mode == 'z')
        return above;
    if (is_tie(x))
        return below % 2 == 0 ? below : above;
    return x - (quad)below < (quad)above - x ? below : above;
}

struct integer_type {
    const char *name;
    char letter;
    int bits;
    bool is_signed;
};

static const struct integer_type integers[] = {
    {"u8", 'h', 8, false},   {"s8", 'h', 8, true},   {"u16", 'h', 16, false}, {"s16", 'h', 16, true},
    {"u32", 'w', 32, false}, {"s32", 'w', 32, true}, {"u64", 'l', 64, false}, {"s64", 'l', 64, true}};
#define INTEGERS (sizeof integers / sizeof *integers)

/* The register's bits for a value of the type: 8-bit types are extended to 16. */
static uint64_t register_bits(const struct integer_type *t, __int128 v) {
    unsigned width = letter_bytes(t->letter) * 8;
    return width == 64 ? (uint64_t)v : (uint64_t)v & (((uint64_t)1 << width) - 1);
}

static __int128 clamped(const struct integer_type *t, __int128 v) {
    __int128 low = t->is_signed ? -((__int128)1 << (t->bits - 1)) : 0;
    __int128 high = ((__int128)1 << (t->bits - t->is_signed)) - 1;
    return v < low ? low : v > high ? high : v;
}

static void check_to_integer(const struct integer_type *t, char mode, const struct number_format *f) {
    char name[32];
    snprintf(name, sizeof name, "cvt.r%ci.%s.%s", mode, t->name, f->name);
    const struct form *form = find(name);
    struct fake_warp w;
    bool good = form != NULL;
    for (int round = 0; good && round < ROUNDS; round++) {
        fake_warp_init(&w, form);
        for (int l = 0; l < WARP_SIZE; l++)
            fake_set_lane(&w, 1, f->letter, l, random_number(f, round % 2 ? f->bits == 16 ? 12 : t->bits + 2 : 0, 0));
        fake_warp_run(&w);
        for (int l = 0; good && l < WARP_SIZE; l++) {
            uint64_t in = fake_lane(&w, 1, f->letter, l), found = fake_lane(&w, 0, t->letter, l);
            __int128 expected = clamped(t, integral(value_of(f, in), mode));
            good = found == register_bits(t, expected) || wrong(name, in, 0, 0, found);
        }
    }
}

static __int128 integer_value(const struct integer_type *t, uint64_t bits) {
    int shift = 64 - t->bits;
    return t->is_signed ? (__int128)((int64_t)(bits << shift) >> shift) : (__int128)(bits << shift >> shift);
}

static void check_from_integer(const struct integer_type *t, char mode, const struct number_format *f) {
    char name[32];
    snprintf(name, sizeof name, "cvt.r%c.%s.%s", mode, f->name, t->name);
    const struct form *form = find(name);
    struct fake_warp w;
    bool good = form != NULL;
    for (int round = 0; good && round < ROUNDS; round++) {
        fake_warp_init(&w, form);
        for (int l = 0; l < WARP_SIZE; l++)
            fake_set_lane(&w, 1, t->letter, l, fake_value(letter_bytes(t->letter) * 8));
        fake_warp_run(&w);
        for (int l = 0; good && l < WARP_SIZE; l++) {
            uint64_t in = fake_lane(&w, 1, t->letter, l), found = fake_lane(&w, 0, f->letter, l);
            quad exact = (quad)integer_value(t, in);
            good = (is_rounded(f, found, exact, mode) && (exact != 0 || found == 0)) || wrong(name, in, 0, 0, found);
        }
    }
}

static void check_integers(const struct integer_type *to, const struct integer_type *from) {
    for (int saturate = 0; saturate < 2; saturate++) {
        char name[32];
        snprintf(name, sizeof name, "cvt.%s%s.%s", saturate ? "sat." : "", to->name, from->name);
        const struct form *form = saturate ? form_find(name) : find(name); /* .sat exists where it makes sense */
        struct fake_warp w;
        bool good = form != NULL;
        for (int round = 0; good && round < ROUNDS; round++) {
            fake_warp_init(&w, form);
            for (int l = 0; l < WARP_SIZE; l++)
                fake_set_lane(&w, 1, from->letter, l, fake_value(letter_bytes(from->letter) * 8));
            fake_warp_run(&w);
            for (int l = 0; good && l < WARP_SIZE; l++) {
                uint64_t in = fake_lane(&w, 1, from->letter, l), found = fake_lane(&w, 0, to->letter, l);
                __int128 v = integer_value(from, in);
                v = saturate ? clamped(to, v) : integer_value(to, (uint64_t)v);
                good = found == register_bits(to, v) || wrong(name, in, 0, 0, found);
            }
        }
    }
}

static void check_between_formats(const struct number_format *to, char mode, const struct number_format *from) {
    char name[32];
    if (mode)
        snprintf(name, sizeof name, "cvt.r%c.%s.%s", mode, to->name, from->name);
    else
        snprintf(name, sizeof name, "cvt.%s.%s", to->name, from->name);
    const struct form *form = find(name);
    struct fake_warp w;
    bool good = form != NULL;
    for (int round = 0; good && round < ROUNDS; round++) {
        fake_warp_init(&w, form);
        for (int l = 0; l < WARP_SIZE; l++) {
            int spread =
                round % 2 ? to->bias + to->fraction < from->bias ? to->bias + to->fraction : from->bias - 1 : 0;
            uint64_t r =
                fake_random() % (uint64_t)(from->fraction - (from->fraction > to->fraction ? to->fraction : 0));
            uint64_t bits = random_number(from, spread, (int)(fake_random() % 2 ? r : 0)); /* ties are frequent */
            fake_set_lane(&w, 1, from->letter, l, bits);
        }
        fake_warp_run(&w);
        for (int l = 0; good && l < WARP_SIZE; l++) {
            uint64_t in = fake_lane(&w, 1, from->letter, l), found = fake_lane(&w, 0, to->letter, l);
            good = is_rounded(to, found, value_of(from, in), mode ? mode : 'n') || wrong(name, in, 0, 0, found);
        }
    }
}

static void test_conversions(void) {
    static const struct number_format *const formats[] = {&f16, &f32, &f64};
    for (size_t i = 0; i < INTEGERS; i++) {
        for (size_t j = 0; j < INTEGERS; j++)
            check_integers(&integers[i], &integers[j]);
        for (size_t j = 0; j < 3; j++) {
            for (const char *mode = "nzmp"; *mode; mode++) {
                check_to_integer(&integers[i], *mode, formats[j]);
                check_from_integer(&integers[i], *mode, formats[j]);
            }
        }
    }
    for (const char *mode = "nzmp"; *mode; mode++) {
        check_between_formats(&f32, *mode, &f64);
        check_between_formats(&f16, *mode, &f64);
        check_between_formats(&bf16, *mode, &f64);
        check_between_formats(&f16, *mode, &f32);
        check_between_formats(&bf16, *mode, &f32);
        check_between_formats(&f16, *mode, &bf16);
        check_between_formats(&bf16, *mode, &f16);
        for (size_t i = 2; i < INTEGERS; i++) {
            check_from_integer(&integers[i], *mode, &bf16);
            check_to_integer(&integers[i], *mode, &bf16);
        }
    }
    check_between_formats(&f64, 0, &f32);
    check_between_formats(&f64, 0, &f16);
    check_between_formats(&f32, 0, &f16);
    check_between_formats(&f32, 0, &bf16);
}

/* ---- approximations: the errors that PTX allows ---- */

static long double reciprocal(long double x) {
    return 1 / x;
}
static long double reciprocal_root(long double x) {
    return 1 / sqrtl(x);
}

static float float_from(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void check_approximation(const char *name, long double (*exact)(long double), float low, float high,
                                long double absolute_error, long double relative_error) {
    const struct form *form = find(name);
    struct fake_warp w;
    bool good = form != NULL;
    for (int round = 0; good && round < 50 * ROUNDS; round++) {
        fake_warp_init(&w, form);
        for (int l = 0; l < WARP_SIZE; l++) {
            float x = low + (high - low) * (float)((double)(fake_random() >> 11) * 0x1p-53);
            uint32_t bits;
            memcpy(&bits, &x, sizeof bits);
            fake_set_lane(&w, 1, 'w', l, bits);
        }
        fake_warp_run(&w);
        for (int l = 0; good && l < WARP_SIZE; l++) {
            uint32_t in = (uint32_t)fake_lane(&w, 1, 'w', l), found = (uint32_t)fake_lane(&w, 0, 'w', l);
            long double e = exact((long double)float_from(in)), error = fabsl((long double)float_from(found) - e);
            good = error <= absolute_error + relative_error * fabsl(e) || wrong(name, in, 0, 0, found);
        }
    }
}

static void test_approximations(void) {
    const long double ulp = 0x1p-23L;
    check_approximation("ex2.approx.f32", exp2l, -126, 128, 0, 0x1.6bp-23L); /* 2^-22.5 */
    check_approximation("ex2.approx.f32", exp2l, -149, -126, 0x1p-149L, 0);  /* subnormal results */
    check_approximation("ex2.approx.f32", exp2l, -1, 1, 0, 0x1.6bp-23L);
    check_approximation("lg2.approx.f32", log2l, 0.5f, 2, 0x1p-22L, 0);
    check_approximation("lg2.approx.f32", log2l, 2, 0x1p100f, 0, 0x1p-22L);
    check_approximation("lg2.approx.f32", log2l, 0x1p-140f, 0x1p-126f, 0, 0x1p-22L);
    check_approximation("sin.approx.f32", sinl, -6.2831f, 6.2831f, 0x1.6ap-21L, 0); /* 2^-20.5 */
    check_approximation("cos.approx.f32", cosl, -6.2831f, 6.2831f, 0x1.6ap-21L, 0);
    check_approximation("sin.approx.f32", sinl, -314, 314, 0x1.3cp-15L, 0); /* 2^-14.7 */
    check_approximation("cos.approx.f32", cosl, -314, 314, 0x1.3cp-15L, 0);
    check_approximation("sin.approx.f32", sinl, 0x1p19f, 0x1p30f, 0x1.3cp-15L, 0); /* no bound in PTX: ours */
    check_approximation("tanh.approx.f32", tanhl, -10, 10, 0, 0x1p-11L);
    check_approximation("tanh.approx.f32", tanhl, -0x1p-20f, 0x1p-20f, 0, 0x1p-11L);
    check_approximation("rcp.approx.f32", reciprocal, 0x1p-100f, 1000, 0, ulp);
    check_approximation("sqrt.approx.f32", sqrtl, 0, 1e10f, 0, 0x1p-23L);
    check_approximation("rsqrt.approx.f32", reciprocal_root, 0x1p-120f, 1e10f, 0, 0x1.12p-23L); /* 2^-22.9 */
}

/* ---- lanes that are not active keep what they had ---- */

static void test_masks(void) {
    static const char *const names[] = {"add.f32",         "fma.rn.f32",      "sqrt.rz.f32",    "add.f64",
                                        "ex2.approx.f32",  "sin.approx.f32",  "add.f16x2",      "cvt.rn.f32.s32",
                                        "cvt.rz.f32.s32",  "cvt.rzi.s32.f32", "cvt.rn.f16.f32", "cvt.u16.u32",
                                        "cvt.rn.bf16.f32", "max.f32",         "cvt.sat.u8.s32", "cvt.f64.f32"};
    const uint32_t mask = 0x80f0a501u;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct form *form = find(names[i]);
        if (!form)
            continue;
        struct fake_warp w;
        fake_warp_init(&w, form);
        memset(w.frame[1], 0, sizeof w.frame[0] * 3);
        w.warp.mask = mask;
        fake_warp_run(&w);
        for (int l = 0; l < WARP_SIZE; l++) {
            uint64_t found = fake_lane(&w, 0, form->operands[0], l);
            bool kept = (found & 0xffff) == 0xa5a5;
            if (kept == (mask >> l & 1)) {
                printf("not ok float_test: %s: lane %d is %s\n", names[i], l, kept ? "not written" : "overwritten");
                failures++;
                break;
            }
        }
    }
}

static void part(const char *name, void (*test)(void)) {
    int before = failures;
    test();
    if (failures == before)
        printf("ok float_test %s\n", name);
}

int main(void) {
    part("arithmetic", test_arithmetic);
    part("conversions", test_conversions);
    part("approximations", test_approximations);
    part("masks", test_masks);
    return failures != 0;
}
