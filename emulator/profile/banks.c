/* How often shared memory must be read or written for one access of a warp.
 *
 * Shared memory has 32 banks, each four bytes wide; in one pass (wavefront) each bank serves one word, to any number of
 * lanes. A lane with 8 bytes needs two banks, one with 16 needs four: such accesses are made by half and quarter warps.
 *
 * Loads can do with less. Halves are read together, and quarters two by two, when neighbours want the same: when all
 * active lanes whose numbers differ in bit 0 alone have the same address, or all that differ in bit 1 alone. NVIDIA
 * documents none of this; it is what an H200 counts: tests/emulator/unit/banks_h200.cu. */
#include "profile/counters.h"

#define BANKS      32
#define WORD_SHIFT 2
#define WORD_BYTES 4

/* The words that each bank must serve in one part of a warp. */
struct bank_words {
    uint64_t words[BANKS][WARP_SIZE];
    uint8_t counts[BANKS];
    unsigned most;
};

static void add_word(struct bank_words *b, uint64_t word) {
    unsigned bank = (unsigned)(word % BANKS);
    uint8_t count = b->counts[bank];
    for (unsigned i = 0; i < count; i++)
        if (b->words[bank][i] == word)
            return;
    b->words[bank][count] = word;
    b->counts[bank] = ++count;
    if (count > b->most)
        b->most = count;
}

static unsigned part_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    struct bank_words b;
    for (int i = 0; i < BANKS; i++)
        b.counts[i] = 0;
    b.most = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = addresses[first_lane(left)];
        uint64_t last = (address + bytes - 1) >> WORD_SHIFT;
        for (uint64_t word = address >> WORD_SHIFT; word <= last; word++)
            add_word(&b, word);
    }
    return b.most;
}

static uint32_t lanes_from(unsigned first, unsigned count) {
    return (uint32_t)((((uint64_t)1 << count) - 1) << first);
}

unsigned count_store_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    unsigned parts = bytes <= WORD_BYTES ? 1 : bytes <= 2 * WORD_BYTES ? 2 : 4;
    unsigned lanes = WARP_SIZE / parts, total = 0;
    for (unsigned i = 0; i < parts; i++)
        total += part_wavefronts(addresses, mask & lanes_from(i * lanes, lanes), bytes);
    return total;
}

/* Do all active pairs of lanes l, l ^ bit have the same address? */
static bool neighbours_agree(const uint64_t addresses[WARP_SIZE], uint32_t mask, int bit) {
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = first_lane(left);
        if ((mask >> (l ^ bit) & 1) && addresses[l] != addresses[l ^ bit])
            return false;
    }
    return true;
}

unsigned count_load_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    if (bytes <= WORD_BYTES || !(neighbours_agree(addresses, mask, 1) || neighbours_agree(addresses, mask, 2)))
        return count_store_wavefronts(addresses, mask, bytes);
    unsigned lanes = bytes <= 2 * WORD_BYTES ? WARP_SIZE : WARP_SIZE / 2, total = 0;
    for (unsigned first = 0; first < WARP_SIZE; first += lanes)
        total += part_wavefronts(addresses, mask & lanes_from(first, lanes), bytes);
    return total;
}
