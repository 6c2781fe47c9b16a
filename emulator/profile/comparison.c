/* Counts are of all launches of a kernel together: a kernel that is launched less often counts as improved. */
#include "profile/comparison.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "profile/matching.h"
#include "profile/metrics.h"

#define SHOW_LINES 12
#define NOTICED    0.01 /* a smaller share of a count is no change */

/* The counts that cost time, by resource. */
enum resource { INSTRUCTIONS, SECTORS, WAVEFRONTS, CONTENTION, BRANCHES, WAITING, RESOURCES };
static const struct {
    enum count count;
    enum resource resource;
} compared[] = {
    {COUNT_INST, INSTRUCTIONS},
    {COUNT_GLOBAL_LOAD_SECTORS, SECTORS},
    {COUNT_GLOBAL_STORE_SECTORS, SECTORS},
    {COUNT_GLOBAL_ATOM_SECTORS, SECTORS},
    {COUNT_GLOBAL_RED_SECTORS, SECTORS},
    {COUNT_LOCAL_LOAD_SECTORS, SECTORS},
    {COUNT_LOCAL_STORE_SECTORS, SECTORS},
    {COUNT_TEXTURE_SECTORS, SECTORS},
    {COUNT_SURFACE_LOAD_SECTORS, SECTORS},
    {COUNT_SURFACE_STORE_SECTORS, SECTORS},
    {COUNT_SHARED_LOAD_WAVEFRONTS, WAVEFRONTS},
    {COUNT_SHARED_STORE_WAVEFRONTS, WAVEFRONTS},
    {COUNT_SHARED_ATOM_WAVEFRONTS, WAVEFRONTS},
    {COUNT_COPY_WAVEFRONTS, WAVEFRONTS},
    {COUNT_PRODUCT_WAVEFRONTS, WAVEFRONTS},
    {COUNT_GLOBAL_CONTENTION, CONTENTION},
    {COUNT_SHARED_CONTENTION, CONTENTION},
    {COUNT_DIVERGENT, BRANCHES},
    {COUNT_BARRIER_WAIT, WAITING},
};
enum { COMPARED = sizeof compared / sizeof *compared };

static const struct counts nothing;

/* ---- numbers ---- */

static bool changed(double before, double after) {
    double most = before > after ? before : after, apart = before > after ? before - after : after - before;
    return apart > NOTICED * most;
}

static const char *judged(double before, double after, bool more_is_better) {
    return !changed(before, after) ? "the same" : (after < before) != more_is_better ? "better" : "worse";
}

static void put_number(FILE *out, const char *indent, const char *label, double before, double after, int decimals,
                       bool more_is_better) {
    char ratio[24] = "-";
    if (before > 0)
        snprintf(ratio, sizeof ratio, "%.2f", after / before);
    fprintf(out, "%s%-42s %16.*f %16.*f %8s   %s\n", indent, label, decimals, before, decimals, after, ratio,
            judged(before, after, more_is_better));
}

static void put_changes(FILE *out, const char *indent, const struct counts *before, const struct counts *after) {
    for (int i = 0; i < COMPARED; i++) {
        double a = (double)before->n[compared[i].count], b = (double)after->n[compared[i].count];
        if (changed(a, b))
            put_number(out, indent, metrics[compared[i].count].label, a, b, 0, false);
    }
}

static bool any_change(const struct counts *before, const struct counts *after) {
    for (int i = 0; i < COMPARED; i++)
        if (changed((double)before->n[compared[i].count], (double)after->n[compared[i].count]))
            return true;
    return false;
}

/* ---- lines ---- */

static void add_resources(double of[RESOURCES], const struct counts *c) {
    for (int i = 0; i < COMPARED; i++)
        of[compared[i].resource] += (double)c->n[compared[i].count];
}

/* The largest share of any of the kernel's resources by which a line changed. */
static double weight_of(const struct line_pair *p, const double before[RESOURCES], const double after[RESOURCES]) {
    double most = 0, then[RESOURCES] = {0}, now[RESOURCES] = {0};
    add_resources(then, p->before ? &p->before->counts : &nothing);
    add_resources(now, p->after ? &p->after->counts : &nothing);
    for (int r = 0; r < RESOURCES; r++) {
        double whole = before[r] > after[r] ? before[r] : after[r];
        double part = whole > 0 ? (now[r] > then[r] ? now[r] - then[r] : then[r] - now[r]) / whole : 0;
        most = part > most ? part : most;
    }
    return most;
}

struct weighed {
    struct line_pair pair;
    double weight;
};

static int heavier(const void *a, const void *b) {
    const struct weighed *x = a, *y = b;
    uint32_t at_x = x->pair.after ? x->pair.after->number : x->pair.before->number;
    uint32_t at_y = y->pair.after ? y->pair.after->number : y->pair.before->number;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight) : (at_x > at_y) - (at_x < at_y);
}

static void put_line(FILE *out, const struct line_pair *p) {
    char before[16] = "-", after[16] = "-";
    if (p->before)
        snprintf(before, sizeof before, "%" PRIu32, p->before->number);
    if (p->after)
        snprintf(after, sizeof after, "%" PRIu32, p->after->number);
    fprintf(out, "    %5s -> %5s  %.90s%s\n", before, after, p->after ? p->after->text : p->before->text,
            !p->after    ? "   (gone)"
            : !p->before ? "   (new)"
                         : "");
    if (p->edited)
        fprintf(out, "    %14s  was: %.90s\n", "", p->before->text);
    put_changes(out, "      ", p->before ? &p->before->counts : &nothing, p->after ? &p->after->counts : &nothing);
}

static void put_lines(FILE *out, const struct saved_kernel *before, const struct saved_kernel *after) {
    size_t count, shown = 0, left_out = 0;
    struct line_pair *pairs = match_lines(before, after, &count);
    struct weighed *lines = zeroed(count, sizeof *lines);
    double then[RESOURCES] = {0}, now[RESOURCES] = {0};
    add_resources(then, &before->counts);
    add_resources(now, &after->counts);
    for (size_t i = 0; i < count; i++)
        lines[i] = (struct weighed){pairs[i], weight_of(&pairs[i], then, now)};
    qsort(lines, count, sizeof *lines, heavier);
    for (size_t i = 0; i < count; i++) {
        const struct line_pair *p = &lines[i].pair;
        if (!any_change(p->before ? &p->before->counts : &nothing, p->after ? &p->after->counts : &nothing))
            continue;
        if (shown == SHOW_LINES) {
            left_out++;
            continue;
        }
        if (!shown++)
            fprintf(out, "\n  line by line, the largest change first\n");
        put_line(out, p);
    }
    if (left_out)
        fprintf(out, "    and %zu more lines with smaller changes\n", left_out);
    free(lines);
    free(pairs);
}

/* ---- kernels and the host ---- */

static void put_heading(FILE *out, const char *text) {
    fprintf(out, "\n%s\n", text);
    for (size_t i = 0; text[i] && i < 110; i++)
        putc('=', out);
    putc('\n', out);
}

static void put_shape(FILE *out, const struct saved_kernel *k) {
    fprintf(out, "grid (%u, %u, %u), block (%u, %u, %u)", k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1],
            k->block[2]);
}

static double loads_in_flight(const struct saved_kernel *k) {
    uint64_t requests = k->counts.n[COUNT_GLOBAL_LOAD_REQUESTS] - k->counts.n[COUNT_POLLS];
    return requests ? (double)k->counts.n[COUNT_LOADS_TOGETHER] / (double)requests : 0;
}

static bool same_launches(const struct saved_kernel *a, const struct saved_kernel *b) {
    return a->launches == b->launches && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

static bool same_kernel(const struct saved_kernel *a, const struct saved_kernel *b) {
    return same_launches(a, b) && !any_change(&a->counts, &b->counts) &&
           !changed(loads_in_flight(a), loads_in_flight(b));
}

static void put_kernel(FILE *out, const struct saved_kernel *before, const struct saved_kernel *after) {
    put_heading(out, after->name);
    if (strcmp(before->name, after->name) != 0)
        fprintf(out, "  was: %s\n", before->name);
    if (!same_launches(before, after)) {
        fprintf(out, "  before: ");
        put_shape(out, before);
        fprintf(out, "\n  now:    ");
        put_shape(out, after);
        putc('\n', out);
    }
    fprintf(out, "  %-44s %16s %16s %8s\n", "all launches together", "before", "now", "ratio");
    if (before->launches != after->launches)
        put_number(out, "    ", "Launches", (double)before->launches, (double)after->launches, 0, false);
    put_changes(out, "    ", &before->counts, &after->counts);
    if (changed(loads_in_flight(before), loads_in_flight(after)))
        put_number(out, "    ", "Global loads in flight per warp", loads_in_flight(before), loads_in_flight(after), 2,
                   true);
    put_lines(out, before, after);
}

static void put_launches(FILE *out, const struct saved_kernel *k) {
    put_shape(out, k);
    fprintf(out, ", %" PRIu64 " launch%s\n", k->launches, k->launches == 1 ? "" : "es");
}

/* A kernel that the earlier run does not have: only its sums are reported. */
static void put_new(FILE *out, const struct saved_kernel *k) {
    put_heading(out, k->name);
    fputs("  new; ", out);
    put_launches(out, k);
    put_changes(out, "    ", &nothing, &k->counts);
}

/* Kernels that this run has not started. Whether the source still has them is unknown, so nothing is reported as
 * better. */
static void put_not_run(FILE *out, const struct kernel_pair *pairs, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].after)
            continue;
        if (!any)
            fputs("\nNot run this time:\n", out);
        any = true;
        fprintf(out, "  %s; ", pairs[i].before->name);
        put_launches(out, pairs[i].before);
    }
}

static void put_host(FILE *out, const struct saved_run *before, const struct saved_run *after) {
    if (before->host_launches == after->host_launches && before->host_waits == after->host_waits)
        return;
    put_heading(out, "The host");
    put_number(out, "    ", "Launches", (double)before->host_launches, (double)after->host_launches, 0, false);
    put_number(out, "    ", "Calls that wait for the device", (double)before->host_waits, (double)after->host_waits, 0,
               false);
}

void compare_runs(FILE *out, const char *from, const struct saved_run *before, const struct saved_run *after,
                  bool all) {
    size_t count, same = 0;
    struct kernel_pair *pairs = match_kernels(before, after, &count);
    fprintf(out, "\nCompared with %s. Less is better, except for loads in flight.\n", from);
    put_host(out, before, after);
    for (size_t i = 0; i < count; i++) {
        const struct kernel_pair *p = &pairs[i];
        if (!p->after)
            continue;
        if (!p->before)
            put_new(out, p->after);
        else if (same_kernel(p->before, p->after))
            same++;
        else
            put_kernel(out, p->before, p->after);
    }
    if (same)
        fprintf(out, "\n%zu kernel%s made the same requests as before.\n", same, same == 1 ? "" : "s");
    if (all)
        put_not_run(out, pairs, count);
    free(pairs);
}
