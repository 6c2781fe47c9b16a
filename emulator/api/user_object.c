#include "api/user_object.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "api/graph.h"
#include "api/handles.h"

struct user_object {
    uint64_t references;
    void *value;
    cudaHostFn_t destroy;
};

struct held_object {
    struct user_object *object;
    unsigned count;
    struct held_object *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct user_object *find(cudaUserObject_t handle) {
    return handle_is(handle, HANDLE_USER_OBJECT) ? (struct user_object *)(void *)handle : NULL;
}

static void retain(struct user_object *o, unsigned count) {
    pthread_mutex_lock(&lock);
    o->references += count;
    pthread_mutex_unlock(&lock);
}

/* The destructor is the program's: a separate thread calls it, which holds no lock of ours. */
static void *destroy_thread(void *argument) {
    struct user_object *o = argument;
    execution_call_host(o->destroy, o->value);
    free(o);
    return NULL;
}

static void destroy(struct user_object *o) {
    pthread_t thread;
    handle_remove(o);
    if (pthread_create(&thread, NULL, destroy_thread, o) == 0)
        pthread_detach(thread);
}

/* False when it has fewer references. */
static bool release(struct user_object *o, unsigned count) {
    pthread_mutex_lock(&lock);
    bool enough = count <= o->references;
    if (enough)
        o->references -= count;
    bool last = enough && !o->references;
    pthread_mutex_unlock(&lock);
    if (last)
        destroy(o);
    return enough;
}

/* ---- What graphs hold ---- */

static bool hold(struct held_object **list, struct user_object *o, unsigned count) {
    for (struct held_object *h = *list; h; h = h->next) {
        if (h->object == o) {
            h->count += count;
            return true;
        }
    }
    struct held_object *h = malloc(sizeof *h);
    if (!h)
        return false;
    *h = (struct held_object){o, count, *list};
    *list = h;
    return true;
}

void held_objects_release(struct held_object *list) {
    for (struct held_object *h = list, *next; h; h = next) {
        next = h->next;
        release(h->object, h->count);
        free(h);
    }
}

bool held_objects_copy(struct held_object **out, const struct held_object *list) {
    for (const struct held_object *h = list; h; h = h->next) {
        retain(h->object, 1);
        if (!hold(out, h->object, 1)) {
            release(h->object, 1);
            return false;
        }
    }
    return true;
}

/* ---- Public ---- */

static cudaError_t invalid(void) {
    return state_return(cudaErrorInvalidValue);
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *value, cudaHostFn_t destroy, unsigned count,
                                 unsigned flags) {
    ENTER();
    if (!out || !destroy || !count || count > INT32_MAX || flags != cudaUserObjectNoDestructorSync)
        return invalid();
    struct user_object *o = malloc(sizeof *o);
    if (!o || !handle_add(o, HANDLE_USER_OBJECT)) {
        free(o);
        return state_return(cudaErrorMemoryAllocation);
    }
    *o = (struct user_object){count, value, destroy};
    *out = (cudaUserObject_t)(void *)o;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
    ENTER();
    struct user_object *o = find(object);
    if (!o || !count || count > INT32_MAX)
        return invalid();
    retain(o, count);
    return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
    ENTER();
    struct user_object *o = find(object);
    return o && count && count <= INT32_MAX && release(o, count) ? cudaSuccess : invalid();
}

static cudaError_t graph_retain(struct graph *g, struct user_object *o, unsigned count, unsigned flags) {
    if (!g || !o || !count || count > INT32_MAX || (flags & ~(unsigned)cudaGraphUserObjectMove))
        return invalid();
    if (!hold(&g->objects, o, count))
        return state_return(cudaErrorMemoryAllocation);
    if (!(flags & cudaGraphUserObjectMove)) /* moved: the caller's references are the graph's now */
        retain(o, count);
    return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
    GRAPH_CALL(graph_retain(graph_find(graph), find(object), count, flags));
}

static cudaError_t graph_release(struct graph *g, struct user_object *o, unsigned count) {
    if (!g || !o || !count)
        return invalid();
    for (struct held_object **link = &g->objects; *link; link = &(*link)->next) {
        struct held_object *h = *link;
        if (h->object != o || count > h->count)
            continue;
        h->count -= count;
        if (!h->count) {
            *link = h->next;
            free(h);
        }
        release(o, count);
        return cudaSuccess;
    }
    return invalid();
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
    GRAPH_CALL(graph_release(graph_find(graph), find(object), count));
}
