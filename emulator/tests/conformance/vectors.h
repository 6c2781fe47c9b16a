/* The file of recorded results: per test a label, a fingerprint of kernel and inputs, and the output bits.
 *
 * Outputs are packed to the width of their operands, a predicate to a bit. A test whose packed outputs equal those of an
 * earlier one refers to it. */
#ifndef VECTORS_H
#define VECTORS_H

#include "plan.h"

#include <stdio.h>

struct vector {
    char label[128];
    uint32_t fingerprint;
    bool rejected; /* ptxas or the driver did not accept the form */
    uint8_t *bytes;
    size_t size;
};

struct vectors {
    char machine[256]; /* what they were recorded on */
    struct vector *items;
    size_t count, room;
};

/* Bytes of all cases' outputs when packed, and the packing: outputs has CASES * OUTPUT_SLOTS words. */
size_t vector_size(const struct plan *plan);
void vector_pack(const struct plan *plan, const uint64_t *outputs, uint8_t *packed);
void vector_unpack(const struct plan *plan, const uint8_t *packed, uint64_t *outputs);

/* The bits of an output word that count: a letter's width. */
uint64_t vector_mask(char letter);

void vectors_add(struct vectors *v, const struct plan *plan, const uint64_t *outputs); /* outputs NULL: rejected */
bool vectors_write(const struct vectors *v, FILE *file);
bool vectors_read(struct vectors *v, FILE *file);
const struct vector *vectors_find(const struct vectors *v, const char *label);
void vectors_free(struct vectors *v);

#endif
