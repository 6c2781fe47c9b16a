/* suld and sust: plain reads and writes of an image's bytes at integer coordinates, x in bytes. */
#include <stdio.h>
#include <string.h>

#include "memory/observer.h"
#include "machine/observer.h"
#include "ops/texture_fetch.h"

#define SLOT(T, slot) ((T *)(void *)(w->regs + (slot)))

/* The position of a lane's access: byte, row, slice or layer. */
struct surface_point {
    int64_t x, y, z;
};

static int64_t clamped(int64_t i, int64_t limit) {
    return i < 0 ? 0 : i > limit ? limit : i;
}

static struct surface_point point_of_lane(const struct warp *w, const struct texture_access *a, int l) {
    int64_t c[3] = {0, 0, 0};
    for (unsigned k = 0; k < a->dimensions; k++)
        c[k] = SLOT(int32_t, a->coordinates[k])[l];
    if (a->layered)
        c[2] = (int64_t)SLOT(uint32_t, a->layer)[l];
    return (struct surface_point){c[0], c[1], c[2]};
}

static struct surface_point limits(const struct image *m, unsigned bytes) {
    int64_t row = (int64_t)m->width * m->channels * m->channel_bytes;
    return (struct surface_point){row - (int64_t)bytes, (int64_t)m->height - 1,
                                  (int64_t)(m->layers ? m->layers : m->depth) - 1};
}

static bool inside(struct surface_point p, struct surface_point last) {
    return p.x >= 0 && p.x <= last.x && p.y >= 0 && p.y <= last.y && p.z >= 0 && p.z <= last.z;
}

static void fail(struct warp *w, const struct insn *in, int lane, const struct image *m, struct surface_point p,
                 bool misaligned) {
    const struct texture_access *a = in->extra;
    unsigned texel = (unsigned)m->channels * m->channel_bytes;
    char detail[300];
    int n = snprintf(detail, sizeof detail, "Surface %s of %d bytes at byte %lld", a->store ? "write" : "read",
                     a->bytes * a->count, (long long)p.x);
    if (m->dimensions > 1)
        n += snprintf(detail + n, sizeof detail - (size_t)n, ", row %lld", (long long)p.y);
    if (m->layers || m->dimensions > 2)
        n +=
            snprintf(detail + n, sizeof detail - (size_t)n, ", %s %lld", m->layers ? "layer" : "slice", (long long)p.z);
    if (misaligned)
        snprintf(detail + n, sizeof detail - (size_t)n, " is misaligned");
    else
        snprintf(detail + n, sizeof detail - (size_t)n, " is outside the surface of %u bytes x %u rows x %u %s",
                 m->width * texel, m->height, m->layers ? m->layers : m->depth, m->layers ? "layers" : "slices");
    warp_fault(
        w, report_insn(w, in, misaligned ? FINDING_MISALIGNED : FINDING_OUT_OF_BOUNDS, 1u << lane, detail,
                       "The x coordinate of a surface is in bytes: multiply the column by the size of an element."));
}

static void note_access(const struct warp *w, const struct insn *in, int lane, const struct allocation *memory,
                        uint64_t at, unsigned bytes) {
    const struct texture_access *a = in->extra;
    if (a->store)
        memory_note_written(memory, at, bytes);
    else if (w->launch->watch)
        observer.memory_read(w, in, lane, at, bytes);
}

bool surface_touches(const struct warp *w, const struct insn *in, int lane, struct texels_touched *out) {
    const struct texture_access *a = in->extra;
    const struct texture *t = texture_find(SLOT(uint64_t, a->handle)[lane], (enum texture_kind)a->kind);
    out->count = 0;
    if (!t)
        return false;
    struct surface_point p = point_of_lane(w, a, lane), last = limits(&t->image, (unsigned)a->bytes * a->count);
    if (!inside(p, last) && a->clamp == SURFACE_CLAMP && last.x >= 0)
        p = (struct surface_point){clamped(p.x, last.x), clamped(p.y, last.y), clamped(p.z, last.z)};
    if (inside(p, last))
        touch_texel(out, &t->image, (uint64_t)p.x, (uint64_t)p.y, (uint64_t)p.z);
    return true;
}

unsigned surface_request_lanes(const struct insn *in) {
    const struct texture_access *a = in->extra;
    return a->dimensions + a->layered <= 2 ? 8 : 4;
}

/* The bytes that a lane reads or writes. NULL: there are none (.zero), or *failed. */
static uint8_t *locate(struct warp *w, const struct insn *in, int l, bool *failed) {
    const struct texture_access *a = in->extra;
    const struct texture *t = texture_of_lane(w, in, l);
    unsigned bytes = (unsigned)a->bytes * a->count;
    *failed = !t;
    if (!t)
        return NULL;
    const struct image *m = &t->image;
    struct surface_point p = point_of_lane(w, a, l), last = limits(m, bytes);
    if (!inside(p, last)) {
        if (a->clamp == SURFACE_ZERO)
            return NULL;
        *failed = a->clamp == SURFACE_TRAP || last.x < 0;
        if (*failed) {
            fail(w, in, l, m, p, false);
            return NULL;
        }
        p = (struct surface_point){clamped(p.x, last.x), clamped(p.y, last.y), clamped(p.z, last.z)};
    }
    *failed = p.x % bytes != 0;
    if (*failed) {
        fail(w, in, l, m, p, true);
        return NULL;
    }
    uint64_t at = m->address + (uint64_t)p.z * m->slice + (uint64_t)p.y * m->pitch + (uint64_t)p.x;
    uint8_t *host = a->store ? memory_store_at(m->memory, at, bytes) : memory_at(m->memory, at, bytes);
    *failed = !host;
    if (host && w->launch->watch)
        note_access(w, in, l, m->memory, at, bytes);
    if (!host)
        warp_fault(w, report_insn(w, in, FINDING_USE_AFTER_FREE, 1u << l, "The surface's memory has been freed",
                                  "Free it only after the last kernel that uses the surface."));
    return host;
}

static void load(struct warp *w, const struct texture_access *a, const uint8_t *host, int l) {
    for (unsigned i = 0; i < a->count; i++) {
        uint8_t value[8] = {0};
        if (host)
            memcpy(value, host + i * a->bytes, a->bytes);
        memcpy(w->regs + a->regs[i] + (size_t)l * a->reg_bytes, value, a->reg_bytes);
    }
}

static void store(const struct warp *w, const struct texture_access *a, uint8_t *host, int l) {
    for (unsigned i = 0; host && i < a->count; i++)
        memcpy(host + i * a->bytes, w->regs + a->regs[i] + (size_t)l * a->reg_bytes, a->bytes);
}

const struct insn *op_surface(struct warp *w, const struct insn *in) {
    const struct texture_access *a = in->extra;
    for (uint32_t lanes = w->mask; lanes; lanes &= lanes - 1) {
        int l = first_lane(lanes);
        bool failed;
        uint8_t *host = locate(w, in, l, &failed);
        if (failed)
            return NULL;
        if (a->store)
            store(w, a, host, l);
        else
            load(w, a, host, l);
    }
    return in + 1;
}
