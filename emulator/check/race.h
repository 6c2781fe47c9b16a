/* The rules of racecheck: which two accesses race, and what a shadow word remembers of an access. They are written
 * once, for shared and for global memory. race_shared.c and race_global.c apply them to the shadow words that a lane's
 * access touches; this is the slow path, which is always right. The part that the fast paths decide themselves is in
 * epoch.h. */
#ifndef RACE_H
#define RACE_H

#include "check/lane_access.h"

/* An access by one lane. */
struct race {
    struct block_watch *b;
    const struct lane_access *access; /* NULL: a read from the log, which conflicts with nothing */
    struct full_record record;
    bool shared;   /* in shared memory: all records are of this launch */
    uint64_t word; /* of shared memory: the number of its shadow word */
    bool write;
    /* Did the recorded write leave what this access writes? Then the two do no harm. */
    bool (*same_value)(const struct race *now, const struct full_record *old, enum shadow_slot slot);
};

/* Does a recorded access, a write or a read, happen before this one? Decided by order.h; in global memory, for other
 * launches, by stream_order.h. */
bool race_happens_before(const struct race *now, const struct full_record *old, bool old_write);

/* Compares the access with a shadow word's records, notes a hazard if it races with one of them, and records it. quiet:
 * notes nothing, because one hazard for an access is enough. True when a hazard was noted, or `quiet`. */
bool race_with_word(const struct race *now, struct shadow_word *word, bool quiet);
/* Records a read. */
void race_remember_read(const struct race *now, struct full_record reads[2]);

/* For a hazard: the thread that made the recorded access, of launch `l`, which has that serial number, or of an earlier
 * one that is still known. */
void race_fill_submissions(struct hazard *h, uint32_t serial, uint32_t serial_then);
void race_fill_then(struct hazard *h, const struct launch *l, uint32_t serial, const struct full_record *old);

#endif
