#include "memory/mapping.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/observer.h"
#include "memory/space.h"

#define POISONED_UPTO ((uint64_t)512 << 20) /* larger memory holds the zeros of the file */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */

/* ---- physical memory ---- */

struct physical {
    uint64_t at, size; /* in the file */
    unsigned held;
    struct mapping *mappings; /* of it */
    bool fresh;               /* it has never been mapped */
    struct physical *next;
    _Alignas(16) uint8_t note[];
};

static struct physical *all;
static int file = -1;
static uint64_t file_end; /* parts of it are not used twice */

static bool poison(const struct physical *p) {
    if (p->size > POISONED_UPTO)
        return true;
    void *bytes = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)p->at);
    if (bytes == MAP_FAILED)
        return false;
    memset(bytes, MEMORY_POISON, p->size);
    munmap(bytes, p->size);
    return true;
}

static void punch_hole(const struct physical *p) {
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->at, (off_t)p->size);
}

static bool grow_file(struct physical *p) {
    if (file < 0)
        file = memfd_create("device memory", MFD_CLOEXEC);
    p->at = file_end;
    if (file < 0 || ftruncate(file, (off_t)(file_end + p->size)) != 0)
        return false;
    file_end += p->size;
    if (poison(p))
        return true;
    punch_hole(p);
    return false;
}

struct physical *physical_new(uint64_t size, const void *note, size_t note_bytes) {
    if (!memory_take(size)) /* all emulated devices share the one memory of the machine */
        return NULL;
    struct physical *p = calloc(1, sizeof *p + note_bytes);
    if (!p) {
        memory_give_back(size);
        return NULL;
    }
    *p = (struct physical){.size = size, .held = 1, .fresh = true};
    memcpy(p->note, note, note_bytes);
    pthread_mutex_lock(&lock);
    bool made = grow_file(p);
    if (made) {
        p->next = all;
        all = p;
    }
    pthread_mutex_unlock(&lock);
    if (made)
        return p;
    memory_give_back(size);
    free(p);
    return NULL;
}

uint64_t physical_size(const struct physical *p) {
    return p->size;
}

const void *physical_note(const struct physical *p) {
    return p->note;
}

static struct physical *find_physical(const void *handle) {
    struct physical *p = all;
    while (p && p != handle)
        p = p->next;
    return p;
}

bool physical_is_held(const void *handle) {
    pthread_mutex_lock(&lock);
    const struct physical *p = find_physical(handle);
    bool held = p && p->held;
    pthread_mutex_unlock(&lock);
    return held;
}

static void drop_unused(struct physical *p) {
    if (p->held || p->mappings)
        return;
    struct physical **link = &all;
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    punch_hole(p);
    memory_give_back(p->size);
    free(p);
}

void physical_let_go(struct physical *p) {
    pthread_mutex_lock(&lock);
    p->held--;
    drop_unused(p);
    pthread_mutex_unlock(&lock);
}

/* ---- reservations ---- */

struct mapping {
    uint64_t offset, size; /* in the reservation */
    const struct allocation *where;
    struct physical *physical;
    uint8_t rights[MAPPING_DEVICES];
    struct mapping *next;  /* in the reservation */
    struct mapping *alias; /* of the same physical memory */
};

struct reservation {
    struct mappings shown;             /* the first member: an allocation points to it */
    struct mapping *first;             /* in the order of their offsets */
    unsigned granted[MAPPING_DEVICES]; /* mappings that a device may access */
    uint64_t units;
    _Atomic uint8_t rights[]; /* of each unit: the most that any device has */
};

static struct reservation *reservation_of(const struct allocation *a) {
    return (struct reservation *)(void *)a->mappings;
}

/* Kernels call this without a lock. */
static uint8_t *mapped_at(const struct allocation *a, uint64_t address, uint64_t bytes, bool write) {
    const struct reservation *r = reservation_of(a);
    uint64_t offset = address - a->base;
    if (offset >= a->size || bytes > a->size - offset)
        return NULL;
    uint8_t wanted = write ? MAPPING_READ_WRITE : MAPPING_READ;
    for (uint64_t i = offset / MAPPING_UNIT; i <= (offset + (bytes ? bytes - 1 : 0)) / MAPPING_UNIT; i++)
        if (i >= r->units || (r->rights[i] & wanted) != wanted)
            return NULL;
    return a->host + offset;
}

uint64_t mapping_reserve(uint64_t size, uint64_t align) {
    uint64_t units = size / MAPPING_UNIT; /* a rest can hold no mapping */
    struct reservation *r = calloc(1, sizeof *r + units);
    if (!r)
        return 0;
    r->units = units;
    r->shown.at = mapped_at;
    const struct allocation *a = memory_reserve_addresses(size, align > MAPPING_UNIT ? align : MAPPING_UNIT, &r->shown);
    if (!a)
        free(r);
    return a ? a->base : 0;
}

/* The reservation that holds all of a range, which is not empty. */
static struct allocation *find_reservation(uint64_t address, uint64_t size) {
    struct allocation *a = (struct allocation *)memory_find(address);
    bool inside = a && a->mappings && !a->mappings->freed && size && size <= a->size - (address - a->base);
    return inside ? a : NULL;
}

bool mapping_free(uint64_t base, uint64_t size) {
    pthread_mutex_lock(&lock);
    struct allocation *a = find_reservation(base, size);
    bool right = a && a->base == base && a->size == size && !reservation_of(a)->first;
    if (right) {
        a->mappings->freed = true; /* its entry stays, as for other freed memory: kernels may look it up */
        if (a->watch)
            memory_observer.freed(a);
    }
    pthread_mutex_unlock(&lock);
    return right;
}

/* ---- mappings ---- */

/* Publishes the access rights to kernels. */
static void show(struct allocation *a, const struct mapping *m) {
    struct reservation *r = reservation_of(a);
    uint8_t most = MAPPING_NO_ACCESS;
    for (int d = 0; d < MAPPING_DEVICES; d++) {
        most |= m->rights[d];
        r->shown.devices &= ~((uint32_t)1 << d);
        r->shown.devices |= (uint32_t)(r->granted[d] != 0) << d;
    }
    bool read_only = false;
    for (uint64_t i = m->offset / MAPPING_UNIT; i < (m->offset + m->size) / MAPPING_UNIT; i++)
        r->rights[i] = most;
    uint64_t prefix = 0;
    while (prefix < r->units && r->rights[prefix] == MAPPING_READ_WRITE)
        prefix++;
    for (uint64_t i = prefix; i < r->units; i++)
        read_only |= r->rights[i] == MAPPING_READ;
    a->guarded = read_only || a->authors;
    __atomic_store_n(&a->limit, prefix * MAPPING_UNIT, __ATOMIC_RELEASE);
}

static void set_rights(struct allocation *a, struct mapping *m, int device, enum mapping_rights rights) {
    unsigned *granted = &reservation_of(a)->granted[device];
    *granted += (rights != MAPPING_NO_ACCESS) - (m->rights[device] != MAPPING_NO_ACCESS);
    m->rights[device] = (uint8_t)rights;
}

/* New memory has not been written. Memory that was mapped before, or can be reached by two addresses, counts as
 * written: a store through one of them is not recorded for the other. */
static void note_content(const struct physical *p) {
    const struct mapping *newest = p->mappings;
    if (p->fresh) {
        memory_note_renewed(newest->where, newest->where->base + newest->offset, newest->size);
        return;
    }
    for (const struct mapping *m = newest; m; m = m->alias)
        memory_note_written(m->where, m->where->base + m->offset, m->size);
}

static bool in_units(const struct allocation *a, uint64_t address, uint64_t size) {
    return (address - a->base) % MAPPING_UNIT == 0 && size % MAPPING_UNIT == 0;
}

/* The position of a range's mapping in the list; NULL: it overlaps another. */
static struct mapping **find_gap(struct reservation *r, uint64_t offset, uint64_t size) {
    struct mapping **link = &r->first;
    while (*link && (*link)->offset + (*link)->size <= offset)
        link = &(*link)->next;
    return *link && (*link)->offset < offset + size ? NULL : link;
}

bool mapping_map(uint64_t address, uint64_t size, struct physical *p) {
    struct mapping *m = calloc(1, sizeof *m);
    pthread_mutex_lock(&lock);
    struct allocation *a = find_reservation(address, size);
    struct mapping **link =
        a && in_units(a, address, size) ? find_gap(reservation_of(a), address - a->base, size) : NULL;
    bool done = m && link && space_device_map(address, size, file, p->at);
    if (done) {
        *m = (struct mapping){
            .offset = address - a->base, .size = size, .where = a, .physical = p, .next = *link, .alias = p->mappings};
        *link = m;
        p->mappings = m;
        note_content(p);
        p->fresh = false;
    } else {
        free(m);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

/* The mappings that a range is made of: the first, and the one after the last; false when it does not consist of whole
 * ones. */
static bool find_mappings(struct reservation *r, uint64_t offset, uint64_t size, struct mapping ***first,
                          struct mapping **end) {
    struct mapping **link = &r->first;
    while (*link && (*link)->offset < offset)
        link = &(*link)->next;
    *first = link;
    uint64_t at = offset;
    struct mapping *m = *link;
    for (; m && m->offset == at && at < offset + size; m = m->next)
        at += m->size;
    *end = m;
    return size && at == offset + size;
}

static void remove_mapping(struct allocation *a, struct mapping *m) {
    struct physical *p = m->physical;
    struct mapping **alias = &p->mappings;
    for (int d = 0; d < MAPPING_DEVICES; d++)
        set_rights(a, m, d, MAPPING_NO_ACCESS);
    show(a, m);
    space_device_unmap(a->base + m->offset, m->size);
    while (*alias != m)
        alias = &(*alias)->alias;
    *alias = m->alias;
    free(m);
    drop_unused(p);
}

bool mapping_unmap(uint64_t address, uint64_t size) {
    struct mapping **link, *end;
    pthread_mutex_lock(&lock);
    struct allocation *a = find_reservation(address, size);
    bool right = a && find_mappings(reservation_of(a), address - a->base, size, &link, &end);
    while (right && *link != end) {
        struct mapping *m = *link;
        *link = m->next;
        remove_mapping(a, m);
    }
    pthread_mutex_unlock(&lock);
    return right;
}

bool mapping_set_rights(uint64_t address, uint64_t size, int device, enum mapping_rights rights) {
    struct mapping **link, *end;
    pthread_mutex_lock(&lock);
    struct allocation *a = find_reservation(address, size);
    bool right = a && find_mappings(reservation_of(a), address - a->base, size, &link, &end);
    for (struct mapping *m = right ? *link : NULL; m && m != end; m = m->next) {
        set_rights(a, m, device, rights);
        show(a, m);
    }
    pthread_mutex_unlock(&lock);
    return right;
}

static const struct mapping *find_mapping(const struct allocation *a, uint64_t address) {
    const struct mapping *m = reservation_of(a)->first;
    while (m && m->offset + m->size <= address - a->base)
        m = m->next;
    return m && m->offset <= address - a->base ? m : NULL;
}

bool mapping_find(uint64_t address, int device, enum mapping_rights *rights) {
    pthread_mutex_lock(&lock);
    const struct allocation *a = find_reservation(address, 1);
    const struct mapping *m = a ? find_mapping(a, address) : NULL;
    if (m)
        *rights = (enum mapping_rights)m->rights[device];
    pthread_mutex_unlock(&lock);
    return m != NULL;
}

struct physical *mapping_hold(uint64_t address) {
    pthread_mutex_lock(&lock);
    const struct allocation *a = find_reservation(address, 1);
    const struct mapping *m = a ? find_mapping(a, address) : NULL;
    if (m)
        m->physical->held++;
    pthread_mutex_unlock(&lock);
    return m ? m->physical : NULL;
}

const char *mapping_obstacle(const struct allocation *a, uint64_t address, uint64_t bytes, bool write) {
    if (!a || !a->mappings || a->mappings->freed || a->mappings->at(a, address, bytes, write))
        return NULL;
    pthread_mutex_lock(&lock);
    const struct mapping *m = find_mapping(a, address);
    const struct mapping *last = address + bytes <= a->base + a->size ? find_mapping(a, address + bytes - 1) : NULL;
    pthread_mutex_unlock(&lock);
    if (!m || !last)
        return "reserved but not mapped";
    return write && a->mappings->at(a, address, bytes, false) ? "mapped read-only" : "mapped without access";
}
