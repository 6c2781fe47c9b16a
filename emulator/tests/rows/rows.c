/* Whether the table of instructions (emulator/isa) is complete and true.
 *   rows judge FORMS   each form of the coverage's list that is decoded has a row, and that says what decode made of
 *                      it; a row with one column changed is found out: the judgement itself is tested
 *   rows names         the names of all rows
 * Complaints begin with `row` or `mutant`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coverage/grammar.h"
#include "../coverage/statement.h"
#include "judge.h"
#include "ops/forms.h"

#define MAX_ROWS 512
#define SHOWN    300

static unsigned complaints, judged;
static bool used[MAX_ROWS];
static const char *candidate; /* being decoded */

static void complain(const char *kind, const char *what, const char *why) {
    if (++complaints <= SHOWN)
        printf("%s %s: %s\n", kind, what, why);
}

static size_t number_of(const struct instruction *row) {
    size_t i = 0;
    while (i < instruction_count() && instruction_at(i) != row)
        i++;
    return i;
}

/* ---- the rows themselves ---- */

static void check_names(void) {
    for (size_t i = 0; i < instruction_count(); i++) {
        const struct instruction *row = instruction_at(i);
        if (instruction_find(row->name) != row)
            complain("row", row->name, "there are two such rows");
        if (row->controls && row->undefined != UNDEFINED_BITS && row->undefined != UNDEFINED_CHOICE)
            complain("row", row->name, "only of bits that are moved some operands say which");
        if (!used[i] && row->decoding != DECODING_tensor_copy)
            complain("row", row->name, "no form that is decoded has this row");
    }
}

static void check_tables(void) {
    for (size_t i = 0; i < form_count(); i++) {
        const struct instruction *row = instruction_find(form_at(i)->name);
        bool by_form =
            row->decoding == DECODING_form || row->decoding == DECODING_mov || row->decoding == DECODING_video;
        if (row == &instruction_unknown || !by_form)
            complain("row", form_at(i)->name, "the tables of forms have it, and no row says so");
    }
}

/* ---- rows that are wrong ---- */

/* Columns by which what is decoded can be judged. */
#define COLUMN(name, count)                                                                                            \
    { #name, offsetof(struct instruction, name), count }
static const struct column {
    const char *name;
    size_t offset;
    unsigned values;
} columns[] = {
    COLUMN(class, CLASS_END),       COLUMN(first, FIRST_UPDATED + 1),  COLUMN(memory, MEMORY_STACK + 1),
    COLUMN(order, ORDER_GRIDS + 1), COLUMN(control, CONTROL_TRAP + 1), COLUMN(lanes, LANES_TURN + 1),
    COLUMN(probing, PROBED + 1),
};
#define COLUMNS (sizeof columns / sizeof *columns)

static bool found_out[MAX_ROWS][COLUMNS][32];

static void judge_mutants(const struct evidence *e, size_t n) {
    for (size_t c = 0; c < COLUMNS; c++)
        for (unsigned value = 0; value < columns[c].values; value++) {
            struct instruction mutant = *e->p->row;
            ((uint8_t *)&mutant)[columns[c].offset] = (uint8_t)value;
            if (!found_out[n][c][value])
                found_out[n][c][value] = judge(&mutant, e) != NULL;
        }
}

/* An instruction that is floating-point in all its forms has a class of its own only by name. */
static bool is_alike(const struct instruction *row, const struct column *c) {
    return strcmp(c->name, "class") == 0 && row->counting == COUNTED_BY_TYPE && row->class == CLASS_OTHER;
}

static void check_mutants(void) {
    for (size_t i = 0; i < instruction_count(); i++)
        for (size_t c = 0; c < COLUMNS; c++)
            for (unsigned value = 0; value < columns[c].values; value++) {
                const struct instruction *row = instruction_at(i);
                bool own = ((const uint8_t *)row)[columns[c].offset] == value;
                char why[80];
                snprintf(why, sizeof why, "column '%s' could be %u without being found out", columns[c].name, value);
                if (used[i] && !own && !is_alike(row, &columns[c]) && !found_out[i][c][value])
                    complain("mutant", row->name, why);
            }
}

/* ---- forms ---- */

static void see(const struct evidence *e) {
    const char *wrong = judge(e->p->row, e);
    size_t n = number_of(e->p->row);
    judged++;
    if (wrong)
        complain("row", candidate, wrong);
    if (n == instruction_count())
        return;
    used[n] = true;
    judge_mutants(e, n);
}

static void decode(const struct candidate *c, const char *family) {
    static char text[16384], statement[4096];
    char error[600];
    statement_write(c->text, statement, sizeof statement, NULL);
    int length = snprintf(text, sizeof text, "%s.visible .entry form%s%s\n%s\nret; }\n", statement_module,
                          statement_body, statement_addresses, statement);
    struct module *module = module_load(text, (size_t)length, "rows", error, sizeof error);
    struct kernel *kernel = module ? module_kernel(module, "form") : NULL;
    candidate = c->text;
    if (kernel && kernel_prepare(kernel))
        evidence_of(kernel, c->text, family, see);
    if (module)
        module_unload(module);
}

static void walk(const char *forms) {
    struct grammar g = {0};
    grammar_read(&g, forms);
    for (size_t i = 0; i < g.candidate_count; i++)
        decode(&g.candidates[i], g.families[g.candidates[i].family]);
    grammar_free(&g);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "names") == 0) {
        for (size_t i = 0; i < instruction_count(); i++)
            puts(instruction_at(i)->name);
        return 0;
    }
    if (argc != 3 || strcmp(what, "judge") != 0 || instruction_count() > MAX_ROWS)
        return 2;
    walk(argv[2]);
    check_names();
    check_tables();
    check_mutants();
    printf("%u instructions, %zu rows, %u complaints\n", judged, instruction_count(), complaints);
    return complaints != 0;
}
