/* Checks what a copy or fill by the host reads, and notes what it writes. */
#include "check/copy_watch.h"

#include <pthread.h>
#include <string.h>

#include "check/allocation_watch.h"
#include "check/block_watch.h"
#include "check/copy_report.h"
#include "check/finding_json.h"
#include "check/host_memory.h"
#include "check/report_parts.h"
#include "check/symbols.h"

static uint64_t extent(const struct copied *c, const struct copy_side *s) {
    return (c->depth - 1) * s->slice + (c->height - 1) * s->pitch + c->width;
}

/* ---- unwritten bytes ---- */

static void report_unwritten(const struct copied *c, const struct allocation *a, uint64_t where, uint64_t bytes) {
    struct text t = {0}, title = {0};
    text_format(&title, "Uninitialized __global__ memory read by %s", c->function);
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    text_format(&t, MARK "    Access to %x: byte %l of an allocation of %g bytes\n", where, where - a->base, a->size);
    text_format(&t, MARK "    %g of the bytes copied to the host were never written\n", bytes);
    text_string(&t, MARK "\n");
    put_advice(&t, "The copied bytes were never written by a kernel or a copy: was the kernel launched, does every "
                   "element have a thread, and is the size right?");
    report_text(&t, FINDING_UNINITIALIZED, false, &(struct facts_of_finding){.count = bytes});
}

struct tally {
    uint64_t first, count;
};

static void count_unwritten(const struct allocation *a, uint64_t address, uint64_t bytes, struct tally *tally) {
    uint64_t at = address, end = address + bytes;
    for (uint64_t run; (run = allocation_unwritten_range(a, &at, end)); at += run) {
        tally->first = tally->count ? tally->first : at;
        tally->count += run;
    }
}

/* Bytes that a copy from the host leaves out may be unwritten when a kernel reads them. */
static void note_part(const struct copied *c, const struct allocation *to) {
    bool rows = c->height > 1 && c->width < c->to.pitch;
    if (c->fill || !to || !to->watch || c->depth != 1 || (!rows && c->width * c->height >= to->size))
        return;
    to->watch->part = (struct part_copied){c->function, c->width, c->height, rows ? c->to.pitch : 0};
}

static void note_written(const struct copied *c, const struct allocation *to, const struct allocation *from) {
    struct tally tally = {0};
    bool to_host = !to || to->kind == MEMORY_PINNED || to->kind == MEMORY_REGISTERED || to->kind == MEMORY_MANAGED;
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++) {
            uint64_t to_row = c->to.address + z * c->to.slice + y * c->to.pitch;
            uint64_t from_row = c->from.address + z * c->from.slice + y * c->from.pitch;
            if (c->fill)
                allocation_written(to, to_row, c->width);
            else
                allocation_copied(to, to_row, from, from_row, c->width);
            if (!c->fill && to_host && from)
                count_unwritten(from, from_row, c->width, &tally);
        }
    if (tally.count)
        report_unwritten(c, from, tally.first, tally.count);
}

/* ---- order ---- */

/* The first byte at or after `address`, and before `end`, that belongs to a row of the box; false: there is none. */
static bool first_byte_in(const struct copy_range *r, uint64_t address, uint64_t end, uint64_t *found) {
    if (address >= r->address + r->bytes || end <= r->address)
        return false;
    /* The box's row and slice in which the address is, by division: rows begin every `pitch` bytes, slices every
     * `slice`. */
    uint64_t offset = address > r->address ? address - r->address : 0;
    uint64_t z = r->depth > 1 ? offset / r->slice : 0, y = r->height > 1 ? (offset - z * r->slice) / r->pitch : 0;
    uint64_t x = offset - z * r->slice - (y < r->height ? y : r->height) * r->pitch;
    if (y >= r->height || x >= r->width) { /* in a gap: at the next row */
        z += y + 1 >= r->height;
        y = y + 1 >= r->height ? 0 : y + 1;
        offset = z * r->slice + y * r->pitch;
    }
    *found = r->address + offset;
    return z < r->depth && *found < end;
}

/* The rows of the range that has fewer are searched for in the other. */
static bool ranges_meet(const struct copy_range *a, const struct copy_range *b, uint64_t *where) {
    const struct copy_range *few = a->height * a->depth <= b->height * b->depth ? a : b, *other = few == a ? b : a;
    if (a->address >= b->address + b->bytes || b->address >= a->address + a->bytes)
        return false;
    for (uint64_t z = 0; z < few->depth; z++)
        for (uint64_t y = 0; y < few->height; y++) {
            uint64_t row = few->address + z * few->slice + y * few->pitch;
            if (first_byte_in(other, row, row + few->width, where))
                return true;
        }
    return false;
}

/* Reports the first byte that both touch, one of them with a write. Each part of an allocation is reported once. */
static void compare_with_copy(const struct ran *other, void *argument) {
    static uint64_t reported;
    const struct ran *ran = argument;
    /* Both sides of the one copy against both sides of the other. */
    for (int i = 0; i < 4; i++) {
        const struct copy_range *now = &ran->ranges[i / 2], *then = &other->ranges[i % 2];
        uint64_t from = 0;
        if (!(now->write || then->write) || now->allocation != then->allocation || now->allocation == reported ||
            !ranges_meet(now, then, &from))
            continue;
        reported = now->allocation;
        struct ran found = ran_found(ran);
        if (ran->kind != RAN_WORK || other->kind != RAN_WORK)
            report_lifetime(&found, other, memory_find(from));
        else
            report_two_copies(&found, other, memory_find(from), from, now->write, then->write);
        return;
    }
}

static struct copy_range range_of_bytes(uint64_t address, uint64_t bytes, uint64_t allocation, bool write) {
    return (struct copy_range){address, bytes, allocation, write, bytes, bytes, 1, bytes, 1};
}

static void set_range(struct copy_range *r, const struct copied *c, const struct copy_side *side,
                      const struct allocation *a, bool write) {
    bool rows = c->height == 1 || side->pitch == c->width,
         slices = c->depth == 1 || side->slice == side->pitch * c->height;
    uint64_t bytes = extent(c, side);
    /* Rows without gaps are one: the comparison goes row by row. */
    *r = rows && slices ? range_of_bytes(side->address, bytes, a->id, write)
                        : (struct copy_range){side->address, bytes,     a->id,       write,   c->width,
                                              side->pitch,   c->height, side->slice, c->depth};
}

static void compare_with_all(const struct operation_order *order, struct ran *ran) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct hazards hazards = {.lock = PTHREAD_MUTEX_INITIALIZER};
    stream_order_ran(ran);
    pthread_mutex_lock(&lock);
    if (stream_order_has_unordered(order)) {
        race_of_copy(order, ran, &hazards);
        hazards_report(&hazards);
    }
    stream_order_each_copy(order, compare_with_copy, ran);
    pthread_mutex_unlock(&lock);
}

static struct ran ran_of(const struct operation_order *order) {
    return (struct ran){.serial = order->serial, .stream = order->stream, .number = order->number, .done = true};
}

static void note_order(const struct copied *c, const struct allocation *to, const struct allocation *from) {
    if (!c->order || !c->order->serial)
        return;
    struct ran ran = ran_of(c->order);
    ran.submission.function = c->function;
    if (to)
        set_range(&ran.ranges[0], c, &c->to, to, true);
    if (from && !c->fill)
        set_range(&ran.ranges[1], c, &c->from, from, false);
    compare_with_all(c->order, &ran);
}

/* A later use of the memory finds this among the copies that have run. */
void memory_ordered(const struct operation_order *order, uint64_t base, enum ran_kind kind) {
    const struct allocation *a = memory_find(base);
    if (!order->serial || !a || !memory_is_live(a))
        return;
    struct ran ran = ran_of(order);
    ran.kind = kind;
    ran.ranges[0] = range_of_bytes(a->base, a->size, a->id, true);
    compare_with_all(order, &ran);
}

/* The values that kernels have stored, and that no check has copied since, are known only from memory. */
void copy_watch_before(uint64_t address, uint64_t bytes) {
    const struct allocation *a = memory_find(address);
    if (a && a->watch && memory_is_live(a) && bytes)
        allocation_keep_values(a, address, bytes, stream_order_floor());
}

void copy_watch(const struct copied *c) {
    const struct allocation *to = memory_find(c->to.address);
    const struct allocation *from = c->fill ? NULL : memory_find(c->from.address);
    to = to && memory_is_live(to) ? to : NULL;
    from = from && memory_is_live(from) ? from : NULL;
    if (checks_on() & CHECK_INIT) {
        note_written(c, to, from);
        note_part(c, to);
    }
    if (checks_on() & CHECK_RACE)
        note_order(c, to, from);
}
