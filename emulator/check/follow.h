/* Follows undefined values: those read from memory that was never written, or by a shuffle from a lane that does not
 * take part.
 *
 * Such a value may be copied and computed with; only a use is reported: it decides a branch, is an address, or is
 * stored as a result. From the first such value on until its registers have none any more, a warp is followed: it is
 * interpreted, and has a shadow frame of the same layout beside its own, with a byte for each byte of the registers: 0,
 * or where its undefined value came from. */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "check/block_watch.h"

/* A byte of a followed frame: the number of the origin, and whether something was computed, or the very bytes were
 * only copied. */
#define ORIGIN_NUMBER 0x3f
#define COMPUTED      0x40
#define ORIGINS       63

/* Where undefined values of a warp came from: one instruction, in some of its lanes. */
struct origin {
    const struct insn *in;
    const struct allocation *allocation;
    uint32_t warp, lanes, reported;
    uint8_t space;  /* enum ptx_space of the memory that was read, or ... */
    bool shuffle;   /* it is a shuffle */
    uint32_t bytes; /* that were read */
    uint64_t address[WARP_SIZE];
    uint8_t asked[WARP_SIZE]; /* the lane that a shuffle read from */
    uint8_t rank[WARP_SIZE];  /* of the block whose shared memory was read */
};

/* Predicates have a bit for each lane in the frame; where they came from is remembered for the last few that were
 * made. */
#define PREDICATES 64

struct follow {
    struct origin origins[ORIGINS + 1];
    unsigned count;
    uint8_t *registers[MAX_WARPS]; /* what becomes a warp's shadow */
    uint8_t (*predicates[MAX_WARPS])[WARP_SIZE];
    uint8_t *shared,
        *local; /* of bytes that count as unwritten because what was stored there is undefined: as in registers */
};

/* What an instruction does with an undefined value. */
enum use {
    USE_NONE,
    USE_BRANCH,
    USE_PREDICATE,
    USE_ADDRESS,
    USE_ATOMIC,
    USE_LANE,
    USE_STORED,
    USE_ARGUMENT,
    USE_VOTE,
};

static inline struct follow *follow_of(const struct warp *w) {
    return w->block->watch ? w->block->watch->follow : NULL;
}
static inline bool follow_is_on(const struct warp *w) {
    return w->shadow;
}
/* The warp's shadow frame; NULL: it is not followed. */
static inline uint8_t *follow_registers(const struct warp *w) {
    return w->shadow;
}

/* check/follow.c */
struct follow *follow_begin(struct warp *w);
void follow_block_start(struct block_watch *b);
void follow_free(struct block_watch *b);
/* Ends it where nothing in the registers is undefined any more. */
void follow_end(struct warp *w);
/* Replaces the dispatch loop: executes the instructions and follows their effects. */
void follow_run(struct warp *w, const struct insn *in);

/* A lane loads bytes of which those in `missing` are unwritten. */
void follow_load(const struct lane_access *la, enum ptx_space space, uint64_t missing);
/* A lane prints the contents of its local memory. */
void follow_printed(const struct warp *w, const struct insn *in, int lane, uint64_t address, size_t bytes);
/* A new origin, or that of the same instruction and warp. */
uint8_t follow_origin(struct follow *f, const struct warp *w, const struct insn *in, const struct origin *new);

/* check/follow_registers.c: the contents of the shadow frame. A width of 0 bytes: a predicate. */
uint32_t follow_undefined(const struct warp *w, uint32_t slot, unsigned bytes, uint32_t lanes);
uint8_t follow_byte(const struct warp *w, uint32_t slot, unsigned bytes, int lane); /* the first that is not 0 */
void follow_define(const struct warp *w, uint32_t slot, unsigned bytes, uint32_t lanes);
void follow_set(const struct warp *w, uint32_t slot, unsigned bytes, int lane, uint8_t origin);

/* check/follow_results.c: of an instruction that only computes. */
void follow_results(struct warp *w, const struct insn *in);

/* check/follow_uses.c: uses, reported when the launch has ended. */
void follow_use(const struct warp *w, const struct insn *in, int lane, uint8_t origin, enum use use);
/* A use of a register, in all lanes in which it is undefined. */
void follow_use_register(const struct warp *w, const struct insn *in, uint32_t slot, unsigned bytes, enum use use);
const char *follow_use_words(enum use use);

/* check/follow_lanes.c: called by handlers in which lanes read each other's values. They do nothing if the warp is not
 * followed. */
/* Lane l reads from lane source[l]; `answered` has the lanes whose result is defined by that. */
void follow_shuffle(struct warp *w, const struct insn *in, const uint8_t source[WARP_SIZE], uint32_t answered);
/* The lanes whose votes, operand `value`, are undefined; then the effect of these on the results. */
uint32_t follow_voters(const struct warp *w, const struct insn *in, unsigned value, unsigned mask);
void follow_verdict(const struct warp *w, const struct insn *in, uint32_t voters, uint32_t changed);
void follow_ballot(const struct warp *w, const struct insn *in, uint32_t voters);
/* The result of each lane depends on operand `value` of all that its mask names. */
void follow_gather(const struct warp *w, const struct insn *in, unsigned value, unsigned bytes, unsigned mask);

#endif
