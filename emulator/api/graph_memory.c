#include "api/graph_memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "api/api.h"
#include "api/capture.h"
#include "memory/memory.h"

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

struct region {
    uint64_t base;
    bool outstanding;
    struct region *next;
};

#define BUCKETS 1024
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region *regions[BUCKETS];

static struct device_use { uint64_t current, most; } uses[MAX_DEVICES];

static struct region **bucket_of(const void *pointer) {
    return &regions[(ADDRESS(pointer) * 0x9e3779b97f4a7c15u >> 32) % BUCKETS];
}

/* With the lock. */
static struct region *find(const void *pointer) {
    struct region *r = *bucket_of(pointer);
    while (r && r->base != ADDRESS(pointer))
        r = r->next;
    return r;
}

void *graph_memory_new(size_t bytes, int device) {
    struct region *r = malloc(sizeof *r);
    struct allocation *a = r ? memory_reserve(bytes, device) : NULL;
    if (!a) {
        free(r);
        return NULL;
    }
    void *pointer = (void *)(uintptr_t)a->base;
    pthread_mutex_lock(&lock);
    *r = (struct region){a->base, false, *bucket_of(pointer)};
    *bucket_of(pointer) = r;
    pthread_mutex_unlock(&lock);
    return pointer;
}

bool graph_memory_is(const void *pointer) {
    pthread_mutex_lock(&lock);
    bool is = find(pointer) != NULL;
    pthread_mutex_unlock(&lock);
    return is;
}

static void set_outstanding(const void *pointer, bool outstanding) {
    pthread_mutex_lock(&lock);
    struct region *r = find(pointer);
    if (r)
        r->outstanding = outstanding;
    pthread_mutex_unlock(&lock);
}

void graph_memory_submitted(const void *pointer) {
    set_outstanding(pointer, true);
}

void graph_memory_freed(const void *pointer) {
    set_outstanding(pointer, false);
}

bool graph_memory_outstanding(const void *pointer) {
    pthread_mutex_lock(&lock);
    const struct region *r = find(pointer);
    bool outstanding = r && r->outstanding;
    pthread_mutex_unlock(&lock);
    return outstanding;
}

int graph_memory_begin(const void *pointer, bool free_first) {
    if (free_first)
        memory_free(ADDRESS(pointer));
    if (memory_revive(ADDRESS(pointer)))
        return cudaSuccess;
    return state_refuse("a graph's allocation node", cudaErrorMemoryAllocation,
                        "There is no room for it, or it is allocated already.");
}

int graph_memory_end(const void *pointer) {
    if (memory_free(ADDRESS(pointer)) == MEMORY_FREED)
        return cudaSuccess;
    return state_refuse("a graph's free node", cudaErrorIllegalAddress, "What it frees is not allocated now.");
}

/* ---- What is used ---- */

void graph_memory_use(int device, uint64_t bytes) {
    pthread_mutex_lock(&lock);
    struct device_use *u = &uses[device];
    u->current += bytes;
    if (u->most < u->current)
        u->most = u->current;
    pthread_mutex_unlock(&lock);
}

void graph_memory_unuse(int device, uint64_t bytes) {
    pthread_mutex_lock(&lock);
    uses[device].current -= bytes;
    pthread_mutex_unlock(&lock);
}

static cudaError_t check_device(int device) {
    return device >= 0 && device < state_device_count() ? cudaSuccess : state_return(cudaErrorInvalidDevice);
}

/* Nothing is kept in reserve, so what is reserved is what is used. */
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value) {
    cudaError_t error = check_device(device);
    if (error != cudaSuccess)
        return error;
    if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return state_return(cudaErrorInvalidValue);
    bool most = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    pthread_mutex_lock(&lock);
    *(uint64_t *)value = most ? uses[device].most : uses[device].current;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* The highest values can be reset; nothing else can be set. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value) {
    cudaError_t error = check_device(device);
    if (error != cudaSuccess)
        return error;
    if (!value || (attribute != cudaGraphMemAttrUsedMemHigh && attribute != cudaGraphMemAttrReservedMemHigh) ||
        *(uint64_t *)value)
        return state_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    uses[device].most = uses[device].current;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    return check_device(device);
}
