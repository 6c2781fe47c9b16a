/* How many 32-byte sectors a warp's access to global memory touches, and how much of them it uses. */
#include "profile/counters.h"

#define SECTOR_SHIFT 5
#define LINE         128
#define BYPASS_BYTES 16
/* more than twice the 64 sectors or 128 words that one access can touch: up to 16 bytes a lane */
#define PLACES 256

/* Counts distinct values by a small open hash table, and how often each occurred. */
struct distinct {
    uint64_t values[PLACES];
    uint8_t times[PLACES];
    unsigned count;
};

/* Returns how often the value has occurred so far; `times` may be 0, for a query. */
static unsigned add_value(struct distinct *d, uint64_t value, unsigned times) {
    /* Multiplicative hashing to 8 bits, the size of PLACES, and linear probing. A place is taken if its value has
     * occurred. */
    unsigned at = (unsigned)((value * 0x9e3779b97f4a7c15u) >> 56);
    while (d->times[at] && d->values[at] != value)
        at = (at + 1) % PLACES;
    d->count += d->times[at] == 0;
    d->values[at] = value;
    return d->times[at] = (uint8_t)(d->times[at] + times);
}

unsigned count_sectors(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    struct distinct d = {.count = 0};
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = addresses[first_lane(left)];
        /* An access of 16 bytes may straddle two sectors where its address is a multiple of less. */
        uint64_t last = (address + bytes - 1) >> SECTOR_SHIFT;
        for (uint64_t sector = address >> SECTOR_SHIFT; sector <= last; sector++)
            add_value(&d, sector, 1);
    }
    return d.count;
}

/* Copies that bypass L1 arrive in pieces of 32 bytes of shared memory: one for each 128-byte line that contributes
 * bytes to it. Where lanes write to one place, the last one's bytes arrive. */
unsigned count_bypass_sectors(const uint64_t from[WARP_SIZE], const uint64_t to[WARP_SIZE], uint32_t mask) {
    struct distinct places = {.count = 0}, pieces = {.count = 0};
    for (int l = WARP_SIZE - 1; l >= 0; l--)
        if (mask >> l & 1 && add_value(&places, to[l] / BYPASS_BYTES, 1) == 1)
            add_value(&pieces, from[l] / LINE << 16 | (to[l] >> SECTOR_SHIFT & 0xffff), 1);
    return pieces.count;
}

/* Distinct bytes: lanes with the same address count once; addresses are multiples of the size, or nearly always are. */
unsigned count_distinct_bytes(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    struct distinct d = {.count = 0};
    for (uint32_t left = mask; left; left &= left - 1)
        add_value(&d, addresses[first_lane(left)], 1);
    return d.count * bytes;
}

unsigned count_busiest(const uint64_t addresses[WARP_SIZE], uint32_t mask) {
    struct distinct d = {.count = 0};
    unsigned most = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned times = add_value(&d, addresses[first_lane(left)], 1);
        most = times > most ? times : most;
    }
    return most;
}

/* An atomic is executed sector by sector, and a sector as often as its busiest element has lanes. An H200 counts this
 * way, except for a few requests to many lines at once, where it counts one more. */
unsigned count_atomic_sectors(const uint64_t addresses[WARP_SIZE], uint32_t mask) {
    struct distinct elements = {.count = 0}, sectors = {.count = 0};
    unsigned total = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = addresses[first_lane(left)];
        unsigned times = add_value(&elements, address, 1), so_far = add_value(&sectors, address >> SECTOR_SHIFT, 0);
        /* The element has occurred more often than its sector was counted: one more pass over that sector. Together
         * that is the busiest element's number of lanes for each sector, without a second loop. */
        if (times > so_far) {
            add_value(&sectors, address >> SECTOR_SHIFT, 1);
            total++;
        }
    }
    return total;
}
