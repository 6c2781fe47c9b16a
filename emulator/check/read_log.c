/* See read_log.h. */
#include "check/read_log.h"

#include <stdlib.h>

#include "check/quick.h"

static void open_if_allowed(struct block_watch *b) {
    struct read_log *log = &b->reads;
    log->ready = log->items && !log->never && log->shut != b->order.base ? log->easy : 0;
}

void read_log_expect(struct block_watch *b, uint32_t warp) {
    struct read_log *log = &b->reads;
    bool easy = b->whole >> warp & 1 && (b->arrived[warp] == FULL_MASK || !(b->launch->checks & CHECK_SYNC));
    if (!easy || b->launch->checks & CHECK_CAREFUL)
        return;
    if (!log->items && !(log->items = malloc(READ_LOG_SIZE * sizeof *log->items)))
        abort();
    log->step = b->cells.planes != NULL;
    log->easy |= 1u << warp;
    open_if_allowed(b);
}

void read_log_forget(struct block_watch *b) {
    b->reads.count = 0;
    open_if_allowed(b);
}

void read_log_shut(struct block_watch *b, bool by_copy) {
    struct read_log *log = &b->reads;
    if (!b->cells.planes)
        return;
    log->shut = b->order.base;
    log->never |= by_copy;
    log->ready = 0;
}

/* In the order in which the halves would have come. */
static void tell(struct block_watch *b, const struct logged_read *r) {
    const struct insn *in = &b->launch->kernel->code.insns[MARK_SITE(r->packed)];
    const struct access *a = in->extra;
    uint32_t bytes = (uint32_t)a->bytes * a->count;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t place = r->place[half], lane = half * SPAN_HALF;
        bool same = place & READ_ALL_SAME;
        struct span s = {place & ~READ_ALL_SAME, same ? bytes : SPAN_HALF * bytes, (uint8_t)lane, 0xffffu << lane};
        quick_shared_read(b, (struct access_mark){r->time, r->packed}, &s, bytes);
    }
}

void read_log_tell(struct block_watch *b) {
    struct read_log *log = &b->reads;
    uint32_t count = log->count;
    log->count = 0;
    for (uint32_t i = 0; i < count; i++)
        tell(b, &log->items[i]);
}
