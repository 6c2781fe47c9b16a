/* What the checks remember of an allocation: which bytes are written, the records of accesses, and where it was made
 * and freed. */
#ifndef ALLOCATION_WATCH_H
#define ALLOCATION_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "check/shadow_memory.h"
#include "memory/memory.h"

struct allocation_watch {
    uint64_t *written;     /* a bit per byte; NULL: all of it counts as written */
    uint64_t pitch, width; /* rows of `width` bytes that begin every `pitch` bytes: the gaps are unused; or 0 */
    struct race_chunk *_Atomic chunks; /* made at the first access */
    uintptr_t made_at, freed_at;       /* instructions of the program; 0: unknown */
    struct part_copied {
        const char *function; /* NULL: there was none */
        uint64_t width, height, pitch;
    } part; /* the last copy from the host into only a part of each row, or of the whole */
};

/* With the lock of memory/ held; NULL when no check is on. */
struct allocation_watch *allocation_watch_new(const struct allocation *a);
void allocation_watch_freed(struct allocation *a);
/* Until they are released, no allocation loses its chunks: for code that reads those of memory that another stream may
 * free at that moment. */
void allocation_hold_chunks(void);
void allocation_let_chunks_go(void);

/* Bytes of device memory were written or read by something other than a kernel's loads and stores. */
void allocation_written(const struct allocation *a, uint64_t address, uint64_t bytes);
/* Whole pages hold other memory now, which has not been written. */
void allocation_renewed(const struct allocation *a, uint64_t address, uint64_t bytes);
/* The value stored in this byte is undefined: it counts as unwritten again. */
void allocation_unwrite(const struct allocation *a, uint64_t address);
/* Of each `pitch` bytes only the first `width` are meant to be used. */
void allocation_rows(const struct allocation *a, uint64_t pitch, uint64_t width);
/* The first unwritten byte of a range; false when there is none. */
bool allocation_find_unwritten(const struct allocation *a, uint64_t address, uint64_t bytes, uint64_t *where);
/* The first contiguous unwritten bytes in [*at, end) that are neither a hole in a structure nor the rest of a row: sets
 * *at, returns the length. */
uint64_t allocation_unwritten_range(const struct allocation *a, uint64_t *at, uint64_t end);
/* The bytes at `to` are now as written as those at `from`; either may be NULL: the host's. */
void allocation_copied(const struct allocation *to, uint64_t to_address, const struct allocation *from,
                       uint64_t from_address, uint64_t bytes);

/* Have all bytes of a range been written? For an address in an allocation with a watch. */
static inline bool allocation_is_written(const struct allocation *a, uint64_t address, uint64_t bytes) {
    const uint64_t *word = a->watch->written;
    uint64_t at = address - a->base, none = 0;
    if (!word)
        return true;
    word += at / 64;
    if (at % 64 + bytes <= 64)
        return !(~*word >> at % 64 << (64 - bytes));
    if (at % 64) {
        none = ~*word++ >> at % 64;
        bytes -= 64 - at % 64;
    }
    for (; bytes >= 64; bytes -= 64)
        none |= ~*word++;
    return !none && !(bytes && ~*word << (64 - bytes));
}

/* Marks a range as written, if it is already or consists of whole bitmap words. False: neither, and nothing is done. */
static inline bool allocation_set_written(const struct allocation *a, uint64_t address, uint64_t bytes) {
    uint64_t at = address - a->base;
    if (allocation_is_written(a, address, bytes))
        return true;
    for (uint64_t i = at / 64; (at | bytes) % 64 == 0 && i < (at + bytes) / 64; i++)
        __atomic_store_n(&a->watch->written[i], ~(uint64_t)0, __ATOMIC_RELAXED);
    return (at | bytes) % 64 == 0;
}

/* Do values stay what a kernel has stored until a kernel, a copy or an atomic stores something else? The host may
 * write to its own memory at any time. */
static inline bool allocation_keeps_values(const struct allocation *a) {
    return !a->read_only && !a->mappings && a->kind != MEMORY_PINNED && a->kind != MEMORY_REGISTERED;
}

/* Memory is about to change: copies the values that kernels have written, except those that no access to come can
 * race with. */
void allocation_keep_values(const struct allocation *a, uint64_t address, uint64_t bytes, uint32_t floor);

/* The chunk of an address; NULL when memory for the checks is used up. */
struct race_chunk *allocation_chunks(const struct allocation *a);
static inline struct race_chunk *allocation_chunk(const struct allocation *a, uint64_t address) {
    struct race_chunk *chunks = a->watch ? atomic_load_explicit(&a->watch->chunks, memory_order_acquire) : NULL;
    if (!chunks && (!a->watch || !(chunks = allocation_chunks(a))))
        return NULL;
    return &chunks[(address - a->base) >> CHUNK_SHIFT];
}

#endif
