/* Reads and writes the file of recorded results: see vectors.h. Little-endian, as x86-64 is. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = "PTXVEC1\n";

enum { ENCODING_BYTES, ENCODING_SAME_AS, ENCODING_REJECTED };

uint64_t vector_mask(char letter) {
    unsigned bytes = plan_output_bytes(letter);
    return bytes == 0 ? 1 : bytes >= 8 ? ~0ull : (1ull << 8 * bytes) - 1;
}

/* The letter of each output word of a case: a register's, 'l' twice for 128 bits, 'p' for a predicate or carry. */
static int word_letters(const struct plan *plan, char letters[OUTPUT_SLOTS]) {
    memset(letters, 'w', OUTPUT_SLOTS);
    for (int k = 0; k < plan->count; k++) {
        const struct plan_operand *o = &plan->operand[k];
        if (!o->output)
            continue;
        letters[o->slot] = o->letter == 'q' ? 'l' : o->letter == 'W' ? 'w' : o->letter == 'P' ? 'p' : o->letter;
        if (o->letter == 'q' || o->letter == 'P' || o->letter == 'W')
            letters[o->slot + 1] = o->letter == 'q' ? 'l' : 'p';
    }
    return plan->output_slots;
}

static size_t word_size(char letter) {
    unsigned bytes = plan_output_bytes(letter);
    return bytes ? (size_t)bytes * CASES : CASES / 8;
}

size_t vector_size(const struct plan *plan) {
    char letters[OUTPUT_SLOTS];
    int words = word_letters(plan, letters);
    size_t size = 0;
    for (int i = 0; i < words; i++)
        size += word_size(letters[i]);
    return size;
}

void vector_pack(const struct plan *plan, const uint64_t *outputs, uint8_t *packed) {
    char letters[OUTPUT_SLOTS];
    int words = word_letters(plan, letters);
    memset(packed, 0, vector_size(plan));
    for (int i = 0; i < words; i++) {
        unsigned bytes = plan_output_bytes(letters[i]);
        for (size_t c = 0; c < CASES; c++) {
            uint64_t word = outputs[c * OUTPUT_SLOTS + (size_t)i];
            if (bytes)
                memcpy(packed + c * bytes, &word, bytes);
            else
                packed[c / 8] |= (uint8_t)((word & 1) << c % 8);
        }
        packed += word_size(letters[i]);
    }
}

void vector_unpack(const struct plan *plan, const uint8_t *packed, uint64_t *outputs) {
    char letters[OUTPUT_SLOTS];
    int words = word_letters(plan, letters);
    memset(outputs, 0, CASES * OUTPUT_SLOTS * sizeof *outputs);
    for (int i = 0; i < words; i++) {
        unsigned bytes = plan_output_bytes(letters[i]);
        for (size_t c = 0; c < CASES; c++) {
            uint64_t *word = &outputs[c * OUTPUT_SLOTS + (size_t)i];
            if (bytes)
                memcpy(word, packed + c * bytes, bytes);
            else
                *word = packed[c / 8] >> c % 8 & 1;
        }
        packed += word_size(letters[i]);
    }
}

static struct vector *append(struct vectors *v) {
    if (v->count == v->room) {
        v->room = v->room ? 2 * v->room : 1024;
        v->items = realloc(v->items, v->room * sizeof *v->items);
        if (!v->items)
            abort();
    }
    return memset(&v->items[v->count++], 0, sizeof *v->items);
}

static uint8_t *bytes_new(size_t size) {
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes)
        abort();
    return bytes;
}

void vectors_add(struct vectors *v, const struct plan *plan, const uint64_t *outputs) {
    struct vector *item = append(v);
    plan_label(plan, item->label, sizeof item->label);
    item->fingerprint = plan_fingerprint(plan);
    item->rejected = !outputs;
    if (!outputs)
        return;
    item->size = vector_size(plan);
    item->bytes = bytes_new(item->size);
    vector_pack(plan, outputs, item->bytes);
}

static size_t same_as(const struct vectors *v, size_t i) {
    for (size_t j = 0; j < i; j++)
        if (!v->items[j].rejected && v->items[j].size == v->items[i].size &&
            memcmp(v->items[j].bytes, v->items[i].bytes, v->items[i].size) == 0)
            return j;
    return i;
}

static void put(FILE *file, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 0xff), file);
}

bool vectors_write(const struct vectors *v, FILE *file) {
    fwrite(magic, sizeof magic, 1, file);
    fwrite(v->machine, sizeof v->machine, 1, file);
    put(file, v->count, 4);
    for (size_t i = 0; i < v->count; i++) {
        const struct vector *item = &v->items[i];
        size_t same = item->rejected ? i : same_as(v, i);
        put(file, strlen(item->label), 1);
        fputs(item->label, file);
        put(file, item->fingerprint, 4);
        put(file, item->rejected ? ENCODING_REJECTED : same < i ? ENCODING_SAME_AS : ENCODING_BYTES, 1);
        if (!item->rejected && same < i) {
            put(file, same, 4);
        } else if (!item->rejected) {
            put(file, item->size, 4);
            fwrite(item->bytes, item->size, 1, file);
        }
    }
    return !ferror(file);
}

static uint64_t get(FILE *file, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)(getc(file) & 0xff) << 8 * i;
    return value;
}

static bool read_item(struct vectors *v, FILE *file) {
    struct vector *item = append(v);
    size_t length = get(file, 1);
    if (length >= sizeof item->label || fread(item->label, 1, length, file) != length)
        return false;
    item->fingerprint = (uint32_t)get(file, 4);
    uint64_t encoding = get(file, 1);
    if (encoding == ENCODING_REJECTED)
        return item->rejected = true;
    if (encoding == ENCODING_SAME_AS) {
        size_t same = get(file, 4);
        if (same >= v->count - 1 || v->items[same].rejected)
            return false;
        item->size = v->items[same].size;
        item->bytes = bytes_new(item->size);
        memcpy(item->bytes, v->items[same].bytes, item->size);
        return true;
    }
    item->size = get(file, 4);
    if (encoding != ENCODING_BYTES || item->size > CASES * OUTPUT_SLOTS * 8)
        return false;
    item->bytes = bytes_new(item->size);
    return fread(item->bytes, 1, item->size, file) == item->size;
}

bool vectors_read(struct vectors *v, FILE *file) {
    char start[sizeof magic];
    memset(v, 0, sizeof *v);
    if (fread(start, sizeof start, 1, file) != 1 || memcmp(start, magic, sizeof magic) != 0 ||
        fread(v->machine, sizeof v->machine, 1, file) != 1)
        return false;
    v->machine[sizeof v->machine - 1] = 0;
    size_t count = get(file, 4);
    for (size_t i = 0; i < count; i++)
        if (feof(file) || !read_item(v, file))
            return false;
    return true;
}

const struct vector *vectors_find(const struct vectors *v, const char *label) {
    for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->items[i].label, label) == 0)
            return &v->items[i];
    return NULL;
}

void vectors_free(struct vectors *v) {
    for (size_t i = 0; i < v->count; i++)
        free(v->items[i].bytes);
    free(v->items);
    memset(v, 0, sizeof *v);
}
