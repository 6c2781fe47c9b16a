/* Where the folder is, how its files are named, and which are removed when it is full. */
#include "base/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/settings.h"

#define MAX_FILES 400

bool cache_folder(char *path, size_t size) {
    const char *own = setting_text(SETTING_CACHE), *xdg = setting_text(SETTING_CACHE_HOME);
    const char *home = setting_text(SETTING_HOME);
    if (own) {
        snprintf(path, size, "%s", own);
    } else if (xdg && *xdg == '/') {
        snprintf(path, size, "%s/cuda-emulator", xdg);
    } else if (home && *home == '/') {
        snprintf(path, size, "%s/.cache", home);
        mkdir(path, 0700);
        snprintf(path, size, "%s/.cache/cuda-emulator", home);
    } else {
        return false;
    }
    mkdir(path, 0700);
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & 022);
}

uint64_t cache_hash(uint64_t h, const void *data, size_t n) {
    const uint8_t *p = data;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

void cache_key(char key[CACHE_KEY], uint64_t high, uint64_t low) {
    snprintf(key, CACHE_KEY, "%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
}

struct file_age {
    char name[64];
    time_t time;
};

static int by_age(const void *a, const void *b) {
    const struct file_age *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* Only files that were made here may be removed. */
static bool is_ours(const char *name) {
    size_t digits = strspn(name, "0123456789abcdef");
    return digits >= 16 && name[digits] == '.' && strlen(name) < sizeof((struct file_age *)0)->name;
}

void cache_prune(const char *folder) {
    DIR *d = opendir(folder);
    struct file_age *files = calloc(4 * MAX_FILES, sizeof *files);
    size_t n = 0;
    for (struct dirent *e; d && files && (e = readdir(d)) && n < 4 * MAX_FILES;) {
        struct stat s;
        if (!is_ours(e->d_name) || fstatat(dirfd(d), e->d_name, &s, 0) != 0)
            continue;
        strcpy(files[n].name, e->d_name); /* it fits: see is_ours() */
        files[n++].time = s.st_mtime;
    }
    if (n > MAX_FILES) {
        qsort(files, n, sizeof *files, by_age);
        for (size_t i = 0; i < n / 2; i++)
            unlinkat(dirfd(d), files[i].name, 0);
    }
    free(files);
    if (d)
        closedir(d);
}

void cache_renew(const char *path) {
    utimensat(AT_FDCWD, path, NULL, 0);
}
