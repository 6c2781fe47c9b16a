/* A byte for each byte of memory records its author; what the host stored into memory of both sides is found by its
 * value. */
#include "check/authors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/out_of_memory.h"
#include "check/arrays.h"
#include "check/launch_log.h"
#include "machine/grid.h"
#include "machine/kernel.h"
#include "memory/memory.h"

static _Atomic bool on;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static unsigned running;                                 /* launches */

bool authors_wanted(void) {
    return atomic_load_explicit(&on, memory_order_relaxed);
}

/* Memory that the host can store to. */
static bool is_shared(const struct allocation *a) {
    return a->kind == MEMORY_MANAGED || a->kind == MEMORY_PINNED || a->kind == MEMORY_REGISTERED;
}

/* Of memory that is shared: what its bytes were when the last kernel had ended. */
static uint8_t *values(const struct allocation *a) {
    return a->authors + a->size;
}

static uint64_t bytes_of_authors(const struct allocation *a) {
    return is_shared(a) ? 2 * a->size : a->size;
}

static void open_now(struct allocation *a) {
    void *fresh = a->authors ? a->authors : NULL;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (fresh ? MAP_FIXED : 0);
    if (!a->size)
        return;
    /* Zeros are AUTHOR_NOBODY. Mapped anew over the old table, which forgets all without touching its pages. */
    fresh = mmap(fresh, bytes_of_authors(a), PROT_READ | PROT_WRITE, flags, -1, 0);
    if (fresh == MAP_FAILED)
        out_of_memory();
    a->authors = fresh;
    a->guarded = true;
}

void authors_open(struct allocation *a) {
    if (authors_wanted())
        open_now(a);
}

/* ---- kernels ---- */

static void remember_values(const struct allocation *a, void *unused) {
    (void)unused;
    if (!a->authors || !is_shared(a))
        return;
    uint8_t *at = a->authors, *end = at + a->size;
    /* Each byte that a kernel has written keeps its value: if memory holds another one later, the host has stored
     * it. */
    while ((at = memchr(at, AUTHOR_KERNEL, (size_t)(end - at))) != NULL) {
        *at = AUTHOR_KERNEL_ENDED;
        values(a)[at - a->authors] = a->host[at - a->authors];
        at++;
    }
}

void authors_launch_begins(const struct launch *l) {
    if (!authors_wanted())
        return;
    pthread_mutex_lock(&lock);
    running++;
    launch_log_add(l);
    arrays_launched(l);
    pthread_mutex_unlock(&lock);
}

static uint8_t author_of(const struct allocation *a, uint64_t offset);

/* The bytes in that part of the host's memory that no kernel has written; `most` are enough. */
static uint64_t bytes_of_host(uint64_t from, uint64_t most) {
    const struct allocation *a = memory_find(from);
    struct array_part part = arrays_find(from);
    uint64_t bytes = 0;
    if (!a || !a->authors || !is_shared(a))
        return most;
    for (uint64_t at = part.from; at < part.to && bytes < most; at++)
        bytes += author_of(a, at - a->base) != AUTHOR_KERNEL;
    return bytes;
}

/* The host memory that a kernel reads may have been written by another kernel. How much of it the host can have written
 * is known. */
static void note_read_there(struct launch_loads loads) {
    for (int i = 0; i < HOST_PARTS && loads.loaded[i].bytes; i++)
        arrays_read_there(bytes_of_host(loads.loaded[i].from, loads.loaded[i].bytes));
}

/* While another kernel runs it may be about to store where it has left its mark already. */
void authors_launch_ended(const struct launch *l) {
    if (!authors_wanted())
        return;
    pthread_mutex_lock(&lock);
    note_read_there(launch_log_loads(l->id));
    if (running && --running == 0)
        memory_each_live(remember_values, NULL);
    pthread_mutex_unlock(&lock);
}

/* ---- copies ---- */

static const struct allocation *with_authors(uint64_t address, uint64_t bytes) {
    const struct allocation *a = memory_find(address);
    return a && a->authors && memory_mapped_at(a, address, bytes) ? a : NULL;
}

/* The author of a byte in the table, as it stands now. */
static uint8_t author_of(const struct allocation *a, uint64_t offset) {
    uint8_t author = a->authors[offset];
    if (author == AUTHOR_KERNEL_ENDED)
        return values(a)[offset] == a->host[offset] ? AUTHOR_KERNEL : AUTHOR_NOBODY;
    return author;
}

void authors_copied(uint64_t to, uint64_t from, uint64_t bytes) {
    arrays_copied(to, from, bytes);
    const struct allocation *into = with_authors(to, bytes), *of = with_authors(from, bytes);
    if (!into || !bytes)
        return;
    uint8_t *at = into->authors + (to - into->base);
    if (!of) {
        memset(at, AUTHOR_COPY, bytes);
        return;
    }
    uint64_t first = from - of->base;
    if (!is_shared(of) && !is_shared(into)) {
        memmove(at, of->authors + first, bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++) {
        uint8_t author = author_of(of, first + i);
        /* A copy is not a kernel: the values that it writes to memory of both sides are noted at once. */
        bool ended = is_shared(into) && author == AUTHOR_KERNEL;
        at[i] = is_shared(of) && author != AUTHOR_KERNEL ? AUTHOR_COPY : ended ? AUTHOR_KERNEL_ENDED : author;
        if (ended)
            values(into)[to - into->base + i] = into->host[to - into->base + i];
    }
}

void authors_filled(uint64_t to, uint64_t bytes) {
    const struct allocation *into = with_authors(to, bytes);
    if (into)
        arrays_filled(bytes);
    if (into && bytes)
        memset(into->authors + (to - into->base), AUTHOR_MEMSET, bytes);
}

/* ---- what emulator.h offers ---- */

static void open_live(const struct allocation *a, void *unused) {
    (void)unused;
    open_now((struct allocation *)(uintptr_t)a);
}

void authors_start(void) {
    pthread_mutex_lock(&lock);
    atomic_store(&on, true);
    running = 0;
    launch_log_clear();
    memory_each_live(open_live, NULL);
    pthread_mutex_unlock(&lock);
}

size_t authors_not_by_kernels(uint64_t address, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        const struct allocation *a = with_authors(address + i, 1);
        if (!a || author_of(a, address + i - a->base) != AUTHOR_KERNEL)
            return i;
    }
    return bytes;
}

const char *authors_name(uint64_t address) {
    static const char *const names[] = {"nobody", "kernel", "kernel", "copy", "memset"};
    const struct allocation *a = with_authors(address, 1);
    if (!a)
        return "nobody";
    uint8_t author = author_of(a, address - a->base);
    /* no author is known: the host has stored it, or it was there from the beginning */
    return is_shared(a) && author == AUTHOR_NOBODY ? "host" : names[author];
}
