/* Variables through which threads communicate: a hash table by address. */
#include <stdlib.h>
#include <string.h>

#include "check/block_watch.h"

#include "base/out_of_memory.h"

#define LEAST 16

static struct sync_variable *slot_of(const struct sync_table *t, uint64_t key) {
    for (uint64_t at = (key >> 2) * 0x9e3779b97f4a7c15u >> 20;; at++) {
        struct sync_variable *v = &t->items[at & (t->capacity - 1)];
        if (!v->key || v->key == key + 1)
            return v;
    }
}

struct sync_variable *sync_find(const struct sync_table *t, uint64_t key) {
    struct sync_variable *v = t->count ? slot_of(t, key) : NULL;
    return v && v->key ? v : NULL;
}

static void grow(struct sync_table *t) {
    struct sync_table bigger = {.capacity = t->capacity ? 2 * t->capacity : LEAST, .count = t->count};
    bigger.items = zeroed(bigger.capacity, sizeof *bigger.items);
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->items[i].key)
            *slot_of(&bigger, t->items[i].key - 1) = t->items[i];
    free(t->items);
    *t = bigger;
}

struct sync_variable *sync_make(struct sync_table *t, uint64_t key) {
    if (2 * (t->count + 1) > t->capacity)
        grow(t);
    struct sync_variable *v = slot_of(t, key);
    if (!v->key) {
        v->key = key + 1;
        t->count++;
    }
    return v;
}

void sync_clear(struct sync_table *t) {
    for (uint32_t i = 0; t->count && i < t->capacity; i++)
        if (t->items[i].key) {
            released_free(&t->items[i].all);
            released_free(&t->items[i].reads);
            released_free(&t->items[i].arrived);
            memset(&t->items[i], 0, sizeof t->items[i]);
        }
    t->count = 0;
}

void sync_free(struct sync_table *t) {
    sync_clear(t);
    free(t->items);
    *t = (struct sync_table){0};
}
