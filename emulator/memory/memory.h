/* The device's address space: the allocations, and where their bytes are stored.
 *
 * Programs hold device addresses. Device memory has a range of addresses that is reserved and never readable, so host
 * code that follows a device pointer faults, and the fault becomes a message; the bytes are stored elsewhere, at
 * allocation->host. Managed and pinned memory are usable from both sides: there the two are the same place. Shared,
 * local and parameter memory have windows of generic addresses that no host pointer can have. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Generic addresses: the top byte selects the window. 0 is global. */
#define WINDOW_SHIFT  56
#define SHARED_WINDOW ((uint64_t)1 << WINDOW_SHIFT)
#define LOCAL_WINDOW  ((uint64_t)2 << WINDOW_SHIFT)
#define PARAM_WINDOW  ((uint64_t)3 << WINDOW_SHIFT)

/* The fill of new memory, also of shared and local memory: NaN as a float, -1 as an integer. */
#define MEMORY_POISON 0xff

enum memory_kind {
    MEMORY_DEVICE,     /* cudaMalloc */
    MEMORY_MANAGED,    /* cudaMallocManaged, __managed__ */
    MEMORY_PINNED,     /* cudaMallocHost, cudaHostAlloc */
    MEMORY_REGISTERED, /* cudaHostRegister: the host's own memory */
    MEMORY_VARIABLE,   /* __device__ */
    MEMORY_CONSTANT,   /* __constant__ */
};

struct mappings;

struct allocation {
    uint64_t base;  /* device address */
    uint64_t size;  /* bytes requested */
    uint64_t limit; /* bytes that may be accessed now: size, or 0 once freed */
    uint64_t pitch; /* of cudaMallocPitch: bytes from row to row; 0: it has no rows */
    uint8_t *host;  /* where the bytes are: host + (address - base) */
    enum memory_kind kind;
    int device;
    uint64_t id;                    /* counts allocations from 1 */
    const char *name;               /* of a variable; NULL otherwise */
    bool read_only;                 /* constant memory, and host memory that was registered so */
    bool guarded;                   /* kernels' stores check first: it is read-only, or has authors */
    uint8_t *authors;               /* what wrote each byte last, check/authors.h; NULL: not tracked */
    unsigned flags;                 /* of host memory: the flags of cudaHostAlloc or cudaHostRegister */
    bool open;                      /* a pool's: the pool determines which devices may use it, not peer access */
    bool reserved;                  /* a graph's: it keeps its address when it is freed, and may live again */
    struct mappings *mappings;      /* of reserved addresses: the memory mapped there, mapping.h; NULL otherwise */
    struct allocation_watch *watch; /* the data of the checks; NULL when none is on */
};

/* Memory that is mapped piece by piece: `limit` is then where the readable and writable pieces from the start on end,
 * and this lists the pieces after it. A pointer, since code that is compiled later uses it, too. */
struct mappings {
    uint8_t *(*at)(const struct allocation *a, uint64_t address, uint64_t bytes, bool write); /* NULL: no pieces */
    uint32_t devices; /* devices that may access some of it: a bit for each */
    bool freed;       /* the addresses have been released */
};

/* Size bytes with at least this alignment (0: 256), filled with MEMORY_POISON, or with zeros when it has a name or is
 * managed: variables start that way, and so do pages of Linux. NULL when there is no room. size 0 is allowed for
 * variables only. */
struct allocation *memory_allocate(size_t size, size_t align, enum memory_kind kind, int device, const char *name);
/* NULL, and *taken, if it overlaps another; NULL alone if there is no memory for its entry. */
struct allocation *memory_register(void *host, size_t size, int device, bool *taken);
/* Reserves an address where memory will be later, perhaps several times: it is not live yet. NULL when there is no
 * room. */
struct allocation *memory_reserve(size_t size, int device);
/* Makes reserved memory live, filled with poison. False when there is no room, or it is live already. */
bool memory_revive(uint64_t base);
/* Reserves addresses where memory can be mapped, see mapping.h. */
struct allocation *memory_reserve_addresses(size_t size, size_t align, struct mappings *mappings);
/* Counts memory of devices that has no address of its own. False: there is not enough. */
bool memory_take(size_t bytes);
void memory_give_back(size_t bytes);
/* Frees by base address. Freed memory stays in the table, for messages, and its addresses are not reused for as long as
 * possible. */
enum memory_free_result { MEMORY_FREED, MEMORY_NOT_A_BASE, MEMORY_ALREADY_FREED, MEMORY_UNKNOWN };
enum memory_free_result memory_free(uint64_t base);

/* The allocation that contains an address (live first, then freed ones that did), or NULL. Any thread, no lock. */
const struct allocation *memory_find(uint64_t address);
/* The allocation whose edge is nearest to an address, for messages; NULL when there are none. The compiler's texts (of
 * printf, assert) do not count. */
const struct allocation *memory_nearest(uint64_t address);
/* True when an address belongs to the reserved device range (allocated or not). */
bool memory_is_device_range(uint64_t address);
/* True for that range and for every other that the emulator has reserved for memory: no address of the
 * program's own. */
bool memory_is_reserved(uint64_t address);

size_t memory_total(void); /* bytes of the emulated device's memory */
size_t memory_free_bytes(int device);

/* Host pointer to [address, address + size) if one live allocation contains all of it, else NULL. */
static inline uint8_t *memory_at(const struct allocation *a, uint64_t address, uint64_t size) {
    uint64_t offset = address - a->base;
    return offset < a->limit && size <= a->limit - offset ? a->host + offset : (uint8_t *)0;
}
/* The same, also beyond the limit of memory that is mapped piece by piece. For paths that are slow anyway: the function
 * above makes no call, so that compilers can vectorize it over lanes. */
static inline uint8_t *memory_mapped_at(const struct allocation *a, uint64_t address, uint64_t size) {
    uint8_t *host = memory_at(a, address, size);
    return host || !a->mappings ? host : a->mappings->at(a, address, size, false);
}
/* Has it, or may it have, memory that can be accessed? Not when it was freed. */
static inline bool memory_is_live(const struct allocation *a) {
    return a->limit || (a->mappings && !a->mappings->freed);
}
uint8_t *memory_translate(uint64_t address, uint64_t size);

/* Host pointer to all the bytes that a kernel is about to store: memory_at(), and records the author. NULL also where
 * kernels may not store. */
#define AUTHOR_KERNEL 1
static inline uint8_t *memory_guarded_at(const struct allocation *a, uint64_t address, uint64_t size, uint8_t *host) {
    if (!host || !a->guarded)
        return host;
    if (a->read_only || (a->mappings && !a->mappings->at(a, address, size, true)))
        return (uint8_t *)0;
    if (a->authors)
        memset(a->authors + (address - a->base), AUTHOR_KERNEL, size);
    return host;
}
static inline uint8_t *memory_store_at(const struct allocation *a, uint64_t address, uint64_t size) {
    return memory_guarded_at(a, address, size, memory_at(a, address, size));
}
static inline uint8_t *memory_mapped_store_at(const struct allocation *a, uint64_t address, uint64_t size) {
    return memory_guarded_at(a, address, size, memory_mapped_at(a, address, size));
}
void memory_set_read_only(struct allocation *a, bool read_only);

/* Calls visit for every live allocation (leak report) except those that memory is mapped into. */
void memory_each_live(void (*visit)(const struct allocation *, void *), void *argument);

/* Installs the handler that explains host faults on device addresses. Keeps and calls a handler the program had. */
void memory_guard_install(void);

#endif
