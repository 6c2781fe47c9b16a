#include "batch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tier/tier.h"

#define MAX_THREADS 15
#define BYTES       100000 /* of texts in a library */
#define LIMIT       600    /* seconds for a library */

struct batch {
    pthread_mutex_t lock;
    char *const *texts;
    struct compiled *out;
    size_t count;
    const char *folder;
    size_t next;
    atomic_bool failed;
};

static bool write_texts(const struct batch *b, size_t from, size_t to, const char *path) {
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fputs(tier_prelude, f);
    fprintf(f, "typedef const struct insn *(*tier_part)(struct warp *, const struct insn *, const struct insn *);\n");
    for (size_t i = from; i < to; i++)
        fprintf(f,
                "#define run_whole run_whole_%zu\n#define run_some run_some_%zu\n#define " TIER_ENTRY " run_%zu\n%s"
                "const tier_part whole_%zu = run_whole, some_%zu = run_some;\n#undef run_whole\n#undef run_some\n"
                "#undef " TIER_ENTRY "\n",
                i, i, i, b->texts[i], i, i);
    return fclose(f) == 0;
}

static void *find(void *library, const char *what, size_t i) {
    char name[64];
    snprintf(name, sizeof name, "%s_%zu", what, i);
    return dlsym(library, name);
}

static bool load(const struct batch *b, size_t from, size_t to, const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fprintf(stderr, "# %s\n", dlerror()), false;
    for (size_t i = from; i < to; i++) {
        void *run = find(library, "run", i), *whole = find(library, "whole", i), *some = find(library, "some", i);
        if (!run || !whole || !some)
            return fprintf(stderr, "# %s: kernel %zu is not in it\n", path, i), false;
        memcpy(&b->out[i].run, &run, sizeof run);
        b->out[i].whole = *(const tier_part *)whole;
        b->out[i].some = *(const tier_part *)some;
    }
    return true;
}

static bool compile(const struct batch *b, size_t from, size_t to) {
    char source[4000], library[4000];
    snprintf(source, sizeof source, "%s/batch%zu.c", b->folder, from); /* removed by tier_compile() */
    snprintf(library, sizeof library, "%s/batch%zu.so", b->folder, from);
    unlink(library);
    if (!write_texts(b, from, to, source))
        return fprintf(stderr, "# %s cannot be written\n", source), false;
    tier_compile(source, library, "batch", LIMIT);
    return load(b, from, to, library);
}

/* The next texts that nobody has compiled; false when there are none. */
static bool take(struct batch *b, size_t *from, size_t *to) {
    size_t bytes = 0;
    pthread_mutex_lock(&b->lock);
    *from = b->next;
    while (b->next < b->count && bytes < BYTES && !b->failed)
        bytes += strlen(b->texts[b->next++]);
    *to = b->next;
    pthread_mutex_unlock(&b->lock);
    return *to > *from;
}

static void *work(void *argument) {
    struct batch *b = argument;
    for (size_t from, to; take(b, &from, &to);)
        if (!compile(b, from, to))
            b->failed = true;
    return NULL;
}

bool batch_compile(char *const *texts, struct compiled *out, size_t count, const char *folder) {
    struct batch b = {PTHREAD_MUTEX_INITIALIZER, texts, out, count, folder, 0, false};
    pthread_t others[MAX_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN), n = 0;
    while (n < cores - 1 && n < MAX_THREADS && pthread_create(&others[n], NULL, work, &b) == 0)
        n++;
    work(&b);
    while (n)
        pthread_join(others[--n], NULL);
    return !b.failed;
}
