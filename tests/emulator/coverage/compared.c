#include "compared.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../conformance/vectors.h"
#include "core/insn.h"

static struct vectors vectors;
static struct hsearch_data names;

static void remember(char *name) {
    ENTRY *found;
    if (!hsearch_r((ENTRY){.key = name}, ENTER, &found, &names))
        abort();
}

void vectors_open(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || !vectors_read(&vectors, file) || !hcreate_r(4 * vectors.count, &names)) {
        perror(path);
        exit(2);
    }
    fclose(file);
    for (size_t i = 0; i < vectors.count; i++) {
        vectors.items[i].label[strcspn(vectors.items[i].label, " ")] = '\0';
        if (!vectors.items[i].rejected)
            remember(vectors.items[i].label);
    }
}

/* Registers and numbers: what the vectors' kernels have. */
static bool plain(const char *operands) {
    for (bool begins = true; *operands; operands++) {
        if (begins && !strchr("$!_0123456789", *operands))
            return false;
        if (strchr(".{[%", *operands))
            return false;
        begins = *operands == ' ';
    }
    return true;
}

bool in_vectors(const char *candidate) {
    char opcode[128];
    ENTRY *found;
    snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(candidate, " "), candidate);
    const struct form *form = form_find(opcode);
    return form && plain(candidate + strcspn(candidate, " ") + 1) &&
           hsearch_r((ENTRY){.key = (char *)form->name}, FIND, &found, &names);
}
