/* Finds an instruction form by its name: a hash table over the families' tables, built once. */
#include "ops/forms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "ptx/ptx.h"

#define FAMILY(name) extern const struct form forms_##name[] __attribute__((weak));
#include "ops/families.h"
#undef FAMILY

static const struct form *const *const families = (const struct form *const[]){
#define FAMILY(name) forms_##name,
#include "ops/families.h"
#undef FAMILY
};
static const size_t family_count = 0
#define FAMILY(name) +1
#include "ops/families.h"
#undef FAMILY
    ;

static const struct form **list;  /* all forms in order */
static const struct form **table; /* open addressing, capacity a power of two */
static size_t count, capacity;
static pthread_once_t built = PTHREAD_ONCE_INIT;

static uint64_t hash(const char *s) {
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * 0x100000001b3u;
    return h ^ h >> 29;
}

static void build(void) {
    for (size_t f = 0; f < family_count; f++)
        for (const struct form *p = families[f]; p && p->name; p++)
            count++;
    for (capacity = 1024; capacity < 2 * count; capacity *= 2)
        ;
    list = zeroed(count + 1, sizeof *list);
    table = zeroed(capacity, sizeof *table);
    size_t n = 0;
    for (size_t f = 0; f < family_count; f++)
        for (const struct form *p = families[f]; p && p->name; p++) {
            list[n++] = p;
            size_t i = hash(p->name) & (capacity - 1);
            while (table[i] && strcmp(table[i]->name, p->name) != 0)
                i = (i + 1) & (capacity - 1);
            if (!table[i]) /* the first spelling wins; a test checks for duplicates */
                table[i] = p;
        }
}

/* The next word of an opcode after *at, of this length; NULL when there is none. */
static const char *next_word(const char **at, size_t *length) {
    if (**at != '.')
        return NULL;
    const char *word = *at + 1;
    *length = strcspn(word, ".");
    *at = word + *length;
    return word;
}

static unsigned times(const char *words, const char *wanted, size_t wanted_length) {
    unsigned n = 0;
    size_t length;
    for (const char *w; (w = next_word(&words, &length));)
        n += length == wanted_length && memcmp(w, wanted, length) == 0;
    return n;
}

static const char *next_type(const char **at, size_t *length) {
    const char *w;
    while ((w = next_word(at, length)) && ptx_type_by_name(w, *length) == TYPE_NONE)
        ;
    return w;
}

/* ptxas takes the words of an opcode in any order, and the toolkit's headers make use of that (vote.ballot.sync.b32).
 * Only types must keep theirs: cvt.f32.s32 is not cvt.s32.f32. */
static bool same_words(const char *a, const char *b) {
    size_t base = strcspn(a, "."), length, other;
    if (strlen(a) != strlen(b) || strncmp(a, b, base + 1) != 0)
        return false;
    const char *at = a += base, *in_b = b += base, *word;
    while ((word = next_word(&at, &length)))
        if (times(a, word, length) != times(b, word, length))
            return false;
    for (at = a; (word = next_type(&at, &length));) {
        const char *second = next_type(&in_b, &other);
        if (!second || other != length || memcmp(word, second, length) != 0)
            return false;
    }
    return true;
}

const struct form *form_find(const char *name) {
    pthread_once(&built, build);
    for (size_t i = hash(name) & (capacity - 1); table[i]; i = (i + 1) & (capacity - 1))
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    for (size_t i = 0; i < count; i++)
        if (same_words(name, list[i]->name))
            return list[i];
    return NULL;
}

size_t form_count(void) {
    pthread_once(&built, build);
    return count;
}

const struct form *form_at(size_t i) {
    return list[i];
}
