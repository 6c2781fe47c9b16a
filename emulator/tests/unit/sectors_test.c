/* Sectors and bank passes of access patterns whose numbers can be worked out by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/counters.h"
#include "profile/patterns.h"

#define BASE ((uint64_t)0x7f0000000000)

static int failures;

static void expect(const char *name, unsigned found, unsigned expected) {
    if (found == expected) {
        printf("ok %s\n", name);
        return;
    }
    printf("not ok %s: expected %u, found %u\n", name, expected, found);
    failures++;
}

/* base + l * stride */
static const uint64_t *strided(uint64_t base, uint64_t stride) {
    static uint64_t addresses[WARP_SIZE];
    for (int l = 0; l < WARP_SIZE; l++)
        addresses[l] = base + (uint64_t)l * stride;
    return addresses;
}

static void test_sector_strides(void) {
    /* 4-byte elements, stride s: 32 * s * 4 bytes, and never more than a sector per lane. */
    for (unsigned s = 0; s <= 32; s++) {
        char name[64];
        unsigned expected = s == 0 ? 1 : s < 8 ? (31 * s * 4) / 32 + 1 : 32;
        snprintf(name, sizeof name, "sectors/stride_%u", s);
        expect(name, count_sectors(strided(BASE, s * 4), FULL_MASK, 4), expected);
    }
}

static void test_sector_widths(void) {
    expect("sectors/bytes_1", count_sectors(strided(BASE, 1), FULL_MASK, 1), 1);
    expect("sectors/bytes_2", count_sectors(strided(BASE, 2), FULL_MASK, 2), 2);
    expect("sectors/float2", count_sectors(strided(BASE, 8), FULL_MASK, 8), 8);
    expect("sectors/float4", count_sectors(strided(BASE, 16), FULL_MASK, 16), 16);
    expect("sectors/two_float4", count_sectors(strided(BASE, 32), FULL_MASK, 32), 32);
    expect("sectors/float4_broadcast", count_sectors(strided(BASE + 16, 0), FULL_MASK, 16), 1);
    expect("sectors/offset_4", count_sectors(strided(BASE + 4, 4), FULL_MASK, 4), 5);
    expect("sectors/offset_28", count_sectors(strided(BASE + 28, 4), FULL_MASK, 4), 5);
    expect("sectors/float2_offset_8", count_sectors(strided(BASE + 8, 8), FULL_MASK, 8), 9);
    expect("sectors/descending", count_sectors(strided(BASE + 4 * 31, (uint64_t)-4), FULL_MASK, 4), 4);
}

static void test_sector_masks(void) {
    const uint64_t *row = strided(BASE, 4);
    expect("sectors/one_lane", count_sectors(row, 1u << 17, 4), 1);
    expect("sectors/lower_half", count_sectors(row, 0xffff, 4), 2);
    expect("sectors/every_eighth_lane", count_sectors(row, 0x01010101, 4), 4);
    expect("sectors/one_sector_of_lanes", count_sectors(row, 0xff00, 4), 1);
    uint64_t wild[WARP_SIZE];
    for (int l = 0; l < WARP_SIZE; l++)
        wild[l] = l == 3 ? BASE : UINT64_MAX - 63; /* inactive lanes hold anything */
    expect("sectors/inactive_ignored", count_sectors(wild, 1u << 3, 4), 1);
}

static void test_bank_strides(void) {
    /* 4-byte elements, stride s: lanes that meet in a bank are gcd(s, 32). */
    for (unsigned s = 0; s <= 33; s++) {
        char name[64];
        unsigned a = s, b = 32;
        while (b) {
            unsigned rest = a % b;
            a = b;
            b = rest;
        }
        snprintf(name, sizeof name, "banks/stride_%u", s);
        expect(name, count_store_wavefronts(strided(0, s * 4), FULL_MASK, 4), s == 0 ? 1 : a);
    }
}

static void test_bank_widths(void) {
    expect("banks/bytes_1", count_store_wavefronts(strided(0, 1), FULL_MASK, 1), 1);
    expect("banks/bytes_2_stride_64", count_store_wavefronts(strided(0, 64), FULL_MASK, 2), 16);
    expect("banks/float2", count_store_wavefronts(strided(0, 8), FULL_MASK, 8), 2);
    expect("banks/float4", count_store_wavefronts(strided(0, 16), FULL_MASK, 16), 4);
    expect("banks/double_stride_2", count_store_wavefronts(strided(0, 16), FULL_MASK, 8), 4);
    expect("banks/column_of_32", count_store_wavefronts(strided(0, 32 * 4), FULL_MASK, 4), 32);
    expect("banks/column_of_33", count_store_wavefronts(strided(0, 33 * 4), FULL_MASK, 4), 1);
    expect("banks/half_of_column", count_store_wavefronts(strided(0, 32 * 4), 0xffff, 4), 16);
    expect("banks/offset", count_store_wavefronts(strided(20, 4), FULL_MASK, 4), 1);
    uint64_t two_words[WARP_SIZE];
    for (int l = 0; l < WARP_SIZE; l++)
        two_words[l] = l & 1 ? 128 : 0; /* two words of bank 0, each read by half the lanes */
    expect("banks/two_words_of_a_bank", count_store_wavefronts(two_words, FULL_MASK, 4), 2);
}

static const struct {
    unsigned wavefronts;
    bool load;
    unsigned bytes;
    uint32_t mask;
    uint32_t addresses[WARP_SIZE];
} recorded[] = {
#include "banks_h200.h"
};

static void test_against_h200(void) {
    unsigned wrong = 0, count = sizeof recorded / sizeof *recorded;
    for (unsigned i = 0; i < count; i++) {
        uint64_t addresses[WARP_SIZE];
        for (int l = 0; l < WARP_SIZE; l++)
            addresses[l] = recorded[i].addresses[l];
        unsigned found = (recorded[i].load ? count_load_wavefronts
                                           : count_store_wavefronts)(addresses, recorded[i].mask, recorded[i].bytes);
        if (found == recorded[i].wavefronts)
            continue;
        fprintf(stderr, "banks_h200.h, pattern %u: an H200 needs %u, found %u\n", i, recorded[i].wavefronts, found);
        wrong++;
    }
    expect("banks/as_an_h200", wrong, 0);
    expect("banks/h200_patterns", count, 400);
}

/* What is remembered must be what would be counted. */
static void test_memory_of_patterns(void) {
    struct pattern_memory *memory = patterns_new();
    unsigned wrong = 0;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        const uint64_t *addresses = strided(BASE + 4 * (unsigned)(rand() % 64), 4 * (unsigned)(rand() % 5));
        uint32_t mask = rand() % 3 ? FULL_MASK : 1u + (unsigned)(rand() % 7);
        unsigned bytes = rand() % 2 ? 4 : 2;
        wrong += patterns_cost(memory, PATTERN_GLOBAL, addresses, mask, bytes).sectors !=
                 count_sectors(addresses, mask, bytes);
        wrong += patterns_cost(memory, PATTERN_SHARED_STORE, addresses, mask, bytes).sectors !=
                 count_store_wavefronts(addresses, mask, bytes);
    }
    expect("patterns/remembered_is_counted", wrong, 0);
    patterns_free(memory);
}

int main(void) {
    test_sector_strides();
    test_sector_widths();
    test_sector_masks();
    test_bank_strides();
    test_bank_widths();
    test_against_h200();
    test_memory_of_patterns();
    return failures != 0;
}
