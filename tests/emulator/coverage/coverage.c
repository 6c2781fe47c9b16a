/* Which of PTX's instructions the emulator has: see README.md.
 *   coverage ask FORMS [REJECTED]              prints the module that ptxas is to judge
 *   coverage listen FORMS ANSWER REJECTED      adds what ptxas rejected to that file; status 1: ask again
 *   coverage assemble FORMS REJECTED           prints the module without them: ptxas must compile it
 *   coverage table FORMS REJECTED EXCLUSIONS VECTORS   prints the table; complaints go to stderr, status 1 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compared.h"
#include "decoded.h"
#include "grammar.h"
#include "judged.h"

static bool *read_rejected(const struct grammar *p, const char *path) {
    bool *rejected = calloc(p->candidate_count + 1, sizeof *rejected);
    FILE *file = fopen(path, "r");
    if (!rejected)
        abort();
    for (unsigned n; file && fscanf(file, "%u", &n) == 1;)
        if (n < p->candidate_count)
            rejected[n] = true;
    if (file)
        fclose(file);
    return rejected;
}

static void write_rejected(const struct grammar *p, const bool *rejected, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(2);
    }
    for (size_t i = 0; i < p->candidate_count; i++)
        if (rejected[i])
            fprintf(file, "%zu\n", i);
    fclose(file);
}

/* ---- what is left out on purpose ---- */

struct exclusion {
    char *pattern; /* of the shell's kind, for the whole form */
    bool used;
};

struct exclusions {
    struct exclusion items[200];
    size_t count;
};

static struct exclusions read_exclusions(const char *path) {
    struct exclusions e = {.count = 0};
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) && e.count < sizeof e.items / sizeof *e.items) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] && line[0] != '#')
            e.items[e.count++].pattern = strdup(line);
    }
    fclose(file);
    return e;
}

static bool excluded(struct exclusions *e, const char *form) {
    bool found = false;
    for (size_t i = 0; i < e->count; i++)
        if (fnmatch(e->items[i].pattern, form, 0) == 0)
            found = e->items[i].used = true;
    return found;
}

/* ---- the table ---- */

struct row {
    size_t legal, decoded, compared;
};

static void print_row(const char *name, const struct row *r, const char *remark) {
    printf("| %s | %zu | %zu | %zu | %s |\n", name, r->legal, r->decoded, r->compared, remark);
}

static void print_table(const struct grammar *p, const struct row *rows) {
    struct row sum = {0};
    printf("| family | forms that are legal | decoded | compared with an H200 | remarks |\n|---|--:|--:|--:|---|\n");
    for (size_t i = 0; i < p->family_count; i++) {
        char name[512];
        snprintf(name, sizeof name, "%s", p->families[i]);
        char *remark = strstr(name, " | ");
        if (remark)
            *remark = '\0';
        print_row(name, &rows[i], remark ? remark + 3 : "");
        sum.legal += rows[i].legal;
        sum.decoded += rows[i].decoded;
        sum.compared += rows[i].compared;
    }
    print_row("**all**", &sum, "");
}

static unsigned complain(const struct exclusions *e) {
    unsigned complaints = 0;
    for (size_t i = 0; i < e->count; i++)
        if (!e->items[i].used) {
            fprintf(stderr, "exclusion '%s' excludes nothing\n", e->items[i].pattern);
            complaints++;
        }
    return complaints;
}

/* A form must be decoded, or be left out on purpose: one or the other. */
static int table(const struct grammar *p, const bool *rejected, struct exclusions *e) {
    struct row *rows = calloc(p->family_count, sizeof *rows);
    unsigned complaints = 0;
    if (!rows)
        abort();
    for (size_t i = 0; i < p->candidate_count; i++) {
        const struct candidate *c = &p->candidates[i];
        char error[600];
        if (rejected[i])
            continue;
        bool good = decoded(c->text, error, sizeof error), left_out = excluded(e, c->text);
        rows[c->family].legal++;
        rows[c->family].decoded += good;
        rows[c->family].compared += good && compared(c->text);
        if (good == left_out) {
            fprintf(stderr, "%s: %s\n", c->text, good ? "is excluded, and yet it is decoded" : error);
            complaints++;
        }
    }
    complaints += complain(e);
    print_table(p, rows);
    free(rows);
    return complaints ? 1 : 0;
}

int main(int argc, char **argv) {
    struct grammar p = {0};
    int status = 2;
    if (argc < 3)
        return status;
    grammar_read(&p, argv[2]);
    bool *rejected = argc > 3 ? read_rejected(&p, argv[strcmp(argv[1], "listen") == 0 ? argc - 1 : 3]) : NULL;
    if (strcmp(argv[1], "ask") == 0 || strcmp(argv[1], "assemble") == 0) {
        judged_write(&p, rejected, strcmp(argv[1], "ask") == 0);
        status = 0;
    } else if (strcmp(argv[1], "listen") == 0 && argc == 5) {
        status = judged_read(&p, argv[3], rejected) ? 0 : 1;
        write_rejected(&p, rejected, argv[4]);
    } else if (strcmp(argv[1], "table") == 0 && argc == 6) {
        struct exclusions e = read_exclusions(argv[4]);
        compared_read(argv[5]);
        status = table(&p, rejected, &e);
        for (size_t i = 0; i < e.count; i++)
            free(e.items[i].pattern);
    }
    free(rejected);
    grammar_free(&p);
    return status;
}
