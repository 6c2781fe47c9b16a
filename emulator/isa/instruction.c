/* Finds an opcode's row: a hash table over the names, made once. */
#include "isa/instruction.h"

#include <pthread.h>
#include <string.h>

#include "ptx/opcode.h"

#define SLOTS 1024 /* a power of two, a few times as many as there are rows */

static const struct instruction *table[SLOTS];
static pthread_once_t made = PTHREAD_ONCE_INIT;

const struct instruction instruction_unknown = {
    .name = "", .class = CLASS_OTHER, .undefined = UNDEFINED_ADDRESS, .decoding = DECODING_form};

/* FNV-1a, word by word: the hash of an opcode's beginning is reused for the longer one. */
#define HASH_BEGIN 0x811c9dc5u
static uint32_t hash(uint32_t h, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint8_t)s[i]) * 0x01000193u;
    return h;
}

static uint32_t slot_of(uint32_t h) {
    return (h ^ h >> 15) % SLOTS;
}

static void make(void) {
    for (size_t i = 0; i < instruction_count(); i++) {
        const struct instruction *row = instruction_at(i);
        uint32_t slot = slot_of(hash(HASH_BEGIN, row->name, strlen(row->name)));
        while (table[slot])
            slot = (slot + 1) % SLOTS;
        table[slot] = row;
    }
}

static const struct instruction *find_name(uint32_t h, const char *name, size_t length) {
    for (uint32_t slot = slot_of(h); table[slot]; slot = (slot + 1) % SLOTS)
        if (strncmp(table[slot]->name, name, length) == 0 && !table[slot]->name[length])
            return table[slot];
    return NULL;
}

const struct instruction *instruction_find(const char *opcode) {
    const struct instruction *longest = &instruction_unknown;
    size_t end = strcspn(opcode, ".");
    uint32_t h = hash(HASH_BEGIN, opcode, end);
    pthread_once(&made, make);
    for (;;) {
        const struct instruction *row = find_name(h, opcode, end);
        longest = row ? row : longest;
        if (!opcode[end])
            return longest;
        size_t word = 1 + strcspn(opcode + end + 1, ".");
        h = hash(h, opcode + end, word);
        end += word;
    }
}

static enum insn_class class_of_type(enum ptx_type type, enum insn_class otherwise) {
    switch (type) {
    case TYPE_F32:
        return CLASS_FP32;
    case TYPE_F64:
        return CLASS_FP64;
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F16X2:
    case TYPE_BF16X2:
        return CLASS_FP16;
    default:
        return otherwise;
    }
}

enum insn_class instruction_class(const struct instruction *row, const char *opcode) {
    return row->counting == COUNTED_BY_TYPE ? class_of_type(opcode_type(opcode, 0), row->class) : row->class;
}

static bool same_first_word(const char *name, const char *opcode, size_t length) {
    return strncmp(name, opcode, length) == 0 && (name[length] == '.' || !name[length]);
}

bool instruction_exists(const char *opcode) {
    static const char *const without_row[] = {"multimem", "tcgen05", "clusterlaunchcontrol"};
    size_t length = strcspn(opcode, ".");
    for (size_t i = 0; i < instruction_count(); i++)
        if (same_first_word(instruction_at(i)->name, opcode, length))
            return true;
    for (size_t i = 0; i < sizeof without_row / sizeof *without_row; i++)
        if (same_first_word(without_row[i], opcode, length))
            return true;
    return false;
}
