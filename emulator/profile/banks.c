/* How often shared memory must be read or written for one access of a warp.
 *
 * Shared memory has 32 banks, each four bytes wide; in one pass (wavefront) each bank serves one word, to any number of
 * lanes. A lane with 8 bytes needs two banks, one with 16 needs four: such accesses are made by half and quarter warps.
 *
 * Loads can do with less. Halves are read together, and quarters two by two, when neighbours request the same: when all
 * active lanes whose numbers differ in bit 0 alone have the same address, or all that differ in bit 1 alone. NVIDIA
 * documents none of this; an H200 counts this way: tests/unit/banks_h200.cu, tests/counters. */
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

static void add_word(struct bank_words *b, uint64_t word, bool again) {
    unsigned bank = (unsigned)(word % BANKS);
    uint8_t count = b->counts[bank];
    for (unsigned i = 0; i < count && !again; i++)
        if (b->words[bank][i] == word)
            return;
    /* Served twice each (again), words may exceed the room; then only their number matters. */
    if (count < WARP_SIZE)
        b->words[bank][count] = word;
    b->counts[bank] = ++count;
    if (count > b->most)
        b->most = count;
}

/* `again`: a word that two lanes request is served twice. */
static unsigned part_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes, bool again) {
    struct bank_words b;
    for (int i = 0; i < BANKS; i++)
        b.counts[i] = 0;
    b.most = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = addresses[first_lane(left)];
        uint64_t last = (address + bytes - 1) >> WORD_SHIFT;
        for (uint64_t word = address >> WORD_SHIFT; word <= last; word++)
            add_word(&b, word, again);
    }
    return b.most;
}

static uint32_t lanes_from(unsigned first, unsigned count) {
    return (uint32_t)((((uint64_t)1 << count) - 1) << first);
}

/* One part after the other, each of this many lanes. A part without active lanes takes no time. */
static struct wavefronts sum_of_parts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes,
                                      unsigned lanes, bool again) {
    struct wavefronts all = {0, 0};
    for (unsigned first = 0; first < WARP_SIZE; first += lanes) {
        unsigned passes = part_wavefronts(addresses, mask & lanes_from(first, lanes), bytes, again);
        all.passes += passes;
        all.ideal += passes != 0;
    }
    return all;
}

static unsigned lanes_at_once(unsigned bytes) {
    return bytes <= WORD_BYTES ? WARP_SIZE : bytes <= 2 * WORD_BYTES ? WARP_SIZE / 2 : WARP_SIZE / 4;
}

struct wavefronts store_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    return sum_of_parts(addresses, mask, bytes, lanes_at_once(bytes), false);
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

struct wavefronts load_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    /* Twice as many lanes at once: halves together, or quarters two by two. See above; found by measuring. */
    if (bytes <= WORD_BYTES || !(neighbours_agree(addresses, mask, 1) || neighbours_agree(addresses, mask, 2)))
        return store_wavefronts(addresses, mask, bytes);
    return sum_of_parts(addresses, mask, bytes, 2 * lanes_at_once(bytes), false);
}

struct wavefronts atomic_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes, bool counts) {
    return sum_of_parts(addresses, mask, bytes, lanes_at_once(bytes), !counts);
}

struct wavefronts matrix_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask) {
    return sum_of_parts(addresses, mask, 16, 8, false);
}

unsigned count_store_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    return store_wavefronts(addresses, mask, bytes).passes;
}
unsigned count_load_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    return load_wavefronts(addresses, mask, bytes).passes;
}
