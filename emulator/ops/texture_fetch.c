/* tex, tld4, txq and suq: lane by lane, with the object that each lane's handle names. */
#include "ops/texture_fetch.h"

#include <stdio.h>

#include "machine/observer.h"

#define SLOT(T, slot) ((T *)(void *)(w->regs + (slot)))

const struct texture *texture_of_lane(struct warp *w, const struct insn *in, int lane) {
    const struct texture_access *a = in->extra;
    uint64_t handle = SLOT(uint64_t, a->handle)[lane];
    const struct texture *t = texture_find(handle, (enum texture_kind)a->kind);
    if (t)
        return t;
    bool sampled = a->kind == TEXTURE_SAMPLED;
    bool other = texture_find(handle, sampled ? TEXTURE_SURFACE : TEXTURE_SAMPLED) != NULL;
    const char *what = sampled ? "texture" : "surface", *is = sampled ? "surface" : "texture";
    char detail[160];
    if (other)
        snprintf(detail, sizeof detail, "0x%llx is a %s object, and a %s object is expected",
                 (unsigned long long)handle, is, what);
    else
        snprintf(detail, sizeof detail, "0x%llx is not a %s object", (unsigned long long)handle, what);
    warp_fault(
        w,
        report_insn(
            w, in, FINDING_LAUNCH_FAILURE, 1u << lane, detail,
            sampled ? "Pass the object that cudaCreateTextureObject returned, and destroy it only after the kernel."
                    : "Pass the object that cudaCreateSurfaceObject returned, and destroy it only after the kernel."));
    return NULL;
}

static struct sample_point point_of_lane(const struct warp *w, const struct texture_access *a, int l) {
    struct sample_point p = {.layer = a->layered ? SLOT(uint32_t, a->layer)[l] : 0};
    for (unsigned k = 0; k < a->dimensions; k++)
        p.x[k] = a->integers ? (double)SLOT(int32_t, a->coordinates[k])[l] : (double)SLOT(float, a->coordinates[k])[l];
    if (a->levels == LEVEL_NAMED)
        p.level = a->integers ? (float)SLOT(int32_t, a->level)[l] : SLOT(float, a->level)[l];
    for (unsigned k = 0; k < a->dimensions && a->levels == LEVEL_GRADIENT; k++) {
        p.gradient[0][k] = SLOT(float, a->gradient[0][k])[l];
        p.gradient[1][k] = SLOT(float, a->gradient[1][k])[l];
    }
    return p;
}

/* An unsupported read gives a report, not a wrong value. */
static bool is_missing(struct warp *w, const struct insn *in, int lane, const struct texture *t) {
    const struct texture_access *a = in->extra;
    const char *detail = NULL;
    if (t->mipmap && a->levels == LEVEL_GRADIENT && t->anisotropic)
        detail = "Gradients with maxAnisotropy above 1 are not emulated";
    else if (t->mipmap && a->levels == LEVEL_GRADIENT && a->cube)
        detail = "Gradients on cube maps are not emulated";
    else if (t->mipmap && !t->normalized_coordinates)
        detail = "Mipmapped arrays with coordinates in texels are not emulated";
    else if (t->mipmap && a->levels && a->integers)
        detail = "Levels with integers as coordinates are not emulated";
    else if (a->gather && t->seamless)
        detail = "Gathering across the edges of a cube map is not emulated";
    if (detail)
        warp_fault(w, report_insn(w, in, FINDING_UNSUPPORTED, 1u << lane, detail, "A GPU is needed for it."));
    return detail != NULL;
}

const struct insn *op_texture(struct warp *w, const struct insn *in) {
    const struct texture_access *a = in->extra;
    for (uint32_t lanes = w->mask; lanes; lanes &= lanes - 1) {
        int l = first_lane(lanes);
        const struct texture *t = texture_of_lane(w, in, l);
        struct texel value;
        if (!t || is_missing(w, in, l, t))
            return NULL;
        if (!texture_sample(t, a, point_of_lane(w, a, l), &value))
            return warp_fault(w,
                              report_insn(w, in, FINDING_USE_AFTER_FREE, 1u << l, "The texture's memory has been freed",
                                          "Free it only after the last kernel that reads the texture."));
        if (value.unwritten)
            observer.memory_read(w, in, l, value.unwritten, (uint32_t)t->image.channels * t->image.channel_bytes);
        for (unsigned i = 0; i < a->count; i++)
            SLOT(uint32_t, a->regs[i])[l] = value.v[i];
    }
    uint32_t *resident = SLOT(uint32_t, a->predicate);
    *resident |= w->mask;
    return in + 1;
}

/* ---- the sectors of a fetch ---- */

#define SECTOR       32
#define SECTOR_WIDTH 16 /* of an array: bytes of a row, and rows */
#define SECTOR_ROWS  2

/* A texel has at most 16 bytes, and is aligned to its size. */
void touch_texel(struct texels_touched *touched, const struct image *m, uint64_t x_bytes, uint64_t y, uint64_t z) {
    uint64_t slice = m->address + z * m->slice, sector;
    if (m->linear || m->pitched)
        sector = (slice + y * m->pitch + x_bytes) / SECTOR;
    else /* a number that no other sector of the array has */
        sector = slice + y / SECTOR_ROWS * (m->pitch / SECTOR_WIDTH) + x_bytes / SECTOR_WIDTH;
    for (unsigned i = 0; i < touched->count; i++)
        if (touched->sectors[i] == sector)
            return;
    if (touched->count < MOST_TEXELS)
        touched->sectors[touched->count++] = sector;
}

static unsigned texel_bytes(const struct texture *t) {
    return (unsigned)t->image.channels * t->image.channel_bytes;
}

static bool is_in_passes(const struct texture *t, const struct texture_access *a) {
    bool blends = t->mipmap && t->mipmap->blend && a->levels;
    return blends || (t->filter && !a->integers && !t->image.linear && !a->gather &&
                      (a->dimensions > 2 || t->seamless || t->anisotropic || texel_bytes(t) > 4));
}

bool texture_touches(const struct warp *w, const struct insn *in, int lane, struct texels_touched *out) {
    const struct texture_access *a = in->extra;
    const struct texture *t = texture_find(SLOT(uint64_t, a->handle)[lane], (enum texture_kind)a->kind);
    out->count = 0;
    if (!t || is_in_passes(t, a))
        return false;
    struct texture noting = *t;
    struct texel value;
    noting.touched = out;
    for (int k = 0; k < 3; k++) /* a GPU fetches the texel at the edge, and returns the border's color */
        if (noting.address_mode[k] == ADDRESS_BORDER)
            noting.address_mode[k] = ADDRESS_CLAMP;
    texture_sample(&noting, a, point_of_lane(w, a, lane), &value);
    return true;
}

unsigned texture_request_lanes(const struct warp *w, const struct insn *in) {
    const struct texture_access *a = in->extra;
    const struct texture *t = texture_find(SLOT(uint64_t, a->handle)[first_lane(w->mask)], (enum texture_kind)a->kind);
    return t && a->integers && a->dimensions + a->layered <= 2 && texel_bytes(t) <= 8 ? 8 : 4;
}

/* ---- queries ---- */

static uint32_t query(const struct texture *t, enum texture_query what) {
    switch (what) {
    case QUERY_WIDTH:
        return t->image.width;
    case QUERY_HEIGHT:
        return t->image.height;
    case QUERY_DEPTH:
        return t->image.dimensions > 2 ? t->image.depth : 0;
    case QUERY_ARRAY_SIZE:
        return t->image.cube ? t->image.layers / 6 : t->image.layers;
    case QUERY_LEVELS:
        return t->mipmap ? t->mipmap->count : 1;
    default:
        return t->normalized_coordinates;
    }
}

const struct insn *op_texture_query(struct warp *w, const struct insn *in) {
    const struct texture_access *a = in->extra;
    for (uint32_t lanes = w->mask; lanes; lanes &= lanes - 1) {
        int l = first_lane(lanes);
        const struct texture *t = texture_of_lane(w, in, l);
        if (!t)
            return NULL;
        SLOT(uint32_t, a->regs[0])[l] = query(t, (enum texture_query)a->query);
    }
    return in + 1;
}
