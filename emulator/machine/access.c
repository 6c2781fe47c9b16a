/* See access.h. */
#include "machine/access.h"

void access_addresses(const struct warp *w, const struct insn *in, uint64_t out[WARP_SIZE]) {
    for (int l = 0; l < WARP_SIZE; l++)
        out[l] = access_address(w, in, l);
}
