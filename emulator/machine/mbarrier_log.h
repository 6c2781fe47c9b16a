/* The history of a cluster's mbarriers, to explain why one of them never completes its phase. */
#ifndef MBARRIER_LOG_H
#define MBARRIER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct insn;
struct warp;

#define MBARRIER_LOG_SIZE 32 /* the latest */

struct mbarrier_events {
    const uint64_t *object;
    const struct insn *init, *expect, *copy; /* the last of each; NULL: none */
    const struct insn *too_many; /* its arrival has ended a phase before a wait found the one before over; NULL: none */
    uint64_t expected, came;     /* bytes in this phase */
    uint32_t phases;             /* that are over */
    uint32_t unseen;             /* of these, since a wait has last found one over */
    uint64_t ahead;              /* bytes that have arrived and that no wait has made visible yet */
};

struct mbarrier_log {
    struct mbarrier_events events[MBARRIER_LOG_SIZE];
    uint32_t count;
    uint64_t bytes_ahead; /* the sum that COUNT_BULK_AHEAD takes over, see mbarrier_log_waited */
};

/* NULL: it is not known. */
struct mbarrier_events *mbarrier_events_of(const struct block *b, const uint64_t *object);
/* An mbarrier is initialized. */
void mbarrier_log_init(const struct block *b, const uint64_t *object, const struct insn *in);
/* Bytes are expected, or have arrived. */
void mbarrier_log_bytes(const struct block *b, const uint64_t *object, const struct insn *in, int64_t bytes);
void mbarrier_log_over(const struct block *b, const uint64_t *object);
/* An arrival has ended a phase. True if it is the first one here that did so although no wait has found the phase
 * before over. */
bool mbarrier_log_too_many(const struct block *b, const uint64_t *object, const struct insn *in);
/* A wait has found the phase over. If it is the first one since bytes arrived there, then to bytes_ahead are added, for
 * each KiB of them, the bytes that bulk copies have been issued to bring to other mbarriers and that no wait has made
 * visible yet: of the whole cluster, for each block. */
void mbarrier_log_waited(const struct block *b, const uint64_t *object);

/* The progress of the phase that the warp waits for. */
enum mbarrier_progress { MBARRIER_NOTHING, MBARRIER_SOME_ARRIVALS, MBARRIER_WRONG_BYTES };
enum mbarrier_progress mbarrier_progress(const struct warp *w);

/* Reports what the mbarrier lacks whose unfinished phase the warp waits for, and what to look for. */
void mbarrier_explain(const struct warp *w, char *out, size_t size);

#endif
