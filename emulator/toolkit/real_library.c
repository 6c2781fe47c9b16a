/* Looks where a program would have found NVIDIA's library, had not ours been there first: among the packages of the
 * Python that runs here, in Conda's environment, in the library path, in a toolkit. cuda-pathfinder looks in this
 * order, too. */
#include "toolkit/real_library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PACKAGES 8 /* folders of Python's packages in one process */

__attribute__((visibility("default"))) const char emulatorIsNoCompiler[] =
    "the emulator: NVIDIA's library does the work";

static const char *const IN_PACKAGES[] = {"nvidia/cu13/lib", "nvidia/cu13/nvvm/lib64", "nvidia/cuda_nvrtc/lib",
                                          "nvidia/cuda_nvcc/nvvm/lib64", NULL};
static const char *const IN_TOOLKIT[] = {"lib64",      "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                                         "nvvm/lib64", NULL};
static const char *const HERE[] = {".", NULL};

struct search {
    const char *own; /* our file */
    char name[64];   /* of both */
    void *found;
};

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void try_library(struct search *s, const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library && dlsym(library, "emulatorIsNoCompiler")) {
        dlclose(library);
        library = NULL;
    }
    s->found = library;
}

/* NVRTC asks for libnvrtc-builtins by its name alone, and not all versions say that it lies beside them: what is
 * loaded already, is found. */
static void load_companions(const char *folder, size_t length) {
    static const char begin[] = "libnvrtc-builtins.so.";
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)length, folder);
    DIR *all = opendir(path);
    for (const struct dirent *one; all && (one = readdir(all));) {
        int n = strncmp(one->d_name, begin, sizeof begin - 1) == 0
                    ? snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, one->d_name)
                    : 0;
        if (n > 0 && (size_t)n < sizeof path)
            dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (all)
        closedir(all);
}

/* Of a root that is not there nothing is tried. */
static void try_folders(struct search *s, const char *root, size_t length, const char *const *below) {
    char path[PATH_MAX];
    for (; root && length && *below && !s->found; below++) {
        int n = snprintf(path, sizeof path, "%.*s/%s/%s", (int)length, root, *below, s->name);
        if (n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0 && !same_file(path, s->own)) {
            load_companions(path, (size_t)(strrchr(path, '/') - path));
            try_library(s, path);
        }
    }
}

static void try_root(struct search *s, const char *root) {
    try_folders(s, root, root ? strlen(root) : 0, IN_TOOLKIT);
}

struct packages {
    char *folders[MOST_PACKAGES];
    int count;
};

static bool is_known(const struct packages *p, const char *folder, size_t length) {
    for (int i = 0; i < p->count; i++)
        if (strlen(p->folders[i]) == length && memcmp(p->folders[i], folder, length) == 0)
            return true;
    return false;
}

static int note_packages(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    struct packages *p = argument;
    static const char *const names[] = {"/site-packages/", "/dist-packages/"};
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(info->dlpi_name, names[i]);
        size_t length = at ? (size_t)(at - info->dlpi_name) + strlen(names[i]) - 1 : 0;
        if (at && p->count < MOST_PACKAGES && !is_known(p, info->dlpi_name, length))
            p->folders[p->count] = strndup(info->dlpi_name, length), p->count += p->folders[p->count] != NULL;
    }
    return 0;
}

/* Who calls us from Python is an installed package itself: what is loaded says where packages are. */
static void try_packages(struct search *s) {
    struct packages p = {.count = 0};
    dl_iterate_phdr(note_packages, &p);
    for (int i = 0; i < p.count; i++) {
        try_folders(s, p.folders[i], strlen(p.folders[i]), IN_PACKAGES);
        free(p.folders[i]);
    }
}

/* The loader would find ours, by this name: so each folder is tried, and then the name that compilers link with. */
static void try_library_path(struct search *s) {
    const char *rest = getenv("LD_LIBRARY_PATH");
    while (rest && *rest) {
        size_t length = strcspn(rest, ":;");
        try_folders(s, rest, length, HERE);
        rest += length + (rest[length] != '\0');
    }
    char linked[sizeof s->name];
    snprintf(linked, sizeof linked, "%.*s.so", (int)strcspn(s->name, "."), s->name);
    if (!s->found)
        try_library(s, linked);
}

static struct search search;

static void say_missing(void) {
    bool nvvm = strncmp(search.name, "libnvvm", 7) == 0;
    fprintf(stderr,
            "========= NVIDIA's %s is needed and was not found: it is a compiler, which the emulator only forwards "
            "to.\n=========     Install it (pip install %s), or add its folder to LD_LIBRARY_PATH.\n",
            search.name, nvvm ? "nvidia-nvvm" : "nvidia-cuda-nvrtc");
}

static void look_everywhere(void) {
    try_packages(&search);
    try_root(&search, getenv("CONDA_PREFIX"));
    try_library_path(&search);
    try_root(&search, getenv("CUDA_PATH"));
    try_root(&search, getenv("CUDA_HOME"));
    try_root(&search, "/usr/local/cuda");
}

/* Packages take the newest that is loaded already, which both of ours are: that of another major version will do. */
static void look(void) {
    Dl_info us;
    if (!dladdr(emulatorIsNoCompiler, &us) || !us.dli_fname)
        return;
    const char *slash = strrchr(us.dli_fname, '/');
    search.own = us.dli_fname;
    snprintf(search.name, sizeof search.name, "%s", slash ? slash + 1 : us.dli_fname);
    look_everywhere();
    char *major = strstr(search.name, ".so.1");
    if (!search.found && major) {
        char own = major[5];
        major[5] = own == '3' ? '2' : '3';
        look_everywhere();
        major[5] = own;
    }
    if (!search.found)
        say_missing();
}

void *real_function(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return search.found ? dlsym(search.found, name) : NULL;
}
