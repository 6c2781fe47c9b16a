#include "results.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *path) {
    perror(path);
    exit(2);
}

static int by_fingerprint(const void *a, const void *b) {
    const struct result *x = a, *y = b;
    return x->fingerprint != y->fingerprint ? (x->fingerprint < y->fingerprint ? -1 : 1) : 0;
}

struct results results_read(const char *path) {
    struct results r = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail(path);
    r.count = (size_t)ftell(file) / sizeof *r.items;
    rewind(file);
    r.items = calloc(r.count + 1, sizeof *r.items);
    if (!r.items || fread(r.items, sizeof *r.items, r.count, file) != r.count)
        fail(path);
    fclose(file);
    return r;
}

void results_write(struct results *r, const char *path) {
    FILE *file = fopen(path, "wb");
    qsort(r->items, r->count, sizeof *r->items, by_fingerprint);
    if (!file || fwrite(r->items, sizeof *r->items, r->count, file) != r->count || fclose(file) != 0)
        fail(path);
}

const struct result *results_find(const struct results *r, uint32_t fingerprint) {
    struct result key = {fingerprint, 0};
    return bsearch(&key, r->items, r->count, sizeof key, by_fingerprint);
}

struct form_patterns form_patterns_read(const char *path) {
    struct form_patterns p = {.count = 0};
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path);
    while (fgets(line, sizeof line, file) && p.count < sizeof p.items / sizeof *p.items) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] && line[0] != '#')
            p.items[p.count++].text = strdup(line);
    }
    fclose(file);
    return p;
}

bool form_patterns_match(struct form_patterns *p, const char *form) {
    bool found = false;
    for (size_t i = 0; i < p->count; i++)
        if (fnmatch(p->items[i].text, form, FNM_EXTMATCH) == 0)
            found = p->items[i].used = true;
    return found;
}
