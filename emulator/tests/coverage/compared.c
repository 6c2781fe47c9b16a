#include "compared.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../conformance/vectors.h"
#include "machine/insn.h"
#include "ops/forms.h"

static struct vectors vectors;
static struct hsearch_data names;

static void remember(char *name) {
    ENTRY *found;
    if (!hsearch_r((ENTRY){.key = name}, ENTER, &found, &names))
        abort();
}

/* The opcodes that ../tensor, ../wgmma and ../tensor_map compare, one a line. */
static void remember_names(const char *path) {
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        remember(strdup(line));
    }
    fclose(file);
}

void vectors_open(const char *path, const char *tensor_path) {
    FILE *file = fopen(path, "rb");
    if (!file || !vectors_read(&vectors, file) || !hcreate_r(4 * vectors.count + 4096, &names)) {
        perror(path);
        exit(2);
    }
    fclose(file);
    for (size_t i = 0; i < vectors.count; i++) {
        vectors.items[i].label[strcspn(vectors.items[i].label, " ")] = '\0';
        if (!vectors.items[i].rejected)
            remember(vectors.items[i].label);
    }
    remember_names(tensor_path);
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

static size_t operand_count(const char *operands) {
    size_t count = *operands != '\0';
    for (; *operands; operands++)
        count += *operands == ',';
    return count;
}

bool in_vectors(const char *candidate) {
    char opcode[128];
    ENTRY *found;
    snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(candidate, " "), candidate);
    if (hsearch_r((ENTRY){.key = opcode}, FIND, &found, &names) && (strstr(opcode, "mma.") || strstr(opcode, "tensor")))
        return true;
    const struct form *form = form_find(opcode);
    const char *operands = candidate + strcspn(candidate, " ") + 1;
    return form && plain(operands) && operand_count(operands) == strlen(form->operands) &&
           hsearch_r((ENTRY){.key = (char *)form->name}, FIND, &found, &names);
}
