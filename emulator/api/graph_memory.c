#include "api/graph_memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "api/api.h"
#include "api/capture.h"
#include "memory/memory.h"

#define MEMORY_UNIT      ((uint64_t)32 << 20) /* the granularity at which graphs take memory on an H200 */
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

struct region {
    uint64_t base, bytes;
    int device;
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
    *r = (struct region){a->base, bytes, device, false, *bucket_of(pointer)};
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

uint64_t graph_memory_bytes(const void *pointer) {
    pthread_mutex_lock(&lock);
    const struct region *r = find(pointer);
    uint64_t bytes = r ? r->bytes : 0;
    pthread_mutex_unlock(&lock);
    return bytes;
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
                        "Device memory is exhausted, or the node's memory is already allocated.");
}

int graph_memory_end(const void *pointer) {
    if (memory_free(ADDRESS(pointer)) == MEMORY_FREED)
        return cudaSuccess;
    return state_refuse("a graph's free node", cudaErrorIllegalAddress, "The memory that it frees is not allocated.");
}

/* ---- What is used ---- */

/* With the lock. */
static uint64_t outstanding_bytes(int device) {
    uint64_t bytes = 0;
    for (unsigned b = 0; b < BUCKETS; b++)
        for (const struct region *r = regions[b]; r; r = r->next)
            bytes += r->outstanding && r->device == device ? r->bytes : 0;
    return bytes;
}

static uint64_t in_units(uint64_t bytes) {
    return (bytes + MEMORY_UNIT - 1) / MEMORY_UNIT * MEMORY_UNIT;
}

void graph_memory_use(int device, uint64_t bytes) {
    pthread_mutex_lock(&lock);
    struct device_use *u = &uses[device];
    uint64_t needed = in_units(outstanding_bytes(device) + bytes);
    if (u->current < needed)
        u->current = needed;
    if (u->most < u->current)
        u->most = u->current;
    pthread_mutex_unlock(&lock);
}

static cudaError_t check_device(int device) {
    return device >= 0 && device < state_device_count() ? cudaSuccess : state_return(cudaErrorInvalidDevice);
}

/* Reserved memory equals used memory: nothing beyond it is kept. */
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
    cudaError_t error = check_device(device);
    if (error != cudaSuccess)
        return error;
    pthread_mutex_lock(&lock);
    uses[device].current = in_units(outstanding_bytes(device));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}
