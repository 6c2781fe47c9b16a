/* Advice about managed memory, and prefetching. Here it is always resident where it is needed, so both are checked,
 * recorded for cudaMemRangeGetAttribute, and otherwise without effect.
 *
 * The advice is recorded in a list of ranges of memory with the same advice, in order of their addresses. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/capture.h"
#include "api/device.h"
#include "api/managed.h"
#include "api/queue.h"
#include "api/transfer.h"
#include "memory/memory.h"

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))
#define PAGE             4096
#define DISCARDED        0xff /* what discarded memory holds, like new memory */
#define HOST_BIT         (1u << MAX_DEVICES)

struct advice {
    bool read_mostly;
    unsigned accessed_by;                         /* a bit for each device, and HOST_BIT */
    struct cudaMemLocation preferred, prefetched; /* type 0: none */
};
static const struct advice no_advice;

struct stretch {
    uint64_t start, end;
    uint64_t allocation; /* its id: when the memory is freed and allocated again, this is stale */
    struct advice advice;
    struct stretch *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stretch *stretches;

/* ---- Checks ---- */

static const struct allocation *managed_at(const void *pointer, size_t count) {
    const struct allocation *a = memory_find(ADDRESS(pointer));
    return count && a && a->kind == MEMORY_MANAGED && memory_at(a, ADDRESS(pointer), count) ? a : NULL;
}

static cudaError_t check_range(const char *function, const void *pointer, size_t count) {
    ENTER();
    if (!managed_at(pointer, count))
        return state_refuse(function, cudaErrorInvalidValue,
                            "These %zu bytes are not all in managed memory (cudaMallocManaged or __managed__).", count);
    return cudaSuccess;
}

static cudaError_t check_location(struct cudaMemLocation l, cudaError_t no_device) {
    switch ((int)l.type) {
    case cudaMemLocationTypeDevice:
        return device_exists(l.id) ? cudaSuccess : state_return(no_device);
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        return cudaSuccess;
    default:
        return state_return(cudaErrorInvalidValue);
    }
}

/* ---- Stretches; all with the lock ---- */

/* Splits the stretch that contains an address, so that one begins there. False: no memory. */
static bool part_at(uint64_t address) {
    for (struct stretch *s = stretches; s; s = s->next) {
        if (address <= s->start || address >= s->end)
            continue;
        struct stretch *rest = malloc(sizeof *rest);
        if (!rest)
            return false;
        *rest = *s;
        rest->start = s->end = address;
        s->next = rest;
        return true;
    }
    return true;
}

static struct stretch *new_stretch(uint64_t start, uint64_t end, uint64_t allocation, struct stretch *next) {
    struct stretch *s = malloc(sizeof *s);
    if (s)
        *s = (struct stretch){start, end, allocation, no_advice, next};
    return s;
}

/* Makes stretches cover [start, end) without gaps or stale ones. */
static bool cover(uint64_t start, uint64_t end, uint64_t allocation) {
    struct stretch **link = &stretches;
    if (!part_at(start) || !part_at(end))
        return false;
    while (start < end) {
        while (*link && (*link)->end <= start)
            link = &(*link)->next;
        uint64_t stop = *link && (*link)->start < end ? (*link)->start : end;
        if (start < stop) {
            struct stretch *s = new_stretch(start, stop, allocation, *link);
            if (!s)
                return false;
            *link = s;
        } else if ((*link)->allocation != allocation) {
            (*link)->allocation = allocation;
            (*link)->advice = no_advice;
        }
        start = (*link)->end;
    }
    return true;
}

/* Calls change for all stretches of the whole pages around [pointer, pointer + count). */
static cudaError_t change_range(const void *pointer, size_t count,
                                void (*change)(struct advice *, struct cudaMemLocation), struct cudaMemLocation where) {
    uint64_t start = ADDRESS(pointer) / PAGE * PAGE, end = (ADDRESS(pointer) + count + PAGE - 1) / PAGE * PAGE;
    pthread_mutex_lock(&lock);
    bool covered = cover(start, end, managed_at(pointer, count)->id);
    for (struct stretch *s = stretches; s && covered; s = s->next)
        if (s->start >= start && s->end <= end)
            change(&s->advice, where);
    pthread_mutex_unlock(&lock);
    return covered ? cudaSuccess : state_return(cudaErrorMemoryAllocation);
}

/* ---- Advice ---- */

static unsigned bit_of(struct cudaMemLocation l) {
    return l.type == cudaMemLocationTypeDevice ? 1u << l.id : HOST_BIT;
}
static void set_read_mostly(struct advice *a, struct cudaMemLocation l) {
    (void)l;
    a->read_mostly = true;
}
static void unset_read_mostly(struct advice *a, struct cudaMemLocation l) {
    (void)l;
    a->read_mostly = false;
}
/* Nodes of the host's memory are accepted and not recorded, as on an H200. */
static void set_preferred(struct advice *a, struct cudaMemLocation l) {
    bool known = l.type == cudaMemLocationTypeDevice || l.type == cudaMemLocationTypeHost;
    a->preferred = known ? l : no_advice.preferred;
}
static void unset_preferred(struct advice *a, struct cudaMemLocation l) {
    (void)l;
    a->preferred = no_advice.preferred;
}
static void set_accessed_by(struct advice *a, struct cudaMemLocation l) {
    a->accessed_by |= bit_of(l);
}
static void unset_accessed_by(struct advice *a, struct cudaMemLocation l) {
    a->accessed_by &= ~bit_of(l);
}
static void set_prefetched(struct advice *a, struct cudaMemLocation l) {
    a->prefetched = l;
}

cudaError_t managed_advise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                           struct cudaMemLocation where) {
    static void (*const changes[])(struct advice *, struct cudaMemLocation) = {
        [cudaMemAdviseSetReadMostly] = set_read_mostly,      [cudaMemAdviseUnsetReadMostly] = unset_read_mostly,
        [cudaMemAdviseSetPreferredLocation] = set_preferred, [cudaMemAdviseUnsetPreferredLocation] = unset_preferred,
        [cudaMemAdviseSetAccessedBy] = set_accessed_by,      [cudaMemAdviseUnsetAccessedBy] = unset_accessed_by,
    };
    NOT_WHILE_CAPTURING("cudaMemAdvise");
    cudaError_t error = check_range("cudaMemAdvise", pointer, count);
    if (error == cudaSuccess && ((unsigned)advice >= sizeof changes / sizeof *changes || !changes[advice]))
        error = state_return(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        error = check_location(where, cudaErrorInvalidValue);
    return error == cudaSuccess ? change_range(pointer, count, changes[advice], where) : error;
}

cudaError_t managed_prefetch(const char *function, const void *pointer, size_t count, struct cudaMemLocation where,
                             unsigned flags, cudaStream_t stream) {
    cudaError_t error = flags ? state_return(cudaErrorInvalidValue) : check_range(function, pointer, count);
    if (error == cudaSuccess)
        error = check_location(where, cudaErrorInvalidDevice);
    struct stream *s = queue_find(stream);
    if (error == cudaSuccess)
        error = s ? capture_refuse(function, s) : state_return(cudaErrorInvalidResourceHandle);
    return error == cudaSuccess ? change_range(pointer, count, set_prefetched, where) : error;
}

struct cudaMemLocation managed_location(int device) {
    return device == cudaCpuDeviceId ? (struct cudaMemLocation){cudaMemLocationTypeHost, 0}
                                     : (struct cudaMemLocation){cudaMemLocationTypeDevice, device};
}

cudaError_t managed_advise_device(const void *pointer, size_t count, enum cudaMemoryAdvise advice, int device) {
    bool located = advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
                   advice != cudaMemAdviseUnsetPreferredLocation; /* the others ignore the device */
    return managed_advise(pointer, count, advice, managed_location(located ? device : cudaCpuDeviceId));
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, struct cudaMemLocation where, unsigned flags,
                                 cudaStream_t stream) {
    return managed_prefetch(__func__, pointer, count, where, flags, stream);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation where) {
    return managed_advise(pointer, count, advice, where);
}
#else
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream) {
    return managed_prefetch(__func__, pointer, count, managed_location(device), 0, stream);
}

EXPORT cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t count, struct cudaMemLocation where,
                                           unsigned flags, cudaStream_t stream) {
    return managed_prefetch(__func__, pointer, count, where, flags, stream);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice, int device) {
    return managed_advise_device(pointer, count, advice, device);
}

EXPORT cudaError_t cudaMemAdvise_v2(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation where) {
    return managed_advise(pointer, count, advice, where);
}
#endif

/* ---- Many at once ---- */

#if CUDART_VERSION >= 13000
/* Assigns the locations to the ranges: each applies from its index on. */
static bool good_indices(const size_t *indices, size_t locations, size_t count) {
    if (!locations || locations > count || !indices || indices[0] != 0)
        return false;
    for (size_t i = 1; i < locations; i++)
        if (indices[i] <= indices[i - 1] || indices[i] >= count)
            return false;
    return true;
}

static cudaError_t check_batch(const char *function, void **pointers, const size_t *sizes, size_t count,
                               unsigned long long flags, cudaStream_t stream) {
    ENTER();
    if (!pointers || !sizes || !count || flags || stream == NULL || stream == cudaStreamLegacy)
        return state_refuse(function, cudaErrorInvalidValue,
                            "The call needs lists, no flags, and a stream other than the default stream.");
    for (size_t i = 0; i < count; i++) {
        cudaError_t error = check_range(function, pointers[i], sizes[i]);
        if (error != cudaSuccess)
            return error;
    }
    return queue_find(stream) ? cudaSuccess : state_return(cudaErrorInvalidResourceHandle);
}

static cudaError_t prefetch_batch(const char *function, void **pointers, size_t *sizes, size_t count,
                                  struct cudaMemLocation *locations, size_t *indices, size_t location_count,
                                  unsigned long long flags, cudaStream_t stream) {
    cudaError_t error = check_batch(function, pointers, sizes, count, flags, stream);
    if (error == cudaSuccess && (!locations || !good_indices(indices, location_count, count)))
        error = state_return(cudaErrorInvalidValue);
    size_t l = 0;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        while (l + 1 < location_count && indices[l + 1] <= i)
            l++;
        error = managed_prefetch(function, pointers[i], sizes[i], locations[l], 0, stream);
    }
    return error;
}

static cudaError_t discard_batch(const char *function, void **pointers, size_t *sizes, size_t count,
                                 unsigned long long flags, cudaStream_t stream) {
    cudaError_t error = check_batch(function, pointers, sizes, count, flags, stream);
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        struct fill_request r = {.function = function,
                                 .to = {.address = ADDRESS(pointers[i])},
                                 .box = {sizes[i], 1, 1},
                                 .value = DISCARDED,
                                 .element = 1,
                                 .stream = stream};
        error = transfer_fill(&r);
    }
    return error;
}

cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations,
                                      size_t *indices, size_t location_count, unsigned long long flags,
                                      cudaStream_t stream) {
    return prefetch_batch(__func__, pointers, sizes, count, locations, indices, location_count, flags, stream);
}

cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream) {
    return discard_batch(__func__, pointers, sizes, count, flags, stream);
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                struct cudaMemLocation *locations, size_t *indices,
                                                size_t location_count, unsigned long long flags, cudaStream_t stream) {
    cudaError_t error =
        prefetch_batch(__func__, pointers, sizes, count, locations, indices, location_count, flags, stream);
    return error == cudaSuccess ? discard_batch(__func__, pointers, sizes, count, flags, stream) : error;
}
#endif

/* ---- Questions ---- */

/* The advice common to all of a range: where parts differ, none. With the lock. */
static struct advice common_advice(uint64_t start, uint64_t end, uint64_t allocation) {
    struct advice all = no_advice;
    bool first = true;
    for (const struct stretch *s = stretches; start < end; s = s->next) {
        while (s && (s->end <= start || s->allocation != allocation))
            s = s->next;
        bool gap = !s || s->start > start;
        const struct advice *a = gap ? &no_advice : &s->advice;
        if (first)
            all = *a;
        all.read_mostly &= a->read_mostly;
        all.accessed_by &= a->accessed_by;
        if (memcmp(&all.preferred, &a->preferred, sizeof all.preferred))
            all.preferred = no_advice.preferred;
        if (memcmp(&all.prefetched, &a->prefetched, sizeof all.prefetched))
            all.prefetched = no_advice.prefetched;
        first = false;
        if (!s || s->start >= end)
            break;
        start = s->end;
    }
    return all;
}

static int device_number(struct cudaMemLocation l) {
    return l.type == cudaMemLocationTypeDevice ? l.id : (int)l.type ? cudaCpuDeviceId : cudaInvalidDeviceId;
}

/* Devices first, in order, then the host. */
static void list_accessed_by(unsigned bits, int *out, size_t count) {
    size_t n = 0;
    for (int d = 0; d < MAX_DEVICES; d++)
        if ((bits & 1u << d) && n < count)
            out[n++] = d;
    if ((bits & HOST_BIT) && n < count)
        out[n++] = cudaCpuDeviceId;
    while (n < count)
        out[n++] = cudaInvalidDeviceId;
}

static bool answer(const struct advice *a, enum cudaMemRangeAttribute attribute, int *out, size_t count) {
    if (attribute == cudaMemRangeAttributeAccessedBy) {
        list_accessed_by(a->accessed_by, out, count);
        return true;
    }
    if (count != 1)
        return false;
    switch ((int)attribute) {
    case cudaMemRangeAttributeReadMostly:
        *out = a->read_mostly;
        return true;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributePreferredLocationId:
        *out = device_number(a->preferred);
        return true;
    case cudaMemRangeAttributeLastPrefetchLocation:
    case cudaMemRangeAttributeLastPrefetchLocationId:
        *out = device_number(a->prefetched);
        return true;
    case cudaMemRangeAttributePreferredLocationType:
        *out = (int)a->preferred.type;
        return true;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *out = (int)a->prefetched.type;
        return true;
    default:
        return false;
    }
}

static cudaError_t range_attribute(const char *function, void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                   const void *pointer, size_t count) {
    cudaError_t error = check_range(function, pointer, count);
    if (error != cudaSuccess)
        return error;
    if (!data || !size || size % sizeof(int))
        return state_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    struct advice a = common_advice(ADDRESS(pointer), ADDRESS(pointer) + count, managed_at(pointer, count)->id);
    pthread_mutex_unlock(&lock);
    return answer(&a, attribute, data, size / sizeof(int)) ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute, const void *pointer,
                                     size_t count) {
    return range_attribute(__func__, data, size, attribute, pointer, count);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes, size_t number,
                                      const void *pointer, size_t count) {
    if (!data || !sizes || !attributes || !number)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < number && error == cudaSuccess; i++)
        error = range_attribute(__func__, data[i], sizes[i], attributes[i], pointer, count);
    return error;
}
