/* See dimensions.h. A reader of a few lines of C, not a parser: what it does not understand, it leaves alone. */
#include "check/dimensions.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES  (1 << 20)
#define MOST_NESTED 8

static char *read_file(const char *path) {
    struct stat status;
    FILE *file =
        stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size < MOST_BYTES ? fopen(path, "re") : NULL;
    char *text = file ? calloc(1, (size_t)status.st_size + 1) : NULL;
    if (text && fread(text, 1, (size_t)status.st_size, file) != (size_t)status.st_size) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The next place where the word stands by itself, or NULL. */
static const char *find_word(const char *text, const char *word, size_t length) {
    for (const char *p = text; (p = strstr(p, word)); p++)
        if ((p == text || !in_word(p[-1])) && !in_word(p[length]))
            return p;
    return NULL;
}

static const char *skip_space(const char *p) {
    return p + strspn(p, " \t\n");
}

static bool sum(const char *text, const char **p, uint64_t *value, int nested);

/* `#define NAME 16`, `NAME = 16` of an enum or a constant. */
static bool value_of_name(const char *text, const char *name, size_t length, uint64_t *value, int nested) {
    char word[100];
    if (length >= sizeof word || !nested)
        return false;
    memcpy(word, name, length);
    word[length] = '\0';
    for (const char *p = text; (p = find_word(p, word, length)); p += length) {
        const char *after = skip_space(p + length), *line = p;
        while (line > text && line[-1] != '\n')
            line--;
        bool define = strncmp(line, "#define", 7) == 0;
        if (!define && (*after != '=' || after[1] == '='))
            continue;
        after = define ? after : skip_space(after + 1);
        if (sum(text, &after, value, nested - 1))
            return true;
    }
    return false;
}

static bool factor(const char *text, const char **p, uint64_t *value, int nested) {
    *p = skip_space(*p);
    if (isdigit((unsigned char)**p)) {
        char *end;
        *value = strtoull(*p, &end, 0);
        *p = end + strspn(end, "uUlL");
        return true;
    }
    if (**p == '(') {
        ++*p;
        bool right = sum(text, p, value, nested) && **p == ')';
        *p += right;
        return right;
    }
    const char *name = *p;
    while (in_word(**p))
        ++*p;
    return *p > name && value_of_name(text, name, (size_t)(*p - name), value, nested);
}

static bool product(const char *text, const char **p, uint64_t *value, int nested) {
    if (!factor(text, p, value, nested))
        return false;
    for (*p = skip_space(*p); **p == '*' || (**p == '/' && (*p)[1] != '/' && (*p)[1] != '*'); *p = skip_space(*p)) {
        char operation = *(*p)++;
        uint64_t other;
        if (!factor(text, p, &other, nested) || !other)
            return false;
        *value = operation == '*' ? *value * other : *value / other;
    }
    return true;
}

static bool sum(const char *text, const char **p, uint64_t *value, int nested) {
    if (!product(text, p, value, nested))
        return false;
    for (*p = skip_space(*p); **p == '+' || **p == '-'; *p = skip_space(*p)) {
        char operation = *(*p)++;
        uint64_t other;
        if (!product(text, p, &other, nested))
            return false;
        *value = operation == '+' ? *value + other : *value - other;
    }
    return true;
}

/* The bounds in brackets behind a name. */
static unsigned bounds_at(const char *text, const char *p, uint64_t bounds[MAX_DIMENSIONS]) {
    unsigned n = 0;
    for (p = skip_space(p); *p == '[' && n < MAX_DIMENSIONS; p = skip_space(p + 1)) {
        p++;
        if (!sum(text, &p, &bounds[n++], MOST_NESTED) || *p != ']')
            return 0;
    }
    return n;
}

/* Does `__shared__` stand before p in the same statement? */
static bool is_shared_declaration(const char *text, const char *p) {
    const char *start = p;
    while (start > text && !strchr(";{}", start[-1]))
        start--;
    const char *word = find_word(start, "__shared__", strlen("__shared__"));
    return word && word < p;
}

unsigned source_dimensions(const char *file, const char *name, uint64_t size, uint64_t bounds[MAX_DIMENSIONS]) {
    char *text = file ? read_file(file) : NULL;
    size_t length = strlen(name);
    unsigned found = 0;
    for (const char *p = text; p && !found && (p = find_word(p, name, length)); p += length) {
        uint64_t elements = 1;
        found = is_shared_declaration(text, p) ? bounds_at(text, p + length, bounds) : 0;
        for (unsigned i = 0; i < found; i++)
            elements *= bounds[i];
        if (found && (!elements || size % elements || size / elements > 64))
            found = 0;
    }
    free(text);
    return found;
}
