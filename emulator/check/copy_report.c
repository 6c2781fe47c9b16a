#include "check/copy_report.h"

#include "check/finding_json.h"
#include "check/host_memory.h"
#include "check/report_parts.h"
#include "check/report.h"
#include "check/symbols.h"

struct ran ran_found(const struct ran *r) {
    struct ran found;
    return stream_order_find(r->serial, &found) ? found : *r;
}

void put_stream(struct text *t, const struct submission *s) {
    if (s->known && s->stream)
        text_format(t, " in stream %l", (uint64_t)s->stream);
    else if (s->known)
        text_string(t, " in the default stream");
}

static const char *words_of(const struct ran *r) {
    return r->kind == RAN_FREE         ? "cudaFreeAsync"
           : r->kind == RAN_ALLOCATION ? "cudaMallocAsync"
           : r->submission.function    ? r->submission.function
                                       : SOME_COPY;
}

uintptr_t submission_caller(const struct submission *s) {
    struct host_place place;
    for (int i = 0; i < HOST_CALLERS && s->callers.pc[i]; i++)
        if (host_place_find(s->callers.pc[i], &place) && !is_toolkit(place.file))
            return s->callers.pc[i];
    return s->callers.pc[0];
}

void put_submission(struct text *t, const char *what, const struct submission *s) {
    struct text caller = {0};
    text_string(t, what);
    put_stream(t, s);
    if (put_host_function(&caller, submission_caller(s))) {
        text_string(t, ", called by ");
        text_piece(t, caller.bytes, caller.length);
    }
}

/* The lines of both calls, in the order of the source. */
static void put_calls(struct text *t, const struct ran *now, const struct ran *then) {
    struct host_place a, b;
    struct source_position first = host_position(submission_caller(&now->submission), &a),
                           second = host_position(submission_caller(&then->submission), &b);
    bool swap = second.line && second.line < first.line;
    bool same = first.line == second.line;
    bool shown = put_source_line(t, swap ? second : first);
    if (!same)
        shown |= put_source_line(t, swap ? first : second);
    if (shown)
        text_string(t, MARK "\n");
}

/* A variable's name, or which call made the memory. */
void put_owner(struct text *t, const struct allocation *a) {
    char name[100];
    if (!a->name) {
        put_made(t, a);
        return;
    }
    symbol_copy_name(a->name, name, sizeof name);
    text_format(t, MARK "    of the variable %s\n", name);
}

static void report(struct text *t, const struct ran *now, const struct ran *then) {
    struct host_place a, b;
    struct facts_of_finding facts = {.at = host_position(submission_caller(&now->submission), &a),
                                     .other = host_position(submission_caller(&then->submission), &b)};
    report_text(t, FINDING_RACE, false, &facts);
}

void report_two_copies(const struct ran *now, const struct ran *then, const struct allocation *a, uint64_t where,
                       bool write, bool write_then) {
    struct text t = {0}, title = {0};
    text_format(&title, "Error: Race reported between %s access by ", write ? "Write" : "Read");
    put_submission(&title, words_of(now), &now->submission);
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    text_format(&t, MARK "    and %s access by ", write_then ? "Write" : "Read");
    put_submission(&t, words_of(then), &then->submission);
    text_format(&t, "\n" MARK "    Access to %x: byte %l of the %g bytes at %x\n", where, where - a->base, a->size,
                a->base);
    put_owner(&t, a);
    text_string(&t, MARK "\n");
    put_calls(&t, now, then);
    put_advice(&t, "The two are unordered, and either may execute first. Record an event after the one that has to be "
                   "first (cudaEventRecord), and make the stream of the other wait for it (cudaStreamWaitEvent). "
                   "Streams are numbered as by cudaStreamGetId.");
    report(&t, now, then);
}

static const char *kind_of_use(const struct ran *now, const struct ran *then) {
    return now->kind == RAN_FREE || then->kind == RAN_FREE ? "Use after free" : "Use before allocation";
}

void report_lifetime(const struct ran *now, const struct ran *then, const struct allocation *a) {
    struct text t = {0}, title = {0};
    bool both = now->kind != RAN_WORK && then->kind != RAN_WORK;
    text_format(&title, "Error: %s reported between ", both ? "Free before allocation" : kind_of_use(now, then));
    put_submission(&title, words_of(now), &now->submission);
    title.bytes[title.length] = '\0';
    put_title(&t, title.bytes);
    text_string(&t, MARK "    and ");
    put_submission(&t, words_of(then), &then->submission);
    text_string(&t, "\n");
    put_owner(&t, a);
    text_string(&t, MARK "\n");
    put_calls(&t, now, then);
    put_advice(
        &t, "The two streams are unordered: memory of cudaMallocAsync is valid after that call in stream order, until "
            "cudaFreeAsync in stream order. Record an event after the first of the two (cudaEventRecord), and make the "
            "stream of the second wait for it (cudaStreamWaitEvent). Streams are numbered as by cudaStreamGetId.");
    report(&t, now, then);
}
