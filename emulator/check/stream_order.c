/* A vector clock of streams: which operations of each have happened before the host, an event, or another stream
 * goes on. */
#include "check/stream_order.h"

#include <pthread.h>
#include <stdatomic.h>

#define REMEMBERED 1024 /* operations; older ones count as over */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ran history[REMEMBERED];
static _Atomic uint32_t serials, lowest;
static uint32_t numbers[ORDER_STREAMS];

uint32_t stream_order_last(void) {
    return atomic_load(&serials);
}

void stream_clock_join(struct stream_clock *to, const struct stream_clock *from) {
    for (int i = 0; i < ORDER_STREAMS; i++)
        if (from->last[i] > to->last[i])
            to->last[i] = from->last[i];
}

static struct submission submission;

void stream_order_submitted(const struct host_callers *callers, unsigned long long stream) {
    submission = (struct submission){.callers = *callers, .stream = stream, .known = true};
}

struct operation_order stream_order_next(unsigned stream, struct stream_clock *clock) {
    struct operation_order o = {.stream = stream % ORDER_STREAMS, .before = *clock};
    pthread_mutex_lock(&lock);
    o.serial = ++serials;
    o.number = ++numbers[o.stream];
    history[o.serial % REMEMBERED] = (struct ran){
        .serial = o.serial, .stream = o.stream, .number = o.number, .before = *clock, .submission = submission};
    pthread_mutex_unlock(&lock);
    clock->last[o.stream] = o.number;
    return o;
}

/* What comes before the primary is over: the primary has begun. */
struct operation_order stream_order_next_beside(unsigned stream, struct stream_clock *clock, uint32_t primary) {
    struct stream_clock begins = *clock;
    /* It may begin while the primary runs, so of its own stream only what comes before the primary happens before it.
     * What is submitted to the stream after it waits for both. */
    begins.last[stream % ORDER_STREAMS] = primary - 1;
    struct operation_order o = stream_order_next(stream, &begins);
    o.primary = primary;
    clock->last[o.stream] = o.number;
    return o;
}

static bool is_before(const struct stream_clock *before, const struct ran *r) {
    return before->last[r->stream] >= r->number;
}

bool stream_order_is_before(const struct operation_order *now, uint32_t serial) {
    struct ran r;
    if (!now->serial || !serial || !stream_order_find(serial, &r))
        return true;
    /* Or the other way round: then the recorded operation comes after this one, and the two are ordered as well. */
    return is_before(&now->before, &r) || r.before.last[now->stream] >= now->number;
}

void stream_order_ran(const struct ran *r) {
    pthread_mutex_lock(&lock);
    struct ran *slot = &history[r->serial % REMEMBERED];
    if (slot->serial == r->serial) {
        struct ran submitted = *slot;
        *slot = *r;
        slot->before = submitted.before;
        slot->submission = submitted.submission;
        slot->submission.function = r->submission.function;
    }
    pthread_mutex_unlock(&lock);
}

bool stream_order_find(uint32_t serial, struct ran *out) {
    pthread_mutex_lock(&lock);
    bool found = history[serial % REMEMBERED].serial == serial;
    if (found)
        *out = history[serial % REMEMBERED];
    pthread_mutex_unlock(&lock);
    return found;
}

/* The largest serial below `end` up to which all operations are in the clock. */
static uint32_t all_before(const struct stream_clock *clock, uint32_t end) {
    uint32_t serial = atomic_load(&lowest) + 1;
    pthread_mutex_lock(&lock);
    /* What is not in the ring any more counts as over. */
    if (end - serial > REMEMBERED)
        serial = end - REMEMBERED;
    for (const struct ran *r; serial < end; serial++)
        if ((r = &history[serial % REMEMBERED])->serial == serial && !is_before(clock, r))
            break;
    pthread_mutex_unlock(&lock);
    return serial - 1;
}

uint32_t stream_order_all_before(const struct operation_order *now) {
    return all_before(&now->before, now->serial);
}

void stream_order_idle(const struct stream_clock *host) {
    atomic_store(&lowest, all_before(host, atomic_load(&serials) + 1));
}

uint32_t stream_order_floor(void) {
    return atomic_load(&lowest);
}

bool stream_order_has_unordered(const struct operation_order *now) {
    bool found = false;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < REMEMBERED && !found; i++) {
        const struct ran *r = &history[i];
        found = r->serial && r->kernel && !is_before(&now->before, r) && r->before.last[now->stream] < now->number;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void stream_order_each_copy(const struct operation_order *now, void (*visit)(const struct ran *, void *),
                            void *argument) {
    for (uint32_t i = 0; i < REMEMBERED; i++) {
        /* Taken one by one: visit() reads the history itself, under the same lock. */
        pthread_mutex_lock(&lock);
        struct ran r = history[i];
        pthread_mutex_unlock(&lock);
        if (!r.serial || r.kernel || !r.done || is_before(&now->before, &r) || r.serial == now->serial ||
            r.before.last[now->stream] >= now->number)
            continue;
        visit(&r, argument);
    }
}
