/* Bitmaps of written bytes, and the chunks of shadow memory, made when they are first needed. */
#include "check/allocation_watch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/checks.h"
#include "base/host_frame.h"
#include "check/managed_watch.h"
#include "check/unused.h"

/* Zeros that cost nothing until they are touched, and can be given back. In large pages where there is much: a walk
 * down a column reaches another small page with each lane, and the host's TLB covers a few thousand of these. */
static void *reserve(size_t bytes) {
    enum { MUCH = 4 << 20 };
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED && bytes >= MUCH)
        madvise(p, bytes, MADV_HUGEPAGE);
    return p == MAP_FAILED ? NULL : p;
}

static size_t written_bytes(const struct allocation *a) {
    return a->size / 8 + 16;
}

static uint64_t chunk_count(const struct allocation *a) {
    return (a->size >> CHUNK_SHIFT) + 2;
}

struct allocation_watch *allocation_watch_new(const struct allocation *a) {
    if (!checks_on() || a->kind == MEMORY_CONSTANT)
        return NULL;
    struct allocation_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    if (check_is_on(CHECK_INIT) && a->kind == MEMORY_DEVICE && !a->name)
        w->written = reserve(written_bytes(a));
    w->made_at = a->name ? 0 : host_frame_caller();
    return w;
}

static void chunks_drop(const struct allocation *a, struct race_chunk *chunks) {
    for (uint64_t i = 0; i < chunk_count(a); i++)
        if (chunk_is_used(&chunks[i]))
            chunk_drop(&chunks[i]);
    munmap(chunks, chunk_count(a) * sizeof *chunks);
}

static pthread_rwlock_t holding = PTHREAD_RWLOCK_INITIALIZER;

void allocation_hold_chunks(void) {
    pthread_rwlock_rdlock(&holding);
}

void allocation_let_chunks_go(void) {
    pthread_rwlock_unlock(&holding);
}

/* No kernel and no copy accesses it any more: cudaFree waits for the device, and cudaFreeAsync for its stream. But a
 * launch in another stream may be checking which copies it could race with. */
void allocation_watch_freed(struct allocation *a) {
    struct allocation_watch *w = a->watch;
    pthread_rwlock_wrlock(&holding);
    struct race_chunk *chunks = atomic_exchange(&w->chunks, NULL);
    if (chunks)
        chunks_drop(a, chunks);
    pthread_rwlock_unlock(&holding);
    report_unused(a);
    if (w->written)
        munmap(w->written, written_bytes(a));
    w->written = NULL;
    if (a->kind == MEMORY_MANAGED)
        managed_close(a);
    w->freed_at = host_frame_caller();
}

/* ---- written bytes ---- */

static void set_bits(_Atomic uint64_t *word, uint64_t bits) {
    if ((atomic_load_explicit(word, memory_order_relaxed) & bits) != bits)
        atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
}

/* The bits of word i that belong to bytes [at, end). */
static uint64_t word_bits(uint64_t i, uint64_t at, uint64_t end) {
    uint64_t first = i * 64, bits = ~(uint64_t)0;
    if (at > first)
        bits &= ~(uint64_t)0 << (at - first);
    if (end < first + 64)
        bits &= ~(uint64_t)0 >> (first + 64 - end);
    return bits;
}

void allocation_written(const struct allocation *a, uint64_t address, uint64_t bytes) {
    struct allocation_watch *w = a ? a->watch : NULL;
    if (!w || !w->written || !bytes)
        return;
    uint64_t at = address - a->base, end = at + bytes;
    for (uint64_t i = at / 64; i <= (end - 1) / 64; i++)
        set_bits((_Atomic uint64_t *)&w->written[i], word_bits(i, at, end));
}

void allocation_rows(const struct allocation *a, uint64_t pitch, uint64_t width) {
    if (!a || !a->watch)
        return;
    a->watch->pitch = pitch;
    a->watch->width = width;
}

bool allocation_find_unwritten(const struct allocation *a, uint64_t address, uint64_t bytes, uint64_t *where) {
    const struct allocation_watch *w = a ? a->watch : NULL;
    if (!w || !w->written || !bytes)
        return false;
    uint64_t at = address - a->base, end = at + bytes;
    for (uint64_t i = at / 64; i <= (end - 1) / 64; i++) {
        uint64_t bits = word_bits(i, at, end), set = __atomic_load_n(&w->written[i], __ATOMIC_RELAXED);
        if ((set & bits) == bits)
            continue;
        *where = a->base + i * 64 + (uint64_t)__builtin_ctzll(bits & ~set);
        return true;
    }
    return false;
}

static bool is_written(const struct allocation *a, uint64_t at) {
    return a->watch->written[(at - a->base) / 64] >> (at - a->base) % 64 & 1;
}

#define MOST_ALIGNED 16 /* bytes: the strictest alignment of a structure's member */

/* A compiler leaves a hole of n bytes only before what is aligned to more than n, or at a structure's end. */
static bool is_hole(const struct allocation *a, uint64_t at, uint64_t to) {
    uint64_t align = 2;
    while (align <= to - at)
        align *= 2;
    return align <= MOST_ALIGNED && to % align == 0 && at > a->base && is_written(a, at - 1);
}

/* The end of the unwritten bytes that begin at `at`. */
static uint64_t run_end(const struct allocation *a, uint64_t at, uint64_t end) {
    while (at < end && !is_written(a, at)) {
        bool whole = (at - a->base) % 64 == 0 && !a->watch->written[(at - a->base) / 64];
        at += whole ? 64 : 1;
    }
    return at < end ? at : end;
}

uint64_t allocation_unwritten_range(const struct allocation *a, uint64_t *at, uint64_t end) {
    const struct allocation_watch *w = a ? a->watch : NULL;
    for (uint64_t to; w && *at < end && allocation_find_unwritten(a, *at, end - *at, at); *at = to) {
        uint64_t column = w->pitch ? (*at - a->base) % w->pitch : 0, row_end = *at + (w->width - column);
        if (w->pitch && column >= w->width) {
            to = *at + (w->pitch - column);
            continue;
        }
        to = run_end(a, *at, w->pitch && row_end < end ? row_end : end);
        if (!is_hole(a, *at, to))
            return to - *at;
    }
    return 0;
}

void allocation_unwrite(const struct allocation *a, uint64_t address) {
    uint64_t at = address - a->base;
    if (!a->watch || !a->watch->written)
        return;
    __atomic_fetch_and(&a->watch->written[at / 64], ~((uint64_t)1 << at % 64), __ATOMIC_RELAXED);
}

void allocation_renewed(const struct allocation *a, uint64_t address, uint64_t bytes) {
    if (a->watch && a->watch->written)
        memset((uint8_t *)a->watch->written + (address - a->base) / 8, 0, bytes / 8);
}

void allocation_copied(const struct allocation *to, uint64_t to_address, const struct allocation *from,
                       uint64_t from_address, uint64_t bytes) {
    uint64_t where, end = from_address + bytes;
    allocation_written(to, to_address, bytes);
    if (!to || !to->watch || !to->watch->written)
        return;
    for (uint64_t at = from_address; allocation_find_unwritten(from, at, end - at, &where); at = where + 1)
        allocation_unwrite(to, to_address + (where - from_address));
}

/* ---- shadow words ---- */

struct race_chunk *allocation_chunks(const struct allocation *a) {
    struct race_chunk *chunks = atomic_load_explicit(&a->watch->chunks, memory_order_acquire), *none = NULL;
    if (chunks)
        return chunks;
    chunks = reserve(chunk_count(a) * sizeof *chunks);
    if (chunks && !atomic_compare_exchange_strong(&a->watch->chunks, &none, chunks)) {
        munmap(chunks, chunk_count(a) * sizeof *chunks);
        chunks = none;
    }
    return chunks;
}

static void keep_values(struct race_chunk *c, const struct chunk_visitor *v) {
    if (!chunk_is_used(c))
        return;
    chunk_lock(c);
    chunk_take_values(c, v);
    chunk_close(c);
}

void allocation_keep_values(const struct allocation *a, uint64_t address, uint64_t bytes, uint32_t floor) {
    struct race_chunk *chunks = atomic_load_explicit(&a->watch->chunks, memory_order_acquire);
    uint64_t first = address - a->base, end = bytes < a->size - first ? first + bytes : a->size;
    for (uint64_t i = first >> CHUNK_SHIFT; chunks && i <= (end - 1) >> CHUNK_SHIFT; i++)
        keep_values(&chunks[i], &(struct chunk_visitor){.floor = floor, .memory = a->host + (i << CHUNK_SHIFT)});
}
