/* Logging reads of shared memory, and propagating them to the shadow words. */
#include "check/read_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/fast_path.h"

static void open_if_allowed(struct block_watch *b) {
    struct read_log *log = &b->reads;
    /* All conditions in one word, which probed_look() tests for each load: `easy` if the log is open, else 0. */
    log->ready = log->items && !log->never && log->shut != b->order.base ? log->easy : 0;
}

void read_log_expect(struct block_watch *b, uint32_t warp) {
    struct read_log *log = &b->reads;
    /* Lanes that have arrived at no barrier may go past one at which others wait: synccheck has to see each of their
     * accesses (watch_whole_comes_to). */
    bool easy = b->whole >> warp & 1 && (b->sync.arrived[warp] == FULL_MASK || !(b->launch->checks & CHECK_SYNC));
    if (!easy || b->launch->checks & CHECK_SLOW)
        return;
    if (!log->items)
        log->items = or_out_of_memory(malloc(READ_LOG_SIZE * sizeof *log->items));
    log->step = b->shadow.arrays != NULL;
    log->easy |= 1u << warp;
    open_if_allowed(b);
}

void read_log_forget(struct block_watch *b) {
    b->reads.count = 0;
    open_if_allowed(b);
}

void read_log_shut(struct block_watch *b, bool by_copy) {
    struct read_log *log = &b->reads;
    if (!b->shadow.arrays)
        return;
    log->shut = b->order.base;
    log->never |= by_copy;
    log->ready = 0;
}

bool read_log_add_each(struct block_watch *b, struct access_record record, const uint32_t address[MAX_LANES]) {
    struct read_log *log = &b->reads;
    struct logged_read *r = &log->items[log->count];
    if (log->count + 1 + READ_EACH_ITEMS > READ_LOG_SIZE)
        return false;
    *r = (struct logged_read){record.time, record.packed, {READ_EACH, 0}};
    memcpy(r + 1, address, MAX_LANES * sizeof *address);
    /* step 0: without racecheck the item is overwritten by the next one, since it will never be needed. */
    log->count += log->step * (1 + (uint32_t)READ_EACH_ITEMS);
    return true;
}

/* Consecutive lanes that read consecutive elements make one span, and so do those that read one element. */
static void propagate_each(struct block_watch *b, struct access_record record, const uint32_t *address,
                           uint32_t bytes) {
    for (uint32_t lane = 0, next; lane < MAX_LANES; lane = next) {
        /* The step to the next lane decides which kind of span may begin here; a step that is neither 0 nor an
         * element makes a span of one lane. */
        uint32_t step = lane + 1 < MAX_LANES ? address[lane + 1] - address[lane] : 1;
        for (next = lane + 1; next < MAX_LANES && (step == 0 || step == bytes); next++)
            if (address[next] - address[next - 1] != step)
                break;
        uint32_t lanes = next - lane;
        struct span s = {address[lane], step ? lanes * bytes : bytes, (uint8_t)lane,
                         (uint32_t)(((uint64_t)1 << lanes) - 1) << lane};
        fast_shared_read(b, record, &s, bytes);
    }
}

/* The lower half first, as if each had been recorded at once. */
static void propagate_halves(struct block_watch *b, struct access_record record, const uint32_t place[2],
                             uint32_t bytes) {
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t lane = half * SPAN_HALF;
        bool same = place[half] & READ_ALL_SAME;
        struct span s = {place[half] & ~READ_ALL_SAME, same ? bytes : SPAN_HALF * bytes, (uint8_t)lane,
                         0xffffu << lane};
        fast_shared_read(b, record, &s, bytes);
    }
}

void read_log_propagate(struct block_watch *b) {
    struct read_log *log = &b->reads;
    uint32_t count = log->count;
    /* First, because fast_shared_read() looks at shadow words, and so might end up here again. */
    log->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct logged_read *r = &log->items[i];
        const struct access *a = b->launch->kernel->code.insns[RECORD_INSN(r->packed)].extra;
        struct access_record record = {r->time, r->packed};
        uint32_t addresses[MAX_LANES], bytes = (uint32_t)a->bytes * a->count;
        if (r->place[0] != READ_EACH) {
            propagate_halves(b, record, r->place, bytes);
            continue;
        }
        memcpy(addresses, r + 1, sizeof addresses);
        propagate_each(b, record, addresses, bytes);
        i += READ_EACH_ITEMS;
    }
}
