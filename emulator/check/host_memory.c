/* Reports frees of what is not allocated, and memory that is never freed. */
#include "check/host_memory.h"

#include <string.h>

#include "check/allocation_watch.h"
#include "base/checks.h"
#include "check/finding_json.h"
#include "check/report_parts.h"
#include "check/report.h"

#define NAMED_LEAKS 20

/* A line of one of the toolkit's headers does not count: it was inlined into the program's own function. A function
 * with a name of the runtime's interposes the runtime, in a profiler or a grader: its caller is not known. */
static bool find_place(uintptr_t pc, struct host_place *place) {
    if (!pc || !host_place_find(pc, place) || strncmp(place->function, "cuda", 4) == 0)
        return false;
    if (is_toolkit(place->file))
        place->line = 0;
    return place->function[0] || place->line;
}

struct source_position host_position(uintptr_t pc, struct host_place *place) {
    if (!find_place(pc, place) || !place->line)
        return (struct source_position){0};
    return (struct source_position){.file = place->file, .line = place->line};
}

bool put_host_function(struct text *t, uintptr_t pc) {
    struct host_place place;
    if (!find_place(pc, &place))
        return false;
    put_place_words(t, place.function[0] ? place.function : "the program", place.file, place.line);
    return true;
}

static void put_by(struct text *t, const char *what, uintptr_t pc) {
    struct text name = {0};
    if (put_host_function(&name, pc)) {
        text_format(t, MARK "    %s by ", what);
        text_piece(t, name.bytes, name.length);
        text_string(t, "\n");
    }
}

void report_bad_free(const char *function, uint64_t address, enum memory_free_result why) {
    const struct allocation *a = memory_find(address);
    bool twice = why == MEMORY_ALREADY_FREED;
    struct text t = {0}, title = {0};
    if (!check_is_on(CHECK_MEMORY))
        return;
    text_format(&title, "%s by %s", twice ? "Double free" : "Invalid free", function);
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    text_format(&t, MARK "    of %x\n", address);
    if (a && a->watch) {
        put_by(&t, "allocated", a->watch->made_at);
        put_by(&t, "freed before", twice ? a->watch->freed_at : 0);
    }
    text_string(&t, MARK "\n");
    put_advice(
        &t, twice
                ? "Free each pointer once: set it to NULL after cudaFree, which ignores NULL."
                : "Only the pointer that cudaMalloc returned can be freed, not one into the middle of the allocation.");
    report_text(&t, FINDING_DOUBLE_FREE, false, &(struct facts_of_finding){0});
}

/* A pool's memory may be of any kind. */
static const char *made_by(const struct allocation *a) {
    return a->open                     ? "cudaMallocAsync"
           : a->kind == MEMORY_MANAGED ? "cudaMallocManaged"
           : a->kind == MEMORY_PINNED  ? "cudaMallocHost"
                                       : "cudaMalloc";
}

void put_made(struct text *t, const struct allocation *a) {
    struct text s = {0}, name = {0};
    text_format(&s, "The %g bytes at %x were made by %s (allocation number %l of this program)", a->size, a->base,
                made_by(a), a->id);
    if (a->watch && put_host_function(&name, a->watch->made_at)) {
        text_string(&s, ", called by ");
        text_piece(&s, name.bytes, name.length);
    }
    text_string(&s, ".");
    s.bytes[s.length] = '\0';
    put_prose(t, MARK "    ", s.bytes);
}

void put_maker(struct text *t, const struct allocation *a) {
    text_format(t, MARK "    made by %s (allocation number %l of this program)\n", made_by(a), a->id);
    if (a->watch)
        put_by(t, "called", a->watch->made_at);
}

struct leaks {
    int device;
    uint64_t count, bytes;
};

static void visit(const struct allocation *a, void *argument) {
    struct leaks *leaks = argument;
    if (a->name || (leaks->device >= 0 && a->device != leaks->device) ||
        (a->kind != MEMORY_DEVICE && a->kind != MEMORY_MANAGED && a->kind != MEMORY_PINNED))
        return;
    leaks->bytes += a->size;
    if (leaks->count++ >= NAMED_LEAKS)
        return;
    struct text t = {0}, title = {0};
    text_format(&title, "Leaked %g bytes at %x", a->size, a->base);
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    put_maker(&t, a);
    text_string(&t, MARK "\n");
    report_text(&t, FINDING_LEAK, false, &(struct facts_of_finding){0});
}

void report_leaks(int device) {
    struct leaks leaks = {.device = device};
    if (!check_is_on(CHECK_LEAK))
        return;
    memory_each_live(visit, &leaks);
    if (!leaks.count)
        return;
    struct text t = {0};
    text_format(&t, MARK "LEAK SUMMARY: %g bytes leaked in %g allocations\n", leaks.bytes, leaks.count);
    put_advice(&t, "Every cudaMalloc needs a matching cudaFree, on every return path of the function.");
    text_send(&t);
}
