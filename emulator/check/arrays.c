/* Counts by array. A byte of a result that no kernel computed has to come from the host, and this counts every way by
 * which the host can hand bytes to kernels: so it need not be followed through the kernels that only carry them. */
#include "check/arrays.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "check/carried.h"
#include "emulator.h"
#include "memory/memory.h"

#define FREE_PARAMETERS 256 /* bytes of all launches: what right programs hand over in pointers and sizes */
#define FILL_BYTES      4

static _Atomic bool on;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what is counted */
static struct array_part parts[ARRAYS_MAX];
static size_t part_count;
static struct emulatorArrayCounters counted[ARRAYS_END];
static struct emulatorHostBytes host;
static uint64_t carried; /* bytes, see check/carried.h */

bool arrays_watched(void) {
    return atomic_load_explicit(&on, memory_order_relaxed);
}

/* ---- whose memory is it? ---- */

static bool is_of_host(const struct allocation *a) {
    return a->kind == MEMORY_MANAGED || a->kind == MEMORY_PINNED || a->kind == MEMORY_REGISTERED;
}

/* What is known of an address outside all arrays. */
static struct array_part outside(uint64_t address) {
    const struct allocation *a = memory_find(address);
    if (!a)
        return (struct array_part){address, address + 1, ARRAY_ELSEWHERE, false, false};
    return (struct array_part){a->base, a->base + a->size, is_of_host(a) ? ARRAY_OF_HOST : ARRAY_ELSEWHERE, false,
                               false};
}

struct array_part arrays_find(uint64_t address) {
    for (size_t i = 0; i < part_count; i++)
        if (address - parts[i].from < parts[i].to - parts[i].from)
            return parts[i];
    struct array_part part = outside(address);
    /* Outside of all arrays: the part of its allocation up to the arrays before and after, so that the caller may query
     * a whole part at once. */
    for (size_t i = 0; i < part_count; i++) {
        if (parts[i].from > address && parts[i].from < part.to)
            part.to = parts[i].from;
        if (parts[i].to <= address && parts[i].to > part.from)
            part.from = parts[i].to;
    }
    return part;
}

/* ---- copies and fills ---- */

/* Is it memory that kernels can reach? An array of the host's own, which they cannot, may be watched, too. */
static bool is_reached(uint64_t address) {
    const struct allocation *a = address ? memory_find(address) : NULL;
    return a && memory_is_live(a);
}

static bool is_of_device(uint64_t address) {
    const struct allocation *a = address ? memory_find(address) : NULL;
    return a && memory_is_live(a) && !is_of_host(a);
}

void arrays_copied(uint64_t to, uint64_t from, uint64_t bytes) {
    if (!arrays_watched())
        return;
    pthread_mutex_lock(&lock);
    bool from_device = is_of_device(from), to_device = is_of_device(to);
    if (from_device && to_device) {
        counted[arrays_find(from).array].copied_from_bytes += bytes;
        counted[arrays_find(to).array].copied_to_bytes += bytes;
    } else if (from_device) {
        host.copied_out += bytes;
    } else if (is_reached(to) && !(from && arrays_find(from).input)) {
        host.copied_in += bytes;
    }
    pthread_mutex_unlock(&lock);
}

void arrays_filled(uint64_t bytes) {
    if (!arrays_watched())
        return;
    pthread_mutex_lock(&lock);
    host.filled += bytes < FILL_BYTES ? bytes : FILL_BYTES;
    pthread_mutex_unlock(&lock);
}

/* ---- launches ---- */

void arrays_add(const struct emulatorArrayCounters *counters) {
    uint64_t *to = (uint64_t *)(void *)counted;
    const uint64_t *from = (const uint64_t *)(const void *)counters;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ARRAYS_END * (sizeof *counted / sizeof *to); i++)
        to[i] += from[i];
    pthread_mutex_unlock(&lock);
}

void arrays_read_there(uint64_t bytes) {
    pthread_mutex_lock(&lock);
    host.read_there += bytes;
    pthread_mutex_unlock(&lock);
}

void arrays_launched(const struct launch *l) {
    if (!arrays_watched())
        return;
    pthread_mutex_lock(&lock);
    carried += carried_by(l);
    host.parameters = carried > FREE_PARAMETERS ? carried - FREE_PARAMETERS : 0;
    pthread_mutex_unlock(&lock);
}

/* ---- what emulator.h offers ---- */

void arrays_watch(const struct emulatorArray *arrays, size_t count) {
    pthread_mutex_lock(&lock);
    memset(counted, 0, sizeof counted);
    host = (struct emulatorHostBytes){0};
    carried = 0;
    carried_forget();
    part_count = count < ARRAYS_MAX ? count : ARRAYS_MAX;
    for (size_t i = 0; i < part_count; i++) {
        uint64_t from = (uint64_t)(uintptr_t)arrays[i].address;
        parts[i] =
            (struct array_part){from, from + arrays[i].bytes, (uint8_t)i, arrays[i].input != 0, arrays[i].output != 0};
    }
    atomic_store(&on, true);
    pthread_mutex_unlock(&lock);
}

size_t arrays_counted(struct emulatorArrayCounters *out, size_t most) {
    pthread_mutex_lock(&lock);
    size_t count = part_count + ARRAYS_END - ARRAYS_MAX;
    for (size_t i = 0; i < count && i < most; i++)
        out[i] = counted[i < part_count ? i : ARRAYS_MAX + i - part_count];
    pthread_mutex_unlock(&lock);
    return count;
}

void arrays_host_bytes(struct emulatorHostBytes *out, size_t size) {
    pthread_mutex_lock(&lock);
    memcpy(out, &host, size < sizeof host ? size : sizeof host);
    pthread_mutex_unlock(&lock);
}
