/* Reading a texture: from coordinates to texels, and from texels to a value.
 *
 * The programming guide's appendix on texture fetching is the source, with what an H200 does where it leaves things open: the
 * place in the texture is rounded to 1/256 of a texel before it is parted into texel and weight. */
#include <math.h>
#include <string.h>

#include "ops/half.h"
#include "ops/texture.h"

/* ---- one texel ---- */

static float srgb_to_linear(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

/* A channel as it lies in memory, to what the kernel gets. */
static uint32_t channel_value(const struct texture *t, const uint8_t *from, unsigned channel) {
    const struct image *m = &t->image;
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
static bool read_texel(const struct texture *t, const int64_t at[3], struct texel *out) {
    const struct image *m = &t->image;
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        for (unsigned c = 0; c < 4; c++)
            out->v[c] = border_value(t, c);
        return true;
    }
    unsigned bytes = (unsigned)m->channels * m->channel_bytes;
    uint64_t address = m->address + (uint64_t)at[2] * m->slice + (uint64_t)at[1] * m->pitch + (uint64_t)at[0] * bytes;
    const uint8_t *from = memory_at(m->memory, address, bytes);
    if (!from)
        return false;
    for (unsigned c = 0; c < 4; c++) /* a channel that is not there reads as 0 */
        out->v[c] = c < m->channels ? channel_value(t, from + c * m->channel_bytes, c) : 0;
    return true;
}

/* ---- addresses ---- */

/* The texel that index i along an axis of n texels means; -1: the border. */
static int64_t resolve(enum address_mode mode, int64_t i, int64_t n) {
    int64_t period = mode == ADDRESS_MIRROR ? 2 * n : n;
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
    double limit = 2.0 * (double)n + 4;
    return x < -4 ? -4 : x > limit ? limit : x;
}

/* ---- cube maps ---- */

/* The face that a direction hits, and where: 0 to 1. */
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
    int64_t fixed = (int64_t)floor((x - 0.5) * 256 + 0.5);
    a.texel[0] = resolve(mode, fixed >> 8, n);
    a.texel[1] = resolve(mode, (fixed >> 8) + 1, n);
    a.weight = (unsigned)(fixed & 255);
    return a;
}

/* The four texels around a place, one channel of each, counterclockwise from the lower left. */
static bool gather(const struct texture *t, const struct axis axes[3], unsigned component, struct texel *out) {
    static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int k = 0; k < 4; k++) {
        int64_t at[3] = {axes[0].texel[corner[k][0]], axes[1].texel[corner[k][1]], axes[2].texel[0]};
        struct texel one;
        if (!read_texel(t, at, &one))
            return false;
        out->v[k] = one.v[component];
    }
    return true;
}

static unsigned share(unsigned of, unsigned fraction) {
    return (of * fraction + 128) >> 8;
}

/* The weights of the eight texels in 1/256, x the fastest. Their sum is 256; how the products are rounded is what an H200
 * does, in all cases tried. */
static void find_weights(const struct axis axes[3], unsigned out[8]) {
    unsigned a = axes[0].weight, b = axes[1].weight, c = axes[2].weight;
    for (unsigned z = 0; z < 2; z++) {
        unsigned slice = z ? c : 256 - c;
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
    bits = (bits + ((uint64_t)1 << 28)) >> 29 << 29;
    memcpy(&x, &bits, sizeof x);
    return f32_bits((float)x);
}

/* Fractions without a sign are summed and rounded in 1/65535, floats and signed fractions in full. */
static bool blend(const struct texture *t, const struct axis axes[3], struct texel *out) {
    bool fixed = t->normalized_values && t->image.format == CHANNEL_UNSIGNED && !t->srgb;
    double sum[4] = {0};
    unsigned weights[8];
    find_weights(axes, weights);
    for (unsigned corner = 0; corner < 8; corner++) {
        if (!weights[corner])
            continue; /* so infinity does no harm here */
        int64_t at[3];
        struct texel one;
        for (unsigned k = 0; k < 3; k++)
            at[k] = axes[k].texel[corner >> k & 1];
        if (!read_texel(t, at, &one))
            return false;
        for (int c = 0; c < 4; c++)
            sum[c] += weights[corner] * (fixed ? rint((double)f32_from(one.v[c]) * 65535) : (double)f32_from(one.v[c]));
    }
    for (int c = 0; c < 4; c++)
        out->v[c] = fixed ? f32_bits((float)(floor(sum[c] / 256 + 0.5) / 65535)) : rounded(sum[c] / 256);
    return true;
}

bool texture_sample(const struct texture *t, const struct texture_access *a, struct sample_point p, struct texel *out) {
    const struct image *m = &t->image;
    unsigned dimensions = a->cube ? 2 : a->dimensions;
    uint32_t size[3] = {m->width, m->height, m->depth}, layer = a->layered ? p.layer : 0;
    if (a->cube)
        layer = 6 * layer + cube_face(p.x, &p.x[0], &p.x[1]);
    if (m->layers && layer >= m->layers)
        layer = a->cube ? layer % 6 + m->layers - 6 : m->layers - 1;
    if (!m->layers)
        layer = 0;
    bool integers = a->integers || m->linear, filter = t->filter && !integers;
    struct axis axes[3] = {0};
    for (unsigned k = 0; k < dimensions; k++)
        axes[k] = find_axis(t, (int)k, m->linear ? floor(p.x[k]) : p.x[k], size[k], filter || a->gather, integers);
    if (dimensions == 1 && filter) /* a line is the lower half of a plane of one row: the border counts, if y has one */
        axes[1] = find_axis(t, 1, 0, 1, true, false);
    if (dimensions < 3)
        axes[2].texel[0] = axes[2].texel[1] = layer;
    if (a->gather)
        return gather(t, axes, a->component, out);
    if (filter)
        return blend(t, axes, out);
    int64_t at[3] = {axes[0].texel[0], axes[1].texel[0], axes[2].texel[0]};
    if (integers && (at[0] < 0 || at[1] < 0 || at[2] < 0)) {
        memset(out, 0, sizeof *out);
        return true;
    }
    return read_texel(t, at, out);
}
