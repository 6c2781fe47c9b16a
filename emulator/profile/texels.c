/* Counts what fetches from textures and accesses to surfaces ask of memory: a request for each few lanes that stand side by side, and
 * for each request the sectors in which its lanes' texels lie. */
#include "ops/texture_fetch.h"
#include "profile/counters.h"

#define MOST_LANES 8 /* of a request */

struct asked {
    unsigned requests, sectors, unknown; /* unknown: requests for a number of sectors that is not known */
};

typedef bool (*touches_fn)(const struct warp *w, const struct insn *in, int lane, struct texels_touched *out);

/* One request. */
static void ask(struct asked *asked, touches_fn touches, const struct warp *w, const struct insn *in, uint32_t lanes) {
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
    asked->requests++;
    asked->sectors += count;
    asked->unknown += !known;
}

static struct asked ask_all(touches_fn touches, const struct warp *w, const struct insn *in, unsigned lanes) {
    struct asked asked = {0, 0, 0};
    uint32_t together = ((uint32_t)1 << lanes) - 1;
    for (unsigned first = 0; first < WARP_SIZE; first += lanes)
        if (w->mask >> first & together)
            ask(&asked, touches, w, in, w->mask & together << first);
    return asked;
}

void counters_texture(struct counts *counts, const struct warp *w, const struct insn *in) {
    struct asked asked = ask_all(texture_touches, w, in, texture_request_lanes(w, in));
    counts->n[COUNT_TEXTURE]++;
    counts->n[COUNT_TEXTURE_REQUESTS] += asked.requests;
    counts->n[COUNT_TEXTURE_SECTORS] += asked.sectors;
    counts->n[COUNT_TEXTURE_UNKNOWN] += asked.unknown;
}

void counters_surface(struct counts *counts, const struct warp *w, const struct insn *in) {
    const struct texture_access *a = in->extra;
    struct asked asked = ask_all(surface_touches, w, in, surface_request_lanes(in));
    counts->n[COUNT_SURFACE]++;
    counts->n[a->store ? COUNT_SURFACE_STORE_REQUESTS : COUNT_SURFACE_LOAD_REQUESTS] += asked.requests;
    counts->n[a->store ? COUNT_SURFACE_STORE_SECTORS : COUNT_SURFACE_LOAD_SECTORS] += asked.sectors;
}
