/* How many 32-byte sectors a warp's access to global memory touches. */
#include "profile/counters.h"

#define SECTOR_SHIFT 5

/* Counts distinct values by a small open hash table: at most 64 values (an access of up to 32 bytes touches two). */
struct distinct {
    uint64_t values[128];
    bool used[128];
    unsigned count;
};

static void add_distinct(struct distinct *d, uint64_t value) {
    unsigned at = (unsigned)((value * 0x9e3779b97f4a7c15u) >> 57);
    while (d->used[at] && d->values[at] != value)
        at = (at + 1) % 128;
    if (d->used[at])
        return;
    d->used[at] = true;
    d->values[at] = value;
    d->count++;
}

unsigned count_sectors(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    struct distinct d = {0};
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = addresses[first_lane(left)];
        uint64_t last = (address + bytes - 1) >> SECTOR_SHIFT;
        for (uint64_t sector = address >> SECTOR_SHIFT; sector <= last; sector++)
            add_distinct(&d, sector);
    }
    return d.count;
}
