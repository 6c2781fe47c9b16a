/* view.c - the paths that a jail shows. */
#include "jail.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool beneath(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0' || (n == 1 && folder[0] == '/'));
}

void view_hide(struct jail *jail, const char *path) {
    char real[PATH_MAX];
    if (!realpath(path, real))
        return;
    jail->hidden = jail_grow(jail->hidden, jail->hidden_count, sizeof *jail->hidden);
    jail->hidden[jail->hidden_count++] = strdup(real);
}

static void add(struct jail *jail, int kind, const char *path) {
    jail->views = jail_grow(jail->views, jail->count, sizeof *jail->views);
    jail->views[jail->count++] = (struct view){kind, strdup(path)};
}

/* Is the path hidden, or something beneath it? */
static bool holds_hidden(const struct jail *jail, const char *real) {
    for (size_t h = 0; h < jail->hidden_count; h++)
        if (beneath(jail->hidden[h], real))
            return true;
    return false;
}

static bool is_hidden(const struct jail *jail, const char *real) {
    for (size_t h = 0; h < jail->hidden_count; h++)
        if (beneath(real, jail->hidden[h]))
            return true;
    return false;
}

/* A folder above something hidden is shown entry by entry. Links in it are not followed: their targets may be hidden. */
static void add_entries(struct jail *jail, int kind, const char *path) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char below[PATH_MAX], real[PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (snprintf(below, sizeof below, "%s/%s", strcmp(path, "/") ? path : "", entry->d_name) < (int)sizeof below &&
            realpath(below, real) && !is_hidden(jail, real))
            view_add(jail, kind, below);
    }
    if (folder)
        closedir(folder);
}

void view_add(struct jail *jail, int kind, const char *path) {
    char real[PATH_MAX];
    if (path[0] != '/')
        jail_fail("'%s' is not an absolute path", path);
    if (!realpath(path, real))
        return; /* it does not exist */
    if (holds_hidden(jail, real) && !is_hidden(jail, real)) {
        add_entries(jail, kind, real);
        return;
    }
    for (size_t h = 0; h < jail->hidden_count; h++)
        if (strcmp(real, jail->hidden[h]) == 0)
            jail_fail("%s is both hidden and requested", path);
    add(jail, kind, path);
    if (strcmp(path, real) != 0)
        add(jail, kind, real);
}

void view_add_system(struct jail *jail) {
    static const char *const folders[] = {"/usr",
                                          "/lib",
                                          "/lib32",
                                          "/lib64",
                                          "/libx32",
                                          "/bin",
                                          "/sbin",
                                          "/opt",
                                          "/nix",
                                          "/etc/ld.so.cache",
                                          "/etc/alternatives",
                                          "/etc/ld.so.conf",
                                          "/etc/ld.so.conf.d",
                                          "/sys/devices/system"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        view_add(jail, VIEW_READ, folders[i]);
    if (!jail->gpu)
        return;
    view_add(jail, VIEW_READ, "/sys");
    static const char *const devices[] = {"nvidia", "dxg", "dri"};
    DIR *folder = opendir("/dev");
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
            if (strncmp(entry->d_name, devices[d], strlen(devices[d])) == 0) {
                char path[PATH_MAX];
                snprintf(path, sizeof path, "/dev/%s", entry->d_name);
                view_add(jail, VIEW_DEVICE, path);
            }
    if (folder)
        closedir(folder);
}

static int by_length(const void *a, const void *b) {
    const struct view *x = a, *y = b;
    size_t m = strlen(x->path), n = strlen(y->path);
    return m != n ? (m < n ? -1 : 1) : strcmp(x->path, y->path);
}

void view_sort(struct jail *jail) {
    size_t kept = 0;
    qsort(jail->views, jail->count, sizeof *jail->views, by_length);
    for (size_t v = 0; v < jail->count; v++) {
        bool shown = false;
        for (size_t k = 0; k < kept && !shown; k++)
            shown = beneath(jail->views[v].path, jail->views[k].path) && jail->views[k].kind >= jail->views[v].kind;
        if (!shown)
            jail->views[kept++] = jail->views[v];
    }
    jail->count = kept;
}
