#include "grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETS 64
#define MAX_TEXT 2048

struct set {
    char *name, *alternatives;
};

struct reader {
    struct grammar *grammar;
    struct set sets[MAX_SETS];
    size_t set_count;
    const char *path;
    unsigned line;
};

static _Noreturn void fail(const struct reader *r, const char *what) {
    fprintf(stderr, "%s:%u: %s\n", r->path, r->line, what);
    exit(2);
}

static void *grown(void *array, size_t count, size_t *room, size_t size) {
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 1024;
    array = realloc(array, *room * size);
    if (!array)
        abort();
    return array;
}

static char *copy(const char *text) {
    char *s = strdup(text);
    if (!s)
        abort();
    return s;
}

static void join(const struct reader *r, char *out, const char *a, size_t a_length, const char *b, size_t b_length,
                 const char *c) {
    if (snprintf(out, MAX_TEXT, "%.*s%.*s%s", (int)a_length, a, (int)b_length, b, c) >= MAX_TEXT)
        fail(r, "the pattern is too long");
}

/* \( and \) become parentheses of PTX. */
static void add(struct reader *r, const char *text) {
    struct grammar *p = r->grammar;
    char plain[MAX_TEXT], *out = plain;
    for (const char *s = text; *s; s++)
        if (*s != '\\')
            *out++ = *s;
    while (out > plain && out[-1] == ' ')
        out--;
    *out = '\0';
    p->candidates = grown(p->candidates, p->candidate_count, &p->room, sizeof *p->candidates);
    p->candidates[p->candidate_count++] = (struct candidate){(unsigned)p->family_count - 1, copy(plain)};
}

static const char *find(const char *s, char wanted) {
    for (; *s; s++)
        if (*s == '\\' && s[1])
            s++;
        else if (*s == wanted)
            return s;
    return NULL;
}

/* The first '/' or ')' behind an opening parenthesis that belongs to it. */
static const char *next_end(const struct reader *r, const char *s) {
    unsigned depth = 0;
    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        else if (*s == '(')
            depth++;
        else if (depth == 0 && (*s == '/' || *s == ')'))
            return s;
        else if (*s == ')')
            depth--;
    }
    fail(r, "a parenthesis is not closed");
}

static void expand(struct reader *r, const char *text) {
    const char *open = find(text, '(');
    if (!open) {
        add(r, text);
        return;
    }
    const char *end = next_end(r, open + 1), *close = end;
    while (*close == '/')
        close = next_end(r, close + 1);
    for (const char *begin = open + 1;; end = next_end(r, begin)) {
        char chosen[MAX_TEXT];
        join(r, chosen, text, (size_t)(open - text), begin, (size_t)(end - begin), close + 1);
        expand(r, chosen);
        if (end == close)
            return;
        begin = end + 1;
    }
}

/* <NAME> becomes (its alternatives). */
static void replace_sets(const struct reader *r, const char *text, char *out) {
    const char *open;
    snprintf(out, MAX_TEXT, "%s", text);
    while ((open = strchr(out, '<'))) {
        const char *close = strchr(open, '>');
        size_t i = 0, length = close ? (size_t)(close - open - 1) : 0;
        while (i < r->set_count &&
               (strlen(r->sets[i].name) != length || memcmp(r->sets[i].name, open + 1, length) != 0))
            i++;
        if (!close || i == r->set_count)
            fail(r, "there is no such set");
        char middle[MAX_TEXT], before[MAX_TEXT];
        join(r, middle, "(", 1, r->sets[i].alternatives, strlen(r->sets[i].alternatives), ")");
        snprintf(before, sizeof before, "%s", out);
        join(r, out, before, (size_t)(open - out), middle, strlen(middle), before + (close - out) + 1);
    }
}

static void read_line(struct reader *r, char *line) {
    struct grammar *p = r->grammar;
    char text[MAX_TEXT];
    if (line[0] == '#' || line[0] == '\0')
        return;
    if (strncmp(line, "set ", 4) == 0) {
        char *name = strtok(line + 4, " "), *rest = strtok(NULL, "");
        if (!name || !rest || r->set_count == MAX_SETS)
            fail(r, "a set needs a name and alternatives");
        replace_sets(r, rest + strspn(rest, " "), text);
        r->sets[r->set_count++] = (struct set){copy(name), copy(text)};
    } else if (strncmp(line, "family ", 7) == 0) {
        p->families = realloc(p->families, (p->family_count + 1) * sizeof *p->families);
        if (!p->families)
            abort();
        p->families[p->family_count++] = copy(line + 7);
    } else {
        if (!p->family_count)
            fail(r, "a pattern before the first family");
        replace_sets(r, line, text);
        expand(r, text);
    }
}

static int by_family_and_text(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    return x->family != y->family ? (x->family < y->family ? -1 : 1) : strcmp(x->text, y->text);
}

/* Patterns overlap: each form counts once. */
static void remove_duplicates(struct grammar *p) {
    size_t kept = 0;
    qsort(p->candidates, p->candidate_count, sizeof *p->candidates, by_family_and_text);
    for (size_t i = 0; i < p->candidate_count; i++)
        if (kept && by_family_and_text(&p->candidates[kept - 1], &p->candidates[i]) == 0)
            free(p->candidates[i].text);
        else
            p->candidates[kept++] = p->candidates[i];
    p->candidate_count = kept;
}

void grammar_read(struct grammar *p, const char *path) {
    struct reader r = {.grammar = p, .path = path};
    char line[MAX_TEXT];
    FILE *file = fopen(path, "r");
    if (!file)
        fail(&r, "cannot be read");
    while (fgets(line, sizeof line, file)) {
        r.line++;
        line[strcspn(line, "\n")] = '\0';
        read_line(&r, line);
    }
    fclose(file);
    for (size_t i = 0; i < r.set_count; i++) {
        free(r.sets[i].name);
        free(r.sets[i].alternatives);
    }
    remove_duplicates(p);
}

void grammar_free(struct grammar *p) {
    for (size_t i = 0; i < p->candidate_count; i++)
        free(p->candidates[i].text);
    for (size_t i = 0; i < p->family_count; i++)
        free(p->families[i]);
    free(p->candidates);
    free(p->families);
}
