/* See shadow_pool.h. Pieces are cut from large pages of the host, and kept for the next request of that size. A warp
 * that walks down a column reaches another piece with each lane; with small pages, of which the host's TLB covers a few
 * thousand, TLB misses would cost more than everything else. */
#include "check/shadow_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/space.h"

#define MEMORY_SHARE 4 /* races are looked for with at most this part of the machine's memory */
#define LINE         64
#define SIZES        128 /* in lines: larger pieces are not kept */
#define LARGE_PAGE   ((size_t)2 << 20)
#define FIRST_SLAB   ((size_t)256 << 10)
#define MOST_SLAB    (8 * LARGE_PAGE)

static _Atomic uint64_t used; /* bytes of slabs, and of pieces that are in none */

struct piece {
    struct piece *next;
};

static struct {
    pthread_mutex_t lock;
    struct piece *free[SIZES]; /* by lines */
    uint8_t *next, *end;       /* of the slab that pieces are cut from: zeros */
    size_t slab;               /* its bytes */
} store = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t limit(void) {
    static _Atomic uint64_t limit;
    uint64_t known = atomic_load(&limit);
    if (!known)
        atomic_store(&limit, known = space_machine_memory() / MEMORY_SHARE);
    return known;
}

/* Each is twice as large as the one before; the rest of that one is lost. */
static uint8_t *make_slab(void) {
    size_t bytes = store.slab ? 2 * store.slab : FIRST_SLAB;
    bytes = bytes < MOST_SLAB ? bytes : MOST_SLAB;
    size_t align = bytes < LARGE_PAGE ? LINE : LARGE_PAGE;
    if (atomic_load(&used) + bytes > limit())
        return NULL;
    uint8_t *p = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    p += (align - (uintptr_t)p % align) % align;
    if (align == LARGE_PAGE)
        madvise(p, bytes, MADV_HUGEPAGE);
    store.next = p;
    store.end = p + bytes;
    store.slab = bytes;
    atomic_fetch_add(&used, bytes);
    return p;
}

/* store.lock is held. *zeros: the piece is new. */
static void *cut(size_t lines, bool *zeros) {
    struct piece *p = store.free[lines];
    *zeros = !p;
    if (p) {
        store.free[lines] = p->next;
        return p;
    }
    if ((size_t)(store.end - store.next) < lines * LINE && !make_slab())
        return NULL;
    store.next += lines * LINE;
    return store.next - lines * LINE;
}

/* Address sanitizers see where each piece ends only if malloc made it. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
static bool is_kept(size_t lines) {
    return lines < SIZES && !SANITIZED;
}

static void *take_apart(size_t bytes) {
    void *p = atomic_load(&used) + bytes > limit() ? NULL : aligned_alloc(LINE, bytes);
    if (p)
        atomic_fetch_add(&used, bytes);
    return p;
}

void *shadow_pool_take(size_t bytes) {
    size_t lines = (bytes + LINE - 1) / LINE;
    bool zeros = false;
    void *p;
    if (is_kept(lines)) {
        pthread_mutex_lock(&store.lock);
        p = cut(lines, &zeros);
        pthread_mutex_unlock(&store.lock);
    } else {
        p = take_apart(lines * LINE);
    }
    return p && !zeros ? memset(p, 0, bytes) : p;
}

void shadow_pool_give(void *p, size_t bytes) {
    size_t lines = (bytes + LINE - 1) / LINE;
    if (!p)
        return;
    if (!is_kept(lines)) {
        atomic_fetch_sub(&used, lines * LINE);
        free(p);
        return;
    }
    pthread_mutex_lock(&store.lock);
    ((struct piece *)p)->next = store.free[lines];
    store.free[lines] = p;
    pthread_mutex_unlock(&store.lock);
}
