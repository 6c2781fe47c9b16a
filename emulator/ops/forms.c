/* Finds an instruction form by its name: a hash table over the families' tables, built once. */
#include "ops/forms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
    list = calloc(count + 1, sizeof *list);
    table = calloc(capacity, sizeof *table);
    size_t n = 0;
    for (size_t f = 0; f < family_count; f++)
        for (const struct form *p = families[f]; p && p->name; p++) {
            list[n++] = p;
            size_t i = hash(p->name) & (capacity - 1);
            while (table[i] && strcmp(table[i]->name, p->name) != 0)
                i = (i + 1) & (capacity - 1);
            if (!table[i]) /* the first spelling wins; a duplicate is a test's business */
                table[i] = p;
        }
}

const struct form *form_find(const char *name) {
    pthread_once(&built, build);
    for (size_t i = hash(name) & (capacity - 1); table[i]; i = (i + 1) & (capacity - 1))
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

size_t form_count(void) {
    pthread_once(&built, build);
    return count;
}

const struct form *form_at(size_t i) {
    return list[i];
}
