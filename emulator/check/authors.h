/* The author of each byte of memory, and which kernels were launched: for graders, from emulatorAuthorsStart on.
 *
 * An allocation has a byte for each of its bytes then. Kernels' stores leave their mark in memory_store_at(), through
 * which all of them go; copies and fills do when they are done. The host's stores into memory of both sides cannot be
 * observed: there, the values that kernels left are recorded when the last kernel has ended, and a byte whose value has
 * changed since is the host's. */
#ifndef AUTHORS_H
#define AUTHORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory.h"

enum author {
    AUTHOR_NOBODY,
    /* 1: AUTHOR_KERNEL */
    AUTHOR_KERNEL_ENDED = 2, /* a kernel's, and its value is remembered */
    AUTHOR_COPY,
    AUTHOR_MEMSET,
};

/* A new allocation, whose bytes have no author. */
void authors_open(struct allocation *a);

struct launch;
void authors_launch_begins(const struct launch *l);
void authors_launch_ended(const struct launch *l);

/* One row of a copy or a fill is done; from 0: the host's memory, which may also be passed for memory that is not the
 * device's. */
bool authors_wanted(void);
void authors_copied(uint64_t to, uint64_t from, uint64_t bytes);
void authors_filled(uint64_t to, uint64_t bytes);

/* What emulator.h offers, when the device is idle. */
void authors_start(void);
size_t authors_not_by_kernels(uint64_t address, size_t bytes);
const char *authors_name(uint64_t address);

#endif
