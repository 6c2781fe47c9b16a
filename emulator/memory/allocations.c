/* The table of allocations: the current ones, and the former ones.
 *
 * Three regions: device memory, shared (managed and pinned) memory, and registered host memory. Each has a table sorted
 * by address. Kernels look things up while the host allocates, so readers take no lock: a table only ever grows at its
 * end, and any other change is made in a copy that then takes its place. Entries and old tables are kept until the
 * process ends; a reader may still hold one. Freeing an allocation sets its limit to 0 and leaves it in the table, so
 * that the report of a later access can name it. Writers hold one mutex. */
#include "memory/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "memory/observer.h"
#include "memory/space.h"

#define ALIGNMENT   256
#define GRANULARITY 512 /* NVIDIA's allocations are at least this far apart */
#define GAP_LEAST   256
#define GAP_MOST    ((uint64_t)1 << 20)
#define POOL        256

struct memory_observer memory_observer;

enum region_number { REGION_DEVICE, REGION_SHARED, REGION_REGISTERED, REGIONS };

struct table {
    struct table *older; /* the one this replaced: kept for readers that are still in it */
    size_t capacity;
    _Atomic size_t count;
    struct allocation *items[];
};

struct region {
    struct table *_Atomic table;
    uint64_t next; /* the position of the next allocation; 0 before the first */
};

static struct region regions[REGIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t used_device, used_host; /* bytes of live allocations; pinned memory is the host's share */
static uint64_t last_id;

static uint64_t round_up(uint64_t n, uint64_t to) {
    return (n + to - 1) / to * to;
}
static uint64_t live_bytes(const struct allocation *a) {
    return __atomic_load_n(&a->limit, __ATOMIC_RELAXED);
}
/* A variable of size 0 has limit 0 from the start; no access can be inside it, so it may count as freed. */
static bool is_live(const struct allocation *a) {
    return live_bytes(a) != 0;
}

/* Empty space after an allocation: as much as it holds, within limits, so that an index that runs past the end hits no
 * other allocation. */
static uint64_t gap_after(uint64_t size) {
    return size < GAP_LEAST ? GAP_LEAST : size > GAP_MOST ? GAP_MOST : size;
}

static bool in_range(struct space_range r, uint64_t address) {
    return address - r.start < r.end - r.start;
}

/* ---- tables ---- */

static struct table *table_new(size_t capacity, struct table *older) {
    struct table *t = malloc(sizeof *t + capacity * sizeof t->items[0]);
    if (!t)
        return NULL;
    t->older = older;
    t->capacity = capacity;
    atomic_init(&t->count, 0);
    return t;
}

/* Number of items whose base is at most the address: the candidate is the one before. */
static size_t table_rank(const struct table *t, size_t count, uint64_t address) {
    size_t low = 0, high = count;
    /* Invariant: items below `low` have their base at or before the address, those from `high` on after it. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->items[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct table *table_read(enum region_number r, size_t *count) {
    struct table *t = atomic_load_explicit(&regions[r].table, memory_order_acquire);
    *count = t ? atomic_load_explicit(&t->count, memory_order_acquire) : 0;
    return t;
}

/* Makes room for one more item. */
static struct table *table_with_room(struct region *r) {
    struct table *t = atomic_load(&r->table);
    size_t count = t ? atomic_load(&t->count) : 0;
    if (t && count < t->capacity)
        return t;
    struct table *bigger = table_new(t ? 2 * t->capacity : 64, t);
    if (!bigger)
        return NULL;
    if (t)
        memcpy(bigger->items, t->items, count * sizeof t->items[0]);
    atomic_init(&bigger->count, count);
    atomic_store_explicit(&r->table, bigger, memory_order_release);
    return bigger;
}

static bool overlaps(const struct allocation *a, const struct allocation *b) {
    return a->base < b->base + b->size && b->base < a->base + a->size;
}

#ifndef NDEBUG
/* The lowest comes first. (A new one may overlap the end of a freed one: then its bytes belong to the new one.) */
static bool in_order(const struct table *t, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (t->items[i]->base <= t->items[i - 1]->base)
            return false;
    return true;
}
#endif

/* A copy of the table without `removed` and without the freed ones that `added` overlaps, and with `added` in its
 * place. Either may be NULL. */
static bool table_replace(struct region *r, struct allocation *added, const struct allocation *removed) {
    struct table *old = atomic_load(&r->table);
    size_t count = old ? atomic_load(&old->count) : 0, n = 0;
    struct table *t = table_new(count + 64, old);
    if (!t)
        return false;
    struct allocation *waiting = added;
    for (size_t i = 0; i < count; i++) {
        struct allocation *a = old->items[i];
        /* The overlapped allocations have been freed: live ones would not have been chosen. From now on messages cannot
         * name them. */
        if (a == removed || (added && overlaps(a, added)))
            continue;
        if (waiting && waiting->base < a->base) {
            t->items[n++] = waiting;
            waiting = NULL;
        }
        t->items[n++] = a;
    }
    if (waiting)
        t->items[n++] = waiting;
    assert(in_order(t, n));
    atomic_init(&t->count, n);
    atomic_store_explicit(&r->table, t, memory_order_release);
    return true;
}

static bool table_insert(struct region *r, struct allocation *a) {
    struct table *t = atomic_load(&r->table);
    size_t count = t ? atomic_load(&t->count) : 0;
    if (count && t->items[count - 1]->base >= a->base)
        return table_replace(r, a, NULL);
    t = table_with_room(r);
    if (!t)
        return false;
    t->items[count] = a;
    /* Published by the count: a reader that sees it sees the item, and the entries before never change their
     * places. */
    atomic_store_explicit(&t->count, count + 1, memory_order_release);
    return true;
}

/* Allocations come from pools that are never returned. */
static struct allocation *entry_new(void) {
    static struct pool {
        struct pool *older;
        struct allocation entries[POOL];
    } * pool;
    static size_t taken = POOL;
    if (taken == POOL) {
        struct pool *fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            return NULL;
        fresh->older = pool;
        pool = fresh;
        taken = 0;
    }
    return &pool->entries[taken++];
}

/* ---- addresses ---- */

/* First hole between live allocations that holds `need` bytes; 0 when there is none. Used once the range is
 * exhausted. */
static uint64_t find_hole(enum region_number r, struct space_range range, uint64_t need, uint64_t align) {
    size_t count;
    const struct table *t = table_read(r, &count);
    uint64_t candidate = round_up(range.start, align);
    for (size_t i = 0; i < count; i++) {
        const struct allocation *a = t->items[i];
        if (!memory_is_live(a))
            continue;
        if (candidate + need <= a->base)
            return candidate;
        candidate = round_up(a->base + a->size + gap_after(a->size), align);
    }
    return candidate < range.end && need <= range.end - candidate ? candidate : 0;
}

static uint64_t choose_address(enum region_number r, size_t size, uint64_t align) {
    struct space_range range = r == REGION_DEVICE ? space_device() : space_shared();
    uint64_t least = r == REGION_DEVICE ? GRANULARITY : space_page();
    struct region *region = &regions[r];
    if (align < ALIGNMENT)
        align = ALIGNMENT;
    if (r == REGION_SHARED && align < space_page())
        align = space_page();
    uint64_t need = round_up(size + gap_after(size), least);
    if (need > range.end - range.start)
        return 0;
    /* The first page stays empty: the bytes just before the first allocation belong to no allocation. */
    /* Upwards through the range as long as it lasts, so that addresses of freed memory are not used again soon, and an
     * access after a free is recognized. Only then are holes searched. */
    uint64_t base = round_up(region->next ? region->next : range.start + space_page(), align);
    if (base > range.end || need > range.end - base)
        return find_hole(r, range, need, align);
    region->next = base + need;
    return base;
}

/* ---- allocate and free ---- */

static enum region_number region_of(enum memory_kind kind) {
    if (kind == MEMORY_MANAGED || kind == MEMORY_PINNED)
        return REGION_SHARED;
    return kind == MEMORY_REGISTERED ? REGION_REGISTERED : REGION_DEVICE;
}

static uint64_t *usage_of(enum memory_kind kind) {
    return kind == MEMORY_PINNED ? &used_host : &used_device;
}

size_t memory_total(void) {
    static _Atomic size_t total;
    size_t known = atomic_load(&total);
    if (known || !space_reserve())
        return known;
    /* Half the machine's memory is the device's; the other half is left to the host program and its copies. */
    size_t bytes = space_machine_memory() / 2;
    struct space_range range = space_device();
    if (bytes > (range.end - range.start) / 2)
        bytes = (range.end - range.start) / 2;
    bytes &= ~(((size_t)1 << 20) - 1);
    atomic_store(&total, bytes);
    return bytes;
}

/* All emulated devices share the one memory of the machine. */
size_t memory_free_bytes(int device) {
    (void)device;
    size_t total = memory_total();
    pthread_mutex_lock(&lock);
    size_t bytes = used_device < total ? total - used_device : 0;
    pthread_mutex_unlock(&lock);
    return bytes;
}

static struct allocation *allocate_locked(size_t size, size_t align, enum memory_kind kind, const char *name) {
    enum region_number r = region_of(kind);
    uint64_t *used = usage_of(kind);
    if (size > memory_total() || *used > memory_total() - size)
        return NULL;
    uint64_t base = choose_address(r, size, align);
    struct allocation *a = base ? entry_new() : NULL;
    if (!a)
        return NULL;
    /* CUDA's variables start as zeros, and so do the pages that Linux gives to managed memory; everything else holds
     * arbitrary old data. */
    uint8_t fill = name || kind == MEMORY_MANAGED ? 0 : MEMORY_POISON;
    if (!(r == REGION_DEVICE ? space_device_open(base, size, fill) : space_shared_open(base, size, fill)))
        return NULL;
    a->base = base;
    a->size = a->limit = size;
    a->host = r == REGION_DEVICE ? space_backing(base) : (uint8_t *)(uintptr_t)base;
    a->kind = kind;
    a->name = name ? strdup(name) : NULL; /* it outlives the module: a closed library's variables are still reported */
    a->id = ++last_id;
    memory_set_read_only(a, kind == MEMORY_CONSTANT);
    if (memory_observer.allocated)
        memory_observer.allocated(a, fill);
    if (!table_insert(&regions[r], a))
        return NULL;
    *used += size;
    return a;
}

void memory_set_read_only(struct allocation *a, bool read_only) {
    a->read_only = read_only;
    a->guarded = read_only || a->authors;
}

struct allocation *memory_allocate(size_t size, size_t align, enum memory_kind kind, int device, const char *name) {
    if ((size == 0 && !name) || kind == MEMORY_REGISTERED || !space_reserve())
        return NULL;
    pthread_mutex_lock(&lock);
    struct allocation *a = allocate_locked(size, align, kind, name);
    if (a)
        a->device = device;
    pthread_mutex_unlock(&lock);
    return a;
}

static void free_locked(struct allocation *a);

struct allocation *memory_reserve(size_t size, int device) {
    if (size == 0 || !space_reserve())
        return NULL;
    pthread_mutex_lock(&lock);
    struct allocation *a = allocate_locked(size, 0, MEMORY_DEVICE, NULL);
    if (a) {
        a->device = device;
        a->reserved = true;
        free_locked(a);
    }
    pthread_mutex_unlock(&lock);
    return a;
}

bool memory_revive(uint64_t base) {
    pthread_mutex_lock(&lock);
    struct allocation *a = (struct allocation *)memory_find(base);
    bool possible = a && a->base == base && a->reserved && !is_live(a) && a->size <= memory_total() &&
                    used_device <= memory_total() - a->size && space_device_open(base, a->size, MEMORY_POISON);
    if (possible) {
        used_device += a->size;
        if (memory_observer.revived)
            memory_observer.revived(a);
        __atomic_store_n(&a->limit, a->size, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return possible;
}

bool memory_take(size_t bytes) {
    pthread_mutex_lock(&lock);
    bool there = bytes <= memory_total() && used_device <= memory_total() - bytes;
    used_device += there ? bytes : 0;
    pthread_mutex_unlock(&lock);
    return there;
}

void memory_give_back(size_t bytes) {
    pthread_mutex_lock(&lock);
    used_device -= bytes;
    pthread_mutex_unlock(&lock);
}

static struct allocation *reserve_locked(size_t size, size_t align, struct mappings *mappings) {
    uint64_t base = choose_address(REGION_DEVICE, size, align);
    struct allocation *a = base ? entry_new() : NULL;
    if (!a)
        return NULL;
    *a = (struct allocation){.base = base,
                             .size = size,
                             .host = space_backing(base),
                             .kind = MEMORY_DEVICE,
                             .id = ++last_id,
                             .mappings = mappings};
    if (memory_observer.allocated)
        memory_observer.allocated(a, MEMORY_POISON);
    return table_insert(&regions[REGION_DEVICE], a) ? a : NULL;
}

struct allocation *memory_reserve_addresses(size_t size, size_t align, struct mappings *mappings) {
    if (size == 0 || !space_reserve())
        return NULL;
    pthread_mutex_lock(&lock);
    struct allocation *a = reserve_locked(size, align, mappings);
    pthread_mutex_unlock(&lock);
    return a;
}

static struct allocation *register_locked(uint64_t base, size_t size, int device, bool *taken) {
    size_t count;
    const struct table *t = table_read(REGION_REGISTERED, &count);
    size_t rank = table_rank(t, count, base + size - 1);
    *taken = rank && t->items[rank - 1]->base + t->items[rank - 1]->size > base;
    if (*taken)
        return NULL;
    struct allocation *a = entry_new();
    if (!a)
        return NULL;
    *a = (struct allocation){.base = base,
                             .size = size,
                             .limit = size,
                             .host = (uint8_t *)(uintptr_t)base,
                             .kind = MEMORY_REGISTERED,
                             .device = device,
                             .id = ++last_id};
    if (memory_observer.allocated)
        memory_observer.allocated(a, MEMORY_POISON);
    return table_insert(&regions[REGION_REGISTERED], a) ? a : NULL;
}

struct allocation *memory_register(void *host, size_t size, int device, bool *taken) {
    uint64_t base = (uint64_t)(uintptr_t)host;
    *taken = true;
    if (size == 0 || base + size < base || !space_reserve())
        return NULL;
    struct space_range all = space_all();
    if (base < all.end && all.start < base + size)
        return NULL; /* ours already */
    pthread_mutex_lock(&lock);
    struct allocation *a = register_locked(base, size, device, taken);
    pthread_mutex_unlock(&lock);
    return a;
}

/* Returns the pages of a freed allocation, and those it shared with others that are freed as well. */
static void discard_pages(const struct allocation *a) {
    size_t count;
    const struct table *t = table_read(REGION_DEVICE, &count);
    size_t rank = table_rank(t, count, a->base);
    uint64_t page = space_page();
    uint64_t start = a->base / page * page, end = round_up(a->base + a->size, page);
    /* The first page may be shared with allocations before, the last one with those after it: such a page stays if one
     * of them is live. */
    for (size_t i = rank - 1; i-- > 0 && t->items[i]->base + t->items[i]->size > start;)
        if (is_live(t->items[i]))
            start = round_up(start + 1, page);
    for (size_t i = rank; i < count && t->items[i]->base < end; i++)
        if (is_live(t->items[i]))
            end = t->items[i]->base / page * page;
    space_device_discard(start, end);
}

static void free_locked(struct allocation *a) {
    __atomic_store_n(&a->limit, 0, __ATOMIC_RELEASE);
    if (a->watch)
        memory_observer.freed(a);
    if (a->kind == MEMORY_REGISTERED) {
        table_replace(&regions[REGION_REGISTERED], NULL, a); /* the host's own again, and no longer tracked here */
        return;
    }
    *usage_of(a->kind) -= a->size;
    if (region_of(a->kind) == REGION_SHARED)
        space_shared_close(a->base, a->size);
    else
        discard_pages(a);
}

enum memory_free_result memory_free(uint64_t base) {
    enum memory_free_result result = MEMORY_UNKNOWN;
    pthread_mutex_lock(&lock);
    const struct allocation *a = memory_find(base);
    if (a && a->mappings)
        result = MEMORY_UNKNOWN;
    else if (a && a->base != base)
        result = MEMORY_NOT_A_BASE;
    else if (a && !is_live(a))
        result = MEMORY_ALREADY_FREED;
    else if (a)
        result = MEMORY_FREED;
    if (result == MEMORY_FREED)
        free_locked((struct allocation *)a);
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- lookup: no locks from here on ---- */

static bool region_may_hold(enum region_number r, uint64_t address) {
    if (r == REGION_REGISTERED)
        return true;
    return in_range(r == REGION_DEVICE ? space_device() : space_shared(), address);
}

const struct allocation *memory_find(uint64_t address) {
    for (enum region_number r = 0; r < REGIONS; r++) {
        size_t count;
        if (!region_may_hold(r, address))
            continue;
        const struct table *t = table_read(r, &count);
        size_t rank = table_rank(t, count, address);
        if (rank && address - t->items[rank - 1]->base < t->items[rank - 1]->size)
            return t->items[rank - 1];
    }
    return NULL;
}

/* Bytes between an address and an allocation. */
static uint64_t distance(const struct allocation *a, uint64_t address) {
    if (address < a->base)
        return a->base - address;
    return address - a->base < a->size ? 0 : address - (a->base + a->size) + 1;
}

/* The text of a printf or an assert: an out-of-bounds access was never meant for it. */
static bool is_compilers_text(const struct allocation *a) {
    return a->name && (strncmp(a->name, "__unnamed_", 10) == 0 || strncmp(a->name, "$str", 4) == 0);
}

static void consider(const struct allocation *a, uint64_t address, const struct allocation **best) {
    if (!*best || distance(a, address) < distance(*best, address))
        *best = a;
}

const struct allocation *memory_nearest(uint64_t address) {
    const struct allocation *best = NULL;
    for (enum region_number r = 0; r < REGIONS; r++) {
        size_t count;
        const struct table *t = table_read(r, &count);
        size_t rank = table_rank(t, count, address);
        for (size_t i = rank; i-- > 0;) {
            if (memory_is_live(t->items[i]) && !is_compilers_text(t->items[i])) {
                consider(t->items[i], address, &best);
                break;
            }
        }
        for (size_t i = rank; i < count; i++) {
            if (memory_is_live(t->items[i]) && !is_compilers_text(t->items[i])) {
                consider(t->items[i], address, &best);
                break;
            }
        }
    }
    return best;
}

bool memory_is_device_range(uint64_t address) {
    return in_range(space_device(), address);
}

bool memory_is_reserved(uint64_t address) {
    return in_range(space_all(), address);
}

uint8_t *memory_translate(uint64_t address, uint64_t size) {
    const struct allocation *a = memory_find(address);
    return a ? memory_mapped_at(a, address, size) : NULL;
}

void memory_each_live(void (*visit)(const struct allocation *, void *), void *argument) {
    for (enum region_number r = 0; r < REGIONS; r++) {
        size_t count;
        const struct table *t = table_read(r, &count);
        for (size_t i = 0; i < count; i++)
            if (is_live(t->items[i]) && !t->items[i]->mappings)
                visit(t->items[i], argument);
    }
}
