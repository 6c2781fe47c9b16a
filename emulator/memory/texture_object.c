#include "memory/texture_object.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define CHUNK   1024
#define CHUNKS  4096
#define AT_REST 4096 /* handles of destroyed objects that stay unused, so that a kernel's use of one is noticed */

struct object {
    _Atomic int state; /* 0: no object, otherwise 1 + enum texture_kind */
    uint32_t next;     /* of a destroyed one: the one destroyed after it */
    struct texture texture;
    void *owner;
};

static _Atomic(struct object *) chunks[CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t used; /* handles 1 .. used have been issued */
static uint32_t oldest, newest, resting;

static struct object *object_at(uint64_t handle) {
    if (!handle || handle > (uint64_t)CHUNK * CHUNKS)
        return NULL;
    struct object *chunk = atomic_load_explicit(&chunks[(handle - 1) / CHUNK], memory_order_acquire);
    return chunk ? &chunk[(handle - 1) % CHUNK] : NULL;
}

static struct object *live(uint64_t handle, enum texture_kind kind) {
    struct object *o = object_at(handle);
    return o && atomic_load_explicit(&o->state, memory_order_acquire) == 1 + (int)kind ? o : NULL;
}

/* An unused handle: the one that has been unused the longest, or a new one. */
static uint32_t free_handle(void) {
    if (resting > AT_REST || used == CHUNK * CHUNKS) {
        uint32_t handle = oldest;
        if (!resting)
            return 0;
        oldest = object_at(handle)->next;
        resting--;
        return handle;
    }
    if (used % CHUNK == 0) {
        struct object *chunk = calloc(CHUNK, sizeof *chunk);
        if (!chunk)
            return 0;
        atomic_store_explicit(&chunks[used / CHUNK], chunk, memory_order_release);
    }
    return ++used;
}

uint64_t texture_register(const struct texture *t, enum texture_kind kind, void *owner) {
    pthread_mutex_lock(&lock);
    uint32_t handle = free_handle();
    if (handle) {
        struct object *o = object_at(handle);
        o->texture = *t;
        o->owner = owner;
        atomic_store_explicit(&o->state, 1 + (int)kind, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

bool texture_unregister(uint64_t handle, enum texture_kind kind) {
    pthread_mutex_lock(&lock);
    struct object *o = live(handle, kind);
    if (o) {
        atomic_store_explicit(&o->state, 0, memory_order_release);
        free(o->owner);
        o->owner = NULL;
        if (resting)
            object_at(newest)->next = (uint32_t)handle;
        else
            oldest = (uint32_t)handle;
        newest = (uint32_t)handle;
        resting++;
    }
    pthread_mutex_unlock(&lock);
    return o != NULL;
}

void *texture_owner(uint64_t handle, enum texture_kind kind) {
    struct object *o = live(handle, kind);
    return o ? o->owner : NULL;
}

const struct texture *texture_find(uint64_t handle, enum texture_kind kind) {
    struct object *o = live(handle, kind);
    return o ? &o->texture : NULL;
}
