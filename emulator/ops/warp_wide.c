/* Instructions in which the lanes of a warp exchange values: shfl, vote, match, redux, elect, activemask. */
#include "ops/warp_wide.h"

#include <string.h>

#include "base/checks.h"
#include "machine/observer.h"
#include "ops/lanes.h"
#include "ops/joint_sync.h"

/* The lanes that an instruction's member masks (operand k, per lane) name, together. Reports a lane that leaves
 * itself out. 0 after a fault. */
static uint32_t members(struct warp *w, const struct insn *in, unsigned k) {
    const uint32_t *mask = REG(uint32_t, k);
    uint32_t all = 0, strangers = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask)) {
            all |= mask[l];
            strangers |= (~mask[l] >> l & 1) << l;
        }
    if (strangers) {
        report_insn(w, in, FINDING_LOST_LANE, strangers, "Barrier error detected. Invalid arguments.",
                    "A thread executes a *_sync function whose mask does not name it: its own bit must be set "
                    "(0xffffffff when the whole warp takes part).");
        warp_fault(w, 719);
        return 0;
    }
    return all;
}

static bool all_give_the_same(const uint32_t *mask, uint32_t lanes) {
    uint32_t different = 0, first = mask[first_lane(lanes)];
    for (int l = 0; l < WARP_SIZE; l++)
        different |= LANE_ON(lanes) ? mask[l] ^ first : 0;
    return !different;
}

/* The lanes that a mask names must give the same one. A GPU may accept it: only synccheck checks it. */
static void check_masks(const struct warp *w, const struct insn *in, unsigned k) {
    const uint32_t *mask = REG(uint32_t, k);
    uint32_t wrong = 0;
    if (!w->block->watch || !check_is_on(CHECK_SYNC) || all_give_the_same(mask, w->mask))
        return;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        for (uint32_t named = mask[l] & w->mask; named; named &= named - 1)
            wrong |= ((mask[first_lane(named)] ^ mask[l]) & w->live) != 0 ? 1u << l : 0;
    }
    if (wrong)
        report_insn(w, in, FINDING_LOST_LANE, wrong, "Barrier error detected. Invalid arguments.",
                    "Threads execute a *_sync function together, and the mask of one names another that passes a "
                    "different mask: all participating threads have to pass the same mask.");
}

/* Leaves the operation unless all members are here. */
#define SYNC(k)                                                                                                        \
    do {                                                                                                               \
        const struct insn *elsewhere;                                                                                  \
        uint32_t named = members(w, in, k);                                                                            \
        if (!named)                                                                                                    \
            return NULL;                                                                                               \
        uint32_t all = named & w->live & ~w->mask ? joint_lanes(w, in, k) : 0;                                         \
        if (all)                                                                                                       \
            return joint_execute(w, in, all);                                                                          \
        if (!warp_sync_ready(w, in, named, &elsewhere))                                                                \
            return elsewhere;                                                                                          \
        check_masks(w, in, k);                                                                                         \
        if (w->block->watch)                                                                                           \
            observer.sync_executes(w, in, named);                                                                      \
    } while (0)

/* ---- shfl ---- */

enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };

/* The lane that lane l reads, and whether it is in its segment (PTX ISA, shfl). */
static bool shfl_source(unsigned kind, unsigned l, uint32_t b, uint32_t c, uint8_t *source) {
    unsigned segment = c >> 8 & 31, clamp = c & 31;
    unsigned max_lane = (l & segment) | (clamp & ~segment), min_lane = l & segment;
    int from = 0;
    bool inside = false;
    b &= 31;
    switch (kind) {
    case SHFL_UP:
        from = (int)l - (int)b;
        inside = from >= (int)max_lane;
        break;
    case SHFL_DOWN:
        from = (int)(l + b);
        inside = from <= (int)max_lane;
        break;
    case SHFL_BFLY:
        from = (int)(l ^ b);
        inside = from <= (int)max_lane;
        break;
    case SHFL_IDX:
        from = (int)(min_lane | (b & ~segment & 31));
        inside = from <= (int)max_lane;
        break;
    }
    *source = (uint8_t)(inside ? (unsigned)from : l);
    return inside;
}

/* A shuffle's result from a lane that does not execute it (it has exited, or is elsewhere) is undefined. An H200
 * returns 0, and so does this: programs rely on it. */
#define NOBODYS_VALUE 0u

/* op: d, p, a, b, c, membermask */
static const struct insn *op_shfl(struct warp *w, const struct insn *in) {
    SYNC(5);
    uint32_t a[WARP_SIZE], inside = 0, answered = 0;
    uint8_t source[WARP_SIZE] = {0};
    const uint32_t *b = REG(uint32_t, 3), *c = REG(uint32_t, 4), *named = REG(uint32_t, 5);
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!LANE_ON(w->mask))
            continue;
        inside |= (uint32_t)shfl_source(in->kind, l, b[l], c[l], &source[l]) << l;
        answered |= ((w->mask & named[l]) >> source[l] & 1) << l;
    }
    if (w->block->watch)
        observer.shuffle(w, in, source, answered);
    memcpy(a, REG(uint32_t, 2), sizeof a);
    WRITE_LANES(uint32_t, w->mask >> source[l] & 1 ? a[source[l]] : NOBODYS_VALUE);
    WRITE_PRED(1, inside);
    return warp_hand_on(w, in + 1);
}

/* ---- vote ---- */

enum { VOTE_ALL, VOTE_ANY, VOTE_UNI };

/* op: d, p, membermask */
static const struct insn *op_vote_ballot(struct warp *w, const struct insn *in) {
    SYNC(2);
    const uint32_t *mask = REG(uint32_t, 2);
    uint32_t p = PRED(1) & w->mask;
    if (w->shadow)
        observer.ballot(w, in, observer.voters(w, in, 1, 2));
    WRITE_LANES(uint32_t, p & mask[l]);
    return in + 1;
}

static uint32_t verdict(const struct warp *w, const struct insn *in, uint32_t p) {
    const uint32_t *mask = REG(uint32_t, 2);
    uint32_t result = 0;
    for (int l = 0; l < WARP_SIZE; l++) {
        uint32_t who = mask[l] & w->mask, yes = p & who;
        bool holds = in->kind == VOTE_ALL ? yes == who : in->kind == VOTE_ANY ? yes != 0 : yes == 0 || yes == who;
        result |= (uint32_t)holds << l;
    }
    return result;
}

static const struct insn *op_vote(struct warp *w, const struct insn *in) {
    SYNC(2);
    uint32_t p = PRED(1), result = verdict(w, in, p), unknown = w->shadow ? observer.voters(w, in, 1, 2) : 0;
    if (w->shadow)
        observer.verdict(w, in, unknown, verdict(w, in, p | unknown) ^ verdict(w, in, p & ~unknown));
    WRITE_PRED(0, result);
    return in + 1;
}

static const struct insn *op_activemask(struct warp *w, const struct insn *in) {
    uint32_t here = w->mask;
    WRITE_LANES(uint32_t, here);
    return in + 1;
}

/* ---- match ---- */

static uint64_t value_of(const struct warp *w, uint32_t slot, unsigned bits, int l) {
    const void *at = w->regs + slot;
    return bits == 64 ? ((const uint64_t *)at)[l] : ((const uint32_t *)at)[l];
}

static uint32_t lanes_equal(const struct warp *w, uint32_t slot, unsigned bits, int l, uint32_t who) {
    uint32_t same = 0;
    for (int k = 0; k < WARP_SIZE; k++)
        if (who >> k & 1)
            same |= (uint32_t)(value_of(w, slot, bits, k) == value_of(w, slot, bits, l)) << k;
    return same;
}

/* op: d, a, membermask; kind: the bits of a */
static const struct insn *op_match_any(struct warp *w, const struct insn *in) {
    SYNC(2);
    uint32_t result[WARP_SIZE] = {0};
    const uint32_t *mask = REG(uint32_t, 2);
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask))
            result[l] = lanes_equal(w, in->op[1], in->kind, l, mask[l] & w->mask);
    if (w->shadow)
        observer.gather(w, in, 1, in->kind / 8, 2);
    WRITE_LANES(uint32_t, result[l]);
    return in + 1;
}

/* op: d, p, a, membermask */
static const struct insn *op_match_all(struct warp *w, const struct insn *in) {
    SYNC(3);
    uint32_t result[WARP_SIZE] = {0}, all = 0;
    const uint32_t *mask = REG(uint32_t, 3);
    for (int l = 0; l < WARP_SIZE; l++) {
        uint32_t who = mask[l] & w->mask;
        if (!LANE_ON(w->mask) || lanes_equal(w, in->op[2], in->kind, l, who) != who)
            continue;
        result[l] = who; /* the lanes of the mask that have not exited */
        all |= 1u << l;
    }
    if (w->shadow)
        observer.gather(w, in, 2, in->kind / 8, 3);
    WRITE_LANES(uint32_t, result[l]);
    WRITE_PRED(1, all);
    return in + 1;
}

/* ---- redux, elect ---- */

enum { REDUX_ADD, REDUX_MIN_S, REDUX_MAX_S, REDUX_MIN_U, REDUX_MAX_U, REDUX_AND, REDUX_OR, REDUX_XOR };

static uint32_t combine(unsigned kind, uint32_t a, uint32_t b) {
    switch (kind) {
    case REDUX_ADD:
        return a + b;
    case REDUX_MIN_S:
        return (int32_t)a < (int32_t)b ? a : b;
    case REDUX_MAX_S:
        return (int32_t)a > (int32_t)b ? a : b;
    case REDUX_MIN_U:
        return a < b ? a : b;
    case REDUX_MAX_U:
        return a > b ? a : b;
    case REDUX_AND:
        return a & b;
    case REDUX_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static const struct insn *op_redux(struct warp *w, const struct insn *in) {
    SYNC(2);
    uint32_t a[WARP_SIZE], result[WARP_SIZE] = {0};
    const uint32_t *mask = REG(uint32_t, 2);
    memcpy(a, REG(uint32_t, 1), sizeof a);
    for (int l = 0; l < WARP_SIZE; l++) {
        uint32_t who = mask[l] & w->mask;
        if (!LANE_ON(w->mask))
            continue;
        result[l] = a[first_lane(who)];
        for (who &= who - 1; who; who &= who - 1)
            result[l] = combine(in->kind, result[l], a[first_lane(who)]);
    }
    if (w->shadow)
        observer.gather(w, in, 1, sizeof *a, 2);
    WRITE_LANES(uint32_t, result[l]);
    return in + 1;
}

/* op: d, p, membermask */
static const struct insn *op_elect(struct warp *w, const struct insn *in) {
    SYNC(2);
    const uint32_t *members = REG(uint32_t, 2); /* several groups may be here at once, each with its leader */
    uint32_t leaders = 0;
    LANES_WHERE(leaders, (members[l] & w->mask & ((1u << l) - 1)) == 0);
    WRITE_LANES(uint32_t, (uint32_t)first_lane((members[l] & w->mask) | 1u << 31));
    WRITE_PRED(1, leaders);
    return in + 1;
}

/* ---- bar.warp.sync ---- */

/* Lanes may reach this barrier at different places of the program: a lane that waits at any of them counts. */
const struct insn *op_bar_warp_sync(struct warp *w, const struct insn *in) {
    uint32_t named = members(w, in, 0), here = w->mask;
    if (!named)
        return NULL;
    for (unsigned i = 0; i < w->count; i++)
        if (w->splits[i].state == SPLIT_AT_SYNC && w->splits[i].pc->flags & INSN_WARP_BARRIER)
            here |= w->splits[i].mask;
    const struct insn *elsewhere;
    if ((named & w->live & ~here) || here == w->mask) {
        if (!warp_sync_ready(w, in, named, &elsewhere))
            return elsewhere;
        check_masks(w, in, 0);
        if (w->block->watch)
            observer.sync_executes(w, in, named);
        return in + 1;
    }
    for (unsigned i = 0; i < w->count; i++)
        if (w->splits[i].state == SPLIT_AT_SYNC && w->splits[i].pc->flags & INSN_WARP_BARRIER &&
            (w->splits[i].mask & named)) {
            w->splits[i].state = SPLIT_READY;
            w->splits[i].pc++;
        }
    return warp_reconverge(w, in + 1);
}

#define SHFL(mode, kind)                                                                                               \
    { "shfl.sync." mode ".b32", "Wwwww", op_shfl, 0, kind }
#define REDUX(name, kind)                                                                                              \
    { "redux.sync." name, "www", op_redux, 0, kind }

const struct form forms_warp[] = {
    SHFL("up", SHFL_UP),
    SHFL("down", SHFL_DOWN),
    SHFL("bfly", SHFL_BFLY),
    SHFL("idx", SHFL_IDX),
    {"vote.sync.all.pred", "ppw", op_vote, 0, VOTE_ALL},
    {"vote.sync.any.pred", "ppw", op_vote, 0, VOTE_ANY},
    {"vote.sync.uni.pred", "ppw", op_vote, 0, VOTE_UNI},
    {"vote.sync.ballot.b32", "wpw", op_vote_ballot, 0, 0},
    {"activemask.b32", "w", op_activemask, 0, 0},
    {"match.any.sync.b32", "www", op_match_any, 0, 32},
    {"match.any.sync.b64", "wlw", op_match_any, 0, 64},
    {"match.all.sync.b32", "Www", op_match_all, 0, 32},
    {"match.all.sync.b64", "Wlw", op_match_all, 0, 64},
    REDUX("add.u32", REDUX_ADD),
    REDUX("add.s32", REDUX_ADD),
    REDUX("min.s32", REDUX_MIN_S),
    REDUX("max.s32", REDUX_MAX_S),
    REDUX("min.u32", REDUX_MIN_U),
    REDUX("max.u32", REDUX_MAX_U),
    REDUX("and.b32", REDUX_AND),
    REDUX("or.b32", REDUX_OR),
    REDUX("xor.b32", REDUX_XOR),
    {"elect.sync", "Ww", op_elect, 0, 0},
    {0},
};
