/* Reading a texture: from coordinates to texels, and from texels to a value.
 *
 * The programming guide's appendix on texture fetching is the source, with an H200's behavior where the guide leaves
 * things open: the position in the texture is rounded to 1/256 of a texel before it is split into texel and weight. */
#include <math.h>
#include <string.h>

#include "memory/observer.h"
#include "ops/half.h"
#include "ops/texture_fetch.h"

/* ---- one texel ---- */

static float srgb_to_linear(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

/* A channel's bits in memory, converted to the value that the kernel gets. */
static uint32_t channel_value(const struct texture *t, const uint8_t *from, unsigned channel) {
    const struct image *m = &t->image; /* all levels have its format */
    uint32_t raw = 0;
    memcpy(&raw, from, m->channel_bytes);
    unsigned bits = 8u * m->channel_bytes;
    if (m->format == CHANNEL_FLOAT)
        return bits == 16 ? f32_bits(f16_to_f32((uint16_t)raw)) : raw;
    if (m->format == CHANNEL_SIGNED)
        raw = (uint32_t)((int32_t)(raw << (32 - bits)) >> (32 - bits));
    if (!t->normalized_values)
        return raw;
    if (m->format == CHANNEL_SIGNED) {
        float f = (float)(int32_t)raw / (float)((1u << (bits - 1)) - 1);
        return f32_bits(f < -1 ? -1 : f);
    }
    float f = (float)raw / (float)((1u << bits) - 1);
    return f32_bits(t->srgb && channel < 3 ? srgb_to_linear(f) : f);
}

/* The border's color in the texels' format: integers are the low bits of the float. */
static uint32_t border_value(const struct texture *t, unsigned channel) {
    const struct image *m = &t->image;
    float f = t->border[channel];
    unsigned bits = 8u * m->channel_bytes;
    if (channel >= m->channels)
        return 0;
    if (m->format == CHANNEL_FLOAT)
        return f32_bits(bits == 16 ? f16_to_f32(f32_to_f16(f)) : f);
    if (t->normalized_values) {
        float low = m->format == CHANNEL_SIGNED ? -1 : 0;
        return f32_bits(f > 1 ? 1 : f > low ? f : low);
    }
    uint32_t raw = f32_bits(f) << (32 - bits);
    return m->format == CHANNEL_SIGNED ? (uint32_t)((int32_t)raw >> (32 - bits)) : raw >> (32 - bits);
}

/* Coordinates in range, or -1 in x where the border begins. */
static bool read_texel(const struct texture *t, const struct image *m, const int64_t at[3], struct texel *out) {
    out->unwritten = 0;
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        for (unsigned c = 0; c < 4; c++)
            out->v[c] = border_value(t, c);
        return true;
    }
    unsigned bytes = (unsigned)m->channels * m->channel_bytes;
    if (t->touched)
        touch_texel(t->touched, m, (uint64_t)at[0] * bytes, (uint64_t)at[1], (uint64_t)at[2]);
    uint64_t address = m->address + (uint64_t)at[2] * m->slice + (uint64_t)at[1] * m->pitch + (uint64_t)at[0] * bytes;
    const uint8_t *from = memory_at(m->memory, address, bytes);
    if (!from)
        return false;
    uint64_t where;
    if (memory_find_unwritten(m->memory, address, bytes, &where))
        out->unwritten = address;
    for (unsigned c = 0; c < 4; c++) /* a missing channel reads as 0 */
        out->v[c] = c < m->channels ? channel_value(t, from + c * m->channel_bytes, c) : 0;
    return true;
}

/* ---- addresses ---- */

/* The texel of index i along an axis of n texels; -1: the border. */
static int64_t resolve(enum address_mode mode, int64_t i, int64_t n) {
    int64_t period = mode == ADDRESS_MIRROR ? 2 * n : n;
    /* C's % takes the sign of the dividend; this one is from 0 to period - 1. */
    int64_t wrapped = (i % period + period) % period;
    switch (mode) {
    case ADDRESS_WRAP:
        return wrapped;
    case ADDRESS_MIRROR:
        return wrapped < n ? wrapped : 2 * n - 1 - wrapped;
    case ADDRESS_BORDER:
        return i < 0 || i >= n ? -1 : i;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

/* Wrapping and mirroring are for normalized coordinates; a GPU clamps the others. */
static enum address_mode mode_of(const struct texture *t, int axis) {
    enum address_mode mode = (enum address_mode)t->address_mode[axis];
    bool periodic = mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR;
    return t->image.cube || (periodic && !t->normalized_coordinates) ? ADDRESS_CLAMP : mode;
}

/* A coordinate in texels, brought near the texture so that it can become an integer. */
static double in_texels(const struct texture *t, enum address_mode mode, double x, int64_t n) {
    if (isnan(x))
        return 0;
    if (t->normalized_coordinates) {
        if (mode == ADDRESS_WRAP)
            x = isinf(x) ? 0 : x - floor(x);
        else if (mode == ADDRESS_MIRROR)
            x = isinf(x) ? 0 : x - 2 * floor(x / 2);
        x *= (double)n;
    }
    /* Beyond these bounds a clamped or border coordinate means the same texel, whatever its value is. */
    double limit = 2.0 * (double)n + 4;
    return x < -4 ? -4 : x > limit ? limit : x;
}

/* ---- cube maps ---- */

/* The face that a direction hits, and the position on it: 0 to 1. */
static uint32_t cube_face(const double d[3], double *s, double *t) {
    double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]), major, sc, tc;
    uint32_t face;
    if (z >= x && z >= y) {
        face = d[2] < 0 ? 5 : 4;
        major = z;
        sc = d[2] < 0 ? -d[0] : d[0];
        tc = -d[1];
    } else if (y >= x) {
        face = d[1] < 0 ? 3 : 2;
        major = y;
        sc = d[0];
        tc = d[1] < 0 ? -d[2] : d[2];
    } else {
        face = d[0] < 0 ? 1 : 0;
        major = x;
        sc = d[0] < 0 ? d[2] : -d[2];
        tc = -d[1];
    }
    *s = major > 0 ? (sc / major + 1) / 2 : 0.5;
    *t = major > 0 ? (tc / major + 1) / 2 : 0.5;
    return face;
}

/* The direction of a place on a face; it may lie somewhat outside. */
static void cube_direction(uint32_t face, double s, double t, double d[3]) {
    const double all[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    memcpy(d, all[face], sizeof all[face]);
}

/* A texel just outside of one edge of a face is one of the face beside it. */
static void across_edge(int64_t at[3], uint32_t n) {
    double d[3], s, t;
    int64_t cube = at[2] / 6;
    cube_direction((uint32_t)(at[2] % 6), (double)(2 * at[0] + 1) / n - 1, (double)(2 * at[1] + 1) / n - 1, d);
    at[2] = 6 * cube + cube_face(d, &s, &t);
    at[0] = (int64_t)floor(s * n);
    at[1] = (int64_t)floor(t * n);
}

/* ---- sampling ---- */

/* An axis of a sample: two texels and the weight of the second. */
struct axis {
    int64_t texel[2];
    unsigned weight; /* of 256 */
};

static struct axis find_axis(const struct texture *t, int k, double x, uint32_t n, bool pair, bool integers) {
    struct axis a = {0};
    if (integers) {
        a.texel[0] = x >= 0 && x < n ? (int64_t)x : -1; /* NaN is outside, too */
        return a;
    }
    enum address_mode mode = mode_of(t, k);
    x = in_texels(t, mode, x, n);
    if (!pair) {
        a.texel[0] = resolve(mode, (int64_t)floor(x), n);
        return a;
    }
    /* A texel's centre is at 0.5: from there on the weight of its neighbour grows. 8 bits of weight, as the hardware
     * has. */
    int64_t fixed = (int64_t)floor((x - 0.5) * 256 + 0.5);
    a.texel[0] = t->seamless ? fixed >> 8 : resolve(mode, fixed >> 8, n); /* from -1 to n */
    a.texel[1] = t->seamless ? (fixed >> 8) + 1 : resolve(mode, (fixed >> 8) + 1, n);
    a.weight = (unsigned)(fixed & 255);
    return a;
}

/* The four texels around a place, one channel of each, counterclockwise from the lower left. */
static bool gather(const struct texture *t, const struct image *m, const struct axis axes[3], unsigned component,
                   struct texel *out) {
    /* tld4's order: (x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y). */
    static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    uint64_t unwritten = 0;
    for (int k = 0; k < 4; k++) {
        int64_t at[3] = {axes[0].texel[corner[k][0]], axes[1].texel[corner[k][1]], axes[2].texel[0]};
        struct texel one;
        if (!read_texel(t, m, at, &one))
            return false;
        out->v[k] = one.v[component];
        unwritten = one.unwritten ? one.unwritten : unwritten;
    }
    out->unwritten = unwritten;
    return true;
}

static unsigned share(unsigned of, unsigned fraction) {
    return (of * fraction + 128) >> 8;
}

/* The weights of the eight texels in 1/256, x the fastest. Their sum is the level's share, 256 where there is one
 * level; the products are rounded as on an H200, in all cases tried. */
static void find_weights(const struct axis axes[3], unsigned all, unsigned out[8]) {
    unsigned a = axes[0].weight, b = axes[1].weight, far = share(all, axes[2].weight);
    /* Each split keeps its sum: one part is rounded, the other one is the rest. So the eight weights add up to `all`
     * exactly. */
    for (unsigned z = 0; z < 2; z++) {
        unsigned slice = z ? far : all - far;
        unsigned right = share(slice, a), left = slice - right;
        unsigned *w = out + 4 * z;
        w[0] = share(left, 256 - b);
        w[2] = left - w[0];
        w[3] = share(right, b);
        w[1] = right - w[3];
    }
}

/* To the nearest; halfway cases away from zero, as an H200's texture unit does. */
static uint32_t rounded(double x) {
    uint64_t bits = f64_bits(x);
    if (isnan(x))
        return F32_NAN;
    if (fabs(x) < 0x1p-126 || isinf(x))
        return f32_bits((float)x);
    /* A double has 29 bits of fraction more than a single. Adding half of the last kept one rounds halves away from
     * zero; a carry into the exponent is right as it is. */
    bits = (bits + ((uint64_t)1 << 28)) >> 29 << 29;
    memcpy(&x, &bits, sizeof x);
    return f32_bits((float)x);
}

/* At the corner of a cube three faces meet: the texel that would be the fourth gives its weight to the others, a third
 * to each, the remainder to the one opposite. */
static void share_corner(const struct axis axes[3], uint32_t n, unsigned weights[8]) {
    for (unsigned corner = 0; corner < 4; corner++) {
        int64_t x = axes[0].texel[corner & 1], y = axes[1].texel[corner >> 1];
        if ((x >= 0 && x < n) || (y >= 0 && y < n))
            continue;
        unsigned all = weights[corner], third = (all + 1) / 3;
        weights[corner] = 0;
        weights[corner ^ 1] += third;
        weights[corner ^ 2] += third;
        weights[corner ^ 3] += all - 2 * third;
        return;
    }
}

/* Fractions without a sign are summed and rounded in 1/65535, floats and signed fractions in full. */
static bool is_fixed(const struct texture *t) {
    return t->normalized_values && t->image.format == CHANNEL_UNSIGNED && !t->srgb;
}

struct sum {
    double v[4];        /* in 1/256 of a value */
    uint64_t unwritten; /* as in a texel */
};

static bool add_texels(const struct texture *t, const struct image *m, const struct axis axes[3], unsigned all,
                       struct sum *sum) {
    bool fixed = is_fixed(t);
    unsigned weights[8];
    find_weights(axes, all, weights);
    if (t->seamless)
        share_corner(axes, m->width, weights);
    for (unsigned corner = 0; corner < 8; corner++) {
        if (!weights[corner])
            continue; /* so infinity is harmless here */
        int64_t at[3];
        struct texel one;
        for (unsigned k = 0; k < 3; k++)
            at[k] = axes[k].texel[corner >> k & 1];
        if (t->seamless && (at[0] < 0 || at[1] < 0 || at[0] >= m->width || at[1] >= m->width))
            across_edge(at, m->width);
        if (!read_texel(t, m, at, &one))
            return false;
        sum->unwritten = one.unwritten ? one.unwritten : sum->unwritten;
        for (int c = 0; c < 4; c++)
            sum->v[c] +=
                weights[corner] * (fixed ? rint((double)f32_from(one.v[c]) * 65535) : (double)f32_from(one.v[c]));
    }
    return true;
}

/* A filtered value has the precision of its texels: halves and sRGB give halves, 16 bits with a sign give 1/32767. */
static uint32_t filtered_value(const struct texture *t, double x) {
    const struct image *m = &t->image;
    if (is_fixed(t))
        return f32_bits((float)(floor(x + 0.5) / 65535));
    if (t->srgb || (m->format == CHANNEL_FLOAT && m->channel_bytes == 2))
        return f32_bits(f16_to_f32(f32_to_f16((float)x)));
    if (t->normalized_values && m->channel_bytes == 2)
        return f32_bits((float)(floor(x * 32767 + 0.5) / 32767));
    return rounded(x);
}

static struct texel from_sum(const struct texture *t, const struct sum *sum) {
    struct texel out = {.unwritten = sum->unwritten};
    for (int c = 0; c < 4; c++)
        out.v[c] = filtered_value(t, sum->v[c] / 256);
    return out;
}

static bool is_filtered(const struct texture *t, const struct texture_access *a) {
    return t->filter && !a->integers && !t->image.linear;
}

/* Where a sample is in one level. */
static void find_axes(const struct texture *t, const struct image *m, const struct texture_access *a,
                      struct sample_point p, struct axis axes[3]) {
    unsigned dimensions = a->cube ? 2 : a->dimensions;
    uint32_t size[3] = {m->width, m->height, m->depth}, layer = a->layered ? p.layer : 0;
    if (a->cube)
        layer = 6 * layer + cube_face(p.x, &p.x[0], &p.x[1]);
    if (m->layers && layer >= m->layers)
        layer = a->cube ? layer % 6 + m->layers - 6 : m->layers - 1;
    if (!m->layers)
        layer = 0;
    bool pair = is_filtered(t, a) || a->gather;
    for (unsigned k = 0; k < dimensions; k++)
        axes[k] = find_axis(t, (int)k, m->linear ? floor(p.x[k]) : p.x[k], size[k], pair, a->integers || m->linear);
    if (dimensions == 1 &&
        is_filtered(t, a)) /* a line is the lower half of a plane of one row: the border counts, if y has one */
        axes[1] = find_axis(t, 1, 0, 1, true, false);
    if (dimensions < 3)
        axes[2].texel[0] = axes[2].texel[1] = layer;
}

/* The texel itself, where nothing is filtered. */
static bool nearest(const struct texture *t, const struct image *m, const struct texture_access *a,
                    const struct axis axes[3], struct texel *out) {
    int64_t at[3] = {axes[0].texel[0], axes[1].texel[0], axes[2].texel[0]};
    if ((a->integers || m->linear) && (at[0] < 0 || at[1] < 0 || at[2] < 0)) {
        memset(out, 0, sizeof *out);
        return true;
    }
    return read_texel(t, m, at, out);
}

static bool sample_image(const struct texture *t, const struct image *m, const struct texture_access *a,
                         struct sample_point p, struct texel *out) {
    struct axis axes[3] = {{{0}, 0}};
    find_axes(t, m, a, p, axes);
    if (a->gather)
        return gather(t, m, axes, a->component, out);
    if (!is_filtered(t, a))
        return nearest(t, m, a, axes, out);
    struct sum sum = {{0}, 0};
    if (!add_texels(t, m, axes, 256, &sum))
        return false;
    *out = from_sum(t, &sum);
    return true;
}

/* Adds a level's share to the sum of two: texels have their weights in both levels. */
static bool add_level(const struct texture *t, const struct image *m, const struct texture_access *a,
                      struct sample_point p, unsigned all, struct sum *sum) {
    struct axis axes[3] = {{{0}, 0}};
    find_axes(t, m, a, p, axes);
    if (!is_filtered(t, a)) /* one texel has all the weight */
        for (int k = 0; k < 3; k++)
            axes[k].texel[1] = axes[k].texel[0], axes[k].weight = 0;
    return add_texels(t, m, axes, all, sum);
}

/* ---- levels ---- */

/* Levels are found in 1/256. */
static int fixed_level(double level) {
    return isnan(level) ? 0 : (int)floor(fmin(fmax(level, -64), 64) * 256);
}

/* The level settings of a texture object, rounded towards zero. */
static int to_fixed(float level) {
    return isnan(level) ? 0 : (int)trunc(fmin(fmax(level, -64), 64) * 256);
}

/* The length of a footprint's side in texels, as the hardware estimates it. */
static double length_of(const double v[3]) {
    /* An approximation to sqrt(x * x + y * y + z * z) without a root: the longest, and shares of the others. */
    double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
    double most = fmax(x, fmax(y, z)), least = fmin(x, fmin(y, z)), middle = x + y + z - most - least;
    return most + middle * (11.0 / 32) + least / 4;
}

/* log2 in 1/256, from eight bits of the fraction; the hardware's table is off by one at both of its ends. */
static int log2_fixed(double x) {
    int exponent;
    int k = (int)((frexp(x, &exponent) * 2 - 1) * 256);
    int fraction = k == 0 ? 0 : k == 255 ? 255 : (int)floor(256 * log2(1 + (k + 0.47) / 256) + 0.5);
    return 256 * (exponent - 1) + fraction;
}

/* The level whose texels are as large as the footprint with these sides. This matches an H200, found by experiment; one
 * in a hundred levels is off by 1/256. */
static int footprint_level(const struct image *m, const struct texture_access *a, const float gradient[2][3]) {
    double size[3] = {m->width, m->height, m->depth}, side[2][3] = {{0}}, sum[3], difference[3];
    for (unsigned k = 0; k < a->dimensions; k++) {
        side[0][k] = gradient[0][k] * size[k];
        side[1][k] = gradient[1][k] * size[k];
    }
    for (unsigned k = 0; k < 3; k++) {
        sum[k] = side[0][k] + side[1][k];
        difference[k] = side[0][k] - side[1][k];
    }
    double longest = fmax(length_of(side[0]), length_of(side[1]));
    longest = fmax(longest, fmax(length_of(sum), length_of(difference)) * (11.0 / 16));
    return longest >= 0x1p-30 ? log2_fixed(fmin(longest, 0x1p30)) : -64 * 256;
}

bool texture_sample(const struct texture *t, const struct texture_access *a, struct sample_point p, struct texel *out) {
    const struct mipmap *levels = t->mipmap;
    if (!levels || a->integers || a->gather || !t->normalized_coordinates)
        return sample_image(t, &t->image, a, p, out);
    int bias = to_fixed(levels->bias);
    int level = a->levels == LEVEL_NAMED      ? fixed_level(p.level) + bias
                : a->levels == LEVEL_GRADIENT ? footprint_level(&t->image, a, p.gradient) + bias
                                              : 0;
    int least = to_fixed(levels->least), most = to_fixed(levels->most), last = 256 * ((int)levels->count - 1);
    level = level < least ? least : level > most ? most : level;
    level = level < 0 ? 0 : level > last ? last : level;
    if (!levels->blend)
        return sample_image(t, &levels->levels[(level + 128) >> 8], a, p, out);
    int number = level >> 8;
    unsigned coarse = (unsigned)(level & 255);
    struct sum sum = {{0}, 0};
    if (!coarse)
        return sample_image(t, &levels->levels[number], a, p, out);
    if (!add_level(t, &levels->levels[number], a, p, 256 - coarse, &sum) ||
        !add_level(t, &levels->levels[number + 1], a, p, coarse, &sum))
        return false;
    *out = from_sum(t, &sum);
    return true;
}
