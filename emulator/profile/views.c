/* See views.h: which pictures there are, and what their files are called. */
#include "profile/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/source.h"

#define PATH 4096

static bool make_folder(const char *folder) {
    return mkdir(folder, 0777) == 0 || errno == EEXIST;
}

/* transpose_shared<0>(const float *) as "transpose_shared_0". */
static void file_name(const char *kernel, char *out, size_t size) {
    size_t n = 0;
    const char *at = strncmp(kernel, "void ", 5) == 0 ? kernel + 5 : kernel;
    for (; *at && *at != '(' && n + 1 < size; at++) {
        bool plain =
            (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '_';
        if (plain)
            out[n++] = *at;
        else if (n && out[n - 1] != '_' && *at != '>')
            out[n++] = '_';
    }
    out[n] = '\0';
}

static void short_name(const char *kernel, char *out, size_t size) {
    const char *at = strncmp(kernel, "void ", 5) == 0 ? kernel + 5 : kernel;
    snprintf(out, size, "%.*s", (int)strcspn(at, "("), at);
}

static FILE *open_picture(FILE *out, const char *folder, const char *name) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *svg = fopen(path, "we");
    if (svg)
        fprintf(out, "%s\n", path);
    else
        fprintf(stderr, "view: cannot write %s\n", path);
    return svg;
}

static void access_pictures(FILE *out, const struct launch_profile *p, const struct line_profile *line,
                            const char *folder) {
    static const char *const names[] = {"global_load", "global_store", "global_atomic", "global_atomic", "local_load",
                                        "local_store", "shared_load",  "shared_store",  "shared_atomic"};
    char source[100] = "", where[200], kernel[200], name[300];
    if (line->file)
        source_line(line->file, line->line, source, sizeof source, &(uint32_t){0});
    file_name(p->name, kernel, sizeof kernel);
    for (enum way way = 0; way < WAY_END; way++) {
        if (!line->examples[way])
            continue;
        snprintf(where, sizeof where, "line %u, %.6s %s: %s", line->line, names[way], strchr(names[way], '_') + 1,
                 source);
        snprintf(name, sizeof name, "%s_line%u_%s", kernel, line->line, names[way]);
        FILE *svg = open_picture(out, folder, name);
        if (!svg)
            continue;
        (way < WAY_SHARED_LOAD ? view_sectors : view_banks)(svg, out, line->examples[way], where);
        fclose(svg);
    }
}

static void block_pictures(FILE *out, const struct launch_profile *p, const char *folder) {
    char kernel[200], shown[200], name[300];
    unsigned number = 0;
    file_name(p->name, kernel, sizeof kernel);
    short_name(p->name, shown, sizeof shown);
    for (const struct heat *h = p->trace->heats; h; h = h->next) {
        snprintf(name, sizeof name, "%s_heat%u", kernel, ++number);
        FILE *svg = open_picture(out, folder, name);
        if (svg) {
            view_heat(svg, out, h, shown, p->block);
            fclose(svg);
        }
    }
    snprintf(name, sizeof name, "%s_divergence", kernel);
    FILE *svg = open_picture(out, folder, name);
    if (svg) {
        view_divergence(svg, out, p->trace, shown);
        fclose(svg);
    }
}

void views_write(FILE *out, const struct launch_profile *launches, const char *folder, uint32_t line) {
    bool any = false;
    if (!make_folder(folder)) {
        fprintf(stderr, "view: cannot make the folder %s\n", folder);
        return;
    }
    for (const struct launch_profile *p = launches; p; p = p->next) {
        if (!p->trace)
            continue;
        for (size_t i = 0; i < p->line_count; i++)
            if (!line || p->lines[i].line == line) {
                for (enum way way = 0; way < WAY_END; way++)
                    any |= p->lines[i].examples[way] != NULL;
                access_pictures(out, p, &p->lines[i], folder);
            }
        any |= !line;
        if (!line)
            block_pictures(out, p, folder);
    }
    if (any)
        return;
    fprintf(out, "No kernel accesses memory in line %u. These lines do:", line);
    for (const struct launch_profile *p = launches; p; p = p->next)
        for (size_t i = 0; p->trace && i < p->line_count; i++)
            for (enum way way = 0; way < WAY_END; way++)
                if (p->lines[i].examples[way]) {
                    fprintf(out, " %u", p->lines[i].line);
                    break;
                }
    fputs("\n", out);
}
