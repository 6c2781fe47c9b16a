/* Checks what a copy or fill by the host reads, and notes what it writes. */
#include "check/copy_watch.h"

#include <pthread.h>
#include <string.h>

#include "check/allocation_watch.h"
#include "check/block_watch.h"
#include "check/finding_json.h"
#include "check/host_memory.h"
#include "check/parts.h"
#include "check/symbols.h"

static uint64_t extent(const struct copied *c, const struct copy_side *s) {
    return (c->depth - 1) * s->slice + (c->height - 1) * s->pitch + c->width;
}

/* ---- bytes that nobody has written ---- */

static void report_unwritten(const struct copied *c, const struct allocation *a, uint64_t where, uint64_t bytes) {
    struct text t = {0}, title = {0};
    text_format(&title, "Uninitialized __global__ memory read by %s", c->function);
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    text_format(&t, MARK "    Access to %x: byte %l of an allocation of %g bytes\n", where, where - a->base, a->size);
    text_format(&t, MARK "    %g of the bytes copied to the host were never written\n", bytes);
    text_string(&t, MARK "\n");
    put_advice(&t, "Neither a kernel nor a copy has written what is copied here: was the kernel launched, does every "
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

/* What a copy from the host leaves out, a kernel may find unwritten. */
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

struct two_copies {
    const struct copied *now;
    const struct ran *ran;
};

static void report_two_copies(const struct copied *c, const struct allocation *a, uint64_t where, bool write,
                              bool write_then) {
    struct text t = {0}, title = {0};
    text_format(&title, "Race reported between %s by %s and %s by a copy or fill in another stream",
                write ? "write" : "read",
                c->function ? c->function
                : c->fill   ? "a fill"
                            : "a copy",
                write_then ? "write" : "read");
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    text_format(&t, MARK "    Access to %x: byte %l of an allocation of %g bytes\n", where, where - a->base, a->size);
    text_string(&t, MARK "\n");
    put_advice(&t, "Nothing says which of the two is done first. Record an event behind the one (cudaEventRecord), and "
                   "let the other one's stream wait for it (cudaStreamWaitEvent).");
    report_text(&t, FINDING_RACE, false, &(struct facts_of_finding){0});
}

static const char *kind_of_use(const struct ran *now, const struct ran *then) {
    return now->kind == RAN_FREE || then->kind == RAN_FREE ? "Use after free" : "Use before allocation";
}

static const char *words_of(const struct ran *r, const char *function) {
    return r->kind == RAN_FREE         ? "cudaFreeAsync"
           : r->kind == RAN_ALLOCATION ? "cudaMallocAsync"
           : function                  ? function
                                       : "a copy or fill";
}

/* One of the two is the allocation or the free of the memory, in the order of its stream. */
static void report_lifetime(const struct two_copies *two, const struct ran *then, const struct allocation *a) {
    struct text t = {0}, title = {0};
    const struct ran *now = two->ran;
    bool both = now->kind != RAN_WORK && then->kind != RAN_WORK;
    text_format(&title, "Error: %s reported between %s and %s in another stream",
                both ? "Free before allocation" : kind_of_use(now, then),
                words_of(now, two->now ? two->now->function : NULL), words_of(then, NULL));
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    text_format(&t, MARK "    of an allocation of %g bytes at %x\n", a->size, a->base);
    put_maker(&t, a);
    text_string(&t, MARK "\n");
    put_advice(
        &t, "Nothing orders the two streams: memory of cudaMallocAsync exists for work that comes after that call in "
            "its stream, until the stream of cudaFreeAsync reaches that. Record an event after the first of the two "
            "(cudaEventRecord), and let the stream of the second wait for it (cudaStreamWaitEvent).");
    report_text(&t, FINDING_RACE, false, &(struct facts_of_finding){0});
}

/* Reports the first byte that both touch, one of them with a write. What goes wrong with each part of an allocation is said once. */
static void compare_with_copy(const struct ran *other, void *argument) {
    static uint64_t reported;
    const struct two_copies *two = argument;
    for (int i = 0; i < 4; i++) {
        const struct copy_range *now = &two->ran->ranges[i / 2], *then = &other->ranges[i % 2];
        uint64_t from = now->address > then->address ? now->address : then->address;
        bool overlap = from < now->address + now->bytes && from < then->address + then->bytes;
        if (!overlap || !(now->write || then->write) || !now->whole || !then->whole ||
            now->allocation != then->allocation || now->allocation == reported)
            continue;
        reported = now->allocation;
        if (two->ran->kind != RAN_WORK || other->kind != RAN_WORK)
            report_lifetime(two, other, memory_find(from));
        else
            report_two_copies(two->now, memory_find(from), from, now->write, then->write);
        return;
    }
}

static void set_range(struct copy_range *r, const struct copied *c, const struct copy_side *side,
                      const struct allocation *a, bool write) {
    bool rows = c->height == 1 || side->pitch == c->width,
         slices = c->depth == 1 || side->slice == side->pitch * c->height;
    *r = (struct copy_range){side->address, extent(c, side), a->id, write, rows && slices};
}

/* c: NULL for memory that is allocated or freed. */
static void compare_with_all(const struct operation_order *order, const struct ran *ran, const struct copied *c) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct hazards hazards = {.lock = PTHREAD_MUTEX_INITIALIZER};
    stream_order_ran(ran);
    pthread_mutex_lock(&lock);
    if (stream_order_has_unordered(order)) {
        race_of_copy(order, ran, &hazards);
        hazards_report(&hazards);
    }
    stream_order_each_copy(order, compare_with_copy, &(struct two_copies){c, ran});
    pthread_mutex_unlock(&lock);
}

static struct ran ran_of(const struct operation_order *order) {
    return (struct ran){.serial = order->serial, .stream = order->stream, .number = order->number, .done = true};
}

static void note_order(const struct copied *c, const struct allocation *to, const struct allocation *from) {
    if (!c->order || !c->order->serial)
        return;
    struct ran ran = ran_of(c->order);
    if (to)
        set_range(&ran.ranges[0], c, &c->to, to, true);
    if (from && !c->fill)
        set_range(&ran.ranges[1], c, &c->from, from, false);
    compare_with_all(c->order, &ran, c);
}

/* Whoever uses the memory later finds this among the copies that have run. */
void memory_ordered(const struct operation_order *order, uint64_t base, enum ran_kind kind) {
    const struct allocation *a = memory_find(base);
    if (!order->serial || !a || !memory_is_live(a))
        return;
    struct ran ran = ran_of(order);
    ran.kind = kind;
    ran.ranges[0] = (struct copy_range){a->base, a->size, a->id, true, true};
    compare_with_all(order, &ran, NULL);
}

/* What kernels have stored and nobody has looked at since is known by what is in memory. */
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
