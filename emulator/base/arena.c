#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define CHUNK_BYTES ((size_t)0) /* allocated separately, so that ASan sees where it ends */
#else
#define CHUNK_BYTES ((size_t)64 << 10)
#endif

struct chunk {
    struct chunk *next;
    size_t used, size;
    alignas(16) unsigned char data[];
};

struct arena {
    struct chunk *chunks;
    const char **strings; /* open addressing */
    size_t string_count, string_capacity;
};

struct arena *arena_new(void) {
    return or_out_of_memory(calloc(1, sizeof(struct arena)));
}

void arena_free(struct arena *arena) {
    if (!arena)
        return;
    for (struct chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(arena->strings);
    free(arena);
}

void *arena_alloc(struct arena *arena, size_t size) {
    size = (size + 15) & ~(size_t)15;
    struct chunk *c = arena->chunks;
    if (!c || c->size - c->used < size) {
        size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        c = or_out_of_memory(calloc(1, sizeof *c + bytes));
        c->size = bytes;
        c->next = arena->chunks;
        arena->chunks = c;
    }
    void *p = c->data + c->used;
    c->used += size;
    return p;
}

static size_t hash(const char *s, size_t n) {
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint8_t)s[i]) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

static void grow(struct arena *arena) {
    size_t capacity = arena->string_capacity ? arena->string_capacity * 2 : 256;
    const char **strings = or_out_of_memory(calloc(capacity, sizeof *strings));
    for (size_t i = 0; i < arena->string_capacity; i++) {
        const char *s = arena->strings[i];
        if (!s)
            continue;
        size_t k = hash(s, strlen(s)) & (capacity - 1);
        while (strings[k])
            k = (k + 1) & (capacity - 1);
        strings[k] = s;
    }
    free(arena->strings);
    arena->strings = strings;
    arena->string_capacity = capacity;
}

const char *arena_intern(struct arena *arena, const char *text, size_t length) {
    if (2 * arena->string_count >= arena->string_capacity)
        grow(arena);
    size_t k = hash(text, length) & (arena->string_capacity - 1);
    for (; arena->strings[k]; k = (k + 1) & (arena->string_capacity - 1))
        if (strncmp(arena->strings[k], text, length) == 0 && !arena->strings[k][length])
            return arena->strings[k];
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    arena->string_count++;
    return arena->strings[k] = copy;
}
