/* Undefined values in the registers of a warp: see follow.h. */
#include "check/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/allocation_watch.h"
#include "check/lane_access.h"
#include "isa/instruction.h"
#include "machine/code.h"
#include "machine/observer.h"

/* ---- warps that are followed ---- */

static size_t frame_bytes(const struct warp *w) {
    return w->launch->kernel->frame_bytes;
}

struct follow *follow_begin(struct warp *w) {
    struct block_watch *b = w->block->watch;
    unsigned i = w->index;
    if (!b->follow)
        b->follow = zeroed(1, sizeof *b->follow);
    struct follow *f = b->follow;
    if (w->shadow)
        return f;
    if (!f->registers[i]) {
        f->registers[i] = zeroed(frame_bytes(w) / 8 + 1, 8);
        f->predicates[i] = zeroed(PREDICATES, sizeof *f->predicates[i]);
    }
    memset(f->registers[i], 0, frame_bytes(w));
    w->shadow = f->registers[i];
    /* The handler that has found the first undefined value is in the middle of the usual dispatch loop: the warp
     * leaves that after it, and follow_run() goes on (warp_hand_on). */
    w->hand_on = true;
    return f;
}

void follow_end(struct warp *w) {
    uint64_t word;
    /* Frames are whole vectors, so that no bytes are left over. Predicates have their bits in the frame, too. */
    for (size_t i = 0; i + sizeof word <= frame_bytes(w); i += sizeof word) {
        memcpy(&word, w->shadow + i, sizeof word);
        if (word)
            return;
    }
    w->shadow = NULL;
}

void follow_block_start(struct block_watch *b) {
    if (b->follow)
        b->follow->count = 0;
}

void follow_free(struct block_watch *b) {
    struct follow *f = b->follow;
    for (unsigned i = 0; f && i < MAX_WARPS; i++) {
        free(f->registers[i]);
        free(f->predicates[i]);
    }
    if (f) {
        free(f->shared);
        free(f->local);
    }
    free(f);
}

/* ---- origins ---- */

static struct origin *origin_at(struct follow *f, const struct warp *w, const struct insn *in) {
    struct origin *last = NULL;
    for (unsigned i = 1; i <= f->count; i++)
        if (f->origins[i].in == in) {
            last = &f->origins[i];
            if (last->warp == w->index)
                return last;
        }
    /* Numbers have six bits in a byte of the shadow frame, so that there are at most 63 origins. */
    if (f->count == ORIGINS) /* rather another warp's than another line's */
        return last ? last : &f->origins[ORIGINS];
    f->origins[++f->count] = (struct origin){.in = in, .warp = w->index};
    return &f->origins[f->count];
}

uint8_t follow_origin(struct follow *f, const struct warp *w, const struct insn *in, const struct origin *new) {
    struct origin *o = origin_at(f, w, in);
    if (o->in != in || o->warp != w->index)
        *o = (struct origin){.in = in, .warp = w->index};
    o->space = new->space;
    o->shuffle = new->shuffle;
    o->bytes = new->bytes;
    o->allocation = new->allocation;
    o->lanes |= new->lanes;
    /* A new undefined value of these lanes, which may be reported again; one entry of the report counts them. */
    o->reported &= ~new->lanes;
    for (uint32_t rest = new->lanes; rest; rest &= rest - 1) {
        o->address[first_lane(rest)] = new->address[first_lane(rest)];
        o->asked[first_lane(rest)] = new->asked[first_lane(rest)];
        o->rank[first_lane(rest)] = new->rank[first_lane(rest)];
    }
    return (uint8_t)(o - f->origins);
}

/* ---- memory ---- */

/* What is known of bytes in shared and local memory that count as unwritten; NULL: nothing. */
static uint8_t *stored_origins(const struct warp *w, enum ptx_space space, uint64_t address, int lane) {
    const struct follow *f = follow_of(w);
    uint8_t *all = space == SPACE_SHARED ? f->shared : space == SPACE_LOCAL ? f->local : NULL;
    size_t thread = w->index * (size_t)WARP_SIZE + (size_t)lane;
    return all ? all + address + (space == SPACE_LOCAL ? thread * w->launch->local_bytes : 0) : NULL;
}

/* Where byte i of what a lane loads or stores is in the frame. */
static uint32_t frame_place(const struct access *a, unsigned i, int lane) {
    return a->regs[i / a->bytes] + (uint32_t)lane * (a->reg_bits / 8u) + i % a->bytes;
}

void follow_load(const struct lane_access *la, enum ptx_space space, uint64_t missing) {
    struct warp *w = la->warp;
    const struct access *a = la->in->extra;
    struct follow *f = follow_begin(w);
    bool foreign = space == SPACE_SHARED && la->target != w->block; /* what it holds is not followed to another block */
    const uint8_t *stored = foreign ? NULL : stored_origins(w, space, la->address, la->lane);
    uint8_t new = 0;
    for (unsigned i = 0; i < la->bytes; i++) {
        if (!(missing >> i & 1))
            continue;
        /* An undefined value that was stored here came from somewhere else: its use is reported with that place.
         * Otherwise the byte is unwritten, and this load is the origin, one for all such bytes of the lane. */
        uint8_t origin = stored ? stored[i] : 0;
        if (!origin && !new) {
            struct origin o = {
                .lanes = 1u << la->lane, .space = (uint8_t)space, .bytes = la->bytes, .allocation = la->allocation};
            o.address[la->lane] = la->address;
            o.rank[la->lane] = (uint8_t)(space == SPACE_SHARED ? la->target->rank : 0);
            new = follow_origin(f, w, la->in, &o);
        }
        if (a->regs[i / a->bytes] != ~0u)
            follow_registers(w)[frame_place(a, i, la->lane)] = origin ? origin : new;
    }
}

/* Memory that can be undefined again. */
static void unwrite(struct warp *w, enum ptx_space space, uint64_t address, int lane, uint8_t origin) {
    struct block_watch *b = w->block->watch;
    struct follow *f = b->follow;
    size_t thread = w->index * (size_t)WARP_SIZE + (size_t)lane;
    if (space == SPACE_SHARED && address < w->launch->shared_bytes) {
        f->shared = f->shared ? f->shared : zeroed(w->launch->shared_bytes, 1);
        b->init.shared_written[address / 64] &= ~((uint64_t)1 << address % 64);
        /* The bound below which everything is written: down to the byte of the bitmap that has lost a bit. */
        b->init.written_until = address < b->init.written_until ? (uint32_t)address / 8 * 8 : b->init.written_until;
    } else if (space == SPACE_LOCAL && address < w->launch->local_bytes) {
        f->local = f->local ? f->local : zeroed((size_t)w->launch->local_bytes * WARP_SIZE, w->launch->warps_per_block);
        b->init.local_written[thread * b->init.local_stride + address / 8] &= (uint8_t) ~(1u << address % 8);
    } else {
        return;
    }
    *stored_origins(w, space, address, lane) = origin;
}

/* A result that is stored in global memory is used; what was only copied makes the copy undefined. */
static bool is_result(const struct follow *f, uint8_t origin) {
    return origin & COMPUTED || f->origins[origin & ORIGIN_NUMBER].shuffle;
}

static void stored_lane(struct warp *w, const struct insn *in, uint64_t address, int lane) {
    const struct access *a = in->extra;
    enum ptx_space space = access_space(a, address);
    const struct allocation *allocation = space == SPACE_GLOBAL ? memory_find(address) : NULL;
    bool reported = false;
    if (space == SPACE_SHARED || space == SPACE_LOCAL)
        address =
            space == SPACE_SHARED ? shared_offset(w->block, address) : address & (((uint64_t)1 << WINDOW_SHIFT) - 1);
    for (unsigned i = 0; i < (unsigned)a->bytes * a->count; i++) {
        uint8_t origin = follow_registers(w)[frame_place(a, i, lane)];
        if (!origin)
            continue;
        /* To global memory: a copy of undefined bytes makes the destination undefined; a computed result is a use,
         * reported once for the store. In shared and local memory both are only carried on, with their origin. */
        if (!allocation)
            unwrite(w, space, address + i, lane, origin);
        else if (!is_result(follow_of(w), origin))
            allocation_unwrite(allocation, address + i);
        else if (!reported)
            follow_use(w, in, lane, origin, USE_STORED);
        reported |= allocation && is_result(follow_of(w), origin);
    }
}

static bool is_store(const struct insn *in) {
    return in->flags & INSN_MEMORY && ((const struct access *)in->extra)->kind == ACCESS_STORE;
}

static void after_store(struct warp *w, const struct insn *in, uint32_t lanes) {
    const struct access *a = in->extra;
    uint64_t addresses[WARP_SIZE];
    uint32_t undefined = 0;
    for (unsigned i = 0; i < a->count; i++)
        undefined |= follow_undefined(w, a->regs[i], a->reg_bits / 8u, lanes);
    if (!undefined)
        return;
    access_addresses(w, in, addresses);
    for (; undefined; undefined &= undefined - 1)
        stored_lane(w, in, addresses[first_lane(undefined)], first_lane(undefined));
}

void follow_printed(const struct warp *w, const struct insn *in, int lane, uint64_t address, size_t bytes) {
    const struct block_watch *b = w->block->watch;
    uint64_t at = address - LOCAL_WINDOW;
    if (!b || !b->follow || !b->follow->local || at + bytes > w->launch->local_bytes)
        return;
    const uint8_t *written =
        b->init.local_written + (w->index * (size_t)WARP_SIZE + (size_t)lane) * b->init.local_stride;
    const uint8_t *origins = stored_origins(w, SPACE_LOCAL, at, lane);
    for (uint64_t i = 0; i < bytes; i++)
        if (!(written[(at + i) / 8] >> (at + i) % 8 & 1) && origins[i]) {
            follow_use(w, in, lane, origins[i], USE_ARGUMENT);
            return;
        }
}

static void before_access(struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    unsigned bytes = a->reg_bits / 8u;
    if (a->address_bits)
        follow_use_register(w, in, a->address_reg, a->address_bits / 8u, USE_ADDRESS);
    if (a->kind == ACCESS_ATOMIC) {
        for (unsigned i = 0; i < a->count; i++)
            follow_use_register(w, in, a->data[i], bytes, USE_ATOMIC);
        /* Operand c, which only cas has. */
        if (a->regs2[1])
            follow_use_register(w, in, a->regs2[1], bytes, USE_ATOMIC);
    }
    /* What is loaded is defined, unless the probe inside of the handler finds that it is not (follow_load). */
    for (unsigned i = 0; a->kind != ACCESS_STORE && i < a->count; i++)
        if (a->regs[i] != ~0u)
            follow_define(w, a->regs[i], bytes, w->mask);
}

/* ---- calls ---- */

static const struct call_site *builtin_site(const struct insn *in) {
    return in->effect == EFFECT_BUILTIN ? in->extra : NULL;
}

static void before_builtin(struct warp *w, const struct insn *in, const struct call_site *site) {
    for (uint32_t i = 0; i < site->argument_count; i++)
        follow_use_register(w, in, site->arguments[i].from, site->arguments[i].bytes, USE_ARGUMENT);
    for (uint32_t i = 0; i < site->result_count; i++)
        follow_define(w, site->results[i].to, site->results[i].bytes, w->mask);
}

/* ---- instructions ---- */

static bool is_told_by_itself(const struct warp *w, const struct insn *in) {
    const struct ptx_insn *p = w->launch->kernel->code.sources[in->index];
    return in->flags & INSN_FORM && p->row->undefined == UNDEFINED_LANES;
}

static void before(struct warp *w, const struct insn *in) {
    const struct call_site *site;
    if (in->flags & INSN_MEMORY)
        before_access(w, in);
    else if (in->flags & INSN_BRANCH)
        follow_use_register(w, in, in->op[0], in->effect == EFFECT_BRANCH_IF ? 0 : 4, USE_BRANCH);
    else if ((site = builtin_site(in)))
        before_builtin(w, in, site);
    else if (!is_told_by_itself(w, in))
        follow_results(w, in);
}

static const struct insn *execute(struct warp *w, const struct insn *in) {
    uint32_t all = w->mask, lanes = all;
    const struct insn *what = in;
    /* A predicated instruction is two: the predicate, then the operation of the lanes whose predicate holds. */
    if (in->flags & INSN_PREDICATE) {
        uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->op[0]);
        follow_use_register(w, ++what, in->op[0], 0, USE_PREDICATE);
        lanes &= in->kind ? ~p : p;
    }
    w->mask = lanes;
    if (lanes)
        /* Before the instruction, while its sources are still intact: a destination may be one of them. */
        before(w, what);
    w->mask = all;
    const struct insn *next = in->handler(w, in);
    if (lanes && next && is_store(what))
        after_store(w, what, lanes);
    return next;
}

void follow_run(struct warp *w, const struct insn *in) {
    struct counters *c = w->worker->counters;
    while (in) {
        if (c)
            observer.count(c, w, in);
        in = execute(w, in);
    }
}
