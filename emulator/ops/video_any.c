/* Any video instruction, one lane after the other, in the steps that the manual gives. */
#include "ops/video.h"

#include <string.h>

static const char *const operations[] = {
    [VIDEO_OP_ADD] = "vadd", [VIDEO_OP_SUB] = "vsub",   [VIDEO_OP_ABSDIFF] = "vabsdiff", [VIDEO_OP_MIN] = "vmin",
    [VIDEO_OP_MAX] = "vmax", [VIDEO_OP_AVRG] = "vavrg", [VIDEO_OP_SHL] = "vshl",         [VIDEO_OP_SHR] = "vshr",
    [VIDEO_OP_SET] = "vset", [VIDEO_OP_MAD] = "vmad",
};

bool video_read_operation(const char *opcode, struct video *v) {
    size_t length = strcspn(opcode, ".");
    char last = opcode[length ? length - 1 : 0];
    v->elements = last == '2' ? 2 : last == '4' ? 4 : 1;
    length -= v->elements > 1;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strlen(operations[i]) == length && memcmp(operations[i], opcode, length) == 0) {
            v->operation = (uint8_t)i;
            return true;
        }
    return false;
}

static int64_t apply(const struct video *v, int64_t a, int64_t b) {
    return v->operation == VIDEO_OP_SET ? video_compare(v->comparison, a, b)
                                        : video_apply(v->operation, v->wraps, a, b);
}

static uint32_t second(const struct video *v, int64_t x, uint32_t c) {
    int64_t other = v->d_signed ? (int64_t)(int32_t)c : (int64_t)c;
    int64_t own = v->d_signed ? (int64_t)(int32_t)x : (int64_t)(uint32_t)x;
    uint32_t mask = (uint32_t)((((uint64_t)1 << v->d.bits) - 1) << v->d.shift);
    switch (v->second) {
    case VIDEO_SECOND_ADD:
        return (uint32_t)x + c;
    case VIDEO_SECOND_MIN:
        return (uint32_t)(own < other ? own : other);
    case VIDEO_SECOND_MAX:
        return (uint32_t)(own > other ? own : other);
    case VIDEO_MERGE:
        return ((uint32_t)x << v->d.shift & mask) | (c & ~mask);
    default:
        return (uint32_t)x;
    }
}

static uint32_t scalar(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    int64_t x = apply(v, video_part_of(a, v->a, v->a_signed), video_part_of(b, v->b, v->b_signed));
    return second(v, v->saturates ? video_saturate(x, v->d.bits, v->d_signed) : x, c);
}

/* a * b + c, perhaps the negative of one of them, plus one, scaled, saturated */
static uint32_t multiply_add(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    bool negative = v->negative[0] != v->negative[1];
    bool is_signed = v->a_signed || v->b_signed || negative || v->negative[2];
    __int128 product = (__int128)video_part_of(a, v->a, v->a_signed) * video_part_of(b, v->b, v->b_signed);
    __int128 addend = is_signed ? (__int128)(int32_t)c : (__int128)c;
    if (v->plus_one)
        addend += 1;
    else if (negative)
        product = -product;
    else if (v->negative[2])
        addend = -addend;
    __int128 sum = (product + addend) >> v->shift, low = is_signed ? INT32_MIN : 0;
    __int128 high = is_signed ? (__int128)INT32_MAX : (__int128)UINT32_MAX;
    if (v->saturates)
        sum = sum < low ? low : sum > high ? high : sum;
    return (uint32_t)sum;
}

/* v*2 and v*4: an element's source is one of a's, or one of b's after them. */
static int64_t element(const struct video *v, uint32_t a, uint32_t b, unsigned from, bool is_signed) {
    uint8_t bits = (uint8_t)(32 / v->elements);
    struct video_part part = {bits, (uint8_t)(from % v->elements * bits)};
    return video_part_of(from < v->elements ? a : b, part, is_signed);
}

static uint32_t vector(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    unsigned bits = 32u / v->elements;
    uint32_t d = c, sum = c;
    for (unsigned k = 0; k < v->elements; k++) {
        if (!(v->mask >> k & 1))
            continue;
        int64_t x =
            apply(v, element(v, a, b, v->a_parts[k], v->a_signed), element(v, a, b, v->b_parts[k], v->b_signed));
        if (v->saturates)
            x = video_saturate(x, bits, v->d_signed);
        uint32_t mask = ((1u << bits) - 1) << k * bits;
        d = (d & ~mask) | ((uint32_t)x << k * bits & mask);
        sum += (uint32_t)x;
    }
    return v->second == VIDEO_SECOND_ADD ? sum : d;
}

const struct insn *op_video(struct warp *w, const struct insn *in) {
    const struct video *v = in->extra;
    uint32_t *d = REG(uint32_t, 0);
    const uint32_t *a = REG(uint32_t, 1), *b = REG(uint32_t, 2), *c = REG(uint32_t, 3);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        d[l] = v->operation == VIDEO_OP_MAD ? multiply_add(v, a[l], b[l], c[l])
               : v->elements > 1            ? vector(v, a[l], b[l], c[l])
                                            : scalar(v, a[l], b[l], c[l]);
    }
    return in + 1;
}
