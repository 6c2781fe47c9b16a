/* Memory that is allocated and freed in the order of a stream, and the pools it comes from.
 *
 * A pool here is a name: memory comes straight from the device's, and goes back when the stream reaches the free. */
#include "api/api.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/queue.h"
#include "memory/memory.h"

struct pool {
    int device;
    uint64_t settings[cudaMemPoolAttrUsedMemHigh + 1];
    struct pool *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool default_pools[MAX_DEVICES];
static struct pool *current_pools[MAX_DEVICES]; /* NULL: the default */
static struct pool *created;

static cudaMemPool_t handle_of(struct pool *p) {
    return (cudaMemPool_t)(void *)p;
}

/* A handle may be anything. */
static struct pool *find_pool(cudaMemPool_t handle) {
    struct pool *found = NULL;
    pthread_mutex_lock(&lock);
    for (int d = 0; d < MAX_DEVICES && !found; d++)
        if (handle_of(&default_pools[d]) == handle)
            found = &default_pools[d];
    for (struct pool *p = created; p && !found; p = p->next)
        if (handle_of(p) == handle)
            found = p;
    pthread_mutex_unlock(&lock);
    if (found && found >= default_pools && found < default_pools + MAX_DEVICES)
        found->device = (int)(found - default_pools);
    return found;
}

/* ---- Allocating and freeing ---- */

static cudaError_t allocate(const char *function, void **out, size_t size, int device, cudaStream_t stream) {
    ENTER();
    if (!out)
        return state_return(cudaErrorInvalidValue);
    if (!queue_find(stream))
        return state_refuse(function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    if (!size) {
        *out = NULL;
        return cudaSuccess;
    }
    struct allocation *a = memory_allocate(size, 0, MEMORY_DEVICE, device, NULL);
    if (!a)
        return state_refuse(function, cudaErrorMemoryAllocation,
                            "%zu bytes are wanted, and %zu of the device's %zu are free.", size,
                            memory_free_bytes(device), memory_total());
    *out = (void *)(uintptr_t)a->base;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream) {
    return allocate(__func__, out, size, state_device(), stream);
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t handle, cudaStream_t stream) {
    struct pool *p = find_pool(handle);
    return p ? allocate(__func__, out, size, p->device, stream) : state_return(cudaErrorInvalidValue);
}

struct free_operation {
    struct operation op;
    uint64_t address;
};

static int run_free(struct operation *op, int fault) {
    memory_free(((struct free_operation *)op)->address);
    return fault;
}

static void release_free(struct operation *op) {
    free(op);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    ENTER();
    struct stream *s = queue_find(stream);
    if (!s)
        return state_refuse(__func__, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    if (!pointer)
        return cudaSuccess;
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    if (!a || !a->limit || a->kind != MEMORY_DEVICE || a->base != (uint64_t)(uintptr_t)pointer)
        return state_refuse(__func__, cudaErrorInvalidValue, "%p is not the start of live device memory.", pointer);
    struct free_operation *f = calloc(1, sizeof *f);
    if (!f)
        return state_return(cudaErrorMemoryAllocation);
    *f = (struct free_operation){.op = {.run = run_free, .release = release_free, .always = true}, .address = a->base};
    queue_submit(s, &f->op);
    return cudaSuccess;
}

/* ---- Pools ---- */

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device) {
    if (!out || device < 0 || device >= state_device_count())
        return state_return(cudaErrorInvalidValue);
    *out = handle_of(&default_pools[device]);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device) {
    cudaError_t error = cudaDeviceGetDefaultMemPool(out, device);
    pthread_mutex_lock(&lock);
    if (error == cudaSuccess && current_pools[device])
        *out = handle_of(current_pools[device]);
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
    struct pool *p = find_pool(handle);
    if (!p || device < 0 || device >= state_device_count())
        return state_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    current_pools[device] = p;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *properties) {
    ENTER();
    if (!out || !properties || properties->allocType != cudaMemAllocationTypePinned ||
        properties->location.type != cudaMemLocationTypeDevice || properties->location.id < 0 ||
        properties->location.id >= state_device_count())
        return state_return(cudaErrorInvalidValue);
    struct pool *p = calloc(1, sizeof *p);
    if (!p)
        return state_return(cudaErrorMemoryAllocation);
    p->device = properties->location.id;
    pthread_mutex_lock(&lock);
    p->next = created;
    created = p;
    pthread_mutex_unlock(&lock);
    *out = handle_of(p);
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
    cudaError_t error = cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    for (struct pool **link = &created; *link; link = &(*link)->next) {
        if (handle_of(*link) != handle)
            continue;
        struct pool *p = *link;
        *link = p->next;
        for (int d = 0; d < MAX_DEVICES; d++)
            if (current_pools[d] == p)
                current_pools[d] = NULL;
        free(p);
        error = cudaSuccess;
        break;
    }
    pthread_mutex_unlock(&lock);
    return state_return(error);
}

static bool is_switch(enum cudaMemPoolAttr attribute) {
    return attribute == cudaMemPoolReuseFollowEventDependencies || attribute == cudaMemPoolReuseAllowOpportunistic ||
           attribute == cudaMemPoolReuseAllowInternalDependencies;
}

/* Switches are ints, sizes are 64-bit. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
    struct pool *p = find_pool(handle);
    if (!p || !value || (unsigned)attribute < 1 || attribute > cudaMemPoolAttrUsedMemHigh)
        return state_return(cudaErrorInvalidValue);
    p->settings[attribute] = is_switch(attribute) ? (uint64_t) * (int *)value : *(uint64_t *)value;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
    struct pool *p = find_pool(handle);
    if (!p || !value || (unsigned)attribute < 1 || attribute > cudaMemPoolAttrUsedMemHigh)
        return state_return(cudaErrorInvalidValue);
    if (is_switch(attribute))
        *(int *)value = (int)p->settings[attribute];
    else
        *(uint64_t *)value =
            attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent
                ? memory_total() - memory_free_bytes(p->device)
                : p->settings[attribute];
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
    (void)keep; /* nothing is kept */
    return find_pool(handle) ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

/* All devices can reach all memory. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const struct cudaMemAccessDesc *list, size_t count) {
    return find_pool(handle) && (list || !count) ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                 struct cudaMemLocation *location) {
    if (!flags || !location || !find_pool(handle))
        return state_return(cudaErrorInvalidValue);
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}
