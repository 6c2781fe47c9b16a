/* See declarations.h. A reader of a few lines of C, not a parser: anything that it does not understand is left
 * alone. */
#include "check/declarations.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES   (1 << 20)
#define MOST_NESTED  8
#define MOST_ELEMENT 64 /* bytes of an element whose type is not known */

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

/* The next place where the word occurs by itself, or NULL. */
static const char *find_word(const char *text, const char *word, size_t length) {
    for (const char *p = text; (p = strstr(p, word)); p++)
        if ((p == text || !in_word(p[-1])) && !in_word(p[length]))
            return p;
    return NULL;
}

static const char *skip_space(const char *p) {
    return p + strspn(p, " \t\n");
}

/* What is known at a place of the text: names that were given a value before it. */
struct scope {
    const char *text, *until;
};

static bool read_sum(struct scope s, const char **p, uint64_t *value, int nested);

/* `#define NAME 16`, `NAME = 16` of an enum or a constant, at p. */
static bool value_at(struct scope s, const char *p, size_t length, uint64_t *value, int nested) {
    const char *after = skip_space(p + length), *line = p;
    while (line > s.text && line[-1] != '\n')
        line--;
    bool define = strncmp(line, "#define", 7) == 0;
    if (!define && (*after != '=' || after[1] == '='))
        return false;
    after = define ? after : skip_space(after + 1);
    return read_sum((struct scope){s.text, p}, &after, value, nested);
}

/* The last value before the place: kernels of a file often use the same names. */
static bool value_of_name(struct scope s, const char *name, size_t length, uint64_t *value, int nested) {
    char word[100];
    bool found = false;
    if (length >= sizeof word || !nested)
        return false;
    memcpy(word, name, length);
    word[length] = '\0';
    /* `nested` bounds names that stand for names: a definition that refers to itself ends there. */
    for (const char *p = s.text; (p = find_word(p, word, length)) && p < s.until; p += length) {
        uint64_t other;
        if (value_at(s, p, length, &other, nested - 1)) {
            *value = other;
            found = true;
        }
    }
    return found;
}

static bool read_factor(struct scope s, const char **p, uint64_t *value, int nested) {
    *p = skip_space(*p);
    if (isdigit((unsigned char)**p)) {
        char *end;
        *value = strtoull(*p, &end, 0);
        *p = end + strspn(end, "uUlL");
        return true;
    }
    if (**p == '(') {
        ++*p;
        /* On failure the place is of no interest any more: the whole expression is not understood. */
        bool right = read_sum(s, p, value, nested) && **p == ')';
        *p += right;
        return right;
    }
    const char *name = *p;
    while (in_word(**p))
        ++*p;
    return *p > name && value_of_name(s, name, (size_t)(*p - name), value, nested);
}

static bool read_product(struct scope s, const char **p, uint64_t *value, int nested) {
    if (!read_factor(s, p, value, nested))
        return false;
    for (*p = skip_space(*p); **p == '*' || (**p == '/' && (*p)[1] != '/' && (*p)[1] != '*'); *p = skip_space(*p)) {
        char operation = *(*p)++;
        uint64_t other;
        if (!read_factor(s, p, &other, nested) || !other)
            return false;
        *value = operation == '*' ? *value * other : *value / other;
    }
    return true;
}

static bool read_sum(struct scope s, const char **p, uint64_t *value, int nested) {
    if (!read_product(s, p, value, nested))
        return false;
    for (*p = skip_space(*p); **p == '+' || **p == '-'; *p = skip_space(*p)) {
        char operation = *(*p)++;
        uint64_t other;
        if (!read_product(s, p, &other, nested))
            return false;
        *value = operation == '+' ? *value + other : *value - other;
    }
    return true;
}

/* The bounds in brackets after a name. */
static unsigned bounds_at(struct scope s, const char *p, uint64_t bounds[MAX_DIMENSIONS]) {
    unsigned n = 0;
    for (p = skip_space(p); *p == '[' && n < MAX_DIMENSIONS; p = skip_space(p + 1)) {
        p++;
        if (!read_sum(s, &p, &bounds[n++], MOST_NESTED) || *p != ']')
            return 0;
    }
    return n;
}

/* The `__shared__` before p in the same statement, or NULL. */
static const char *shared_before(const char *text, const char *p) {
    const char *start = p;
    while (start > text && !strchr(";{}", start[-1]))
        start--;
    const char *word = find_word(start, "__shared__", strlen("__shared__"));
    return word && word < p ? word : NULL;
}

/* Bytes of the type that is named between two places; 0 where it is none of the language's own. */
static uint64_t type_size(const char *from, const char *to) {
    static const struct {
        const char *name;
        uint64_t size;
    } types[] = {{"double", 8},   {"long", 8},     {"size_t", 8},  {"uint64_t", 8}, {"int64_t", 8},
                 {"float2", 8},   {"int2", 8},     {"float3", 12}, {"float4", 16},  {"int4", 16},
                 {"uint4", 16},   {"double2", 16}, {"char", 1},    {"bool", 1},     {"uint8_t", 1},
                 {"int8_t", 1},   {"short", 2},    {"half", 2},    {"__half", 2},   {"__nv_bfloat16", 2},
                 {"uint16_t", 2}, {"int16_t", 2},  {"float", 4},   {"int", 4},      {"unsigned", 4},
                 {"uint32_t", 4}, {"int32_t", 4}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *word = find_word(from, types[i].name, strlen(types[i].name));
        if (word && word < to)
            return types[i].size;
    }
    return 0;
}

/* Do these bounds make an array of that size, of elements of this many bytes (0: not known)? */
static bool is_size(uint64_t size, const uint64_t *bounds, unsigned n, uint64_t element) {
    uint64_t elements = 1;
    for (unsigned i = 0; i < n; i++)
        elements *= bounds[i];
    /* The size in PTX decides whether the bounds have been read rightly: macros, templates and namesakes often make
     * them wrong. */
    if (!elements || size % elements)
        return false;
    return element ? size / elements == element : size / elements <= MOST_ELEMENT;
}

/* Of the declarations of the array between two places those that fit; 0 where two of them differ. */
static unsigned declared_between(const char *text, const char *from, const char *to, const struct shared_array *array,
                                 uint64_t bounds[MAX_DIMENSIONS]) {
    size_t length = strlen(array->name);
    unsigned found = 0;
    for (const char *p = from; (p = find_word(p, array->name, length)) && p < to; p += length) {
        uint64_t these[MAX_DIMENSIONS];
        const char *shared = shared_before(text, p);
        unsigned n = shared ? bounds_at((struct scope){text, p}, p + length, these) : 0;
        if (!n || !is_size(array->size, these, n, type_size(shared, p)))
            continue;
        if (found && (found != n || memcmp(bounds, these, n * sizeof *these) != 0))
            return 0;
        memcpy(bounds, these, n * sizeof *these);
        found = n;
    }
    return found;
}

/* The text after the bracket that closes the one at p, or NULL. */
static const char *behind_bracket(const char *p, char open, char close) {
    for (int depth = 0; *p; p++) {
        depth += (*p == open) - (*p == close);
        if (!depth)
            return p + 1;
    }
    return NULL;
}

/* The body of the function that is defined at p, where its name is: from its brace on; NULL where it is only used. */
static const char *body_at(const char *p, size_t length) {
    const char *at = skip_space(p + length);
    at = *at == '(' ? behind_bracket(at, '(', ')') : NULL;
    at = at ? skip_space(at) : NULL;
    return at && *at == '{' ? at : NULL;
}

/* ---- parameters ---- */

/* The end of the parameter that begins at p: its comma, or the bracket that ends the list. */
static const char *parameter_end(const char *p) {
    int depth = 0;
    for (; *p && (depth || (*p != ',' && *p != ')')); p++)
        /* Commas inside of a template's arguments or an array's bounds end no parameter. */
        depth += (strchr("(<[", *p) != NULL) - (strchr(")>]", *p) != NULL);
    return p;
}

/* The number-th parameter of the list that begins after p, or NULL; NULL also where there are not `count` of them. */
static const char *parameter_at(const char *p, unsigned number, unsigned count) {
    const char *found = NULL;
    for (unsigned i = 1;; i++) {
        const char *end = parameter_end(p);
        found = i == number ? p : found;
        if (*end != ',')
            return *end && i == count ? found : NULL;
        p = end + 1;
    }
}

/* The name is the last word before a default value or brackets. */
static bool read_parameter(const char *p, struct source_parameter *out) {
    const char *stop = p + strcspn(p, "=,["), *end = parameter_end(p);
    stop = stop < end ? stop : end;
    while (stop > p && !in_word(stop[-1]))
        stop--;
    const char *name = stop;
    while (name > p && in_word(name[-1]))
        name--;
    unsigned stars = 0;
    for (const char *c = p; c < end; c++)
        stars += *c == '*' || *c == '[';
    if (name == stop || name == p || (size_t)(stop - name) >= sizeof out->name)
        return false;
    memcpy(out->name, name, (size_t)(stop - name));
    out->name[stop - name] = '\0';
    out->element = stars == 1 ? type_size(p, name) : stars ? 8 : 0;
    return true;
}

bool source_parameter(const char *file, const char *function, unsigned number, unsigned count,
                      struct source_parameter *out) {
    char *text = file ? read_file(file) : NULL;
    size_t length = strlen(function);
    bool found = false;
    for (const char *p = text; p && length && !found && (p = find_word(p, function, length)); p += length) {
        const char *parameter = body_at(p, length) ? parameter_at(strchr(p, '(') + 1, number, count) : NULL;
        found = parameter && read_parameter(parameter, out);
    }
    free(text);
    return found;
}

/* ---- arrays ---- */

unsigned source_dimensions(const char *file, const struct shared_array *array, uint64_t bounds[MAX_DIMENSIONS]) {
    char *text = file ? read_file(file) : NULL;
    size_t length = array->function ? strlen(array->function) : 0;
    unsigned found = 0;
    if (text && !array->function)
        found = declared_between(text, text, text + strlen(text), array, bounds);
    for (const char *p = text; text && length && !found && (p = find_word(p, array->function, length)); p += length) {
        const char *body = body_at(p, length), *end = body ? behind_bracket(body, '{', '}') : NULL;
        if (end)
            found = declared_between(text, body, end, array, bounds);
    }
    free(text);
    return found;
}
