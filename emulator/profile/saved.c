/* A run as sums by kernel and line: made of this process, written, and read. */
#include "profile/saved.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/source.h"
#include "profile/host_calls.h"
#include "profile/metrics.h"

#define HEAD "cuda-emulator profile 1"

/* ---- of this process ---- */

static char *copy_text(const char *s) {
    return or_out_of_memory(strdup(s));
}

static void *grown(void *items, size_t count, size_t size) {
    if (count & (count - 1)) /* room for 1, 2, 4, 8 ... items */
        return items;
    return or_out_of_memory(realloc(items, (count ? 2 * count : 1) * size));
}

static struct saved_kernel *add_kernel(struct saved_run *run, const char *name) {
    run->kernels = grown(run->kernels, run->kernel_count, sizeof *run->kernels);
    struct saved_kernel *k = &run->kernels[run->kernel_count++];
    *k = (struct saved_kernel){.name = copy_text(name)};
    return k;
}

static struct saved_line *add_line(struct saved_kernel *k, const char *file, uint32_t number, const char *text) {
    k->lines = grown(k->lines, k->line_count, sizeof *k->lines);
    struct saved_line *line = &k->lines[k->line_count++];
    *line = (struct saved_line){.file = copy_text(file), .text = copy_text(text), .number = number};
    return line;
}

static void add_counts(struct counts *to, const struct counts *from) {
    for (int i = 0; i < COUNT_END; i++)
        to->n[i] += from->n[i];
}

/* The tabs of a source line would look like the ends of fields. */
static struct saved_line *line_of(struct saved_kernel *k, const struct line_profile *line) {
    const char *file = line->file ? source_short_path(line->file) : "";
    char text[SAVED_TEXT] = "";
    for (size_t i = 0; i < k->line_count; i++)
        if (k->lines[i].number == line->line && strcmp(k->lines[i].file, file) == 0)
            return &k->lines[i];
    if (line->file)
        source_line(line->file, line->line, text, sizeof text, &(uint32_t){0});
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    return add_line(k, file, line->line, text);
}

static struct saved_kernel *kernel_of(struct saved_run *run, const char *name) {
    for (size_t i = 0; i < run->kernel_count; i++)
        if (strcmp(run->kernels[i].name, name) == 0)
            return &run->kernels[i];
    return add_kernel(run, name);
}

static int compare_places(const void *a, const void *b) {
    const struct saved_line *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : (x->number > y->number) - (x->number < y->number);
}

struct saved_run *saved_now(const struct launch_profile *launches) {
    struct saved_run *run = zeroed(1, sizeof *run);
    run->host_launches = host_calls_of_kind(HOST_LAUNCH);
    run->host_waits = host_calls_of_kind(HOST_WAIT);
    for (const struct launch_profile *p = launches; p; p = p->next) {
        struct saved_kernel *k = kernel_of(run, p->name);
        k->launches++;
        if (p->counts.n[COUNT_INST] >= k->most) {
            k->most = p->counts.n[COUNT_INST];
            memcpy(k->grid, p->grid, sizeof k->grid);
            memcpy(k->block, p->block, sizeof k->block);
        }
        add_counts(&k->counts, &p->counts);
        for (size_t i = 0; i < p->line_count; i++)
            add_counts(&line_of(k, &p->lines[i])->counts, &p->lines[i].counts);
    }
    for (size_t i = 0; i < run->kernel_count; i++)
        qsort(run->kernels[i].lines, run->kernels[i].line_count, sizeof *run->kernels[i].lines, compare_places);
    return run;
}

/* ---- written ---- */

static void write_counts(const struct counts *counts, FILE *out) {
    for (int i = 0; i < COUNT_END; i++)
        if (counts->n[i])
            fprintf(out, "count\t%s\t%" PRIu64 "\n", metrics[i].name, counts->n[i]);
}

void saved_write(const struct saved_run *run, FILE *out) {
    fprintf(out, HEAD "\nhost\t%" PRIu64 "\t%" PRIu64 "\n", run->host_launches, run->host_waits);
    for (const struct saved_kernel *k = run->kernels; k < run->kernels + run->kernel_count; k++) {
        fprintf(out, "kernel\t%s\t%" PRIu64 "\t%u,%u,%u\t%u,%u,%u\n", k->name, k->launches, k->grid[0], k->grid[1],
                k->grid[2], k->block[0], k->block[1], k->block[2]);
        write_counts(&k->counts, out);
        for (const struct saved_line *line = k->lines; line < k->lines + k->line_count; line++) {
            fprintf(out, "line\t%s\t%u\t%s\n", line->file, line->number, line->text);
            write_counts(&line->counts, out);
        }
    }
}

/* ---- read ---- */

#define FIELDS 5

/* Cuts a record at its tabs; fields that it does not have are "". */
static void split(char *record, const char *fields[FIELDS]) {
    record[strcspn(record, "\n")] = '\0';
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = record ? record : "";
        record = record ? strchr(record, '\t') : NULL;
        if (record)
            *record++ = '\0';
    }
}

static void read_shape(const char *text, uint32_t shape[3]) {
    sscanf(text, "%" SCNu32 ",%" SCNu32 ",%" SCNu32, &shape[0], &shape[1], &shape[2]);
}

/* A later version may count more: counts unknown to this one are left out. */
static void read_count(struct counts *counts, const char *name, const char *value) {
    for (int i = 0; i < COUNT_END; i++)
        if (strcmp(metrics[i].name, name) == 0)
            counts->n[i] = strtoull(value, NULL, 10);
}

static void read_record(struct saved_run *run, struct counts **counts, char *record) {
    const char *f[FIELDS];
    split(record, f);
    struct saved_kernel *k = run->kernel_count ? &run->kernels[run->kernel_count - 1] : NULL;
    if (strcmp(f[0], "host") == 0) {
        run->host_launches = strtoull(f[1], NULL, 10);
        run->host_waits = strtoull(f[2], NULL, 10);
    } else if (strcmp(f[0], "kernel") == 0) {
        k = add_kernel(run, f[1]);
        k->launches = strtoull(f[2], NULL, 10);
        read_shape(f[3], k->grid);
        read_shape(f[4], k->block);
        *counts = &k->counts;
    } else if (strcmp(f[0], "line") == 0 && k) {
        *counts = &add_line(k, f[1], (uint32_t)strtoul(f[2], NULL, 10), f[3])->counts;
    } else if (strcmp(f[0], "count") == 0 && *counts) {
        read_count(*counts, f[1], f[2]);
    }
}

struct saved_run *saved_read(const char *path, const char **why) {
    FILE *in = fopen(path, "re");
    char *record = NULL;
    size_t size = 0;
    *why = in ? "it is not a saved profile" : "it cannot be read";
    if (!in)
        return NULL;
    struct saved_run *run = NULL;
    if (getline(&record, &size, in) > 0 && strcmp(record, HEAD "\n") == 0) {
        struct counts *counts = NULL;
        run = zeroed(1, sizeof *run);
        while (getline(&record, &size, in) > 0)
            read_record(run, &counts, record);
    }
    free(record);
    fclose(in);
    return run;
}
