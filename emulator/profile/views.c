/* See views.h: which pictures exist, and how their files are named. */
#include "profile/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/source.h"
#include "profile/output.h"
#include "profile/reports.h"

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

/* The destinations of pictures: their files, their names, and their text form. */
struct picture_output {
    FILE *out, *text; /* text: nowhere, when only a summary is requested */
    const char *folder;
};

static FILE *open_picture(const struct picture_output *a, const char *name, const char *shows) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s.svg", a->folder, name);
    FILE *svg = fopen(path, "we");
    if (!svg)
        fprintf(stderr, "view: cannot write %s\n", path);
    else if (a->text == a->out)
        fprintf(a->out, "%s\n", path);
    else
        fprintf(a->out, "  %s\n      %s\n", path, shows);
    return svg;
}

static void access_pictures(const struct picture_output *a, const struct launch_profile *p,
                            const struct line_profile *line) {
    static const char *const names[] = {"global_load", "global_store", "global_atomic", "global_atomic", "local_load",
                                        "local_store", "shared_load",  "shared_store",  "shared_atomic"};
    char source[100] = "", where[200], kernel[200], name[300];
    if (line->file)
        source_line(line->file, line->line, source, sizeof source, &(uint32_t){0});
    file_name(p->name, kernel, sizeof kernel);
    for (enum kind_of_access kind = 0; kind < KINDS_OF_ACCESS; kind++) {
        if (!line->examples[kind])
            continue;
        snprintf(where, sizeof where, "line %u, %.6s %s: %s", line->line, names[kind], strchr(names[kind], '_') + 1,
                 source);
        snprintf(name, sizeof name, "%s_line%u_%s", kernel, line->line, names[kind]);
        FILE *svg = open_picture(a, name, where);
        if (!svg)
            continue;
        (kind < KIND_SHARED_LOAD ? view_sectors : view_banks)(svg, a->text, line->examples[kind], where);
        fclose(svg);
    }
}

static void block_pictures(const struct picture_output *a, const struct launch_profile *p) {
    char kernel[200], shown[200], name[300];
    unsigned number = 0;
    file_name(p->name, kernel, sizeof kernel);
    short_name(p->name, shown, sizeof shown);
    for (const struct heat *h = p->trace->heats; h; h = h->next) {
        snprintf(name, sizeof name, "%s_heat%u", kernel, ++number);
        FILE *svg = open_picture(a, name, h->name);
        if (svg) {
            view_heat(svg, a->text, h, shown, p->block);
            fclose(svg);
        }
    }
    snprintf(name, sizeof name, "%s_divergence", kernel);
    FILE *svg = open_picture(a, name, "active threads, instruction by instruction");
    if (svg) {
        view_divergence(svg, a->text, p->trace, shown);
        fclose(svg);
    }
}

/* All of a launch, or of one line only its accesses. True when there was something to draw. */
static bool launch_pictures(const struct picture_output *a, const struct launch_profile *p, uint32_t line) {
    bool any = !line;
    if (a->text != a->out)
        fprintf(a->out, "%s\n", p->name);
    for (size_t i = 0; i < p->line_count; i++)
        if (!line || p->lines[i].line == line) {
            for (enum kind_of_access kind = 0; kind < KINDS_OF_ACCESS; kind++)
                any |= p->lines[i].examples[kind] != NULL;
            access_pictures(a, p, &p->lines[i]);
        }
    if (!line)
        block_pictures(a, p);
    return any;
}

static void put_other_lines(FILE *out, const struct launch_profile *launches, uint32_t line) {
    fprintf(out, "No kernel accesses memory in line %u. These lines do:", line);
    for (const struct launch_profile *p = launches; p; p = p->next)
        for (size_t i = 0; p->trace && i < p->line_count; i++)
            for (enum kind_of_access kind = 0; kind < KINDS_OF_ACCESS; kind++)
                if (p->lines[i].examples[kind]) {
                    fprintf(out, " %u", p->lines[i].line);
                    break;
                }
    fputs("\n", out);
}

void views_write(FILE *out, const struct launch_profile *launches, const char *folder, uint32_t line) {
    bool any = false, brief = output_brief() && !line && profile_kernels(launches) > BRIEF_KERNELS;
    FILE *nowhere = brief ? fopen("/dev/null", "we") : NULL;
    struct picture_output album = {out, nowhere ? nowhere : out, folder};
    if (!make_folder(folder)) {
        fprintf(stderr, "view: cannot make the folder %s\n", folder);
        return;
    }
    for (const struct launch_profile *p = launches; p; p = p->next)
        if (p->trace)
            any |= launch_pictures(&album, p, line);
    if (!launches)
        output_no_kernel(out);
    else if (!any && line)
        put_other_lines(out, launches, line);
    if (nowhere) {
        fprintf(out, "\nThis is a summary: %s shows one kernel's pictures here as well; LINE=number those of a line.\n",
                output_brief());
        fclose(nowhere);
    }
}
