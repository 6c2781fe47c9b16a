#include "api/handles.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct slot {
    const void *handle; /* NULL: never used; GONE: no longer used */
    enum handle_kind kind;
};
static const char gone_place;
#define GONE ((const void *)&gone_place)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots;
static size_t capacity, used; /* capacity is a power of two; used counts those that are gone, too */

static size_t place_of(const void *handle) {
    return ((uintptr_t)handle * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
}

static struct slot *find(const void *handle) {
    for (size_t i = capacity ? place_of(handle) : 0; capacity && slots[i].handle; i = (i + 1) & (capacity - 1))
        if (slots[i].handle == handle)
            return &slots[i];
    return NULL;
}

static void put(const void *handle, enum handle_kind kind) {
    size_t i = place_of(handle);
    while (slots[i].handle)
        i = (i + 1) & (capacity - 1);
    slots[i] = (struct slot){handle, kind};
    used++;
}

/* Moves the existing handles to a new table with room for more. */
static bool grow(void) {
    size_t live = 0, old_capacity = capacity;
    struct slot *old = slots;
    for (size_t i = 0; i < old_capacity; i++)
        live += old[i].handle && old[i].handle != GONE;
    size_t wanted = 64;
    while (wanted < 4 * live)
        wanted *= 2;
    struct slot *fresh = calloc(wanted, sizeof *fresh);
    if (!fresh)
        return false;
    slots = fresh;
    capacity = wanted;
    used = 0;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].handle && old[i].handle != GONE)
            put(old[i].handle, old[i].kind);
    free(old);
    return true;
}

bool handle_add(const void *handle, enum handle_kind kind) {
    pthread_mutex_lock(&lock);
    bool room = 2 * used < capacity || grow();
    if (room)
        put(handle, kind);
    pthread_mutex_unlock(&lock);
    return room;
}

void handle_remove(const void *handle) {
    pthread_mutex_lock(&lock);
    struct slot *s = find(handle);
    if (s)
        s->handle = GONE;
    pthread_mutex_unlock(&lock);
}

bool handle_is(const void *handle, enum handle_kind kind) {
    if (!handle)
        return false;
    pthread_mutex_lock(&lock);
    const struct slot *s = find(handle);
    bool is = s && s->kind == kind;
    pthread_mutex_unlock(&lock);
    return is;
}
