/* The accesses of a worker's warps to the watched arrays (check/arrays.h). */
#ifndef ARRAY_COUNTS_H
#define ARRAY_COUNTS_H

#include "check/arrays.h"
#include "check/launch_log.h"
#include "emulator.h"
#include "machine/access.h"
#include "machine/grid.h"
#include "profile/patterns.h"

struct array_counts {
    struct emulatorArrayCounters of[ARRAYS_END];
    struct launch_counts launch;
};

/* One request: `kind` is that of its access. */
struct array_request {
    const struct warp *w;
    enum access_kind kind;
    bool polls; /* a volatile, relaxed or acquire load */
};

/* All of it is in this part. */
void array_counts_add(struct array_counts *c, const struct array_request *r, const struct array_part *part,
                      uint32_t lanes, unsigned bytes, unsigned sectors);
/* It may be in several; *part becomes one of them. */
void array_counts_split(struct array_counts *c, const struct array_request *r, struct array_part *part,
                        const uint64_t addresses[WARP_SIZE], uint32_t lanes, unsigned bytes, unsigned sectors);

/* A contiguous part of a bulk copy. */
void array_counts_bulk(struct array_counts *c, const struct warp *w, bool stores, uint64_t address, uint64_t bytes);

/* A request for texels. */
enum array_sectors { ARRAY_TEXTURE, ARRAY_SURFACE_LOAD, ARRAY_SURFACE_STORE };
void array_counts_sectors(struct array_counts *c, const struct warp *w, uint32_t lanes, enum array_sectors kind,
                          const uint64_t *sectors, unsigned count);

/* The block has ended. */
void array_counts_block(struct array_counts *c, const struct block *b);

#endif
