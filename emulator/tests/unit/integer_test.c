/* Integer operations against 128-bit arithmetic, bit by bit where that is the definition. */
#include <stdint.h>

#include "fake_warp.h"
#include "ops/forms.h"

typedef __int128 wide; /* holds every value and every product of two 64-bit values exactly, modulo 2^128 */

/* What an operation is given: its operands as numbers of its type, and the type. */
struct operands {
    wide a, b, c, d;
    unsigned bits;
    bool is_signed;
    bool carry_in;
    bool *carry_out;
};

static int failures;

/* ---- references ---- */

static wide wrap(wide x, unsigned bits, bool is_signed) {
    unsigned __int128 u = (unsigned __int128)x;
    if (bits < 128)
        u &= ((unsigned __int128)1 << bits) - 1;
    if (is_signed && bits < 128 && (u >> (bits - 1) & 1))
        return (wide)u - ((wide)1 << bits);
    return (wide)u;
}
static wide clamp(wide x, wide low, wide high) {
    return x < low ? low : x > high ? high : x;
}
static wide saturated(wide x) {
    return clamp(x, -(wide)0x80000000, 0x7fffffff);
}
static wide magnitude(wide x) {
    return x < 0 ? -x : x;
}
/* as an unsigned number of the operation's width */
static wide plain(const struct operands *o, wide x) {
    return wrap(x, o->bits, false);
}

static wide ref_add(const struct operands *o) {
    return o->a + o->b;
}
static wide ref_sub(const struct operands *o) {
    return o->a - o->b;
}
static wide ref_neg(const struct operands *o) {
    return -o->a;
}
static wide ref_abs(const struct operands *o) {
    return magnitude(o->a);
}
/* Unsigned 64 x 64 fills all of 128 bits: multiplied as such, the bits are those of the signed product, too. */
static wide product(const struct operands *o) {
    return (wide)((unsigned __int128)o->a * (unsigned __int128)o->b);
}
static wide ref_mul_lo(const struct operands *o) {
    return product(o);
}
static wide high(const struct operands *o) {
    /* unsigned 64 x 64 fills all of 128 bits: shift it as such */
    return o->is_signed ? o->a * o->b >> o->bits : (wide)((unsigned __int128)o->a * (unsigned __int128)o->b >> o->bits);
}
static wide ref_mul_hi(const struct operands *o) {
    return high(o);
}
static wide ref_mad_lo(const struct operands *o) {
    return (wide)((unsigned __int128)product(o) + (unsigned __int128)o->c);
}
static wide ref_mad_hi(const struct operands *o) {
    return high(o) + o->c;
}
static wide ref_mad_hi_sat(const struct operands *o) {
    return saturated(high(o) + o->c);
}
static wide ref_add_sat(const struct operands *o) {
    return saturated(o->a + o->b);
}
static wide ref_sub_sat(const struct operands *o) {
    return saturated(o->a - o->b);
}
static wide ref_sad(const struct operands *o) {
    return o->c + magnitude(o->a - o->b);
}
static wide ref_min(const struct operands *o) {
    return o->a < o->b ? o->a : o->b;
}
static wide ref_max(const struct operands *o) {
    return o->a > o->b ? o->a : o->b;
}
static wide ref_min_relu(const struct operands *o) {
    return clamp(ref_min(o), 0, INT64_MAX);
}
static wide ref_max_relu(const struct operands *o) {
    return clamp(ref_max(o), 0, INT64_MAX);
}
static wide ref_div(const struct operands *o) {
    return o->b ? o->a / o->b : -1;
}
static wide ref_rem(const struct operands *o) {
    return o->b ? o->a % o->b : -1;
}

static wide low24(const struct operands *o, wide x) {
    return wrap(x, 24, o->is_signed);
}
static wide product24(const struct operands *o) {
    return low24(o, o->a) * low24(o, o->b);
}
static wide ref_mul24_lo(const struct operands *o) {
    return product24(o);
}
static wide ref_mul24_hi(const struct operands *o) {
    return product24(o) >> 16;
}
static wide ref_mad24_lo(const struct operands *o) {
    return product24(o) + o->c;
}
static wide ref_mad24_hi(const struct operands *o) {
    return (product24(o) >> 16) + o->c;
}
static wide ref_mad24_hi_sat(const struct operands *o) {
    return saturated((product24(o) >> 16) + o->c);
}

/* Sums with a carry: of unsigned numbers of the operation's width. */
static wide carried(const struct operands *o, wide x, wide y, bool in, bool out) {
    wide sum = plain(o, x) + plain(o, y) + (in && o->carry_in);
    if (out)
        *o->carry_out = sum >> o->bits & 1;
    return sum;
}
/* A borrow is a carry flag of 0. */
static wide borrowed(const struct operands *o, bool in, bool out) {
    wide difference = plain(o, o->a) - plain(o, o->b) - (in && !o->carry_in);
    if (out)
        *o->carry_out = difference >= 0;
    return difference;
}
static wide ref_add_cc(const struct operands *o) {
    return carried(o, o->a, o->b, false, true);
}
static wide ref_addc(const struct operands *o) {
    return carried(o, o->a, o->b, true, false);
}
static wide ref_addc_cc(const struct operands *o) {
    return carried(o, o->a, o->b, true, true);
}
static wide ref_sub_cc(const struct operands *o) {
    return borrowed(o, false, true);
}
static wide ref_subc(const struct operands *o) {
    return borrowed(o, true, false);
}
static wide ref_subc_cc(const struct operands *o) {
    return borrowed(o, true, true);
}
static wide ref_mad_lo_cc(const struct operands *o) {
    return carried(o, product(o), o->c, false, true);
}
static wide ref_madc_lo(const struct operands *o) {
    return carried(o, product(o), o->c, true, false);
}
static wide ref_madc_lo_cc(const struct operands *o) {
    return carried(o, product(o), o->c, true, true);
}
static wide ref_mad_hi_cc(const struct operands *o) {
    return carried(o, high(o), o->c, false, true);
}
static wide ref_madc_hi(const struct operands *o) {
    return carried(o, high(o), o->c, true, false);
}
static wide ref_madc_hi_cc(const struct operands *o) {
    return carried(o, high(o), o->c, true, true);
}

static unsigned bit(wide x, wide i) {
    return (unsigned)(x >> i) & 1;
}
static wide ref_popc(const struct operands *o) {
    wide n = 0;
    for (unsigned i = 0; i < o->bits; i++)
        n += bit(o->a, i);
    return n;
}
static wide ref_clz(const struct operands *o) {
    wide n = 0;
    while (n < o->bits && !bit(o->a, o->bits - 1 - n))
        n++;
    return n;
}
static wide ref_brev(const struct operands *o) {
    wide r = 0;
    for (unsigned i = 0; i < o->bits; i++)
        r |= (wide)bit(o->a, i) << (o->bits - 1 - i);
    return r;
}
static wide ref_bfind(const struct operands *o) {
    unsigned sign = o->is_signed ? bit(o->a, o->bits - 1) : 0;
    for (int i = (int)o->bits - 1; i >= 0; i--)
        if (bit(o->a, i) != sign)
            return i;
    return -1;
}
static wide ref_bfind_shiftamt(const struct operands *o) {
    wide at = ref_bfind(o);
    return at < 0 ? -1 : (wide)o->bits - 1 - at;
}
static wide ref_bfe(const struct operands *o) {
    wide at = o->b & 0xff, n = o->c & 0xff, last = o->bits - 1, r = 0;
    wide end = at + n - 1 < last ? at + n - 1 : last;
    unsigned sign = !o->is_signed || n == 0 ? 0 : bit(o->a, end);
    for (wide i = 0; i <= last; i++)
        r |= (wide)(i < n && at + i <= last ? bit(o->a, at + i) : sign) << i;
    return r;
}
static wide ref_bfi(const struct operands *o) {
    wide at = o->c & 0xff, n = o->d & 0xff, r = o->b;
    for (wide i = 0; i < n && at + i < o->bits; i++)
        r = (r & ~((wide)1 << (at + i))) | (wide)bit(o->a, i) << (at + i);
    return r;
}
static wide ref_fns(const struct operands *o) {
    wide step = (int32_t)o->c < 0 ? -1 : 1, left = magnitude((int32_t)o->c), at = (int32_t)o->b;
    if (left == 0)
        return at >= 0 && at < 32 && bit(o->a, at) ? at : -1;
    for (; at >= 0 && at < 32; at += step)
        if (bit(o->a, at) && --left == 0)
            return at;
    return -1;
}
static wide extended(const struct operands *o, wide n) {
    wide r = 0;
    for (wide i = 0; i < 32 && n > 0; i++)
        r |= (wide)(i < n ? bit(o->a, i) : o->is_signed ? bit(o->a, n - 1) : 0) << i;
    return r;
}
static wide ref_szext_wrap(const struct operands *o) {
    return extended(o, o->b & 31);
}
static wide ref_szext_clamp(const struct operands *o) {
    return extended(o, clamp(plain(o, o->b), 0, 32));
}
static wide ones(wide at, wide n) {
    wide r = 0;
    for (wide i = at; i < 32 && i < at + n; i++)
        r |= (wide)1 << i;
    return r;
}
static wide ref_bmsk_wrap(const struct operands *o) {
    return ones(o->a & 31, o->b & 31);
}
static wide ref_bmsk_clamp(const struct operands *o) {
    return ones(plain(o, o->a), plain(o, o->b));
}

/* Halves of packed numbers: the reference for one number, for both. */
static wide packed(const struct operands *o, wide (*one)(const struct operands *)) {
    wide r = 0;
    for (int half = 0; half < 2; half++) {
        struct operands h = {.bits = 16, .is_signed = o->is_signed};
        h.a = wrap(o->a >> 16 * half, 16, o->is_signed);
        h.b = wrap(o->b >> 16 * half, 16, o->is_signed);
        r |= wrap(one(&h), 16, false) << 16 * half;
    }
    return r;
}
static wide ref_add_x2(const struct operands *o) {
    return packed(o, ref_add);
}
static wide ref_min_x2(const struct operands *o) {
    return packed(o, ref_min);
}
static wide ref_max_x2(const struct operands *o) {
    return packed(o, ref_max);
}
static wide ref_min_relu_x2(const struct operands *o) {
    return packed(o, ref_min_relu);
}
static wide ref_max_relu_x2(const struct operands *o) {
    return packed(o, ref_max_relu);
}

static wide dot(const struct operands *o, unsigned a_bits, bool a_signed, bool b_signed, int first) {
    wide sum = o->c;
    for (int i = 0; i < (int)(32 / a_bits); i++)
        sum += wrap(o->a >> a_bits * (unsigned)i, a_bits, a_signed) * wrap(o->b >> 8 * (first + i), 8, b_signed);
    return sum;
}
#define DOT(at, as, bt, bs)                                                                                            \
    static wide ref_dp4a_##at##_##bt(const struct operands *o) {                                                       \
        return dot(o, 8, as, bs, 0);                                                                                   \
    }                                                                                                                  \
    static wide ref_dp2a_lo_##at##_##bt(const struct operands *o) {                                                    \
        return dot(o, 16, as, bs, 0);                                                                                  \
    }                                                                                                                  \
    static wide ref_dp2a_hi_##at##_##bt(const struct operands *o) {                                                    \
        return dot(o, 16, as, bs, 2);                                                                                  \
    }
DOT(u32, false, u32, false)
DOT(u32, false, s32, true)
DOT(s32, true, u32, false)
DOT(s32, true, s32, true)

/* ---- bitwise operations and shifts ---- */

static wide ref_and(const struct operands *o) {
    return o->a & o->b;
}
static wide ref_or(const struct operands *o) {
    return o->a | o->b;
}
static wide ref_xor(const struct operands *o) {
    return o->a ^ o->b;
}
static wide ref_not(const struct operands *o) {
    return ~o->a;
}
static wide ref_cnot(const struct operands *o) {
    return o->a ? 0 : 1;
}
static wide ref_shl(const struct operands *o) {
    wide n = wrap(o->b, 32, false);
    return n < 64 ? o->a << n : 0;
}
static wide ref_shr(const struct operands *o) {
    wide n = wrap(o->b, 32, false);
    return o->a >> (n < 100 ? n : 100);
}
/* 64 bits b:a, of which a shift by n leaves the high or low half. */
static wide funnel(const struct operands *o, bool left, wide n) {
    unsigned __int128 both = (unsigned __int128)plain(o, o->b) << 32 | (unsigned __int128)plain(o, o->a);
    return (wide)(left ? both << n >> 32 : both >> n);
}
static wide ref_shf_l_wrap(const struct operands *o) {
    return funnel(o, true, o->c & 31);
}
static wide ref_shf_r_wrap(const struct operands *o) {
    return funnel(o, false, o->c & 31);
}
static wide ref_shf_l_clamp(const struct operands *o) {
    return funnel(o, true, clamp(plain(o, o->c), 0, 32));
}
static wide ref_shf_r_clamp(const struct operands *o) {
    return funnel(o, false, clamp(plain(o, o->c), 0, 32));
}

static wide byte_of(const struct operands *o, wide i) {
    return (i < 4 ? plain(o, o->a) >> 8 * i : plain(o, o->b) >> 8 * (i - 4)) & 0xff;
}
static wide ref_prmt(const struct operands *o) {
    wide r = 0;
    for (int i = 0; i < 4; i++) {
        wide selector = o->c >> 4 * i, byte = byte_of(o, selector & 7);
        r |= (selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * i;
    }
    return r;
}
/* Forward and backward extracts, replicated bytes, clamps to the left and right, replicated halves: as the manual words
 * them, for byte i and the control n. */
#define PRMT_MODE(name, chosen)                                                                                        \
    static wide ref_prmt_##name(const struct operands *o) {                                                            \
        wide r = 0, n = o->c & 3;                                                                                      \
        for (wide i = 0; i < 4; i++)                                                                                   \
            r |= byte_of(o, chosen) << 8 * i;                                                                          \
        return r;                                                                                                      \
    }
PRMT_MODE(f4e, n + i)
PRMT_MODE(b4e, (n - i) & 7)
PRMT_MODE(rc8, n)
PRMT_MODE(ecl, i > n ? i : n)
PRMT_MODE(ecr, i < n ? i : n)
PRMT_MODE(rc16, 2 * (n & 1) + (i & 1))

/* ---- the operations, by name ---- */

#define INTEGERS "u16 s16 u32 s32 u64 s64"
#define BITS     "b16 b32 b64"
static const struct {
    const char *name, *types;
    wide (*ref)(const struct operands *);
} tests[] = {
    {"add", INTEGERS, ref_add},
    {"sub", INTEGERS, ref_sub},
    {"mul.lo", INTEGERS, ref_mul_lo},
    {"mul.hi", INTEGERS, ref_mul_hi},
    {"mad.lo", INTEGERS, ref_mad_lo},
    {"mad.hi", INTEGERS, ref_mad_hi},
    {"mul.wide", "u16 s16 u32 s32", ref_mul_lo},
    {"mad.wide", "u16 s16 u32 s32", ref_mad_lo},
    {"sad", INTEGERS, ref_sad},
    {"div", INTEGERS, ref_div},
    {"rem", INTEGERS, ref_rem},
    {"min", INTEGERS, ref_min},
    {"max", INTEGERS, ref_max},
    {"neg", "s16 s32 s64", ref_neg},
    {"abs", "s16 s32 s64", ref_abs},
    {"add.sat", "s32", ref_add_sat},
    {"sub.sat", "s32", ref_sub_sat},
    {"mad.hi.sat", "s32", ref_mad_hi_sat},
    {"min.relu", "s32", ref_min_relu},
    {"max.relu", "s32", ref_max_relu},
    {"add", "u16x2 s16x2", ref_add_x2},
    {"min", "u16x2 s16x2", ref_min_x2},
    {"max", "u16x2 s16x2", ref_max_x2},
    {"min.relu", "s16x2", ref_min_relu_x2},
    {"max.relu", "s16x2", ref_max_relu_x2},
    {"mul24.lo", "u32 s32", ref_mul24_lo},
    {"mul24.hi", "u32 s32", ref_mul24_hi},
    {"mad24.lo", "u32 s32", ref_mad24_lo},
    {"mad24.hi", "u32 s32", ref_mad24_hi},
    {"mad24.hi.sat", "s32", ref_mad24_hi_sat},
    {"add.cc", "u32 s32 u64 s64", ref_add_cc},
    {"addc", "u32 s32 u64 s64", ref_addc},
    {"addc.cc", "u32 s32 u64 s64", ref_addc_cc},
    {"sub.cc", "u32 s32 u64 s64", ref_sub_cc},
    {"subc", "u32 s32 u64 s64", ref_subc},
    {"subc.cc", "u32 s32 u64 s64", ref_subc_cc},
    {"mad.lo.cc", "u32 s32 u64 s64", ref_mad_lo_cc},
    {"mad.hi.cc", "u32 s32 u64 s64", ref_mad_hi_cc},
    {"madc.lo", "u32 s32 u64 s64", ref_madc_lo},
    {"madc.hi", "u32 s32 u64 s64", ref_madc_hi},
    {"madc.lo.cc", "u32 s32 u64 s64", ref_madc_lo_cc},
    {"madc.hi.cc", "u32 s32 u64 s64", ref_madc_hi_cc},
    {"popc", "b32 b64", ref_popc},
    {"clz", "b32 b64", ref_clz},
    {"brev", "b32 b64", ref_brev},
    {"bfind", "u32 s32 u64 s64", ref_bfind},
    {"bfind.shiftamt", "u32 s32 u64 s64", ref_bfind_shiftamt},
    {"bfe", "u32 s32 u64 s64", ref_bfe},
    {"bfi", "b32 b64", ref_bfi},
    {"fns", "b32", ref_fns},
    {"szext.wrap", "u32 s32", ref_szext_wrap},
    {"szext.clamp", "u32 s32", ref_szext_clamp},
    {"bmsk.wrap", "b32", ref_bmsk_wrap},
    {"bmsk.clamp", "b32", ref_bmsk_clamp},
    {"dp4a.u32", "u32", ref_dp4a_u32_u32},
    {"dp4a.u32", "s32", ref_dp4a_u32_s32},
    {"dp4a.s32", "u32", ref_dp4a_s32_u32},
    {"dp4a.s32", "s32", ref_dp4a_s32_s32},
    {"dp2a.lo.u32", "u32", ref_dp2a_lo_u32_u32},
    {"dp2a.lo.u32", "s32", ref_dp2a_lo_u32_s32},
    {"dp2a.lo.s32", "u32", ref_dp2a_lo_s32_u32},
    {"dp2a.lo.s32", "s32", ref_dp2a_lo_s32_s32},
    {"dp2a.hi.u32", "u32", ref_dp2a_hi_u32_u32},
    {"dp2a.hi.u32", "s32", ref_dp2a_hi_u32_s32},
    {"dp2a.hi.s32", "u32", ref_dp2a_hi_s32_u32},
    {"dp2a.hi.s32", "s32", ref_dp2a_hi_s32_s32},
    {"and", BITS, ref_and},
    {"or", BITS, ref_or},
    {"xor", BITS, ref_xor},
    {"not", BITS, ref_not},
    {"cnot", BITS, ref_cnot},
    {"shl", BITS, ref_shl},
    {"shr", BITS " " INTEGERS, ref_shr},
    {"shf.l.wrap", "b32", ref_shf_l_wrap},
    {"shf.r.wrap", "b32", ref_shf_r_wrap},
    {"shf.l.clamp", "b32", ref_shf_l_clamp},
    {"shf.r.clamp", "b32", ref_shf_r_clamp},
    {"prmt.b32", "", ref_prmt},
    {"prmt.b32.f4e", "", ref_prmt_f4e},
    {"prmt.b32.b4e", "", ref_prmt_b4e},
    {"prmt.b32.rc8", "", ref_prmt_rc8},
    {"prmt.b32.ecl", "", ref_prmt_ecl},
    {"prmt.b32.ecr", "", ref_prmt_ecr},
    {"prmt.b32.rc16", "", ref_prmt_rc16},
};

/* ---- running one ---- */

static wide operand(const struct fake_warp *f, const char *letters, unsigned k, int lane, bool is_signed) {
    if (k >= strlen(letters))
        return 0;
    return wrap(fake_lane(f, k, letters[k], lane), 8 * letter_bytes(letters[k]), is_signed);
}

static void fail(const char *name, const struct operands *o, wide expected, uint64_t found) {
    printf("not ok integer/%s: (%llx, %llx, %llx, %llx) gives %llx, expected %llx\n", name, (unsigned long long)o->a,
           (unsigned long long)o->b, (unsigned long long)o->c, (unsigned long long)o->d, (unsigned long long)found,
           (unsigned long long)expected);
    failures++;
}

/* Fills the sources, runs the operation under a mask, and compares every lane, active or not. */
static bool try_once(const char *name, const struct form *form, wide (*ref)(const struct operands *),
                     const struct operands *type, uint32_t mask) {
    struct fake_warp f;
    fake_warp_init(&f, form);
    f.warp.mask = mask;
    f.warp.carry = (uint32_t)fake_random();
    const char *letters = form->operands;
    unsigned bits = 8 * letter_bytes(letters[0]);
    for (unsigned k = 1; k < strlen(letters); k++)
        for (int l = 0; l < WARP_SIZE; l++)
            fake_set_lane(&f, k, letters[k], l, fake_value(8 * letter_bytes(letters[k])));
    struct fake_warp before = f;
    if (!fake_warp_run(&f)) {
        printf("not ok integer/%s: does not go on\n", name);
        return false;
    }
    for (int l = 0; l < WARP_SIZE; l++) {
        bool carry = before.warp.carry >> l & 1;
        struct operands o = *type;
        o.a = operand(&before, letters, 1, l, o.is_signed), o.b = operand(&before, letters, 2, l, o.is_signed);
        o.c = operand(&before, letters, 3, l, o.is_signed), o.d = operand(&before, letters, 4, l, o.is_signed);
        o.carry_in = carry, o.carry_out = &carry;
        wide expected = wrap(ref(&o), bits, false);
        if (!LANE_ON(mask)) {
            expected = (wide)fake_lane(&before, 0, letters[0], l);
            carry = before.warp.carry >> l & 1;
        }
        uint64_t found = fake_lane(&f, 0, letters[0], l);
        if (found != (uint64_t)expected || (f.warp.carry >> l & 1) != carry) {
            fail(name, &o, expected, found);
            return false;
        }
    }
    return true;
}

static void try_form(const char *name, const char *type, wide (*ref)(const struct operands *)) {
    const struct form *form = form_find(name);
    if (!form) {
        printf("not ok integer/%s: there is no such form\n", name);
        failures++;
        return;
    }
    struct operands o = {.bits = *type ? (unsigned)atoi(type + 1) : 32, .is_signed = type[0] == 's'};
    if (strstr(type, "x2"))
        o.bits = 32;
    for (int i = 0; i < 300; i++)
        if (!try_once(name, form, ref, &o, i % 3 ? FULL_MASK : (uint32_t)fake_random() | 1))
            return;
    printf("ok integer/%s\n", name);
}

/* lop3 for every table, with and without its predicate. */
static void try_lop3(const char *name, unsigned first) {
    const struct form *form = form_find(name);
    bool good = form != NULL, is_and = strstr(name, "and") != NULL;
    for (unsigned table = 0; good && table < 256; table++) {
        struct fake_warp f;
        fake_warp_init(&f, form);
        f.insn.imm = table;
        for (unsigned k = first; k < first + 3; k++)
            for (int l = 0; l < WARP_SIZE; l++)
                fake_set_lane(&f, k, 'w', l, table & 1 ? fake_value(32) : 0 - (fake_random() & 1));
        fake_set_predicate(&f, 5, 0x0ff0f0f1);
        good = fake_warp_run(&f);
        for (int l = 0; good && l < WARP_SIZE; l++) {
            uint32_t expected = 0;
            for (unsigned i = 0; i < 32; i++) {
                unsigned row = 0;
                for (unsigned k = first; k < first + 3; k++)
                    row = row << 1 | (fake_lane(&f, k, 'w', l) >> i & 1);
                expected |= (table >> row & 1) << i;
            }
            bool q = 0x0ff0f0f1u >> l & 1, nonzero = expected != 0;
            good = fake_lane(&f, 0, 'w', l) == expected;
            if (first == 2)
                good &= (fake_predicate(&f, 1) >> l & 1) == (is_and ? nonzero && q : nonzero || q);
        }
    }
    printf(good ? "ok integer/%s\n" : "not ok integer/%s: wrong for some table\n", name);
    failures += !good;
}

/* A 128-bit sum and difference from four 32-bit links, with lanes switched off in between. */
static void try_chain(bool subtract) {
    static const char *const links[2][3] = {{"add.cc.u32", "addc.cc.u32", "addc.u32"},
                                            {"sub.cc.u32", "subc.cc.u32", "subc.u32"}};
    struct fake_warp f;
    bool good = true;
    unsigned __int128 a[WARP_SIZE], b[WARP_SIZE], result[WARP_SIZE] = {0};
    for (int l = 0; l < WARP_SIZE; l++) {
        a[l] = (unsigned __int128)fake_value(64) << 64 | fake_value(64);
        b[l] = (unsigned __int128)fake_value(64) << 64 | fake_value(64);
    }
    uint32_t carry = 0;
    for (unsigned i = 0; i < 4; i++)
        for (int part = 0; part < 2; part++) { /* the two halves of a diverged warp take turns */
            fake_warp_init(&f, form_find(links[subtract][i == 0 ? 0 : i < 3 ? 1 : 2]));
            f.warp.carry = carry;
            f.warp.mask = part ? 0x5a5a5a5au : ~0x5a5a5a5au;
            for (int l = 0; l < WARP_SIZE; l++) {
                fake_set_lane(&f, 1, 'w', l, (uint32_t)(a[l] >> 32 * i));
                fake_set_lane(&f, 2, 'w', l, (uint32_t)(b[l] >> 32 * i));
            }
            fake_warp_run(&f);
            carry = f.warp.carry;
            for (int l = 0; l < WARP_SIZE; l++)
                if (LANE_ON(f.warp.mask))
                    result[l] |= (unsigned __int128)fake_lane(&f, 0, 'w', l) << 32 * i;
        }
    for (int l = 0; l < WARP_SIZE; l++)
        good &= result[l] == (subtract ? a[l] - b[l] : a[l] + b[l]);
    const char *name = subtract ? "borrow_chain" : "carry_chain";
    printf(good ? "ok integer/%s\n" : "not ok integer/%s: wrong result\n", name);
    failures += !good;
}

int main(void) {
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        char types[64], name[64], *rest = types;
        snprintf(types, sizeof types, "%s", tests[i].types);
        if (!*types)
            try_form(tests[i].name, "b32", tests[i].ref);
        for (char *type; *types && (type = strsep(&rest, " "));) {
            snprintf(name, sizeof name, "%s.%s", tests[i].name, type);
            try_form(name, type, tests[i].ref);
        }
    }
    try_lop3("lop3.b32", 1);
    try_lop3("lop3.or.b32", 2);
    try_lop3("lop3.and.b32", 2);
    try_chain(false);
    try_chain(true);
    return failures != 0;
}
