/* The addresses that the active lanes access. */
#include "machine/access.h"

#include <stddef.h>

/* A loop for each width, without branches: all atomics use it. */
void access_addresses(const struct warp *w, const struct insn *in, uint64_t out[WARP_SIZE]) {
    const struct access *a = in->extra;
    const void *at = w->regs + a->address_reg;
    const uint64_t offset = (uint64_t)in->imm;
    const uint64_t *wide = a->address_bits == 64 ? at : NULL;
    const uint32_t *narrow = a->address_bits && !wide ? at : NULL;
    for (int l = 0; wide && l < WARP_SIZE; l++)
        out[l] = wide[l] + offset;
    for (int l = 0; narrow && l < WARP_SIZE; l++)
        out[l] = narrow[l] + offset;
    for (int l = 0; !wide && !narrow && l < WARP_SIZE; l++)
        out[l] = offset;
}
