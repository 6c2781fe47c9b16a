/* Memory that is allocated and freed in the order of a stream, and the pools it comes from.
 *
 * A pool here only counts: memory is taken directly from the device's (or the host's), and returned when the stream
 * reaches the free. A pool reports as reserved what an H200's would have: steps of 32 MiB. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/capture.h"
#include "api/device.h"
#include "api/graph_memory.h"
#include "api/graph_work.h"
#include "api/queue.h"
#include "base/checks.h"
#include "check/copy_watch.h"
#include "memory/memory.h"

#define RESERVED_STEP ((uint64_t)32 << 20)
#define ATTRIBUTES    (cudaMemPoolAttrUsedMemHigh + 1)

struct pool {
    enum memory_kind kind;
    struct cudaMemLocation location;
    bool shareable, imported;
    uint64_t most;                     /* bytes it may have; 0: no limit */
    uint64_t live;                     /* bytes in allocations that are not freed */
    uint64_t settings[ATTRIBUTES];     /* by attribute, counters included */
    unsigned char access[MAX_DEVICES]; /* of other devices: enum cudaMemAccessFlags */
    struct pool *next;
};

/* An allocation from a pool. */
struct piece {
    uint64_t address, id;
    size_t size;
    struct pool *pool;
    struct piece *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of everything here */
static struct pool device_pools[MAX_DEVICES], managed_pools[MAX_DEVICES], host_pool;
static struct pool *current_pools[MAX_DEVICES]; /* NULL: the default */
static struct pool *created;
static struct piece *pieces;

static cudaMemPool_t handle_of(struct pool *p) {
    return (cudaMemPool_t)(void *)p;
}

static void start_pool(struct pool *p, enum memory_kind kind, struct cudaMemLocation location) {
    p->kind = kind;
    p->location = location;
    p->settings[cudaMemPoolReuseFollowEventDependencies] = 1;
    p->settings[cudaMemPoolReuseAllowOpportunistic] = 1;
    p->settings[cudaMemPoolReuseAllowInternalDependencies] = 1;
}

static void start_defaults(void) {
    for (int d = 0; d < MAX_DEVICES; d++) {
        struct cudaMemLocation here = {cudaMemLocationTypeDevice, d};
        start_pool(&device_pools[d], MEMORY_DEVICE, here);
        start_pool(&managed_pools[d], MEMORY_MANAGED, here);
    }
    start_pool(&host_pool, MEMORY_PINNED, (struct cudaMemLocation){cudaMemLocationTypeHost, 0});
}

static void lock_pools(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_defaults);
    pthread_mutex_lock(&lock);
}

static void unlock_pools(void) {
    pthread_mutex_unlock(&lock);
}

/* The link to a pool that the program made; NULL when it is none. With the lock. */
static struct pool **find_created(cudaMemPool_t handle) {
    for (struct pool **link = &created; *link; link = &(*link)->next)
        if (handle_of(*link) == handle)
            return link;
    return NULL;
}

/* A handle may be anything. With the lock. */
static struct pool *find_pool(cudaMemPool_t handle) {
    for (int d = 0; d < MAX_DEVICES; d++) {
        if (handle_of(&device_pools[d]) == handle)
            return &device_pools[d];
        if (handle_of(&managed_pools[d]) == handle)
            return &managed_pools[d];
    }
    if (handle_of(&host_pool) == handle)
        return &host_pool;
    struct pool **link = find_created(handle);
    return link ? *link : NULL;
}

/* ---- Counting; with the lock ---- */

static uint64_t step_up(uint64_t bytes) {
    return (bytes + RESERVED_STEP - 1) / RESERVED_STEP * RESERVED_STEP;
}

static void count_high(struct pool *p, int high, int now) {
    if (p->settings[high] < p->settings[now])
        p->settings[high] = p->settings[now];
}

static void count_reserved(struct pool *p) {
    p->settings[cudaMemPoolAttrReservedMemCurrent] = step_up(p->live);
    count_high(p, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrReservedMemCurrent);
}

static void add_piece(struct pool *p, struct piece *piece, const struct allocation *a) {
    *piece = (struct piece){a->base, a->id, a->size, p, pieces};
    pieces = piece;
    p->live += a->size;
    p->settings[cudaMemPoolAttrUsedMemCurrent] += a->size;
    count_high(p, cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrUsedMemCurrent);
    count_reserved(p);
}

/* Memory that cudaFree has returned stays in NVIDIA's count of used memory, and so it does here. */
static void drop_piece(struct piece **link, bool in_order) {
    struct piece *piece = *link;
    *link = piece->next;
    piece->pool->live -= piece->size;
    if (in_order)
        piece->pool->settings[cudaMemPoolAttrUsedMemCurrent] -= piece->size;
    count_reserved(piece->pool);
    free(piece);
}

/* Drops pieces whose memory no longer exists: freed by cudaFree or cudaDeviceReset. */
static void drop_stale(void) {
    for (struct piece **link = &pieces; *link;) {
        const struct allocation *a = memory_find((*link)->address);
        if (a && a->id == (*link)->id && a->limit)
            link = &(*link)->next;
        else
            drop_piece(link, false);
    }
}

/* ---- Allocating and freeing ---- */

/* In a captured stream memory is a graph's: allocated each time that the graph runs, at one address. */
static cudaError_t capture_allocation(struct stream *s, void **out, size_t size, cudaMemPool_t handle) {
    cudaError_t error;
    lock_pools();
    const struct pool *p = find_pool(handle);
    int device = p && p->location.type == cudaMemLocationTypeDevice ? p->location.id : -1;
    unlock_pools();
    *out = NULL;
    if (!size)
        return cudaSuccess;
    if (device < 0)
        return state_refuse("cudaMallocAsync", cudaErrorInvalidValue,
                            "A graph allocates memory from device pools only.");
    struct work *w = work_plain(cudaGraphNodeTypeMemAlloc, &error);
    void *pointer = w ? graph_memory_new(size, device) : NULL;
    if (!pointer) {
        work_release(w);
        return state_return(cudaErrorMemoryAllocation);
    }
    w->allocation.poolProps.allocType = cudaMemAllocationTypePinned;
    w->allocation.poolProps.location.type = cudaMemLocationTypeDevice;
    w->allocation.poolProps.location.id = device;
    w->allocation.bytesize = size;
    w->allocation.dptr = *out = pointer;
    return capture_work(s, w);
}

static cudaError_t allocate(const char *function, void **out, size_t size, cudaMemPool_t handle, cudaStream_t stream) {
    ENTER();
    bool captured;
    if (!out)
        return state_return(cudaErrorInvalidValue);
    struct stream *s = queue_find(stream);
    if (!s)
        return state_refuse(function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    cudaError_t error = capture_check(function, s, &captured);
    if (error != cudaSuccess || captured)
        return error != cudaSuccess ? error : capture_allocation(s, out, size, handle);
    NOT_WHILE_CAPTURING(function);
    struct piece *piece = malloc(sizeof *piece);
    struct allocation *a = NULL;
    lock_pools();
    struct pool *p = find_pool(handle);
    bool usable = p && !p->imported;
    if (usable && size)
        drop_stale();
    if (usable && size && piece && (!p->most || p->live + size <= p->most))
        a = memory_allocate(size, 0, p->kind, p->location.type == cudaMemLocationTypeDevice ? p->location.id : 0, NULL);
    if (a) {
        add_piece(p, piece, a);
        a->open = true;
    }
    unlock_pools();
    if (!a)
        free(piece);
    if (!usable)
        return state_refuse(function, cudaErrorInvalidValue,
                            "There is no such pool, or it belongs to another process.");
    if (!a && size)
        return state_refuse(function, cudaErrorMemoryAllocation,
                            "%zu bytes requested, and %zu of the device's %zu are free (or the pool is full).", size,
                            memory_free_bytes(state_device()), memory_total());
    *out = a ? (void *)(uintptr_t)a->base : NULL;
    if (a && check_is_on(CHECK_RACE)) {
        struct operation_order place = queue_place(s);
        memory_ordered(&place, a->base, RAN_ALLOCATION);
    }
    return cudaSuccess;
}

static cudaMemPool_t current_pool(int device) {
    lock_pools();
    struct pool *p = current_pools[device] ? current_pools[device] : &device_pools[device];
    unlock_pools();
    return handle_of(p);
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream) {
    return allocate(__func__, out, size, current_pool(state_device()), stream);
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t handle, cudaStream_t stream) {
    return allocate(__func__, out, size, handle, stream);
}

struct free_operation {
    struct operation op;
    uint64_t address;
};

static int run_free(struct operation *op, int fault) {
    uint64_t address = ((struct free_operation *)op)->address;
    if (check_is_on(CHECK_RACE))
        memory_ordered(&op->order, address, RAN_FREE);
    lock_pools();
    for (struct piece **link = &pieces; *link; link = &(*link)->next)
        if ((*link)->address == address) {
            drop_piece(link, true);
            break;
        }
    unlock_pools();
    memory_free(address);
    return fault;
}

static void release_free(struct operation *op) {
    free(op);
}

/* Memory of a pool, or of cudaMalloc. */
static bool may_be_freed(const struct allocation *a) {
    if (a->kind == MEMORY_DEVICE)
        return true;
    lock_pools();
    const struct piece *piece = pieces;
    while (piece && (piece->address != a->base || piece->id != a->id))
        piece = piece->next;
    unlock_pools();
    return piece != NULL;
}

/* Memory that is freed in a captured stream must have been allocated by a graph. */
static cudaError_t capture_free(struct stream *s, void *pointer) {
    cudaError_t error;
    if (!graph_memory_is(pointer))
        return state_refuse("cudaFreeAsync", cudaErrorInvalidValue,
                            "The stream is being captured, and %p was not allocated by a graph.", pointer);
    struct work *w = work_plain(cudaGraphNodeTypeMemFree, &error);
    if (!w)
        return error;
    w->freed = pointer;
    return capture_work(s, w);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    ENTER();
    bool captured;
    struct stream *s = queue_find(stream);
    if (!s)
        return state_refuse(__func__, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    if (!pointer)
        return cudaSuccess;
    cudaError_t error = capture_check(__func__, s, &captured);
    if (error != cudaSuccess || captured)
        return error != cudaSuccess ? error : capture_free(s, pointer);
    NOT_WHILE_CAPTURING(__func__);
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    bool live = a && (a->limit || graph_memory_outstanding(pointer));
    if (!live || a->base != (uint64_t)(uintptr_t)pointer || !may_be_freed(a))
        return state_refuse(__func__, cudaErrorInvalidValue, "%p is not the start of live device memory.", pointer);
    struct free_operation *f = calloc(1, sizeof *f);
    if (!f)
        return state_return(cudaErrorMemoryAllocation);
    *f = (struct free_operation){.op = {.run = run_free, .release = release_free, .always = true}, .address = a->base};
    graph_memory_freed(pointer);
    queue_submit(s, &f->op);
    return cudaSuccess;
}

/* ---- The pools of a device ---- */

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device) {
    if (!out)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device))
        return device_missing(__func__, device);
    lock_pools();
    *out = handle_of(&device_pools[device]);
    unlock_pools();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device) {
    if (!out || !device_exists(device))
        return state_return(cudaErrorInvalidValue);
    *out = current_pool(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
    bool done = false;
    if (device_exists(device)) {
        lock_pools();
        struct pool *p = find_pool(handle);
        done = p && p->kind == MEMORY_DEVICE && p->location.id == device;
        if (done)
            current_pools[device] = p;
        unlock_pools();
    }
    return done ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

#if CUDART_VERSION >= 13000
/* The default pool for a kind of memory at a place; NULL when there is none. */
static struct pool *default_pool(const struct cudaMemLocation *l, enum cudaMemAllocationType type) {
    if (type == cudaMemAllocationTypePinned && l->type == cudaMemLocationTypeHost)
        return &host_pool;
    if (l->type != cudaMemLocationTypeDevice || !device_exists(l->id))
        return NULL;
    return type == cudaMemAllocationTypePinned    ? &device_pools[l->id]
           : type == cudaMemAllocationTypeManaged ? &managed_pools[l->id]
                                                  : NULL;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *out, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type) {
    ENTER();
    struct pool *p = out && location ? default_pool(location, type) : NULL;
    if (!p)
        return state_return(cudaErrorInvalidValue);
    *out = handle_of(p);
    return cudaSuccess;
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *out, struct cudaMemLocation *location, enum cudaMemAllocationType type) {
    cudaError_t error = cudaMemGetDefaultMemPool(out, location, type);
    if (error == cudaSuccess && type == cudaMemAllocationTypePinned && location->type == cudaMemLocationTypeDevice)
        *out = current_pool(location->id);
    return error;
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t handle) {
    ENTER();
    if (!location || type != cudaMemAllocationTypePinned || location->type != cudaMemLocationTypeDevice)
        return state_return(cudaErrorInvalidValue);
    return cudaDeviceSetMemPool(location->id, handle);
}
#endif

/* ---- Making pools ---- */

static bool kind_of(const struct cudaMemPoolProps *p, enum memory_kind *kind) {
    bool pinned = p->allocType == cudaMemAllocationTypePinned, managed = (int)p->allocType == 2;
    switch ((int)p->location.type) {
    case cudaMemLocationTypeDevice:
        *kind = managed ? MEMORY_MANAGED : MEMORY_DEVICE;
        return (pinned || managed) && device_exists(p->location.id);
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        *kind = MEMORY_PINNED;
        return pinned;
    default:
        *kind = MEMORY_MANAGED;
        return managed;
    }
}

static cudaError_t make_pool(const char *function, cudaMemPool_t *out, const struct pool *like) {
    struct pool *p = malloc(sizeof *p);
    if (!p)
        return state_refuse(function, cudaErrorMemoryAllocation, "There is not enough host memory for a pool.");
    *p = *like;
    lock_pools();
    p->next = created;
    created = p;
    unlock_pools();
    *out = handle_of(p);
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *properties) {
    ENTER();
    NOT_WHILE_CAPTURING(__func__);
    enum memory_kind kind;
    if (!out || !properties || !kind_of(properties, &kind))
        return state_return(cudaErrorInvalidValue);
    if ((int)properties->handleTypes & ~(int)cudaMemHandleTypePosixFileDescriptor)
        return state_refuse(__func__, cudaErrorInvalidValue, "A pool can be shared through file descriptors only.");
    struct pool p = {0};
    start_pool(&p, kind, properties->location);
    p.shareable = properties->handleTypes == cudaMemHandleTypePosixFileDescriptor;
#if CUDART_VERSION >= 12020
    p.most = step_up(properties->maxSize);
#endif
    return make_pool(__func__, out, &p);
}

/* Memory that is still in use keeps it alive, nameless. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
    NOT_WHILE_CAPTURING(__func__);
    lock_pools();
    struct pool **link = find_created(handle), *p = link ? *link : NULL;
    if (p) {
        *link = p->next;
        for (int d = 0; d < MAX_DEVICES; d++)
            if (current_pools[d] == p)
                current_pools[d] = NULL;
        bool used = false;
        for (const struct piece *piece = pieces; piece; piece = piece->next)
            used |= piece->pool == p;
        if (!used)
            free(p);
    }
    unlock_pools();
    return p ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

/* ---- Attributes ---- */

static bool is_switch(enum cudaMemPoolAttr attribute) {
    return attribute == cudaMemPoolReuseFollowEventDependencies || attribute == cudaMemPoolReuseAllowOpportunistic ||
           attribute == cudaMemPoolReuseAllowInternalDependencies;
}

/* Of the counters only the high-water marks can be set, and only to 0. */
static bool can_be_set(enum cudaMemPoolAttr attribute, uint64_t value) {
    if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh)
        return value == 0;
    return attribute != cudaMemPoolAttrReservedMemCurrent && attribute != cudaMemPoolAttrUsedMemCurrent;
}

/* Switches are ints, sizes are 64-bit. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
    ENTER();
    if (!value || (unsigned)attribute < 1 || attribute >= ATTRIBUTES)
        return state_return(cudaErrorInvalidValue);
    uint64_t wanted = is_switch(attribute) ? *(int *)value != 0 : *(uint64_t *)value;
    lock_pools();
    struct pool *p = find_pool(handle);
    bool done = p && can_be_set(attribute, wanted);
    if (done)
        p->settings[attribute] = wanted;
    if (done && attribute == cudaMemPoolAttrUsedMemHigh)
        count_high(p, cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrUsedMemCurrent);
    if (done && attribute == cudaMemPoolAttrReservedMemHigh)
        count_reserved(p);
    unlock_pools();
    return done ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
    ENTER();
    if (!value || (unsigned)attribute < 1 || attribute >= ATTRIBUTES)
        return state_return(cudaErrorInvalidValue);
    lock_pools();
    drop_stale();
    struct pool *p = find_pool(handle);
    if (p && is_switch(attribute))
        *(int *)value = (int)p->settings[attribute];
    else if (p)
        *(uint64_t *)value = p->settings[attribute];
    unlock_pools();
    return p ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

static bool pool_exists(cudaMemPool_t handle) {
    lock_pools();
    bool exists = find_pool(handle) != NULL;
    unlock_pools();
    return exists;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
    NOT_WHILE_CAPTURING(__func__);
    (void)keep; /* nothing is kept */
    return pool_exists(handle) ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

/* ---- Access: recorded, while kernels reach everything ---- */

static cudaError_t check_access(const struct pool *p, const struct cudaMemAccessDesc *d) {
    if (d->location.type != cudaMemLocationTypeDevice)
        return state_return(cudaErrorInvalidValue);
    bool owner = p->location.type == cudaMemLocationTypeDevice && d->location.id == p->location.id;
    if (!device_exists(d->location.id) || (owner && d->flags == cudaMemAccessFlagsProtNone))
        return state_return(cudaErrorInvalidDevice);
    return d->flags == cudaMemAccessFlagsProtRead ? state_return(cudaErrorNotSupported) : cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const struct cudaMemAccessDesc *list, size_t count) {
    ENTER();
    lock_pools();
    struct pool *p = find_pool(handle);
    cudaError_t error = p && (list || !count) ? cudaSuccess : state_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        error = check_access(p, &list[i]);
        if (error == cudaSuccess)
            p->access[list[i].location.id] = (unsigned char)list[i].flags;
    }
    unlock_pools();
    return error;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                 struct cudaMemLocation *location) {
    ENTER();
    if (!flags || !location || location->type != cudaMemLocationTypeDevice || !device_exists(location->id))
        return state_return(cudaErrorInvalidValue);
    lock_pools();
    const struct pool *p = find_pool(handle);
    if (p) {
        bool owner = p->location.type == cudaMemLocationTypeDevice && location->id == p->location.id;
        *flags = owner || p->kind == MEMORY_MANAGED ? cudaMemAccessFlagsProtReadWrite
                                                    : (enum cudaMemAccessFlags)p->access[location->id];
    }
    unlock_pools();
    return p ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

/* ---- For other processes ---- */

/* The contents of the file that represents a pool. */
struct shared_pool {
    char magic[8];
    pid_t process;
    cudaMemPool_t pool;
};
static const char magic[8] = "emupool";

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
                                               unsigned flags) {
    ENTER();
    lock_pools();
    const struct pool *p = find_pool(pool);
    bool shareable = p && p->shareable;
    unlock_pools();
    if (!handle || !shareable || flags || type != cudaMemHandleTypePosixFileDescriptor)
        return state_refuse(__func__, cudaErrorInvalidValue,
                            "The pool was not created with cudaMemHandleTypePosixFileDescriptor.");
    struct shared_pool content = {.process = getpid(), .pool = pool};
    memcpy(content.magic, magic, sizeof magic);
    int fd = memfd_create("memory pool", MFD_CLOEXEC);
    if (fd < 0 || write(fd, &content, sizeof content) != (ssize_t)sizeof content)
        return state_return(cudaErrorOperatingSystem);
    *(int *)handle = fd;
    return cudaSuccess;
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *out, void *handle,
                                                 enum cudaMemAllocationHandleType type, unsigned flags) {
    ENTER();
    struct shared_pool content;
    if (!out || flags || type != cudaMemHandleTypePosixFileDescriptor)
        return state_return(cudaErrorInvalidValue);
    if (pread((int)(intptr_t)handle, &content, sizeof content, 0) != (ssize_t)sizeof content ||
        memcmp(content.magic, magic, sizeof magic) != 0)
        return state_refuse(__func__, cudaErrorUnknown, "That is not a file descriptor of a memory pool.");
    if (content.process != getpid())
        return state_refuse(__func__, cudaErrorNotSupported, "Memory of another process cannot be accessed.");
    lock_pools();
    const struct pool *p = find_pool(content.pool);
    struct pool like = {.imported = true};
    if (p)
        start_pool(&like, p->kind, p->location);
    unlock_pools();
    return p ? make_pool(__func__, out, &like) : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer) {
    ENTER();
    const struct piece *found = NULL;
    lock_pools();
    drop_stale();
    for (const struct piece *piece = pieces; piece && !found; piece = piece->next)
        if (piece->address == (uint64_t)(uintptr_t)pointer && piece->pool->shareable)
            found = piece;
    if (found && data) {
        memset(data, 0, sizeof *data);
        memcpy(data->reserved, &found->id, sizeof found->id);
    }
    unlock_pools();
    return found && data ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolImportPointer(void **out, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data) {
    ENTER();
    if (!out || !data || !pool_exists(pool))
        return state_return(cudaErrorInvalidValue);
    return state_refuse(__func__, cudaErrorNotSupported, "A second address for the same memory is not emulated.");
}
