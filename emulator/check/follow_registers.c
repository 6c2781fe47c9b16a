/* The shadow frame beside a warp's own: see follow.h. */
#include "check/follow.h"

#include <string.h>

static uint8_t *predicate_origins(const struct warp *w, uint32_t slot) {
    /* A predicate is one word, a bit for each lane, and has no room for origins beside it. They are kept apart for
     * the last PREDICATES slots; another predicate may replace them, and the report then names that one's origin. */
    return follow_of(w)->predicates[w->index][slot / 4 % PREDICATES];
}

static uint32_t *predicate(const struct warp *w, uint32_t slot) {
    return (uint32_t *)(void *)(follow_registers(w) + slot);
}

static bool any(const uint8_t *at, size_t n) {
    uint64_t all = 0, word;
    for (size_t i = 0; i < n; i += sizeof word) {
        memcpy(&word, at + i, sizeof word);
        all |= word;
    }
    return all;
}

uint32_t follow_undefined(const struct warp *w, uint32_t slot, unsigned bytes, uint32_t lanes) {
    const uint8_t *at = follow_registers(w) + slot;
    uint32_t found = 0;
    if (!bytes)
        return *predicate(w, slot) & lanes;
    /* Nearly always: 64 bits at a time, for all lanes together. */
    if (!any(at, bytes * (size_t)WARP_SIZE))
        return 0;
    for (; lanes; lanes &= lanes - 1)
        for (unsigned i = 0; i < bytes; i++)
            found |= (uint32_t)(at[(size_t)first_lane(lanes) * bytes + i] != 0) << first_lane(lanes);
    return found;
}

uint8_t follow_byte(const struct warp *w, uint32_t slot, unsigned bytes, int lane) {
    const uint8_t *at = follow_registers(w) + slot + (size_t)lane * bytes;
    if (!bytes)
        return *predicate(w, slot) >> lane & 1 ? predicate_origins(w, slot)[lane] : 0;
    for (unsigned i = 0; i < bytes; i++)
        if (at[i])
            return at[i];
    return 0;
}

void follow_define(const struct warp *w, uint32_t slot, unsigned bytes, uint32_t lanes) {
    uint8_t *at = follow_registers(w) + slot;
    if (!bytes)
        *predicate(w, slot) &= ~lanes;
    else if (lanes == FULL_MASK)
        memset(at, 0, bytes * (size_t)WARP_SIZE);
    else
        for (; lanes; lanes &= lanes - 1)
            memset(at + (size_t)first_lane(lanes) * bytes, 0, bytes);
}

void follow_set(const struct warp *w, uint32_t slot, unsigned bytes, int lane, uint8_t origin) {
    if (bytes) {
        memset(follow_registers(w) + slot + (size_t)lane * bytes, origin, bytes);
        return;
    }
    *predicate(w, slot) = (*predicate(w, slot) & ~(1u << lane)) | (uint32_t)(origin != 0) << lane;
    predicate_origins(w, slot)[lane] = origin;
}
