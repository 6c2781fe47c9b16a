/* Every spelling of setp, set, selp and slct: what the name says, computed one by one. */
#include <math.h>
#include <stdint.h>

#include "fake_warp.h"
#include "ops/forms.h"

static int failures, passed;

/* ---- reading a name ---- */

struct spelling {
    char words[8][8]; /* after the opcode */
    int count;
    const char *comparison, *combine; /* combine: "" for none */
    const char *result, *type;        /* of set and slct; of the operands */
    bool ftz;
};

static bool is_one_of(const char *word, const char *list) {
    size_t n = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static struct spelling read_spelling(const char *name) {
    struct spelling s = {.combine = "", .result = "", .comparison = ""};
    char copy[64], *rest = copy, *word;
    snprintf(copy, sizeof copy, "%s", name);
    strsep(&rest, ".");
    while ((word = strsep(&rest, ".")) && s.count < 8)
        snprintf(s.words[s.count++], sizeof s.words[0], "%s", word);
    return s;
}

/* Gives the words their meaning: the last is the type of the operands. The struct must not move afterwards. */
static void interpret(struct spelling *s) {
    s->type = s->words[s->count - 1];
    for (int i = 0; i < s->count - 1; i++) {
        const char *word = s->words[i];
        if (strcmp(word, "ftz") == 0)
            s->ftz = true;
        else if (is_one_of(word, "and or xor"))
            s->combine = word;
        else if (i == 0 && is_one_of(word, "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"))
            s->comparison = word;
        else
            s->result = word;
    }
}

/* ---- values ---- */

/* exponent and fraction bits; subnormals count as 0 with ftz */
static double small_float(unsigned x, unsigned exponent_bits, unsigned fraction_bits, bool ftz) {
    unsigned fraction = x & ((1u << fraction_bits) - 1), most = (1u << exponent_bits) - 1;
    unsigned exponent = x >> fraction_bits & most;
    double sign = x >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    int bias = (int)(most / 2);
    if (exponent == most)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return ftz ? 0 * sign : sign * ldexp(fraction, 1 - bias - (int)fraction_bits);
    return sign * ldexp(fraction | 1u << fraction_bits, (int)exponent - bias - (int)fraction_bits);
}

static bool is_float(const char *type) {
    return type[0] == 'f' || strncmp(type, "bf", 2) == 0;
}
static unsigned type_bits(const char *type) {
    return (unsigned)atoi(type + strcspn(type, "0123456789"));
}

static double as_float(uint64_t x, const char *type, bool ftz) {
    if (strncmp(type, "f16", 3) == 0)
        return small_float((unsigned)x, 5, 10, ftz);
    if (strncmp(type, "bf16", 4) == 0)
        return small_float((unsigned)x, 8, 7, ftz);
    if (strcmp(type, "f32") == 0)
        return small_float((unsigned)x, 8, 23, ftz);
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
}

/* a <=> b: -1, 0, 1, or 2 when unordered */
static int order(uint64_t a, uint64_t b, const char *type, bool ftz) {
    if (is_float(type)) {
        double x = as_float(a, type, ftz), y = as_float(b, type, ftz);
        return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
    }
    unsigned shift = 64 - type_bits(type);
    if (type[0] == 's') {
        int64_t x = (int64_t)(a << shift), y = (int64_t)(b << shift);
        return x < y ? -1 : x > y;
    }
    return a < b ? -1 : a > b;
}

static bool holds(const char *comparison, int order) {
    if (strcmp(comparison, "num") == 0 || strcmp(comparison, "nan") == 0)
        return (order == 2) == (comparison[1] == 'a');
    if (order == 2)
        return strlen(comparison) == 3;
    char c = comparison[0], e = comparison[1];
    if (c == 'e')
        return order == 0;
    if (c == 'n')
        return order != 0;
    bool or_equal = e == 'e' || e == 's'; /* le ge ls hs */
    return (c == 'l' ? order < 0 : order > 0) || (or_equal && order == 0);
}

static bool combine(const char *how, bool x, bool c) {
    return *how == 'a' ? x && c : *how == 'o' ? x || c : *how == 'x' ? x != c : x;
}

/* Numbers of a type, among them those that compare in a special way; pairs are often equal. */
static uint64_t value_of(const char *type, unsigned bits) {
    static const uint64_t f64[] = {0,
                                   1ull << 63,
                                   1,
                                   0x3ff0000000000000u,
                                   0x7ff0000000000000u,
                                   0xfff0000000000000u,
                                   0x7ff8000000000000u,
                                   0x7ff0000000000001u,
                                   0xfff8000000000000u,
                                   0x000fffffffffffffu};
    static const uint32_t f32[] = {0,           0x80000000u, 1,           0x80000001u, 0x3f800000,
                                   0xbf800000u, 0x7f800000,  0xff800000u, 0x7fffffff,  0x7f800001,
                                   0xffc00000u, 0x007fffff,  0x807fffffu, 0x00800000};
    static const uint16_t f16[] = {0,      0x8000, 1,      0x8001, 0x3c00, 0x7c00,
                                   0xfc00, 0x7fff, 0x7c01, 0xfe00, 0x03ff, 0x0400};
    static const uint16_t bf16[] = {0, 0x8000, 1, 0x8001, 0x3f80, 0x7f80, 0xff80, 0x7fff, 0x7f81, 0xffc0, 0x007f, 0x80};
    uint64_t r = fake_random(), n = r >> 8;
    if (!is_float(type) || r & 1)
        return fake_value(bits);
    if (strcmp(type, "f64") == 0)
        return f64[n % (sizeof f64 / sizeof *f64)];
    if (strcmp(type, "f32") == 0)
        return f32[n % (sizeof f32 / sizeof *f32)];
    const uint16_t *half = type[0] == 'f' ? f16 : bf16;
    return bits == 16 ? half[n % 12] : half[n % 12] | (uint32_t)half[n / 12 % 12] << 16;
}

/* ---- running one ---- */

static bool packed_type(const char *type) {
    return strstr(type, "x2") != NULL;
}

static bool half_holds(const struct spelling *s, uint64_t a, uint64_t b, int half) {
    if (packed_type(s->type))
        a = a >> 16 * half & 0xffff, b = b >> 16 * half & 0xffff;
    return holds(s->comparison, order(a, b, s->type, s->ftz));
}

static uint64_t truth(const char *result) {
    return strcmp(result, "f32") == 0    ? 0x3f800000
           : strcmp(result, "f16") == 0  ? 0x3c00
           : strcmp(result, "bf16") == 0 ? 0x3f80
           : type_bits(result) == 16     ? 0xffff
                                         : 0xffffffffu;
}

/* What set gives for a lane. */
static uint64_t set_result(const struct spelling *s, uint64_t a, uint64_t b, bool c) {
    if (!packed_type(s->type))
        return combine(s->combine, half_holds(s, a, b, 0), c) ? truth(s->result) : 0;
    uint64_t one = s->result[0] == 'f' ? 0x3c00 : s->result[0] == 'b' ? 0x3f80 : 0xffff;
    return (combine(s->combine, half_holds(s, a, b, 0), c) ? one : 0) |
           (combine(s->combine, half_holds(s, a, b, 1), c) ? one << 16 : 0);
}

static bool check_lanes(const char *name, const struct fake_warp *before, const struct fake_warp *after,
                        const char *letters, const struct spelling *s) {
    uint32_t mask = before->warp.mask, c = fake_predicate(before, strncmp(name, "setp", 4) == 0 ? 4 : 3);
    for (int l = 0; l < WARP_SIZE; l++) {
        bool active = LANE_ON(mask), good;
        if (strncmp(name, "setp", 4) == 0) {
            uint64_t a = fake_lane(before, 2, letters[1], l), b = fake_lane(before, 3, letters[1], l);
            bool low = half_holds(s, a, b, 0), high = packed_type(s->type) ? half_holds(s, a, b, 1) : !low;
            bool p = combine(s->combine, low, c >> l & 1), q = combine(s->combine, high, c >> l & 1);
            if (!active)
                p = fake_predicate(before, 0) >> l & 1, q = fake_predicate(before, 1) >> l & 1;
            good = (fake_predicate(after, 0) >> l & 1) == p && (fake_predicate(after, 1) >> l & 1) == q;
        } else {
            uint64_t a = fake_lane(before, 1, letters[1], l), b = fake_lane(before, 2, letters[2], l), expected;
            if (strncmp(name, "set.", 4) == 0)
                expected = set_result(s, a, b, LANE_ON(c));
            else if (strncmp(name, "selp", 4) == 0)
                expected = LANE_ON(c) ? a : b;
            else {
                int sign = order(fake_lane(before, 3, 'w', l), 0, s->type, s->ftz);
                expected = sign == 0 || sign == 1 ? a : b;
            }
            good = fake_lane(after, 0, letters[0], l) == (active ? expected : fake_lane(before, 0, letters[0], l));
        }
        if (!good) {
            printf("not ok compare/%s: wrong in lane %d\n", name, l);
            return false;
        }
    }
    return true;
}

static bool try_form(const struct form *form) {
    struct spelling s = read_spelling(form->name);
    interpret(&s);
    bool pair = form->operands[0] == 'P';
    for (int i = 0; i < 12; i++) {
        struct fake_warp f;
        fake_warp_init(&f, form);
        f.warp.mask = i % 3 ? FULL_MASK : (uint32_t)fake_random() | 1;
        for (unsigned k = 1; form->operands[k]; k++) {
            char letter = form->operands[k];
            for (int l = 0; l < WARP_SIZE && letter != 'p'; l++) {
                bool repeat = k == 2 && fake_random() % 4 == 0;
                uint64_t value =
                    repeat ? fake_lane(&f, k - 1 + pair, letter, l) : value_of(s.type, 8 * letter_bytes(letter));
                fake_set_lane(&f, k + pair, letter, l, value);
            }
            if (letter == 'p')
                fake_set_predicate(&f, k + pair, (uint32_t)fake_random());
        }
        struct fake_warp before = f;
        if (!fake_warp_run(&f) || !check_lanes(form->name, &before, &f, form->operands, &s))
            return false;
    }
    return true;
}

int main(void) {
    static const char *const opcodes[] = {"setp", "set", "selp", "slct"};
    for (size_t o = 0; o < sizeof opcodes / sizeof *opcodes; o++) {
        size_t n = strlen(opcodes[o]);
        int bad = failures;
        passed = 0;
        for (size_t i = 0; i < form_count(); i++) {
            const struct form *form = form_at(i);
            if (strncmp(form->name, opcodes[o], n) != 0 || form->name[n] != '.')
                continue;
            bool good = form_find(form->name) == form && try_form(form);
            passed += good, failures += !good;
        }
        if (bad == failures && passed)
            printf("ok compare/%s (%d spellings)\n", opcodes[o], passed);
        else if (!passed && bad == failures)
            printf("not ok compare/%s: there are no forms\n", opcodes[o]), failures++;
    }
    return failures != 0;
}
