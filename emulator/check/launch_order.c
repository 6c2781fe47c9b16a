#include "check/launch_order.h"

#include <pthread.h>

#define STRIPES 16
#define LEFT    1024 /* launches; what stream_order.c remembers is no older */

static struct stripe {
    pthread_mutex_t lock;
    struct sync_table table;
} stripes[STRIPES] = {[0 ... STRIPES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* What a launch that has ended had learned. */
struct leftover {
    uint32_t serial, stream, number;
    struct facts facts;
};

static struct {
    pthread_mutex_t lock;
    unsigned active;     /* launches */
    uint32_t last, next; /* the largest serial number; where the next leftover goes */
    struct leftover left[LEFT];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- variables ---- */

static struct stripe *stripe_of(uint64_t address) {
    return &stripes[address / 64 % STRIPES];
}

struct sync_table *launch_order_variables(uint64_t address) {
    pthread_mutex_lock(&stripe_of(address)->lock);
    return &stripe_of(address)->table;
}

void launch_order_variables_close(uint64_t address) {
    pthread_mutex_unlock(&stripe_of(address)->lock);
}

/* ---- launches ---- */

/* When nothing runs, and all that ran happens before all that is still to come. */
static void forget(void) {
    for (int i = 0; i < STRIPES; i++)
        sync_free(&stripes[i].table);
    for (uint32_t i = 0; all.next && i < LEFT; i++)
        facts_free(&all.left[i].facts);
    all.next = 0;
}

static void inherit(const struct stream_clock *before, struct facts *to) {
    for (uint32_t i = 0; i < all.next && i < LEFT; i++) {
        const struct leftover *l = &all.left[i];
        if (before->last[l->stream] >= l->number || l->serial <= stream_order_floor())
            facts_join(to, &l->facts);
    }
}

void launch_order_inherit(const struct stream_clock *before, struct facts *to) {
    pthread_mutex_lock(&all.lock);
    inherit(before, to);
    pthread_mutex_unlock(&all.lock);
}

void launch_order_begin(struct launch_watch *l) {
    const struct operation_order *o = &l->operation;
    l->order = (struct order_launch){o->serial, o->stream, o->number, &o->before, &l->inherited, false};
    pthread_mutex_lock(&all.lock);
    /* Variables in memory and what launches have left keep growing while launches overlap. When none runs, and all up
     * to the last one happen before everything to come, nothing can be learned from them any more. */
    if (all.active++ == 0 && stream_order_floor() >= all.last)
        forget();
    if (o->serial != ~0u && o->serial > all.last)
        all.last = o->serial;
    inherit(&o->before, &l->inherited);
    pthread_mutex_unlock(&all.lock);
}

void launch_order_block_ended(struct block_watch *b) {
    struct launch_watch *l = b->launch;
    if (!atomic_load_explicit(&l->order.meets, memory_order_relaxed))
        return;
    pthread_mutex_lock(&l->lock);
    order_harvest(&b->order, &l->learned);
    pthread_mutex_unlock(&l->lock);
}

void launch_order_end(struct launch_watch *l) {
    pthread_mutex_lock(&all.lock);
    if (l->learned.count || l->learned.clock || l->learned.everything) {
        struct leftover *left = &all.left[all.next++ % LEFT];
        facts_free(&left->facts);
        *left = (struct leftover){l->operation.serial, l->operation.stream, l->operation.number, l->learned};
    }
    all.active--;
    pthread_mutex_unlock(&all.lock);
    facts_free(&l->inherited);
}

void launch_order_wait(struct block_watch *b, uint32_t warp) {
    const struct operation_order *o = &b->launch->operation;
    struct stream_clock clock = o->before;
    struct facts known = {.clock = &clock};
    if (o->serial == ~0u || !o->primary)
        return;
    /* griddepcontrol.wait: now the primary is over, too, and what it had learned counts. */
    clock.last[o->stream] = o->primary;
    launch_order_inherit(&clock, &known);
    order_learn(&b->order, warp, &known);
    known.clock = NULL; /* not its own */
    facts_free(&known);
}

bool launch_order_covers(const struct facts *known, const struct full_record *old) {
    struct ran ran;
    return stream_order_find(old->launch, &ran) &&
           facts_cover(known, block_id(old->launch, old->block, ran.stream, ran.number), old->record);
}
