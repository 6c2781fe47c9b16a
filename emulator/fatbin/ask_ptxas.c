/* An answer is found again by the options, the text and the output of `ptxas --version`. Its file begins with a line
 * that names the question and the length: for a damaged one ptxas is run again. */
#include "fatbin/ask_ptxas.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/settings.h"

#define PATH    3200
#define COMMAND 6000
#define VERSION 1000
#define WORDS   (1 << 20) /* longer output is cut off, and not kept */

struct words {
    char text[WORDS];
    size_t length;
};

/* Its output, and whether it succeeded. Excess output is left out. */
static bool read_answer(const char *command, char *words, size_t size, size_t *length) {
    FILE *said = popen(command, "re");
    *length = said ? fread(words, 1, size, said) : 0;
    bool whole = said && *length < size;
    char rest[4096];
    while (said && fread(rest, 1, sizeof rest, said) > 0) /* it must not be stopped by a full pipe */
        ;
    return said && pclose(said) == 0 && whole;
}

/* The path is passed to the shell in quotes. */
static const char *program(void) {
    const char *named = setting_text(SETTING_PTXAS);
    const char *path = named ? named : "ptxas";
    return strchr(path, '\'') || strlen(path) > 4000 ? NULL : path;
}

/* ---- the answers ---- */

/* Of the installed ptxas; queried once. */
static const char *version(void) {
    static char words[VERSION];
    static size_t length;
    static bool asked;
    char command[COMMAND];
    snprintf(command, sizeof command, "LD_LIBRARY_PATH= '%s' --version 2>/dev/null", program());
    if (!asked && !read_answer(command, words, sizeof words - 1, &length))
        *words = '\0';
    asked = true;
    return *words ? words : NULL;
}

struct answer {
    char key[CACHE_KEY], folder[PATH - 100], path[PATH];
};

static bool find_place(struct answer *a, const char *options, const char *text, size_t length) {
    const char *of = version();
    if (!of || !cache_folder(a->folder, sizeof a->folder))
        return false;
    uint64_t low = cache_hash(cache_hash(CACHE_START, of, strlen(of) + 1), options, strlen(options) + 1);
    cache_key(a->key, cache_hash(~low, text, length), cache_hash(low, text, length));
    snprintf(a->path, sizeof a->path, "%s/%s.ptxas", a->folder, a->key);
    return true;
}

static FILE *open_answer(const struct answer *a) {
    char of[CACHE_KEY] = "";
    size_t length = 0;
    struct stat s;
    FILE *kept = fopen(a->path, "re");
    bool good = kept && fscanf(kept, "ptxas %32s %zu", of, &length) == 2 && fgetc(kept) == '\n' &&
                strcmp(of, a->key) == 0 && fstat(fileno(kept), &s) == 0 && s.st_size - ftell(kept) == (long)length;
    if (good) {
        cache_renew(a->path);
        return kept;
    }
    if (kept)
        fclose(kept);
    return NULL;
}

/* Under another name first, so that no process finds half of it. */
static void keep_answer(const struct answer *a, const char *words, size_t length) {
    char unfinished[PATH + 20];
    snprintf(unfinished, sizeof unfinished, "%s.%d", a->path, (int)getpid());
    cache_prune(a->folder);
    FILE *f = fopen(unfinished, "we");
    if (!f)
        return;
    fprintf(f, "ptxas %s %zu\n", a->key, length);
    bool good = fwrite(words, 1, length, f) == length;
    if (fclose(f) != 0 || !good || rename(unfinished, a->path) != 0)
        unlink(unfinished);
}

/* ---- the question ---- */

/* The text, with another number at its `.version` if one is given. */
static bool write_text(int file, const char *text, size_t length, const char *version) {
    static const char directive[] = ".version";
    const char *number = version ? memmem(text, length, directive, strlen(directive)) : NULL;
    if (!number)
        return write(file, text, length) == (ssize_t)length;
    const char *end = text + length;
    number += strlen(directive);
    while (number < end && strchr(" \t", *number))
        number++;
    const char *rest = number;
    while (rest < end && strchr("0123456789.", *rest))
        rest++;
    return write(file, text, (size_t)(number - text)) == number - text && write(file, version, strlen(version)) > 0 &&
           write(file, rest, (size_t)(end - rest)) == end - rest;
}

static bool ask_once(const char *options, const char *text, size_t length, const char *version, struct words *w) {
    char path[] = "/tmp/profile-XXXXXX.ptx", command[COMMAND];
    int file = mkstemps(path, 4);
    if (file < 0)
        return false;
    bool good = write_text(file, text, length, version);
    close(file);
    snprintf(command, sizeof command, "LD_LIBRARY_PATH= '%s' %s '%s' -o /dev/null 2>&1", program(), options, path);
    good = good && read_answer(command, w->text, WORDS - 1, &w->length);
    w->text[w->length] = '\0';
    unlink(path);
    return good;
}

/* A library's compiler may write PTX of a newer version than this ptxas takes. Most kernels use nothing new in that
 * version, so ptxas is run again with its own newest version, which its message names. */
static bool ask(const char *options, const char *text, size_t length, struct words *w) {
    if (ask_once(options, text, length, NULL, w))
        return true;
    const char *unsupported = strstr(w->text, "Unsupported .version");
    const char *current = unsupported ? strstr(unsupported, "current version is '") : NULL;
    char version[8];
    return current && sscanf(current, "current version is '%7[0-9.]'", version) == 1 &&
           ask_once(options, text, length, version, w);
}

void ask_ptxas(const char *options, const char *text, size_t length, void (*read)(FILE *said)) {
    struct answer a;
    if (!program())
        return;
    bool may_keep = find_place(&a, options, text, length);
    FILE *kept = may_keep ? open_answer(&a) : NULL;
    if (kept) {
        read(kept);
        fclose(kept);
        return;
    }
    struct words *w = calloc(1, sizeof *w);
    if (w && ask(options, text, length, w) && may_keep)
        keep_answer(&a, w->text, w->length);
    FILE *heard = w && w->length ? fmemopen(w->text, w->length, "r") : NULL;
    if (heard) {
        read(heard);
        fclose(heard);
    }
    free(w);
}
