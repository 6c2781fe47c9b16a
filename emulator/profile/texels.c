/* Counts the memory requests of texture fetches and surface accesses: a request for each few neighbouring lanes, and
 * for each request the sectors that contain its lanes' texels. */
#include "ops/texture_fetch.h"
#include "profile/array_counts.h"
#include "profile/counters.h"

#define MOST_LANES 8 /* of a request */

struct asked {
    struct counters *c;
    const struct warp *w;
    enum array_sectors kind;
    unsigned requests, sectors, unknown; /* unknown: requests for a number of sectors that is not known */
};

typedef bool (*touches_fn)(const struct warp *w, const struct insn *in, int lane, struct texels_touched *out);

/* One request. */
static void count_texels(struct asked *asked, touches_fn touches, const struct insn *in, uint32_t lanes) {
    const struct warp *w = asked->w;
    uint32_t all = lanes;
    uint64_t sectors[MOST_LANES * MOST_TEXELS];
    unsigned count = 0;
    bool known = true;
    for (; lanes; lanes &= lanes - 1) {
        struct texels_touched lane;
        known &= touches(w, in, first_lane(lanes), &lane);
        for (unsigned i = 0; i < lane.count; i++) {
            unsigned k = 0;
            while (k < count && sectors[k] != lane.sectors[i])
                k++;
            sectors[k] = lane.sectors[i];
            count += k == count;
        }
    }
    if (asked->c->arrays)
        array_counts_sectors(asked->c->arrays, w, all, asked->kind, sectors, count);
    asked->requests++;
    asked->sectors += count;
    asked->unknown += !known;
}

static struct asked ask_all(struct asked asked, touches_fn touches, const struct insn *in, unsigned lanes) {
    const struct warp *w = asked.w;
    uint32_t together = ((uint32_t)1 << lanes) - 1;
    for (unsigned first = 0; first < WARP_SIZE; first += lanes)
        if (w->mask >> first & together)
            count_texels(&asked, touches, in, w->mask & together << first);
    return asked;
}

void counters_texture(struct counters *c, struct counts *counts, const struct warp *w, const struct insn *in) {
    struct asked none = {.c = c, .w = w, .kind = ARRAY_TEXTURE};
    struct asked asked = ask_all(none, texture_touches, in, texture_request_lanes(w, in));
    counts->n[COUNT_TEXTURE]++;
    counts->n[COUNT_TEXTURE_REQUESTS] += asked.requests;
    counts->n[COUNT_TEXTURE_SECTORS] += asked.sectors;
    counts->n[COUNT_TEXTURE_UNKNOWN] += asked.unknown;
}

void counters_surface(struct counters *c, struct counts *counts, const struct warp *w, const struct insn *in) {
    const struct texture_access *a = in->extra;
    struct asked none = {.c = c, .w = w, .kind = a->store ? ARRAY_SURFACE_STORE : ARRAY_SURFACE_LOAD};
    struct asked asked = ask_all(none, surface_touches, in, surface_request_lanes(in));
    counts->n[COUNT_SURFACE]++;
    counts->n[a->store ? COUNT_SURFACE_STORE_REQUESTS : COUNT_SURFACE_LOAD_REQUESTS] += asked.requests;
    counts->n[a->store ? COUNT_SURFACE_STORE_SECTORS : COUNT_SURFACE_LOAD_SECTORS] += asked.sectors;
}
