/* Collects counts by launch and source line. */
#include "profile/launches.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/out_of_memory.h"
#include "check/report_parts.h"
#include "profile/output.h"
#include "profile/trace.h"
#include "profile/traits.h"

#define MOST_LAUNCHES 4096 /* a profile of more is useless, and takes memory */
#define NAME_SIZE     600

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct launch_profile *running, *ended, **end = &ended;
static uint64_t kept, left_out;

bool launches_wanted(void) {
    static _Atomic int wanted; /* 0: not yet known; 1 no; 2 yes */
    int known = wanted;
    if (!known) {
        known = output_wanted() ? 2 : 1;
        wanted = known;
    }
    return known == 2;
}

/* ---- while a launch runs ---- */

static struct launch_profile *make_profile(const struct counters *c) {
    const struct launch *launch = c->launch;
    struct launch_profile *p = zeroed(1, sizeof *p);
    p->id = launch->id;
    p->records = zeroed(c->kernel->code.count, sizeof *p->records);
    p->traits = c->traits;
    p->next = running;
    running = p;
    return p;
}

static struct launch_profile **find_launch(uint64_t id) {
    struct launch_profile **at = &running;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    return at;
}

static void add_details(struct insn_record *to, const struct insn_details *d) {
    struct insn_details *sum = counters_details(to);
    for (int i = 0; i < COUNT_END; i++)
        sum->counts.n[i] += d->counts.n[i];
    const struct access_example *e = &d->example;
    bool dearer = e->cost > sum->example.cost ||
                  (e->cost == sum->example.cost && e->block < sum->example.block); /* the worker that saw it */
    if (e->mask && (!sum->example.mask || dearer))
        sum->example = *e;
}

void launches_add(struct counters *c) {
    pthread_mutex_lock(&lock);
    struct launch_profile *p = *find_launch(c->launch->id);
    if (!p)
        p = make_profile(c);
    if (c->trace && c->trace->warps[0].count) { /* the worker that had block 0 */
        p->trace = c->trace;
        c->trace = NULL;
    }
    for (uint32_t i = 0; i < c->kernel->code.count; i++) {
        const struct insn_record *r = &c->counted.records[i];
        p->records[i].executed += r->executed;
        p->records[i].threads += r->threads;
        if (r->details)
            add_details(&p->records[i], r->details);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- when it has ended ---- */

static int compare_files(const char *a, const char *b) {
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int compare_lines(const void *a, const void *b) {
    const struct line_profile *x = a, *y = b;
    int files = compare_files(x->file, y->file), lines = (x->line > y->line) - (x->line < y->line);
    return files ? files : lines ? lines : strverscmp(x->called, y->called);
}

static const char *keep(const char *s) {
    static struct kept_name {
        struct kept_name *next;
        char text[];
    } * names; /* the module they come from may be unloaded before the report */
    if (!s)
        return NULL;
    for (const struct kept_name *n = names; n; n = n->next)
        if (strcmp(n->text, s) == 0)
            return n->text;
    struct kept_name *n = zeroed(1, sizeof *n + strlen(s) + 1);
    strcpy(n->text, s);
    n->next = names;
    names = n;
    return n->text;
}

struct line_list {
    struct line_profile *items;
    size_t count;
};

static struct line_profile *line_of(struct line_list *all, const char *file, uint32_t line, const char *called) {
    for (size_t i = all->count; i-- > 0;) /* nearly always the last one */
        if (all->items[i].line == line && all->items[i].file == file && strcmp(all->items[i].called, called) == 0)
            return &all->items[i];
    struct line_profile *now = &all->items[all->count++];
    now->file = file;
    now->line = line;
    strcpy(now->called, called);
    return now;
}

static void add_class(struct class_counts *to, const struct insn *in, const struct insn_record *r, unsigned class) {
    unsigned own = !(in->flags & INSN_PSEUDO);
    to->warps[class] += own * r->executed;
    to->threads[class] += own * r->threads;
    to->warps[CLASS_MOVE] += in->folded * r->executed; /* decode only folds away moves of constants */
    to->threads[CLASS_MOVE] += in->folded * r->threads;
}

static void keep_worst(struct line_profile *line, const struct insn_record *r) {
    if (!r->details || !r->details->example.mask)
        return;
    const struct access_example *e = &r->details->example;
    struct access_example **known = &line->examples[e->kind];
    if (*known && (uint64_t)(*known)->cost * e->ideal >= (uint64_t)e->cost * (*known)->ideal)
        return;
    if (!*known)
        *known = zeroed(1, sizeof **known);
    **known = *e;
}

static void add_tensor(struct tensor_counts *to, const struct kernel *k, uint32_t i, const struct insn_record *r) {
    const struct ptx_insn *p = k->code.sources[i];
    if (r->details && p)
        tensor_counts_add(to, p, r->details->counts.n[COUNT_TENSOR]);
}

static void add_to_line(struct line_profile *line, const struct launch_profile *p, const struct kernel *k,
                        const struct insn *in, const struct insn_record *r) {
    add_tensor(&line->tensor, k, in->index, r);
    counters_add(&line->counts, in, p->traits, r);
    add_class(&line->classes, in, r, p->traits->insns[in->index].class);
    keep_worst(line, r);
}

static struct line_profile *sorted(struct line_list *all) {
    qsort(all->items, all->count, sizeof *all->items, compare_lines);
    struct line_profile *fitting = realloc(all->items, (all->count + 1) * sizeof *all->items);
    return fitting ? fitting : all->items;
}

/* Both lists are in one order. */
static void join_calls(struct launch_profile *p, size_t call_count) {
    size_t at = 0;
    for (size_t i = 0; i < p->line_count; i++) {
        struct line_profile *line = &p->lines[i];
        line->first_call = at;
        while (at < call_count && p->calls[at].line == line->line && p->calls[at].file == line->file)
            at++;
        line->calls = at - line->first_call;
    }
}

static void make_lines(struct launch_profile *p, const struct kernel *k) {
    struct line_list lines = {zeroed(k->code.count, sizeof *p->lines), 0},
                     calls = {zeroed(k->code.count, sizeof *p->lines), 0};
    for (uint32_t i = 0; i < k->code.count; i++) {
        const struct insn *in = &k->code.insns[i];
        const struct insn_record *r = &p->records[i];
        if (!r->executed)
            continue;
        struct source_position at = own_line(k, insn_position(k, in));
        const char *file = keep(at.file);
        char called[CALLED_TEXT];
        own_calls(k, in, called);
        add_to_line(line_of(&lines, file, at.line, ""), p, k, in, r);
        add_to_line(line_of(&calls, file, at.line, called), p, k, in, r);
        counters_add(&p->counts, in, p->traits, r);
        add_class(&p->classes, in, r, p->traits->insns[i].class);
        add_tensor(&p->tensor, k, i, r);
    }
    p->lines = sorted(&lines);
    p->line_count = lines.count;
    p->calls = sorted(&calls);
    join_calls(p, calls.count);
}

/* Instructions become lines: the kernel may be gone when the picture is drawn. */
static void name_steps(struct trace *t, const struct kernel *k) {
    uint32_t *lines = zeroed(k->code.count, sizeof *lines);
    for (uint32_t i = 0; i < k->code.count; i++)
        lines[i] = own_line(k, insn_position(k, &k->code.insns[i])).line;
    for (int w = 0; w < WARP_SIZE; w++)
        for (uint32_t i = 0; i < t->warps[w].count; i++)
            t->warps[w].steps[i].insn = lines[t->warps[w].steps[i].insn];
    free(lines);
}

/* Only the largest launch of a kernel is drawn. */
static void keep_largest_trace(struct launch_profile *p) {
    for (struct launch_profile *q = ended; q && p->trace; q = q->next) {
        if (q->kernel != p->kernel || !q->trace)
            continue;
        struct launch_profile *smaller = p->counts.n[COUNT_INST] > q->counts.n[COUNT_INST] ? q : p;
        trace_free(smaller->trace);
        smaller->trace = NULL;
    }
}

static void describe(struct launch_profile *p, const struct launch *launch) {
    char name[NAME_SIZE];
    const struct kernel *k = launch->kernel;
    p->kernel = keep(k->name);
    demangle(k->name, name, sizeof name);
    p->name = zeroed(1, strlen(name) + 1);
    strcpy(p->name, name);
    memcpy(p->grid, launch->config.grid, sizeof p->grid);
    memcpy(p->block, launch->config.block, sizeof p->block);
    p->static_shared = k->static_shared;
    p->dynamic_shared = launch->config.dynamic_shared;
    p->local_bytes = k->local_bytes;
    p->max_threads = k->max_threads;
    make_lines(p, k);
    if (p->trace)
        name_steps(p->trace, k);
    keep_largest_trace(p);
}

#define MOST_UNWANTED 60
static const char *unwanted[MOST_UNWANTED + 1];

static void note_unwanted(const struct kernel *k) {
    char name[NAME_SIZE];
    demangle(k->name, name, sizeof name);
    const char *kept_name = keep(name);
    size_t i = 0;
    while (i < MOST_UNWANTED && unwanted[i] && unwanted[i] != kept_name)
        i++;
    if (i < MOST_UNWANTED)
        unwanted[i] = kept_name;
}

const char *const *launches_unwanted(void) {
    return unwanted;
}

void launches_done(const struct launch *launch) {
    pthread_mutex_lock(&lock);
    struct launch_profile **at = find_launch(launch->id), *p = *at;
    if (p) {
        *at = p->next;
        p->next = NULL;
        if (kept < MOST_LAUNCHES && output_wants_kernel(launch->kernel->name)) {
            describe(p, launch);
            *end = p;
            end = &p->next;
            kept++;
        } else {
            trace_free(p->trace);
            p->trace = NULL;
            left_out += kept >= MOST_LAUNCHES;
            if (kept < MOST_LAUNCHES)
                note_unwanted(launch->kernel);
        }
        for (uint32_t i = 0; i < launch->kernel->code.count; i++)
            free(p->records[i].details);
        free(p->records);
        p->records = NULL;
    }
    pthread_mutex_unlock(&lock);
    output_at_exit();
}

struct launch_profile *launches_all(uint64_t *others) {
    pthread_mutex_lock(&lock);
    *others = left_out;
    struct launch_profile *all = ended;
    pthread_mutex_unlock(&lock);
    return all;
}
