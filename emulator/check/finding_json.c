/* Writes each finding as one line of JSON to EMULATOR_CHECK_JSON. */
#include "check/finding_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/settings.h"
#include "check/report_parts.h"

#define NAME_SIZE 600

static FILE *output(void) {
    static FILE *file;
    static bool tried;
    const char *path = setting_text(SETTING_CHECK_JSON);
    if (!tried && path) {
        file = fopen(path, "we");
        if (!file)
            perror(path);
    }
    tried = true;
    return file;
}

static void put_member(FILE *f, const char *name, const char *value) {
    fprintf(f, ", \"%s\": ", name);
    json_put_string(f, value, strlen(value));
}

static void put_place_members(FILE *f, const char *prefix, const struct source_position *p) {
    char name[40];
    if (!p->file || !p->line)
        return;
    snprintf(name, sizeof name, "%sfile", prefix);
    put_member(f, name, shown_path(p->file));
    fprintf(f, ", \"%sline\": %u", prefix, p->line);
}

static void put_index(FILE *f, const char *name, const uint32_t *index) {
    if (index)
        fprintf(f, ", \"%s\": [%u, %u, %u]", name, index[0], index[1], index[2]);
}

/* The report's lines without the mark before each. */
static void put_lines(FILE *f, const struct text *t) {
    const char *at = t->bytes, *end = t->bytes + t->length;
    fputs(", \"report\": [", f);
    for (bool first = true; at < end; first = false) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        size_t skip = (size_t)(stop - at) >= strlen(MARK) ? strlen(MARK) : (size_t)(stop - at);
        if (!first)
            fputs(", ", f);
        json_put_string(f, at + skip, (size_t)(stop - at) - skip);
        at = stop + 1;
    }
    fputs("]", f);
}

void json_finding(const char *kind, bool warning, const struct facts_of_finding *facts, const struct text *report) {
    FILE *f = output();
    char name[NAME_SIZE];
    if (!f)
        return;
    fputs("{\"severity\": ", f);
    fputs(warning ? "\"warning\"" : "\"error\"", f);
    put_member(f, "finding", kind);
    if (facts->kernel)
        put_member(f, "kernel", demangle(facts->kernel, name, sizeof name));
    put_place_members(f, "", &facts->at);
    put_place_members(f, "other_", &facts->other);
    put_index(f, "block", facts->block);
    put_index(f, "thread", facts->thread);
    fprintf(f, ", \"count\": %llu", (unsigned long long)(facts->count ? facts->count : 1));
    put_lines(f, report);
    fputs("}\n", f);
    fflush(f);
}
