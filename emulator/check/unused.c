/* Looks for bytes that were never written when an allocation is freed, and when the program ends. */
#include "check/unused.h"

#include "check/allocation_watch.h"
#include "base/checks.h"
#include "check/host_memory.h"
#include "check/finding_json.h"
#include "check/report_parts.h"
#include "check/report.h"

struct unused {
    uint64_t bytes, first, last; /* offsets */
};

static struct unused find_unused(const struct allocation *a) {
    struct unused u = {0};
    uint64_t at = a->base, end = a->base + a->size;
    for (uint64_t run; (run = allocation_unwritten_range(a, &at, end)); at += run) {
        u.first = u.bytes ? u.first : at - a->base;
        u.last = at - a->base + run - 1;
        u.bytes += run;
    }
    return u;
}

/* compute-sanitizer's words. */
static void put_where(struct text *t, const struct allocation *a, const struct unused *u) {
    if (u->bytes == a->size)
        text_string(t, MARK "    Not written any memory.\n");
    else if (u->bytes == u->last - u->first + 1)
        text_format(t, MARK "    Not written %g bytes at offset %x (%x)\n", u->bytes, u->first, a->base + u->first);
    else
        text_format(t, MARK "    Not written %g bytes between offsets %x (%x) and %x (%x) (inclusive)\n", u->bytes,
                    u->first, a->base + u->first, u->last, a->base + u->last);
    uint64_t share = u->bytes * 1000 / a->size;
    text_format(t, share ? MARK "    %l" : MARK "    Less than 0", share / 10);
    if (share % 10 || !share)
        text_format(t, ".%l", share ? share % 10 : 1);
    text_string(t, "% of allocation were unused.\n");
}

static const char *advice(const struct allocation *a, const struct unused *u) {
    if (u->bytes == a->size)
        return "This memory was never written: is it needed, or was the kernel or the copy that fills it forgotten?";
    if (u->last == a->size - 1)
        return "The end of this memory was never written: was sizeof(element) multiplied in twice (cudaMalloc takes "
               "bytes, n * sizeof(element)), or does the grid have too few threads?";
    return "Some of this memory was never written: does every element have a thread?";
}

void report_unused(const struct allocation *a) {
    if (!check_is_on(CHECK_UNUSED) || !a->watch || !a->watch->written || !a->watch->made_at)
        return;
    struct unused u = find_unused(a);
    struct text t = {0}, title = {0};
    if (!u.bytes)
        return;
    text_format(&title, "Unused memory in allocation %x of size %g bytes", a->base, a->size);
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    put_where(&t, a, &u);
    put_maker(&t, a);
    text_string(&t, MARK "\n");
    put_advice(&t, advice(a, &u));
    report_text(&t, FINDING_UNUSED, false, &(struct facts_of_finding){.count = u.bytes});
}

static void visit(const struct allocation *a, void *device) {
    if (*(int *)device < 0 || a->device == *(int *)device)
        report_unused(a);
}

void report_all_unused(int device) {
    if (check_is_on(CHECK_UNUSED))
        memory_each_live(visit, &device);
}
