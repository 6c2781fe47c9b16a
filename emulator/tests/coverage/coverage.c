/* Which of PTX's instructions the emulator has: see README.md.
 *   coverage ask FORMS [REJECTED]              prints the module that ptxas is to judge
 *   coverage listen FORMS ANSWER REJECTED      adds what ptxas rejected to that file; status 1: ask again
 *   coverage assemble FORMS REJECTED           prints the module without them: ptxas must compile it
 *   coverage table FORMS REJECTED EXCLUSIONS UNCOMPARED VECTORS TENSOR RESULTS
 *                                            prints the table; complaints go to stderr, status 1
 *   coverage list FORMS REJECTED UNCOMPARED VECTORS TENSOR   prints the numbers of the forms that are compared by executing them
 *   coverage expect FORMS LIST RESULTS       writes what the forms in LIST leave on the emulator, as record_gpu writes it
 *   coverage dump FORMS NUMBER FILE            writes what a form leaves on the emulator */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compared.h"
#include "decoded.h"
#include "executed.h"
#include "grammar.h"
#include "judged.h"
#include "results.h"
#include "trial.h"

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

/* ---- executing ---- */

enum outcome { OUTCOME_SAME, OUTCOME_NOT_RECORDED, OUTCOME_WRONG };

/* Executes a form: it must not fail, and leave what an H200 left where somebody asked one. */
static enum outcome execute(const struct results *r, const struct candidate *c, size_t number) {
    struct trial trial = trial_of(c->text);
    const struct result *expected = results_find(r, trial_fingerprint(&trial));
    const uint8_t *output;
    char error[600] = "";
    if (!executed(&trial, &output, error, sizeof error))
        fprintf(stderr, "%s: %s (form %zu)\n", c->text, error, number);
    else if (expected && trial_hash(&trial, output) != expected->hash)
        fprintf(stderr, "%s: differs from an H200 (form %zu)\n", c->text, number);
    else
        return expected ? OUTCOME_SAME : OUTCOME_NOT_RECORDED;
    return OUTCOME_WRONG;
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

/* Patterns that match nothing have outlived what they were for. */
static unsigned complain(const struct form_patterns *p) {
    unsigned complaints = 0;
    for (size_t i = 0; i < p->count; i++)
        if (!p->items[i].used) {
            fprintf(stderr, "pattern '%s' matches nothing\n", p->items[i].text);
            complaints++;
        }
    return complaints;
}

struct lists {
    struct form_patterns exclusions, uncompared;
    struct results results;
};

/* A form must be decoded, or be left out on purpose: one or the other. One that is decoded must do what an H200 does. */
static int table(const struct grammar *p, const bool *rejected, struct lists *l) {
    struct row *rows = calloc(p->family_count, sizeof *rows);
    unsigned complaints = 0;
    if (!rows)
        abort();
    for (size_t i = 0; i < p->candidate_count; i++) {
        const struct candidate *c = &p->candidates[i];
        struct row *row = &rows[c->family];
        char error[600];
        if (rejected[i])
            continue;
        bool good = decoded(c->text, error, sizeof error), left_out = form_patterns_match(&l->exclusions, c->text);
        bool alone = form_patterns_match(&l->uncompared, c->text), known = good && in_vectors(c->text);
        enum outcome outcome = good && !alone && !known ? execute(&l->results, c, i) : OUTCOME_NOT_RECORDED;
        row->legal++;
        row->decoded += good;
        row->compared += known || outcome == OUTCOME_SAME;
        complaints += outcome == OUTCOME_WRONG;
        if (good == left_out) {
            fprintf(stderr, "%s: %s\n", c->text, good ? "is excluded, and yet it is decoded" : error);
            complaints++;
        }
    }
    complaints += complain(&l->exclusions) + complain(&l->uncompared);
    print_table(p, rows);
    free(rows);
    return complaints ? 1 : 0;
}

/* Instructions that wait for something, or that are an error where they are not expected. */
static bool risky(const char *family) {
    static const char *const families[] = {"barriers", "mbarrier", "asynchronous copies", "clusters of one block"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(family, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

/* The forms that are compared by executing them: their numbers. What might hang comes last. */
static int list(const struct grammar *p, const bool *rejected, struct form_patterns *uncompared) {
    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i < p->candidate_count; i++) {
            const char *form = p->candidates[i].text, *family = p->families[p->candidates[i].family];
            if (!rejected[i] && risky(family) == last && strncmp(family, "later", 5) != 0 && !in_vectors(form) &&
                !form_patterns_match(uncompared, form))
                printf("%zu\n", i);
        }
    return 0;
}

/* What record_gpu would write if the emulator were right. */
static int expect(const struct grammar *p, const char *list, const char *path) {
    struct results r = {calloc(p->candidate_count + 1, sizeof *r.items), 0};
    FILE *file = fopen(list, "r");
    if (!r.items || !file)
        return 2;
    for (size_t n; fscanf(file, "%zu", &n) == 1 && n < p->candidate_count && r.count < p->candidate_count;) {
        struct trial trial = trial_of(p->candidates[n].text);
        const uint8_t *output;
        char error[600];
        if (executed(&trial, &output, error, sizeof error))
            r.items[r.count++] = (struct result){trial_fingerprint(&trial), trial_hash(&trial, output)};
    }
    fclose(file);
    results_write(&r, path);
    free(r.items);
    return 0;
}

/* The output of one form, for a look. */
static int dump(const struct grammar *p, size_t number, const char *path) {
    const uint8_t *output;
    char error[600] = "";
    FILE *file = fopen(path, "wb");
    if (!file || number >= p->candidate_count)
        return 2;
    struct trial trial = trial_of(p->candidates[number].text);
    bool good = executed(&trial, &output, error, sizeof error);
    if (good)
        fwrite(output, TRIAL_OUTPUT_BYTES, 1, file);
    else
        fprintf(stderr, "%s: %s\n", p->candidates[number].text, error);
    return fclose(file) != 0 || !good;
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
    } else if (strcmp(argv[1], "table") == 0 && argc == 9) {
        struct lists l = {form_patterns_read(argv[4]), form_patterns_read(argv[5]), results_read(argv[8])};
        vectors_open(argv[6], argv[7]);
        status = table(&p, rejected, &l);
        free(l.results.items);
    } else if (strcmp(argv[1], "list") == 0 && argc == 7) {
        struct form_patterns uncompared = form_patterns_read(argv[4]);
        vectors_open(argv[5], argv[6]);
        status = list(&p, rejected, &uncompared);
    } else if (strcmp(argv[1], "expect") == 0 && argc == 5) {
        status = expect(&p, argv[3], argv[4]);
    } else if (strcmp(argv[1], "dump") == 0 && argc == 5) {
        status = dump(&p, strtoul(argv[3], NULL, 10), argv[4]);
    }
    free(rejected);
    grammar_free(&p);
    return status;
}
